//! Marimekko chart: stacked columns of shares. The width of a column is a second measure, so that
//! areas are proportional to amounts.
//!
//! Record: `label`, a number for each series, `width` (optional, default: the sum of the record),
//! `highlighted` (optional flag). Settings: `series` (`key`, `title`, `color`), `sort` (by width),
//! `showTotals` (widths above the columns), `showValues`, `showLegend`, `showGrid`.

mod segments;

use std::borrow::Cow;

use kurbo::Rect;
use serde_json::Value;

use crate::Chart;
use crate::Scene;
use crate::Series;
use crate::data;
use crate::format::{FormatRules, NumberFormat, Omission};
use crate::frame;
use crate::frame::axis;
use crate::frame::axis::{IncludeZero, ValueAxis};
use crate::frame::category::ColumnLabels;
use crate::frame::key_list::KeyList;
use crate::frame::series_labels;
use crate::frame::{ChartStyle, Frame};
use crate::kinds::Kind;
use crate::percentages;
use crate::scale::LinearScale;
use crate::scene::{Anchor, Text};
use crate::text;
use crate::text::Face;
use crate::value_labels::ValueLabelCount;

use segments::{Column, SegmentContext, draw_segments};

/// The Marimekko chart.
pub const KIND: Kind = Kind { slug: "marimekko", draw };

/// Maximum height of a list of names as a share of the height of the chart.
const MAX_LIST_SHARE: f64 = 0.5;

/// Draws the share axis, the columns, and the labels of columns and series. Draws a note instead if
/// no column has a share, or all have the width 0.
fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let series: Vec<Series> =
        chart.series_for(scene).into_iter().filter(|series| series.key != "width").collect();
    let columns = read_columns(chart, &series, scene);
    let total_width: f64 = columns.iter().map(|column| column.width).sum();
    if total_width <= 0.0 || columns.iter().all(|column| column.shares.iter().all(Option::is_none))
    {
        return frame::draw_no_data(frame, scene);
    }
    describe(&columns, &series, scene);
    let style = &frame.style;
    let rules = derive_share_rules(chart, &series);
    let last_visible = columns.iter().rfind(|column| column.width > 0.0);
    let is_visible = |share: &Option<f64>| share.is_some_and(|share| share > 0.0);
    let can_label_directly =
        last_visible.is_some_and(|column| column.shares.iter().all(is_visible));
    let legend = series_labels::plan(chart, style, scene, frame.area, &series, can_label_directly);
    let with_totals =
        chart.bool_setting("showTotals", true) && legend.area.height() > style.label_size * 7.0;
    let mut area = legend.area;
    area.y0 += if with_totals { style.label_size * 1.5 } else { style.label_size * 0.4 };
    let axis = create_share_axis(chart, style, area, &rules);
    area.x0 += axis.as_ref().map_or(0.0, |axis| axis.left_width(style).min(area.width() * 0.4));
    let spans = compute_column_spans(&columns, total_width, (area.x0, area.x1));
    let labels: Vec<Cow<str>> = columns.iter().map(|column| column.label.clone()).collect();
    let limits = (frame.area.x0, frame.area.x1);
    let (column_labels, label_centers) =
        ColumnLabels::plan_uneven(&labels, &spans, limits, area.height() * 0.42, style);
    // Names without space below their columns move to a list with numbers.
    let list = match column_labels.is_whole_at(&label_centers, style) {
        true => None,
        false => KeyList::plan(&labels, limits.1 - limits.0, area.height() * MAX_LIST_SHARE, style),
    };
    let labels_height =
        list.as_ref().map_or(column_labels.height, |list| list.height_with_numbers(style));
    let plot = Rect { y1: (area.y1 - labels_height).max(area.y0 + 1.0), ..area };
    let y = LinearScale { domain: (0.0, 100.0), range: (plot.y1, plot.y0) };
    let has_axis = axis.is_some();
    if let Some(axis) = axis {
        axis.draw_left(scene, style, plot, &y);
    }
    match &list {
        Some(list) => draw_list(list, &spans, Rect { x0: limits.0, ..plot }, style, scene),
        None => column_labels
            .draw_at(scene, style, plot, |index| label_centers.get(index).copied().unwrap_or(0.0)),
    }
    let context = SegmentContext::new(chart, &series, &rules, (y, has_axis));
    draw_columns(&columns, &spans, plot, with_totals, &context, style, scene);
    axis::draw_baseline(scene, style, (plot.x0, plot.y1), (plot.x1, plot.y1));
    let Some(last_visible) = last_visible else { return };
    legend.draw(style, scene, plot, compute_segment_centers(last_visible, &series, &y).into_iter());
}

