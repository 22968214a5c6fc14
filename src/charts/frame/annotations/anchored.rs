//! Annotations at marks: words beside one, arrows that point at one, boxes round them, spans.

use kurbo::{Point, Rect, Vec2};

use crate::Chart;
use crate::Scene;
use crate::frame::Look;
use crate::frame::annotations::Block;
use crate::frame::annotations::marks;
use crate::frame::annotations::marks::Drawn;
use crate::frame::annotations::room::Room;
use crate::frame::annotations::{arrow, frame};
use crate::scene::{Anchor, Form, Shape, Stroke};
use crate::style::{Annotation, AnnotationShape, Mark};

/// Words that stand farther from their mark than this many points have a line to it.
const NEAR: f64 = 12.0;
/// Distances of words from their mark that are tried, in points.
const TEXT_AT: [f64; 7] = [4.0, 9.0, 18.0, 30.0, 48.0, 72.0, 110.0];
/// Distances of the tail of an arrow from its mark that are tried, in points.
const ARROW_AT: [f64; 5] = [22.0, 32.0, 46.0, 68.0, 100.0];
/// Widths of words that are tried, as shares of the width of the canvas.
const WIDTHS: [f64; 3] = [0.25, 0.17, 0.36];

/// Draws one; none when one of its marks is not drawn.
pub fn draw(
    chart: &Chart,
    annotation: &Annotation,
    (mark, to, offset): (&Mark, Option<&Mark>, Option<Vec2>),
    look: &Look,
    (scene, room): (&mut Scene, &mut Room),
) -> Option<()> {
    let find = |scene: &Scene, mark: &Mark| {
        let row = marks::row(mark, chart.data)?;
        marks::find(scene, row, mark.field.as_deref())
    };
    let drawn = find(scene, mark)?;
    let other = match to {
        None => None,
        Some(to) => Some(find(scene, to)?),
    };
    // Points of the document's own canvas, as those of places are.
    let own = chart.style.size();
    let offset =
        offset.map(|it| Vec2::new(it.x * chart.width / own.0, it.y * chart.height / own.1));
    let mut pen = Pen { annotation, look, scene, room };
    match (annotation.shape, other) {
        (AnnotationShape::Text, _) => pen.words(&drawn, offset),
        (AnnotationShape::Line | AnnotationShape::Arrow, Some(other)) => {
            pen.between(&drawn, &other)
        }
        (AnnotationShape::Line | AnnotationShape::Arrow, None) => pen.pointer(&drawn, offset),
        (AnnotationShape::Rect, other) => pen.rect(&drawn, other.as_ref(), offset),
        (AnnotationShape::Span, other) => pen.span(&drawn, other.as_ref()),
    }
    Some(())
}

struct Pen<'a> {
    annotation: &'a Annotation,
    look: &'a Look,
    scene: &'a mut Scene,
    room: &'a mut Room,
}

