//! Cycle diagram: the steps of a loop as arrows around a ring, with their texts beside it.
//!
//! Record: `label`, `description`, `highlighted`. Settings: `centerLabel`, `showNumbers`.

use std::f64::consts::{FRAC_PI_2, PI, TAU};

use kurbo::{Arc, BezPath, PathEl, Point, Rect, Vec2};

use crate::Chart;
use crate::Scene;
use crate::data;
use crate::frame;
use crate::frame::{ChartStyle, Frame};
use crate::kinds::Kind;
use crate::scene::{Anchor, HALF_CAP_HEIGHT_EM, Text};
use crate::spread;
use crate::steps;
use crate::steps::{Step, StepText};
use crate::text;
use crate::text::Face;

/// The cycle diagram.
pub const KIND: Kind = Kind { slug: "cycle", draw };

/// Maximum number of steps. More arrows do not look like a ring of steps.
const MAX_STEPS: usize = 48;

/// Draws the ring of arrows, their numbers, and the texts inside and beside the ring. Steps that do
/// not fit are omitted, with a note of their number.
fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let mut steps = steps::read_steps(chart);
    if steps.is_empty() {
        return frame::draw_no_data(frame, scene);
    }
    let style = &frame.style;
    scene.description = describe(&steps);
    // Each side of the ring has a column of texts.
    let fitting_steps =
        |height: f64| (2 * (height / (style.small_size * 1.4)).max(1.0) as usize).min(MAX_STEPS);
    let mut max_steps = fitting_steps(frame.area.height());
    if steps.len() > max_steps {
        max_steps = fitting_steps(frame.area.height() - steps::overflow_note_height(style))
            .saturating_sub(1);
    }
    let area = steps::truncate(&mut steps, max_steps, frame.area, style, scene);
    let ring = Ring::new(steps.len(), area, style);
    let any_highlighted = steps.iter().any(|step| step.highlighted);
    let has_numbers = chart.bool_setting("showNumbers", true) && steps.len() > 1;
    for (index, step) in steps.iter().enumerate() {
        let (fill, ink) =
            steps::step_color(chart, style, any_highlighted, step, chart.series_color(0))
                .with_readable_text();
        scene.begin_mark("step", Some(step.row), || (Some("label".to_owned()), step.tooltip()));
        scene.fill(ring.arrow_outline(index), fill);
        let number = style.locale.format_integer(index + 1);
        let size = if ring.thickness > style.label_size * 2.0 {
            style.subtitle_size
        } else {
            style.label_size
        };
        if has_numbers && ring.number_fits(&number, size) {
            let center = ring.point(index, ring.tip_angle / 2.0, ring.middle_radius());
            let text = style.label_text(
                center.x,
                center.y + HALF_CAP_HEIGHT_EM * size,
                Anchor::Middle,
                size,
                &number,
            );
            let width = text::width(&number, size, Face::BOLD);
            scene.text(Text { face: Face::BOLD, width, color: ink, ..text });
        }
    }
    scene.end_mark();
    draw_center_text(chart, &ring, style, scene);
    draw_step_texts(&steps, &ring, area, style, scene);
}

/// Returns the text description of the chart: the number of steps, the first and the last. Empty
/// without steps.
fn describe(steps: &[Step]) -> String {
    let (Some(first), Some(last)) = (steps.first(), steps.last()) else { return String::new() };
    if steps.len() == 1 {
        return format!("Cycle of 1 step: {}.", first.label);
    }
    let (count, first, last) = (steps.len(), &first.label, &last.label);
    format!("Cycle of {count} steps, from {first} to {last} and back.")
}

/// The ring of equal arrows that run clockwise. Lengths are in points, angles in radians clockwise
/// from twelve o'clock.
struct Ring {
    center: Point,
    /// Outer radius.
    radius: f64,
    /// Difference between outer and inner radius.
    thickness: f64,
    /// Angle between the centers of two neighboring arrows.
    step_angle: f64,
    /// Angle of the center of the first arrow.
    first_angle: f64,
    /// Angle of the gap between two arrows.
    gap_angle: f64,
    /// Angle by which the tip of an arrow protrudes.
    tip_angle: f64,
}

impl Ring {
    /// Creates a ring of `count` arrows in the middle of `area`. Its radius leaves space for texts
    /// at both sides. The angles are chosen so that no arrow center is exactly at the top or
    /// bottom.
    fn new(count: usize, area: Rect, style: &ChartStyle) -> Ring {
        let radius = (area.height() / 2.0).min(area.width() * 0.2).max(8.0);
        let thickness = (radius * 0.3).min(style.label_size * 3.6);
        let step_angle = TAU / count.max(1) as f64;
        let middle_radius = radius - thickness / 2.0;
        let gap_angle = (3.5 * style.unit / middle_radius).min(step_angle * 0.2);
        let tip_angle = (thickness * 0.4 / middle_radius).min(step_angle * 0.35);
        // The first angle is chosen so that no text is directly above or below the ring, because
        // there is no space for it.
        let first_angle = if count.is_multiple_of(2) {
            step_angle / 2.0
        } else {
            let right = FRAC_PI_2.rem_euclid(step_angle);
            let left = (FRAC_PI_2 + PI).rem_euclid(step_angle);
            right.min(left)
        };
        let center = area.center();
        Ring { center, radius, thickness, step_angle, first_angle, gap_angle, tip_angle }
    }

    /// Returns the radius in points halfway between the inner and the outer edge of the ring.
    fn middle_radius(&self) -> f64 {
        self.radius - self.thickness / 2.0
    }

    /// Returns the angle of the center of an arrow, not counting its tip.
    fn angle(&self, index: usize) -> f64 {
        self.first_angle + self.step_angle * index as f64
    }

