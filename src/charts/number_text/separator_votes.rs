//! Choice of the notation of the numbers in a column of texts.

use std::borrow::Cow;
use std::cmp::Ordering;

use super::affixes::{find_sign, strip_suffixes};
use super::group_votes::GroupVotes;
use super::units::split_unit;
use super::{
    DecimalSeparator, MAX_BYTES, NumberNotation, SignRule, read_as_json, read_with_millions,
};

/// Counts of the texts of a column by their readings, which tell the decimal separator.
#[derive(Debug, Clone, Default)]
pub struct SeparatorVotes {
    /// Number of texts that are numbers only with a decimal point.
    point: usize,
    /// Number of texts that are numbers only with a decimal comma.
    comma: usize,
    /// Number of texts that are the same number with both.
    same: usize,
    /// Number of texts that are a different number with each.
    different: usize,
    /// The first text that is a different number with each separator.
    ambiguous: Option<String>,
    /// The first unit of measure after a number.
    unit: Option<&'static str>,
    /// Number of texts with a unit that are numbers, with a decimal point and with a comma.
    with_unit: [usize; 2],
    /// Whether a text is no number.
    has_other_texts: bool,
    /// Whether a text has another unit than the first one.
    has_other_units: bool,
    /// Number of texts without a currency, a percent sign or a unit of measure that are numbers,
    /// with a decimal point and with a comma.
    without_sign: [usize; 2],
    /// Currencies and percent signs, with the numbers of texts like `without_sign`.
    signs: Vec<(&'static str, [usize; 2])>,
    /// Whether a number has a magnitude other than `m`, such as `k`.
    has_magnitude: bool,
    /// Numbers with `m` directly after the digits, which are millions beside other magnitudes.
    glued_millions: GluedMillions,
    groups: GroupVotes,
}

/// Counts of texts such as `79.4m`, by their readings as millions. They are no numbers in columns without
/// other magnitudes.
#[derive(Debug, Clone, Default)]
struct GluedMillions {
    point: usize,
    comma: usize,
    same: usize,
    different: usize,
    /// The first text with `m`, also with a space before it.
    first: Option<String>,
}

impl GluedMillions {
    /// Counts a text that is no number otherwise. Returns whether it is a number as millions.
    fn add(&mut self, text: &str) -> bool {
        let readings = [DecimalSeparator::Point, DecimalSeparator::Comma]
            .map(|separator| read_with_millions(text, separator, true));
        match readings {
            [None, None] => return false,
            [Some(one), Some(other)] if one == other => self.same += 1,
            [Some(_), Some(_)] => self.different += 1,
            [Some(_), None] => self.point += 1,
            [None, Some(_)] => self.comma += 1,
        }
        self.first.get_or_insert_with(|| text.to_owned());
        true
    }

    /// Returns the number of texts.
    fn count(&self) -> usize {
        self.point + self.comma + self.same + self.different
    }
}

/// The notation of the numbers in a column of texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ColumnReading {
    /// The separator that most texts need, and the unit.
    pub notation: NumberNotation,
    /// Number of texts that are numbers in this notation.
    pub numbers: usize,
    /// Number of texts that would be numbers, but have another currency or percent sign.
    pub left_out: usize,
    /// A text with two readings, if no text decides between them. The caller then should tell the
    /// user how it was read.
    pub ambiguous: Option<String>,
    /// The first text with `m` for millions, if the column has such texts. The caller should tell the
    /// user how it was read.
    pub millions: Option<String>,
}

impl ColumnReading {
    /// Makes numbers with any currency or percent sign belong to the column, also those that were left
    /// out because their sign differs from that of most.
    pub fn include_all_signs(&mut self) {
        self.notation.sign = SignRule::Any;
        self.numbers += self.left_out;
        self.left_out = 0;
    }
}

/// Properties of a text of a column, whatever the other texts are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TextVote {
    /// Whether the text is a number with a decimal separator.
    pub is_number: bool,
    /// Whether the text ends with a unit of measure.
    pub has_unit: bool,
    /// Currency, `%` or `‰` of the text.
    pub sign: Option<&'static str>,
}

