//! Names of periods such as `2024`, `Mrz`, `KW 14`, `Q2 2024` and `FY23`, and their order in time.

use crate::date_text;
use crate::date_text::DateOrder;
use crate::fiscal_periods::FiscalPeriod;
use crate::times_of_day;

/// Maximum length of the name of a period in bytes.
const MAX_BYTES: usize = 40;
/// Maximum length in bytes of the name of a period with words before its year, such as `Sales 2024`.
const MAX_BYTES_WITH_WORDS: usize = 60;
/// Minimum number of different periods without a year, because `Dec`, `Jan` may go forward.
const MIN_PERIODS_WITHOUT_YEAR: usize = 3;

/// Position of a period among those of the same form.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct TimeKey {
    /// Form of the text, and the words before a year as in `Sales 2024`.
    pub(crate) form: String,
    /// The period as a text that sorts by time.
    pub(crate) position: String,
    pub(crate) has_year: bool,
}

impl TimeKey {
    /// Returns the key of a date in the notation of ISO 8601. Its length is its precision.
    fn of_date(position: String) -> TimeKey {
        TimeKey { form: format!("{} date", position.len()), position, has_year: true }
    }
}

/// Finds out whether periods go forward or back in time.
#[derive(Debug, Default)]
pub struct TimeOrder {
    last: Option<TimeKey>,
    /// Whether a text is no period or has another form, or the texts go in both directions.
    is_other: bool,
    /// Number of texts that are earlier than the one before them.
    steps: usize,
    /// Number of texts that are later than the one before them.
    forward_steps: usize,
}

/// Returns whether a text consists of four digits that are a year from 1900 to 2100.
pub fn is_year(text: &str) -> bool {
    text.len() == 4 && text.parse().is_ok_and(|year: u32| (1900..=2100).contains(&year))
}

/// Returns whether a whole text is a date, year, fiscal year or part of one, half year, quarter, week or month,
/// also without a year, or a time of day. False for other text beside it and for texts longer than
/// `MAX_BYTES`.
pub fn is_period(text: &str) -> bool {
    if text.len() > MAX_BYTES {
        return false;
    }
    let words = date_text::fold_words(text);
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
                || times_of_day::parse(text).is_some()
                || FiscalPeriod::parse(text).is_some()
        }
    }
}

impl TimeOrder {
    /// Adds the next text. Ignores all further texts after one that is no period or has another form, and
    /// after steps in both directions.
    pub fn add(&mut self, text: &str) {
        if self.is_other {
            return;
        }
        let Some(key) = find_key(text) else {
            self.is_other = true;
            return;
        };
        if let Some(last) = &self.last {
            self.steps += usize::from(last.position > key.position);
            self.forward_steps += usize::from(last.position < key.position);
            self.is_other = last.form != key.form || self.steps > 0 && self.forward_steps > 0;
        }
        self.last = Some(key);
    }

    /// Returns whether all texts are periods of one form that never go forward, with at least one step
    /// back, or two without a year. Equal neighbours are allowed.
    pub fn falls(&self) -> bool {
        let has_year = self.last.as_ref().is_some_and(|last| last.has_year);
        let min_steps = if has_year { 1 } else { MIN_PERIODS_WITHOUT_YEAR - 1 };
        !self.is_other && self.forward_steps == 0 && self.steps >= min_steps
    }

    /// Returns whether all texts are periods of one form in either direction of time. Equal neighbours are
    /// allowed.
    pub fn is_ordered(&self) -> bool {
        !self.is_other && self.last.is_some()
    }
}

/// Returns whether texts are periods of one form that go back in time, such as `2024`, `2023`. Equal
/// neighbours are allowed.
pub fn falls<'a>(texts: impl IntoIterator<Item = &'a str>) -> bool {
    let mut order = TimeOrder::default();
    texts.into_iter().for_each(|text| order.add(text));
    order.falls()
}

/// Returns the index of the latest text that has the form of the first one: a year after the same
/// words, such as `Sales 2024`, or a date of the same precision, such as a month.
///
/// None if the first text has no year or date, or if no other text has its form. Of equally late
/// texts, the last one counts.
pub fn find_latest<'a>(texts: impl IntoIterator<Item = &'a str>) -> Option<usize> {
    let mut keys = texts.into_iter().map(find_key).enumerate();
    let (first, key) = keys.next()?;
    let key = key.filter(|key| key.has_year)?;
    let others = keys.filter_map(|(index, other)| Some((index, other?)));
    let others: Vec<(usize, TimeKey)> =
        others.filter(|(_, other)| other.form == key.form).collect();
    let has_others = !others.is_empty();
    let all = std::iter::once((first, key)).chain(others);
    let latest = all.max_by(|a, b| a.1.cmp(&b.1)).map(|(index, _)| index);
    latest.filter(|_| has_others)
}

