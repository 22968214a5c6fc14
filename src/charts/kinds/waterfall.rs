//! Waterfall chart: increases and decreases from a start to a result. Each bar starts at the level
//! at which the one before it ends.
//!
//! Record: `label`, `value`, `isTotal` (starts at zero; without a value it shows the level reached
//! so far). Without `isTotal`, the values tell which records are totals, see `totals`. Settings:
//! `orientation` (`vertical`, `horizontal`), `showConnectors`, `positiveColor`, `negativeColor`,
//! `totalColor`, `showValues`, `showLegend`, `showGrid`, `axis`.

mod totals;

use std::borrow::Cow;

use kurbo::Rect;

use crate::Chart;
use crate::Scene;
use crate::color::Color;
use crate::data;
use crate::format::{NumberFormat, Omission, Term};
use crate::frame;
use crate::frame::axis;
use crate::frame::axis::{IncludeZero, ValueAxis};
use crate::frame::category::{ColumnLabels, RowLabels};
use crate::frame::legend;
use crate::frame::{ChartStyle, Frame};
use crate::kinds::Kind;
use crate::scale::{BandScale, LinearScale};
use crate::scene::{ASCENT_EM, Anchor, HALF_CAP_HEIGHT_EM, Stroke, Text, ValueEnd};
use crate::text;
use crate::text::Face;

/// The waterfall chart.
pub const KIND: Kind = Kind { slug: "waterfall", draw };

/// Share of the largest level below which a level that should be zero differs from it because of
/// binary rounding.
const ROUNDING_SHARE: f64 = 1e-12;
/// A record with the levels before and after it.
struct Step<'a> {
    /// Index of the record in the data.
    row: usize,
    label: Cow<'a, str>,
    /// None if the record has no value.
    levels: Option<Levels>,
    is_total: bool,
    /// Formatted change, with a plus sign for increases, or formatted level of a total. Empty
    /// without a value.
    value_text: String,
}

/// Levels at the two ends of a bar. The bar of a total starts at 0.
#[derive(Clone, Copy)]
struct Levels {
    start: f64,
    end: f64,
}

/// Layout of the plot.
struct Plot {
    area: Rect,
    /// Whether the bars are vertical.
    is_vertical: bool,
    /// Positions of the steps.
    band: BandScale,
    /// Positions of the levels.
    scale: LinearScale,
    /// Font size of the values in points. None if they do not fit or are switched off.
    label_size: Option<f64>,
}

/// Colors of increases, decreases and totals.
struct BarColors {
    increase: Color,
    decrease: Color,
    total: Color,
}

/// Draws axes, connectors, bars and values, and a legend if the setting `showLegend` is true. Draws a note
/// instead if no record has a value.
fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let steps = read_steps(chart, scene);
    if steps.iter().all(|step| step.levels.is_none()) {
        return frame::draw_no_data(frame, scene);
    }
    let style = &frame.style;
    let colors = read_colors(chart, style);
    let mut area = frame.area;
    if chart.bool_setting("showLegend", false) {
        let names =
            [Term::Increase, Term::Decrease, Term::Total].map(|term| style.locale.translate(term));
        let entries = names.into_iter().zip([colors.increase, colors.decrease, colors.total]);
        area = legend::draw(scene, style, area, entries);
    }
    let plot = if chart.str_setting("orientation") == "horizontal" {
        draw_axes_of_horizontal_bars(&steps, chart, style, area, scene)
    } else {
        draw_axes_of_vertical_bars(&steps, chart, style, area, scene)
    };
    draw_connectors(&steps, chart, &plot, style, scene);
    draw_bars(&steps, &plot, &colors, scene);
    draw_values(&steps, &plot, style, scene);
    let zero = plot.scale.at(0.0);
    if plot.is_vertical {
        axis::draw_baseline(scene, style, (plot.area.x0, zero), (plot.area.x1, zero));
    } else {
        axis::draw_baseline(scene, style, (zero, plot.area.y0), (zero, plot.area.y1));
    }
    describe(&steps, scene);
}

