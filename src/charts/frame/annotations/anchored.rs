//! Annotations anchored to marks: texts beside a mark, arrows to a mark, boxes around marks, spans.

use kurbo::{Point, Rect, Vec2};

use crate::Chart;
use crate::Scene;
use crate::frame::annotations::marks;
use crate::frame::annotations::marks::DrawnMark;
use crate::frame::annotations::occupancy::{FreePosition, OccupancyGrid, OccupiedCells};
use crate::frame::annotations::shapes;
use crate::frame::annotations::shapes::AnnotationText;
use crate::frame::style::ChartStyle;
use crate::scene::{Anchor, Primitive, Stroke};
use crate::style::{Annotation, AnnotationShape, MarkRef};

/// Distance in points between a text and its mark above which a leader line joins them.
const MIN_LEADER_DISTANCE: f64 = 12.0;
/// Distances in points between a text and its mark to try.
const TEXT_DISTANCES: [f64; 7] = [4.0, 9.0, 18.0, 30.0, 48.0, 72.0, 110.0];
/// Distances in points between the tail of an arrow and its mark to try.
const ARROW_DISTANCES: [f64; 5] = [22.0, 32.0, 46.0, 68.0, 100.0];
/// Maximum text widths to try, as shares of the canvas width.
const TEXT_WIDTHS: [f64; 3] = [0.25, 0.17, 0.36];

/// Position of an annotation relative to one or two marks.
pub struct MarkPosition<'a> {
    /// Mark that the annotation belongs to.
    pub mark: &'a MarkRef,
    /// Second mark: the other end of a line, arrow, box or span.
    pub to: Option<&'a MarkRef>,
    /// Offset in points on the canvas of the document from the middle of the mark. If None, the
    /// annotation is placed where space is free.
    pub offset: Option<Vec2>,
}

/// A text with its place on the canvas.
struct PlacedText {
    /// Lines of the text. No lines if the annotation has no text.
    text: AnnotationText,
    /// Bounding box on the canvas. Empty if there are no lines.
    rect: Rect,
    /// Alignment of the lines within `rect`.
    alignment: Anchor,
}

/// Draws an annotation at its marks, with its text at the offset or where space is free. Returns
/// false and draws nothing if one of the marks is not drawn. Returns true otherwise, even without
/// space.
///
/// A text without free space is omitted with a warning, and so is the line or arrow that would
/// start at it. A span, and a line or arrow between two marks, ignore the offset. Marks the space
/// of the text as occupied.
pub fn draw(
    chart: &Chart,
    annotation: &Annotation,
    position: &MarkPosition,
    style: &ChartStyle,
    scene: &mut Scene,
    occupancy: &mut OccupancyGrid,
) -> bool {
    let find_drawn = |scene: &Scene, mark: &MarkRef| {
        let row = marks::find_row(mark, chart.data, chart.locale())?;
        marks::find_mark(scene, row, mark.field.as_deref())
    };
    let Some(drawn) = find_drawn(scene, position.mark) else { return false };
    let other = match position.to.map(|mark| find_drawn(scene, mark)) {
        None => None,
        Some(Some(found)) => Some(found),
        Some(None) => return false,
    };
    // The offset refers to the canvas of the document, which may have another size.
    let document_size = chart.style.canvas_size();
    let offset = position.offset.map(|offset| {
        Vec2::new(
            offset.x * chart.width / document_size.0,
            offset.y * chart.height / document_size.1,
        )
    });
    let mut painter = Painter { annotation, style, scene, occupancy };
    match (annotation.shape, other) {
        (AnnotationShape::Text, _) => painter.draw_text(&drawn, offset),
        (AnnotationShape::Line | AnnotationShape::Arrow, Some(other)) => {
            painter.draw_connector(&drawn, &other)
        }
        (AnnotationShape::Line | AnnotationShape::Arrow, None) => {
            painter.draw_pointer(&drawn, offset)
        }
        (AnnotationShape::Rect, other) => painter.draw_box(&drawn, other.as_ref(), offset),
        (AnnotationShape::Span, other) => painter.draw_span(&drawn, other.as_ref()),
        // `difference::draw` draws these.
        (AnnotationShape::Difference(_), _) => {}
    }
    true
}

/// Drawing context of one annotation.
struct Painter<'a> {
    annotation: &'a Annotation,
    style: &'a ChartStyle,
    scene: &'a mut Scene,
    occupancy: &'a mut OccupancyGrid,
}

