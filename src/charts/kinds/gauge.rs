//! Gauge: a value on a dial between minimum and maximum, with a mark at the target.
//!
//! Record: `label`, `value`, `min`, `max`, `target`. Each record is a dial. Without `min` and `max` a
//! dial runs from zero to a round number, or to 100 percent. Settings: `axis`
//! (`min`, `max` of all dials), `bands` (`to`, `color`), `targetTitle`, `showTarget`, `showRange`,
//! `showValues`.

use std::borrow::Cow;
use std::f64::consts::FRAC_PI_2;
use std::f64::consts::PI;

use kurbo::{Point, Rect};

use crate::Chart;
use crate::Scene;
use crate::color::Color;
use crate::data;
use crate::format::NumberFormat;
use crate::format::Term;
use crate::frame;
use crate::frame::{ChartStyle, Frame};
use crate::kinds::Kind;
use crate::scale;
use crate::scene::{ASCENT_EM, Anchor, DESCENT_EM, HALF_CAP_HEIGHT_EM, Stroke, Text};
use crate::shape::ring;
use crate::text;
use crate::text::Face;
use crate::tiles;
use crate::tiles::{TileGrid, TileSpec};

/// The gauge.
pub const KIND: Kind = Kind { slug: "gauge", draw };

/// Thickness of the ring as a share of its radius.
const THICKNESS: f64 = 0.24;
/// Maximum number of bands. More could not be distinguished.
const MAX_BANDS: usize = 8;

/// The dial of one record.
struct Dial<'a> {
    /// Index of the record in the data.
    row: usize,
    label: Cow<'a, str>,
    value: f64,
    /// Minimum and maximum.
    range: (f64, f64),
    /// Target, if it is within the range.
    target: Option<f64>,
    /// Formatted value.
    value_text: String,
    /// Formatted minimum and maximum.
    range_text: (String, String),
    /// Name of the target with its formatted value.
    target_text: String,
    fill: Color,
}

/// Layout shared by all dials of a chart.
struct DialLayout {
    /// Outer radius of the ring in points.
    radius: f64,
    /// Height in points reserved above the ring for the target label.
    space_above: f64,
    /// Whether minimum and maximum are labelled.
    shows_range: bool,
    /// Number of lines of the label below the dial.
    label_lines: usize,
    /// Font size of the label below the dial in points.
    label_size: f64,
    /// Font size of the value in points. 0 hides it.
    value_size: f64,
    /// Whether marks are drawn at the targets.
    shows_targets: bool,
    /// Whether the target label is below the dial instead of at its mark.
    target_label_below: bool,
}

impl DialLayout {
    /// Sets the largest radius at which the current labels fit into `cell`, and the space above the
    /// ring.
    fn fit_radius(&mut self, dials: &[Dial], cell: Rect, style: &ChartStyle) {
        let has_target_beside = self.shows_targets && !self.target_label_below;
        self.space_above =
            if has_target_beside { style.small_size * 1.5 } else { style.unit * 4.0 };
        let space_below = self.label_lines as f64 * self.label_size * 1.25
            + if self.shows_range { style.small_size * 1.5 } else { style.small_size * 0.5 }
            + if self.target_label_below { style.small_size * 1.3 } else { 0.0 };
        self.radius = (cell.height() - self.space_above - space_below)
            .min(cell.width() / 2.0 - style.unit * 4.0);
        if has_target_beside {
            self.radius = dials
                .iter()
                .map(|dial| radius_beside_target(dial, cell, style))
                .fold(self.radius, f64::min);
        }
    }

    /// Drops the labels of `step`, least important first, or moves target labels to their marks.
    fn drop_labels(&mut self, step: usize, dial_count: usize) {
        match step {
            0 => self.label_lines = self.label_lines.min(1),
            1 if self.target_label_below => self.target_label_below = false,
            1 => self.shows_targets = false,
            2 => self.shows_range = false,
            _ => {}
        }
        if dial_count > 1 && !self.target_label_below {
            self.shows_targets = false;
        }
    }
}

