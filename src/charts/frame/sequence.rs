//! Sequential category names, such as dates and numbers, of which some may be omitted.

use std::borrow::Cow;

use crate::data;
use crate::date_text;

/// Returns whether all names are numbers or end with a digit (dates, years, numbers, ages such as
/// "95+"), so that readers can infer omitted names from the others. Empty names do not count. False for
/// numbers in no order after the same word, such as "Kunde 14", "Kunde 3", "Kunde 8".
pub fn is_sequence(names: &[Cow<str>]) -> bool {
    let has_number = |name: &str| {
        name.trim_end_matches('+').ends_with(|character: char| character.is_ascii_digit())
            || data::parse_number(name).is_some()
    };
    names.iter().all(|name| name.is_empty() || has_number(name)) && !are_shuffled_numbers(names)
}

/// Returns whether names are whole numbers after the same text, which may be empty, that neither rise nor
/// fall. Empty names do not count.
fn are_shuffled_numbers(names: &[Cow<str>]) -> bool {
    let split = |name: &str| {
        let word = name.trim_end_matches(|c: char| c.is_ascii_digit());
        Some((word.len(), name[word.len()..].parse::<u64>().ok()?))
    };
    let mut filled = names.iter().filter(|name| !name.is_empty());
    let Some(first) = filled.clone().next() else { return false };
    let Some((length, _)) = split(first) else { return false };
    // Dates have digits before the last number.
    let word = &first[..length];
    if word.contains(|c: char| c.is_ascii_digit()) {
        return false;
    }
    let has_word = |name: &Cow<str>| {
        split(name).filter(|(length, _)| name[..*length] == *word).map(|(_, number)| number)
    };
    let Some(numbers) = filled.try_fold(Vec::new(), |mut numbers, name| {
        numbers.push(has_word(name)?);
        Some(numbers)
    }) else {
        return false;
    };
    !numbers.is_sorted() && !numbers.is_sorted_by(|one, two| one >= two)
}

/// Returns whether the names are at least three consecutive months in a language of
/// [`date_text::month_of_name`], so that readers can infer omitted names from the others.
pub fn are_months(names: &[Cow<str>]) -> bool {
    let months: Option<Vec<usize>> =
        names.iter().map(|name| date_text::month_of_name(name)).collect();
    let are_consecutive =
        |months: &[usize]| months.windows(2).all(|pair| pair[0] % 12 + 1 == pair[1]);
    months.is_some_and(|months| months.len() > 2 && are_consecutive(&months))
}

/// Returns the smallest divisor of 12 that is at least `min_interval`, as interval for showing
/// every n-th month. 12 if `min_interval` is larger.
pub fn choose_month_interval(min_interval: usize) -> usize {
    [1, 2, 3, 4, 6].into_iter().find(|interval| *interval >= min_interval).unwrap_or(12)
}

/// Returns an interval of at least `min_interval` for showing every n-th name.
///
/// For names of a cycle (such as quarters or months with their year) it is a divisor or a multiple
/// of the cycle; for other names a common counting interval such as 2, 5 or 10. Names form a cycle
/// if the first word of the first name recurs 2 to 12 names later.
pub fn choose_label_interval(names: &[Cow<str>], min_interval: usize) -> usize {
    let first_word = |index: usize| names.get(index).and_then(|name| name.split(' ').next());
    let cycle = (2..=12)
        .find(|length| first_word(*length).is_some() && first_word(*length) == first_word(0));
    match cycle.filter(|cycle| first_word(*cycle - 1) != first_word(0)) {
        Some(cycle) if min_interval <= cycle => {
            (min_interval..=cycle).find(|divisor| cycle % divisor == 0).unwrap_or(cycle)
        }
        Some(cycle) => cycle * round_up_interval(min_interval.div_ceil(cycle)),
        None => round_up_interval(min_interval),
    }
}

/// Returns an interval of at least `min_interval` for showing every n-th name, and the index of the
/// first name that is shown, at which round numbers are shown if possible.
pub fn choose_round_labels(names: &[Cow<str>], min_interval: usize) -> (usize, usize) {
    let interval = choose_label_interval(names, min_interval);
    (interval, choose_first_label(names, interval))
}

/// Returns the index of the first of every n-th name that is shown. For whole numbers at equal
/// distances it is the first multiple of the distance of shown names, such as 1900 of the years
/// from 1893 on.
///
/// Returns 0 for other names, and if fewer than two names would be shown.
fn choose_first_label(names: &[Cow<str>], interval: usize) -> usize {
    let read = |name: &Cow<str>| name.parse::<u32>().ok().map(i64::from);
    let Some(numbers) = names.iter().map(read).collect::<Option<Vec<i64>>>() else { return 0 };
    let (Some(first), Some(second)) = (numbers.first(), numbers.get(1)) else { return 0 };
    let step = second - first;
    let distance = step.abs() * interval as i64;
    if step == 0 || !numbers.windows(2).all(|pair| pair[1] - pair[0] == step) {
        return 0;
    }
    let is_round = |number: &i64| number % distance == 0;
    let index = numbers.iter().position(is_round).unwrap_or(0);
    if index + interval < names.len() { index } else { 0 }
}