/// Returns the colors of the settings, or the defaults: the first series color for increases, the
/// highlight color for decreases, and gray for totals.
fn read_colors(chart: &Chart, style: &ChartStyle) -> BarColors {
    let setting = |key: &str| Color::parse(chart.str_setting(key));
    let default_total = || style.muted_color.mix(style.background, 0.1);
    BarColors {
        increase: setting("positiveColor").unwrap_or_else(|| chart.series_color(0)),
        decrease: setting("negativeColor").unwrap_or(chart.theme.highlight_color),
        total: setting("totalColor").unwrap_or_else(default_total),
    }
}

/// Reads the steps and formats their values. Warns about totals that differ from the sum of their
/// steps. The scene counts the steps without a value.
///
/// A total without a value shows the level reached so far, unless it is the first record. Later steps
/// continue from a total. Steps without a value stay in the result, without levels.
fn read_steps<'a>(chart: &Chart<'a>, scene: &mut Scene) -> Vec<Step<'a>> {
    let mut level = 0.0f64;
    let mut steps = Vec::with_capacity(chart.data.len());
    for (row, (record, is_total)) in chart.data.iter().zip(totals::find_totals(chart)).enumerate() {
        let value = data::number(&record["value"]);
        let levels = match (value, is_total) {
            (Some(value), true) => {
                if row > 0 && (value - level).abs() > 1e-6 * value.abs().max(level.abs()) {
                    scene.warn("A total differs from the sum of its steps.");
                }
                Some(Levels { start: 0.0, end: value })
            }
            (Some(value), false) => Some(Levels { start: level, end: level + value }),
            (None, true) if row > 0 => Some(Levels { start: 0.0, end: level }),
            (None, _) => None,
        };
        level = levels.map_or(level, |levels| levels.end);
        let label = data::record_label(record);
        steps.push(Step { row, label, levels, is_total, value_text: String::new() });
    }
    // The levels after a step without a value lack it.
    let is_missing = |step: &&Step| {
        step.levels.is_none()
            && chart.data.get(step.row).is_some_and(|record| !data::is_blank(record))
    };
    scene.omit(Omission::MissingValue, steps.iter().filter(is_missing).count());
    let format = NumberFormat::for_values(
        chart.data.iter().filter_map(|record| data::number(&record["value"])),
        &chart.format_rules("value"),
        chart.locale(),
    );
    let all_levels = || steps.iter().filter_map(|step| step.levels);
    let largest = all_levels().map(|levels| levels.end.abs()).fold(0.0, f64::max);
    for step in &mut steps {
        let Some(levels) = step.levels else { continue };
        // The difference of two levels lacks the last digits of a small change.
        let change = chart.data.get(step.row).and_then(|record| data::number(&record["value"]));
        let is_rounding_error = levels.end.abs() < largest * ROUNDING_SHARE;
        step.value_text = match change {
            Some(value) if step.is_total => format.text(value),
            Some(change) => format.signed_text(change),
            None if is_rounding_error => format.text(0.0),
            None => format.text(levels.end),
        };
    }
    steps
}

/// Returns the minimum and maximum of zero and the levels at both ends of all bars.
fn find_level_range(steps: &[Step]) -> (f64, f64) {
    let levels = steps.iter().filter_map(|step| step.levels);
    let ends = levels.flat_map(|levels| [levels.start, levels.end]);
    ends.fold((0.0, 0.0), |(low, high): (f64, f64), level| (low.min(level), high.max(level)))
}

/// Returns a value axis of `length` points for all levels, with a tick about every `tick_spacing`
/// points.
fn create_value_axis(
    steps: &[Step],
    chart: &Chart,
    style: &ChartStyle,
    length: f64,
    tick_spacing: f64,
) -> ValueAxis {
    ValueAxis::new(
        chart,
        style,
        find_level_range(steps),
        IncludeZero::Always,
        (length, tick_spacing),
        &chart.format_rules("value"),
    )
}

/// Returns the lowest and highest level of a plot without a visible axis: those of the data,
/// widened by the settings `axis.min` and `axis.max`. They always differ.
fn compute_domain_without_axis(steps: &[Step], chart: &Chart) -> (f64, f64) {
    let (low, high) = find_level_range(steps);
    let low = chart.axis_limit("min").map_or(low, |limit| limit.min(low));
    let high = chart.axis_limit("max").map_or(high, |limit| limit.max(high));
    if low == high { (low, low + 1.0) } else { (low, high) }
}