impl SeparatorVotes {
    /// Counts a text of the column, which must have no spaces around it. Returns its properties. A text
    /// that is no number has no vote on the separator, but is remembered as another text.
    pub fn add(&mut self, text: &str) -> TextVote {
        // Most numbers need no separator.
        if !text.is_empty()
            && text.len() <= MAX_BYTES
            && text.bytes().all(|byte| byte.is_ascii_digit())
        {
            self.same += 1;
            self.without_sign.iter_mut().for_each(|count| *count += 1);
            self.groups.add_whole(text);
            return TextVote { is_number: true, ..TextVote::default() };
        }
        let sign = find_sign(text);
        let whole = text;
        let (text, unit) = match split_unit(text) {
            Some((number, unit)) => (number, Some(unit)),
            None => (text, None),
        };
        let readings = [DecimalSeparator::Point, DecimalSeparator::Comma]
            .map(|separator| read_as_json(text, separator));
        if unit.is_some() {
            for (count, reading) in self.with_unit.iter_mut().zip(&readings) {
                *count += usize::from(reading.is_some());
            }
            self.has_other_units |= self.unit.is_some() && self.unit != unit;
            self.unit = self.unit.or(unit);
        } else {
            let counts = self.counts_of_sign(sign);
            for (count, reading) in counts.iter_mut().zip(&readings) {
                *count += usize::from(reading.is_some());
            }
        }
        let is_number = readings.iter().any(Option::is_some);
        self.has_magnitude |= is_number && unit.is_none() && strip_suffixes(text, false).1 > 0;
        if is_number && unit == Some("m") {
            self.glued_millions.first.get_or_insert_with(|| whole.to_owned());
        }
        match readings {
            [Some(one), Some(other)] if one == other => {
                self.same += 1;
                self.groups.add_whole(text);
            }
            [Some(_), Some(_)] => {
                self.different += 1;
                self.groups.add_ambiguous(text);
                self.ambiguous.get_or_insert_with(|| text.to_owned());
            }
            [Some(_), None] => self.point += 1,
            [None, Some(_)] => self.comma += 1,
            [None, None] if self.glued_millions.add(whole) => {}
            [None, None] => self.has_other_texts = true,
        }
        TextVote { is_number, has_unit: unit.is_some(), sign }
    }

    /// Returns the two counts (numbers with a decimal point, numbers with a decimal comma) of texts with
    /// this sign, or of those without a sign if None. Adds a sign that is new, with zeros.
    fn counts_of_sign(&mut self, sign: Option<&'static str>) -> &mut [usize; 2] {
        let Some(sign) = sign else { return &mut self.without_sign };
        let at = self.signs.iter().position(|(known, _)| *known == sign).unwrap_or_else(|| {
            self.signs.push((sign, [0; 2]));
            self.signs.len() - 1
        });
        &mut self.signs[at].1
    }

    /// Returns each sign with the count of texts with it that are numbers with this decimal separator.
    /// Signs without such texts are left out. `‰` counts as `%` if there is `%` too, because it can be
    /// converted.
    fn count_signs(&self, separator: DecimalSeparator) -> Vec<(&'static str, usize)> {
        let index = usize::from(separator == DecimalSeparator::Comma);
        let counts = self.signs.iter().map(|(sign, counts)| (*sign, counts[index]));
        let mut counts: Vec<(&str, usize)> = counts.filter(|(_, count)| *count > 0).collect();
        let position = |sign| counts.iter().position(|(known, _)| *known == sign);
        if let (Some(percent), Some(permille)) = (position("%"), position("‰")) {
            counts[percent].1 += counts[permille].1;
            counts.remove(permille);
        }
        counts
    }