impl Painter<'_> {
    /// Returns the stroke for lines and outlines, in the color of the annotation, or in the text
    /// color without one.
    fn stroke(&self) -> Stroke {
        let color = self.annotation.color.unwrap_or(self.style.text_color);
        Stroke::new(color, 1.25 * self.style.unit)
    }

    /// Draws the text at the offset, or beside the mark where space is free. A distant text gets a
    /// leader line to the mark. Draws nothing if the text has no place.
    fn draw_text(&mut self, drawn: &DrawnMark, offset: Option<Vec2>) {
        let Some(placed) =
            self.place_text(drawn.bounds, drawn.inner_point, offset, &TEXT_DISTANCES)
        else {
            return;
        };
        let tail = find_nearest_point(placed.rect, drawn.inner_point);
        let tip = drawn.find_edge_point(tail, 2.0);
        if (tip - tail).hypot() > MIN_LEADER_DISTANCE * self.style.unit {
            let stroke = Stroke::new(self.style.muted_color, self.style.unit);
            self.scene.line(tail, tip, stroke);
        }
        self.draw_placed_text(&placed);
    }

    /// Draws a line or arrow to the mark, starting at the text. Draws nothing if the text has no
    /// place.
    fn draw_pointer(&mut self, drawn: &DrawnMark, offset: Option<Vec2>) {
        let Some(placed) =
            self.place_text(drawn.bounds, drawn.inner_point, offset, &ARROW_DISTANCES)
        else {
            return;
        };
        let from = find_nearest_point(placed.rect, drawn.inner_point);
        let to = drawn.find_edge_point(from, 2.0 * self.style.unit);
        self.draw_line(from, to);
        self.draw_placed_text(&placed);
    }

    /// Draws a line or arrow from the edge of one mark to the edge of the other, with the text near
    /// its middle if there is free space. Otherwise adds a warning and draws no text.
    fn draw_connector(&mut self, one: &DrawnMark, two: &DrawnMark) {
        let gap = 2.0 * self.style.unit;
        let (from, to) =
            (one.find_edge_point(two.inner_point, gap), two.find_edge_point(one.inner_point, gap));
        self.draw_line(from, to);
        let middle = from.midpoint(to);
        let placed =
            self.place_text(Rect::from_points(middle, middle), middle, None, &TEXT_DISTANCES);
        if let Some(placed) = placed {
            self.draw_placed_text(&placed);
        }
    }

    /// Draws a line between two points, with an arrowhead at `to` if the annotation is an arrow.
    fn draw_line(&mut self, from: Point, to: Point) {
        let stroke = self.stroke();
        match self.annotation.shape {
            AnnotationShape::Arrow => shapes::draw_arrow(from, to, stroke, self.style, self.scene),
            _ => self.scene.line(from, to, stroke),
        }
    }

    /// Draws a box around one or two marks, with the text beside it if the text has a place.
    fn draw_box(&mut self, drawn: &DrawnMark, other: Option<&DrawnMark>, offset: Option<Vec2>) {
        let bounds = other.map_or(drawn.bounds, |second| second.bounds.union(drawn.bounds));
        let gap = 4.0 * self.style.unit;
        let canvas = Rect::new(2.0, 2.0, self.scene.width - 2.0, self.scene.height - 2.0);
        let rect = bounds.inflate(gap, gap).intersect(canvas);
        shapes::draw_outline(rect, self.stroke(), self.scene);
        if let Some(placed) = self.place_text(rect, bounds.center(), offset, &TEXT_DISTANCES) {
            self.draw_placed_text(&placed);
        }
    }

    /// Draws a tinted strip behind all other shapes, over the extent of one or two marks along the
    /// category axis, and across the whole plot area in the other direction.
    ///
    /// The text is at the start of the strip if it fits there, otherwise beside it where space is
    /// free.
    fn draw_span(&mut self, drawn: &DrawnMark, other: Option<&DrawnMark>) {
        let bounds = other.map_or(drawn.bounds, |second| second.bounds.union(drawn.bounds));
        let plot = marks::measure_plot_bounds(self.scene).union(bounds);
        let distance =
            other.map_or(Vec2::ZERO, |second| second.bounds.center() - drawn.bounds.center());
        let is_horizontal = marks::records_run_horizontally(self.scene)
            .unwrap_or(distance.x.abs() >= distance.y.abs());
        let rect = match is_horizontal {
            true => Rect::new(bounds.x0, plot.y0, bounds.x1, plot.y1),
            false => Rect::new(plot.x0, bounds.y0, plot.x1, bounds.y1),
        };
        let color = self.annotation.color.unwrap_or(self.style.text_color);
        let fill = self.style.background.mix(color.over(self.style.background), 0.1);
        let strip = Primitive::Rect { rect, radius: 0.0, fill };
        self.scene.push_below(strip);
        // The text is at the start of the strip, or beside it if it does not fit there.
        let start = Rect::new(rect.x0, rect.y0, rect.x1, rect.y0);
        let text =
            self.layout_text(if is_horizontal { rect.width() - 8.0 } else { rect.width() / 2.0 });
        let text_rect = Rect::from_origin_size(
            rect.origin() + Vec2::new(4.0, 2.0),
            (text.width, text.height()),
        );
        let is_complete = !text.is_cut && !text.lines.is_empty();
        if is_complete
            && rect.contains_rect(text_rect)
            && self.occupancy.count_occupied(text_rect) == OccupiedCells::default()
        {
            self.draw_placed_text(&PlacedText { text, rect: text_rect, alignment: Anchor::Start });
        } else if let Some(placed) = self.place_text(start, start.center(), None, &TEXT_DISTANCES) {
            self.draw_placed_text(&placed);
        }
    }

    /// Breaks the text into lines of at most `max_width` points, or of the width of the annotation
    /// or the canvas if that is narrower.
    fn layout_text(&self, max_width: f64) -> AnnotationText {
        let own_width = self.annotation.width;
        let max_width = if own_width > 0.0 { max_width.min(own_width) } else { max_width };
        AnnotationText::new(self.annotation, max_width.min(self.scene.width - 8.0), self.style)
    }

    /// Finds the place for the text. `center` is the middle of the mark, and `around` the rectangle
    /// that the text belongs beside.
    ///
    /// With an offset, the text is at `center` plus the offset, moved onto the canvas. If another
    /// text is there, it is in the nearest free space, or at the offset if there is none. Without
    /// an offset, the text is at the best position near `around` that covers no other text, at one
    /// of the `distances` (in units of the style). Returns None and adds a warning if there is no
    /// such position.
    fn place_text(
        &mut self,
        around: Rect,
        center: Point,
        offset: Option<Vec2>,
        distances: &[f64],
    ) -> Option<PlacedText> {
        let canvas_width = self.scene.width;
        if let Some(offset) = offset {
            let text = self
                .layout_text(canvas_width * if self.annotation.width > 0.0 { 1.0 } else { 0.3 });
            // The text is on the side of the point that is away from the mark.
            let point = center + offset;
            let x = point.x + (compute_sign(offset.x) - 1.0) / 2.0 * text.width;
            let y = point.y + (compute_sign(offset.y) - 1.0) / 2.0 * text.height();
            let size = (text.width, text.height());
            let mut rect = self.occupancy.shift_onto_canvas(Rect::from_origin_size((x, y), size));
            if self.occupancy.count_occupied(rect).texts > 0 {
                // Another text is there: use the nearest free space.
                let steps = [0.0, 4.0, 10.0, 20.0, 34.0].map(|step| step * self.style.unit);
                let around = rect.inset((-size.0 / 2.0, -size.1 / 2.0));
                rect = self
                    .occupancy
                    .find_position_near(around, size, &steps)
                    .map_or(rect, |position| position.rect);
            }
            return Some(PlacedText { text, rect, alignment: choose_alignment(offset.x) });
        }
        let unit = self.style.unit;
        let distances: Vec<f64> = distances.iter().map(|distance| distance * unit).collect();
        let mut best: Option<(PlacedText, f64)> = None;
        for share in TEXT_WIDTHS {
            let text = self.layout_text((canvas_width * share).max(self.style.label_size * 6.0));
            let size = (text.width, text.height());
            let cut_penalty = if text.is_cut { 50.0 } else { 0.0 };
            let Some(FreePosition { rect, penalty }) =
                self.occupancy.find_position_near(around, size, &distances)
            else {
                continue;
            };
            let penalty = penalty + cut_penalty + text.lines.len() as f64 * 2.0;
            if best.as_ref().is_none_or(|(_, lowest)| penalty < *lowest) {
                let alignment = if rect.x1 < center.x || rect.x0 > center.x {
                    choose_alignment(rect.center().x - center.x)
                } else {
                    Anchor::Middle
                };
                best = Some((PlacedText { text, rect, alignment }, penalty));
            }
        }
        if best.is_none() {
            self.scene.warn("An annotation has no space near its mark.");
        }
        best.map(|(placed, _)| placed)
    }

    /// Draws a text at its place, on a translucent background if marks are below it, and marks its
    /// space as occupied. Draws nothing if there are no lines.
    fn draw_placed_text(&mut self, placed: &PlacedText) {
        let PlacedText { text, rect, alignment } = placed;
        if text.lines.is_empty() {
            return;
        }
        if self.occupancy.count_occupied(*rect).marks > 0 {
            let fill = self.style.background.with_opacity(0.85);
            let backdrop = rect.inflate(3.0, 0.5);
            self.scene.push(Primitive::Rect { rect: backdrop, radius: 2.0, fill });
        }
        let color = self.annotation.color.unwrap_or(self.style.text_color);
        text.draw(rect.origin(), *alignment, color, self.style, self.scene);
        self.occupancy.add_text(*rect);
    }
}

/// Returns the sign of a length in points: -1, 0 or 1. Lengths below half a point have the sign 0.
fn compute_sign(length: f64) -> f64 {
    if length.abs() < 0.5 { 0.0 } else { length.signum() }
}

/// Returns the alignment of a text at a horizontal distance in points from its mark, so that its
/// lines start (or end) at the side of the mark. The distance is positive if the text is on the
/// right.
fn choose_alignment(distance: f64) -> Anchor {
    match compute_sign(distance) {
        1.0 => Anchor::Start,
        0.0 => Anchor::Middle,
        _ => Anchor::End,
    }
}

/// Returns the point of a rectangle that is nearest to `target`.
fn find_nearest_point(rect: Rect, target: Point) -> Point {
    Point::new(target.x.clamp(rect.x0, rect.x1), target.y.clamp(rect.y0, rect.y1))
}
