//! A positioned line of text: its bounds, overlaps and glyph outlines.

use std::rc::Rc;

use kurbo::{Affine, BezPath, Point, Rect, Vec2};

use crate::color::Color;
use crate::text;
use crate::text::{Face, GlyphRun, ShapedGlyph};

/// Horizontal alignment of a text to its anchor point, as in SVG's `text-anchor`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// The left end of the text is at the anchor point, also for right-to-left text.
    Start,
    /// The middle of the text is at the anchor point.
    Middle,
    /// The right end of the text is at the anchor point, also for right-to-left text.
    End,
}

/// A measured line of text.
#[derive(Clone, Debug)]
pub struct Text {
    /// Horizontal position of the anchor point, in points.
    pub x: f64,
    /// Vertical position of the baseline, in points.
    pub y: f64,
    /// Alignment to `x`.
    pub anchor: Anchor,
    /// Clockwise rotation around (`x`, `y`), in degrees. At -45 the text rises to the right.
    pub angle: f64,
    /// Font size in points.
    pub size: f64,
    /// Weight, slope and font.
    pub face: Face,
    /// Color of the characters.
    pub color: Color,
    /// Color of an outline that keeps the text readable over lines and marks. No outline if None.
    pub halo: Option<Color>,
    /// Characters in reading order.
    pub text: String,
    /// Measured width in points.
    pub width: f64,
    /// Untruncated text, if `text` is a shortened form of it.
    pub full: Option<String>,
}

/// Height of capital letters and digits above the baseline, in em.
/// In Noto Sans, the cap height is 0.714 and ascenders reach 0.77.
pub const ASCENT_EM: f64 = 0.76;
/// Depth of descenders below the baseline, in em. Noto Sans: 0.24.
pub const DESCENT_EM: f64 = 0.22;
/// Half of the cap height, in em: distance from the middle of centered text to its baseline.
pub const HALF_CAP_HEIGHT_EM: f64 = 0.357;

impl Text {
    /// Returns the axis-aligned bounding box of the text in points, including its rotation. Uses
    /// the measured width, and a fixed height above and below the baseline.
    pub fn bounds(&self) -> Rect {
        let left = match self.anchor {
            Anchor::Start => 0.0,
            Anchor::Middle => -self.width / 2.0,
            Anchor::End => -self.width,
        };
        let (top, bottom) = (-ASCENT_EM * self.size, DESCENT_EM * self.size);
        let unrotated = Rect::new(left, top, left + self.width, bottom);
        let rotated = if self.angle == 0.0 {
            unrotated
        } else {
            Affine::rotate(self.angle.to_radians()).transform_rect_bbox(unrotated)
        };
        rotated + Vec2::new(self.x, self.y)
    }

    /// Returns whether the rotated boxes of two texts still overlap after each is reduced by half a
    /// point on every side. A rotated box counts as rotated, not as its axis-aligned bounding box.
    pub fn overlaps(&self, other: &Text) -> bool {
        let common = self.bounds().inset(-0.5).intersect(other.bounds().inset(-0.5));
        if common.width() <= 0.0 || common.height() <= 0.0 {
            return false;
        }
        // Separating axis theorem: two boxes are apart if and only if a direction of one of their
        // sides separates them.
        let is_separated_along = |angle: f64| {
            let (one, two) =
                (self.compute_bounds_in_frame(angle), other.compute_bounds_in_frame(angle));
            let common = one.inset(-0.5).intersect(two.inset(-0.5));
            common.width() <= 0.0 || common.height() <= 0.0
        };
        !(is_separated_along(self.angle) || is_separated_along(other.angle))
    }

    /// Returns the bounding box of the text in a coordinate system that is rotated by `angle`
    /// degrees clockwise about the origin.
    fn compute_bounds_in_frame(&self, angle: f64) -> Rect {
        let position = Affine::rotate(-angle.to_radians()) * Point::new(self.x, self.y);
        // Copies no strings, because this runs for many pairs of texts.
        let without_strings = Text { text: String::new(), full: None, ..*self };
        Text { x: position.x, y: position.y, angle: self.angle - angle, ..without_strings }.bounds()
    }

    /// Returns the shaped text, and the distance from the anchor point to its left end, in points and
    /// before the rotation.
    pub fn shape(&self) -> (Rc<GlyphRun>, f64) {
        let run = text::shape(&self.text, self.face);
        let width = f64::from(run.width) * self.size;
        let start = match self.anchor {
            Anchor::Start => 0.0,
            Anchor::Middle => -width / 2.0,
            Anchor::End => -width,
        };
        (run, start)
    }

    /// Returns the glyphs of the text in drawing order, positioned in points relative to the anchor
    /// point and not rotated. Shapes the text again, and aligns it by the shaped width.
    pub fn placed_glyphs(&self) -> Vec<PlacedGlyph> {
        let (run, start) = self.shape();
        let place = |glyph: &ShapedGlyph| PlacedGlyph {
            outline: glyph.font.glyph_outline(glyph.id),
            x: start + f64::from(glyph.x) * self.size,
            y: f64::from(glyph.y) * self.size,
        };
        run.glyphs.iter().map(place).collect()
    }

    /// Appends the outlines of all glyphs, positioned and rotated, to `path`, in points of the
    /// canvas.
    pub fn append_outline(&self, path: &mut BezPath) {
        let rotation =
            Affine::translate((self.x, self.y)) * Affine::rotate(self.angle.to_radians());
        for PlacedGlyph { outline, x, y } in self.placed_glyphs() {
            let transform = rotation * Affine::translate((x, y)) * Affine::scale(self.size);
            path.extend(outline.elements().iter().map(|element| transform * *element));
        }
    }
}

/// A glyph of a text, positioned but not rotated.
#[derive(Clone, Copy, Debug)]
pub struct PlacedGlyph {
    /// Outline in em, relative to the baseline, y down. The same glyph always has the same address.
    pub outline: &'static BezPath,
    /// Distance to the right of the anchor point, in points.
    pub x: f64,
    /// Distance below the baseline, in points.
    pub y: f64,
}