/// Returns the smallest common counting interval that is at least `interval`, or `interval` itself
/// above 100.
fn round_up_interval(interval: usize) -> usize {
    [1, 2, 5, 10, 20, 25, 50, 100]
        .into_iter()
        .find(|candidate| *candidate >= interval)
        .unwrap_or(interval)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn interval(names: &[&str], min_interval: usize) -> usize {
        let names: Vec<Cow<str>> = names.iter().map(|name| Cow::Borrowed(*name)).collect();
        choose_label_interval(&names, min_interval)
    }

    #[test]
    fn quarters_are_shown_per_half_year_or_year() {
        let quarters = ["Q1 23", "Q2 23", "Q3 23", "Q4 23", "Q1 24", "Q2 24", "Q3 24", "Q4 24"];
        assert_eq!(
            [2, 3, 4, 5, 9].map(|min_interval| interval(&quarters, min_interval)),
            [2, 4, 4, 8, 20]
        );
    }

    #[test]
    fn an_open_age_class_belongs_to_the_sequence() {
        let ages = ["0–4", "5–9", "90–94", "95+"].map(Cow::Borrowed);
        assert!(is_sequence(&ages));
        assert!(!is_sequence(&["Laim", "Hadern+"].map(Cow::Borrowed)));
    }

    #[test]
    fn numbers_in_no_order_are_no_sequence() {
        let is_sequence = |names: [&'static str; 4]| is_sequence(&names.map(Cow::Borrowed));
        assert!(!is_sequence(["Kunde 14", "Kunde 26", "Kunde 21", "Kunde 3"]));
        assert!(!is_sequence(["2019", "2024", "2021", ""]), "sorted by value");
        assert!(is_sequence(["Kunde 3", "Kunde 14", "", "Kunde 26"]));
        assert!(is_sequence(["2024", "2023", "2021", "2020"]));
        assert!(is_sequence(["Q1 23", "Q2 23", "Q3 23", "Q1 24"]));
        assert!(is_sequence(["30.12.2023", "31.12.2023", "1.1.2024", "2.1.2024"]));
    }

    #[test]
    fn months_are_consecutive_names() {
        let are_months = |names: &[&str]| {
            let names: Vec<Cow<str>> = names.iter().map(|name| Cow::Borrowed(*name)).collect();
            are_months(&names)
        };
        assert!(are_months(&["November", "Dezember", "Januar", "Februar"]));
        assert!(are_months(&["Jan.", "Feb.", "Mar."]));
        assert!(!are_months(&["July", "March", "May"]), "sorted by value");
        assert!(!are_months(&["Mai", "Juni", "Summe"]));
        assert_eq!([1, 2, 3, 5, 7].map(choose_month_interval), [1, 2, 3, 6, 12]);
    }

    #[test]
    fn years_are_shown_at_round_numbers() {
        let first = |years: &mut dyn Iterator<Item = i32>, interval: usize| {
            let names: Vec<Cow<str>> = years.map(|year| Cow::Owned(year.to_string())).collect();
            names[choose_first_label(&names, interval)].to_string()
        };
        assert_eq!(first(&mut (1893..2021), 10), "1900");
        assert_eq!(first(&mut (1893..2021), 20), "1900");
        assert_eq!(first(&mut (1893..2021).rev(), 10), "2020");
        assert_eq!(first(&mut (1893..2021), 1), "1893");
        assert_eq!(first(&mut (1848..2021).step_by(4), 5), "1860");
        assert_eq!(first(&mut (1901..1911), 5), "1905");
        assert_eq!(first(&mut (1901..1908), 5), "1901", "one label would be too few");
        assert_eq!(first(&mut [1893, 1900, 1910, 1920].into_iter(), 2), "1893", "uneven");
    }

    #[test]
    fn other_names_get_common_counting_intervals() {
        let hours = ["5:00", "6:00", "7:00", "8:00", "9:00", "10:00"];
        assert_eq!(
            [2, 3, 6, 11].map(|min_interval| interval(&hours, min_interval)),
            [2, 5, 10, 20]
        );
        assert_eq!(
            interval(&["Week 1", "Week 2", "Week 3"], 3),
            5,
            "a constant first word is no cycle"
        );
    }
}
