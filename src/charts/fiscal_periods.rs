//! Fiscal years, seasons, halves of a year and fiscal quarters, such as `FY23`, `2023/24`, `H1 2024` and
//! `Q1 FY24`. Calendar dates are in [`crate::date_text`].

/// Maximum length of a name in bytes. Longer texts are no periods.
const MAX_BYTES: usize = 40;
/// Maximum number of digits of a name: those of a part of a year and of two years.
const MAX_DIGITS: usize = 9;
/// First year without a century that belongs to the 1900s.
const FIRST_YEAR_OF_1900S: i64 = 70;
/// Words for fiscal years, in lower case.
const FISCAL_WORDS: [&str; 2] = ["fy", "gj"];
/// Words for halves of a year, in lower case.
const HALF_WORDS: [&str; 4] = ["h", "hj", "halbjahr", "half"];
/// Words for quarters, in lower case.
const QUARTER_WORDS: [&str; 3] = ["q", "quartal", "quarter"];
/// Characters between the two years of a season. `2023.24` is a number.
const SEASON_SEPARATORS: [&str; 4] = ["/", "-", "–", "—"];

/// A fiscal year, a season, a half of a year or a fiscal quarter, with the form of its name.
#[derive(Debug)]
pub struct FiscalPeriod<'a> {
    /// Texts between the numbers, and at both ends.
    texts: Vec<&'a str>,
    /// Number of digits of each number.
    widths: Vec<usize>,
    /// Position of the number of the period in its year. None for whole years.
    part: Option<usize>,
    /// Whether the name has a word for fiscal years.
    pub is_fiscal: bool,
    /// Periods per year: 1, 2 or 4.
    pub per_year: i64,
    /// Number of the period, counted without gaps over all years.
    pub number: i64,
}