    /// Returns the point at the distance `radius` from the center of the ring, at `angle_offset`
    /// clockwise from the center of an arrow. `index` counts the arrows from 0.
    fn point(&self, index: usize, angle_offset: f64, radius: f64) -> Point {
        self.center + direction(self.angle(index) + angle_offset) * radius
    }

    /// Returns whether a bold number with the font size `size` in points fits on an arrow.
    fn number_fits(&self, number: &str, size: f64) -> bool {
        let width = text::width(number, size, Face::BOLD);
        let length = (self.step_angle - self.gap_angle - self.tip_angle) * self.middle_radius();
        width.hypot(size) < length.min(self.thickness * 1.2) && size < self.thickness
    }

    /// Returns the closed outline of an arrow: a ring segment with a tip at its clockwise end and a
    /// notch at the other end.
    fn arrow_outline(&self, index: usize) -> BezPath {
        let half = (self.step_angle - self.gap_angle) / 2.0;
        let from = self.angle(index) - half - self.tip_angle / 2.0;
        let inner = self.radius - self.thickness;
        let mut path = BezPath::new();
        path.move_to(self.center + direction(from) * self.radius);
        self.append_arc(&mut path, self.radius, from, 2.0 * half);
        let tip = from + 2.0 * half + self.tip_angle;
        path.line_to(self.center + direction(tip) * self.middle_radius());
        path.line_to(self.center + direction(from + 2.0 * half) * inner);
        self.append_arc(&mut path, inner, from + 2.0 * half, -2.0 * half);
        path.line_to(self.center + direction(from + self.tip_angle) * self.middle_radius());
        path.close_path();
        path
    }

    /// Appends an arc around the center of the ring to a path. It starts at the angle `start` and
    /// covers the angle `sweep`. A negative `sweep` runs counterclockwise.
    fn append_arc(&self, path: &mut BezPath, radius: f64, start: f64, sweep: f64) {
        let arc = Arc::new(self.center, (radius, radius), start - FRAC_PI_2, sweep, 0.0);
        path.extend(arc.append_iter(0.05).filter(|element| !matches!(element, PathEl::MoveTo(_))));
    }
}

/// Returns the unit vector at an angle in radians, clockwise from twelve o'clock.
fn direction(angle: f64) -> Vec2 {
    Vec2::new(angle.sin(), -angle.cos())
}

/// Draws the setting `centerLabel` inside the ring. Draws nothing if it is empty.
///
/// Uses the largest of three font sizes at which it is not shortened, otherwise the smallest.
fn draw_center_text(chart: &Chart, ring: &Ring, style: &ChartStyle, scene: &mut Scene) {
    let label = data::display_text(chart.setting("centerLabel"));
    let side = (ring.radius - ring.thickness) * 1.3;
    let sizes = [style.subtitle_size, style.label_size, style.small_size];
    let blocks = sizes.map(|size| StepText::new(&label, "", (side, side * 0.6), (size, size)));
    let [large, medium, small] = blocks;
    let block = [large, medium].into_iter().find(|block| !block.is_name_cut()).unwrap_or(small);
    let top_center = (ring.center.x, ring.center.y - block.height() / 2.0);
    block.draw(scene, style, top_center, Anchor::Middle, (style.text_color, style.text_color));
}

/// Draws the text of each step left or right of the ring, near its arrow and without touching the
/// ring. Descriptions are omitted if they have no space.
fn draw_step_texts(steps: &[Step], ring: &Ring, area: Rect, style: &ChartStyle, scene: &mut Scene) {
    let gap = style.label_size * 0.9;
    let max_width = area.width() / 2.0 - ring.radius - gap;
    let steps_of_side = |is_right: bool| {
        let mut indexes: Vec<usize> = (0..steps.len())
            .filter(|index| (ring.angle(*index).rem_euclid(TAU) < PI) == is_right)
            .collect();
        // From top to bottom.
        if !is_right {
            indexes.reverse();
        }
        indexes
    };
    let sides = [steps_of_side(true), steps_of_side(false)];
    let max_per_side = sides[0].len().max(sides[1].len()).max(1);
    let spacing = (style.label_size * 0.7).min(area.height() / max_per_side as f64 * 0.12);
    let blocks = steps::layout_texts(
        steps,
        (max_width, area.height() / max_per_side as f64 - spacing),
        style,
    );
    for (side, is_right) in sides.iter().zip([true, false]) {
        let preferred: Vec<f64> =
            side.iter().map(|index| ring.point(*index, 0.0, ring.radius + gap).y).collect();
        let heights: Vec<f64> = side
            .iter()
            .filter_map(|index| blocks.get(*index))
            .map(|block| block.height() + spacing)
            .collect();
        let (from, to) = (area.y0 - spacing / 2.0, area.y1 + spacing / 2.0);
        let middles = spread::spread_apart(&preferred, &heights, from, to);
        for (index, middle) in side.iter().zip(middles) {
            let Some(block) = blocks.get(*index) else { continue };
            let half = block.height() / 2.0;
            // The edge of the text that is vertically closest to the center decides how far the
            // text must be from the center.
            let vertical = ((middle - ring.center.y).abs() - half).max(0.0);
            let min_distance = ring.radius + gap;
            let offset =
                (min_distance * min_distance - vertical * vertical).max(0.0).sqrt().max(gap / 2.0);
            let (x, anchor) = if is_right {
                (ring.center.x + offset, Anchor::Start)
            } else {
                (ring.center.x - offset, Anchor::End)
            };
            block.draw(
                scene,
                style,
                (x, middle - half),
                anchor,
                (style.text_color, style.label_color),
            );
        }
    }
}
