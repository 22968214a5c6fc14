//! Days of a calendar heat map: the records of each day, combined into one value.

use std::collections::BTreeMap;

use crate::Chart;
use crate::Scene;
use crate::data;
use crate::format::date::DAY_SECONDS;
use crate::format::{Omission, Term};

/// A day with a value.
pub struct Day {
    /// Value of the day, combined from its records.
    pub value: f64,
    /// Index of the first record of the day.
    pub row: usize,
    /// Indexes of its other records.
    pub other_rows: Vec<usize>,
    /// Label of the first record that has one. Empty without a label.
    pub label: String,
}

/// All days with a value.
pub struct Days {
    /// Days by their number since 1970-01-01.
    pub by_number: BTreeMap<i64, Day>,
    /// Rule that combined the records of a day. None if no day has several records.
    pub combination: Option<Term>,
}

/// Reads the records and combines those of the same day by the setting `aggregate` (sum unless
/// set), with a warning. The date is in the field `date`, else in `label`, which then is no label.
///
/// The scene counts records without a date or without a value.
pub fn read(chart: &Chart, scene: &mut Scene) -> Days {
    let mut by_number: BTreeMap<i64, Day> = BTreeMap::new();
    let (term, rule) = match chart.str_setting("aggregate") {
        "mean" => (Term::DailyMean, "mean"),
        "max" => (Term::DailyMaximum, "maximum"),
        _ => (Term::DailySum, "sum"),
    };
    let (mut undated, mut without_value) = (0, 0);
    let mut has_repeated_days = false;
    for (row, record) in chart.data.iter().enumerate() {
        let name = data::field(record, "label");
        let date = data::timestamp(data::field(record, "date"));
        let label =
            if date.is_some() { data::display_text(name).into_owned() } else { String::new() };
        let Some(seconds) = date.or_else(|| data::timestamp(name)) else {
            undated += usize::from(!data::is_blank(record));
            continue;
        };
        let Some(value) = data::number(data::field(record, "value")) else {
            without_value += 1;
            continue;
        };
        let number = (seconds / DAY_SECONDS).floor() as i64;
        let Some(day) = by_number.get_mut(&number) else {
            by_number.insert(number, Day { value, row, other_rows: Vec::new(), label });
            continue;
        };
        has_repeated_days = true;
        day.other_rows.push(row);
        day.value = match term {
            Term::DailyMaximum => day.value.max(value),
            // The sum of a day becomes its mean below.
            _ => day.value + value,
        };
        if day.label.is_empty() {
            day.label = label;
        }
    }
    if term == Term::DailyMean {
        by_number.values_mut().for_each(|day| day.value /= (day.other_rows.len() + 1) as f64);
    }
    if has_repeated_days {
        scene
            .warn(format!("Several records are on the same day; the {rule} of each day is shown."));
    }
    scene.omit(Omission::NoDate, undated);
    scene.omit(Omission::NoValue, without_value);
    Days { by_number, combination: has_repeated_days.then_some(term) }
}