/// Draws one dial per record, as many as fit.
fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let dials = read_dials(chart, frame, scene);
    if dials.is_empty() {
        return frame::draw_no_data(frame, scene);
    }
    // A single dial has space for larger secondary labels.
    let large = ChartStyle { small_size: frame.style.label_size, ..frame.style.clone() };
    let style = if dials.len() == 1 { &large } else { &frame.style };
    let spec = TileSpec {
        count: dials.len(),
        min_size: (style.label_size * 7.0, style.label_size * 5.0),
        gap: (style.unit * 20.0, style.unit * 14.0),
        aspect_ratio: 1.35,
        columns: None,
    };
    let tiles = TileGrid::new(frame.area, style, &spec);
    let shown = dials.get(..tiles.visible_count).unwrap_or(&dials);
    let layout = lay_out(chart, shown, tiles.tile_rect(0), style);
    for (index, dial) in shown.iter().enumerate() {
        draw_dial(chart, dial, tiles.tile_rect(index), &layout, style, scene);
    }
    scene.end_mark();
    tiles::draw_overflow_note(frame.area, style, dials.len() - shown.len(), "dial", scene);
    let describe = |dial: &Dial| {
        let (min, max) = &dial.range_text;
        format!("{} {} of {min} to {max}", dial.label, dial.value_text)
    };
    let first: Vec<String> = dials.iter().take(6).map(describe).collect();
    let plural = if dials.len() == 1 { "" } else { "s" };
    scene.description = format!("Gauge of {} value{plural}: {}.", dials.len(), first.join("; "));
}

/// Reads one dial per record with a value. Warns about values outside the range of their dial.
fn read_dials<'a>(chart: &Chart<'a>, frame: &Frame, scene: &mut Scene) -> Vec<Dial<'a>> {
    let rules = chart.format_rules("value");
    let any_highlighted =
        chart.data.iter().any(|record| data::is_true(data::field(record, "highlighted")));
    let title = if chart.setting("targetTitle").is_string() {
        text::sanitize(chart.str_setting("targetTitle"))
    } else {
        Cow::Borrowed(chart.locale().translate(Term::Target))
    };
    let mut out_of_range = 0;
    let mut dials = Vec::new();
    for (row, record) in chart.data.iter().enumerate() {
        let number = |key: &str| data::number(data::field(record, key));
        let Some(value) = number("value") else { continue };
        let target = number("target");
        let percent = rules.percent || rules.suffix.contains('%');
        let given_range =
            (number("min").or(chart.axis_limit("min")), number("max").or(chart.axis_limit("max")));
        let range = dial_range(value, target, given_range, percent);
        if value < range.0 || value > range.1 {
            out_of_range += 1;
        }
        let format = |values: &[f64]| {
            NumberFormat::for_values(values.iter().copied(), &rules, chart.locale())
        };
        let (value_format, range_format) = (format(&[value]), format(&[range.0, range.1]));
        let highlighted = data::is_true(data::field(record, "highlighted"));
        dials.push(Dial {
            row,
            label: data::record_label(record),
            value,
            range,
            target: target.filter(|target| *target >= range.0 && *target <= range.1),
            value_text: value_format.text(value),
            range_text: (range_format.text(range.0), range_format.text(range.1)),
            target_text: target.map_or(String::new(), |target| {
                format!("{title} {}", format(&[target]).text(target)).trim().to_owned()
            }),
            fill: match (any_highlighted, highlighted) {
                (false, _) => chart.series_color(0),
                (true, true) => chart.theme.highlight_color,
                (true, false) => frame.style.faded_color(),
            },
        });
    }
    if out_of_range > 0 {
        scene.warn(format!("Values outside the range of their dial: {out_of_range}."));
    }
    dials
}

/// Returns minimum and maximum of a dial.
///
/// Missing ends of `given_range` are zero and a round number that includes value and target. With
/// `percent` the maximum is 100 if that includes both. If the given minimum is not below the maximum,
/// both are ignored.
fn dial_range(
    value: f64,
    target: Option<f64>,
    given_range: (Option<f64>, Option<f64>),
    percent: bool,
) -> (f64, f64) {
    let low = value.min(target.unwrap_or(value)).min(0.0);
    let high = value.max(target.unwrap_or(value)).max(0.0);
    let high = if percent && high <= 100.0 && low >= 0.0 { 100.0 } else { high };
    let high = if high > low { high } else { low + 1.0 };
    let (round, _) = scale::nice_ticks(low, high, 4);
    let both = (given_range.0.unwrap_or(round.0), given_range.1.unwrap_or(round.1));
    if both.0 < both.1 { both } else { round }
}

