//! Whether every number of a picture is one.
//!
//! The writers make 0 of what is not finite, so the shapes are looked at, not the text. Shared by
//! the tests and the fuzz target.

use chartroom_charts::Scene;
use chartroom_charts::scene::{Form, Stroke};
use kurbo::Point;

/// Panics with `what` and the first shape that has a coordinate, length or angle that is not finite.
pub fn check(what: &str, scene: &Scene) {
    for shape in &scene.shapes {
        assert!(is_finite(&shape.form), "{what}: {:?}", shape.form);
    }
}

fn is_finite(form: &Form) -> bool {
    let pen = |it: &Stroke| {
        let (dash, gap) = it.dash.unwrap_or_default();
        it.width.is_finite() && dash.is_finite() && gap.is_finite()
    };
    let pens = |it: &Option<Stroke>| it.as_ref().is_none_or(pen);
    let points = |it: &[Point]| it.iter().all(|it| it.is_finite());
    match form {
        Form::Rect { rect, radius, .. } => rect.is_finite() && radius.is_finite(),
        Form::Line { from, to, stroke } => from.is_finite() && to.is_finite() && pen(stroke),
        Form::Circle { center, radius, stroke, .. } => {
            center.is_finite() && radius.is_finite() && pens(stroke)
        }
        Form::Path { path, stroke, .. } => path.is_finite() && pens(stroke),
        Form::Polyline { points: all, stroke } => points(all) && pen(stroke),
        Form::Marks { points: all, radius, .. } => points(all) && radius.is_finite(),
        Form::Text(it) => [it.x, it.y, it.angle, it.size, it.width].iter().all(|it| it.is_finite()),
        Form::Image { rect, .. } | Form::Clip(rect) => rect.is_finite(),
        Form::EndClip => true,
    }
}
