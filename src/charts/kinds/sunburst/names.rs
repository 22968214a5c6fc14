//! Labels on wedges: horizontal if they fit, otherwise along the radius.

use std::f64::consts::TAU;

use kurbo::{Affine, Point, Vec2};

use crate::Scene;
use crate::color::Color;
use crate::frame::bands;
use crate::frame::{ChartStyle, MIN_TEXT_SIZE};
use crate::scene::{Anchor, HALF_CAP_HEIGHT_EM, Text};
use crate::text;
use crate::text::Face;

/// Line height as a share of the font size.
const LINE_HEIGHT_EM: f64 = 1.2;
/// Distance in points between a text and the edge of its wedge.
const PADDING: f64 = 3.0;
/// Minimum number of characters of an ellipsized label.
const MIN_ELLIPSIZED_CHARS: usize = 5;

/// Position of a wedge.
pub struct WedgeShape {
    /// Center of the circle.
    pub center: Point,
    /// Inner radius in points.
    pub inner_radius: f64,
    /// Outer radius in points.
    pub outer_radius: f64,
    /// Start and end angle in radians, clockwise from twelve o'clock.
    pub angles: (f64, f64),
}

impl WedgeShape {
    /// Returns the unit vector from the center of the circle toward the middle angle.
    fn direction(&self) -> Vec2 {
        let angle = f64::midpoint(self.angles.0, self.angles.1);
        Vec2::new(angle.sin(), -angle.cos())
    }

    /// Returns the point at the middle angle and the middle radius.
    fn middle_point(&self) -> Point {
        self.center + self.direction() * f64::midpoint(self.inner_radius, self.outer_radius)
    }

    /// Returns whether a point is in the wedge, at least `PADDING` points away from its edges. A
    /// full ring has only its two circles as edges.
    fn contains(&self, point: Point) -> bool {
        let offset = point - self.center;
        let distance = offset.hypot();
        if distance < self.inner_radius + PADDING || distance > self.outer_radius - PADDING {
            return false;
        }
        let sweep = self.angles.1 - self.angles.0;
        if sweep > TAU - 1e-6 {
            return true;
        }
        let angle = offset.x.atan2(-offset.y).rem_euclid(TAU);
        let margin = PADDING / distance.max(1.0);
        let start = self.angles.0.rem_euclid(TAU);
        let angle_from_start = (angle - start).rem_euclid(TAU);
        angle_from_start >= margin && angle_from_start <= sweep - margin
    }

    /// Returns whether a horizontal box of this size in points fits around the middle of the wedge,
    /// at least `PADDING` points away from the edges. Tests only 25 points of the box.
    fn contains_box(&self, width: f64, height: f64) -> bool {
        let middle = self.middle_point();
        let steps = [-0.5, -0.25, 0.0, 0.25, 0.5];
        steps
            .iter()
            .all(|x| steps.iter().all(|y| self.contains(middle + Vec2::new(x * width, y * height))))
    }

    /// Returns the length in points available along the radius for a text with a font size of `size`
    /// points, without the padding. Negative if the wedge is too narrow or too short.
    fn radial_space(&self, size: f64) -> f64 {
        let sweep = (self.angles.1 - self.angles.0).min(TAU / 2.0);
        // Radius at which the chord is as long as the text is high, with a margin.
        let min_radius = size * 0.65 / (sweep / 2.0).sin().max(1e-6);
        self.outer_radius - PADDING - min_radius.max(self.inner_radius + PADDING)
    }
}

/// Draws a label on its wedge, in the first form that fits: horizontally or along the radius in the
/// label size, the same in smaller sizes, ellipsized along the radius.
///
/// Returns whether the label is drawn. It is not if no form fits. The text is bold, in a readable color on
/// `fill`.
pub fn draw_label(
    label: &str,
    fill: Color,
    shape: &WedgeShape,
    style: &ChartStyle,
    scene: &mut Scene,
) -> bool {
    let color = bands::inner_label_color(fill);
    draw_whole(label, color, shape, style, scene)
        || draw_ellipsized(label, color, shape, style, scene)
}

/// Returns whether a label fits on its wedge without an ellipsis, in one of three font sizes. Draws
/// nothing.
pub fn fits_whole(label: &str, fill: Color, shape: &WedgeShape, style: &ChartStyle) -> bool {
    let mut scratch = Scene::new(1.0, 1.0, style.background);
    draw_whole(label, bands::inner_label_color(fill), shape, style, &mut scratch)
}

