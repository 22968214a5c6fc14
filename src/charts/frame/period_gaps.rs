//! Missing periods between categories that are fiscal years, seasons, halves of a year or fiscal
//! quarters, such as `FY23` between `FY22` and `FY24`. Calendar dates have a time axis instead.

use std::borrow::Cow;

/// First year without a century that belongs to the 1900s.
const FIRST_YEAR_OF_1900S: i64 = 70;
/// Words for fiscal years, in lower case.
const FISCAL_WORDS: [&str; 2] = ["fy", "gj"];
/// Words for halves of a year, in lower case.
const HALF_WORDS: [&str; 4] = ["h", "hj", "halbjahr", "half"];
/// Words for quarters, in lower case.
const QUARTER_WORDS: [&str; 3] = ["q", "quartal", "quarter"];

/// A name of a period.
struct Period<'a> {
    /// Texts between the numbers, and at both ends.
    texts: Vec<&'a str>,
    /// Number of digits of each number.
    widths: Vec<usize>,
    /// Position of the number of the period in its year. None for whole years.
    part: Option<usize>,
    /// Periods per year: 1, 2 or 4.
    per_year: i64,
    /// Number of the period, counted without gaps over all years.
    number: i64,
}

/// Inserts a name without a record for each missing period between periods in ascending order, so that
/// lines end before it. The row of such a name is `blank_row`.
///
/// Changes nothing unless all names that are not blank are periods of the same form, at least half of the
/// steps between them go to the next period, and fewer periods are missing than there are.
pub fn insert_missing_periods(
    rows: &mut Vec<usize>,
    names: &mut Vec<Cow<'_, str>>,
    blank_row: usize,
) {
    let Some(missing) = find_missing(names) else { return };
    // From the end, so that the positions before stay the same.
    for (position, inserted) in missing.into_iter().rev() {
        rows.splice(position..position, inserted.iter().map(|_| blank_row));
        names.splice(position..position, inserted.into_iter().map(Cow::Owned));
    }
}

/// Returns the names of the missing periods before the names at these positions.
fn find_missing(names: &[Cow<str>]) -> Option<Vec<(usize, Vec<String>)>> {
    let named = names.iter().enumerate().filter(|(_, name)| !name.trim().is_empty());
    let (positions, named): (Vec<usize>, Vec<&Cow<str>>) = named.unzip();
    let periods: Vec<Period> =
        named.iter().map(|name| Period::parse(name)).collect::<Option<_>>()?;
    let (first, last) = (periods.first()?, periods.last()?);
    let is_same = |period: &Period| period.texts == first.texts && period.widths == first.widths;
    let steps: Vec<i64> = periods.windows(2).map(|pair| pair[1].number - pair[0].number).collect();
    let next_count = steps.iter().filter(|step| **step == 1).count();
    let missing_count = last.number.checked_sub(first.number)? - steps.len() as i64;
    let has_gaps = periods.iter().all(is_same)
        && steps.iter().all(|step| *step > 0)
        && next_count * 2 >= steps.len()
        && (1..periods.len() as i64).contains(&missing_count);
    let gaps = periods.windows(2).zip(positions.into_iter().skip(1)).map(|(pair, position)| {
        let between = (pair[0].number + 1)..pair[1].number;
        (position, between.map(|number| pair[0].name_of(number)).collect())
    });
    has_gaps.then(|| gaps.collect())
}

impl<'a> Period<'a> {
    /// Parses a fiscal year such as `FY23` and `GJ 2023/24`, a season such as `2023/24`, a half such as
    /// `H1 2024`, or a fiscal quarter such as `Q1 FY24`. None for other texts.
    fn parse(name: &'a str) -> Option<Period<'a>> {
        let (texts, numbers) = split_numbers(name);
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
        if words.len() != usize::from(is_fiscal) + usize::from(per_year > 1) {
            return None;
        }
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
        let year = read_years(&years, &numbers, is_fiscal)?;
        let in_year = part.map_or(Some(0), |index| {
            (1..=per_year).contains(&values[index]).then(|| values[index] - 1)
        })?;
        let is_named = is_fiscal || per_year == 2 || years.len() == 2;
        (is_named && part.is_some() == (per_year > 1)).then(|| Period {
            widths: numbers.iter().map(|digits| digits.len()).collect(),
            texts,
            part,
            per_year,
            number: year * per_year + in_year,
        })
    }

    /// Returns the name of another period in the form of this one.
    fn name_of(&self, number: i64) -> String {
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
        4 if (1900..2100).contains(&value) => value,
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

    /// Returns the names after the insertion, separated by commas. Inserted ones have a question mark.
    fn insert(names: &str) -> String {
        let mut names: Vec<Cow<str>> = names.split(", ").map(Cow::Borrowed).collect();
        let mut rows: Vec<usize> = (0..names.len()).collect();
        insert_missing_periods(&mut rows, &mut names, usize::MAX);
        let mark = |row: &usize| if *row == usize::MAX { "?" } else { "" };
        let marked = rows.iter().zip(&names).map(|(row, name)| format!("{name}{}", mark(row)));
        marked.collect::<Vec<String>>().join(", ")
    }

    #[test]
    fn missing_periods_are_inserted_in_the_form_of_their_neighbors() {
        for (names, want) in [
            ("FY21, FY22, FY24", "FY21, FY22, FY23?, FY24"),
            ("FY98, FY99, FY01", "FY98, FY99, FY00?, FY01"),
            ("GJ 2019, GJ 2020, GJ 2023", "GJ 2019, GJ 2020, GJ 2021?, GJ 2022?, GJ 2023"),
            ("2019/20, 2020/21, 2022/23", "2019/20, 2020/21, 2021/22?, 2022/23"),
            ("FY2023/24, FY2024/25, FY2026/27", "FY2023/24, FY2024/25, FY2025/26?, FY2026/27"),
            ("H1 2022, H2 2022, H2 2023", "H1 2022, H2 2022, H1 2023?, H2 2023"),
            ("2022 H2, 2023 H1, 2024 H1", "2022 H2, 2023 H1, 2023 H2?, 2024 H1"),
            (
                "2022/23 FY, 2023/24 FY, 2025/26 FY",
                "2022/23 FY, 2023/24 FY, 2024/25 FY?, 2025/26 FY",
            ),
            ("FY21, FY22, , FY24, ", "FY21, FY22, , FY23?, FY24, "),
            ("Q3 FY23, Q4 FY23, Q2 FY24", "Q3 FY23, Q4 FY23, Q1 FY24?, Q2 FY24"),
        ] {
            assert_eq!(insert(names), want);
        }
    }

    #[test]
    fn other_names_and_complete_or_irregular_periods_stay() {
        for names in [
            "FY21, FY22, FY23",
            "FY15, FY18, FY22",
            "FY22, FY24, FY23",
            "FY24, FY23, FY21",
            "FY21, FY22, GJ24",
            "FY21, FY22, Total",
            "2019/20, 2021/22, 2023/24",
            "Q1 2022, Q2 2022, Q4 2022",
            "H1 2022, H2 2022, H4 2022",
            "A1, A2, A4",
            "10 GJ, 11 GJ, 13 GJ",
            "1/2, 2/3, 4/5",
            "Team 2021, Team 2022, Team 2024",
            "",
        ] {
            assert_eq!(insert(names), names);
        }
    }
}
