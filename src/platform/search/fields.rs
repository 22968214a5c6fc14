//! The fields of the index, and the tokenizers that turn texts into terms.

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

use super::tokenizer::tokenize;

/// Version of the index content. An index of another version is rebuilt.
///
/// Increase it after a change of the fields, of the tokenizers, or of the texts that the features
/// pass to the index.
pub const INDEX_VERSION: u32 = 4;

/// Maximum length, in letters, of the indexed prefixes of a word in a title.
pub const MAX_PREFIX_LETTERS: usize = 12;

/// The fields of the index.
#[derive(Debug, Clone, Copy)]
pub struct IndexFields {
    /// Node id as one term. It is the only stored field.
    pub id: Field,
    /// Account id of the owner as one term.
    pub owner: Field,
    /// Id of the parent folder as one term. A folder also has its own id here.
    pub within: Field,
    /// Title: words with positions.
    pub title: Field,
    /// Prefixes of the words of the title. Its name in the index is `beginnings`.
    pub title_prefixes: Field,
    /// Other text: words with positions.
    pub body: Field,
    /// Time of the last change in milliseconds since 1970, for the ranking.
    pub updated: Field,
}

/// Returns the schema of the index and its fields.
pub fn build_schema() -> (Schema, IndexFields) {
    let mut schema = Schema::builder();
    let build_options = |tokenizer: &str, record| {
        let indexing = TextFieldIndexing::default()
            .set_tokenizer(tokenizer)
            .set_index_option(record)
            .set_fieldnorms(record != IndexRecordOption::Basic);
        TextOptions::default().set_indexing_options(indexing)
    };
    let words = build_options("words", IndexRecordOption::WithFreqsAndPositions);
    let fields = IndexFields {
        id: schema.add_text_field("id", STRING | STORED),
        owner: schema.add_text_field("owner", STRING),
        within: schema.add_text_field("within", STRING),
        title: schema.add_text_field("title", words.clone()),
        title_prefixes: schema
            .add_text_field("beginnings", build_options("beginnings", IndexRecordOption::Basic)),
        body: schema.add_text_field("body", words),
        updated: schema.add_i64_field("updated", FAST | INDEXED),
    };
    (schema.build(), fields)
}

/// Registers the tokenizers of the fields in an index.
pub fn register_tokenizers(index: &Index) {
    index.tokenizers().register("words", IndexTokenizer { emits_prefixes: false });
    index.tokenizers().register("beginnings", IndexTokenizer { emits_prefixes: true });
}

/// Returns the first `letters` characters of a word, or the whole word if it has fewer.
pub fn take_prefix(word: &str, letters: usize) -> &str {
    word.char_indices().nth(letters).map_or(word, |(end, _)| word.get(..end).unwrap_or(word))
}

/// The tokenizer for tantivy, see [`tokenize`].
#[derive(Clone)]
struct IndexTokenizer {
    /// Whether it emits the prefixes of each word, up to [`MAX_PREFIX_LETTERS`] letters, instead of
    /// the word.
    emits_prefixes: bool,
}

/// The tokens of one text.
struct Tokens {
    remaining: std::vec::IntoIter<Token>,
    token: Token,
}

impl Tokenizer for IndexTokenizer {
    type TokenStream<'a> = Tokens;

    /// Returns the tokens of `text` in order. The position of a token is the index of its word.
    /// With `emits_prefixes`, returns the prefixes of each word instead of the word, shortest
    /// first.
    fn token_stream<'a>(&'a mut self, text: &'a str) -> Tokens {
        let mut tokens = Vec::new();
        for (position, word) in tokenize(text).into_iter().enumerate() {
            let build_token = |text: &str| Token {
                offset_from: word.range.start,
                offset_to: word.range.end,
                position,
                text: text.to_owned(),
                position_length: 1,
            };
            if self.emits_prefixes {
                let letters = word.text.chars().count().min(MAX_PREFIX_LETTERS);
                tokens
                    .extend((1..=letters).map(|count| build_token(take_prefix(&word.text, count))));
            } else {
                tokens.push(build_token(&word.text));
            }
        }
        Tokens { remaining: tokens.into_iter(), token: Token::default() }
    }
}

impl TokenStream for Tokens {
    /// Moves to the next token. Returns false if there is none.
    fn advance(&mut self) -> bool {
        match self.remaining.next() {
            Some(token) => {
                self.token = token;
                true
            }
            None => false,
        }
    }

    /// Returns the current token, which is empty before the first `advance`.
    fn token(&self) -> &Token {
        &self.token
    }

    /// Returns the current token for changes.
    fn token_mut(&mut self) -> &mut Token {
        &mut self.token
    }
}