/// Draws a whole label in the largest of three font sizes that fits, horizontally if possible, otherwise
/// along the radius. Returns false and draws nothing if none fits.
fn draw_whole(
    label: &str,
    color: Color,
    shape: &WedgeShape,
    style: &ChartStyle,
    scene: &mut Scene,
) -> bool {
    [style.label_size, style.small_size, MIN_TEXT_SIZE.min(style.small_size)].into_iter().any(
        |size| {
            draw_horizontally(label, size, color, shape, style, scene)
                || draw_along_radius(label, size, color, shape, style, scene)
        },
    )
}

/// Draws the whole label horizontally in the middle of the wedge, in one or two lines. Returns false and
/// draws nothing if it does not fit. `size` is the font size in points.
fn draw_horizontally(
    label: &str,
    size: f64,
    color: Color,
    shape: &WedgeShape,
    style: &ChartStyle,
    scene: &mut Scene,
) -> bool {
    let face = Face::BOLD;
    let full_width = text::width(label, size, face);
    for max_width in [full_width, full_width * 0.72, full_width * 0.52] {
        let lines = text::wrap(label, max_width + 0.01, 2, size, face);
        let width = lines.iter().map(|line| text::width(line, size, face)).fold(0.0, f64::max);
        let height = (lines.len() as f64 - 1.0) * LINE_HEIGHT_EM * size + size * 0.9;
        let is_cut = lines.iter().any(|line| line.ends_with('…'));
        if lines.is_empty() || is_cut || !shape.contains_box(width, height) {
            continue;
        }
        let middle = shape.middle_point();
        let first_baseline = middle.y - (lines.len() as f64 - 1.0) * LINE_HEIGHT_EM * size / 2.0
            + HALF_CAP_HEIGHT_EM * size;
        for (index, line) in lines.iter().enumerate() {
            let width = text::width(line, size, face);
            let baseline = first_baseline + index as f64 * LINE_HEIGHT_EM * size;
            let line_text = style.label_text(middle.x, baseline, Anchor::Middle, size, line);
            scene.text(Text { face, width, color, ..line_text });
        }
        return true;
    }
    false
}

/// Draws the whole label along the radius in one line. Returns false and draws nothing if it is empty or
/// does not fit. `size` is the font size in points.
fn draw_along_radius(
    label: &str,
    size: f64,
    color: Color,
    shape: &WedgeShape,
    style: &ChartStyle,
    scene: &mut Scene,
) -> bool {
    if label.is_empty() || text::width(label, size, Face::BOLD) > shape.radial_space(size) {
        return false;
    }
    draw_rotated(label, label, size, color, shape, style, scene);
    true
}

/// Draws the ellipsized label along the radius in the small size. Returns false and draws nothing if
/// fewer than `MIN_ELLIPSIZED_CHARS` characters, including the ellipsis, or fewer than half of the
/// characters fit.
fn draw_ellipsized(
    label: &str,
    color: Color,
    shape: &WedgeShape,
    style: &ChartStyle,
    scene: &mut Scene,
) -> bool {
    let size = style.small_size;
    let ellipsized = text::ellipsize(label, shape.radial_space(size), size, Face::BOLD);
    // A label with fewer than half of its letters would not be understandable.
    let char_count = ellipsized.chars().count();
    if char_count < MIN_ELLIPSIZED_CHARS || char_count * 2 < label.chars().count() {
        return false;
    }
    draw_rotated(&ellipsized, label, size, color, shape, style, scene);
    true
}

/// Draws a text along the radius at the middle angle, rotated so that it reads from left to right.
/// `fitted` is `label` or its ellipsized form, `size` the font size in points. Does not check the space.
fn draw_rotated(
    fitted: &str,
    label: &str,
    size: f64,
    color: Color,
    shape: &WedgeShape,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let direction = shape.direction();
    // Centered in the part of the radius where the wedge is wide enough.
    let radius = shape.outer_radius - PADDING - shape.radial_space(size) / 2.0;
    let middle = shape.center + direction * radius;
    let degrees = direction.y.atan2(direction.x).to_degrees();
    // Turned by 180 degrees in the left half, so that the text reads from left to right.
    let angle = if direction.x < -1e-9 { degrees + 180.0 } else { degrees };
    let angle = if angle > 180.0 { angle - 360.0 } else { angle };
    let shift = Affine::rotate(angle.to_radians()) * Point::new(0.0, HALF_CAP_HEIGHT_EM * size);
    let (x, y) = (middle.x + shift.x, middle.y + shift.y);
    let width = text::width(fitted, size, Face::BOLD);
    let full = (fitted != label).then(|| label.to_owned());
    let label_text = style.label_text(x, y, Anchor::Middle, size, fitted);
    scene.text(Text { angle, face: Face::BOLD, width, full, color, ..label_text });
}
