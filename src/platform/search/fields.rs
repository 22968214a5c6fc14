//! The fields of the index and how texts become terms.

use tantivy::Index;
use tantivy::schema::FAST;
use tantivy::schema::Field;
use tantivy::schema::INDEXED;
use tantivy::schema::IndexRecordOption;
use tantivy::schema::STORED;
use tantivy::schema::STRING;
use tantivy::schema::Schema;
use tantivy::schema::TextFieldIndexing;
use tantivy::schema::TextOptions;
use tantivy::tokenizer::Token;
use tantivy::tokenizer::TokenStream;
use tantivy::tokenizer::Tokenizer;

use super::words;

/// Counts changes of the fields, of the words in them and of what callers put into them: an index
/// of another number is built anew.
pub const VERSION: u32 = 2;

/// Most letters of a word's beginning that is a term of its own.
pub const LONGEST_BEGINNING: usize = 12;

/// The fields by name.
#[derive(Debug, Clone, Copy)]
pub struct Fields {
    /// Whole; the only one that is stored.
    pub id: Field,
    /// Whole.
    pub owner: Field,
    /// Whole: the folder that it is in, and a folder is in itself too.
    pub within: Field,
    /// Words with positions.
    pub title: Field,
    /// Beginnings of the title's words.
    pub beginnings: Field,
    /// Words with positions.
    pub body: Field,
    /// Milliseconds since 1970, for the ranking.
    pub updated: Field,
}

/// The schema and its fields.
pub fn schema() -> (Schema, Fields) {
    let mut schema = Schema::builder();
    let text = |tokenizer: &str, record| {
        let indexing = TextFieldIndexing::default()
            .set_tokenizer(tokenizer)
            .set_index_option(record)
            .set_fieldnorms(record != IndexRecordOption::Basic);
        TextOptions::default().set_indexing_options(indexing)
    };
    let words = text("words", IndexRecordOption::WithFreqsAndPositions);
    let fields = Fields {
        id: schema.add_text_field("id", STRING | STORED),
        owner: schema.add_text_field("owner", STRING),
        within: schema.add_text_field("within", STRING),
        title: schema.add_text_field("title", words.clone()),
        beginnings: schema
            .add_text_field("beginnings", text("beginnings", IndexRecordOption::Basic)),
        body: schema.add_text_field("body", words),
        updated: schema.add_i64_field("updated", FAST | INDEXED),
    };
    (schema.build(), fields)
}

/// Tells an index how its texts become terms.
pub fn register(index: &Index) {
    index.tokenizers().register("words", Words { beginnings: false });
    index.tokenizers().register("beginnings", Words { beginnings: true });
}

/// The first letters of a word.
pub fn beginning(word: &str, letters: usize) -> &str {
    word.char_indices().nth(letters).map_or(word, |(end, _)| word.get(..end).unwrap_or(word))
}

/// [`words`] as tantivy asks for them, or all their beginnings.
#[derive(Clone)]
struct Words {
    beginnings: bool,
}

/// Tokens that wait to be taken.
struct Tokens {
    waiting: std::vec::IntoIter<Token>,
    token: Token,
}

impl Tokenizer for Words {
    type TokenStream<'a> = Tokens;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> Tokens {
        let mut tokens = Vec::new();
        for (position, word) in words::words(text).into_iter().enumerate() {
            let of = |text: &str| Token {
                offset_from: word.range.start,
                offset_to: word.range.end,
                position,
                text: text.to_owned(),
                position_length: 1,
            };
            if self.beginnings {
                let letters = word.text.chars().count().min(LONGEST_BEGINNING);
                tokens.extend((1..=letters).map(|it| of(beginning(&word.text, it))));
            } else {
                tokens.push(of(&word.text));
            }
        }
        Tokens { waiting: tokens.into_iter(), token: Token::default() }
    }
}

impl TokenStream for Tokens {
    fn advance(&mut self) -> bool {
        match self.waiting.next() {
            Some(token) => {
                self.token = token;
                true
            }
            None => false,
        }
    }

    fn token(&self) -> &Token {
        &self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        &mut self.token
    }
}
