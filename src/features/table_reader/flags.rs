//! Flags of Eurostat beside the numbers of a column, such as `b` (break in the series) in `5.2 b`.

use chartroom_charts::number_text;
use chartroom_charts::number_text::DecimalSeparator;
use chartroom_charts::number_text::SeparatorVotes;

/// Letters of the flags, see <https://ec.europa.eu/eurostat/data/database/information>.
const LETTERS: [char; 14] = ['b', 'c', 'd', 'e', 'f', 'i', 'm', 'n', 'p', 'r', 's', 't', 'u', 'z'];
/// Maximum number of flags of a number.
const MAX_FLAGS: usize = 3;

/// Splits a text into a number, or a colon that stands for a missing value, and the flags after it.
/// A number has a space before its flags, which is dropped. None if there are no flags, more than
/// `MAX_FLAGS`, equal ones, or the unit `ms`.
pub(super) fn split_flags(text: &str) -> Option<(&str, &str)> {
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
        }
    }

    /// Adds a text without flags.
    pub fn add_number(&mut self, text: &str) {
        self.votes.add(text);
    }

    /// Adds a text with flags: its number or colon, and its flags. A colon counts as a missing
    /// value.
    fn add_flagged(&mut self, value: &str, flags: &str) {
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
        let is_common = self.numbers > 0 && plain == 0 && !self.has_different;
        let are_units = self.numbers == self.units && plain <= self.units;
        (is_numeric && !is_common && !are_units).then_some(&self.votes)
    }

    /// Returns the flag letters in alphabetical order, each with the number of texts that have it,
    /// such as `b (3), p (1)`. Numbers and missing values count. Empty if no text has flags. Does
    /// not check whether the letters are flags, see `readings`.
    pub fn describe(&self) -> String {
        let counts = LETTERS.iter().zip(self.counts).filter(|(_, count)| *count > 0);
        let parts: Vec<String> =
            counts.map(|(letter, count)| format!("{letter} ({count})")).collect();
        parts.join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn letters_are_flags_if_all_cells_are_numbers_and_the_letters_are_no_unit() {
        let describe = |cells: &[&str]| {
            let (mut check, mut votes) = (None, SeparatorVotes::default());
            for cell in cells {
                FlagCheck::add_text(&mut check, &votes, cell);
                votes.add(cell);
            }
            let check = check.unwrap();
            check.readings(cells.len()).map(|_| check.describe())
        };
        let flags = |text: &str| Some(text.to_owned());
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
