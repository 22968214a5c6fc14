//! The theme: colors, fonts, background and logo that charts of an organization share.

use std::ops::RangeInclusive;

use serde_json::Value;

use crate::color::Color;
use crate::logo::Logo;
use crate::text;
use crate::text::{BUILTIN_FAMILY, Font, FontCollection, FontFamily};
use crate::vector_image::VectorImage;

/// Colors, fonts, background and logo of charts.
#[derive(Clone, Debug, PartialEq)]
pub struct Theme {
    /// Colors of series, in order. Never empty.
    pub colors: Vec<Color>,
    /// Color of highlighted marks.
    pub highlight_color: Color,
    /// Color of the title. Colors of other texts are mixed from it and the background.
    pub text_color: Color,
    /// Color of base lines and zero lines.
    pub axis_color: Color,
    /// Color of grid lines.
    pub grid_color: Color,
    /// Background color, opaque.
    pub background_color: Color,
    /// Image between the background color and the chart.
    pub background_image: Option<VectorImage>,
    /// Logo in a corner.
    pub logo: Option<Logo>,
    /// Font of the title.
    pub title_font: ThemeFont,
    /// Font of all other texts.
    pub body_font: ThemeFont,
    /// Whether the title or the body text has a font of [`ThemeResources::own_fonts`], which
    /// viewers do not have.
    pub has_own_fonts: bool,
    /// Parts of the source that are not supported, as messages for people.
    pub warnings: Vec<String>,
}

/// Files that a theme can refer to by name.
#[derive(Clone, Copy, Debug)]
pub struct ThemeResources<'a> {
    /// Fonts that all themes can use.
    pub fonts: FontCollection,
    /// Fonts that only this theme can use. A family of them takes the place of a family of `fonts`
    /// with the same name.
    pub own_fonts: &'a [&'static Font],
    /// Content of the file that the theme has as its logo. None if there is no such file.
    pub logo: Option<&'a [u8]>,
}

/// Size, weight and family of the title or of the body text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ThemeFont {
    /// Font size in points on a canvas of 720 by 405 points.
    pub size: f64,
    /// Whether the weight is 600 or more.
    pub bold: bool,
    /// Fonts that the text is measured and drawn with.
    pub family: FontFamily,
}

/// Series colors of the default theme.
///
/// Ten colors that people with common color vision deficiencies can tell apart. From Matthew
/// Petroff, "Accessible Color Sequences for Data Visualization", 2021.
pub const DEFAULT_COLORS: [Color; 10] = [
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
    /// Returns the light theme.
    fn default() -> Theme {
        let family = FontCollection::builtin_family();
        Theme {
            colors: DEFAULT_COLORS.to_vec(),
            highlight_color: Color::hex(0xe76300),
            text_color: Color::hex(0x1d2329),
            axis_color: Color::hex(0x5b636b),
            grid_color: Color::hex(0xe1e4e8),
            background_color: Color::hex(0xffffff),
            background_image: None,
            logo: None,
            title_font: ThemeFont { size: 18.0, bold: true, family },
            body_font: ThemeFont { size: 12.0, bold: false, family },
            has_own_fonts: false,
            warnings: Vec::new(),
        }
    }
}

impl Theme {
    /// Parses a theme object that uses only the built-in font family.
    ///
    /// Keys: `colors`, `highlight_color`, `text_color`, `axis_color`, `grid_color`,
    /// `background_color`, `background_svg`, `fonts.title` and `fonts.body` (`family`, `size`,
    /// `weight`), `logo` (a data URI) and `logo_position`. A missing or invalid value is replaced
    /// by that of the default theme. Font sizes are limited to 10 to 48 points for the title and 9
    /// to 24 points for the body. Only the first 64 entries of `colors` count, and invalid ones are
    /// skipped. A translucent `background_color` is mixed with white.
    ///
    /// Another font family, an invalid logo and a background with too many shapes add a warning.
    /// Other invalid values do not.
    pub fn parse(source: &Value) -> Theme {
        Theme::parse_with_fonts(source, FontCollection::builtin())
    }

    /// Parses a theme object that may use the font families of `fonts`.
    ///
    /// See [`Theme::parse`] for the keys and warnings. An unknown family adds a warning and is
    /// replaced by the built-in family.
    pub fn parse_with_fonts(source: &Value, fonts: FontCollection) -> Theme {
        Theme::parse_with_resources(source, &ThemeResources { fonts, own_fonts: &[], logo: None })
    }

