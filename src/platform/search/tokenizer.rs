//! The tokenizer of the index: folded words, and bigrams for scripts without spaces.

use std::ops::Range;

use unicode_normalization::UnicodeNormalization;

use crate::text;

/// Maximum length of an indexed word in letters. The rest of a longer word is ignored.
const MAX_WORD_LETTERS: usize = 64;

/// A word or a bigram of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WordToken {
    /// Text without case and diacritics.
    pub text: String,
    /// Byte range in the original text.
    pub range: Range<usize>,
    /// Whether the token is a bigram: two adjacent letters of a script without spaces, or the last
    /// letter of such a run alone.
    pub is_bigram: bool,
}

/// Splits a text into folded words and bigrams, in order, in the composed Unicode form (NFC). Other
/// characters only separate words.
pub fn tokenize(text: &str) -> Vec<WordToken> {
    let mut builder = TokenBuilder::default();
    for (start, letter) in text.char_indices() {
        let end = start + letter.len_utf8();
        if letter.is_ascii() {
            match letter.is_ascii_alphanumeric() {
                true => builder
                    .add_letter(start..end, letter.to_ascii_lowercase().encode_utf8(&mut [0])),
                false => builder.finish_token(),
            }
            continue;
        }
        let folded = text::fold(letter.encode_utf8(&mut [0; 4]));
        let mut kept: String =
            folded.nfc().filter(|character| character.is_alphanumeric()).collect();
        match kept.chars().next() {
            Some(first) if is_spaceless(first) => {
                builder.add_spaceless_letter(start..end, std::mem::take(&mut kept))
            }
            Some(_) => builder.add_letter(start..end, &kept),
            // A combining diacritic extends the range of the previous letter.
            None if folded.is_empty() => builder.extend_last_letter(end),
            None => builder.finish_token(),
        }
    }
    builder.finish_token();
    builder.tokens
}

/// Returns whether a letter belongs to a script without spaces between words, or to Korean, where
/// users also search for the middle of a word.
///
/// Chinese, Japanese, Korean, Thai, Lao, Burmese and Khmer.
fn is_spaceless(letter: char) -> bool {
    matches!(
        u32::from(letter),
        0x0e00..=0x0eff
            | 0x1000..=0x109f
            | 0x1100..=0x11ff
            | 0x1780..=0x17ff
            | 0x3005..=0x3007
            | 0x3040..=0x318f
            | 0x31f0..=0x31ff
            | 0x3400..=0x4dbf
            | 0x4e00..=0x9fff
            | 0xac00..=0xd7ff
            | 0xf900..=0xfaff
            | 0x2_0000..=0x3_ffff
    )
}

/// The state of the tokenizer while it reads a text.
#[derive(Default)]
struct TokenBuilder {
    tokens: Vec<WordToken>,
    /// The current word, if it is not finished.
    word: Option<(String, Range<usize>)>,
    /// The current run of letters of a script without spaces.
    run: Vec<(String, Range<usize>)>,
}

impl TokenBuilder {
    /// Appends the folded text of a letter to the current word, or only extends the range if the
    /// word has `MAX_WORD_LETTERS`. Finishes a current run before.
    fn add_letter(&mut self, range: Range<usize>, folded: &str) {
        if !self.run.is_empty() {
            self.finish_token();
        }
        let (text, word_range) = self.word.get_or_insert_with(|| (String::new(), range.clone()));
        word_range.end = range.end;
        if text.chars().count() < MAX_WORD_LETTERS {
            text.push_str(folded);
        }
    }

    /// Appends a letter of a script without spaces to the current run. Finishes a current word
    /// before.
    fn add_spaceless_letter(&mut self, range: Range<usize>, folded: String) {
        if self.word.is_some() {
            self.finish_token();
        }
        self.run.push((folded, range));
    }

    /// Extends the range of the last letter to the byte offset `end`. Does nothing between words.
    fn extend_last_letter(&mut self, end: usize) {
        if let Some((_, range)) = self.word.as_mut().or(self.run.last_mut()) {
            range.end = end;
        }
    }

    /// Ends the current word or run and adds its tokens: one for a word, and for a run one bigram
    /// for each pair of adjacent letters and one token for the last letter alone. Does nothing
    /// between words.
    fn finish_token(&mut self) {
        if let Some((text, range)) = self.word.take() {
            self.tokens.push(WordToken { text, range, is_bigram: false });
        }
        let run = std::mem::take(&mut self.run);
        for (index, (first, range)) in run.iter().enumerate() {
            let (text, end) = match run.get(index + 1) {
                Some((second, next)) => (format!("{first}{second}"), next.end),
                None => (first.clone(), range.end),
            };
            self.tokens.push(WordToken { text, range: range.start..end, is_bigram: true });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_folded_and_have_their_byte_range() {
        let check = |text: &str, want: &[&str]| {
            let found = tokenize(text);
            let texts: Vec<&str> = found.iter().map(|token| token.text.as_str()).collect();
            assert_eq!(texts, want, "{text}");
            for word in found {
                assert!(
                    text.get(word.range.clone()).is_some_and(|part| !part.is_empty()),
                    "{word:?}"
                );
            }
        };
        check("Säulen-Diagramm", &["saulen", "diagramm"]);
        check("GRÖSSE Größe", &["grosse", "grosse"]);
        check("e\u{301}tage\u{301} x", &["etage", "x"]);
        check("½ ㎏ …", &["12", "kg"]);
        check("売上高", &["売上", "上高", "高"]);
        check("Q1売上 高", &["q1", "売上", "上", "高"]);
        check("한국", &["한국", "국"]);
        check(" \u{0}\"--", &[]);
        assert_eq!(tokenize(&"a".repeat(1000))[0].text.len(), MAX_WORD_LETTERS);
        assert_eq!(tokenize("Größe!")[0].range, 0..7);
    }
}
