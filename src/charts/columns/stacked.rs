//! Stacked columns: one column per record, one segment per series, as amounts or as shares.
//!
//! Negative segments are stacked below zero. Setting `sort`: by totals, or in percent mode by the
//! share of the first series.

mod segments;

use std::borrow::Cow;

use kurbo::Rect;

use crate::Chart;
use crate::Scene;
use crate::Series;
use crate::columns::stacked::segments::{ColumnTotal, Segment, StackedColumns, stack_values};
use crate::data;
use crate::format::{FormatRules, NumberFormat, Omission};
use crate::frame;
use crate::frame::bands;
use crate::frame::bands::{BandPlot, BandPlotSpec};
use crate::frame::legend;
use crate::frame::series_labels;
use crate::frame::series_labels::SeriesLabels;
use crate::frame::{ChartStyle, Frame};
use crate::percentages;
use crate::scale::ValueScale;
use crate::scene::{ASCENT_EM, Anchor, DESCENT_EM, HALF_CAP_HEIGHT_EM, Text, ValueEnd};
use crate::text::Face;
use crate::value_labels::ValueLabelCount;

/// Sign before a total that is not the end of its column. In right-to-left texts, it stays before the
/// number.
const NET_SIGN: &str = "Σ\u{a0}";

/// Draws one stacked column per record, with totals if all of them fit. Draws a note instead if the
/// data has no values. With `percent` the segments of a column are shares of 100 %, and there are
/// no totals.
///
/// Several series get names beside the last column or a legend, unless the setting `showLegend` is
/// false. The value axis is drawn if there are no totals, or if the setting `showGrid` is true.
/// With `percent`, it is hidden if `showGrid` is false.
pub fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene, percent: bool) {
    let series = read_series(chart, scene);
    let rules = chart.series_format_rules(series.iter().map(|series| &*series.key));
    let rules = FormatRules { percent: rules.percent || percent, ..rules };
    scene.omit(Omission::MissingValue, chart.count_missing_values(&series));
    let columns = stack_values(chart, &series, percent);
    if columns.segments.is_empty() {
        return frame::draw_no_data(frame, scene);
    }
    if percent {
        note_shares(chart, &columns, rules.decimals.unwrap_or(0), scene);
    }
    let style = &frame.style;
    let is_vertical = chart.str_setting("orientation") != "horizontal";
    let series_labels = plan_series_names(chart, style, scene, frame.area, &series, &columns);
    let area = series_labels.area;
    let format = choose_segment_format(&columns.segments, percent, &rules, chart);
    describe(chart, &series, &columns.segments, &format, percent, scene);
    let size = style.label_size;
    let total_labels = format_totals(chart, &columns.totals, percent, &rules, &format);
    let widest = total_labels.iter().map(|label| style.text_width(label, size)).fold(0.0, f64::max);
    let shows_totals =
        widest > 0.0 && have_totals_space(widest, size, area, chart.data.len(), is_vertical);
    let label_space =
        if shows_totals { bands::compute_label_space(is_vertical, size, widest) } else { 0.0 };
    let names: Vec<Cow<str>> =
        columns.order.iter().map(|row| read_record_label(chart, *row)).collect();
    let ends = columns.segments.iter().flat_map(|segment| [segment.from, segment.to]);
    let spec = BandPlotSpec {
        category_names: &names,
        is_vertical,
        range: ends.fold((0.0, 0.0), |(low, high), end| (low.min(end), high.max(end))),
        is_log: false,
        rules: &rules,
        label_space: (0.0, label_space),
        // Totals over the columns are more precise than an axis.
        show_axis: chart.bool_setting("showGrid", !shows_totals) || !(shows_totals || percent),
        padding: if chart.data.len() > 60 { 0.1 } else { 0.3 },
        max_width: if is_vertical { 72.0 } else { 44.0 } * style.unit,
        ends_at_last_column: series_labels.is_direct(),
    };
    let bands = BandPlot::new(chart, style, scene, area, &spec);
    let context =
        SegmentContext { bands: &bands, style, format: &format, has_axis: spec.show_axis };
    record_ends(&series, &columns, &bands, percent, scene);
    draw_segments(chart, &series, &columns.segments, &context, scene);
    if shows_totals {
        draw_totals(&columns.totals, &total_labels, &bands, style, scene);
    }
    bands.draw_baseline(style, scene);
    draw_series_names(&series_labels, &series, &columns, &bands, style, scene);
}

/// Returns the series with a number in at least one record. The scene counts the others.
fn read_series(chart: &Chart, scene: &mut Scene) -> Vec<Series> {
    let mut series = chart.series_for(scene);
    let count = series.len();
    series.retain(|series| {
        let mut values = chart.data.iter().map(|record| data::field(record, &series.key));
        values.any(|value| data::number(value).is_some())
    });
    frame::omit_empty_series(chart, count, series.len(), scene);
    series
}