/// Draws a list of numbered names below the plot, and the numbers below the columns. A column
/// without width has no number.
fn draw_list(
    list: &KeyList,
    spans: &[(f64, f64)],
    plot: Rect,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let center = |index: usize| {
        let (left, right) = spans.get(index)?;
        (right > left).then(|| f64::midpoint(*left, *right))
    };
    list.draw_below(center, plot, style, scene);
}

/// Draws the segments of all columns, and if `with_totals` the widths above the columns that have
/// space for them. Without an axis, the scene counts the shares without a label if they are many.
fn draw_columns(
    columns: &[Column],
    spans: &[(f64, f64)],
    plot: Rect,
    with_totals: bool,
    context: &SegmentContext<'_>,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let any_highlighted = columns.iter().any(|column| column.highlighted);
    let mut totals_end = plot.x0 - style.label_size * 0.4;
    let mut value_labels = ValueLabelCount::default();
    for (column, (left, right)) in columns.iter().zip(spans) {
        let rect = Rect { x0: *left, x1: *right, ..plot };
        let is_muted = any_highlighted && !column.highlighted;
        draw_segments(column, (rect, is_muted), context, style, &mut value_labels, scene);
        if with_totals {
            totals_end = draw_total(column, rect, (totals_end, plot.x1), style, scene);
        }
    }
    value_labels.report_segments(context.has_axis, scene);
}

/// Returns the y coordinate of the center of each segment of a column, in points, with its series.
/// Series without a share are left out.
fn compute_segment_centers<'a>(
    column: &Column,
    series: &'a [Series],
    y: &LinearScale,
) -> Vec<(f64, &'a Series)> {
    let mut from_percent = 0.0;
    let centers = column.shares.iter().zip(series).filter_map(|(share, series)| {
        let share = (*share)?;
        from_percent += share;
        Some((y.at(from_percent - share / 2.0), series))
    });
    centers.collect()
}

/// Returns the format rules of shares: those of the first series, in percent and without its unit.
fn derive_share_rules(chart: &Chart, series: &[Series]) -> FormatRules {
    let rules = series.first().map(|series| chart.format_rules(&series.key)).unwrap_or_default();
    // A currency or unit of the amounts does not belong to their shares.
    FormatRules { percent: true, prefix: String::new(), suffix: String::new(), ..rules }
}

/// Returns the width of each record, or None for a record without a width above zero. The scene
/// counts these records, except blank ones.
///
/// Returns None if no record has a width.
fn read_widths(chart: &Chart, scene: &mut Scene) -> Option<Vec<Option<f64>>> {
    let (mut zero_count, mut negative_count, mut missing_count) = (0, 0, 0);
    let width = |record: &Value| {
        let width = data::number(data::field(record, "width"));
        match width {
            Some(width) if width < 0.0 => negative_count += 1,
            Some(0.0) => zero_count += 1,
            None => missing_count += usize::from(!data::is_blank(record)),
            Some(_) => {}
        }
        width
    };
    let widths: Vec<Option<f64>> = chart.data.iter().map(width).collect();
    if widths.iter().all(Option::is_none) {
        return None;
    }
    scene.omit(Omission::Incomplete, missing_count);
    scene.omit(Omission::Zero, zero_count);
    scene.omit(Omission::BelowZero, negative_count);
    Some(widths.into_iter().map(|width| width.filter(|width| *width > 0.0)).collect())
}

/// Reads the columns in the order in which they are drawn. Negative values of a series count as 0.
/// The scene counts them and the missing values, and notes if the shown shares do not add up to 100
/// %.
///
/// If any record has a width, records without a width above zero have no column. Otherwise the
/// width is the sum of the values, and records without a sum above zero have no column. The scene
/// counts these records too, except blank ones.
fn read_columns<'a>(chart: &Chart<'a>, series: &[Series], scene: &mut Scene) -> Vec<Column<'a>> {
    let widths = read_widths(chart, scene);
    let rules = derive_share_rules(chart, series);
    let (mut negative_count, mut missing_count) = (0, 0);
    let (mut empty_count, mut zero_count) = (0, 0);
    let mut columns: Vec<Column> = Vec::with_capacity(chart.data.len());
    for (row, record) in chart.data.iter().enumerate() {
        let width = widths.as_ref().map(|widths| widths.get(row).copied().flatten());
        if width == Some(None) {
            continue;
        }
        let value = |series: &Series| data::number(data::field(record, &series.key));
        let values: Vec<Option<f64>> = series.iter().map(value).collect();
        negative_count += values.iter().flatten().filter(|value| **value < 0.0).count();
        let gap_count = values.iter().filter(|value| value.is_none()).count();
        let values: Vec<Option<f64>> =
            values.into_iter().map(|value| value.map(|value| value.max(0.0))).collect();
        let sum: f64 = values.iter().flatten().sum();
        if width.is_none() && sum <= 0.0 {
            let has_negative = |series: &Series| value(series).is_some_and(|value| value < 0.0);
            match gap_count == series.len() {
                true => empty_count += usize::from(!data::is_blank(record)),
                // Values below zero are counted already.
                false => zero_count += usize::from(!series.iter().any(has_negative)),
            }
            continue;
        }
        missing_count += if gap_count < series.len() { gap_count } else { 0 };
        let shares = values.iter().map(|value| Some((*value)? / sum * 100.0));
        if sum > 0.0 && chart.bool_setting("showValues", true) {
            let printed: Vec<f64> = shares.clone().flatten().collect();
            percentages::note_rounding(&printed, rules.decimals.unwrap_or(0), scene);
        }
        columns.push(Column {
            row,
            label: data::record_label(record),
            shares: if sum > 0.0 { shares.collect() } else { vec![None; series.len()] },
            width: width.flatten().unwrap_or(sum),
            width_text: String::new(),
            highlighted: data::is_true(data::field(record, "highlighted")),
        });
    }
    scene.omit(Omission::NoValue, empty_count);
    scene.omit(Omission::Zero, zero_count);
    scene.omit(Omission::BelowZero, negative_count);
    scene.omit(Omission::MissingValue, missing_count);
    format_widths(chart, widths.is_some(), series, &mut columns);
    sort_columns(chart, columns)
}

