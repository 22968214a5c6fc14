//! Check that every number in a scene is finite.
//!
//! It checks the shapes of the scene and not the SVG text, because the writers replace numbers that
//! are not finite by 0. Shared by the tests and the fuzz target.

use chartroom_charts::Scene;
use chartroom_charts::scene::{Primitive, Stroke};
use kurbo::Point;

/// Panics with a name and the first shape that has a coordinate, length or angle that is not
/// finite.
pub fn assert_finite(name: &str, scene: &Scene) {
    for shape in &scene.shapes {
        assert!(is_finite(&shape.primitive), "{name}: {:?}", shape.primitive);
    }
}

fn is_finite(primitive: &Primitive) -> bool {
    let is_stroke_finite = |stroke: &Stroke| {
        let (dash, gap) = stroke.dash.unwrap_or_default();
        stroke.width.is_finite() && dash.is_finite() && gap.is_finite()
    };
    let is_optional_stroke_finite =
        |stroke: &Option<Stroke>| stroke.as_ref().is_none_or(is_stroke_finite);
    let are_points_finite = |points: &[Point]| points.iter().all(|point| point.is_finite());
    match primitive {
        Primitive::Rect { rect, radius, .. } => rect.is_finite() && radius.is_finite(),
        Primitive::Line { from, to, stroke } => {
            from.is_finite() && to.is_finite() && is_stroke_finite(stroke)
        }
        Primitive::Circle { center, radius, stroke, .. } => {
            center.is_finite() && radius.is_finite() && is_optional_stroke_finite(stroke)
        }
        Primitive::Path { path, stroke, .. } => {
            path.is_finite() && is_optional_stroke_finite(stroke)
        }
        Primitive::Polyline { points, stroke } => {
            are_points_finite(points) && is_stroke_finite(stroke)
        }
        Primitive::Dots { points, radius, .. } => are_points_finite(points) && radius.is_finite(),
        Primitive::Text(text) => [text.x, text.y, text.angle, text.size, text.width]
            .iter()
            .all(|number| number.is_finite()),
        Primitive::Image { rect, .. } | Primitive::BeginClip(rect) => rect.is_finite(),
        Primitive::EndClip | Primitive::BeginLink(_) | Primitive::EndLink => true,
    }
}