/// Returns whether the labels of all totals fit at the ends of `count` columns or bars. `widest` is
/// the width of the widest label and `size` the font size, both in points.
fn have_totals_space(widest: f64, size: f64, area: Rect, count: usize, is_vertical: bool) -> bool {
    if is_vertical {
        let step = area.width() * 0.92 / count as f64;
        widest + 3.0 <= step && area.height() > size * 7.0
    } else {
        size * 1.05 <= area.height() / count as f64
    }
}

/// Returns the label of the record at index `row`. Empty if there is no such record.
fn read_record_label<'a>(chart: &Chart<'a>, row: usize) -> Cow<'a, str> {
    chart.data.get(row).map_or(Cow::Borrowed(""), data::record_label)
}

/// Chooses how the series are named, and draws the legend if one is needed. Returns the plan with
/// the area that remains for the plot.
///
/// Horizontal bars get a legend. Upright columns get names beside the last column if the names fit
/// and every series has a value other than zero in that column, otherwise a legend. A single series
/// gets neither, and no series does if the setting `showLegend` is false.
fn plan_series_names(
    chart: &Chart,
    style: &ChartStyle,
    scene: &mut Scene,
    area: Rect,
    series: &[Series],
    columns: &StackedColumns,
) -> SeriesLabels {
    if chart.str_setting("orientation") == "horizontal" {
        // From left to right, in the order of the segments.
        let shows_legend = frame::needs_series_names(chart, series.len());
        let entries =
            series.iter().filter(|_| shows_legend).map(|series| (&*series.title, series.color));
        return SeriesLabels::without_labels(legend::draw(scene, style, area, entries));
    }
    let visible_count =
        find_last_column_segments(columns).filter(|segment| segment.value != 0.0).count();
    series_labels::plan(chart, style, scene, area, series, visible_count == series.len())
}

/// Iterates over the segments of the last column in drawing order. Empty if that column has no
/// values.
fn find_last_column_segments(
    columns: &StackedColumns,
) -> impl DoubleEndedIterator<Item = &Segment> {
    let last = columns.order.len().saturating_sub(1);
    let start = columns.segments.partition_point(|segment| segment.column < last);
    columns.segments.get(start..).unwrap_or_default().iter()
}

/// Draws the names of the series beside the segments of the last column, if they were planned
/// there.
fn draw_series_names(
    series_labels: &SeriesLabels,
    series: &[Series],
    columns: &StackedColumns,
    bands: &BandPlot,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let last = columns.order.len().saturating_sub(1);
    let right = bands.category_scale.start(last) + bands.category_scale.width();
    let middle = |segment: &Segment| bands.value_scale.at((segment.from + segment.to) / 2.0);
    let mut names: Vec<(f64, &Series)> = find_last_column_segments(columns)
        .filter_map(|segment| Some((middle(segment), series.get(segment.series)?)))
        .collect();
    // Segments below zero come after the others in the data, but are lower on the canvas.
    names.sort_by(|a, b| b.0.total_cmp(&a.0));
    series_labels.draw(style, scene, Rect { x1: right, ..bands.plot }, names.into_iter());
}

/// Names the columns in the scene that have no shares, because all their values are zero. Adds a note if
/// the labels of shares, with `decimals`, do not add up to 100.
fn note_shares(chart: &Chart, columns: &StackedColumns, decimals: usize, scene: &mut Scene) {
    if chart.bool_setting("showValues", true) {
        note_rounding(columns, decimals, scene);
    }
    for column in columns.segments.chunk_by(|one, two| one.column == two.column) {
        if let Some(first) = column.first()
            && column.iter().all(|segment| segment.value == 0.0)
        {
            scene.omit_named(Omission::Zero, &read_record_label(chart, first.row));
        }
    }
}

/// Adds a note if the labels of the shares of a column do not add up to 100. Ignores columns with
/// negative shares. `decimals` are those of the labels.
fn note_rounding(columns: &StackedColumns, decimals: usize, scene: &mut Scene) {
    for column in columns.segments.chunk_by(|one, two| one.column == two.column) {
        let shares: Vec<f64> = column.iter().map(|segment| segment.value).collect();
        // Shares of negative amounts are negative and do not add up to 100 anyway.
        if shares.iter().all(|share| *share >= 0.0) {
            percentages::note_rounding(&shares, decimals, scene);
        }
    }
}

/// Returns the number format of segment labels. Shares have no decimals unless `rules` ask for
/// them.
fn choose_segment_format(
    segments: &[Segment],
    percent: bool,
    rules: &FormatRules,
    chart: &Chart,
) -> NumberFormat {
    if percent {
        let decimals = rules.decimals.unwrap_or(0);
        return NumberFormat::for_shares(decimals, rules, chart.locale());
    }
    let values = segments.iter().map(|segment| segment.value);
    NumberFormat::for_values(values, rules, chart.locale())
}

