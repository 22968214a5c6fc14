//! The `style` object of a chart: texts, annotations, colors, size and margins.

use kurbo::{Point, Vec2};
use serde_json::Value;

use crate::color::Color;
use crate::data;

/// Style of a single chart, in addition to the theme.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Style {
    /// Whether the title is hidden.
    pub no_title: bool,
    /// Whether the footer is hidden.
    pub no_footnote: bool,
    /// Whether the logo of the theme is hidden.
    pub no_branding: bool,
    /// Text below the title. May contain the HTML subset of
    /// [`wrap_markup`](crate::text::wrap_markup).
    pub subtitle: String,
    /// Text at the bottom. May contain the same HTML subset.
    pub footer: String,
    /// Description for screen readers. Replaces the generated one unless empty.
    pub description: String,
    /// Texts, lines, arrows and boxes over the chart.
    pub annotations: Vec<Annotation>,
    /// Colors of series, in order. Replace those of the theme unless empty.
    pub custom_colors: Vec<Color>,
    /// Width of the canvas in points.
    pub width: Option<f64>,
    /// Height of the canvas in points.
    pub height: Option<f64>,
    /// Space around the chart.
    pub margin: Margin,
}

/// Space on the four sides, in points. A missing side has the default margin.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Margin {
    /// Space above the title.
    pub top: Option<f64>,
    /// Space to the right of the plot.
    pub right: Option<f64>,
    /// Space below the footer.
    pub bottom: Option<f64>,
    /// Space to the left of the title.
    pub left: Option<f64>,
}

/// A text, line, arrow, box or span that is drawn over the chart.
#[derive(Clone, Debug, PartialEq)]
pub struct Annotation {
    /// Shape to draw.
    pub shape: AnnotationShape,
    /// Position on the canvas or at a mark.
    pub position: AnnotationPosition,
    /// Extent to the right in points. The maximum width of a text.
    pub width: f64,
    /// Extent downwards in points.
    pub height: f64,
    /// Text to show. May be empty.
    pub text: String,
    /// Color. The text color of the theme if None.
    pub color: Option<Color>,
}

/// Position of an annotation.
#[derive(Clone, Debug, PartialEq)]
pub enum AnnotationPosition {
    /// A point on the canvas of [`Style::canvas_size`], in points from the top left corner.
    Canvas(Point),
    /// The position of a mark in the drawn chart.
    Data {
        /// Mark that the annotation belongs to.
        mark: MarkRef,
        /// Second mark: the other end of a line, arrow, box or span.
        to: Option<MarkRef>,
        /// Distance from the middle of the mark to the annotation, in points. If None, the
        /// annotation is placed where the chart has space.
        offset: Option<Vec2>,
    },
}

/// A reference to the marks of a record.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MarkRef {
    /// Zero-based index of the record in the data. If Some, `label` is not used.
    pub row: Option<usize>,
    /// Label, name, date or id of the record.
    pub label: String,
    /// Key of the column. All marks of the record if None.
    pub field: Option<String>,
}

/// The shape of an annotation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnnotationShape {
    /// Text.
    Text,
    /// A straight line.
    Line,
    /// A line with an arrowhead at its end. At a mark, the arrowhead points at the mark.
    Arrow,
    /// An empty box. At a mark, the box surrounds the mark.
    Rect,
    /// A shaded strip behind the marks, from one mark to another.
    Span,
    /// An arrow between the values of two marks, with their difference.
    Difference(DifferenceDisplay),
}

/// The numbers in the label of a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DifferenceDisplay {
    /// Second value minus first value.
    Absolute,
    /// Change in percent of the first value.
    Percent,
    /// Change in percent, and the absolute difference.
    Both,
    /// Second value divided by first value.
    Factor,
}

/// Width and height of the canvas of a chart without an own size, in points.
pub const DEFAULT_SIZE_PT: (f64, f64) = (720.0, 405.0);
/// Maximum number of annotations. The rest is left out.
const MAX_ANNOTATIONS: usize = 100;

impl Style {
    /// Returns width and height of the canvas in points, with defaults for missing values and for
    /// values that are not positive.
    ///
    /// Annotations give their positions on a canvas of this size.
    pub fn canvas_size(&self) -> (f64, f64) {
        let choose_side =
            |own: Option<f64>, default: f64| own.filter(|side| *side > 0.0).unwrap_or(default);
        (choose_side(self.width, DEFAULT_SIZE_PT.0), choose_side(self.height, DEFAULT_SIZE_PT.1))
    }

    /// Returns whether at least one annotation is positioned at a mark instead of a point of the
    /// canvas.
    pub fn has_anchored_annotations(&self) -> bool {
        self.annotations
            .iter()
            .any(|annotation| matches!(annotation.position, AnnotationPosition::Data { .. }))
    }

