//! What a document says about its own look, beside the theme.

use kurbo::{Point, Vec2};
use serde_json::Value;

use crate::color::Color;
use crate::data;

/// The `style` object of a document.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Style {
    /// Leaves the title out.
    pub no_title: bool,
    /// Leaves the footer out.
    pub no_footnote: bool,
    /// Leaves the branding out.
    pub no_branding: bool,
    /// Under the title; may hold the small HTML subset.
    pub subtitle: String,
    /// At the bottom; may hold the small HTML subset.
    pub footer: String,
    /// Description for screen readers, instead of the generated one.
    pub description: String,
    /// Texts, lines, arrows and boxes over the chart.
    pub annotations: Vec<Annotation>,
    /// Instead of the theme's colours, in order.
    pub custom_colors: Vec<Color>,
    /// Width of the canvas in points.
    pub width: Option<f64>,
    /// Height of the canvas in points.
    pub height: Option<f64>,
    /// Space round the picture in points; sides that are absent take the default.
    pub margin: Margin,
}

/// Space at the four sides in points.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Margin {
    /// Above the title.
    pub top: Option<f64>,
    /// Right of the plot.
    pub right: Option<f64>,
    /// Under the footer.
    pub bottom: Option<f64>,
    /// Left of the title.
    pub left: Option<f64>,
}

/// Something drawn over the chart.
#[derive(Clone, Debug, PartialEq)]
pub struct Annotation {
    /// What it is.
    pub shape: AnnotationShape,
    /// Where it is.
    pub place: Place,
    /// Extent to the right in points; of a text, its largest width.
    pub width: f64,
    /// Extent downwards in points.
    pub height: f64,
    /// Words.
    pub text: String,
    /// Ink; the theme's text colour when absent.
    pub color: Option<Color>,
}

/// What an annotation keeps to.
#[derive(Clone, Debug, PartialEq)]
pub enum Place {
    /// A point of the document's own canvas, in points from the top left.
    Canvas(Point),
    /// A mark, wherever it is drawn.
    Data {
        /// The mark.
        mark: Mark,
        /// A second mark: the other end of a line, arrow, box or span.
        to: Option<Mark>,
        /// From the middle of the mark to the annotation, in points; where there is room when
        /// absent.
        offset: Option<Vec2>,
    },
}

/// Names what is drawn for a record.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mark {
    /// Zero-based place of the record in the data; instead of `label`.
    pub row: Option<usize>,
    /// What the record calls itself: its label, name, date or id.
    pub label: String,
    /// Key of the column; all that is drawn for the record when absent.
    pub field: Option<String>,
}

/// The kinds of annotation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnnotationShape {
    /// Words.
    Text,
    /// A straight line.
    Line,
    /// A line with a head at its end; at a mark the head points at it.
    Arrow,
    /// An empty box; round a mark.
    Rect,
    /// A shaded strip behind the marks, from one to another.
    Span,
}

/// Size of a document without a layout, in points.
pub const USUAL_SIZE: (f64, f64) = (720.0, 405.0);
/// More annotations than this are left out.
const MOST_ANNOTATIONS: usize = 100;

impl Style {
    /// Width and height of the document's own canvas in points, which places are given in.
    pub fn size(&self) -> (f64, f64) {
        let side = |own: Option<f64>, usual: f64| own.filter(|it| *it > 0.0).unwrap_or(usual);
        (side(self.width, USUAL_SIZE.0), side(self.height, USUAL_SIZE.1))
    }

    /// Whether an annotation keeps to a mark.
    pub fn has_anchors(&self) -> bool {
        self.annotations.iter().any(|it| matches!(it.place, Place::Data { .. }))
    }

    /// Reads a style object; what is missing or odd takes its default.
    pub fn parse(source: &Value) -> Style {
        let flag = |key: &str| source[key].as_bool().unwrap_or(false);
        let words = |key: &str| source[key].as_str().unwrap_or("").to_owned();
        let list = |key: &str| source[key].as_array().map_or(&[][..], |it| it.as_slice());
        let side = |key: &str| points(&source["margin"][key]).map(|it| it.clamp(0.0, 500.0));
        Style {
            no_title: flag("no_title"),
            no_footnote: flag("no_footnote"),
            no_branding: flag("no_branding"),
            subtitle: words("subtitle"),
            footer: words("footer"),
            description: words("description"),
            annotations: list("annotations")
                .iter()
                .take(MOST_ANNOTATIONS)
                .filter_map(annotation)
                .collect(),
            custom_colors: list("custom_colors")
                .iter()
                .take(64)
                .filter_map(|it| it.as_str().and_then(Color::parse))
                .collect(),
            width: points(&source["width"]),
            height: points(&source["height"]),
            margin: Margin {
                top: side("top"),
                right: side("right"),
                bottom: side("bottom"),
                left: side("left"),
            },
        }
    }
}

fn points(value: &Value) -> Option<f64> {
    value.as_f64().filter(|it| it.is_finite() && it.abs() <= 1e5)
}

fn annotation(source: &Value) -> Option<Annotation> {
    let shape = match source["type"].as_str()? {
        "text" => AnnotationShape::Text,
        "line" => AnnotationShape::Line,
        "arrow" => AnnotationShape::Arrow,
        "rect" => AnnotationShape::Rect,
        "span" => AnnotationShape::Span,
        _ => return None,
    };
    let pair = |key: &str| Some((points(&source[key]["x"])?, points(&source[key]["y"])?));
    let place = match mark(&source["anchor"]) {
        Some(mark_of) => Place::Data {
            mark: mark_of,
            to: mark(&source["to"]),
            offset: pair("offset").map(Vec2::from),
        },
        None if shape == AnnotationShape::Span => return None,
        None => Place::Canvas(pair("position")?.into()),
    };
    Some(Annotation {
        shape,
        place,
        width: points(&source["size"]["width"]).unwrap_or(0.0),
        height: points(&source["size"]["height"]).unwrap_or(0.0),
        text: source["text"].as_str().unwrap_or("").to_owned(),
        color: source["color"].as_str().and_then(Color::parse),
    })
}

fn mark(source: &Value) -> Option<Mark> {
    let row = source["row"].as_u64().and_then(|it| usize::try_from(it).ok());
    let label = data::words(&source["label"]).into_owned();
    let field = source["field"].as_str().map(str::to_owned);
    (row.is_some() || !label.is_empty()).then_some(Mark { row, label, field })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn odd_styles_are_empty() {
        for source in [json!(null), json!([1]), json!({"margin": 3, "annotations": {"a": 1}})] {
            assert_eq!(Style::parse(&source), Style::default());
        }
    }

    #[test]
    fn annotations_need_a_type_and_a_place() {
        let style = Style::parse(&json!({"annotations": [
            {"type": "text", "position": {"x": 1, "y": 2}, "text": "a"},
            {"type": "text"}, {"type": "star", "position": {"x": 1, "y": 2}},
            {"type": "span", "position": {"x": 1, "y": 2}}, {"type": "rect", "anchor": {"row": -1}},
            {"type": "arrow", "anchor": {"label": 2024, "field": "value"}, "offset": {"x": 3, "y": 4}}
        ]}));
        let places: Vec<&Place> = style.annotations.iter().map(|it| &it.place).collect();
        let mark = Mark { row: None, label: "2024".to_owned(), field: Some("value".to_owned()) };
        let offset = Some(Vec2::new(3.0, 4.0));
        let data = Place::Data { mark, to: None, offset };
        assert_eq!(places, [&Place::Canvas(Point::new(1.0, 2.0)), &data]);
    }
}
