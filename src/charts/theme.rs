//! Colours and sizes that an organization gives its charts.

use serde_json::Value;

use crate::color::Color;
use crate::ground::Ground;
use crate::logo::Logo;
use crate::text;
use crate::text::{FAMILY, Faces, Fonts};

/// The look of charts. Unknown or odd fields of the source fall back to the light theme.
#[derive(Clone, Debug, PartialEq)]
pub struct Theme {
    /// Colours of series, in order; never empty.
    pub colors: Vec<Color>,
    /// Colour of highlighted marks.
    pub highlight: Color,
    /// Colour of titles; lesser texts are mixed from it and the background.
    pub text: Color,
    /// Colour of base and zero lines.
    pub axis: Color,
    /// Colour of grid lines.
    pub grid: Color,
    /// Ground of the picture.
    pub background: Color,
    /// What the ground shows.
    pub ground: Option<Ground>,
    /// Whose charts they are.
    pub logo: Option<Logo>,
    /// Font of the title.
    pub title_font: Font,
    /// Font of everything else.
    pub body_font: Font,
    /// What of the source could not be followed, in plain words.
    pub warnings: Vec<String>,
}

/// Family, size and weight of a text role.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Font {
    /// Points on a canvas of 720 by 405.
    pub size: f64,
    /// Whether the weight is 600 or more.
    pub bold: bool,
    /// What text of this role is measured and drawn with.
    pub faces: Faces,
}

/// Ten colours that stay apart for the common colour-vision deficiencies, from Matthew Petroff,
/// "Accessible Color Sequences for Data Visualization", 2021.
pub const PETROFF: [Color; 10] = [
    Color::hex(0x3f90da),
    Color::hex(0xffa90e),
    Color::hex(0xbd1f01),
    Color::hex(0x94a4a2),
    Color::hex(0x832db6),
    Color::hex(0xa96b59),
    Color::hex(0xe76300),
    Color::hex(0xb9ac70),
    Color::hex(0x717581),
    Color::hex(0x92dadd),
];

impl Default for Theme {
    fn default() -> Theme {
        Theme {
            colors: PETROFF.to_vec(),
            highlight: Color::hex(0xe76300),
            text: Color::hex(0x1d2329),
            axis: Color::hex(0x5b636b),
            grid: Color::hex(0xe1e4e8),
            background: Color::hex(0xffffff),
            ground: None,
            logo: None,
            title_font: Font { size: 18.0, bold: true, faces: Faces::builtin() },
            body_font: Font { size: 12.0, bold: false, faces: Faces::builtin() },
            warnings: Vec::new(),
        }
    }
}

impl Theme {
    /// Reads a theme object: `colors`, `highlight_color`, `text_color`, `axis_color`,
    /// `grid_color`, `background_color`, `background_svg`, `fonts.title` and `fonts.body` (`family`,
    /// `size`, `weight`), `logo` (a data URI), `logo_position`. Only the built-in family is there.
    pub fn parse(source: &Value) -> Theme {
        Theme::parse_with(source, Fonts::builtin())
    }

    /// The same with more families.
    pub fn parse_with(source: &Value, fonts: Fonts) -> Theme {
        let mut warnings = Vec::new();
        let mut font = |role: &str, usual: Font, sizes: (f64, f64)| {
            font(&source["fonts"][role], usual, sizes, fonts).unwrap_or_else(|(font, family)| {
                let family = text::clean(&family);
                warnings.push(format!("There is no font family \"{family}\" for fonts.{role}."));
                font
            })
        };
        let light = Theme::default();
        let color = |key: &str, fallback: Color| {
            source[key].as_str().and_then(Color::parse).unwrap_or(fallback)
        };
        let listed = source["colors"].as_array().map(|list| {
            // A chart needs no more; the bound keeps an odd theme from costing memory.
            list.iter().take(64).filter_map(|it| it.as_str().and_then(Color::parse)).collect()
        });
        let colors: Vec<Color> = listed.unwrap_or_default();
        let background = color("background_color", light.background);
        // Everything is drawn on an opaque ground; a see-through picture is the writer's choice.
        let background = background.over(light.background);
        let mut odd_logo = None;
        let mut theme = Theme {
            highlight: color("highlight_color", light.highlight),
            text: color("text_color", light.text),
            axis: color("axis_color", light.axis),
            grid: color("grid_color", light.grid),
            background,
            ground: source["background_svg"].as_str().and_then(Ground::parse),
            title_font: font("title", light.title_font, (10.0, 48.0)),
            body_font: font("body", light.body_font, (9.0, 24.0)),
            colors: if colors.is_empty() { light.colors } else { colors },
            logo: logo(source).unwrap_or_else(|reason| {
                odd_logo = Some(format!("The logo of the theme is left out: {reason}."));
                None
            }),
            warnings: Vec::new(),
        };
        warnings.extend(odd_logo);
        theme.warnings = warnings;
        theme
    }
}

/// The logo, if the source has one.
fn logo(source: &Value) -> Result<Option<Logo>, &'static str> {
    let position = source["logo_position"].as_str().unwrap_or_default();
    match &source["logo"] {
        Value::Null => Ok(None),
        Value::String(uri) if uri.trim().is_empty() => Ok(None),
        Value::String(uri) => Logo::parse(uri, position).map(Some),
        _ => Err("it is no text"),
    }
}

/// One role's font; with the name of its family when there is none of that name.
fn font(
    source: &Value,
    usual: Font,
    (least, most): (f64, f64),
    fonts: Fonts,
) -> Result<Font, (Font, String)> {
    let weight = match &source["weight"] {
        Value::Number(number) => number.as_f64(),
        Value::String(word) if word == "bold" => Some(700.0),
        Value::String(word) => word.parse().ok(),
        _ => None,
    };
    let weight = weight.filter(|it: &f64| it.is_finite()).map(|it| it.clamp(1.0, 1000.0));
    let weight = weight.unwrap_or(if usual.bold { 700.0 } else { 400.0 });
    let family = source["family"].as_str().map(str::trim).filter(|it| !it.is_empty());
    let faces = fonts.faces(family.unwrap_or(FAMILY), weight);
    let font = Font {
        size: source["size"].as_f64().map_or(usual.size, |it| it.clamp(least, most)),
        bold: weight >= 600.0,
        faces: faces.or_else(|| fonts.faces(FAMILY, weight)).unwrap_or(usual.faces),
    };
    match (faces, family) {
        (None, Some(family)) => Err((font, family.to_owned())),
        _ => Ok(font),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn odd_themes_are_the_light_one() {
        for source in [json!(null), json!({"colors": []}), json!({"colors": [1, "x"], "fonts": 3})]
        {
            assert_eq!(Theme::parse(&source), Theme::default());
        }
    }

    #[test]
    fn fields_are_read_one_by_one() {
        let theme =
            Theme::parse(&json!({"background_color": "#111", "fonts": {"title": {"weight": 400}}}));
        assert_eq!(theme.background, Color::hex(0x111111));
        assert!(!theme.title_font.bold);
        assert_eq!(theme.text, Theme::default().text);
    }
}
