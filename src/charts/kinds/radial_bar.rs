//! Bars bent to rings, one a record, the outermost first, from twelve o'clock over at most three
//! quarters of a circle; names stand in the quarter that stays free.
//!
//! Record: `label`, `value` (from 0), `highlighted`, `color`. Settings: `sort`, `showValues`,
//! `showGrid`, `axis` (`max`).

use std::f64::consts::TAU;

use kurbo::{Arc, BezPath, Point, Vec2};

use crate::Chart;
use crate::Scene;
use crate::color::Color;
use crate::data;
use crate::format::NumberFormat;
use crate::frame;
use crate::frame::{ChartStyle, Frame};
use crate::kinds::Kind;
use crate::scale;
use crate::scene::{Anchor, HALF_CAP_HEIGHT_EM, Stroke, Text};
use crate::text;

/// The radial bar chart.
pub const KIND: Kind = Kind { slug: "radial-bar", draw };

/// Angle of a full bar in radians.
const SWEEP: f64 = TAU * 0.75;
/// More rings than this are hairlines; the largest values are shown.
const MOST_RINGS: usize = 12;
/// Radius of the empty middle as a share of the outer one, usually and where rings need the room.
const HOLES: (f64, f64) = (0.17, 0.1);
/// Share of a ring's step that its bar fills.
const FILLED: f64 = 0.72;
/// How far an arc's curves may be off the circle, in points.
const TOLERANCE: f64 = 0.01;

struct Ring {
    row: usize,
    label: String,
    value: f64,
    words: String,
    color: Color,
}

/// Where the rings are.
struct Round {
    center: Point,
    radius: f64,
    /// Distance from one ring to the next in points.
    step: f64,
    /// Value of a full bar.
    full: f64,
}

impl Round {
    /// Middle radius of a ring.
    fn middle(&self, index: usize) -> f64 {
        self.radius - self.step * (index as f64 + FILLED / 2.0)
    }

    fn angle(&self, value: f64) -> f64 {
        SWEEP * (value / self.full).clamp(0.0, 1.0)
    }

    /// A point at an angle from twelve o'clock, clockwise.
    fn at(&self, radius: f64, angle: f64) -> Point {
        self.center + Vec2::new(angle.sin(), -angle.cos()) * radius
    }
}

fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let style = &frame.style;
    let side = frame.area.height().min(frame.area.width());
    let grid = chart.bool_setting("showGrid", false) && side > style.label_size * 16.0;
    // Numbers round the rings need a line on all sides.
    let margin = if grid { style.small_size * 2.2 } else { 0.0 };
    let radius = (side / 2.0 - margin).max(1.0);
    let thinnest = style.small_size * 1.13;
    let most = (radius * (1.0 - HOLES.1) / thinnest) as usize;
    let rings = read(chart, frame, scene, most.clamp(1, MOST_RINGS));
    if rings.is_empty() {
        return frame::draw_no_data(frame, scene);
    }
    let largest = rings.iter().map(|it| it.value).fold(0.0, f64::max);
    let asked = chart.axis_limit("max").unwrap_or(0.0);
    let percent = chart.format_rules("value").percent && largest > 10.0;
    let usual = if percent { largest.max(100.0) } else { largest };
    let full = if asked >= largest && asked > 0.0 { asked } else { usual };
    let names =
        rings.iter().map(|it| style.text_width(&it.label, style.label_size)).fold(0.0, f64::max);
    // The whole stands in the middle of the canvas, with its names where they have room.
    let center = frame.area.center();
    let shift = (names - radius).clamp(0.0, (frame.area.width() / 2.0 - radius - margin).max(0.0));
    let crowded = rings.len() as f64 * thinnest > radius * (1.0 - HOLES.0);
    let hole = if crowded { HOLES.1 } else { HOLES.0 };
    let round = Round {
        center: Point::new(center.x + shift / 2.0, center.y),
        radius,
        // Few rings do not get thicker than a fifth of the radius.
        step: radius * (1.0 - hole) / (rings.len() as f64).max(3.6),
        full: if full > 0.0 { full } else { 1.0 },
    };
    if grid {
        spokes(chart, &round, style, rings.len(), scene);
    }
    for (index, ring) in rings.iter().enumerate() {
        bar(&round, index, ring, style, scene);
    }
    labels(chart, &rings, &round, frame, scene);
    describe(&rings, scene);
}