    /// Parses a style object. A missing or invalid value is replaced by its default.
    ///
    /// The keys are the field names of [`Style`]. An annotation has the keys `type`, `text`,
    /// `color`, `size`, `display` (of a difference) and either `position` (a point) or `anchor`, `to` and `offset`. Invalid
    /// annotations and colors are skipped. Only the first 100 annotations and the first 64 colors
    /// are read. Margins are limited to 0 to 500 points.
    pub fn parse(source: &Value) -> Style {
        let flag = |key: &str| source[key].as_bool().unwrap_or(false);
        let text = |key: &str| source[key].as_str().unwrap_or("").to_owned();
        let list = |key: &str| source[key].as_array().map_or(&[][..], |entries| entries.as_slice());
        let side =
            |key: &str| parse_points(&source["margin"][key]).map(|points| points.clamp(0.0, 500.0));
        Style {
            no_title: flag("no_title"),
            no_footnote: flag("no_footnote"),
            no_branding: flag("no_branding"),
            subtitle: text("subtitle"),
            footer: text("footer"),
            description: text("description"),
            annotations: list("annotations")
                .iter()
                .take(MAX_ANNOTATIONS)
                .filter_map(parse_annotation)
                .collect(),
            custom_colors: list("custom_colors")
                .iter()
                .take(64)
                .filter_map(|color| color.as_str().and_then(Color::parse))
                .collect(),
            width: parse_points(&source["width"]),
            height: parse_points(&source["height"]),
            margin: Margin {
                top: side("top"),
                right: side("right"),
                bottom: side("bottom"),
                left: side("left"),
            },
        }
    }
}

/// Parses a length or coordinate in points, at most 100,000 from zero. None for other values, which
/// include numbers in strings.
fn parse_points(value: &Value) -> Option<f64> {
    value.as_f64().filter(|points| points.is_finite() && points.abs() <= 1e5)
}

/// Parses an annotation. None if its type is unknown or it has no valid position. A valid anchor
/// takes precedence over a position, and a span must have one. A difference must have two marks. An
/// invalid size is 0.
fn parse_annotation(source: &Value) -> Option<Annotation> {
    let shape = match source["type"].as_str()? {
        "text" => AnnotationShape::Text,
        "line" => AnnotationShape::Line,
        "arrow" => AnnotationShape::Arrow,
        "rect" => AnnotationShape::Rect,
        "span" => AnnotationShape::Span,
        "difference" => AnnotationShape::Difference(match source["display"].as_str() {
            Some("absolute") => DifferenceDisplay::Absolute,
            Some("percent") => DifferenceDisplay::Percent,
            Some("factor") => DifferenceDisplay::Factor,
            _ => DifferenceDisplay::Both,
        }),
        _ => return None,
    };
    let parse_pair =
        |key: &str| Some((parse_points(&source[key]["x"])?, parse_points(&source[key]["y"])?));
    let is_difference = matches!(shape, AnnotationShape::Difference(_));
    let needs_mark = is_difference || shape == AnnotationShape::Span;
    let position = match parse_mark_ref(&source["anchor"]) {
        Some(_) if is_difference && parse_mark_ref(&source["to"]).is_none() => return None,
        Some(mark) => AnnotationPosition::Data {
            mark,
            to: parse_mark_ref(&source["to"]),
            offset: parse_pair("offset").map(Vec2::from),
        },
        None if needs_mark => return None,
        None => AnnotationPosition::Canvas(parse_pair("position")?.into()),
    };
    Some(Annotation {
        shape,
        position,
        width: parse_points(&source["size"]["width"]).unwrap_or(0.0),
        height: parse_points(&source["size"]["height"]).unwrap_or(0.0),
        text: source["text"].as_str().unwrap_or("").to_owned(),
        color: source["color"].as_str().and_then(Color::parse),
    })
}

/// Parses a reference to a mark, without checking that the mark exists. None if it names neither a
/// row nor a label.
fn parse_mark_ref(source: &Value) -> Option<MarkRef> {
    let row = source["row"].as_u64().and_then(|row| usize::try_from(row).ok());
    let label = data::display_text(&source["label"]).into_owned();
    let field = source["field"].as_str().map(str::to_owned);
    (row.is_some() || !label.is_empty()).then_some(MarkRef { row, label, field })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn invalid_styles_are_the_default_style() {
        for source in [json!(null), json!([1]), json!({"margin": 3, "annotations": {"a": 1}})] {
            assert_eq!(Style::parse(&source), Style::default());
        }
    }

    #[test]
    fn annotations_need_a_type_and_a_position() {
        let style = Style::parse(&json!({"annotations": [
            {"type": "text", "position": {"x": 1, "y": 2}, "text": "a"},
            {"type": "text"}, {"type": "star", "position": {"x": 1, "y": 2}},
            {"type": "span", "position": {"x": 1, "y": 2}}, {"type": "rect", "anchor": {"row": -1}},
            {"type": "arrow", "anchor": {"label": 2024, "field": "value"}, "offset": {"x": 3, "y": 4}}
        ]}));
        let positions: Vec<&AnnotationPosition> =
            style.annotations.iter().map(|annotation| &annotation.position).collect();
        let mark = MarkRef { row: None, label: "2024".to_owned(), field: Some("value".to_owned()) };
        let offset = Some(Vec2::new(3.0, 4.0));
        let data = AnnotationPosition::Data { mark, to: None, offset };
        assert_eq!(positions, [&AnnotationPosition::Canvas(Point::new(1.0, 2.0)), &data]);
    }
}
