//! Pareto chart: columns in descending order, `Other` last, and a line of their cumulative share of the total.
//!
//! The axis of the values ends at the total, so that 100 % of the share has the same height. Both
//! axes have a common zero, and the line starts at the top of the first column.
//!
//! Record: `label`, `value`, `highlighted` (optional flag), `color`. Settings: `threshold` (a share
//! in percent), `showThreshold`, `otherAfter` (columns before the smallest are merged),
//! `shareTitle`, `showValues`, `showGrid`, `axis` (`title`).

mod labels;
mod records;

use std::borrow::Cow;

use kurbo::{Point, Rect};

use crate::Chart;
use crate::Scene;
use crate::color::Color;
use crate::data;
use crate::format::{FormatRules, NumberFormat, Term};
use crate::frame;
use crate::frame::axis;
use crate::frame::axis::{IncludeZero, ValueAxis};
use crate::frame::bands;
use crate::frame::category::ColumnLabels;
use crate::frame::{ChartStyle, Frame};
use crate::kinds::Kind;
use crate::scale::{BandScale, LinearScale};
use crate::scene::{ASCENT_EM, Anchor, Primitive, Stroke, Text, ValueEnd};
use crate::shape::curve;
use crate::text;

use records::{Bar, Bars};

/// The Pareto chart.
pub const KIND: Kind = Kind { slug: "pareto", draw };

/// Maximum number of columns. The smallest of more are merged.
const MAX_BARS: usize = 30;
/// Minimum width of a column step, as a multiple of the label size.
const MIN_STEP: f64 = 1.7;

/// Layout of the plot.
struct Plot {
    area: Rect,
    band: BandScale,
    value_scale: LinearScale,
    share_scale: LinearScale,
    /// Points of the cumulative line.
    points: Vec<Point>,
    point_radius: f64,
    names: ColumnLabels,
    /// Axis of the values at the left. None if the columns show their values.
    value_axis: Option<ValueAxis>,
    share_axis: ValueAxis,
}

impl Plot {
    /// Returns the rectangle of the column at `index` with this value, which is at least a visible
    /// line unless the value is 0.
    fn bar_rect(&self, index: usize, value: f64) -> Rect {
        let left = self.band.start(index);
        let bottom = self.value_scale.at(0.0);
        let top = bands::visible_end(&self.value_scale, (0.0, value));
        Rect::new(left, top, left + self.band.width(), bottom)
    }

    /// Returns whether the cumulative line touches a rectangle or comes as near as the radius of
    /// its points.
    fn line_passes(&self, rect: Rect) -> bool {
        let rect = rect.inflate(self.point_radius, self.point_radius);
        curve::passes_through(&self.points, rect)
            || self.points.iter().any(|point| rect.contains(*point))
    }
}

/// Draws axes, columns, the threshold and the line. Draws a note instead if the total is zero.
fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let style = &frame.style;
    let max_bars = (frame.area.width() / (style.label_size * MIN_STEP)) as usize;
    let Some(bars) = records::read_bars(chart, max_bars.clamp(2, MAX_BARS), style, scene) else {
        return frame::draw_no_data(frame, scene);
    };
    describe(chart, &bars, scene);
    let line_color = choose_line_color(chart, style);
    let area = draw_titles(chart, style, line_color, frame.area, scene);
    let with_values = chart.bool_setting("showValues", true);
    let plot = lay_out(chart, &bars, area, false, style);
    let values = with_values.then(|| labels::plan_values(&bars, &plot, style)).flatten();
    let (plot, values) = match values {
        Some(values) => (plot, values),
        // Without values at the columns, only an axis shows them.
        None => (lay_out(chart, &bars, area, true, style), Vec::new()),
    };
    draw_axes(chart, &plot, line_color, style, scene);
    draw_bars(&bars, &plot, &values, scene);
    draw_threshold(chart, &bars, &plot, &values, style, scene);
    draw_line(chart, &bars, &plot, line_color, style, scene);
    plot.names.draw(scene, style, plot.area, &plot.band);
}

/// Returns the color of the cumulative line: the highlight color, or the text color if the columns
/// have the highlight color.
fn choose_line_color(chart: &Chart, style: &ChartStyle) -> Color {
    let is_highlighted = |record| data::is_true(data::field(record, "highlighted"));
    let any_highlighted = chart.data.iter().any(is_highlighted);
    let is_taken = any_highlighted || chart.series_color(0) == chart.theme.highlight_color;
    if is_taken { style.text_color } else { chart.theme.highlight_color }
}

