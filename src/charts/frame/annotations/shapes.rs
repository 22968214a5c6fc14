//! Shapes of annotations: text blocks, arrows and outlines.

use kurbo::{BezPath, Point, Rect, Vec2};

use crate::Scene;
use crate::color::Color;
use crate::frame::style::ChartStyle;
use crate::scene::{ASCENT_EM, Anchor, Primitive, Stroke, Text};
use crate::style::Annotation;
use crate::text;

/// Maximum number of lines of a text.
const MAX_LINES: usize = 6;
/// Line height as a multiple of the font size.
const LINE_HEIGHT: f64 = 1.3;

/// The text of an annotation, broken into lines.
pub struct AnnotationText {
    /// Lines from top to bottom; empty if the annotation has no text.
    pub lines: Vec<String>,
    /// Font size in points.
    pub size: f64,
    /// Width of the longest line in points. 0 without lines.
    pub width: f64,
    /// Whether the lines do not have the whole text. False without lines.
    pub is_cut: bool,
}

impl AnnotationText {
    /// Breaks the text into at most [`MAX_LINES`] lines of at most `max_width` points. A longer
    /// text is cut with an ellipsis.
    pub fn new(annotation: &Annotation, max_width: f64, style: &ChartStyle) -> AnnotationText {
        let size = style.label_size;
        let cleaned = text::sanitize(&annotation.text);
        let lines = text::wrap(&cleaned, max_width, MAX_LINES, size, style.label_face());
        let width = lines.iter().map(|line| style.text_width(line, size)).fold(0.0, f64::max);
        let is_cut = !lines.is_empty() && !text::is_whole(&lines, &cleaned);
        AnnotationText { lines, size, width, is_cut }
    }

    /// Returns the height of all lines together in points, with the space between them. 0 without
    /// lines.
    pub fn height(&self) -> f64 {
        self.lines.len() as f64 * self.size * LINE_HEIGHT
    }

    /// Draws the text with its upper left corner at `corner`. `alignment` aligns the lines. Lines
    /// below the canvas are omitted.
    ///
    /// The text has an outline in the background color. `color` is changed until it is readable on
    /// the background.
    pub fn draw(
        &self,
        corner: Point,
        alignment: Anchor,
        color: Color,
        style: &ChartStyle,
        scene: &mut Scene,
    ) {
        let x = match alignment {
            Anchor::Start => corner.x,
            Anchor::Middle => corner.x + self.width / 2.0,
            Anchor::End => corner.x + self.width,
        };
        let color = color.over(style.background).readable_on(style.background, 4.5);
        let mut top = corner.y;
        for line in &self.lines {
            let base = top + (LINE_HEIGHT - 1.0) / 2.0 * self.size + ASCENT_EM * self.size;
            if base + self.size * 0.25 > scene.height {
                break;
            }
            let text = style.label_text(x, base, alignment, self.size, line);
            scene.text(Text { color, halo: Some(style.background), ..text });
            top += self.size * LINE_HEIGHT;
        }
    }
}

/// Draws the outline of a rectangle, without a fill.
pub fn draw_outline(rect: Rect, stroke: Stroke, scene: &mut Scene) {
    let path = kurbo::Shape::to_path(&rect, 0.1);
    scene.push(Primitive::Path { path, fill: None, stroke: Some(stroke) });
}

/// Draws a line with a filled arrowhead at `to`. A line of less than one point has no arrowhead.
pub fn draw_arrow(from: Point, to: Point, stroke: Stroke, style: &ChartStyle, scene: &mut Scene) {
    scene.line(from, to, stroke);
    let direction = to - from;
    if direction.hypot() < 1.0 {
        return;
    }
    let backwards = direction.normalize() * (-7.0 * style.unit);
    let sideways = Vec2::new(-backwards.y, backwards.x) * 0.45;
    let mut path = BezPath::new();
    path.move_to(to);
    path.line_to(to + backwards + sideways);
    path.line_to(to + backwards - sideways);
    path.close_path();
    scene.fill(path, stroke.color);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Chart;
    use crate::style::{AnnotationPosition, AnnotationShape};

    #[test]
    fn a_text_with_an_ellipsis_of_its_own_is_not_cut() {
        let style = ChartStyle::new(&Chart::new(crate::find_kind("bar").unwrap(), &[]));
        let is_cut = |text: &str| {
            let annotation = Annotation {
                shape: AnnotationShape::Text,
                position: AnnotationPosition::Canvas(Point::ZERO),
                width: 0.0,
                height: 0.0,
                text: text.to_owned(),
                color: None,
            };
            AnnotationText::new(&annotation, 120.0, &style).is_cut
        };
        assert!(!is_cut("And so on…"));
        assert!(!is_cut("A new government… and then more"));
        assert!(is_cut(&"A long text ".repeat(30)));
    }
}
