//! Flags of Eurostat beside the numbers of a column, such as `b` (break in the series) in `5.2 b`, and
//! marks of footnotes.

use super::note_marks::NoteCheck;
use super::note_marks::split_note_mark;
use chartroom_charts::number_text;
use chartroom_charts::number_text::DecimalSeparator;
use chartroom_charts::number_text::SeparatorVotes;

/// Letters of the flags, see <https://ec.europa.eu/eurostat/data/database/information>.
const LETTERS: [char; 14] = ['b', 'c', 'd', 'e', 'f', 'i', 'm', 'n', 'p', 'r', 's', 't', 'u', 'z'];
/// Maximum number of flags of a number.
const MAX_FLAGS: usize = 3;

/// Splits a text into a number, or a colon that stands for a missing value, and the flags or the mark of a
/// footnote after it. None without both.
pub(super) fn split_flags(text: &str) -> Option<(&str, &str)> {
    split_letters(text).or_else(|| split_note_mark(text))
}

/// Splits a text into a number or a colon, and the flags of Eurostat after it.
/// A number has a space before its flags, which is dropped. None if there are no flags, more than
/// `MAX_FLAGS`, equal ones, or the unit `ms`.
fn split_letters(text: &str) -> Option<(&str, &str)> {
    let rest = text.trim_end_matches(LETTERS);
    let flags = &text[rest.len()..];
    let value = rest.trim_end();
    // An amount with a currency has a magnitude instead, as in `R$ 850 mi`.
    let is_part = |letter: char| !letter.is_alphabetic() && !"€$£¥".contains(letter);
    let is_number =
        value.len() < rest.len() && value.ends_with(char::is_numeric) && value.chars().all(is_part);
    let are_different =
        flags.char_indices().all(|(index, letter)| !flags[..index].contains(letter));
    // Milliseconds.
    let is_unit = flags == "ms";
    let has_flags = (1..=MAX_FLAGS).contains(&flags.len()) && are_different && !is_unit;
    (has_flags && (is_number || value == ":")).then_some((value, flags))
}

/// Decision whether the letters after the numbers of a column are flags.
#[derive(Debug, Clone)]
pub(super) struct FlagCheck {
    /// Readings of all texts without flags.
    votes: SeparatorVotes,
    /// Number of texts with each of [`LETTERS`].
    counts: [usize; LETTERS.len()],
    /// Flags of the first number with flags.
    first: String,
    /// Whether numbers have different flags.
    has_different: bool,
    /// Number of numbers with flags.
    numbers: usize,
    /// Number of numbers with a flag that may also be a unit of measure, such as `m`.
    units: usize,
    /// Number of missing values with flags.
    missing: usize,
    /// Marks of footnotes.
    notes: NoteCheck,
}

impl FlagCheck {
    /// Adds a text of a column to its check, which starts with the first text that has flags.
    /// `votes` are the readings of the texts before.
    pub fn add_text(check: &mut Option<Box<Self>>, votes: &SeparatorVotes, text: &str) {
        match (split_flags(text), check) {
            (None, None) => {}
            (None, Some(check)) => check.add_number(text),
            (Some((value, flags)), check) => {
                let check = check.get_or_insert_with(|| Box::new(Self::new(votes.clone())));
                check.add_flagged(value, flags);
            }
        }
    }

    /// Starts a check without flags. `votes` are the readings of the texts so far.
    fn new(votes: SeparatorVotes) -> Self {
        Self {
            votes,
            counts: [0; LETTERS.len()],
            first: String::new(),
            has_different: false,
            numbers: 0,
            units: 0,
            missing: 0,
            notes: NoteCheck::default(),
        }
    }

    /// Adds a text without flags.
    pub fn add_number(&mut self, text: &str) {
        self.votes.add(text);
    }

    /// Adds a text with flags: its number or colon, and its flags. A colon counts as a missing
    /// value.
    fn add_flagged(&mut self, value: &str, flags: &str) {
        if !flags.ends_with(LETTERS) {
            self.votes.add(value);
            self.notes.add(value, flags);
            return;
        }
        for (count, letter) in self.counts.iter_mut().zip(LETTERS) {
            *count += usize::from(flags.contains(letter));
        }
        if value == ":" {
            self.missing += 1;
            return;
        }
        self.votes.add(value);
        self.numbers += 1;
        // More letters, as in `cm`, are rather a unit than flags.
        self.units += usize::from(flags.len() == 1 && number_text::is_unit(flags));
        self.has_different |= self.numbers > 1 && self.first != flags;
        if self.numbers == 1 {
            flags.clone_into(&mut self.first);
        }
    }

    /// Returns the readings of the texts without their flags, if the letters after the numbers are
    /// flags. `cells` is the number of cells of the column that are neither empty nor placeholders.
    ///
    /// None if the marks after numbers are no footnotes, see [`NoteCheck::are_footnotes`].
    ///
    /// None if a cell is neither a number nor a missing value, if a number has a unit such as `km`,
    /// or if the letters are a unit. They are one if all numbers have the same letters, or if at
    /// least half of the numbers have a letter that may be a unit, such as `m`, and no number has
    /// other flags.
    pub fn readings(&self, cells: usize) -> Option<&SeparatorVotes> {
        let reading = self.votes.decide(DecimalSeparator::Point);
        let is_numeric = reading.numbers > 0
            && reading.numbers + self.missing == cells
            && reading.notation.unit.is_none()
            && !self.votes.has_different_units();
        let plain = reading.numbers.saturating_sub(self.numbers);
        if !self.notes.are_footnotes(cells) {
            return None;
        }
        if self.notes.count > 0 && self.numbers == 0 {
            // A few other texts, such as `< 5`, are missing values.
            let is_mostly_numeric = reading.numbers * 4 >= cells * 3
                && reading.notation.unit.is_none()
                && !self.votes.has_different_units();
            return is_mostly_numeric.then_some(&self.votes);
        }
        let is_common = self.numbers > 0 && plain == 0 && !self.has_different;
        let are_units = self.numbers == self.units && plain <= self.units;
        (is_numeric && !is_common && !are_units).then_some(&self.votes)
    }