impl Pen<'_> {
    fn stroke(&self) -> Stroke {
        let color = self.annotation.color.unwrap_or(self.look.ink);
        Stroke::new(color, 1.25 * self.look.unit)
    }

    /// Words where the author wants them, else beside the mark.
    fn words(&mut self, drawn: &Drawn, offset: Option<Vec2>) {
        let Some((block, rect, anchor)) = self.spot(drawn.bounds, drawn.heart, offset, &TEXT_AT)
        else {
            return;
        };
        let tail = nearest(rect, drawn.heart);
        let tip = drawn.edge(tail, 2.0);
        if (tip - tail).hypot() > NEAR * self.look.unit {
            let stroke = Stroke::new(self.look.muted, self.look.unit);
            self.scene.line(tail, tip, stroke);
        }
        self.write(&block, rect, anchor);
    }

    /// A line or arrow to a mark, from the words if there are any.
    fn pointer(&mut self, drawn: &Drawn, offset: Option<Vec2>) {
        let Some((block, rect, anchor)) = self.spot(drawn.bounds, drawn.heart, offset, &ARROW_AT)
        else {
            return;
        };
        let from = nearest(rect, drawn.heart);
        let to = drawn.edge(from, 2.0 * self.look.unit);
        self.draw_line(from, to);
        self.write(&block, rect, anchor);
    }

    fn between(&mut self, one: &Drawn, two: &Drawn) {
        let gap = 2.0 * self.look.unit;
        let (from, to) = (one.edge(two.heart, gap), two.edge(one.heart, gap));
        self.draw_line(from, to);
        let middle = from.midpoint(to);
        let spot = self.spot(Rect::from_points(middle, middle), middle, None, &TEXT_AT);
        if let Some((block, rect, anchor)) = spot {
            self.write(&block, rect, anchor);
        }
    }

    fn draw_line(&mut self, from: Point, to: Point) {
        let stroke = self.stroke();
        match self.annotation.shape {
            AnnotationShape::Arrow => arrow(from, to, stroke, self.look, self.scene),
            _ => self.scene.line(from, to, stroke),
        }
    }

    fn rect(&mut self, drawn: &Drawn, other: Option<&Drawn>, offset: Option<Vec2>) {
        let bounds = other.map_or(drawn.bounds, |it| it.bounds.union(drawn.bounds));
        let by = 4.0 * self.look.unit;
        let canvas = Rect::new(2.0, 2.0, self.scene.width - 2.0, self.scene.height - 2.0);
        let rect = bounds.inflate(by, by).intersect(canvas);
        frame(rect, self.stroke(), self.scene);
        if let Some((block, place, anchor)) = self.spot(rect, bounds.center(), offset, &TEXT_AT) {
            self.write(&block, place, anchor);
        }
    }

    /// A strip from one mark to another across the whole plot, behind everything.
    fn span(&mut self, drawn: &Drawn, other: Option<&Drawn>) {
        let bounds = other.map_or(drawn.bounds, |it| it.bounds.union(drawn.bounds));
        let plot = marks::plot(self.scene).union(bounds);
        let apart = other.map_or(Vec2::ZERO, |it| it.bounds.center() - drawn.bounds.center());
        let across = marks::run_across(self.scene).unwrap_or(apart.x.abs() >= apart.y.abs());
        let rect = match across {
            true => Rect::new(bounds.x0, plot.y0, bounds.x1, plot.y1),
            false => Rect::new(plot.x0, bounds.y0, plot.x1, bounds.y1),
        };
        let color = self.annotation.color.unwrap_or(self.look.ink);
        let fill = self.look.background.mix(color.over(self.look.background), 0.1);
        let strip = Form::Rect { rect, radius: 0.0, fill };
        self.scene.shapes.insert(0, Shape { tag: 0, form: strip });
        // Its words stand at its start, or where there is room beside it.
        let start = Rect::new(rect.x0, rect.y0, rect.x1, rect.y0);
        let inside = self.block(if across { rect.width() - 8.0 } else { rect.width() / 2.0 });
        let place = Rect::from_origin_size(
            rect.origin() + Vec2::new(4.0, 2.0),
            (inside.width, inside.height()),
        );
        let whole = !inside.lines.iter().any(|it| it.ends_with('…')) && !inside.lines.is_empty();
        if whole && rect.contains_rect(place) && self.room.under(place) == (0, 0) {
            self.write(&inside, place, Anchor::Start);
        } else if let Some((block, place, anchor)) =
            self.spot(start, start.center(), None, &TEXT_AT)
        {
            self.write(&block, place, anchor);
        }
    }

    fn block(&self, room: f64) -> Block {
        let asked = self.annotation.width;
        let room = if asked > 0.0 { room.min(asked) } else { room };
        Block::new(self.annotation, room.min(self.scene.width - 8.0), self.look)
    }

    /// The words set, their box and the side they are set to: at the offset, else where there is
    /// room. A box without size when there are no words. None when there is no room.
    fn spot(
        &mut self,
        around: Rect,
        heart: Point,
        offset: Option<Vec2>,
        distances: &[f64],
    ) -> Option<(Block, Rect, Anchor)> {
        let wide = self.scene.width;
        if let Some(offset) = offset {
            let block = self.block(wide * if self.annotation.width > 0.0 { 1.0 } else { 0.3 });
            // The words lie on the side of the point that is turned away from the mark.
            let at = heart + offset;
            let x = at.x + (sign(offset.x) - 1.0) / 2.0 * block.width;
            let y = at.y + (sign(offset.y) - 1.0) / 2.0 * block.height();
            let size = (block.width, block.height());
            let mut rect = self.room.kept(Rect::from_origin_size((x, y), size));
            if self.room.under(rect).0 > 0 {
                // Other words stand there: as near as there is room.
                let steps = [0.0, 4.0, 10.0, 20.0, 34.0].map(|it| it * self.look.unit);
                let around = rect.inset((-size.0 / 2.0, -size.1 / 2.0));
                rect = self.room.beside(around, size, &steps).map_or(rect, |it| it.0);
            }
            return Some((block, rect, side(offset.x)));
        }
        let unit = self.look.unit;
        let distances: Vec<f64> = distances.iter().map(|it| it * unit).collect();
        let mut best: Option<(Block, Rect, f64)> = None;
        for share in WIDTHS {
            let block = self.block((wide * share).max(self.look.label * 6.0));
            let size = (block.width, block.height());
            let cut = if block.lines.iter().any(|it| it.ends_with('…')) { 50.0 } else { 0.0 };
            let Some((rect, bad)) = self.room.beside(around, size, &distances) else { continue };
            let bad = bad + cut + block.lines.len() as f64 * 2.0;
            if best.as_ref().is_none_or(|it| bad < it.2) {
                best = Some((block, rect, bad));
            }
        }
        let found = best.map(|(block, rect, _)| {
            let aside = rect.center().x - heart.x;
            let side =
                if rect.x1 < heart.x || rect.x0 > heart.x { side(aside) } else { Anchor::Middle };
            (block, rect, side)
        });
        if found.is_none() {
            self.scene.warn("An annotation has no room beside its mark.");
        }
        found
    }

    fn write(&mut self, block: &Block, rect: Rect, anchor: Anchor) {
        if block.lines.is_empty() {
            return;
        }
        if self.room.under(rect).1 > 0 {
            // On marks, words are read on a sheet of the ground's colour.
            let fill = self.look.background.with_opacity(0.85);
            let sheet = rect.inflate(3.0, 0.5);
            self.scene.push(Form::Rect { rect: sheet, radius: 2.0, fill });
        }
        let color = self.annotation.color.unwrap_or(self.look.ink);
        block.draw(rect.origin(), anchor, color, self.look, self.scene);
        self.room.take(rect);
    }
}

fn sign(it: f64) -> f64 {
    if it.abs() < 0.5 { 0.0 } else { it.signum() }
}

fn side(aside: f64) -> Anchor {
    match sign(aside) {
        1.0 => Anchor::Start,
        0.0 => Anchor::Middle,
        _ => Anchor::End,
    }
}

/// The point of a box that is nearest to another point.
fn nearest(rect: Rect, to: Point) -> Point {
    Point::new(to.x.clamp(rect.x0, rect.x1), to.y.clamp(rect.y0, rect.y1))
}
