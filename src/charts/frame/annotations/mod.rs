//! Annotations: texts, lines, arrows, boxes and spans that an author adds to a chart.
//!
//! An annotation has a position on the canvas, or it is anchored to a mark. Marks are found by their
//! record after the chart kind has drawn them.

mod anchored;
mod marks;
mod occupancy;
mod shapes;

use kurbo::{Point, Rect};

use crate::Chart;
use crate::Scene;
use crate::frame::style::ChartStyle;
use crate::scene::{Anchor, Stroke};
use crate::style::{Annotation, AnnotationPosition, AnnotationShape};

use anchored::MarkPosition;
use occupancy::OccupancyGrid;
use shapes::AnnotationText;

/// Draws all annotations of a chart within the canvas. Adds a warning for each anchored annotation
/// without a drawn mark.
pub fn draw_annotations(chart: &Chart, style: &ChartStyle, scene: &mut Scene) {
    for annotation in &chart.style.annotations {
        if let AnnotationPosition::Canvas(at) = annotation.position {
            draw_on_canvas(chart, annotation, at, style, scene);
        }
    }
    if !chart.style.has_anchored_annotations() {
        return;
    }
    let mut occupancy = OccupancyGrid::from_scene(scene);
    // Annotations with an offset come first, because the others avoid the space that these take.
    for has_offset in [true, false] {
        for (index, annotation) in chart.style.annotations.iter().enumerate() {
            let AnnotationPosition::Data { mark, to, offset } = &annotation.position else {
                continue;
            };
            if offset.is_some() != has_offset {
                continue;
            }
            let position = MarkPosition { mark, to: to.as_ref(), offset: *offset };
            let drawn = anchored::draw(chart, annotation, &position, style, scene, &mut occupancy);
            if !drawn {
                scene.warn(format!(
                    "style.annotations[{index}] is omitted because its mark is not drawn."
                ));
            }
        }
    }
}

/// Returns the indexes of the records that annotations are anchored to, in ascending order. Kinds with
/// too many marks keep the names of these only.
pub fn annotated_rows(chart: &Chart) -> Vec<usize> {
    let mut rows = Vec::new();
    for annotation in &chart.style.annotations {
        if let AnnotationPosition::Data { mark, to, .. } = &annotation.position {
            let marks = std::iter::once(mark).chain(to);
            rows.extend(marks.filter_map(|it| marks::find_row(it, chart.data)));
        }
    }
    rows.sort_unstable();
    rows
}

/// Draws an annotation at `at`, a point on the canvas of the document. This canvas may have another
/// size, so positions and sizes are scaled.
fn draw_on_canvas(
    chart: &Chart,
    annotation: &Annotation,
    at: Point,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let own = chart.style.canvas_size();
    let (across, down) = (chart.width / own.0, chart.height / own.1);
    let inside = |x: f64, y: f64| {
        Point::new(x.clamp(2.0, scene.width - 2.0), y.clamp(2.0, scene.height - 2.0))
    };
    let from = inside(at.x * across, at.y * down);
    let to = inside((at.x + annotation.width) * across, (at.y + annotation.height) * down);
    let color = annotation.color.unwrap_or(style.text_color);
    let stroke = Stroke::new(color, 1.25 * style.unit);
    match annotation.shape {
        AnnotationShape::Text => {
            let canvas_width = scene.width - 8.0;
            let own_width = annotation.width * across;
            let max_width = if own_width > 0.0 {
                canvas_width.min(own_width)
            } else {
                canvas_width.min(scene.width * 0.4)
            };
            let block = AnnotationText::new(annotation, max_width, style);
            let corner = Point::new(
                from.x.min(scene.width - 4.0 - block.width).max(4.0),
                from.y.min(scene.height - 4.0 - block.height()).max(4.0),
            );
            block.draw(corner, Anchor::Start, color, style, scene);
        }
        AnnotationShape::Line => scene.line(from, to, stroke),
        AnnotationShape::Arrow => shapes::draw_arrow(from, to, stroke, style, scene),
        AnnotationShape::Rect => shapes::draw_outline(Rect::from_points(from, to), stroke, scene),
        // A span is only defined between marks.
        AnnotationShape::Span => {}
    }
}
