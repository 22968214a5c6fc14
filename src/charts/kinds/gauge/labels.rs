//! Labels of the dials of a gauge. They determine how large the rings can be.

use kurbo::Rect;

use crate::Chart;
use crate::Scene;
use crate::frame::ChartStyle;
use crate::kinds::gauge::dial::{Dial, DialRing, THICKNESS_SHARE};
use crate::scene::{ASCENT_EM, Anchor, DESCENT_EM, HALF_CAP_HEIGHT_EM, Text};
use crate::shape::ring;
use crate::text;
use crate::text::Face;
use crate::tiles;

/// Minimum radius of the rings as a multiple of the label size, below which labels are dropped.
const MIN_RADIUS_EM: f64 = 3.2;
/// Minimum radius of the rings as a multiple of the label size, if labels are whole only with rings
/// that small.
const MIN_RADIUS_OF_WHOLE_NAMES_EM: f64 = 2.2;

/// Radius of the rings and labels, common to all dials of a chart. Lengths are in points.
pub struct DialLayout {
    /// Outer radius of the ring.
    pub radius: f64,
    /// Height reserved above the ring for the target label.
    pub space_above: f64,
    /// Whether minimum and maximum are labelled.
    shows_range: bool,
    /// Number of lines of the label below the dial.
    label_lines: usize,
    /// Font size of the label below the dial.
    label_size: f64,
    /// Whether size and lines are chosen so that all names are whole, and the ring is large enough.
    has_whole_names: bool,
    /// Font size of the value. 0 hides the value.
    value_size: f64,
    /// Whether marks are drawn at the targets.
    pub shows_targets: bool,
    /// Whether the target label is below the dial. Otherwise it is at its mark.
    target_label_below: bool,
}

impl DialLayout {
    /// Returns the height in points of minimum and maximum below the ring, with the space around
    /// them. If they are hidden, only a small space.
    pub fn range_height(&self, style: &ChartStyle) -> f64 {
        if self.shows_range { style.small_size * 1.5 } else { style.small_size * 0.5 }
    }

    /// Returns the height in points of all lines of the label below the dial. 0 without labels.
    pub fn label_height(&self) -> f64 {
        self.label_lines as f64 * self.label_size * 1.25
    }

    /// Returns the height in points of the target label below the dial. 0 if it is at its mark or
    /// hidden.
    pub fn target_height(&self, style: &ChartStyle) -> f64 {
        if self.target_label_below { style.small_size * 1.3 } else { 0.0 }
    }

    /// Sets the largest radius at which the current labels fit into `cell`, and the space above the
    /// ring. The radius is negative if the labels alone are too high.
    fn fit_radius(&mut self, dials: &[Dial], cell: Rect, style: &ChartStyle) {
        let has_target_beside = self.shows_targets && !self.target_label_below;
        self.space_above =
            if has_target_beside { style.small_size * 1.5 } else { style.unit * 4.0 };
        let space_below =
            self.label_height() + self.range_height(style) + self.target_height(style);
        self.radius = (cell.height() - self.space_above - space_below)
            .min(cell.width() / 2.0 - style.unit * 4.0);
        if has_target_beside {
            self.radius = dials
                .iter()
                .map(|dial| radius_beside_target(dial, cell, style))
                .fold(self.radius, f64::min);
        }
    }

