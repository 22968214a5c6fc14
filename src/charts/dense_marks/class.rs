//! Classes of marks that can be merged: shape, color and line width.

use crate::color::Color;
use crate::scene::Primitive;

/// The properties that marks of one group share. Line widths and radii are compared by their bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum MarkClass {
    /// Rectangles of a color.
    Rect(Color),
    /// Horizontal and vertical lines of a color and width.
    AxisAligned(Color, u64),
    /// Other lines of a color and width, with round or flat ends.
    Slanted(Color, u64, bool),
    /// Circles of a color and radius.
    Dot(Color, u64),
    /// Circles of a color and radius, with an outline of a color and width.
    Ring(Color, u64, Color, u64),
}

/// Returns the class of a shape that may be merged. Returns None for shapes that keep their place
/// in the drawing order, such as texts, images, clips, paths, dashed lines and translucent shapes.
pub(super) fn classify_mark(primitive: &Primitive) -> Option<MarkClass> {
    let is_solid = |color: &Color| color.a == 255;
    match primitive {
        Primitive::Rect { radius: 0.0, fill, .. } if is_solid(fill) => Some(MarkClass::Rect(*fill)),
        Primitive::Circle { radius, fill: Some(fill), stroke: None, .. } if is_solid(fill) => {
            Some(MarkClass::Dot(*fill, radius.to_bits()))
        }
        Primitive::Circle { radius, fill: Some(fill), stroke: Some(stroke), .. }
            if stroke.dash.is_none() && is_solid(fill) && is_solid(&stroke.color) =>
        {
            let width = stroke.width.to_bits();
            Some(MarkClass::Ring(*fill, radius.to_bits(), stroke.color, width))
        }
        Primitive::Line { from, to, stroke }
            if stroke.dash.is_none() && is_solid(&stroke.color) =>
        {
            let is_axis_aligned = (from.x == to.x || from.y == to.y) && !stroke.round;
            let width = stroke.width.to_bits();
            Some(match is_axis_aligned {
                true => MarkClass::AxisAligned(stroke.color, width),
                false => MarkClass::Slanted(stroke.color, width, stroke.round),
            })
        }
        Primitive::Polyline { points, stroke }
            if points.len() == 2 && stroke.dash.is_none() && is_solid(&stroke.color) =>
        {
            Some(MarkClass::Slanted(stroke.color, stroke.width.to_bits(), stroke.round))
        }
        _ => None,
    }
}