/// The records from zero up, at most so many, in drawing order.
fn read(chart: &Chart, frame: &Frame, scene: &mut Scene, most: usize) -> Vec<Ring> {
    let given: Vec<Option<f64>> =
        chart.data.iter().map(|it| data::number(data::field(it, "value"))).collect();
    let below = given.iter().flatten().filter(|it| **it < 0.0).count();
    if below > 0 {
        scene.warn(format!("Records below zero, which have no ring: {below}."));
    }
    let values: Vec<Option<f64>> = given.iter().map(|it| it.filter(|it| *it >= 0.0)).collect();
    let valid: Vec<f64> = values.iter().flatten().copied().collect();
    let format = NumberFormat::for_values(
        valid.iter().copied(),
        &chart.format_rules("value"),
        chart.locale(),
    );
    let accented = chart.data.iter().any(|it| data::is_true(data::field(it, "highlighted")));
    let ring = |row: usize| {
        let record = chart.data.get(row)?;
        let value = values.get(row).copied().flatten()?;
        let usual = match (accented, data::is_true(data::field(record, "highlighted"))) {
            (false, _) => chart.series_color(0),
            (true, true) => chart.theme.highlight_color,
            (true, false) => frame.style.faded_color(),
        };
        let own = data::field(record, "color").as_str().and_then(Color::parse);
        Some(Ring {
            row,
            label: data::record_label(record).into_owned(),
            value,
            words: format.text(value),
            color: own.unwrap_or(usual),
        })
    };
    // The biggest are kept when not all have room, in the order asked for.
    let mut sizes = valid.clone();
    sizes.sort_by(|one, two| two.total_cmp(one));
    let limit = sizes.get(most).copied().unwrap_or(-1.0);
    let mut ties = most - sizes.iter().take(most).filter(|it| **it > limit).count();
    let mut rings: Vec<Ring> = chart.sorted_indices(&values).into_iter().filter_map(ring).collect();
    let all = rings.len();
    rings.retain(|it| {
        let tie = it.value == limit && ties > 0;
        ties -= usize::from(tie);
        tie || it.value > limit
    });
    if rings.len() < all {
        scene.warn(format!("Only the {} largest of {all} values have a ring.", rings.len()));
    }
    rings
}

fn arc(round: &Round, radius: f64, sweep: f64) -> BezPath {
    let arc = Arc::new(round.center, (radius, radius), -TAU / 4.0, sweep, 0.0);
    let mut path = BezPath::new();
    path.move_to(round.at(radius, 0.0));
    path.extend(arc.append_iter(TOLERANCE));
    path
}

/// A pale track over the whole scale, and the bar on it.
fn bar(round: &Round, index: usize, ring: &Ring, style: &ChartStyle, scene: &mut Scene) {
    let (middle, width) = (round.middle(index), round.step * FILLED);
    let tip = || (Some("value".to_owned()), format!("{}: {}", ring.label, ring.words));
    scene.begin_mark("bar", Some(ring.row), tip);
    let track = style.grid_color.mix(style.background, 0.35);
    scene.stroke(arc(round, middle, SWEEP), Stroke::new(track, width));
    let sweep = round.angle(ring.value);
    if sweep > 0.0 {
        scene.stroke(arc(round, middle, sweep), Stroke::new(ring.color, width));
    }
    scene.end_mark();
}

/// Spokes at round values with their numbers outside; the start needs none.
fn spokes(chart: &Chart, round: &Round, style: &ChartStyle, count: usize, scene: &mut Scene) {
    let (_, ticks) = scale::nice_ticks(0.0, round.full, 5);
    let rules = chart.format_rules("value");
    let format = NumberFormat::for_axis(round.full, ticks.step, &rules, chart.locale());
    let inner = round.radius - round.step * count as f64;
    for value in ticks.values.iter().filter(|it| **it > 0.0 && **it <= round.full * 1.000_001) {
        let angle = round.angle(*value);
        let ends = (round.at(inner, angle), round.at(round.radius + 3.0, angle));
        scene.line(ends.0, ends.1, Stroke::new(style.grid_color, 1.0));
        let at = round.at(round.radius + style.small_size * 0.7, angle);
        let anchor = match angle.sin() {
            it if it > 0.2 => Anchor::Start,
            it if it < -0.2 => Anchor::End,
            _ => Anchor::Middle,
        };
        let base = at.y + style.small_size * (HALF_CAP_HEIGHT_EM - 0.45 * angle.cos());
        let set = style.label_text(at.x, base, anchor, style.small_size, &format.text(*value));
        scene.text(Text { color: style.muted_color, ..set });
    }
}

/// Name and value before the start of each ring, right up to it.
fn labels(chart: &Chart, rings: &[Ring], round: &Round, frame: &Frame, scene: &mut Scene) {
    let style = &frame.style;
    let fits = |size: &f64| *size * 1.12 <= round.step;
    let Some(size) = [style.label_size, style.small_size].into_iter().find(fits) else {
        return scene.warn("The rings have no room for names.");
    };
    let end = round.center.x - size * 0.6;
    let with_values = chart.bool_setting("showValues", true);
    for (index, ring) in rings.iter().enumerate() {
        let base = round.center.y - round.middle(index) + HALF_CAP_HEIGHT_EM * size;
        let mut x = end;
        if with_values {
            let set = style.label_text(x, base, Anchor::End, size, &ring.words);
            x -= set.width + size * 0.5;
            scene.text(Text { color: style.value_color, face: set.face, ..set });
        }
        let name = text::ellipsize(&ring.label, x - frame.area.x0, size, style.label_face());
        let full = (*name != *ring.label).then(|| ring.label.clone());
        let set = style.label_text(x, base, Anchor::End, size, &name);
        scene.text(Text { full, ..set });
    }
}

fn describe(rings: &[Ring], scene: &mut Scene) {
    let by = |one: &&Ring, two: &&Ring| one.value.total_cmp(&two.value);
    if let (Some(low), Some(high)) = (rings.iter().min_by(by), rings.iter().max_by(by)) {
        scene.description = format!(
            "Radial bar chart of {} values, from {} ({}) to {} ({}).",
            rings.len(),
            low.words,
            low.label,
            high.words,
            high.label,
        );
    }
}
