//! Whether every number of a picture is one.
//!
//! The writers make 0 of what is not finite, so the shapes are looked at, not the text. Shared by
//! the tests and the fuzz target.

use chartroom_charts::Scene;
use chartroom_charts::scene::{Primitive, Stroke};
use kurbo::Point;

/// Panics with `what` and the first shape that has a coordinate, length or angle that is not finite.
pub fn check(what: &str, scene: &Scene) {
    for shape in &scene.shapes {
        assert!(is_finite(&shape.primitive), "{what}: {:?}", shape.primitive);
    }
}

fn is_finite(form: &Primitive) -> bool {
    let pen = |it: &Stroke| {
        let (dash, gap) = it.dash.unwrap_or_default();
        it.width.is_finite() && dash.is_finite() && gap.is_finite()
    };
    let pens = |it: &Option<Stroke>| it.as_ref().is_none_or(pen);
    let points = |it: &[Point]| it.iter().all(|it| it.is_finite());
    match form {
        Primitive::Rect { rect, radius, .. } => rect.is_finite() && radius.is_finite(),
        Primitive::Line { from, to, stroke } => from.is_finite() && to.is_finite() && pen(stroke),
        Primitive::Circle { center, radius, stroke, .. } => {
            center.is_finite() && radius.is_finite() && pens(stroke)
        }
        Primitive::Path { path, stroke, .. } => path.is_finite() && pens(stroke),
        Primitive::Polyline { points: all, stroke } => points(all) && pen(stroke),
        Primitive::Dots { points: all, radius, .. } => points(all) && radius.is_finite(),
        Primitive::Text(it) => {
            [it.x, it.y, it.angle, it.size, it.width].iter().all(|it| it.is_finite())
        }
        Primitive::Image { rect, .. } | Primitive::BeginClip(rect) => rect.is_finite(),
        Primitive::EndClip => true,
    }
}