/// Draws the titles of both axes at the top of `area`. Returns the area below them. In a very low
/// area, draws nothing.
fn draw_titles(
    chart: &Chart,
    style: &ChartStyle,
    line_color: Color,
    area: Rect,
    scene: &mut Scene,
) -> Rect {
    let size = style.label_size;
    if area.height() < size * 6.0 {
        return area;
    }
    let setting = text::sanitize(chart.str_setting("shareTitle"));
    let term = chart.locale().translate(Term::CumulativeShare);
    let title = if setting.is_empty() { term } else { &setting };
    let left_title = data::display_text(&chart.setting("axis")["title"]);
    let share = if left_title.is_empty() { 1.0 } else { 0.5 };
    let max_width = area.width() * share - size * 0.5;
    let fitted = text::ellipsize(title, max_width, size, style.label_face());
    let baseline = area.y0 + ASCENT_EM * size;
    let label = style.label_text(area.x1, baseline, Anchor::End, size, &fitted);
    let full = (*fitted != *title).then(|| title.to_owned());
    scene.text(Text { color: line_color.readable_on(style.background, 4.5), full, ..label });
    let left_area = Rect { x1: area.center().x, ..area };
    let left_height = axis::draw_title(chart, style, scene, left_area);
    Rect { y0: area.y0 + left_height.max(size * 1.5), ..area }
}

/// Lays out the plot in `area`, with an axis of the values at the left if `with_value_axis`. Draws
/// nothing.
fn lay_out(
    chart: &Chart,
    bars: &Bars,
    area: Rect,
    with_value_axis: bool,
    style: &ChartStyle,
) -> Plot {
    let lengths = (area.height(), axis::y_tick_spacing(style));
    // The axes end at the total and at 100 %, whatever the settings say.
    let new_axis = |high: f64, rules: &FormatRules| {
        ValueAxis::fixed(chart, style, (0.0, high), IncludeZero::Always, lengths, rules)
    };
    let percent = FormatRules { percent: true, ..FormatRules::default() };
    let share_axis = new_axis(100.0, &percent);
    let value_axis = with_value_axis.then(|| {
        let axis = new_axis(bars.total, &chart.format_rules("value"));
        end_axis_at(axis, bars.total)
    });
    let left = value_axis.as_ref().map_or(0.0, |axis| axis.left_width(style));
    let x0 = area.x0 + left.min(area.width() * 0.3);
    let x1 = area.x1 - share_axis.left_width(style).min(area.width() * 0.3);
    let names: Vec<Cow<str>> = bars.bars.iter().map(|bar| bar.label.clone()).collect();
    let count = bars.bars.len();
    let max_width = 72.0 * style.unit;
    let band = BandScale { count, range: (x0, x1.max(x0 + 1.0)), padding: 0.22, max_width };
    let (names, band) = ColumnLabels::plan_whole_for_band(
        &names,
        band,
        (area.x0, area.x1),
        area.height() * 0.4,
        style,
    );
    let top = area.y0 + style.label_size * 0.4;
    let bottom = (area.y1 - names.height).max(top + 1.0);
    let plot_area = Rect::new(band.range.0, top, band.range.1, bottom);
    let range = (bottom, top);
    let value_scale = LinearScale { domain: (0.0, bars.total), range };
    let share_scale = LinearScale { domain: (0.0, 100.0), range };
    let points = (bars.bars.iter().enumerate())
        .map(|(index, bar)| Point::new(band.center(index), share_scale.at(bar.cumulative)))
        .collect();
    let point_radius = style.unit * if band.step() < 14.0 { 2.25 } else { 3.5 };
    Plot {
        area: plot_area,
        band,
        value_scale,
        share_scale,
        points,
        point_radius,
        names,
        value_axis,
        share_axis,
    }
}

/// Changes the domain of an axis to 0 to `high`, and drops the ticks above it with their labels.
fn end_axis_at(mut axis: ValueAxis, high: f64) -> ValueAxis {
    let slack = high * (1.0 + 1e-9);
    let ticks = axis.ticks.values.iter().zip(axis.labels);
    axis.labels = ticks.filter(|(value, _)| **value <= slack).map(|(_, label)| label).collect();
    axis.ticks.values.retain(|value| *value <= slack);
    axis.domain = (0.0, high);
    axis
}

/// Draws the labels of the shares at the right, the gridlines of the shares unless the setting
/// `showGrid` is false, the value axis of the plot with short tick marks if it has one, and the
/// baseline.
fn draw_axes(chart: &Chart, plot: &Plot, line_color: Color, style: &ChartStyle, scene: &mut Scene) {
    let area = plot.area;
    if chart.bool_setting("showGrid", true) {
        for share in &plot.share_axis.ticks.values {
            let y = plot.share_scale.at(*share);
            scene.line((area.x0, y), (area.x1, y), Stroke::new(style.grid_color, 1.0));
        }
    }
    let color = line_color.readable_on(style.background, 4.5);
    plot.share_axis.draw_right_labels(scene, style, area, &plot.share_scale, color);
    if let Some(value_axis) = &plot.value_axis {
        // The ticks of the total differ from those of the shares, so they have no gridlines.
        let without_grid = ChartStyle { grid_color: style.background, ..style.clone() };
        value_axis.draw_left(scene, &without_grid, area, &plot.value_scale);
        for value in &value_axis.ticks.values {
            let y = plot.value_scale.at(*value);
            let stroke = Stroke::new(style.axis_color, 1.0);
            scene.line((area.x0 - 4.0 * style.unit, y), (area.x0, y), stroke);
        }
    }
    let zero = plot.value_scale.at(0.0);
    axis::draw_baseline(scene, style, (area.x0, zero), (area.x1, zero));
}