    /// Parses a theme object that may use the font families and the logo file of `resources`.
    ///
    /// See [`Theme::parse_with_fonts`]. If `resources` has a logo, the value of `logo` in the
    /// source is only its name.
    pub fn parse_with_resources(source: &Value, resources: &ThemeResources<'_>) -> Theme {
        let mut warnings = Vec::new();
        let mut font = |role: &str, default: ThemeFont, sizes: RangeInclusive<f64>| {
            let (font, unknown_family) =
                parse_font(&source["fonts"][role], default, sizes, resources);
            if let Some(family) = unknown_family {
                let family = text::sanitize(&family);
                warnings.push(format!("There is no font family \"{family}\" for fonts.{role}."));
            }
            font
        };
        let light = Theme::default();
        let color = |key: &str, fallback: Color| {
            source[key].as_str().and_then(Color::parse).unwrap_or(fallback)
        };
        let listed = source["colors"].as_array().map(|list| {
            // No chart needs more colors. The limit bounds the memory of a huge theme.
            list.iter().take(64).filter_map(|entry| entry.as_str().and_then(Color::parse)).collect()
        });
        let colors: Vec<Color> = listed.unwrap_or_default();
        let background = color("background_color", light.background_color);
        // Contrast is computed against an opaque background. Transparency is an option of the
        // writers.
        let background = background.over(light.background_color);
        let mut logo_warning = None;
        let mut theme = Theme {
            highlight_color: color("highlight_color", light.highlight_color),
            text_color: color("text_color", light.text_color),
            axis_color: color("axis_color", light.axis_color),
            grid_color: color("grid_color", light.grid_color),
            background_color: background,
            background_image: source["background_svg"].as_str().and_then(VectorImage::parse),
            title_font: font("title", light.title_font, 10.0..=48.0),
            body_font: font("body", light.body_font, 9.0..=24.0),
            colors: if colors.is_empty() { light.colors } else { colors },
            logo: parse_logo(source, resources.logo).unwrap_or_else(|reason| {
                logo_warning = Some(format!("The logo of the theme is left out: {reason}."));
                None
            }),
            has_own_fonts: false,
            warnings: Vec::new(),
        };
        let is_own = |family: FontFamily| {
            resources.own_fonts.iter().any(|font| std::ptr::eq(*font, family.font(false, false)))
        };
        theme.has_own_fonts = is_own(theme.title_font.family) || is_own(theme.body_font.family);
        warnings.extend(logo_warning);
        if theme.background_image.as_ref().is_some_and(VectorImage::is_reduced) {
            let text = "The background of the theme takes too long to draw; shapes are left out.";
            warnings.push(text.to_owned());
        }
        theme.warnings = warnings;
        theme
    }
}

/// Parses the logo: the content of `file`, or else a data URI. Returns None if the source has no
/// logo or a blank one.
///
/// # Errors
/// The reason as text for people, if the source has a logo that cannot be used.
fn parse_logo(source: &Value, file: Option<&[u8]>) -> Result<Option<Logo>, &'static str> {
    let position = source["logo_position"].as_str().unwrap_or_default();
    match (&source["logo"], file) {
        (Value::Null, _) => Ok(None),
        (Value::String(name), _) if name.trim().is_empty() => Ok(None),
        (Value::String(_), Some(bytes)) => Logo::parse_file(bytes, position).map(Some),
        (Value::String(uri), None) => Logo::parse(uri, position).map(Some),
        _ => Err("it must be a text"),
    }
}

/// Parses the font of the title or the body.
///
/// Returns the font, and the name of the requested family if `resources` do not contain it. The
/// built-in family then takes its place. A missing or invalid size is that of `default`, and
/// another size is limited to `sizes`. A missing or invalid weight is 700 if `default` is bold,
/// else 400.
fn parse_font(
    source: &Value,
    default: ThemeFont,
    sizes: RangeInclusive<f64>,
    resources: &ThemeResources<'_>,
) -> (ThemeFont, Option<String>) {
    let weight = match &source["weight"] {
        Value::Number(number) => number.as_f64(),
        Value::String(text) if text == "bold" => Some(700.0),
        Value::String(text) => text.parse().ok(),
        _ => None,
    };
    let weight =
        weight.filter(|weight: &f64| weight.is_finite()).map(|weight| weight.clamp(1.0, 1000.0));
    let weight = weight.unwrap_or(if default.bold { 700.0 } else { 400.0 });
    let name = source["family"].as_str().map(str::trim).filter(|name| !name.is_empty());
    let ThemeResources { fonts, own_fonts, .. } = resources;
    let wanted = name.unwrap_or(BUILTIN_FAMILY);
    let found = text::choose_family(own_fonts.iter().copied(), wanted, weight)
        .or_else(|| fonts.family(wanted, weight));
    let family = found.or_else(|| fonts.family(BUILTIN_FAMILY, weight)).unwrap_or(default.family);
    let size = source["size"].as_f64();
    let size = size.map_or(default.size, |size| size.clamp(*sizes.start(), *sizes.end()));
    let unknown_family = name.filter(|_| found.is_none()).map(str::to_owned);
    (ThemeFont { size, bold: weight >= 600.0, family }, unknown_family)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn invalid_themes_are_the_default_theme() {
        for source in [json!(null), json!({"colors": []}), json!({"colors": [1, "x"], "fonts": 3})]
        {
            assert_eq!(Theme::parse(&source), Theme::default());
        }
    }

    #[test]
    fn fields_are_parsed_independently() {
        let theme =
            Theme::parse(&json!({"background_color": "#111", "fonts": {"title": {"weight": 400}}}));
        assert_eq!(theme.background_color, Color::hex(0x111111));
        assert!(!theme.title_font.bold);
        assert_eq!(theme.text_color, Theme::default().text_color);
    }
}