    /// Sets lines and font size of the names so that all are whole, if the rings are large enough
    /// for their values then. Hides minimum and maximum if names are only whole without them.
    /// Changes no lines or sizes if names cannot be whole, if no name needs two lines, or for a
    /// single dial.
    fn fit_whole_names(&mut self, chart: &Chart, dials: &[Dial], cell: Rect, style: &ChartStyle) {
        if self.label_lines < 2 || dials.len() == 1 {
            return;
        }
        let names = dials.iter().map(|dial| &*dial.label);
        let (label_size, label_lines, shows_range) =
            (self.label_size, self.label_lines, self.shows_range);
        let fitting = tiles::fit_names(names, cell.width(), style);
        let forms = [(true, MIN_RADIUS_EM), (false, MIN_RADIUS_OF_WHOLE_NAMES_EM)];
        for (with_range, min_radius) in forms {
            for (size, line_count) in &fitting {
                (self.label_size, self.label_lines) = (*size, *line_count);
                self.shows_range = shows_range && with_range;
                self.fit_radius(dials, cell, style);
                let has_values = choose_value_size(chart, dials, self.radius, style) > 0.0
                    || !chart.bool_setting("showValues", true);
                if has_values && self.radius >= style.label_size * min_radius {
                    self.has_whole_names = true;
                    return;
                }
            }
        }
        (self.label_size, self.label_lines, self.shows_range) =
            (label_size, label_lines, shows_range);
    }

    /// Drops the labels of `step`: at 0 the second line of the names, at 1 the targets, at 2
    /// minimum and maximum. Other steps drop nothing.
    ///
    /// At step 1, target labels below a single dial move to their marks instead. Several dials have
    /// no space at the marks, so their targets are dropped.
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

/// Chooses the largest radius, common to all dials, at which all labels fit into `cell`.
///
/// Names are wrapped and in smaller text if they are whole then, and the rings remain readable. If
/// the radius would be too small, drops in this order: the second line of the labels, target labels
/// (that of a single dial moves from below the dial to its mark instead), minimum and maximum. At
/// the chosen radius, values or minimum and maximum that do not fit are hidden.
pub fn lay_out(chart: &Chart, dials: &[Dial], cell: Rect, style: &ChartStyle) -> DialLayout {
    let mut layout = layout_with_all_labels(chart, dials, cell, style);
    layout.fit_whole_names(chart, dials, cell, style);
    for step in 0..4 {
        layout.fit_radius(dials, cell, style);
        if layout.has_whole_names || layout.radius >= style.label_size * MIN_RADIUS_EM {
            break;
        }
        layout.drop_labels(step, dials.len());
    }
    let radius = layout.radius.clamp(4.0, style.unit * 420.0);
    let value_size = choose_value_size(chart, dials, radius, style);
    // Minimum and maximum are below the ring and must not overlap.
    let max_end_width = |dial: &Dial| {
        let (min, max) = &dial.range_text;
        style.text_width(min, style.small_size).max(style.text_width(max, style.small_size))
    };
    let shows_range =
        layout.shows_range && dials.iter().all(|dial| max_end_width(dial) <= radius * 0.9);
    DialLayout { radius, value_size, shows_range, ..layout }
}

/// Returns a layout with all labels of settings and data, with two lines for names if one is too
/// wide. Radius, value size and space above the ring are 0 until `lay_out` sets them.
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
        has_whole_names: false,
        value_size: 0.0,
        shows_targets,
        target_label_below: shows_targets && (dials.len() > 1 || is_narrow),
    }
}

