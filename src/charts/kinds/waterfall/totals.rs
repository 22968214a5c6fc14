//! The records of a waterfall chart that are totals.

use crate::Chart;
use crate::data;
use crate::running_total::RunningTotal;

/// Minimum number of letters of a word that two names of totals share.
const MIN_WORD_CHARS: usize = 3;

/// Returns for each record whether it is a total: `isTotal` is true, or, if no record has that field,
/// the value repeats the level before it. The latter counts only if the last value is such a total.
///
/// If the last record is a total, the first one is, too, if its name shares a word with that of the last
/// one. `isTotal` of the first record takes precedence. A table gets the field only in its totals.
pub(super) fn find_totals(chart: &Chart) -> Vec<bool> {
    let has_flags = chart.data.iter().any(|record| !record["isTotal"].is_null());
    let mut totals: Vec<bool> = if has_flags {
        chart.data.iter().map(|record| data::is_true(&record["isTotal"])).collect()
    } else {
        find_repeated_levels(chart)
    };
    if let ([first, .., last], [is_total, .., true]) = (chart.data, &mut *totals)
        && first["isTotal"].is_null()
    {
        *is_total |= name_the_same(&data::record_label(first), &data::record_label(last));
    }
    totals
}

/// Returns for each record whether its value repeats the level before it. False for all records unless
/// the last one does.
fn find_repeated_levels(chart: &Chart) -> Vec<bool> {
    let mut total = RunningTotal::default();
    let values = chart.data.iter().map(|record| data::number(&record["value"]));
    let totals: Vec<bool> =
        values.map(|value| value.is_some_and(|value| total.add(value))).collect();
    if total.ends_with_total() { totals } else { vec![false; totals.len()] }
}

/// Returns whether two names have the same first or the same last word of at least `MIN_WORD_CHARS`
/// letters, such as `Revenue 2023` and `Revenue 2024`, or `Opening balance` and `Closing balance`.
fn name_the_same(first: &str, last: &str) -> bool {
    let (first, last) = (first.to_lowercase(), last.to_lowercase());
    let words = |name: &'_ str| -> Vec<String> {
        name.split(|letter: char| !letter.is_alphabetic())
            .filter(|word| !word.is_empty())
            .map(str::to_owned)
            .collect()
    };
    let (first, last) = (words(&first), words(&last));
    let is_same = |one: Option<&String>, two: Option<&String>| {
        one == two && one.is_some_and(|word| word.chars().count() >= MIN_WORD_CHARS)
    };
    is_same(first.first(), last.first()) || is_same(first.last(), last.last())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::KIND;
    use super::*;

    #[test]
    fn the_first_record_is_a_total_if_the_last_one_measures_the_same() {
        let draw = |first: &str, last: &str| -> bool {
            let data = [(first, 1200), ("Price", 120), ("Costs", -60), (last, 1260)]
                .map(|(label, value)| json!({"label": label, "value": value}));
            let scene = crate::draw(&Chart::new(&KIND, &data));
            scene.text_boxes().any(|(text, _)| text == "+1,200")
        };
        assert!(!draw("Revenue 2023", "Revenue 2024"));
        assert!(!draw("Opening balance", "Closing balance"));
        assert!(draw("Revenue", "Profit"));
    }

    #[test]
    fn the_first_record_is_a_total_also_if_only_the_last_one_has_a_flag() {
        let draw = |start: Value| -> bool {
            let data = [
                json!({"label": "Result 2023", "value": 1200, "isTotal": start}),
                json!({"label": "Costs", "value": -60}),
                json!({"label": "Result 2024", "value": 1140, "isTotal": true}),
            ];
            let scene = crate::draw(&Chart::new(&KIND, &data));
            scene.text_boxes().any(|(text, _)| text == "+1,200")
        };
        assert!(!draw(Value::Null));
        assert!(draw(json!(false)));
    }
}
