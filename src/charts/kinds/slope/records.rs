//! Records of a slope chart with their colors.

use std::borrow::Cow;

use crate::Chart;
use crate::color::Color;
use crate::data;
use crate::frame::ChartStyle;

/// A record with both values, or with only one of them.
pub struct Slope<'a> {
    /// Index of the record in the data.
    pub row: usize,
    /// Label of the record. May be empty.
    pub label: Cow<'a, str>,
    /// Value at the left. None if the record has none.
    pub before: Option<f64>,
    /// Value at the right. None if the record has none.
    pub after: Option<f64>,
    /// Whether the record is highlighted.
    pub highlighted: bool,
    /// Color of the line and its end points.
    pub color: Color,
}

/// Returns the keys of the columns for the left and the right value. These are `before` and `after`
/// if a record has at least one of these fields, or if there are fewer than two series. Otherwise
/// they are the keys of the first two series.
pub fn find_keys(chart: &Chart) -> [String; 2] {
    let has_field = |key: &str| chart.data.iter().any(|record| !data::field(record, key).is_null());
    let has_fields = has_field("before") || has_field("after");
    let series = if has_fields { Vec::new() } else { chart.series() };
    match series.as_slice() {
        [first, second, ..] => [first.key.clone(), second.key.clone()],
        _ => ["before", "after"].map(str::to_owned),
    }
}

/// Reads the records with at least one value in the columns `before_key` and `after_key`.
/// Highlighted ones come last, so that they are drawn over the others.
///
/// The color of a line shows its direction (settings `positiveColor` for a rise, `negativeColor` for a
/// fall), and is faded without a change or with only one value. If any record is highlighted, the color
/// shows that instead.
pub fn read_slopes<'a>(
    chart: &Chart<'a>,
    [before_key, after_key]: &[String; 2],
    style: &ChartStyle,
) -> Vec<Slope<'a>> {
    let any_highlighted =
        chart.data.iter().any(|record| data::is_true(data::field(record, "highlighted")));
    let parse_color = |key: &str| Color::parse(chart.str_setting(key));
    let rise_color = parse_color("positiveColor").unwrap_or_else(|| chart.series_color(0));
    let fall_color = parse_color("negativeColor").unwrap_or(chart.theme.highlight_color);
    let read_slope = |(row, record): (usize, &'a serde_json::Value)| {
        let before = data::number(data::field(record, before_key));
        let after = data::number(data::field(record, after_key));
        let highlighted = data::is_true(data::field(record, "highlighted"));
        let color = match (any_highlighted, before.zip(after)) {
            (true, _) if highlighted => chart.theme.highlight_color,
            (false, Some((before, after))) if after > before => rise_color,
            (false, Some((before, after))) if after < before => fall_color,
            _ => style.faded_color(),
        };
        let color = style.readable_line_color(color);
        let label = data::record_label(record);
        (before.is_some() || after.is_some()).then_some(Slope {
            row,
            label,
            before,
            after,
            highlighted,
            color,
        })
    };
    let mut slopes: Vec<Slope> = chart.data.iter().enumerate().filter_map(read_slope).collect();
    slopes.sort_by_key(|slope| slope.highlighted);
    slopes
}
