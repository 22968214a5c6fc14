//! Order in time of periods such as `2024`, `Mrz` and `Q2 2024`.

use std::collections::HashMap;

use chartroom_charts::date_text;
use chartroom_charts::date_text::DateOrder;
use chartroom_platform::text;

use super::period;

/// Maximum length of the name of a period in bytes.
const MAX_BYTES: usize = 60;
/// Minimum number of different periods without a year, because `Dec`, `Jan` may go forward.
const MIN_PERIODS_WITHOUT_YEAR: usize = 3;

/// Position of a period among those of the same form.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct TimeKey {
    /// Form of the text, and the words before a year as in `Sales 2024`.
    form: String,
    /// The period as a text that sorts by time.
    position: String,
    has_year: bool,
}

/// Finds out whether periods go forward or back in time.
#[derive(Debug, Default)]
pub(super) struct TimeOrder {
    last: Option<TimeKey>,
    /// Whether a text is no period or has another form, or the texts go in both directions.
    is_other: bool,
    /// Number of texts that are earlier than the one before them.
    steps: usize,
    /// Number of texts that are later than the one before them.
    forward_steps: usize,
}

impl TimeOrder {
    /// Adds the next text. Ignores all further texts after one that is no period or has another form, and
    /// after steps in both directions.
    pub(super) fn add(&mut self, text: &str) {
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
    pub(super) fn falls(&self) -> bool {
        let has_year = self.last.as_ref().is_some_and(|last| last.has_year);
        let min_steps = if has_year { 1 } else { MIN_PERIODS_WITHOUT_YEAR - 1 };
        !self.is_other && self.forward_steps == 0 && self.steps >= min_steps
    }

    /// Returns whether all texts are periods of one form in either direction of time. Equal neighbours are
    /// allowed.
    pub(super) fn is_ordered(&self) -> bool {
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

/// Returns the indexes of different periods of one form in the order of time, for records with these pairs of
/// group and index. None for other texts, and unless the periods of each group go forward, with at least
/// two in one of them. Periods without a year must be the same at the start of each group, because a group
/// that starts in January may follow one that ends in December.
pub fn order_of_groups(texts: &[&str], records: &[(usize, usize)]) -> Option<Vec<usize>> {
    let keys: Vec<TimeKey> = texts.iter().map(|text| find_key(text)).collect::<Option<_>>()?;
    let first = keys.first()?;
    let mut last_of: HashMap<usize, &TimeKey> = HashMap::new();
    let mut has_steps = false;
    for (group, index) in records {
        let key = keys.get(*index).filter(|key| key.form == first.form)?;
        // Indexes are in the order of the first records.
        let may_start = key.has_year || *index == 0;
        let last = last_of.insert(*group, key);
        has_steps |= last.is_some_and(|last| last.position < key.position);
        if last.map_or(!may_start, |last| last.position > key.position) {
            return None;
        }
    }
    let mut order: Vec<usize> = (0..texts.len()).collect();
    order.sort_by(|one, two| keys[*one].cmp(&keys[*two]));
    has_steps.then_some(order)
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
fn find_key(text: &str) -> Option<TimeKey> {
    let text = text.trim();
    if text.len() > MAX_BYTES {
        return None;
    }
    if let Some((form, position)) = find_position_in_year(text) {
        return Some(TimeKey { form: form.to_owned(), position, has_year: false });
    }
    if let Some((year, half)) = period::half_year(text) {
        let position = format!("{year}-{half}");
        return Some(TimeKey { form: "half year".to_owned(), position, has_year: true });
    }
    if let Some((year, number, per_year)) = period::fiscal_part(text) {
        let (form, position) = (format!("fiscal part {per_year}"), format!("{year}-{number}"));
        return Some(TimeKey { form, position, has_year: true });
    }
    if let Some(year) = period::fiscal_year(text) {
        let (form, position) = ("fiscal year".to_owned(), year.to_string());
        return Some(TimeKey { form, position, has_year: true });
    }
    let (before, last) = text.rsplit_once(char::is_whitespace).unwrap_or(("", text));
    if period::is_year(last) && (before.is_empty() || !period::is_period(text)) {
        let form = format!("{before} year");
        return Some(TimeKey { form, position: last.to_owned(), has_year: true });
    }
    let position = date_text::to_iso_date(text, DateOrder::DayMonth)?;
    Some(TimeKey { form: format!("{} date", position.len()), position, has_year: true })
}

/// Returns the form of a month, quarter or week without a year, and its position as a text that sorts
/// by time within this form. `None` for other texts.
fn find_position_in_year(text: &str) -> Option<(&'static str, String)> {
    if let Some(month) = date_text::month_of_name(text) {
        return Some(("month", format!("{month:02}")));
    }
    let words = text::fold_words(text);
    match words.as_slice() {
        [quarter] if quarter.len() == 2 && period::is_period(quarter) => {
            Some(("quarter", quarter.clone()))
        }
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
