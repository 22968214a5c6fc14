//! What people type into a search box, read without ever failing on its form.

use super::words::Word;
use super::words::words;

/// Most characters of what is typed.
const MOST_CHARACTERS: usize = 500;
/// Most words and phrases that count, of those that must be there and of those that must not.
const MOST_PARTS: usize = 32;

/// One thing that must, or must not, be there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// A word.
    Word {
        /// Folded.
        text: String,
        /// Whether it may be the beginning of one.
        is_beginning: bool,
    },
    /// Words that follow each other, folded.
    Phrase(Vec<String>),
}

/// What is looked for. All of `wanted` must be there, nothing of `unwanted`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Wish {
    pub wanted: Vec<Part>,
    pub unwanted: Vec<Part>,
}

impl Wish {
    /// Reads words, `"phrases in quotes"` and `-exclusions` of both. The last word may be the
    /// beginning of one. A quote that nothing closes closes at the end; other signs only part words.
    /// What comes after many words does not count.
    ///
    /// # Errors
    /// A text that says what is wrong: it is empty or too long.
    pub fn parse(typed: &str) -> Result<Self, String> {
        if typed.is_empty() {
            return Err("must not be empty".to_owned());
        }
        if typed.chars().count() > MOST_CHARACTERS {
            return Err(format!("has more than {MOST_CHARACTERS} characters"));
        }
        let mut wish = Self::default();
        let mut ends_in_word = false;
        for (text, is_quoted, is_excluded) in pieces(typed) {
            let list = if is_excluded { &mut wish.unwanted } else { &mut wish.wanted };
            let before = list.len();
            parts(&words(text), is_quoted, list);
            if list.len() > before {
                ends_in_word = !is_quoted && !is_excluded;
            }
        }
        if ends_in_word && let Some(Part::Word { is_beginning, .. }) = wish.wanted.last_mut() {
            *is_beginning = true;
        }
        wish.wanted.truncate(MOST_PARTS);
        wish.unwanted.truncate(MOST_PARTS);
        Ok(wish)
    }

    /// Whether nothing is asked for, such as in a wish of signs only.
    pub fn is_empty(&self) -> bool {
        self.wanted.is_empty() && self.unwanted.is_empty()
    }
}

/// Takes what is typed apart: text, whether it was in quotes, whether a minus stood before it.
fn pieces(typed: &str) -> Vec<(&str, bool, bool)> {
    let mut pieces = Vec::new();
    let mut rest = typed.trim_start();
    while !rest.is_empty() {
        let (excluded, bare) = match rest.strip_prefix('-') {
            Some(bare) if bare.starts_with(|it: char| it == '"' || it.is_alphanumeric()) => {
                (true, bare)
            }
            _ => (false, rest),
        };
        let (text, quoted, next) = match bare.strip_prefix('"') {
            Some(inner) => {
                let (text, next) = inner.split_once('"').unwrap_or((inner, ""));
                (text, true, next)
            }
            None => {
                let end = bare
                    .find(|it: char| it.is_whitespace() || it.is_control() || it == '"')
                    .unwrap_or(bare.len());
                let (text, next) = bare.split_at(end);
                (text, false, next)
            }
        };
        pieces.push((text, quoted, excluded));
        rest = next.trim_start_matches(|it: char| it.is_whitespace() || it.is_control());
    }
    pieces
}

/// Adds a piece's words; those in quotes, and the letters of a run without spaces, as a phrase.
fn parts(words: &[Word], is_quoted: bool, out: &mut Vec<Part>) {
    let mut rest = words;
    while let Some(first) = rest.first() {
        // A run ends with the gram of its last letter alone.
        let length = match first.is_gram {
            true => {
                1 + rest.windows(2).take_while(|it| it[0].range.end > it[1].range.start).count()
            }
            false => 1,
        };
        let length = if is_quoted { rest.len() } else { length };
        let (run, after) = rest.split_at(length);
        rest = after;
        // What is in the middle of other words in the text has no gram of its last letter alone.
        let last_counts = run.len() == 1 || run.last().is_some_and(|it| !it.is_gram);
        let counted = if last_counts { run } else { &run[..run.len() - 1] };
        let mut texts: Vec<String> = counted.iter().map(|it| it.text.clone()).collect();
        out.push(match texts.as_mut_slice() {
            // One letter of such a script is in many pairs: it is the first of all but one of them.
            [one] if first.is_gram && run.len() == 1 => {
                Part::Word { text: std::mem::take(one), is_beginning: true }
            }
            [one] if !first.is_gram && !is_quoted => {
                Part::Word { text: std::mem::take(one), is_beginning: false }
            }
            _ => Part::Phrase(texts),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(text: &str, is_beginning: bool) -> Part {
        Part::Word { text: text.to_owned(), is_beginning }
    }

    fn phrase(words: &[&str]) -> Part {
        Part::Phrase(words.iter().map(|it| (*it).to_owned()).collect())
    }

    #[test]
    fn words_phrases_and_exclusions_are_told_apart() {
        let check = |typed: &str, wanted: &[Part], unwanted: &[Part]| {
            let wish = Wish::parse(typed).unwrap();
            assert_eq!((wish.wanted.as_slice(), wish.unwanted.as_slice()), (wanted, unwanted));
        };
        check("Größe und", &[word("grosse", false), word("und", true)], &[]);
        check("\"net sales\" -Draft", &[phrase(&["net", "sales"])], &[word("draft", false)]);
        check("sales -\"old plan", &[word("sales", false)], &[phrase(&["old", "plan"])]);
        check("a-b - c", &[word("a", false), word("b", false), word("c", true)], &[]);
        check("\"one\"", &[phrase(&["one"])], &[]);
        check("売上高", &[phrase(&["売上", "上高"])], &[]);
        check("売", &[word("売", true)], &[]);
        check(
            "x OR (y:z)^2 *",
            &["x", "or", "y", "z"]
                .map(|it| word(it, false))
                .into_iter()
                .chain([word("2", true)])
                .collect::<Vec<_>>(),
            &[],
        );
        check("\u{0}!? \"\"", &[], &[]);
    }

    #[test]
    fn what_is_empty_or_too_long_is_refused() {
        for typed in ["", &"a".repeat(501)] {
            Wish::parse(typed).unwrap_err();
        }
        assert!(Wish::parse(" \u{0}\n").unwrap().is_empty());
        assert_eq!(Wish::parse(&"a ".repeat(40)).unwrap().wanted.len(), MOST_PARTS);
    }
}
