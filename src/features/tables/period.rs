//! Names of periods, such as `2024`, `Q2`, `KW 14`, `Mrz 24` and `14:30`, also without a year.

use chartroom_charts::date_text;
use chartroom_platform::text;

/// Maximum length of the name of a period in bytes.
const MAX_BYTES: usize = 40;

/// Returns whether a text consists of four digits that are a year from 1900 to 2100.
pub fn is_year(text: &str) -> bool {
    text.len() == 4 && text.parse().is_ok_and(|year: u32| (1900..=2100).contains(&year))
}

/// First year without a century that belongs to the 1900s.
const FIRST_YEAR_OF_1900S: u32 = 70;

/// Returns the year in which a fiscal year or a season begins, such as 2023 for `FY23`, `GJ 2023`, `FY2023/24`
/// and `2023/24`. None for other texts, also for a calendar year.
pub fn fiscal_year(text: &str) -> Option<u32> {
    let text = text.trim();
    let prefix = text.get(..2).filter(|start| ["fy", "gj"].contains(&&*start.to_lowercase()));
    let rest = prefix.map_or(text, |_| text[2..].trim_start_matches([' ', '\u{a0}', '\'', '’']));
    let (first, second) =
        rest.split_once('/').map_or((rest, None), |(first, second)| (first, Some(second)));
    let read = |digits: &str| match digits.len() {
        4 if is_year(digits) => digits.parse::<u32>().ok(),
        2 if prefix.is_some() && digits.bytes().all(|byte| byte.is_ascii_digit()) => {
            // As people read two digits: 98 is 1998.
            let century = |year| if year < FIRST_YEAR_OF_1900S { 2000 } else { 1900 };
            digits.parse::<u32>().ok().map(|year| century(year) + year)
        }
        _ => None,
    };
    let year = read(first)?;
    let is_next = |second: &str| {
        [2, 4].contains(&second.len())
            && second.bytes().all(|byte| byte.is_ascii_digit())
            && second.parse() == Ok((year + 1) % 10_u32.pow(second.len() as u32))
    };
    match second {
        Some(second) => is_next(second).then_some(year),
        None => prefix.map(|_| year),
    }
}

/// Returns the year and the number of a half of a year, such as `H1 2024` or `2. Hj. 2024`. None for other
/// texts.
pub fn half_year(text: &str) -> Option<(u32, u32)> {
    let words = text::fold_words(text);
    let year = |word: &String| word.parse::<u32>().ok().filter(|_| is_year(word));
    let half = |word: &str| match word {
        "h1" | "hj1" => Some(1),
        "h2" | "hj2" => Some(2),
        _ => None,
    };
    match words.as_slice() {
        [first, second] => {
            let (half, year) =
                half(first).zip(year(second)).or_else(|| half(second).zip(year(first)))?;
            Some((year, half))
        }
        [number, word, last] if ["hj", "halbjahr"].contains(&word.as_str()) => {
            let half = number.parse().ok().filter(|half| (1..=2).contains(half))?;
            Some((year(last)?, half))
        }
        _ => None,
    }
}

/// Returns the fiscal year and the number of its half or quarter, with the number of parts of the year, such
/// as `(2024, 1, 4)` for `Q1 FY24` and `FY24Q1`. None for other texts.
pub fn fiscal_part(text: &str) -> Option<(u32, u32, u32)> {
    let read = |part: &str, year: &str| {
        let number = part.get(1..)?.parse().ok()?;
        let per_year = match part.get(..1)?.to_lowercase().as_str() {
            "q" => 4,
            "h" => 2,
            _ => return None,
        };
        let year =
            fiscal_year(year).filter(|_| !year.trim().starts_with(|c: char| c.is_ascii_digit()))?;
        (1..=per_year).contains(&number).then_some((year, number, per_year))
    };
    let text = text.trim();
    let first = text.split_at_checked(2).and_then(|(part, year)| read(part, year));
    let last = text.len().checked_sub(2).and_then(|at| text.split_at_checked(at));
    first.or_else(|| last.and_then(|(year, part)| read(part, year)))
}

/// Returns whether a whole text is a date, year, fiscal year or part of one, half year, quarter, week or month, also without a
/// year, or a time of day. False for other text beside it and for texts longer than `MAX_BYTES`.
pub fn is_period(text: &str) -> bool {
    if text.len() > MAX_BYTES {
        return false;
    }
    let words = text::fold_words(text);
    let is_quarter = |word: &str| matches!(word, "q1" | "q2" | "q3" | "q4");
    match words.as_slice() {
        [word] if is_quarter(word) || date_text::is_month_name(word) => true,
        [week, number] if matches!(week.as_str(), "kw" | "week" | "woche" | "cw") => {
            number.parse().is_ok_and(|week: u32| (1..=53).contains(&week))
        }
        [word] if word.bytes().all(|byte| byte.is_ascii_digit()) => is_year(word),
        _ => {
            let readings = date_text::read_date(text);
            readings.day_first
                || readings.month_first
                || chartroom_charts::is_time_of_day(text)
                || fiscal_year(text).is_some()
                || half_year(text).is_some()
                || fiscal_part(text).is_some()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fiscal_years_and_half_years_are_periods() {
        for text in ["FY23", "FY 2023", "fy2023/24", "GJ 2023", "2023/24", "2023/2024", "FY'23"] {
            assert_eq!(fiscal_year(text), Some(2023), "{text}");
            assert!(is_period(text), "{text}");
        }
        for text in ["2023", "23/24", "2023/25", "FY", "FYI 23", "1/2", "FY234", "2003/+4", "Fy√ß"]
        {
            assert_eq!(fiscal_year(text), None, "{text}");
        }
        assert_eq!([fiscal_year("FY98"), fiscal_year("FY00")], [Some(1998), Some(2000)]);
        for text in ["H1 2024", "2024 H1", "1. Halbjahr 2024", "1. Hj. 2024"] {
            assert_eq!(half_year(text), Some((2024, 1)), "{text}");
        }
        assert_eq!(half_year("H3 2024"), None);
    }

    #[test]
    fn quarters_and_halves_of_fiscal_years_are_periods() {
        for (text, want) in [
            ("Q1 FY24", (2024, 1, 4)),
            ("FY2024 Q3", (2024, 3, 4)),
            ("FY24Q4", (2024, 4, 4)),
            ("H2 GJ 2023/24", (2023, 2, 2)),
        ] {
            assert_eq!(fiscal_part(text), Some(want), "{text}");
            assert!(is_period(text), "{text}");
        }
        for text in ["Q5 FY24", "Q1 24", "Q1", "FY24", "H3 FY24", "é1 FY24", "Q1 2023/24"] {
            assert_eq!(fiscal_part(text), None, "{text}");
        }
    }
}