/// Sets the formatted widths of the columns, in the number format of the column `width` or, without
/// `has_widths`, of the first series.
fn format_widths(chart: &Chart, has_widths: bool, series: &[Series], columns: &mut [Column]) {
    let key =
        if has_widths { "width" } else { series.first().map_or("width", |series| &series.key) };
    let format = NumberFormat::for_values(
        columns.iter().map(|column| column.width),
        &chart.format_rules(key),
        chart.locale(),
    );
    for column in columns {
        column.width_text = format.text(column.width);
    }
}

/// Sorts the columns by width in the order of the setting `sort`. Without it they keep their order.
fn sort_columns<'a>(chart: &Chart, columns: Vec<Column<'a>>) -> Vec<Column<'a>> {
    let widths: Vec<Option<f64>> = columns.iter().map(|column| Some(column.width)).collect();
    let mut unsorted: Vec<Option<Column>> = columns.into_iter().map(Some).collect();
    let order = chart.sorted_indices(&widths);
    order.into_iter().filter_map(|index| unsorted.get_mut(index)?.take()).collect()
}

/// Returns the axis of shares, from 0 to 100 percent regardless of the settings of the axis. None
/// if the grid is off, which is the default if the columns show their values.
fn create_share_axis(
    chart: &Chart,
    style: &ChartStyle,
    area: Rect,
    rules: &FormatRules,
) -> Option<ValueAxis> {
    let with_axis = chart.bool_setting("showGrid", !chart.bool_setting("showValues", true));
    let lengths = (area.height() * 0.85, axis::y_tick_spacing(style));
    with_axis
        .then(|| ValueAxis::fixed(chart, style, (0.0, 100.0), IncludeZero::Always, lengths, rules))
}

/// Returns the left and right edges of the columns in points, proportional to their widths, with
/// gaps of 2 points if the columns are not too narrow. A column without width has no gap.
///
/// `total_width` is the sum of the widths in the unit of the data. `left` and `right` are the edges
/// of the plot in points.
fn compute_column_spans(
    columns: &[Column],
    total_width: f64,
    (left, right): (f64, f64),
) -> Vec<(f64, f64)> {
    let length = right - left;
    let count = columns.iter().filter(|column| column.width > 0.0).count().max(1) as f64;
    let gap = if length / count > 8.0 { 2.0 } else { 0.0 };
    let scale = (length - gap * (count - 1.0)).max(0.0) / total_width;
    let mut x = left;
    let span = |column: &Column| {
        let span = (x, (x + column.width * scale).min(right));
        x = span.1 + if column.width > 0.0 { gap } else { 0.0 };
        span
    };
    columns.iter().map(span).collect()
}

/// Draws the formatted width above its column, also if the column is narrower, down to half of the
/// text. `limits` are the end of the previous text and the right edge of the plot in points; the
/// text must be clear of the first and is moved to end at the second. Returns the right end of the
/// last text, in points: `limits.0` if nothing is drawn.
fn draw_total(
    column: &Column,
    rect: Rect,
    limits: (f64, f64),
    style: &ChartStyle,
    scene: &mut Scene,
) -> f64 {
    let size = style.label_size;
    let width = text::width(&column.width_text, size, Face::BOLD);
    let x = rect.center().x.min(limits.1 - width / 2.0);
    let fits = rect.width() >= width / 2.0 && x - width / 2.0 >= limits.0 + size * 0.4;
    if column.width <= 0.0 || !fits {
        return limits.0;
    }
    let label_text =
        style.label_text(x, rect.y0 - size * 0.45, Anchor::Middle, size, &column.width_text);
    scene.text(Text { face: Face::BOLD, width, color: style.text_color, ..label_text });
    x + width / 2.0
}