/// Returns the positions of the bars, one per step, along the category axis, which extends over `range` in
/// points. A bar is at most `max_thickness` points thick.
fn create_category_band(steps: &[Step], range: (f64, f64), max_thickness: f64) -> BandScale {
    let padding = if steps.len() > 60 { 0.1 } else { 0.3 };
    BandScale { count: steps.len(), range, padding, max_width: max_thickness }
}

/// Lays out vertical bars from left to right, with labels below. Draws the axes.
///
/// By default the value axis is drawn only if the bars have no values.
fn draw_axes_of_vertical_bars(
    steps: &[Step],
    chart: &Chart,
    style: &ChartStyle,
    mut area: Rect,
    scene: &mut Scene,
) -> Plot {
    area.y0 += axis::draw_title(chart, style, scene, area);
    let max_width = area.width() / steps.len() as f64 - 2.0;
    let fits = |size: &f64| {
        steps.iter().all(|step| style.text_width(&step.value_text, *size) <= max_width)
    };
    let values_wanted =
        chart.bool_setting("showValues", true) && area.height() > style.label_size * 8.0;
    let label_size =
        [style.label_size, style.small_size].into_iter().find(fits).filter(|_| values_wanted);
    let with_axis = chart.bool_setting("showGrid", label_size.is_none());
    let axis = create_value_axis(steps, chart, style, area.height(), axis::y_tick_spacing(style));
    let left = if with_axis { axis.left_width(style).min(area.width() * 0.4) } else { 0.0 };
    let band = create_category_band(steps, (area.x0 + left, area.x1), 72.0 * style.unit);
    let names: Vec<Cow<str>> = steps.iter().map(|step| step.label.clone()).collect();
    let (column_labels, band) = ColumnLabels::plan_whole_for_band(
        &names,
        band,
        (area.x0, area.x1),
        area.height() * 0.4,
        style,
    );
    let bottom = (area.y1 - column_labels.height).max(area.y0 + 1.0);
    let plot = Rect::new(area.x0 + left, area.y0, area.x1, bottom);
    let space_above = label_size.map_or(style.label_size * 0.4, |size| size * 1.35);
    let has_negative_levels = find_level_range(steps).0 < 0.0;
    let space_below =
        if has_negative_levels { label_size.map_or(0.0, |size| size * 1.35) } else { 0.0 };
    let domain = if with_axis { axis.domain } else { compute_domain_without_axis(steps, chart) };
    let top = (plot.y0 + space_above).min(plot.y1 - space_below);
    let scale = LinearScale { domain, range: (plot.y1 - space_below, top) };
    if with_axis {
        axis.draw_left(scene, style, plot, &scale);
    }
    column_labels.draw(scene, style, plot, &band);
    Plot { area: plot, is_vertical: true, band, scale, label_size }
}

/// Lays out horizontal bars from top to bottom, with labels on the left. Draws the axes.
///
/// By default the value axis is drawn only if the bars have no values.
fn draw_axes_of_horizontal_bars(
    steps: &[Step],
    chart: &Chart,
    style: &ChartStyle,
    mut area: Rect,
    scene: &mut Scene,
) -> Plot {
    area.y0 += axis::draw_title(chart, style, scene, area);
    let row_height = area.height() / steps.len() as f64;
    let size =
        if row_height >= style.label_size * 1.15 { style.label_size } else { style.small_size };
    let widths = steps.iter().map(|step| style.text_width(&step.value_text, size));
    let value_width = widths.fold(0.0, f64::max) + style.unit * 5.0;
    let values_wanted = chart.bool_setting("showValues", true)
        && row_height >= size * 1.1
        && value_width < area.width() * 0.25;
    let label_size = values_wanted.then_some(size);
    let with_axis = chart.bool_setting("showGrid", label_size.is_none());
    let axis_height = if with_axis { ValueAxis::bottom_height(style) } else { 0.0 };
    let bottom = (area.y1 - axis_height).max(area.y0 + 1.0);
    let band = create_category_band(steps, (area.y0, bottom), 44.0 * style.unit);
    let names: Vec<Cow<str>> = steps.iter().map(|step| step.label.clone()).collect();
    let row_labels = RowLabels::plan_uncut(
        &names,
        band.step(),
        (area.width() * 0.36, area.width() * 0.5),
        style,
    );
    let space_right = if label_size.is_some() { value_width } else { 0.0 };
    let space_left = if find_level_range(steps).0 < 0.0 { space_right } else { 0.0 };
    let left = area.x0 + row_labels.width + space_left;
    let plot = Rect::new(left, area.y0, (area.x1 - space_right).max(left + 1.0), bottom);
    let axis = create_value_axis(steps, chart, style, plot.width(), axis::x_tick_spacing(style));
    let domain = if with_axis { axis.domain } else { compute_domain_without_axis(steps, chart) };
    let scale = LinearScale { domain, range: (plot.x0, plot.x1) };
    if with_axis {
        axis.draw_bottom(scene, style, plot, &scale);
    }
    row_labels.draw(scene, style, area.x0, &band);
    Plot { area: plot, is_vertical: false, band, scale, label_size }
}