/// Formats the labels of the totals, one per column, with at least the decimals of the segments. If any
/// column has segments on both sides of zero, its end is not the total, so that all labels have a sum
/// sign.
///
/// Empty in percent mode, if the setting `showValues` is false, and if any column has no total,
/// because totals over only some of the columns would mislead.
fn format_totals(
    chart: &Chart,
    totals: &[Option<ColumnTotal>],
    percent: bool,
    rules: &FormatRules,
    segment_format: &NumberFormat,
) -> Vec<String> {
    let is_enabled = chart.bool_setting("showValues", true) && !percent;
    if !is_enabled || totals.iter().any(|total| total.is_none()) {
        return Vec::new();
    }
    let sums = totals.iter().flatten().map(|total| total.sum);
    let format = NumberFormat::for_values(sums.clone(), rules, chart.locale())
        .at_least_as_exact_as(segment_format);
    let has_net = totals.iter().flatten().any(ColumnTotal::is_net);
    let sign = if has_net { NET_SIGN } else { "" };
    sums.map(|sum| format!("{sign}{}", format.text(sum))).collect()
}

/// Draws the label of each total beyond the end of its column, in bold. `labels` has one text per
/// column. Columns without a total get none.
fn draw_totals(
    totals: &[Option<ColumnTotal>],
    labels: &[String],
    bands: &BandPlot,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    for (column, (total, label)) in totals.iter().zip(labels).enumerate() {
        let Some(total) = total else { continue };
        let start = bands.category_scale.start(column);
        let rect = bands.bar_rect((start, start + bands.category_scale.width()), (0.0, total.end));
        let text = bands.end_label(style, rect, false, style.label_size, label);
        scene.text(Text { face: Face::BOLD, color: style.text_color, ..text });
    }
}

/// Shared inputs for drawing all segments: their positions, the chart style and the number format.
struct SegmentContext<'a> {
    bands: &'a BandPlot,
    style: &'a ChartStyle,
    format: &'a NumberFormat,
    /// Whether the value axis has ticks.
    has_axis: bool,
}

/// Draws the segments, each with a value label if it is large enough. There are no labels if the
/// setting `showValues` is false. Without an axis, the scene counts the segments without a label if they are
/// many.
///
/// If any record is highlighted, the segments of the others are paler.
fn draw_segments(
    chart: &Chart,
    series: &[Series],
    segments: &[Segment],
    context: &SegmentContext,
    scene: &mut Scene,
) {
    let SegmentContext { bands, style, format, has_axis } = *context;
    let shows_values = chart.bool_setting("showValues", true);
    let is_highlighted = |record| data::is_true(data::field(record, "highlighted"));
    let any_highlighted = chart.data.iter().any(is_highlighted);
    let width = bands.category_scale.width();
    let mut value_labels = ValueLabelCount::default();
    for (segment, (from, to)) in segments.iter().zip(visible_extents(segments, &bands.value_scale))
    {
        let series = &series[segment.series];
        scene.begin_mark("bar", Some(segment.row), || {
            let value = format.text(segment.value);
            (Some(series.key.clone()), format!("{}: {value}", series.title))
        });
        let start = bands.category_scale.start(segment.column);
        let rect = match bands.is_vertical {
            true => Rect::new(start, from.min(to), start + width, from.max(to)),
            false => Rect::new(from.min(to), start, from.max(to), start + width),
        };
        let muted = any_highlighted && !chart.data.get(segment.row).is_some_and(is_highlighted);
        let fill = if muted { series.color.mix(style.background, 0.6) } else { series.color };
        scene.rect(with_gap(rect, bands.is_vertical), fill);
        if shows_values {
            let color = bands::inner_label_color(fill.over(style.background));
            let label = inner_label(style, rect, &format.text(segment.value));
            let is_labeled = !label.text.is_empty();
            value_labels.add(segment.value, is_labeled);
            scene.text(Text { color, ..label });
        }
    }
    scene.end_mark();
    value_labels.report_segments(has_axis, scene);
}

/// Records the ends of the columns, and of the segments that start at zero, for annotations. The
/// ends of other segments do not show their values. Columns of shares all have the same total.
fn record_ends(
    series: &[Series],
    columns: &StackedColumns,
    bands: &BandPlot,
    percent: bool,
    scene: &mut Scene,
) {
    let half_width = bands.category_scale.width() / 2.0;
    let place = |column: usize, value: f64| {
        let center = bands.category_scale.center(column);
        ValueEnd { is_share: percent, ..bands.value_end(center, value, half_width) }
    };
    for segment in columns.segments.iter().filter(|segment| segment.from == 0.0) {
        let field = series.get(segment.series).map(|series| &*series.key);
        scene.record_value(segment.row, field, segment.value, place(segment.column, segment.to));
    }
    for (column, total) in columns.totals.iter().enumerate().filter(|_| !percent) {
        let (Some(total), Some(row)) = (total, columns.order.get(column)) else { continue };
        if total.is_net() {
            continue;
        }
        scene.record_value(*row, None, total.sum, place(column, total.end));
    }
}

