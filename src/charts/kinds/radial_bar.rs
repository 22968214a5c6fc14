//! Radial bar chart: one ring per record, the first outermost. A ring starts at twelve o'clock and
//! covers at most three quarters of a circle. The labels are in the free quarter.
//!
//! Record: `label`, `value` (from 0), `highlighted`, `color`. Settings: `sort`, `showValues`,
//! `showGrid`, `axis` (`max`), `valueTitle`.

use std::f64::consts::TAU;

use kurbo::{Arc, BezPath, Point, Vec2};

use crate::Chart;
use crate::Scene;
use crate::color::Color;
use crate::data;
use crate::format::{NumberFormat, Omission};
use crate::frame;
use crate::frame::{ChartStyle, Frame, MIN_TEXT_SIZE};
use crate::kinds::Kind;
use crate::scene::{Anchor, HALF_CAP_HEIGHT_EM, Stroke, Text};
use crate::text;

/// The radial bar chart.
pub const KIND: Kind = Kind { slug: "radial-bar", draw };

/// Angle of the largest possible bar in radians.
const SWEEP: f64 = TAU * 0.75;
/// Maximum number of rings. With more records, the largest values are shown, because more rings
/// would be hairlines.
const MAX_RINGS: usize = 30;
/// Inner radius relative to the outer radius.
const INNER_RADIUS_SHARE: f64 = 0.17;
/// Inner radius relative to the outer radius if there are many rings.
const CROWDED_INNER_RADIUS_SHARE: f64 = 0.1;
/// Thickness of a bar relative to the distance of two rings.
const BAR_SHARE: f64 = 0.72;
/// Minimum distance of two rings as a multiple of the font size of their labels.
const STEP_PER_TEXT_SIZE: f64 = 1.02;
/// Maximum deviation of the curves of an arc from the circle in points.
const TOLERANCE: f64 = 0.01;

/// The ring of one record.
struct Ring {
    /// Index of the record in the data.
    row: usize,
    label: String,
    /// Value, 0 or more.
    value: f64,
    /// Formatted value.
    value_text: String,
    color: Color,
}

/// Layout of the rings.
struct RingLayout {
    center: Point,
    /// Outer radius in points.
    radius: f64,
    /// Distance from one ring to the next in points.
    step: f64,
    /// Value of the largest possible bar.
    full_value: f64,
}

impl RingLayout {
    /// Returns the radius of the center line of a bar in points. The ring with `index` 0 is the
    /// outermost.
    fn center_radius(&self, index: usize) -> f64 {
        self.radius - self.step * (index as f64 + BAR_SHARE / 2.0)
    }

    /// Returns the angle of a value in radians, clockwise from twelve o'clock. It is between 0 and
    /// `SWEEP`, which larger values than `full_value` also have.
    fn angle(&self, value: f64) -> f64 {
        SWEEP * (value / self.full_value).clamp(0.0, 1.0)
    }

    /// Returns the point at a distance of `radius` points from the center. `angle` is in radians,
    /// clockwise from twelve o'clock.
    fn point(&self, radius: f64, angle: f64) -> Point {
        self.center + Vec2::new(angle.sin(), -angle.cos()) * radius
    }
}

/// Draws the rings and the labels, and with the setting `showGrid` the spokes if the area is large
/// enough. Draws a note instead if no record has a value from 0 on.
///
/// A bar of three quarters of a circle is the largest value (at least 100 for percentages), or
/// `axis.max` if this is not less than the largest value. Rings move right to give long labels space.
fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let style = &frame.style;
    let side = frame.area.height().min(frame.area.width());
    let with_grid = chart.bool_setting("showGrid", false) && side > style.label_size * 16.0;
    // The numbers around the rings need one line of text on each side.
    let margin = if with_grid { style.small_size * 2.2 } else { 0.0 };
    let radius = (side / 2.0 - margin).max(1.0);
    let min_step = MIN_TEXT_SIZE * STEP_PER_TEXT_SIZE;
    let max_rings = (radius * (1.0 - CROWDED_INNER_RADIUS_SHARE) / min_step) as usize;
    let rings = read_rings(chart, frame, scene, max_rings.clamp(1, MAX_RINGS));
    if rings.is_empty() {
        return frame::draw_no_data(frame, scene);
    }
    let largest = rings.iter().map(|ring| ring.value).fold(0.0, f64::max);
    let configured_max = chart.axis_limit("max").unwrap_or(0.0);
    let is_percent = chart.format_rules("value").percent && largest > 10.0;
    let default_max = if is_percent { largest.max(100.0) } else { largest };
    let full_value = if configured_max >= largest && configured_max > 0.0 {
        configured_max
    } else {
        default_max
    };
    // Rings and labels together are centered, if the area is wide enough for both. Labels that
    // would be shortened move the rings further.
    let center = frame.area.center();
    let label_width = |ring: &Ring| style.text_width(&ring.label, style.label_size);
    let max_label_width = rings.iter().map(label_width).fold(0.0, f64::max);
    let max_shift = (frame.area.width() / 2.0 - radius - margin).max(0.0);
    let shift = (max_label_width - radius).clamp(0.0, max_shift) / 2.0;
    let value_width = |ring: &Ring| style.text_width(&ring.value_text, style.label_size);
    let needed_width = rings.iter().map(|ring| label_width(ring) + value_width(ring));
    let needed_width = needed_width.fold(0.0, f64::max) + style.label_size * 1.2;
    let shift = shift.max((needed_width - frame.area.width() / 2.0).min(max_shift));
    let is_crowded = rings.len() as f64 * min_step > radius * (1.0 - INNER_RADIUS_SHARE);
    let inner_share = if is_crowded { CROWDED_INNER_RADIUS_SHARE } else { INNER_RADIUS_SHARE };
    let layout = RingLayout {
        center: Point::new(center.x + shift, center.y),
        radius,
        // With a few rings, the divisor 3.6 limits their thickness.
        step: radius * (1.0 - inner_share) / (rings.len() as f64).max(3.6),
        full_value: if full_value > 0.0 { full_value } else { 1.0 },
    };
    if with_grid {
        draw_spokes(chart, &layout, style, rings.len(), scene);
    }
    for (index, ring) in rings.iter().enumerate() {
        draw_ring(&layout, index, ring, style, scene);
    }
    draw_labels(chart, &rings, &layout, frame, scene);
    describe(&rings, scene);
}

