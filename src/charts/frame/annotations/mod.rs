//! Annotations: texts, lines, arrows, boxes and spans that an author adds to a chart.
//!
//! An annotation has a position on the canvas, or it is anchored to a mark. Marks are found by
//! their record after the chart kind has drawn them.

mod anchored;
mod difference;
mod difference_text;
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
use marks::ANNOTATION_PART;
use occupancy::OccupancyGrid;
use shapes::AnnotationText;

/// Draws the annotations of a chart within the canvas, after the chart kind has drawn its marks.
///
/// Adds a warning for each anchored annotation without a drawn mark or without space for its text.
pub fn draw_annotations(chart: &Chart, style: &ChartStyle, scene: &mut Scene) {
    for (index, annotation) in chart.style.annotations.iter().enumerate() {
        if let AnnotationPosition::Canvas(position) = annotation.position {
            begin_annotation_mark(index, scene);
            draw_on_canvas(chart, annotation, position, style, scene);
        }
    }
    scene.end_mark();
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
            begin_annotation_mark(index, scene);
            if let AnnotationShape::Difference(display) = annotation.shape {
                let problem = match to {
                    Some(to) => difference::draw(
                        chart,
                        annotation,
                        (mark, to, display),
                        style,
                        scene,
                        &mut occupancy,
                    ),
                    None => Some("it has only one mark"),
                };
                if let Some(problem) = problem {
                    scene.warn(format!("style.annotations[{index}] is omitted because {problem}."));
                }
                continue;
            }
            let drawn = anchored::draw(chart, annotation, &position, style, scene, &mut occupancy);
            if !drawn {
                scene.warn(format!(
                    "style.annotations[{index}] is omitted because its mark is not drawn."
                ));
            }
        }
    }
    scene.end_mark();
}

/// Begins the mark of an annotation, so that an editor finds its shapes. Its column key is the
/// index of the annotation. Does nothing if the scene is not interactive.
fn begin_annotation_mark(index: usize, scene: &mut Scene) {
    scene.begin_mark(ANNOTATION_PART, None, || (Some(index.to_string()), String::new()));
}

/// Returns the indexes of the records that annotations are anchored to, in ascending order and
/// possibly repeated. Kinds with too many marks record the marks of these only.
pub fn find_annotated_rows(chart: &Chart) -> Vec<usize> {
    let mut rows = Vec::new();
    for annotation in &chart.style.annotations {
        if let AnnotationPosition::Data { mark, to, .. } = &annotation.position {
            let marks = std::iter::once(mark).chain(to);
            rows.extend(marks.filter_map(|mark| marks::find_row(mark, chart.data, chart.locale())));
        }
    }
    rows.sort_unstable();
    rows
}

/// Draws an annotation at `position`, a point on the canvas of the document.
///
/// If the canvas of the scene has another size, position, width and height are scaled to it, but
/// not the font size. Corners outside the canvas are moved to just inside its edge, and a text is
/// moved so that it starts and ends within the canvas. Draws no spans and differences, because they
/// are only defined between marks.
fn draw_on_canvas(
    chart: &Chart,
    annotation: &Annotation,
    position: Point,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let document_size = chart.style.canvas_size();
    let (x_scale, y_scale) = (chart.width / document_size.0, chart.height / document_size.1);
    let clamp_to_canvas = |x: f64, y: f64| {
        Point::new(x.clamp(2.0, scene.width - 2.0), y.clamp(2.0, scene.height - 2.0))
    };
    let from = clamp_to_canvas(position.x * x_scale, position.y * y_scale);
    let to = clamp_to_canvas(
        (position.x + annotation.width) * x_scale,
        (position.y + annotation.height) * y_scale,
    );
    let color = annotation.color.unwrap_or(style.text_color);
    let stroke = Stroke::new(color, 1.25 * style.unit);
    match annotation.shape {
        AnnotationShape::Text => {
            let canvas_width = scene.width - 8.0;
            let own_width = annotation.width * x_scale;
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
        // These are only defined between marks.
        AnnotationShape::Span | AnnotationShape::Difference(_) => {}
    }
}