/// Draws a thin line at the end level of each bar from that bar to the next one, across steps without a
/// value. Draws none if the bars are very close to each other or the setting `showConnectors` is false.
fn draw_connectors(
    steps: &[Step],
    chart: &Chart,
    plot: &Plot,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    if !chart.bool_setting("showConnectors", true) || plot.band.step() < 4.0 {
        return;
    }
    let stroke = Stroke::new(style.muted_color.mix(style.background, 0.3), 1.0);
    let end_level = |(index, step): (usize, &Step)| step.levels.map(|levels| (index, levels.end));
    let end_levels: Vec<(usize, f64)> = steps.iter().enumerate().filter_map(end_level).collect();
    for pair in end_levels.windows(2) {
        let [(index, level), (next_index, _)] = pair else { continue };
        let level = plot.scale.at(*level);
        let from = plot.band.start(*index) + plot.band.width();
        let to = plot.band.start(*next_index);
        if plot.is_vertical {
            scene.line((from, level), (to, level), stroke);
        } else {
            scene.line((level, from), (level, to), stroke);
        }
    }
}

/// Returns the coordinates of both ends of a bar along the value axis in points, the lower first, which is
/// the upper end of a vertical bar. They are at least 1 point apart, so that a step without change stays
/// visible.
fn compute_bar_extent(plot: &Plot, levels: Levels) -> (f64, f64) {
    let (start, end) = (plot.scale.at(levels.start), plot.scale.at(levels.end));
    let (low, high) = (start.min(end), start.max(end));
    if high - low >= 1.0 { (low, high) } else { ((high - 1.0).max(0.0), high) }
}

/// Draws the bars as marks, in the colors of increases, decreases and totals. A step without change
/// has the color of an increase, a step without a value has no bar.
fn draw_bars(steps: &[Step], plot: &Plot, colors: &BarColors, scene: &mut Scene) {
    for (index, step) in steps.iter().enumerate() {
        let Some(levels) = step.levels else { continue };
        let fill = match step.is_total {
            true => colors.total,
            false if levels.end >= levels.start => colors.increase,
            false => colors.decrease,
        };
        let (low, high) = compute_bar_extent(plot, levels);
        let (start, end) = (plot.band.start(index), plot.band.start(index) + plot.band.width());
        scene.begin_mark("bar", Some(step.row), || {
            (Some("value".to_owned()), format!("{}: {}", step.label, step.value_text))
        });
        let half_width = plot.band.width() / 2.0;
        let level = plot.scale.at(levels.end);
        let value_end = ValueEnd::new(plot.is_vertical, plot.band.center(index), level, half_width);
        scene.record_value(step.row, Some("value"), levels.end, value_end);
        scene.rect(
            if plot.is_vertical {
                Rect::new(start, low, end, high)
            } else {
                Rect::new(low, start, high, end)
            },
            fill,
        );
    }
    scene.end_mark();
}

