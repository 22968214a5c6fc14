//! Bars of a Pareto chart: sorted, cumulated, and the smallest merged into one.

use std::borrow::Cow;

use crate::Chart;
use crate::Scene;
use crate::color::Color;
use crate::data;
use crate::format::{NumberFormat, Omission, Term};
use crate::frame::ChartStyle;
use crate::number_columns::quote;
use crate::other_names;

/// One bar with the share of all values up to it.
pub struct Bar<'a> {
    /// Index of the record in the data. None for the bar of the merged records.
    pub row: Option<usize>,
    pub label: Cow<'a, str>,
    pub value: f64,
    /// Formatted value.
    pub value_text: String,
    /// Share of this and all larger values in the total, in percent.
    pub cumulative: f64,
    pub fill: Color,
}

/// All bars of a chart, in drawing order.
pub struct Bars<'a> {
    pub bars: Vec<Bar<'a>>,
    /// Sum of all values, above 0.
    pub total: f64,
    /// Number of records with a bar, including those of the merged bar.
    pub record_count: usize,
    /// The share to be reached with the number of the largest records that reach it. None if the
    /// settings hide it.
    pub threshold: Option<Threshold>,
}

/// A share that the largest records reach together.
#[derive(Clone, Copy)]
pub struct Threshold {
    /// Share of the total in percent, above 0 and at most 100.
    pub share: f64,
    /// Number of records, the largest first, that reach the share.
    pub count: usize,
}

/// Reads the records with a value of 0 or more, the largest first, and a record such as `Other` last.
/// Returns None if their sum is 0.
///
/// If there are more than `max_bars`, or than the setting `otherAfter` permits, the smallest are
/// merged into a last bar, so that the limit includes that bar. The scene counts the records
/// without a value and those below zero.
pub fn read_bars<'a>(
    chart: &Chart<'a>,
    max_bars: usize,
    style: &ChartStyle,
    scene: &mut Scene,
) -> Option<Bars<'a>> {
    let number = |record| data::number(data::field(record, "value"));
    let mut values: Vec<(usize, f64)> = (chart.data.iter().enumerate())
        .filter_map(|(row, record)| Some((row, number(record)?)))
        .collect();
    values.retain(|(_, value)| *value >= 0.0);
    chart.omit_missing("value", scene);
    chart.omit_negative("value", scene);
    // A stable sort keeps the order of records with equal values.
    values.sort_by(|one, two| two.1.total_cmp(&one.1));
    move_other_to_end(chart, &mut values, scene);
    let total: f64 = values.iter().map(|(_, value)| value).sum();
    if total <= 0.0 {
        for (row, _) in values {
            let label = chart.data.get(row).map(data::record_label).unwrap_or_default();
            scene.omit_named(Omission::Zero, &label);
        }
        return None;
    }
    let threshold = read_threshold(chart, &values, total);
    let max_bars = match chart.setting("otherAfter").as_u64() {
        Some(0) | None => max_bars,
        Some(limit) => usize::try_from(limit).unwrap_or(max_bars).min(max_bars),
    };
    let kept = if values.len() > max_bars { max_bars.saturating_sub(1) } else { values.len() };
    let (shown, merged) = values.split_at(kept);
    let mut bars: Vec<Bar> = shown
        .iter()
        .map(|(row, value)| Bar {
            row: Some(*row),
            label: chart.data.get(*row).map(data::record_label).unwrap_or_default(),
            value: *value,
            value_text: String::new(),
            cumulative: 0.0,
            fill: style.faded_color(),
        })
        .collect();
    if !merged.is_empty() {
        let other = chart.locale().translate(Term::Other);
        bars.push(Bar {
            row: None,
            label: Cow::Owned(format!("{other} ({})", chart.locale().format_integer(merged.len()))),
            value: merged.iter().map(|(_, value)| value).sum(),
            value_text: String::new(),
            cumulative: 100.0,
            fill: style.faded_color(),
        });
    }
    cumulate(&mut bars, total);
    format_values(chart, &mut bars);
    assign_colors(chart, threshold, style, &mut bars);
    Some(Bars { bars, total, record_count: values.len(), threshold })
}

/// Moves records such as `Other` to the end of the descending `values`, because they are no single cause.
/// Warns if such a value is larger than the one before it.
fn move_other_to_end(chart: &Chart, values: &mut [(usize, f64)], scene: &mut Scene) {
    let label = |row: usize| chart.data.get(row).map(data::record_label).unwrap_or_default();
    // A stable sort keeps the order of the others.
    values.sort_by_cached_key(|(row, _)| other_names::is_other(&label(*row)));
    let larger = values.windows(2).find(|pair| pair[1].1 > pair[0].1);
    if let Some((row, _)) = larger.map(|pair| pair[1]) {
        scene.warn(format!(
            "{} is the last column, although it is not the smallest. The line of the cumulative share \
             is steeper there.",
            quote(&label(row))
        ));
    }
}

/// Returns the threshold of the settings, 80 % by default, with the number of the first records
/// that together reach it. `values` are in the order of the columns. None if the settings hide it or
/// if it is no share.
fn read_threshold(chart: &Chart, values: &[(usize, f64)], total: f64) -> Option<Threshold> {
    let share = chart.number_setting("threshold").unwrap_or(80.0);
    if !chart.bool_setting("showThreshold", true) || share <= 0.0 || share > 100.0 {
        return None;
    }
    // The tolerance covers the rounding of the sum.
    let needed = total * share / 100.0 * (1.0 - 1e-12);
    let mut sum = 0.0;
    let reaches = |(_, value): &(usize, f64)| {
        sum += value;
        sum >= needed
    };
    let count = values.iter().position(reaches).map_or(values.len(), |index| index + 1);
    Some(Threshold { share, count })
}