/// Returns the largest font size in points at which the values of all dials fit inside a ring with
/// this outer radius.
///
/// 0 if it would be below the small font size, or if values are switched off.
fn choose_value_size(chart: &Chart, dials: &[Dial], radius: f64, style: &ChartStyle) -> f64 {
    let has_bands = chart.setting("bands").as_array().is_some_and(|bands| !bands.is_empty());
    let band_width = if has_bands { style.unit * 6.0 } else { 0.0 };
    let inner_radius = radius * (1.0 - THICKNESS_SHARE) - band_width;
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

/// Returns the largest radius in points at which the target label fits into `cell` beside the ring,
/// but at least twice the label size. Infinite without a target.
fn radius_beside_target(dial: &Dial, cell: Rect, style: &ChartStyle) -> f64 {
    let Some(target) = dial.target else { return f64::INFINITY };
    let sine = dial.angle(target).sin().abs();
    let width = style.text_width(&dial.target_text, style.small_size);
    let available = if sine < 0.2 { cell.width() / 2.0 } else { cell.width() / 2.0 - width };
    (available / sine.max(0.2) - style.small_size * 0.8).max(style.label_size * 2.0)
}

/// Draws the value inside the ring, in the font size of `layout`. Draws nothing if `layout` hides
/// it.
pub fn draw_value(
    dial: &Dial,
    dial_ring: &DialRing,
    layout: &DialLayout,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let size = layout.value_size;
    if size <= 0.0 {
        return;
    }
    let width = text::width(&dial.value_text, size, Face::BOLD);
    // Large values must not touch the label below the ring.
    let offset = (size * 0.06).max(size * DESCENT_EM - layout.range_height(style));
    let (x, baseline) = (dial_ring.center.x, dial_ring.center.y - offset);
    let text = style.label_text(x, baseline, Anchor::Middle, size, &dial.value_text);
    scene.text(Text { face: Face::BOLD, width, color: style.text_color, ..text });
}

/// Draws minimum and maximum below the ends of the ring, in the small font size of `style`. Moves
/// them horizontally if they would leave `cell`. Draws nothing if `layout` hides them.
pub fn draw_range_labels(
    dial: &Dial,
    dial_ring: &DialRing,
    cell: Rect,
    layout: &DialLayout,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    if !layout.shows_range {
        return;
    }
    let inset = dial_ring.radius * (1.0 - THICKNESS_SHARE / 2.0);
    let baseline = dial_ring.center.y + style.small_size * (0.35 + ASCENT_EM);
    let (min, max) = &dial.range_text;
    for (label, x) in [(min, dial_ring.center.x - inset), (max, dial_ring.center.x + inset)] {
        let half = style.text_width(label, style.small_size) / 2.0;
        let x = x.clamp(cell.x0 + half, (cell.x1 - half).max(cell.x0 + half));
        let text = style.label_text(x, baseline, Anchor::Middle, style.small_size, label);
        scene.text(Text { color: style.muted_color, ..text });
    }
}

/// Draws the target label outside the ring, at the mark of the target, unless `layout` hides it or
/// places it below the dial.
pub fn draw_target_label(
    dial: &Dial,
    dial_ring: &DialRing,
    cell: Rect,
    layout: &DialLayout,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let Some(target) = dial.target else { return };
    if !layout.shows_targets || layout.target_label_below {
        return;
    }
    let angle = dial.angle(target);
    let size = style.small_size;
    let end = ring::point_on_circle(
        dial_ring.center,
        dial_ring.radius + style.unit * 3.0 + size * (0.3 + 0.15 * angle.cos()),
        angle,
    );
    let anchor = match angle.sin() {
        sine if sine < -0.2 => Anchor::End,
        sine if sine > 0.2 => Anchor::Start,
        _ => Anchor::Middle,
    };
    let max_width = match anchor {
        Anchor::End => end.x - cell.x0,
        Anchor::Start => cell.x1 - end.x,
        Anchor::Middle => cell.width(),
    };
    let label = text::ellipsize(&dial.target_text, max_width, size, style.label_face());
    // At the top of the ring the label is above the mark, at the sides beside it.
    let baseline =
        (end.y + HALF_CAP_HEIGHT_EM * size * (1.0 - angle.cos())).min(dial_ring.center.y);
    scene.text(Text {
        color: style.value_color,
        ..style.label_text(end.x, baseline, anchor, size, &label)
    });
}

/// Draws the name of the record below the dial, and the target label below the name if `layout`
/// places it there. Shortens texts that do not fit.
pub fn draw_labels_below(
    dial: &Dial,
    dial_ring: &DialRing,
    cell: Rect,
    layout: &DialLayout,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let (x, top) = (dial_ring.center.x, dial_ring.center.y + layout.range_height(style));
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
        let text = style.label_text(x, baseline, Anchor::Middle, style.small_size, &label);
        scene.text(Text { color: style.muted_color, ..text });
    }
}