/// Draws the values above vertical bars, or right of horizontal bars. The values of bars that are
/// completely below zero are below, or on the left, where the line at zero does not cross them. Draws
/// nothing if the plot has no label size.
fn draw_values(steps: &[Step], plot: &Plot, style: &ChartStyle, scene: &mut Scene) {
    let Some(size) = plot.label_size else { return };
    for (index, step) in steps.iter().enumerate() {
        let Some(levels) = step.levels else { continue };
        let (low, high) = compute_bar_extent(plot, levels);
        let center = plot.band.center(index);
        let is_below_zero =
            levels.start.max(levels.end) <= 0.0 && levels.start.min(levels.end) < 0.0;
        let (x, y, anchor) = match (plot.is_vertical, is_below_zero) {
            (true, false) => (center, low - size * 0.4, Anchor::Middle),
            (true, true) => (center, high + size * (0.4 + ASCENT_EM), Anchor::Middle),
            (false, false) => {
                (high + style.unit * 5.0, center + HALF_CAP_HEIGHT_EM * size, Anchor::Start)
            }
            (false, true) => {
                (low - style.unit * 5.0, center + HALF_CAP_HEIGHT_EM * size, Anchor::End)
            }
        };
        let face = if step.is_total { Face::BOLD } else { style.label_face() };
        let label_text = style.label_text(x, y, anchor, size, &step.value_text);
        let width = text::width(&step.value_text, size, face);
        scene.text(Text { face, width, color: style.value_color, ..label_text });
    }
}

/// Sets the text description of the scene: the number of steps, and the first and last one with their
/// values, or only the number if there is one step. Steps without a value do not count.
fn describe(steps: &[Step], scene: &mut Scene) {
    let mut with_value = steps.iter().filter(|step| step.levels.is_some());
    let count = with_value.clone().count();
    if let (Some(first), Some(last)) = (with_value.next(), with_value.next_back()) {
        scene.description = format!(
            "Waterfall chart of {count} steps, from {} ({}) to {} ({}).",
            first.label, first.value_text, last.label, last.value_text
        );
    } else {
        scene.description = "Waterfall chart of one step.".to_owned();
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_of_bars_below_zero_are_not_on_the_line_at_zero() {
        let data = [
            json!({"label": "Start", "value": -2}),
            json!({"label": "Loss", "value": -90}),
            json!({"label": "Gain", "value": 4}),
            json!({"label": "Rise", "value": 100}),
        ];
        for orientation in ["vertical", "horizontal"] {
            let settings = json!({"orientation": orientation, "axis": {"min": -100, "max": 20}});
            let scene = crate::draw(&Chart { settings: &settings, ..Chart::new(&KIND, &data) });
            let boxes: Vec<(&str, Rect)> = scene.text_boxes().collect();
            let find = |name: &str| boxes.iter().find(|(text, _)| *text == name).unwrap().1;
            let (first, loss, rise) = (find("\u{2212}2"), find("\u{2212}90"), find("+100"));
            let is_after_zero = match orientation {
                "vertical" => first.y0 > rise.y1 && loss.y0 > first.y1,
                _ => first.x1 < rise.x0 && loss.x1 < first.x0,
            };
            assert!(is_after_zero, "{orientation}: {first:?} {loss:?} {rise:?}");
        }
    }

    #[test]
    fn small_changes_keep_their_digits_and_a_level_of_zero_is_zero() {
        let data = [
            json!({"label": "Start", "value": 1e12}),
            json!({"label": "Change", "value": 0.0004}),
            json!({"label": "End", "value": -1e12}),
        ];
        let scene = crate::draw(&Chart::new(&KIND, &data));
        let texts: Vec<&str> = scene.text_boxes().map(|(text, _)| text).collect();
        assert!(texts.contains(&"+0.0004"), "{texts:?}");
        let step =
            |label: &str, value: f64| json!({"label": label, "value": value, "isTotal": false});
        let data = [
            step("A", 0.1),
            step("B", 0.2),
            step("C", -0.3),
            json!({"label": "Total", "isTotal": true}),
        ];
        let scene = crate::draw(&Chart::new(&KIND, &data));
        let texts: Vec<&str> = scene.text_boxes().map(|(text, _)| text).collect();
        assert!(texts.contains(&"0.0"), "{texts:?}");
    }
}