    /// Returns the currency or percent sign that numbers of the column may have, and the number of texts
    /// that are left out because they have another one.
    ///
    /// With at most one sign, any sign is allowed, but only `%` if `%` and `‰` are the only ones. With
    /// several, it is the most frequent one, the first of equally frequent ones. If more numbers have no
    /// sign than that one, none is allowed.
    fn choose_sign(&self, separator: DecimalSeparator) -> (SignRule, usize) {
        let counts = self.count_signs(separator);
        let all: usize = counts.iter().map(|(_, count)| *count).sum();
        let best = counts.iter().rev().max_by_key(|(_, count)| *count);
        let has_permille = self.signs.iter().any(|(sign, _)| *sign == "‰");
        let Some((sign, count)) =
            best.filter(|(sign, _)| counts.len() > 1 || *sign == "%" && has_permille)
        else {
            return (SignRule::Any, 0);
        };
        let without = self.without_sign[usize::from(separator == DecimalSeparator::Comma)];
        match without > *count && counts.len() > 1 {
            true => (SignRule::Without, all),
            false => (SignRule::One(sign), all - count),
        }
    }

    /// Returns the currencies and percent signs of the numbers added so far, each once, in the order of
    /// their first texts. Signs of texts that are no numbers do not count.
    pub fn signs(&self) -> impl Iterator<Item = &'static str> {
        let numbers = self.signs.iter().filter(|(_, counts)| *counts != [0; 2]);
        numbers.map(|(sign, _)| *sign)
    }

    /// Returns whether at least as many numbers have a currency or percent sign as have neither a sign nor
    /// a unit of measure. True without numbers.
    pub fn sign_is_usual(&self) -> bool {
        let with_sign: usize = self.signs.iter().map(|(_, counts)| counts[0].max(counts[1])).sum();
        with_sign >= self.without_sign[0].max(self.without_sign[1])
    }

    /// Returns whether a text is a different number with each separator, such as `1,234`, even if other
    /// texts decide how to read it.
    pub fn has_ambiguous_text(&self) -> bool {
        self.ambiguous.is_some()
    }

    /// Returns whether some texts need a decimal point and others a decimal comma.
    pub fn has_both_separators(&self) -> bool {
        self.point > 0 && self.comma > 0
    }

    /// Returns the decimal separator of most texts with only one reading. None if both separators
    /// have equally many, also if there are no such texts.
    pub fn certain_separator(&self) -> Option<DecimalSeparator> {
        match self.point.cmp(&self.comma) {
            Ordering::Greater => Some(DecimalSeparator::Point),
            Ordering::Less => Some(DecimalSeparator::Comma),
            Ordering::Equal => None,
        }
    }

    /// Returns the decimal separator that follows from whole numbers beside texts with two readings, if no
    /// text has only one reading. In `212; 960; 1.073` and in `655; 12.100`, the point separates thousands.
    /// None if that is not likely, or without such texts.
    pub fn likely_separator(&self) -> Option<DecimalSeparator> {
        let is_undecided = self.point == 0 && self.comma == 0 && !self.has_magnitude;
        self.groups.decimal_separator().filter(|_| is_undecided)
    }

    /// Returns whether a number has a unit of measure. Currencies and percent signs are none.
    pub fn has_units(&self) -> bool {
        self.with_unit.iter().any(|count| *count > 0)
    }

    /// Returns whether texts of the column have different units, so that their numbers cannot be
    /// compared.
    pub fn has_different_units(&self) -> bool {
        self.has_other_units
    }

    /// Returns the counts with texts such as `79.4m` as millions, if other numbers of the column have a
    /// magnitude such as `k`. Metres have none. Otherwise counts these texts as no numbers.
    fn with_millions(&self) -> Cow<'_, Self> {
        let millions = &self.glued_millions;
        let is_meter = self.unit == Some("m") && !self.has_other_units;
        let has_millions = self.has_magnitude && (millions.count() > 0 || is_meter);
        if !has_millions && millions.count() == 0 {
            return Cow::Borrowed(self);
        }
        let mut votes = self.clone();
        if !has_millions {
            votes.has_other_texts = true;
            votes.glued_millions = GluedMillions::default();
            return Cow::Owned(votes);
        }
        if is_meter {
            // Already counted as numbers. Their unit is the magnitude.
            votes.unit = None;
            votes.with_unit = [0; 2];
        }
        votes.point += millions.point;
        votes.comma += millions.comma;
        votes.same += millions.same;
        votes.different += millions.different;
        Cow::Owned(votes)
    }

    /// Chooses the notation of the column and counts its numbers. Texts that can be read in one way only
    /// decide the decimal separator, by majority. Without such texts, or with equally many of both, it is
    /// `default`. If the column has different units of measure, texts with a unit are no numbers.
    /// Neither are texts with a letter as unit beside other texts, because `12 A` may be a house, and
    /// texts with another currency or percent sign than most. The letter `m` stands for millions beside
    /// other magnitudes.
    pub fn decide(&self, default: DecimalSeparator) -> ColumnReading {
        let votes = self.with_millions();
        let has_millions =
            votes.has_magnitude && votes.unit != Some("m") && votes.glued_millions.first.is_some();
        let separator = votes.certain_separator().unwrap_or(default);
        let [with_point, with_comma] = votes.with_unit;
        let (with_separator, with_unit) = match separator {
            DecimalSeparator::Point => (votes.point, with_point),
            DecimalSeparator::Comma => (votes.comma, with_comma),
        };
        let is_letter = votes.unit.is_some_and(|unit| unit.len() == 1);
        let has_units = !(votes.has_other_units || is_letter && votes.has_other_texts);
        let (sign, left_out) = votes.choose_sign(separator);
        let without_numbers = left_out + if has_units { 0 } else { with_unit };
        let numbers = votes.same + votes.different + with_separator;
        let unit = votes.unit.filter(|_| has_units);
        ColumnReading {
            notation: NumberNotation { separator, unit, sign, has_millions },
            numbers: numbers.saturating_sub(without_numbers),
            left_out,
            ambiguous: votes.ambiguous.clone().filter(|_| votes.point == votes.comma),
            millions: votes.glued_millions.first.clone().filter(|_| has_millions),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_with_different_units_are_not_counted_as_numbers() {
        let count = |texts: &[&str]| {
            let mut votes = SeparatorVotes::default();
            for text in texts {
                votes.add(text);
            }
            votes.decide(DecimalSeparator::Point).numbers
        };
        assert_eq!(count(&["3", "4.5", "1.5 kg", "2 m"]), 2);
        // The comma is not the decimal separator, so that its text is not a number.
        assert_eq!(count(&["3", "4.5", "7.5", "1.5 kg", "2,5 m", "3,5 m"]), 3);
        assert_eq!(count(&["1,5 kg", "2.5 m"]), 0);
    }

    #[test]
    fn m_stands_for_millions_beside_other_magnitudes() {
        let read = |texts: &[&str]| -> (Vec<f64>, Option<String>) {
            let mut votes = SeparatorVotes::default();
            texts.iter().for_each(|text| {
                votes.add(text);
            });
            let reading = votes.decide(DecimalSeparator::Point);
            let numbers: Vec<Option<f64>> =
                texts.iter().map(|text| reading.notation.read(text)).collect();
            assert_eq!(numbers.iter().flatten().count(), reading.numbers, "{texts:?}");
            (numbers.into_iter().map(|number| number.unwrap_or(-1.0)).collect(), reading.millions)
        };
        let first = Some("79.4m".to_owned());
        assert_eq!(read(&["79.4m", "1.2bn", "540k"]), (vec![79.4e6, 1.2e9, 540e3], first.clone()));
        assert_eq!(read(&["79.4m", "3 M"]), (vec![79.4e6, 3e6], first));
        assert_eq!(read(&["12 m", "540k"]).0, [12e6, 540e3]);
        // Metres, and a letter without meaning.
        assert_eq!(read(&["12 m", "540 m"]), (vec![12.0, 540.0], None));
        assert_eq!(read(&["79.4m", "12m", "5"]), (vec![-1.0, -1.0, 5.0], None));
        // A currency makes it clear.
        assert_eq!(read(&["€ 1.2m", "$3m", "5m €"]).0, [1.2e6, -1.0, 5e6]);
        assert_eq!(read(&["(£2 m)", "£4"]).0, [-2e6, 4.0]);
    }
}