/// Reads the records with values from 0 on, in the order of the setting `sort`, the outermost first.
///
/// If there are more than `max_rings`, keeps the largest values in that order. The scene counts
/// records with a negative value, without a value, and without space.
fn read_rings(chart: &Chart, frame: &Frame, scene: &mut Scene, max_rings: usize) -> Vec<Ring> {
    let all_values: Vec<Option<f64>> =
        chart.data.iter().map(|record| data::number(data::field(record, "value"))).collect();
    chart.omit_negative("value", scene);
    chart.omit_missing("value", scene);
    let values: Vec<Option<f64>> =
        all_values.iter().map(|value| value.filter(|value| *value >= 0.0)).collect();
    let valid: Vec<f64> = values.iter().flatten().copied().collect();
    let format = NumberFormat::for_values(
        valid.iter().copied(),
        &chart.format_rules("value"),
        chart.locale(),
    );
    let any_highlighted =
        chart.data.iter().any(|record| data::is_true(data::field(record, "highlighted")));
    let ring = |row: usize| {
        let record = chart.data.get(row)?;
        let value = values.get(row).copied().flatten()?;
        let default_color =
            match (any_highlighted, data::is_true(data::field(record, "highlighted"))) {
                (false, _) => chart.series_color(0),
                (true, true) => chart.theme.highlight_color,
                (true, false) => frame.style.faded_color(),
            };
        let custom_color = data::field(record, "color").as_str().and_then(Color::parse);
        Some(Ring {
            row,
            label: data::record_label(record).into_owned(),
            value,
            value_text: format.text(value),
            color: custom_color.unwrap_or(default_color),
        })
    };
    let mut rings: Vec<Ring> = chart.sorted_indices(&values).into_iter().filter_map(ring).collect();
    let total_count = rings.len();
    retain_largest(&mut rings, valid, max_rings);
    scene.omit(Omission::NoSpace, total_count - rings.len());
    rings
}

/// Removes all rings except the `max_rings` with the largest of `values`, and keeps their order. Of
/// equal values, the first ones stay. `values` must be those of the rings.
fn retain_largest(rings: &mut Vec<Ring>, mut values: Vec<f64>, max_rings: usize) {
    values.sort_by(|a, b| b.total_cmp(a));
    let first_omitted = values.get(max_rings).copied().unwrap_or(-1.0);
    // `remaining_ties` limits the number of kept values that equal the first omitted one.
    let mut remaining_ties =
        max_rings - values.iter().take(max_rings).filter(|value| **value > first_omitted).count();
    rings.retain(|ring| {
        let is_kept_tie = ring.value == first_omitted && remaining_ties > 0;
        remaining_ties -= usize::from(is_kept_tie);
        is_kept_tie || ring.value > first_omitted
    });
}

/// Returns the open arc with this radius in points, from twelve o'clock clockwise over the angle
/// `sweep` in radians.
fn arc_path(layout: &RingLayout, radius: f64, sweep: f64) -> BezPath {
    let arc = Arc::new(layout.center, (radius, radius), -TAU / 4.0, sweep, 0.0);
    let mut path = BezPath::new();
    path.move_to(layout.point(radius, 0.0));
    path.extend(arc.append_iter(TOLERANCE));
    path
}