/// Sets the text description of the scene: the number of columns with a width, the series, and the
/// narrowest and the widest of these columns.
fn describe(columns: &[Column], series: &[Series], scene: &mut Scene) {
    let visible = || columns.iter().filter(|column| column.width > 0.0);
    let by_width = |a: &&Column, b: &&Column| a.width.total_cmp(&b.width);
    let titles: Vec<&str> = series.iter().map(|series| &*series.title).collect();
    scene.description = format!(
        "Marimekko chart of {} columns with shares of {}",
        visible().count(),
        titles.join(", ")
    );
    if let (Some(narrowest), Some(widest)) =
        (visible().min_by(by_width), visible().max_by(by_width))
    {
        scene.description.push_str(&format!(
            "; widths from {} ({}) to {} ({})",
            narrowest.width_text, narrowest.label, widest.width_text, widest.label
        ));
    }
    scene.description.push('.');
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn column(width: f64) -> Column<'static> {
        Column {
            row: 0,
            label: Cow::Borrowed(""),
            shares: Vec::new(),
            width,
            width_text: String::new(),
            highlighted: false,
        }
    }

    #[test]
    fn widths_are_in_proportion_and_fill_the_plot() {
        let columns = [column(30.0), column(0.0), column(10.0)];
        let spans = compute_column_spans(&columns, 40.0, (10.0, 212.0));
        assert_eq!(spans, [(10.0, 160.0), (162.0, 162.0), (162.0, 212.0)]);
    }

    #[test]
    fn columns_need_a_width_above_zero_if_any_record_has_a_width() {
        let data = [
            json!({"label": "a", "One": 2, "Two": 2, "width": 30}),
            json!({"label": "b", "One": 1, "width": 10}),
            json!({"label": "c", "One": 1, "Two": 2, "width": 0}),
            json!({"label": "d", "One": -1, "width": -4}),
            json!({"label": "e", "One": 1, "width": "n/a"}),
            json!({"label": "", "One": null, "width": null}),
        ];
        let chart = Chart::new(&KIND, &data);
        let mut scene = Scene::new(720.0, 405.0, chart.theme.background_color);
        let mut series = chart.series();
        series.retain(|series| series.key != "width");
        let columns = read_columns(&chart, &series, &mut scene);
        let labels: Vec<&str> = columns.iter().map(|column| &*column.label).collect();
        assert_eq!(labels, ["a", "b"]);
        let counted = [
            (Omission::Incomplete, 1),
            (Omission::Zero, 1),
            (Omission::BelowZero, 1),
            (Omission::MissingValue, 1),
        ];
        assert_eq!(scene.omissions, counted);
    }

    #[test]
    fn records_without_a_sum_are_counted_if_no_record_has_a_width() {
        let data = [
            json!({"label": "a", "One": 2, "Two": 2}),
            json!({"label": "b", "One": 0, "Two": null}),
            json!({"label": "c", "One": null, "Two": "n/a"}),
            json!({"label": "d", "One": -1, "Two": 0}),
            json!({"label": "", "One": null}),
        ];
        let chart = Chart::new(&KIND, &data);
        let mut scene = Scene::new(720.0, 405.0, chart.theme.background_color);
        let columns = read_columns(&chart, &chart.series(), &mut scene);
        let labels: Vec<&str> = columns.iter().map(|column| &*column.label).collect();
        assert_eq!(labels, ["a"]);
        let counted = [(Omission::NoValue, 1), (Omission::Zero, 1), (Omission::BelowZero, 1)];
        assert_eq!(scene.omissions, counted);
    }

    #[test]
    fn the_total_of_a_narrow_column_may_stand_out() {
        let record = |label: &str, a: f64, b: f64| json!({"label": label, "A": a, "B": b});
        let data =
            [record("Europe", 120.0, 120.0), record("Asia", 200.0, 35.0), record("X", 5.0, 2.0)];
        let scene = crate::draw(&Chart::new(crate::find_kind("marimekko").unwrap(), &data));
        let texts: Vec<&str> = scene.text_boxes().map(|(text, _)| text).collect();
        for total in ["240", "235", "7"] {
            assert!(texts.contains(&total), "{total}: {texts:?}");
        }
        let right = scene.text_boxes().map(|(_, bounds)| bounds.x1).fold(0.0, f64::max);
        assert!(right <= scene.width, "{right}");
    }
}
