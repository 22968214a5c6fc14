//! Drawing primitives: the only shapes that a writer must support.

use std::sync::Arc;

use kurbo::{BezPath, Point, Rect};

use crate::bitmap::Bitmap;
use crate::color::Color;
use crate::scene::text::Text;

/// A drawing primitive. All coordinates and lengths are in points.
#[derive(Clone, Debug)]
pub enum Primitive {
    /// A filled rectangle with optional rounded corners.
    ///
    /// The PNG writer snaps it to whole pixels if `radius` is 0.
    Rect {
        /// Edges.
        rect: Rect,
        /// Corner radius, 0 for square corners.
        radius: f64,
        /// Fill color.
        fill: Color,
    },
    /// A straight line. The PNG writer snaps horizontal and vertical lines to whole pixels.
    Line {
        /// First end.
        from: Point,
        /// Second end.
        to: Point,
        /// Color, width and dashes.
        stroke: Stroke,
    },
    /// A circle.
    Circle {
        /// Center.
        center: Point,
        /// Radius.
        radius: f64,
        /// Fill color. No fill if None.
        fill: Option<Color>,
        /// Outline. No outline if None.
        stroke: Option<Stroke>,
    },
    /// An arbitrary path.
    Path {
        /// Lines and curves.
        path: BezPath,
        /// Fill color. No fill if None.
        fill: Option<Color>,
        /// Outline. No outline if None.
        stroke: Option<Stroke>,
    },
    /// A line through many points. Smaller than a [`Primitive::Path`], because data lines are long.
    Polyline {
        /// Points in drawing order.
        points: Vec<Point>,
        /// Color, width and dashes.
        stroke: Stroke,
    },
    /// Many dots of the same size and color, without a [`Shape`](super::Shape) for each of them.
    Dots {
        /// Centers.
        points: Vec<Point>,
        /// Radius of each dot.
        radius: f64,
        /// Fill color.
        fill: Color,
    },
    /// A line of text.
    Text(Text),
    /// A bitmap, stretched to a rectangle.
    Image {
        /// Edges.
        rect: Rect,
        /// Pixels.
        bitmap: Arc<Bitmap>,
    },
    /// Clips all shapes up to the matching [`Primitive::EndClip`] to a rectangle.
    BeginClip(Rect),
    /// Ends the innermost clip.
    EndClip,
    /// Begins a link to an address. It ends with the next [`Primitive::EndLink`]. Writers of images
    /// without links ignore it.
    BeginLink(Arc<str>),
    /// Ends the link.
    EndLink,
}

/// Style of a line or outline. Joins are always round.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stroke {
    /// Color of the line.
    pub color: Color,
    /// Width in points.
    pub width: f64,
    /// Lengths of a dash and of the gap after it, in points. A solid line if None.
    pub dash: Option<(f64, f64)>,
    /// Whether the line has round caps instead of flat (butt) caps.
    pub round: bool,
}

impl Stroke {
    /// Creates a solid line with flat caps.
    pub const fn new(color: Color, width: f64) -> Stroke {
        Stroke { color, width, dash: None, round: false }
    }

    /// Returns the stroke with dashes and gaps of the given lengths in points.
    pub const fn dashed(self, dash: f64, gap: f64) -> Stroke {
        Stroke { dash: Some((dash, gap)), ..self }
    }

    /// Returns the stroke with round caps.
    pub const fn rounded(self) -> Stroke {
        Stroke { round: true, ..self }
    }
}
