//! Rows of a dumbbell chart: two values of a record with their texts and colors.

use std::borrow::Cow;

use crate::Chart;
use crate::color::Color;
use crate::data;
use crate::differences;
use crate::format::NumberFormat;
use crate::frame::ChartStyle;

/// A record with both values, or with only one or none of them.
pub struct Row<'a> {
    /// Index of the record in the data.
    pub row: usize,
    pub label: Cow<'a, str>,
    /// Values before and after.
    pub values: [Option<f64>; 2],
    /// Formatted values. Empty for missing ones.
    pub value_texts: [String; 2],
    /// Difference with its sign. Empty unless both values are present.
    pub difference_text: String,
    /// Colors of both dots.
    pub colors: [Color; 2],
}

/// Keys of the columns before and after.
pub struct Keys {
    pub before: String,
    pub after: String,
}

impl Row<'_> {
    /// Returns whether both values are present and equal.
    pub fn is_unchanged(&self) -> bool {
        matches!(self.values, [Some(before), Some(after)] if before == after)
    }
}

/// Returns the keys `before` and `after`. If no record has one of these fields, returns those of
/// the first two series instead, if there are two.
pub fn find_keys(chart: &Chart) -> Keys {
    let has_field = |key: &str| chart.data.iter().any(|record| !data::field(record, key).is_null());
    let series =
        if has_field("before") || has_field("after") { Vec::new() } else { chart.series() };
    let (before, after) = match series.as_slice() {
        [first, second, ..] => (first.key.clone(), second.key.clone()),
        _ => ("before".to_owned(), "after".to_owned()),
    };
    Keys { before, after }
}

/// Reads one row per record, also of records without values, in the order of the settings `sort`
/// and `sortBy` (the value after, unless set).
///
/// `colors` are those of the dots before and after. If any record is highlighted, the dots of the
/// others are faded.
pub fn read_rows<'a>(
    chart: &Chart<'a>,
    keys: &Keys,
    colors: [Color; 2],
    style: &ChartStyle,
) -> Vec<Row<'a>> {
    let is_highlighted = |record| data::is_true(data::field(record, "highlighted"));
    let any_highlighted = chart.data.iter().any(is_highlighted);
    let read_values =
        |record| [&keys.before, &keys.after].map(|key| data::number(data::field(record, key)));
    let all: Vec<[Option<f64>; 2]> = chart.data.iter().map(read_values).collect();
    let numbers = || all.iter().flatten().flatten().copied();
    let formats = [&keys.before, &keys.after]
        .map(|key| NumberFormat::for_values(numbers(), &chart.format_rules(key), chart.locale()));
    let difference_of =
        |[before, after]: [Option<f64>; 2]| Some(differences::subtract(before?, after?));
    let rules = differences::difference_rules(&chart.format_rules(&keys.after));
    let all_differences = all.iter().filter_map(|values| difference_of(*values));
    let difference_format = NumberFormat::for_values(all_differences, &rules, chart.locale());
    let sort_values: Vec<Option<f64>> = all
        .iter()
        .map(|values| match chart.str_setting("sortBy") {
            "before" => values[0],
            "difference" => difference_of(*values),
            _ => values[1],
        })
        .collect();
    let read_row = |row: usize| {
        let (record, values) = (chart.data.get(row)?, *all.get(row)?);
        let [before_format, after_format] = &formats;
        let text = |value: Option<f64>, format: &NumberFormat| {
            value.map_or(String::new(), |value| format.text(value))
        };
        let is_faded = any_highlighted && !is_highlighted(record);
        let fade = |color: Color| if is_faded { color.mix(style.background, 0.6) } else { color };
        Some(Row {
            row,
            label: data::record_label(record),
            values,
            value_texts: [text(values[0], before_format), text(values[1], after_format)],
            difference_text: difference_of(values)
                .map_or(String::new(), |difference| difference_format.signed_text(difference)),
            colors: colors.map(fade),
        })
    };
    chart.sorted_indices(&sort_values).into_iter().filter_map(read_row).collect()
}
