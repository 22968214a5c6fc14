//! The parser of search queries. Every non-empty text up to the maximum length is a valid query.

use super::tokenizer::WordToken;
use super::tokenizer::tokenize;

/// Maximum length of a query in characters.
const MAX_QUERY_CHARS: usize = 500;
/// Maximum number of required terms, and of excluded terms. Further ones are ignored.
const MAX_TERMS: usize = 32;

/// A word or phrase of a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum QueryTerm {
    /// A word.
    Word {
        /// Folded text.
        text: String,
        /// Whether the text also matches as a prefix of a word.
        is_prefix: bool,
    },
    /// Adjacent words.
    Phrase {
        /// Folded texts.
        texts: Vec<String>,
        /// Whether the last text also matches as a prefix of a word.
        is_prefix: bool,
    },
}

/// A parsed search query.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ParsedQuery {
    /// Terms that a result must contain, all of them.
    pub required: Vec<QueryTerm>,
    /// Terms that a result must not contain.
    pub excluded: Vec<QueryTerm>,
}

impl ParsedQuery {
    /// Parses words, `"quoted phrases"`, and `-exclusions` of both.
    ///
    /// If the query ends in a word that is neither quoted nor excluded, the word also matches as a
    /// prefix, because the user may still be typing it. The end of the text closes an open quote.
    /// All other punctuation only separates words. Required terms after the first `MAX_TERMS` are
    /// ignored, and so are excluded ones. A text without words gives an empty query.
    ///
    /// # Errors
    /// Returns a message if the text is empty or longer than `MAX_QUERY_CHARS`.
    pub fn parse(text: &str) -> Result<Self, String> {
        if text.is_empty() {
            return Err("must not be empty".to_owned());
        }
        if text.chars().count() > MAX_QUERY_CHARS {
            return Err(format!("must not have more than {MAX_QUERY_CHARS} characters"));
        }
        let mut query = Self::default();
        let mut ends_in_word = false;
        for chunk in split_chunks(text) {
            let list = if chunk.is_excluded { &mut query.excluded } else { &mut query.required };
            let before = list.len();
            append_terms(&tokenize(chunk.text), chunk.is_quoted, list);
            if list.len() > before {
                ends_in_word = !chunk.is_quoted && !chunk.is_excluded;
            }
        }
        if ends_in_word && let Some(QueryTerm::Word { is_prefix, .. }) = query.required.last_mut() {
            *is_prefix = true;
        }
        query.required.truncate(MAX_TERMS);
        query.excluded.truncate(MAX_TERMS);
        Ok(query)
    }

    /// Returns whether the query has no terms, for example because it has only punctuation.
    pub fn is_empty(&self) -> bool {
        self.required.is_empty() && self.excluded.is_empty()
    }
}

/// A part of the query text: a quoted phrase, or text without spaces and quotes.
struct Chunk<'a> {
    text: &'a str,
    is_quoted: bool,
    /// Whether a minus precedes the chunk.
    is_excluded: bool,
}

/// Splits a query text into its chunks, in order: quoted phrases without their quotes, and pieces
/// between spaces and quotes. The end of the text closes an open quote. A minus excludes a chunk if
/// a letter, a digit or a quote follows it, and is then not part of the chunk.
fn split_chunks(query: &str) -> Vec<Chunk<'_>> {
    let mut chunks = Vec::new();
    let mut rest = query.trim_start();
    while !rest.is_empty() {
        let (is_excluded, unsigned) = match rest.strip_prefix('-') {
            Some(after)
                if after.starts_with(|letter: char| letter == '"' || letter.is_alphanumeric()) =>
            {
                (true, after)
            }
            _ => (false, rest),
        };
        let (text, is_quoted, next) = match unsigned.strip_prefix('"') {
            Some(inner) => {
                let (text, next) = inner.split_once('"').unwrap_or((inner, ""));
                (text, true, next)
            }
            None => {
                let end = unsigned
                    .find(|letter: char| {
                        letter.is_whitespace() || letter.is_control() || letter == '"'
                    })
                    .unwrap_or(unsigned.len());
                let (text, next) = unsigned.split_at(end);
                (text, false, next)
            }
        };
        chunks.push(Chunk { text, is_quoted, is_excluded });
        rest =
            next.trim_start_matches(|letter: char| letter.is_whitespace() || letter.is_control());
    }
    chunks
}