/// Draws the columns, and in the same order the planned texts `values` of the columns, which may be
/// empty.
fn draw_bars(bars: &Bars, plot: &Plot, values: &[Text], scene: &mut Scene) {
    for (index, bar) in bars.bars.iter().enumerate() {
        scene.begin_mark("bar", bar.row, || {
            (Some("value".to_owned()), format!("{}: {}", bar.label, bar.value_text))
        });
        let rect = plot.bar_rect(index, bar.value);
        if let Some(row) = bar.row {
            let level = plot.value_scale.at(bar.value);
            let end = ValueEnd::new(true, rect.center().x, level, rect.width() / 2.0);
            scene.record_value(row, Some("value"), bar.value, end);
        }
        scene.rect(rect, bar.fill);
        if let Some(value) = values.get(index) {
            scene.text(value.clone());
        }
    }
    scene.end_mark();
}

/// Draws the line of the threshold with a label such as "80%: 4 of 12 categories" if there is a
/// free place for it. Draws nothing without a threshold.
fn draw_threshold(
    chart: &Chart,
    bars: &Bars,
    plot: &Plot,
    values: &[Text],
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let Some(threshold) = bars.threshold else { return };
    let y = plot.share_scale.at(threshold.share);
    let stroke = Stroke::new(style.text_color, 1.25 * style.unit).dashed(4.0, 3.0);
    scene.line((plot.area.x0, y), (plot.area.x1, y), stroke);
    let label = format_threshold(chart, bars);
    let label = labels::place_threshold_label(&label, threshold, bars, plot, values, style);
    if let Some(label) = label {
        scene.text(label);
    }
}

/// Returns the threshold with the number of the largest records that together reach it, such as
/// "80%: 4 of 12 categories". Empty without a threshold.
fn format_threshold(chart: &Chart, bars: &Bars) -> String {
    let Some(threshold) = bars.threshold else { return String::new() };
    let count = chart.locale().count_of_total(threshold.count, bars.record_count, "category");
    let separator = chart.locale().colon();
    format!("{}{separator} {count}", format_share(chart, threshold.share))
}

/// Formats a share (0 to 100) in percent, with one decimal unless it is almost whole.
fn format_share(chart: &Chart, share: f64) -> String {
    let decimals = usize::from((share - share.round()).abs() > 0.05);
    NumberFormat::for_shares(decimals, &FormatRules::default(), chart.locale()).text(share)
}

/// Draws the cumulative line with a point for each column.
fn draw_line(
    chart: &Chart,
    bars: &Bars,
    plot: &Plot,
    line_color: Color,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let color = style.readable_line_color(line_color);
    let width = 2.25 * style.unit;
    // A wider stroke in the background color separates the line from the first columns.
    for stroke in [
        Stroke::new(style.background, width + 2.0 * style.unit).rounded(),
        Stroke::new(color, width).rounded(),
    ] {
        scene.push(Primitive::Polyline { points: plot.points.clone(), stroke });
    }
    for (bar, point) in bars.bars.iter().zip(&plot.points) {
        scene.begin_mark("point", bar.row, || {
            let term = chart.locale().translate(Term::CumulativeShare);
            let share = format_share(chart, bar.cumulative);
            (Some("cumulative".to_owned()), format!("{term}, {}: {share}", bar.label))
        });
        let rim = Stroke::new(style.background, style.unit);
        scene.circle(*point, plot.point_radius, color, Some(rim));
    }
    scene.end_mark();
}

/// Sets the text description of the scene: number of records, total, largest value, and the number
/// of the largest records that together reach the threshold.
fn describe(chart: &Chart, bars: &Bars, scene: &mut Scene) {
    let rules = chart.format_rules("value");
    let total = NumberFormat::for_values([bars.total].into_iter(), &rules, chart.locale());
    let count = bars.record_count;
    let total_text = total.text(bars.total);
    scene.description = format!("Pareto chart of {count} categories with a total of {total_text}");
    // In reverse order, because `max_by` returns the last of several maxima.
    let largest = bars.bars.iter().rev().max_by(|one, two| one.value.total_cmp(&two.value));
    if let Some(Bar { label, value_text, value, .. }) = largest {
        let share = format_share(chart, value / bars.total * 100.0);
        scene
            .description
            .push_str(&format!("; the largest is {label} with {value_text} ({share})"));
    }
    if let Some(threshold) = bars.threshold {
        let share = format_share(chart, threshold.share);
        let reached = threshold.count;
        scene.description.push_str(&format!("; {reached} of them reach {share}"));
    }
    scene.description.push('.');
}