    /// Returns the flag letters in alphabetical order, each with the number of texts that have it,
    /// such as `b (3), p (1)`. Marks of footnotes are `*`. Numbers and missing values count. Empty if no text has flags. Does
    /// not check whether the letters are flags, see `readings`.
    pub fn describe(&self) -> String {
        let counts = LETTERS.iter().zip(self.counts).filter(|(_, count)| *count > 0);
        let notes = (self.notes.count > 0).then(|| format!("* ({})", self.notes.count));
        let letters = counts.map(|(letter, count)| format!("{letter} ({count})"));
        letters.chain(notes).collect::<Vec<String>>().join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the description of the flags of a column with these cells. None if they are no flags.
    fn describe(cells: &[&str]) -> Option<String> {
        let (mut check, mut votes) = (None, SeparatorVotes::default());
        for cell in cells {
            FlagCheck::add_text(&mut check, &votes, cell);
            votes.add(cell);
        }
        let check = check.unwrap();
        check.readings(cells.len()).map(|_| check.describe())
    }

    #[test]
    fn flags_follow_a_space_or_a_colon() {
        assert_eq!(split_flags("5.2 b"), Some(("5.2", "b")));
        assert_eq!(split_flags("-12,1\u{a0}bep"), Some(("-12,1", "bep")));
        assert_eq!(split_flags(": c"), Some((":", "c")));
        assert_eq!(split_flags(":z"), Some((":", "z")));
        for text in ["", "b", "5", ":", "5.2b", "5 x", "5 bb", "5 bcde", "a b", "5 B", "R$ 5 mi"] {
            assert_eq!(split_flags(text), None, "{text}");
        }
    }

    #[test]
    fn marks_of_footnotes_follow_a_number() {
        for (text, value) in [
            ("83,240*", "83,240"),
            ("5 **", "5"),
            ("12 (p)", "12"),
            ("12(1)", "12"),
            ("59,550 1)", "59,550"),
            ("47,350 [2]", "47,350"),
            ("8¹", "8"),
            ("9,8¹)", "9,8"),
            ("12 %*", "12 %"),
            ("-4,5 a)", "-4,5"),
        ] {
            assert_eq!(split_flags(text).map(|(value, _)| value), Some(value), "{text}");
        }
        for text in ["10²", "(12)", "12)", "12 (35 %)", "12 (abc)", "a*", "*", "[2]", "5 m²"] {
            assert_eq!(split_flags(text), None, "{text}");
        }
    }

    #[test]
    fn letters_and_numbers_that_tell_labels_or_values_apart_are_no_marks() {
        assert_eq!(describe(&["5", "6 (1)", "7", "8 b)"]), Some("* (2)".to_owned()));
        assert_eq!(describe(&["5 (1)", "6", "5 (1)", "7"]), Some("* (2)".to_owned()));
        assert_eq!(describe(&["5*", "6**", "5", "5**"]), Some("* (3)".to_owned()));
        for cells in [
            &["1 a)", "1 b)", "2 a)", "2 b)"][..],
            &["5 (1)", "5 (2)", "6 (1)"],
            &["12 a)", "12 b)", "13", "14", "15"],
            &["2²", "2³", "2⁴"],
            &["2²", "3²", "4²", "5"],
            &["12 (35)", "30 (12)", "8 (24)"],
            &["12 (35)", "30", "8", "9"],
            &["5 (0)", "6", "7"],
            &["5¹²", "6", "7"],
        ] {
            assert_eq!(describe(cells), None, "{cells:?}");
        }
    }

    #[test]
    fn letters_are_flags_if_all_cells_are_numbers_and_the_letters_are_no_unit() {
        let flags = |text: &str| Some(text.to_owned());
        let marked = ["1,234*", "12 (p)", "55 1)", "7 [2]", "8¹", "9", "10", "11", "13"];
        assert_eq!(describe(&marked), flags("* (5)"));
        assert_eq!(describe(&["1*", "2*"]), flags("* (2)"));
        assert_eq!(describe(&["1*", "high"]), None);
        assert_eq!(describe(&["1*", "2", "3 (p)", "< 5"]), flags("* (2)"));
        assert_eq!(describe(&["5.2 b", "12.1 e", "3.4 p", "7"]), flags("b (1), e (1), p (1)"));
        assert_eq!(describe(&["5.2 bp", "12.1 b", ": c"]), flags("b (2), c (1), p (1)"));
        assert_eq!(describe(&["5.2", "12.1", "3.4 d"]), flags("d (1)"));
        assert_eq!(describe(&["5.2", ":u"]), flags("u (1)"));
        for cells in [
            &["5 m", "6 m"][..],
            &["5 m", "6 m", "7"],
            &["5 d", "6 s"],
            &["5 p", "6 p"],
            &["5 b", "6", "high"],
            &["5 b", "6 km", "7"],
            &["5 b", "6", "7 €", "8 $"],
            &[": c", ": c"],
        ] {
            assert_eq!(describe(cells), None, "{cells:?}");
        }
    }
}
