//! Texts, lines, arrows and boxes that an author puts over a chart.

use kurbo::{BezPath, Point, Rect};

use crate::charts::Chart;
use crate::charts::Scene;
use crate::charts::frame::Look;
use crate::charts::scene::{ASCENT, Anchor, Form, Stroke, Text};
use crate::charts::style::{Annotation, AnnotationShape};
use crate::charts::text;

/// Draws the annotations of the style, kept within the canvas.
pub fn annotate(chart: &Chart, look: &Look, scene: &mut Scene) {
    for annotation in &chart.style.annotations {
        draw(annotation, look, scene);
    }
}

fn draw(annotation: &Annotation, look: &Look, scene: &mut Scene) {
    let inside = |x: f64, y: f64| {
        Point::new(x.clamp(2.0, scene.width - 2.0), y.clamp(2.0, scene.height - 2.0))
    };
    let from = inside(annotation.x, annotation.y);
    let to = inside(annotation.x + annotation.width, annotation.y + annotation.height);
    let color = annotation.color.unwrap_or(look.ink);
    let stroke = Stroke::new(color, 1.25 * look.unit);
    match annotation.shape {
        AnnotationShape::Text => words(annotation, look, from, color, scene),
        AnnotationShape::Line => scene.line(from, to, stroke),
        AnnotationShape::Arrow => {
            scene.line(from, to, stroke);
            head(from, to, 7.0 * look.unit, color, scene);
        }
        AnnotationShape::Rect => {
            let path = kurbo::Shape::to_path(&Rect::from_points(from, to), 0.1);
            scene.push(Form::Path { path, fill: None, stroke: Some(stroke) });
        }
    }
}

fn words(
    annotation: &Annotation,
    look: &Look,
    from: Point,
    color: crate::charts::color::Color,
    scene: &mut Scene,
) {
    let size = look.label;
    let room = scene.width - 4.0 - from.x;
    let room = if annotation.width > 0.0 { room.min(annotation.width) } else { room };
    let cleaned = text::clean(&annotation.text);
    let mut top = from.y;
    for line in text::wrap(&cleaned, room, 6, size, look.face()) {
        if top + size * 1.3 > scene.height - 4.0 {
            break;
        }
        let set = look.text(from.x, top + ASCENT * size, Anchor::Start, size, &line);
        scene.text(Text { color, halo: Some(look.background), ..set });
        top += size * 1.3;
    }
}

fn head(
    from: Point,
    to: Point,
    length: f64,
    color: crate::charts::color::Color,
    scene: &mut Scene,
) {
    let along = to - from;
    if along.hypot() < 1.0 {
        return;
    }
    let back = along.normalize() * -length;
    let aside = kurbo::Vec2::new(-back.y, back.x) * 0.45;
    let mut path = BezPath::new();
    path.move_to(to);
    path.line_to(to + back + aside);
    path.line_to(to + back - aside);
    path.close_path();
    scene.fill(path, color);
}