/// Draws a pale track over the whole scale, and on it the bar, which a value of 0 does not have. Both
/// are one mark with a tooltip.
fn draw_ring(
    layout: &RingLayout,
    index: usize,
    ring: &Ring,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let (radius, width) = (layout.center_radius(index), layout.step * BAR_SHARE);
    let tooltip = || (Some("value".to_owned()), format!("{}: {}", ring.label, ring.value_text));
    scene.begin_mark("bar", Some(ring.row), tooltip);
    let track = style.grid_color.mix(style.background, 0.35);
    scene.stroke(arc_path(layout, radius, SWEEP), Stroke::new(track, width));
    let sweep = layout.angle(ring.value);
    if sweep > 0.0 {
        scene.stroke(arc_path(layout, radius, sweep), Stroke::new(ring.color, width));
    }
    scene.end_mark();
}

/// Draws lines across all rings at round values, with their numbers outside the outermost ring. The
/// start, zero, has none.
fn draw_spokes(
    chart: &Chart,
    layout: &RingLayout,
    style: &ChartStyle,
    ring_count: usize,
    scene: &mut Scene,
) {
    let rules = chart.format_rules("value");
    let (_, ticks) = rules.round_ticks(0.0, layout.full_value, 5);
    let format = NumberFormat::for_axis(layout.full_value, ticks.step, &rules, chart.locale());
    let inner_radius = layout.radius - layout.step * ring_count as f64;
    for value in
        ticks.values.iter().filter(|tick| **tick > 0.0 && **tick <= layout.full_value * 1.000_001)
    {
        let angle = layout.angle(*value);
        let start = layout.point(inner_radius, angle);
        let end = layout.point(layout.radius + 3.0, angle);
        scene.line(start, end, Stroke::new(style.grid_color, 1.0));
        let label_point = layout.point(layout.radius + style.small_size * 0.7, angle);
        let anchor = match angle.sin() {
            sine if sine > 0.2 => Anchor::Start,
            sine if sine < -0.2 => Anchor::End,
            _ => Anchor::Middle,
        };
        let baseline = label_point.y + style.small_size * (HALF_CAP_HEIGHT_EM - 0.45 * angle.cos());
        let text = style.label_text(
            label_point.x,
            baseline,
            anchor,
            style.small_size,
            &format.text(*value),
        );
        scene.text(Text { color: style.muted_color, ..text });
    }
}

/// Draws the label of each ring left of its start at twelve o'clock and, unless the setting
/// `showValues` is false, its value between both. Shortens labels that are too wide.
///
/// Uses the largest of three font sizes that suits the distance of the rings. If the rings are too
/// thin for all of them, draws neither labels nor values, and the scene counts the names.
fn draw_labels(
    chart: &Chart,
    rings: &[Ring],
    layout: &RingLayout,
    frame: &Frame,
    scene: &mut Scene,
) {
    let style = &frame.style;
    let fits = |font_size: &f64| *font_size * STEP_PER_TEXT_SIZE <= layout.step + 1e-6;
    let sizes = [style.label_size, style.small_size, MIN_TEXT_SIZE];
    let Some(font_size) = sizes.into_iter().find(fits) else {
        return scene.omit(Omission::Name, rings.len());
    };
    let right_edge = layout.center.x - font_size * 0.6;
    let with_values = chart.bool_setting("showValues", true);
    for (index, ring) in rings.iter().enumerate() {
        let baseline =
            layout.center.y - layout.center_radius(index) + HALF_CAP_HEIGHT_EM * font_size;
        let mut x = right_edge;
        if with_values {
            let text = style.label_text(x, baseline, Anchor::End, font_size, &ring.value_text);
            x -= text.width + font_size * 0.5;
            scene.text(Text { color: style.value_color, ..text });
        }
        let label = text::ellipsize(&ring.label, x - frame.area.x0, font_size, style.label_face());
        let full = (*label != *ring.label).then(|| ring.label.clone());
        let text = style.label_text(x, baseline, Anchor::End, font_size, &label);
        scene.text(Text { full, ..text });
    }
}

/// Sets the text description of the scene: the number of rings, and the smallest and the largest value with
/// their labels. Does nothing without rings.
fn describe(rings: &[Ring], scene: &mut Scene) {
    let by_value = |a: &&Ring, b: &&Ring| a.value.total_cmp(&b.value);
    if let (Some(smallest), Some(largest)) =
        (rings.iter().min_by(by_value), rings.iter().max_by(by_value))
    {
        scene.description = format!(
            "Radial bar chart of {} values, from {} ({}) to {} ({}).",
            rings.len(),
            smallest.value_text,
            smallest.label,
            largest.value_text,
            largest.label,
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    #[test]
    fn large_canvases_show_more_than_twelve_named_rings() {
        let record = |index: usize| json!({"label": format!("Town {index}"), "value": index + 1});
        let data: Vec<Value> = (0..22).map(record).collect();
        let chart = Chart::new(crate::find_kind("radial-bar").unwrap(), &data);
        let scene = crate::draw(&Chart { width: 1280.0, height: 720.0, ..chart });
        let names = scene.text_boxes().filter(|(text, _)| text.starts_with("Town ")).count();
        assert_eq!((names, scene.omissions.len()), (22, 0));
    }
}
