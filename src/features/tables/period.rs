//! Names of periods, such as `2024`, `Q2`, `KW 14`, `Mrz 24` and `14:30`, also without a year.

use chartroom_charts::date_text;
use chartroom_platform::text;

/// Maximum length of the name of a period in bytes.
const MAX_BYTES: usize = 40;

/// Returns whether a text consists of four digits that are a year from 1900 to 2100.
pub fn is_year(text: &str) -> bool {
    text.len() == 4 && text.parse().is_ok_and(|year: u32| (1900..=2100).contains(&year))
}

/// Returns whether a whole text is a date, year, quarter, week or month, also without a year, or a time
/// of day. False for other text beside it and for texts longer than `MAX_BYTES`.
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
            readings.day_first || readings.month_first || chartroom_charts::is_time_of_day(text)
        }
    }
}
