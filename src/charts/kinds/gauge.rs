//! Gauge: a value on a dial between minimum and maximum, with a mark at the target.
//!
//! Record: `label`, `value`, `min`, `max`, `target`, `highlighted`. Each record is a dial. Without
//! `min` and `max` a dial runs from zero to a round number, or to 100 percent; dials of comparable
//! values share this range. Settings: `axis` (`min`, `max` of all dials), `bands` (`to`, `color`),
//! `targetTitle`, `showTarget`, `showRange`, `showValues`, `valueTitle`.

mod dial;
mod labels;

use std::f64::consts::FRAC_PI_2;

use kurbo::{Point, Rect};

use crate::Chart;
use crate::Scene;
use crate::color::Color;
use crate::data;
use crate::frame;
use crate::frame::{ChartStyle, Frame};
use crate::kinds::Kind;
use crate::scene::Stroke;
use crate::shape::ring;
use crate::tiles;
use crate::tiles::{TileGrid, TileSpec};

use dial::{Dial, DialRing};
use labels::DialLayout;

/// The gauge.
pub const KIND: Kind = Kind { slug: "gauge", draw };

/// Maximum number of bands. More could not be distinguished.
const MAX_BANDS: usize = 8;

/// Draws one dial per record with a value, as many as fit, and a note with the number of the
/// others. If no record has a value, draws another note instead.
fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let dials = dial::read_dials(chart, &frame.style, scene);
    if dials.is_empty() {
        return frame::draw_no_data(frame, scene);
    }
    // A single dial has space for larger secondary labels.
    let large_style = ChartStyle { small_size: frame.style.label_size, ..frame.style.clone() };
    let style = if dials.len() == 1 { &large_style } else { &frame.style };
    let spec = TileSpec {
        count: dials.len(),
        min_size: (style.label_size * 7.0, style.label_size * 5.0),
        gap: (style.unit * 20.0, style.unit * 14.0),
        aspect_ratio: 1.35,
        columns: None,
    };
    let tiles = TileGrid::new(frame.area, style, &spec);
    let shown = dials.get(..tiles.visible_count).unwrap_or(&dials);
    let layout = labels::lay_out(chart, shown, tiles.tile_rect(0), style);
    for (index, dial) in shown.iter().enumerate() {
        draw_dial(chart, dial, tiles.tile_rect(index), &layout, style, scene);
    }
    scene.end_mark();
    tiles::draw_overflow_note(frame.area, style, dials.len() - shown.len(), "dial", scene);
    describe(&dials, scene);
}

/// Sets the text description of the scene: the number of dials, and value and range of the first
/// six.
fn describe(dials: &[Dial], scene: &mut Scene) {
    let describe_dial = |dial: &Dial| {
        let (min, max) = &dial.range_text;
        format!("{} {} of {min} to {max}", dial.label, dial.value_text)
    };
    let first: Vec<String> = dials.iter().take(6).map(describe_dial).collect();
    let plural = if dials.len() == 1 { "" } else { "s" };
    scene.description = format!("Gauge of {} value{plural}: {}.", dials.len(), first.join("; "));
}

/// Draws ring, bands, value, target and labels of a dial in its cell, vertically a little above the
/// middle of spare space. Begins the mark of the dial, and leaves it open.
fn draw_dial(
    chart: &Chart,
    dial: &Dial,
    cell: Rect,
    layout: &DialLayout,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let radius = layout.radius;
    let spare_height = cell.height()
        - layout.space_above
        - radius
        - layout.range_height(style)
        - layout.label_height()
        - layout.target_height(style);
    let center_y = cell.y0 + layout.space_above + radius + spare_height.max(0.0) * 0.4;
    let dial_ring = DialRing { center: Point::new(cell.center().x, center_y), radius };
    scene.begin_mark("dial", Some(dial.row), || {
        (Some("value".to_owned()), format!("{}: {}", dial.label, dial.value_text))
    });
    draw_ring(dial, &dial_ring, style, scene);
    draw_bands(chart, dial, &dial_ring, style, scene);
    labels::draw_value(dial, &dial_ring, layout, style, scene);
    labels::draw_range_labels(dial, &dial_ring, cell, layout, style, scene);
    if let (true, Some(target)) = (layout.shows_targets, dial.target) {
        draw_target_mark(dial.angle(target), &dial_ring, style, scene);
    }
    labels::draw_target_label(dial, &dial_ring, cell, layout, style, scene);
    labels::draw_labels_below(dial, &dial_ring, cell, layout, style, scene);
}

/// Draws the ring as a pale half circle, and on it the part between zero and the value in the color
/// of the dial.
///
/// If zero is outside the range, that part starts at the nearest end of the range. It is missing if
/// the value is at its start.
fn draw_ring(dial: &Dial, dial_ring: &DialRing, style: &ChartStyle, scene: &mut Scene) {
    let radii = (dial_ring.radius, dial_ring.inner_radius());
    let track = ring::sector(dial_ring.center, radii, (-FRAC_PI_2, FRAC_PI_2));
    scene.fill(track, style.grid_color);
    let zero_angle = dial.angle(0.0f64.clamp(dial.range.0, dial.range.1));
    let value_angle = dial.angle(dial.value);
    if (zero_angle - value_angle).abs() > 1e-6 {
        let span = (zero_angle.min(value_angle), zero_angle.max(value_angle));
        scene.fill(ring::sector(dial_ring.center, radii, span), dial.fill);
    }
}

/// Draws the first `MAX_BANDS` bands of the setting `bands` as thin arcs inside the ring. Draws
/// none if the ring is too small.
///
/// Each ends at its value `to` and has its own color, or one between highlight color (first band)
/// and first series color (last band). A band without a value, or that does not end after the
/// previous one, is omitted.
fn draw_bands(
    chart: &Chart,
    dial: &Dial,
    dial_ring: &DialRing,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let Some(list) = chart.setting("bands").as_array() else { return };
    let read_band = |band: &serde_json::Value| {
        Some((data::number(&band["to"])?, band["color"].as_str().and_then(Color::parse)))
    };
    let bands: Vec<_> = list.iter().take(MAX_BANDS).filter_map(read_band).collect();
    let ring_radius = dial_ring.inner_radius();
    let radii = (ring_radius - style.unit * 2.0, (ring_radius - style.unit * 6.0).max(0.0));
    let mut start = -FRAC_PI_2;
    for (index, (to, color)) in bands.iter().enumerate() {
        let end = dial.angle(*to);
        if end - start < 1e-6 {
            continue;
        }
        let share = index as f64 / (bands.len() - 1).max(1) as f64;
        let default_color = chart.theme.highlight_color.mix(chart.series_color(0), share);
        if radii.0 > radii.1 {
            let arc = ring::sector(dial_ring.center, radii, (start, end));
            scene.fill(arc, color.unwrap_or(default_color));
        }
        start = end;
    }
}

/// Draws a line across the ring at the angle of the target, in radians clockwise from twelve
/// o'clock.
fn draw_target_mark(angle: f64, dial_ring: &DialRing, style: &ChartStyle, scene: &mut Scene) {
    let DialRing { center, radius } = *dial_ring;
    let overshoot = (radius * 0.06).min(style.unit * 3.0);
    let (from, to) = (
        ring::point_on_circle(center, dial_ring.inner_radius() - overshoot, angle),
        ring::point_on_circle(center, radius + overshoot, angle),
    );
    let width = (radius * 0.03).clamp(1.25, 2.0 * style.unit);
    scene.line(from, to, Stroke::new(style.background, width * 2.5));
    scene.line(from, to, Stroke::new(style.text_color, width));
}
