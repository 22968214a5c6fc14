//! Quarters, weeks and months with a number, as words of a text.

use super::{parse_digits, parse_year};
use crate::date_words::{is_quarter_word, is_week_word};
use crate::format::date;

/// Converts the folded words of a quarter, a week or a month with a number and a year, such as
/// `Q2 2024`, `2023Q4`, `4. Quartal 2023`, `KW14/2024` and `2023M09`. Returns a quarter as
/// `2024-Q2`, a week as the date of its Monday and a month as `2023-09`. None for other words.
///
/// The year has four digits beside words of one letter, except `Q`, because `W 12 30` may be a
/// size.
pub(super) fn parse_period(words: &[&str]) -> Option<String> {
    let parts: Vec<&str> = words.iter().flat_map(|word| split_digits(word)).collect();
    // `第1季度` and `4º trimestre` have the sign of an ordinal number.
    let parts: Vec<&str> = parts.into_iter().filter(|part| !["第", "o"].contains(part)).collect();
    let [first, second, third] = parts.as_slice() else { return None };
    let is_word = |part: &str| part.starts_with(char::is_alphabetic);
    let (word, number, year) = match (is_word(first), is_word(second), is_word(third)) {
        (true, false, false) => (*first, *second, *third),
        (false, true, false) if first.len() == 4 || third.len() < 2 => (*second, *third, *first),
        (false, true, false) => (*second, *first, *third),
        (false, false, true) if first.len() == 4 => (*third, *second, *first),
        _ => return None,
    };
    if word.len() == 1 && word != "q" && year.len() != 4 {
        return None;
    }
    let (year, number) = (parse_year(year)?, parse_digits(number, 2)?);
    if is_week_word(word) {
        return iso_week(year, number);
    }
    let is_quarter = is_quarter_word(word) && (1..=4).contains(&number);
    let is_month = word == "m" && third.len() <= 2 && (1..=12).contains(&number);
    match (is_quarter, is_month) {
        (true, _) => Some(format!("{year:04}-Q{number}")),
        (_, true) => Some(format!("{year:04}-{number:02}")),
        _ => None,
    }
}

/// Splits a word between digits and letters: `2023q4` becomes `2023`, `q`, `4`.
pub(super) fn split_digits(word: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut rest = word;
    while let Some(first) = rest.chars().next() {
        let is_digit = first.is_ascii_digit();
        let end = rest.find(|letter: char| letter.is_ascii_digit() != is_digit);
        let (part, after) = rest.split_at(end.unwrap_or(rest.len()));
        parts.push(part);
        rest = after;
    }
    parts
}

/// Returns the date of the Monday of a week of ISO 8601, such as `2024-04-01`. `None` unless the
/// week is 1 to 53. Week 53 of a year with 52 weeks is the first week of the next year.
fn iso_week(year: i32, week: i32) -> Option<String> {
    (1..=53).contains(&week).then_some(())?;
    // 4 January is in the first week. 1970-01-01 is a Thursday.
    let fourth = date::days_from_civil(year, 1, 4);
    let monday = fourth - (fourth + 3).rem_euclid(7) + i64::from(week - 1) * 7;
    let civil = date::to_civil(monday as f64 * date::DAY_SECONDS);
    Some(format!("{:04}-{:02}-{:02}", civil.year, civil.month, civil.day))
}