impl<'a> FiscalPeriod<'a> {
    /// Parses a fiscal year such as `FY23` and `GJ 2023/24`, a season such as `2023/24`, a half such as
    /// `H1 2024` and `2. Hj. 2024`, or a fiscal quarter such as `Q1 FY24`. None for other texts and for
    /// texts longer than `MAX_BYTES`.
    pub fn parse(name: &'a str) -> Option<FiscalPeriod<'a>> {
        let digit_count = name.bytes().filter(u8::is_ascii_digit).count();
        if name.len() > MAX_BYTES || !(2..=MAX_DIGITS).contains(&digit_count) {
            return None;
        }
        let (texts, numbers) = split_numbers(name);
        let (is_fiscal, per_year) = read_words(&texts)?;
        let read: Option<Vec<i64>> = numbers.iter().map(|digits| digits.parse().ok()).collect();
        let values = read?;
        let is_part = |index: &usize| numbers[*index].len() == 1 && per_year > 1;
        let part = (0..numbers.len()).find(is_part);
        let years: Vec<usize> = (0..numbers.len()).filter(|index| Some(*index) != part).collect();
        let before_year = texts.get(..=*years.first()?)?.concat().to_lowercase();
        // `10 GJ` is an amount of energy.
        if is_fiscal
            && years.len() == 1
            && !FISCAL_WORDS.iter().any(|word| before_year.contains(word))
        {
            return None;
        }
        let is_apart = |next: &&usize| SEASON_SEPARATORS.contains(&texts[**next].trim());
        if years.iter().skip(1).any(|next| !is_apart(&next)) {
            return None;
        }
        let year = read_years(&years, &numbers, is_fiscal)?;
        let in_year = part.map_or(Some(0), |index| {
            (1..=per_year).contains(&values[index]).then(|| values[index] - 1)
        })?;
        let is_named = is_fiscal || per_year == 2 || years.len() == 2;
        (is_named && part.is_some() == (per_year > 1)).then(|| FiscalPeriod {
            widths: numbers.iter().map(|digits| digits.len()).collect(),
            texts,
            part,
            is_fiscal,
            per_year,
            number: year * per_year + in_year,
        })
    }

    /// Returns whether two names differ in nothing but their numbers.
    pub fn has_form_of(&self, other: &FiscalPeriod) -> bool {
        self.texts == other.texts && self.widths == other.widths
    }

    /// Returns the name of another period in the form of this one.
    pub fn name_of(&self, number: i64) -> String {
        let mut name = String::new();
        let mut year = number.div_euclid(self.per_year);
        for (index, text) in self.texts.iter().enumerate() {
            name.push_str(text);
            let Some(width) = self.widths.get(index) else { continue };
            if self.part == Some(index) {
                name.push_str(&(number.rem_euclid(self.per_year) + 1).to_string());
                continue;
            }
            let shown = year.rem_euclid(10_i64.pow(*width as u32));
            name.push_str(&format!("{shown:0width$}"));
            // The second number of a season is the next year.
            year += 1;
        }
        name
    }
}

/// Returns whether the texts between numbers have a word for fiscal years, and the number of periods per
/// year. None if there are other words.
fn read_words(texts: &[&str]) -> Option<(bool, i64)> {
    let words: Vec<String> = texts
        .iter()
        .flat_map(|text| text.split(|letter: char| !letter.is_alphabetic()))
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    let has = |known: &[&str]| words.iter().any(|word| known.contains(&word.as_str()));
    let is_fiscal = has(&FISCAL_WORDS);
    let per_year = match (has(&HALF_WORDS), has(&QUARTER_WORDS)) {
        (true, false) => 2,
        // Quarters of the calendar have a time axis.
        (false, true) if is_fiscal => 4,
        (false, false) => 1,
        _ => return None,
    };
    let known_count = usize::from(is_fiscal) + usize::from(per_year > 1);
    (words.len() == known_count).then_some((is_fiscal, per_year))
}

/// Splits a text into the texts between its numbers, and the numbers.
fn split_numbers(name: &str) -> (Vec<&str>, Vec<&str>) {
    let (mut texts, mut numbers, mut rest) = (Vec::new(), Vec::new(), name);
    loop {
        let start = rest.find(|letter: char| letter.is_ascii_digit()).unwrap_or(rest.len());
        let (text, from_digit) = rest.split_at(start);
        texts.push(text);
        if from_digit.is_empty() {
            return (texts, numbers);
        }
        let is_other = |letter: char| !letter.is_ascii_digit();
        let end = from_digit.find(is_other).unwrap_or(from_digit.len());
        numbers.push(&from_digit[..end]);
        rest = &from_digit[end..];
    }
}

/// Returns the year of one or two numbers, of which the second is the next year. A year has four digits,
/// or two if it is a fiscal one. None for other numbers.
fn read_years(indexes: &[usize], numbers: &[&str], is_fiscal: bool) -> Option<i64> {
    let first = numbers.get(*indexes.first()?)?;
    let value: i64 = first.parse().ok()?;
    let year = match first.len() {
        4 if (1900..=2100).contains(&value) => value,
        2 if is_fiscal && value < FIRST_YEAR_OF_1900S => value + 2000,
        2 if is_fiscal => value + 1900,
        _ => return None,
    };
    match indexes {
        [_] => Some(year),
        [_, next] => {
            let next = numbers.get(*next)?;
            let is_next = [2, 4].contains(&next.len())
                && next.parse() == Ok((year + 1) % 10_i64.pow(next.len() as u32));
            is_next.then_some(year)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns periods per year and number of the period.
    fn read(name: &str) -> Option<(i64, i64)> {
        FiscalPeriod::parse(name).map(|period| (period.per_year, period.number))
    }

    #[test]
    fn fiscal_years_and_seasons_are_read() {
        for name in [
            "FY23",
            "FY 2023",
            "fy2023/24",
            "GJ 2023",
            "2023/24",
            "2023/2024",
            "FY'23",
            "FY’23",
            "2023-24",
            "2023 – 24",
            "2023/24 FY",
        ] {
            assert_eq!(read(name), Some((1, 2023)), "{name}");
        }
        for name in [
            "2023",
            "23/24",
            "2023/25",
            "FY",
            "FYI 23",
            "1/2",
            "FY234",
            "2003/+4",
            "Fy√ß",
            "10 GJ",
            "2023.24",
            "2023 24",
            "FY 2023 10:15:20",
        ] {
            assert_eq!(read(name), None, "{name}");
        }
        assert_eq!([read("FY98"), read("FY00")], [Some((1, 1998)), Some((1, 2000))]);
    }

    #[test]
    fn halves_and_quarters_of_fiscal_years_are_read() {
        for name in ["H1 2024", "2024 H1", "1. Halbjahr 2024", "1. Hj. 2024", "1H 2024", "HJ1 2024"]
        {
            assert_eq!(read(name), Some((2, 2024 * 2)), "{name}");
        }
        for (name, want) in [
            ("Q1 FY24", (4, 2024 * 4)),
            ("FY2024 Q3", (4, 2024 * 4 + 2)),
            ("FY24Q4", (4, 2024 * 4 + 3)),
            ("H2 GJ 2023/24", (2, 2023 * 2 + 1)),
        ] {
            assert_eq!(read(name), Some(want), "{name}");
        }
        for name in
            ["H3 2024", "Q5 FY24", "Q1 24", "Q1", "H3 FY24", "é1 FY24", "Q1 2023/24", "Q1 2024"]
        {
            assert_eq!(read(name), None, "{name}");
        }
    }
}
