//! Labels on wedges: horizontal if they fit, otherwise along the radius.

use kurbo::{Affine, Point, Vec2};

use std::f64::consts::TAU;

use crate::Scene;
use crate::color::Color;
use crate::frame::ChartStyle;
use crate::frame::bands;
use crate::scene::{Anchor, HALF_CAP_HEIGHT_EM, Text};
use crate::text;
use crate::text::Face;

/// Line height as a share of the font size.
const LEADING: f64 = 1.2;
/// Distance in points between a text and the edge of its wedge.
const PAD: f64 = 3.0;

/// Position of a wedge.
pub struct Place {
    /// Center of the circle.
    pub center: Point,
    /// Inner and outer radius in points.
    pub radii: (f64, f64),
    /// Start and end angle in radians, clockwise from twelve o'clock.
    pub span: (f64, f64),
}

impl Place {
    /// Returns the middle radius, and the unit vector from the center to the middle angle.
    fn middle(&self) -> (f64, Vec2) {
        let angle = f64::midpoint(self.span.0, self.span.1);
        (f64::midpoint(self.radii.0, self.radii.1), Vec2::new(angle.sin(), -angle.cos()))
    }

    /// Returns whether a point is in the wedge, at least `PAD` points away from its edges.
    fn holds(&self, point: Point) -> bool {
        let away = point - self.center;
        let distance = away.hypot();
        if distance < self.radii.0 + PAD || distance > self.radii.1 - PAD {
            return false;
        }
        if self.span.1 - self.span.0 > TAU - 1e-6 {
            return true;
        }
        let angle = away.x.atan2(-away.y).rem_euclid(TAU);
        let margin = PAD / distance.max(1.0);
        let from = self.span.0.rem_euclid(TAU);
        let past = (angle - from).rem_euclid(TAU);
        past >= margin && past <= self.span.1 - self.span.0 - margin
    }

    /// Returns whether a horizontal box of this size fits around the middle of the wedge. Tests 25
    /// points of the box.
    fn holds_box(&self, width: f64, height: f64) -> bool {
        let (radius, towards) = self.middle();
        let at = self.center + towards * radius;
        let steps = [-0.5, -0.25, 0.0, 0.25, 0.5];
        steps
            .iter()
            .all(|x| steps.iter().all(|y| self.holds(at + Vec2::new(x * width, y * height))))
    }
}

/// Draws a label on its wedge. Returns whether it fits.
pub fn draw(
    label: &str,
    fill: Color,
    place: &Place,
    style: &ChartStyle,
    scene: &mut Scene,
) -> bool {
    let Some(ink) = bands::inner_label_color(fill) else { return false };
    [style.label_size, style.small_size].into_iter().any(|size| {
        level(label, size, ink, place, style, scene) || along(label, size, ink, place, style, scene)
    }) || shortened(label, ink, place, style, scene)
}

/// Draws the label horizontally, in one or two lines. Returns whether it fits.
fn level(
    label: &str,
    size: f64,
    ink: Color,
    place: &Place,
    style: &ChartStyle,
    scene: &mut Scene,
) -> bool {
    let face = Face::BOLD;
    let whole = text::width(label, size, face);
    for room in [whole, whole * 0.72, whole * 0.52] {
        let lines = text::wrap(label, room + 0.01, 2, size, face);
        let widest = lines.iter().map(|it| text::width(it, size, face)).fold(0.0, f64::max);
        let height = (lines.len() as f64 - 1.0) * LEADING * size + size * 0.9;
        let cut = lines.iter().any(|it| it.ends_with('…'));
        if lines.is_empty() || cut || !place.holds_box(widest, height) {
            continue;
        }
        let (radius, towards) = place.middle();
        let at = place.center + towards * radius;
        let first =
            at.y - (lines.len() as f64 - 1.0) * LEADING * size / 2.0 + HALF_CAP_HEIGHT_EM * size;
        for (row, line) in lines.iter().enumerate() {
            let width = text::width(line, size, face);
            let y = first + row as f64 * LEADING * size;
            let set = style.label_text(at.x, y, Anchor::Middle, size, line);
            scene.text(Text { face, width, color: ink, ..set });
        }
        return true;
    }
    false
}

/// Returns the length available along the radius for a text of this size. Negative if the wedge is
/// too narrow.
fn depth(place: &Place, size: f64) -> f64 {
    let sweep = (place.span.1 - place.span.0).min(TAU / 2.0);
    // Radius at which the chord is as long as the text is high, with a margin.
    let from = (size * 0.65 / (sweep / 2.0).sin().max(1e-6)).max(place.radii.0 + PAD);
    place.radii.1 - PAD - from
}

/// Draws the label along the radius. Returns whether it fits.
fn along(
    label: &str,
    size: f64,
    ink: Color,
    place: &Place,
    style: &ChartStyle,
    scene: &mut Scene,
) -> bool {
    let width = text::width(label, size, Face::BOLD);
    if label.is_empty() || width > depth(place, size) {
        return false;
    }
    write_along(label, label, (size, width), ink, place, style, scene);
    true
}

/// Draws the ellipsized label along the radius. Returns whether enough of it fits.
fn shortened(
    label: &str,
    ink: Color,
    place: &Place,
    style: &ChartStyle,
    scene: &mut Scene,
) -> bool {
    let size = style.small_size;
    let short = text::ellipsize(label, depth(place, size), size, Face::BOLD);
    // A label with fewer than half of its letters would not be understandable.
    let letters = short.chars().count();
    if letters < 5 || letters * 2 < label.chars().count() {
        return false;
    }
    let width = text::width(&short, size, Face::BOLD);
    write_along(&short, label, (size, width), ink, place, style, scene);
    true
}

/// Draws a text along the radius.
fn write_along(
    words: &str,
    label: &str,
    (size, width): (f64, f64),
    ink: Color,
    place: &Place,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let (_, towards) = place.middle();
    // Centered in the part of the radius where the wedge is wide enough.
    let at = place.center + towards * (place.radii.1 - PAD - depth(place, size) / 2.0);
    let degrees = towards.y.atan2(towards.x).to_degrees();
    // Turned by 180 degrees in the left half, so that the text reads from left to right.
    let angle = if towards.x < -1e-9 { degrees + 180.0 } else { degrees };
    let angle = if angle > 180.0 { angle - 360.0 } else { angle };
    let shift = Affine::rotate(angle.to_radians()) * Point::new(0.0, HALF_CAP_HEIGHT_EM * size);
    let full = (words != label).then(|| label.to_owned());
    let set = style.label_text(at.x + shift.x, at.y + shift.y, Anchor::Middle, size, words);
    scene.text(Text { angle, face: Face::BOLD, width, full, color: ink, ..set });
}
