//! Words as the index knows them: folded, and pairs of letters where a script puts no spaces.

use std::ops::Range;

use unicode_normalization::UnicodeNormalization;

use crate::text;

/// Most letters of a word that count.
const LONGEST: usize = 64;

/// A word of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// Without case and diacritics.
    pub text: String,
    /// Where it stands in the text, in bytes.
    pub range: Range<usize>,
    /// Two neighbouring letters, or the last one, of a run in a script without spaces.
    pub is_gram: bool,
}

/// The words of a text in Unicode's composed form, in order.
pub fn words(text: &str) -> Vec<Word> {
    let mut reading = Reading::default();
    for (start, letter) in text.char_indices() {
        let end = start + letter.len_utf8();
        if letter.is_ascii() {
            match letter.is_ascii_alphanumeric() {
                true => {
                    reading.letter(start..end, letter.to_ascii_lowercase().encode_utf8(&mut [0]))
                }
                false => reading.end(),
            }
            continue;
        }
        let folded = text::fold(letter.encode_utf8(&mut [0; 4]));
        let mut kept: String = folded.nfc().filter(|it| it.is_alphanumeric()).collect();
        match kept.chars().next() {
            Some(first) if is_spaceless(first) => {
                reading.gram(start..end, std::mem::take(&mut kept))
            }
            Some(_) => reading.letter(start..end, &kept),
            // A diacritic belongs to the letter before it.
            None if folded.is_empty() => reading.extend(end),
            None => reading.end(),
        }
    }
    reading.end();
    reading.words
}

/// Whether a letter is of a script that puts no spaces between words, or syllables in which the
/// middle of a word is looked for: Chinese, Japanese, Korean, Thai, Lao, Burmese, Khmer.
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

#[derive(Default)]
struct Reading {
    words: Vec<Word>,
    /// The word under way.
    word: Option<(String, Range<usize>)>,
    /// The run of letters under way in a script without spaces.
    run: Vec<(String, Range<usize>)>,
}

impl Reading {
    fn letter(&mut self, range: Range<usize>, folded: &str) {
        if !self.run.is_empty() {
            self.end();
        }
        let (text, whole) = self.word.get_or_insert_with(|| (String::new(), range.clone()));
        whole.end = range.end;
        if text.chars().count() < LONGEST {
            text.push_str(folded);
        }
    }

    fn gram(&mut self, range: Range<usize>, folded: String) {
        if self.word.is_some() {
            self.end();
        }
        self.run.push((folded, range));
    }

    fn extend(&mut self, end: usize) {
        if let Some((_, range)) = self.word.as_mut().or(self.run.last_mut()) {
            range.end = end;
        }
    }

    /// Ends what is under way.
    fn end(&mut self) {
        if let Some((text, range)) = self.word.take() {
            self.words.push(Word { text, range, is_gram: false });
        }
        let run = std::mem::take(&mut self.run);
        for (index, (first, range)) in run.iter().enumerate() {
            let (text, end) = match run.get(index + 1) {
                Some((second, next)) => (format!("{first}{second}"), next.end),
                None => (first.clone(), range.end),
            };
            self.words.push(Word { text, range: range.start..end, is_gram: true });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_folded_and_know_where_they_stand() {
        let check = |text: &str, want: &[&str]| {
            let found = words(text);
            let texts: Vec<&str> = found.iter().map(|it| it.text.as_str()).collect();
            assert_eq!(texts, want, "{text}");
            for word in found {
                assert!(text.get(word.range.clone()).is_some_and(|it| !it.is_empty()), "{word:?}");
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
        assert_eq!(words(&"a".repeat(1000))[0].text.len(), LONGEST);
        assert_eq!(words("Größe!")[0].range, 0..7);
    }
}