/// Appends the terms for the tokens of a chunk to `terms`.
///
/// The words of a quoted chunk become one phrase, and so do the bigrams of a run without spaces. A
/// run of one letter at the end becomes a prefix. Other tokens become words. The token of the last
/// letter of a longer run is not part of the phrase if it is at the end.
fn append_terms(tokens: &[WordToken], is_quoted: bool, terms: &mut Vec<QueryTerm>) {
    let mut rest = tokens;
    while let Some(first) = rest.first() {
        // A run of bigrams ends with the token of its last letter alone.
        let length = match first.is_bigram {
            true => {
                1 + rest
                    .windows(2)
                    .take_while(|pair| pair[0].range.end > pair[1].range.start)
                    .count()
            }
            false => 1,
        };
        let length = if is_quoted { rest.len() } else { length };
        let (run, after) = rest.split_at(length);
        rest = after;
        // If the text continues after the run, it has a bigram instead of the last letter alone.
        // The bigram before the last letter contains it, so that the phrase needs no token for it.
        let ends_in_repeated_letter = matches!(
            run,
            [.., before, last] if last.is_bigram && before.range.end > last.range.start
        );
        // Without a letter before it, it is found as the prefix of the bigrams that start with it.
        let is_prefix = !ends_in_repeated_letter && run.last().is_some_and(|last| last.is_bigram);
        let used = if ends_in_repeated_letter { &run[..run.len() - 1] } else { run };
        let mut texts: Vec<String> = used.iter().map(|token| token.text.clone()).collect();
        terms.push(match texts.as_mut_slice() {
            [one] if is_prefix || !first.is_bigram && !is_quoted => {
                QueryTerm::Word { text: std::mem::take(one), is_prefix }
            }
            _ => QueryTerm::Phrase { texts, is_prefix },
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(text: &str, is_prefix: bool) -> QueryTerm {
        QueryTerm::Word { text: text.to_owned(), is_prefix }
    }

    fn phrase(words: &[&str]) -> QueryTerm {
        let texts = words.iter().map(|text| (*text).to_owned()).collect();
        QueryTerm::Phrase { texts, is_prefix: false }
    }

    #[test]
    fn parse_distinguishes_words_phrases_and_exclusions() {
        let check = |text: &str, required: &[QueryTerm], excluded: &[QueryTerm]| {
            let query = ParsedQuery::parse(text).unwrap();
            assert_eq!(query.required, required, "{text}");
            assert_eq!(query.excluded, excluded, "{text}");
        };
        check("Größe und", &[word("grosse", false), word("und", true)], &[]);
        check("\"net sales\" -Draft", &[phrase(&["net", "sales"])], &[word("draft", false)]);
        check("sales -\"old plan", &[word("sales", false)], &[phrase(&["old", "plan"])]);
        check("a-b - c", &[word("a", false), word("b", false), word("c", true)], &[]);
        check("\"one\"", &[phrase(&["one"])], &[]);
        check("売上高", &[phrase(&["売上", "上高"])], &[]);
        check("売", &[word("売", true)], &[]);
        check("\"売\"", &[word("売", true)], &[]);
        check("\"東京 日 car\"", &[phrase(&["東京", "京", "日", "car"])], &[]);
        let with_prefix = |words: &[&str]| match phrase(words) {
            QueryTerm::Phrase { texts, .. } => QueryTerm::Phrase { texts, is_prefix: true },
            word => word,
        };
        check("\"car 日\"", &[with_prefix(&["car", "日"])], &[]);
        check("x -\"東京 日\"", &[word("x", false)], &[with_prefix(&["東京", "京", "日"])]);
        check("\"car 日本\"", &[phrase(&["car", "日本"])], &[]);
        check(
            "x OR (y:z)^2 *",
            &["x", "or", "y", "z"]
                .map(|text| word(text, false))
                .into_iter()
                .chain([word("2", true)])
                .collect::<Vec<_>>(),
            &[],
        );
        check("\u{0}!? \"\"", &[], &[]);
    }

    #[test]
    fn parse_rejects_empty_and_too_long_texts() {
        for text in ["", &"a".repeat(501)] {
            ParsedQuery::parse(text).unwrap_err();
        }
        assert!(ParsedQuery::parse(" \u{0}\n").unwrap().is_empty());
        assert_eq!(ParsedQuery::parse(&"a ".repeat(40)).unwrap().required.len(), MAX_TERMS);
    }
}