/// Returns the angle of a value on the half circle in radians, clockwise from twelve o'clock.
fn dial_angle(dial: &Dial, value: f64) -> f64 {
    let (low, high) = dial.range;
    // Each number is halved first, because the span between two huge numbers could be infinite.
    let share = (value / 2.0 - low / 2.0) / (high / 2.0 - low / 2.0);
    (share.clamp(0.0, 1.0) - 0.5) * PI
}

/// Chooses the largest radius at which all labels fit into `cell`.
///
/// If the radius would be too small, drops in this order: the second line of the labels, target
/// labels, minimum and maximum.
fn lay_out(chart: &Chart, dials: &[Dial], cell: Rect, style: &ChartStyle) -> DialLayout {
    let mut layout = layout_with_all_labels(chart, dials, cell, style);
    for step in 0..4 {
        layout.fit_radius(dials, cell, style);
        if layout.radius >= style.label_size * 3.2 {
            break;
        }
        layout.drop_labels(step, dials.len());
    }
    let radius = layout.radius.clamp(4.0, style.unit * 420.0);
    let value_size = value_size(chart, dials, radius, style);
    // Minimum and maximum are below the ring and must not overlap.
    let widest_end = |dial: &Dial| {
        let (min, max) = &dial.range_text;
        style.text_width(min, style.small_size).max(style.text_width(max, style.small_size))
    };
    let shows_range =
        layout.shows_range && dials.iter().all(|dial| widest_end(dial) <= radius * 0.9);
    DialLayout { radius, value_size, shows_range, ..layout }
}

/// Returns a layout with all labels of settings and data. Radius and value size are set later.
fn layout_with_all_labels(
    chart: &Chart,
    dials: &[Dial],
    cell: Rect,
    style: &ChartStyle,
) -> DialLayout {
    let has_labels = dials.iter().any(|dial| !dial.label.is_empty());
    let shows_targets =
        chart.bool_setting("showTarget", true) && dials.iter().any(|dial| dial.target.is_some());
    let shows_range = chart.bool_setting("showRange", true);
    let label_size = if dials.len() == 1 { style.subtitle_size } else { style.label_size };
    let is_long = dials.iter().any(|dial| style.text_width(&dial.label, label_size) > cell.width());
    let label_lines = if !has_labels {
        0
    } else if is_long {
        2
    } else {
        1
    };
    // Target labels beside the dials must not make the dials much smaller.
    let max_radius = (cell.width() / 2.0).min(cell.height() * 0.65);
    let is_narrow =
        dials.iter().any(|dial| radius_beside_target(dial, cell, style) < max_radius * 0.7);
    DialLayout {
        radius: 0.0,
        space_above: 0.0,
        shows_range,
        label_lines,
        label_size,
        value_size: 0.0,
        shows_targets,
        target_label_below: shows_targets && (dials.len() > 1 || is_narrow),
    }
}

/// Returns the font size in points at which the values of all dials fit inside the ring. 0 if they do
/// not fit or are switched off.
fn value_size(chart: &Chart, dials: &[Dial], radius: f64, style: &ChartStyle) -> f64 {
    let has_bands = chart.setting("bands").as_array().is_some_and(|bands| !bands.is_empty());
    let inner_radius = radius * (1.0 - THICKNESS) - if has_bands { style.unit * 6.0 } else { 0.0 };
    let widest =
        dials.iter().map(|dial| text::width(&dial.value_text, 1.0, Face::BOLD)).fold(0.1, f64::max);
    // The upper corners of the value must not touch the ring.
    let max_size = (inner_radius * 0.9 / (widest / 2.0).hypot(0.9)).min(inner_radius * 0.52);
    if chart.bool_setting("showValues", true) && max_size >= style.small_size {
        max_size
    } else {
        0.0
    }
}