/// Returns the form of a period and its position in time. `None` if the text is no period.
pub(crate) fn find_key(text: &str) -> Option<TimeKey> {
    let text = text.trim();
    if text.len() > MAX_BYTES_WITH_WORDS {
        return None;
    }
    if let Some((form, position)) = find_position_in_year(text) {
        return Some(TimeKey { form: form.to_owned(), position, has_year: false });
    }
    let is_date = || date_text::to_iso_date(text, DateOrder::DayMonth);
    // `2011-12` is a month.
    let position = if text.contains('-') { is_date() } else { None };
    if let Some(position) = position {
        return Some(TimeKey::of_date(position));
    }
    if let Some(period) = FiscalPeriod::parse(text) {
        let word = if period.is_fiscal || period.per_year == 1 { "fiscal" } else { "calendar" };
        let form = format!("{word} {}", period.per_year);
        let position = format!("{:06}", period.number);
        return Some(TimeKey { form, position, has_year: true });
    }
    let (before, last) = text.rsplit_once(char::is_whitespace).unwrap_or(("", text));
    if is_year(last) && (before.is_empty() || !is_period(text)) {
        let form = format!("{before} year");
        return Some(TimeKey { form, position: last.to_owned(), has_year: true });
    }
    is_date().map(TimeKey::of_date)
}

/// Returns the form of a month, quarter or week without a year, and its position as a text that sorts
/// by time within this form. `None` for other texts.
fn find_position_in_year(text: &str) -> Option<(&'static str, String)> {
    if let Some(month) = date_text::month_of_name(text) {
        return Some(("month", format!("{month:02}")));
    }
    let words = date_text::fold_words(text);
    match words.as_slice() {
        [quarter] if quarter.len() == 2 && is_period(quarter) => Some(("quarter", quarter.clone())),
        [week, number] if matches!(week.as_str(), "kw" | "week" | "woche" | "cw") => {
            let number: u32 = number.parse().ok()?;
            Some(("week", format!("{number:02}")))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fiscal_years_and_their_parts_are_periods() {
        for text in ["FY23", "2023/24", "FY'23", "H1 2024", "1. Hj. 2024", "Q1 FY24", "FY24Q4"] {
            assert!(is_period(text), "{text}");
        }
        for text in ["23/24", "FYI 23", "10 GJ", "Q1 24 items", "2023.24"] {
            assert!(!is_period(text), "{text}");
        }
    }

    #[test]
    fn periods_that_go_back_in_time_are_recognized() {
        for text in [
            "2024;2023;2022",
            "2024;2023",
            "Mär;Feb;Jan",
            "Q4;Q3;Q2",
            "KW 14;KW 13;KW 9",
            "Umsatz 2023;Umsatz 2022",
            "März 2024;Februar 2024",
            "Q2 2024;Q1 2024;Q4 2023",
            "2024;2024;2023;2023",
        ] {
            assert!(falls(text.split(';')), "{text}");
        }
        for text in [
            "2022;2023;2024",
            "Dez;Jan",
            "Nov;Dez;Jan",
            "2024",
            "2024;2024",
            "Umsatz 2023;Kosten 2022",
            "B;A",
            "Q1;Mar;Jan",
            "KW 14;Feb;Jan",
            "2024;2022;2023",
            "",
        ] {
            assert!(!falls(text.split(';')), "{text}");
        }
    }

    #[test]
    fn the_latest_period_of_the_first_form_is_found() {
        for texts in [
            ["FY23", "FY24"],
            ["GJ 2023", "GJ 2024"],
            ["2023/24", "2024/25"],
            ["H2 2023", "H1 2024"],
            ["Q4 FY23", "Q1 FY24"],
            ["FY24 H1", "FY24 H2"],
        ] {
            assert_eq!(find_latest(texts), Some(1), "{texts:?}");
            assert!(falls(texts.into_iter().rev()), "{texts:?}");
        }
        let latest = |texts: &str| find_latest(texts.split(';'));
        assert_eq!(latest("2019;2020;2021"), Some(2));
        assert_eq!(latest("2021;2020;Fläche"), Some(0));
        assert_eq!(latest("Bevölkerung 2020;Bevölkerung 2023;Fläche 2024"), Some(1));
        assert_eq!(latest("Fläche;2020;2021"), None);
        assert_eq!(latest("2020"), None);
        assert_eq!(latest("Jan;Feb;Mär"), None);
    }
}
