//! Texts, lines, arrows, boxes and spans that an author puts over a chart: at places of the canvas,
//! or at marks, which are found by their record once the kind has drawn.

mod anchored;
mod marks;
mod room;

use kurbo::{BezPath, Point, Rect, Vec2};

use crate::Chart;
use crate::Scene;
use crate::color::Color;
use crate::frame::Look;
use crate::scene::{ASCENT, Anchor, Form, Stroke, Text};
use crate::style::{Annotation, AnnotationShape, Place};
use crate::text;

/// Most lines of a text.
const MOST_LINES: usize = 6;
/// Height of a line as a multiple of the font size.
const LINE: f64 = 1.3;

/// Draws the annotations of the style, kept within the canvas.
pub fn annotate(chart: &Chart, look: &Look, scene: &mut Scene) {
    for annotation in &chart.style.annotations {
        if let Place::Canvas(at) = annotation.place {
            draw(chart, annotation, at, look, scene);
        }
    }
    if !chart.style.has_anchors() {
        return;
    }
    let mut room = room::Room::of(scene);
    // Those with a place of their own first: the others find room beside them.
    for placed in [true, false] {
        for (index, annotation) in chart.style.annotations.iter().enumerate() {
            let Place::Data { mark, to, offset } = &annotation.place else { continue };
            if offset.is_some() != placed {
                continue;
            }
            let ends = (mark, to.as_ref(), *offset);
            if anchored::draw(chart, annotation, ends, look, (scene, &mut room)).is_none() {
                let what = format!("style.annotations[{index}]");
                scene.warn(format!("{what} is left out: its mark is not drawn."));
            }
        }
    }
}

/// The records, in rising order, that annotations keep to: crowded kinds tag these alone.
pub fn wanted_rows(chart: &Chart) -> Vec<usize> {
    let mut rows = Vec::new();
    for annotation in &chart.style.annotations {
        if let Place::Data { mark, to, .. } = &annotation.place {
            let ends = std::iter::once(mark).chain(to);
            rows.extend(ends.filter_map(|it| marks::row(it, chart.data)));
        }
    }
    rows.sort_unstable();
    rows
}

/// One at a place of the document's own canvas, which may be larger than this one.
fn draw(chart: &Chart, annotation: &Annotation, at: Point, look: &Look, scene: &mut Scene) {
    let own = chart.style.size();
    let (across, down) = (chart.width / own.0, chart.height / own.1);
    let inside = |x: f64, y: f64| {
        Point::new(x.clamp(2.0, scene.width - 2.0), y.clamp(2.0, scene.height - 2.0))
    };
    let from = inside(at.x * across, at.y * down);
    let to = inside((at.x + annotation.width) * across, (at.y + annotation.height) * down);
    let color = annotation.color.unwrap_or(look.ink);
    let stroke = Stroke::new(color, 1.25 * look.unit);
    match annotation.shape {
        AnnotationShape::Text => {
            let room = scene.width - 8.0;
            let wide = annotation.width * across;
            let room = if wide > 0.0 { room.min(wide) } else { room.min(scene.width * 0.4) };
            let block = Block::new(annotation, room, look);
            let corner = Point::new(
                from.x.min(scene.width - 4.0 - block.width).max(4.0),
                from.y.min(scene.height - 4.0 - block.height()).max(4.0),
            );
            block.draw(corner, Anchor::Start, color, look, scene);
        }
        AnnotationShape::Line => scene.line(from, to, stroke),
        AnnotationShape::Arrow => arrow(from, to, stroke, look, scene),
        AnnotationShape::Rect => frame(Rect::from_points(from, to), stroke, scene),
        // A span has no place but between marks.
        AnnotationShape::Span => {}
    }
}

/// The words of an annotation, set.
struct Block {
    lines: Vec<String>,
    size: f64,
    width: f64,
}

impl Block {
    /// In lines of at most `room` points.
    fn new(annotation: &Annotation, room: f64, look: &Look) -> Block {
        let size = look.label;
        let cleaned = text::clean(&annotation.text);
        let lines = text::wrap(&cleaned, room, MOST_LINES, size, look.face());
        let width = lines.iter().map(|it| look.width(it, size)).fold(0.0, f64::max);
        Block { lines, size, width }
    }

    fn height(&self) -> f64 {
        self.lines.len() as f64 * self.size * LINE
    }

    /// Draws it from its upper left corner on, its lines set to one side or in the middle.
    fn draw(&self, corner: Point, anchor: Anchor, color: Color, look: &Look, scene: &mut Scene) {
        let x = match anchor {
            Anchor::Start => corner.x,
            Anchor::Middle => corner.x + self.width / 2.0,
            Anchor::End => corner.x + self.width,
        };
        let color = color.over(look.background).readable_on(look.background, 4.5);
        let mut top = corner.y;
        for line in &self.lines {
            let base = top + (LINE - 1.0) / 2.0 * self.size + ASCENT * self.size;
            if base + self.size * 0.25 > scene.height {
                break;
            }
            let set = look.text(x, base, anchor, self.size, line);
            scene.text(Text { color, halo: Some(look.background), ..set });
            top += self.size * LINE;
        }
    }
}

fn frame(rect: Rect, stroke: Stroke, scene: &mut Scene) {
    let path = kurbo::Shape::to_path(&rect, 0.1);
    scene.push(Form::Path { path, fill: None, stroke: Some(stroke) });
}

fn arrow(from: Point, to: Point, stroke: Stroke, look: &Look, scene: &mut Scene) {
    scene.line(from, to, stroke);
    let along = to - from;
    if along.hypot() < 1.0 {
        return;
    }
    let back = along.normalize() * (-7.0 * look.unit);
    let aside = Vec2::new(-back.y, back.x) * 0.45;
    let mut path = BezPath::new();
    path.move_to(to);
    path.line_to(to + back + aside);
    path.line_to(to + back - aside);
    path.close_path();
    scene.fill(path, stroke.color);
}