/// Returns the coordinates in points at which each segment starts and ends, along the value axis.
/// Segments are ordered by column.
///
/// Segments with another value than zero are lengthened to be visible, at the expense of the
/// largest segment on the same side of zero, so that the column keeps its end. If no segment is
/// large enough for that, all of them are shrunk to their common length, which is at least that of
/// the shortest bar.
fn visible_extents(segments: &[Segment], scale: &ValueScale) -> Vec<(f64, f64)> {
    let mut extents = vec![(0.0, 0.0); segments.len()];
    let mut first = 0;
    for column in segments.chunk_by(|one, two| one.column == two.column) {
        for is_negative in [false, true] {
            let members: Vec<usize> = (first..first + column.len())
                .filter(|index| (segments[*index].value < 0.0) == is_negative)
                .collect();
            let real =
                |index: &usize| scale.at(segments[*index].to) - scale.at(segments[*index].from);
            let end = |index: &usize| {
                bands::visible_end(scale, (segments[*index].from, segments[*index].to))
            };
            let mut lengths: Vec<f64> =
                members.iter().map(|index| end(index) - scale.at(segments[*index].from)).collect();
            let drawn: f64 = lengths.iter().sum();
            let sum: f64 = members.iter().map(real).sum();
            let largest = lengths.iter_mut().max_by(|one, two| one.abs().total_cmp(&two.abs()));
            match largest.filter(|length| length.abs() > 2.0 * (drawn - sum).abs()) {
                Some(length) => *length -= drawn - sum,
                // No segment can give so much: the whole column has the minimum length.
                None if drawn != 0.0 => {
                    let factor = sum.abs().max(bands::MIN_BAR_LENGTH) / drawn.abs();
                    lengths.iter_mut().for_each(|length| *length *= factor.min(1.0));
                }
                None => {}
            }
            let mut position = scale.at(0.0);
            for (index, length) in members.into_iter().zip(lengths) {
                extents[index] = (position, position + length);
                position += length;
            }
        }
        first += column.len();
    }
    extents
}

/// Returns `rect` less 1 point at its top (columns) or right end (bars), so that the background
/// separates two neighboring segments. Segments of at most 3 points stay whole.
pub fn with_gap(rect: Rect, is_vertical: bool) -> Rect {
    let thickness = if is_vertical { rect.height() } else { rect.width() };
    match (thickness > 3.0, is_vertical) {
        (true, true) => Rect { y0: rect.y0 + 1.0, ..rect },
        (true, false) => Rect { x1: rect.x1 - 1.0, ..rect },
        (false, _) => rect,
    }
}

/// Returns `label` centered in `rect`, at the larger of the two label sizes that leaves 2 points of
/// space beside it and 1 point above and below. The text is empty if neither size fits.
pub fn inner_label(style: &ChartStyle, rect: Rect, label: &str) -> Text {
    let fits = |size: &f64| {
        style.text_width(label, *size) + 4.0 <= rect.width()
            && size * (ASCENT_EM + DESCENT_EM) + 2.0 <= rect.height()
    };
    let middle = rect.center();
    match [style.label_size, style.small_size].into_iter().find(fits) {
        Some(size) => style.label_text(
            middle.x,
            middle.y + HALF_CAP_HEIGHT_EM * size,
            Anchor::Middle,
            size,
            label,
        ),
        None => style.label_text(middle.x, middle.y, Anchor::Middle, style.small_size, ""),
    }
}

/// Sets the text description of the scene, in English: number of columns, names of the series and
/// the range of the segments.
fn describe(
    chart: &Chart,
    series: &[Series],
    segments: &[Segment],
    format: &NumberFormat,
    percent: bool,
    scene: &mut Scene,
) {
    let values = || segments.iter().map(|segment| segment.value);
    let low = values().fold(f64::INFINITY, f64::min);
    let high = values().fold(f64::NEG_INFINITY, f64::max);
    let titles: Vec<&str> = series.iter().map(|series| &*series.title).collect();
    scene.description = format!(
        "{} chart of {} columns with {} {} ({}), from {} to {}.",
        if percent { "100% stacked" } else { "Stacked bar" },
        chart.data.len(),
        series.len(),
        if percent { "shares" } else { "series" },
        titles.join(", "),
        format.text(low),
        format.text(high),
    );
}

#[cfg(test)]
mod tests;