/// Returns the radius that leaves space beside the ring for the target label. Infinite without a
/// target.
fn radius_beside_target(dial: &Dial, cell: Rect, style: &ChartStyle) -> f64 {
    let Some(target) = dial.target else { return f64::INFINITY };
    let sine = dial_angle(dial, target).sin().abs();
    let width = style.text_width(&dial.target_text, style.small_size);
    let available = if sine < 0.2 { cell.width() / 2.0 } else { cell.width() / 2.0 - width };
    (available / sine.max(0.2) - style.small_size * 0.8).max(style.label_size * 2.0)
}

/// Draws ring, bands, value, target and labels of a dial in its cell.
fn draw_dial(
    chart: &Chart,
    dial: &Dial,
    cell: Rect,
    layout: &DialLayout,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let radius = layout.radius;
    let range_height =
        if layout.shows_range { style.small_size * 1.5 } else { style.small_size * 0.5 };
    let label_height = layout.label_lines as f64 * layout.label_size * 1.25;
    let target_height = if layout.target_label_below { style.small_size * 1.3 } else { 0.0 };
    let spare =
        (cell.height() - layout.space_above - radius - range_height - label_height - target_height)
            .max(0.0);
    let center = Point::new(cell.center().x, cell.y0 + layout.space_above + radius + spare * 0.4);
    let radii = (radius, radius * (1.0 - THICKNESS));
    scene.begin_mark("dial", Some(dial.row), || {
        (Some("value".to_owned()), format!("{}: {}", dial.label, dial.value_text))
    });
    scene.fill(ring::sector(center, radii, (-FRAC_PI_2, FRAC_PI_2)), style.grid_color);
    let zero = dial_angle(dial, 0.0f64.clamp(dial.range.0, dial.range.1));
    let reached = dial_angle(dial, dial.value);
    if (zero - reached).abs() > 1e-6 {
        let span = (zero.min(reached), zero.max(reached));
        scene.fill(ring::sector(center, radii, span), dial.fill);
    }
    draw_bands(chart, dial, center, radii.1, style, scene);
    if layout.value_size > 0.0 {
        let size = layout.value_size;
        let width = text::width(&dial.value_text, size, Face::BOLD);
        // Large values must not touch the label below the ring.
        let baseline = center.y - (size * 0.06).max(size * DESCENT_EM - range_height);
        let set = style.label_text(center.x, baseline, Anchor::Middle, size, &dial.value_text);
        scene.text(Text { face: Face::BOLD, width, color: style.text_color, ..set });
    }
    if layout.shows_range {
        draw_range_labels(dial, center, radius, cell, style, scene);
    }
    if let (true, Some(target)) = (layout.shows_targets, dial.target) {
        draw_target_mark(dial_angle(dial, target), (center, radii), style, scene);
        if !layout.target_label_below {
            draw_target_label(
                dial,
                dial_angle(dial, target),
                (center, radii.0),
                cell,
                style,
                scene,
            );
        }
    }
    draw_dial_label(dial, (center.x, center.y + range_height), cell, layout, style, scene);
}

/// Draws minimum and maximum of a dial below the ends of its ring.
fn draw_range_labels(
    dial: &Dial,
    center: Point,
    radius: f64,
    cell: Rect,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let inset = radius * (1.0 - THICKNESS / 2.0);
    let baseline = center.y + style.small_size * (0.35 + ASCENT_EM);
    let (min, max) = &dial.range_text;
    for (label, x) in [(min, center.x - inset), (max, center.x + inset)] {
        let half = style.text_width(label, style.small_size) / 2.0;
        let x = x.clamp(cell.x0 + half, (cell.x1 - half).max(cell.x0 + half));
        let set = style.label_text(x, baseline, Anchor::Middle, style.small_size, label);
        scene.text(Text { color: style.muted_color, ..set });
    }
}

