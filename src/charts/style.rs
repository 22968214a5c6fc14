//! What a document says about its own look, beside the theme.

use serde_json::Value;

use crate::charts::color::Color;

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

/// Something drawn over the chart, at points of the canvas.
#[derive(Clone, Debug, PartialEq)]
pub struct Annotation {
    /// What it is.
    pub shape: AnnotationShape,
    /// Left end in points.
    pub x: f64,
    /// Top end in points.
    pub y: f64,
    /// Extent to the right in points.
    pub width: f64,
    /// Extent downwards in points.
    pub height: f64,
    /// Words, for texts.
    pub text: String,
    /// Ink; the theme's text colour when absent.
    pub color: Option<Color>,
}

/// The kinds of annotation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnnotationShape {
    /// Words.
    Text,
    /// A straight line.
    Line,
    /// A line with a head at its end.
    Arrow,
    /// An empty box.
    Rect,
}

/// More annotations than this are left out.
const MOST_ANNOTATIONS: usize = 100;

impl Style {
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
        _ => return None,
    };
    Some(Annotation {
        shape,
        x: points(&source["position"]["x"])?,
        y: points(&source["position"]["y"])?,
        width: points(&source["size"]["width"]).unwrap_or(0.0),
        height: points(&source["size"]["height"]).unwrap_or(0.0),
        text: source["text"].as_str().unwrap_or("").to_owned(),
        color: source["color"].as_str().and_then(Color::parse),
    })
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
            {"type": "text"}, {"type": "star", "position": {"x": 1, "y": 2}}
        ]}));
        assert_eq!(style.annotations.len(), 1);
    }
}