/// Sets the cumulative share of each bar in percent: that of all bars up to it in `total`. The last
/// one is exactly 100.
fn cumulate(bars: &mut [Bar], total: f64) {
    let mut sum = 0.0;
    for bar in bars.iter_mut() {
        sum += bar.value;
        bar.cumulative = (sum / total * 100.0).min(100.0);
    }
    if let Some(last) = bars.last_mut() {
        last.cumulative = 100.0;
    }
}

/// Sets the formatted values of all bars, with common decimals.
fn format_values(chart: &Chart, bars: &mut [Bar]) {
    let values = bars.iter().map(|bar| bar.value);
    let format = NumberFormat::for_values(values, &chart.format_rules("value"), chart.locale());
    bars.iter_mut().for_each(|bar| bar.value_text = format.text(bar.value));
}

/// Sets the colors of the bars: that of the record, else the highlight color or gray if any record
/// is highlighted, else the first series color for the bars up to the threshold and a paler one for
/// the others. The bar of the merged records and one such as `Other` are gray.
fn assign_colors(
    chart: &Chart,
    threshold: Option<Threshold>,
    style: &ChartStyle,
    bars: &mut [Bar],
) {
    let is_highlighted = |record| data::is_true(data::field(record, "highlighted"));
    let any_highlighted = chart.data.iter().any(is_highlighted);
    let color = chart.series_color(0);
    let vital_count = threshold.map_or(usize::MAX, |threshold| threshold.count);
    for (index, bar) in bars.iter_mut().enumerate() {
        let Some(record) = bar.row.and_then(|row| chart.data.get(row)) else { continue };
        let is_other = other_names::is_other(&bar.label);
        let own = data::field(record, "color").as_str().and_then(Color::parse);
        bar.fill = own.unwrap_or(match (any_highlighted, is_highlighted(record)) {
            (true, true) => chart.theme.highlight_color,
            (true, false) => style.faded_color(),
            (false, _) if is_other => style.faded_color(),
            (false, _) if index < vital_count => color,
            (false, _) => color.mix(style.background, 0.5),
        });
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::find_kind;
    use crate::frame;

    fn check_bars(data: &[Value], max_bars: usize, check: impl FnOnce(Option<Bars>, &Scene)) {
        let chart = Chart::new(find_kind("pareto").unwrap(), data);
        let mut scene = Scene::new(720.0, 405.0, chart.theme.background_color);
        let style = frame::draw_frame(&chart, &mut scene).style;
        let bars = read_bars(&chart, max_bars, &style, &mut scene);
        check(bars, &scene);
    }

    #[test]
    fn zeros_without_a_total_are_named() {
        let data = ["Dent", "Crack"].map(|label| json!({"label": label, "value": 0}));
        check_bars(&data, 4, |bars, scene| {
            assert!(bars.is_none());
            assert_eq!(scene.omissions, [(Omission::Zero, 2)]);
        });
    }

    #[test]
    fn the_smallest_are_merged_last_and_shares_end_at_100() {
        let data: Vec<Value> = [5, 40, 10, 30, 15].iter().map(|n| json!({"value": n})).collect();
        check_bars(&data, 4, |bars, _| {
            let bars = bars.unwrap();
            let shares: Vec<f64> = bars.bars.iter().map(|bar| bar.cumulative).collect();
            assert_eq!(shares, [40.0, 70.0, 85.0, 100.0]);
            assert_eq!(bars.bars[3].label, "Other (2)");
            assert_eq!(bars.threshold.unwrap().count, 3);
            assert_eq!(bars.record_count, 5);
        });
    }

    #[test]
    fn other_is_the_last_column_with_a_warning_if_it_is_not_the_smallest() {
        let record = |label: &str, value: i32| json!({"label": label, "value": value});
        let data = [record("Sonstige", 30), record("Dent", 50), record("Crack", 20)];
        check_bars(&data, 9, |bars, scene| {
            let bars = bars.unwrap();
            let labels: Vec<&str> = bars.bars.iter().map(|bar| &*bar.label).collect();
            assert_eq!(labels, ["Dent", "Crack", "Sonstige"]);
            assert_eq!(bars.bars[1].cumulative, 70.0);
            assert!(scene.warnings[0].starts_with("“Sonstige” is the last column"));
        });
        let data = [record("Other", 5), record("Dent", 50), record("Crack", 20)];
        check_bars(&data, 9, |_, scene| assert_eq!(scene.warnings, [""; 0]));
    }

    #[test]
    fn negative_and_missing_values_are_counted() {
        let data = [json!({"value": 5}), json!({"value": -3}), json!({"label": "a"})];
        check_bars(&data, 9, |bars, scene| {
            assert_eq!(bars.unwrap().total, 5.0);
            assert_eq!(scene.omissions, [(Omission::NoValue, 1), (Omission::BelowZero, 1)]);
        });
        check_bars(&data[1..], 9, |bars, _| assert!(bars.is_none()));
    }
}