/// Draws the bands of the setting `bands` as thin arcs inside the ring.
///
/// Each ends at its value `to` and has its own color, or one between accent and first theme color.
/// `ring_radius` is the inner radius of the ring.
fn draw_bands(
    chart: &Chart,
    dial: &Dial,
    center: Point,
    ring_radius: f64,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let Some(list) = chart.setting("bands").as_array() else { return };
    let read = |band: &serde_json::Value| {
        Some((data::number(&band["to"])?, band["color"].as_str().and_then(Color::parse)))
    };
    let bands: Vec<_> = list.iter().take(MAX_BANDS).filter_map(read).collect();
    let mut from = -FRAC_PI_2;
    for (index, (to, color)) in bands.iter().enumerate() {
        let end = dial_angle(dial, *to);
        if end - from < 1e-6 {
            continue;
        }
        let share = index as f64 / (bands.len() - 1).max(1) as f64;
        let default_color = chart.theme.highlight_color.mix(chart.series_color(0), share);
        let radii = (ring_radius - style.unit * 2.0, (ring_radius - style.unit * 6.0).max(0.0));
        if radii.0 > radii.1 {
            scene.fill(ring::sector(center, radii, (from, end)), color.unwrap_or(default_color));
        }
        from = end;
    }
}

/// Draws a line across the ring at the target.
fn draw_target_mark(
    angle: f64,
    (center, radii): (Point, (f64, f64)),
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let beyond = (radii.0 * 0.06).min(style.unit * 3.0);
    let (from, to) = (
        ring::point_on_circle(center, radii.1 - beyond, angle),
        ring::point_on_circle(center, radii.0 + beyond, angle),
    );
    let width = (radii.0 * 0.03).clamp(1.25, 2.0 * style.unit);
    scene.line(from, to, Stroke::new(style.background, width * 2.5));
    scene.line(from, to, Stroke::new(style.text_color, width));
}

/// Draws the target label outside the ring, at `angle`.
fn draw_target_label(
    dial: &Dial,
    angle: f64,
    (center, radius): (Point, f64),
    cell: Rect,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let size = style.small_size;
    let end = ring::point_on_circle(
        center,
        radius + style.unit * 3.0 + size * (0.3 + 0.15 * angle.cos()),
        angle,
    );
    let side = angle.sin();
    let anchor = match side {
        side if side < -0.2 => Anchor::End,
        side if side > 0.2 => Anchor::Start,
        _ => Anchor::Middle,
    };
    let max_width = match anchor {
        Anchor::End => end.x - cell.x0,
        Anchor::Start => cell.x1 - end.x,
        Anchor::Middle => cell.width(),
    };
    let label = text::ellipsize(&dial.target_text, max_width, size, style.label_face());
    // At the top of the ring the label is above the mark, at the sides beside it.
    let baseline = (end.y + HALF_CAP_HEIGHT_EM * size * (1.0 - angle.cos())).min(center.y);
    scene.text(Text {
        color: style.value_color,
        ..style.label_text(end.x, baseline, anchor, size, &label)
    });
}

/// Draws the label of a dial below it from `top` on, and the target label if it belongs there.
fn draw_dial_label(
    dial: &Dial,
    (x, top): (f64, f64),
    cell: Rect,
    layout: &DialLayout,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let size = layout.label_size;
    let lines = text::wrap(&dial.label, cell.width(), layout.label_lines, size, style.label_face());
    for (index, line) in lines.iter().enumerate() {
        let baseline = top + size * (0.2 + ASCENT_EM) + index as f64 * size * 1.25;
        let full = line.ends_with('…').then(|| dial.label.clone().into_owned());
        scene.text(Text { full, ..style.label_text(x, baseline, Anchor::Middle, size, line) });
    }
    if layout.target_label_below && dial.target.is_some() {
        let baseline =
            top + lines.len() as f64 * size * 1.25 + style.small_size * (0.2 + ASCENT_EM);
        let label =
            text::ellipsize(&dial.target_text, cell.width(), style.small_size, style.label_face());
        let set = style.label_text(x, baseline, Anchor::Middle, style.small_size, &label);
        scene.text(Text { color: style.muted_color, ..set });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dial_range_is_rounded_where_none_is_given() {
        assert_eq!(dial_range(73.0, None, (None, None), true), (0.0, 100.0));
        assert_eq!(dial_range(730.0, Some(800.0), (None, None), false), (0.0, 800.0));
        assert_eq!(
            dial_range(5.0, None, (Some(9.0), Some(1.0)), false),
            dial_range(5.0, None, (None, None), false)
        );
        let (low, high) = dial_range(-12.0, None, (None, None), false);
        assert!(low <= -12.0 && high == 0.0, "{low} {high}");
    }
}
