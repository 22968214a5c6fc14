//! Names, fields and limits of themes.

use schemars::JsonSchema;
use serde::Deserialize;
use serde::Serialize;
use serde_json::Value;

use crate::features::orgs::assets;
use crate::features::portfolio;
use chartroom_charts::VectorImage;
use chartroom_charts::color::Color;
use chartroom_platform::error::Error;
use chartroom_platform::error::FieldError;
use chartroom_platform::error::OrNotFound;
use chartroom_platform::error::Result;

/// Maximum number of themes of an organization. Their list has no pages.
pub const MAX_THEMES: u32 = 100;
/// Length of the id of an organization.
const ORG_ID_CHARS: usize = 11;
/// Maximum length of the name of a theme in bytes.
const MAX_NAME_BYTES: usize = 64;
/// Maximum length of a title and of the name of a font family in characters.
const MAX_TITLE_CHARS: usize = 100;
/// Maximum number of colors of series.
pub const MAX_COLORS: usize = 64;
/// Maximum size of a background in bytes, which is also the limit of the renderer.
const MAX_BACKGROUND_BYTES: usize = 65_536;
/// Corners of the logo.
pub const LOGO_POSITIONS: [&str; 4] = ["top-left", "top-right", "bottom-left", "bottom-right"];

/// The fields of a theme that a client can set. An absent field has the value of the built-in
/// default theme.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ThemeFields {
    /// Name for people; the name of the theme when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Colors of series in CSS notation, in order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub colors: Option<Vec<String>>,
    /// Color of highlighted marks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub highlight_color: Option<String>,
    /// Color of the title. Colors of other texts are mixed from it and the background.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text_color: Option<String>,
    /// Color of base lines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub axis_color: Option<String>,
    /// Color of grid lines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grid_color: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub background_color: Option<String>,
    /// SVG of plain shapes that covers the background; empty for none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub background_svg: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fonts: Option<ThemeFonts>,
    /// Filename of an asset; empty for none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub logo: Option<String>,
    /// `top-left`, `top-right`, `bottom-left` or `bottom-right`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub logo_position: Option<String>,
}

/// Fonts of a theme.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ThemeFonts {
    /// Font of the title, of 10 to 48 points.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<ThemeFont>,
    /// Font of all other texts, of 9 to 24 points.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body: Option<ThemeFont>,
}

/// A font of a theme.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ThemeFont {
    /// Name of a font family: that of an asset, or of a font of the server.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub family: Option<String>,
    /// Size in points.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<f64>,
    /// 1 to 1,000; 400 is regular, 700 is bold.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weight: Option<f64>,
}

/// Returns whether a text has the form of a theme of an organization, `{org id}/{name}`. The theme
/// may not exist.
pub fn is_theme_id(text: &str) -> bool {
    text.split_once('/').is_some_and(|(org, name)| {
        org.len() == ORG_ID_CHARS
            && org.bytes().all(|byte| byte.is_ascii_alphanumeric())
            && is_theme_name(name)
    })
}

/// Returns the message for a theme that does not exist or that the account may not use.
pub fn missing_theme_message(theme: &str) -> String {
    format!("there is no theme named {theme:?}")
}

/// Returns whether a text is a valid name: letters from a to z, digits, `-` and `_`.
fn is_theme_name(text: &str) -> bool {
    let is_name_byte = |byte: u8| {
        byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-' || byte == b'_'
    };
    (1..=MAX_NAME_BYTES).contains(&text.len())
        && text.bytes().all(is_name_byte)
        && text.starts_with(|first: char| first.is_ascii_alphanumeric())
}

/// Returns the name of a new theme: the given one, or one made from the title.
///
/// # Errors
/// `InvalidFields` about `name`, also if neither gives a name.
pub fn parse_theme_name(name: Option<&str>, title: Option<&str>) -> Result<String> {
    let name = match (name, title) {
        (Some(name), _) => name.to_owned(),
        (None, Some(title)) => make_name(title),
        (None, None) => return Err(Error::invalid_field("name", "is required without a title")),
    };
    if !is_theme_name(&name) {
        let message = format!(
            "must have 1 to {MAX_NAME_BYTES} letters from a to z, digits, - and _, and must begin \
             with a letter or digit"
        );
        return Err(Error::invalid_field("name", message));
    }
    Ok(name)
}

/// Returns the letters and digits of a title in lower case, with hyphens between words.
fn make_name(title: &str) -> String {
    let words = title.split(|letter: char| !letter.is_ascii_alphanumeric());
    let words: Vec<String> =
        words.filter(|word| !word.is_empty()).map(str::to_ascii_lowercase).collect();
    let mut name = words.join("-");
    name.truncate(MAX_NAME_BYTES);
    name.trim_end_matches('-').to_owned()
}

impl ThemeFields {
    /// Checks all fields and returns the complete theme as a JSON object, with the values of the
    /// built-in default theme for absent fields. The background is sanitized. Does not check whether
    /// the logo and the font families exist. `name` is the title if there is none.
    ///
    /// # Errors
    /// `InvalidFields` with an error for each invalid field.
    pub fn to_content(&self, name: &str) -> Result<Value> {
        let mut errors = Vec::new();
        self.check_colors(&mut errors);
        self.check_fonts(&mut errors);
        self.check_texts(&mut errors);
        let mut fields = self.clone();
        fields.background_svg = match self.background_svg.as_deref().map(str::trim) {
            None | Some("") => Some(String::new()),
            Some(svg) => sanitize_background(svg, &mut errors),
        };
        if !errors.is_empty() {
            return Err(Error::InvalidFields(errors));
        }
        fields.logo = self.logo.as_deref().map(assets::normalize_filename);
        let title = self.title.as_deref().map(str::trim).filter(|title| !title.is_empty());
        fields.title = Some(title.unwrap_or(name).to_owned());
        let default = portfolio::find_theme(portfolio::DEFAULT_THEME).or_not_found("theme")?;
        let mut content = default.value.clone();
        if let Some(content) = content.as_object_mut() {
            content.remove("id");
        }
        merge(&mut content, serde_json::to_value(fields)?);
        // In one notation of numbers, so that equal themes have equal texts.
        Ok(serde_json::to_value(serde_json::from_value::<Self>(content)?)?)
    }

    /// Adds an error for each invalid color.
    fn check_colors(&self, errors: &mut Vec<FieldError>) {
        let mut check = |field: String, color: &str| {
            if Color::parse(color).is_none() {
                let message = "must be a CSS color such as #3f90da".to_owned();
                errors.push(FieldError { field, message });
            }
        };
        let colors = self.colors.as_deref().unwrap_or_default();
        for (index, color) in colors.iter().take(MAX_COLORS).enumerate() {
            check(format!("colors[{index}]"), color);
        }
        for (field, color) in [
            ("highlight_color", &self.highlight_color),
            ("text_color", &self.text_color),
            ("axis_color", &self.axis_color),
            ("grid_color", &self.grid_color),
            ("background_color", &self.background_color),
        ] {
            if let Some(color) = color {
                check(field.to_owned(), color);
            }
        }
        if self.colors.is_some() && !(1..=MAX_COLORS).contains(&colors.len()) {
            let message = format!("must have 1 to {MAX_COLORS} colors");
            errors.push(FieldError { field: "colors".to_owned(), message });
        }
    }

    /// Adds an error for each invalid value of a font.
    fn check_fonts(&self, errors: &mut Vec<FieldError>) {
        let fonts = self.fonts.clone().unwrap_or_default();
        for (role, font, sizes) in
            [("title", fonts.title, 10.0..=48.0), ("body", fonts.body, 9.0..=24.0)]
        {
            let ThemeFont { family, size, weight } = font.unwrap_or_default();
            let mut add = |field: &str, message: String| {
                errors.push(FieldError { field: format!("fonts.{role}.{field}"), message });
            };
            if family.is_some_and(|family| !is_line(&family)) {
                add("family", format!("must be one line of at most {MAX_TITLE_CHARS} characters"));
            }
            if size.is_some_and(|size| !sizes.contains(&size)) {
                add("size", format!("must be from {} to {} points", sizes.start(), sizes.end()));
            }
            if weight.is_some_and(|weight| !(1.0..=1000.0).contains(&weight)) {
                add("weight", "must be from 1 to 1000".to_owned());
            }
        }
    }

    /// Adds an error for an invalid title, logo or position of the logo.
    fn check_texts(&self, errors: &mut Vec<FieldError>) {
        let mut add = |field: &str, message: String| {
            errors.push(FieldError { field: field.to_owned(), message });
        };
        if self.title.as_ref().is_some_and(|title| !is_line(title)) {
            add("title", format!("must be one line of at most {MAX_TITLE_CHARS} characters"));
        }
        let logo = self.logo.as_deref().unwrap_or_default();
        if !logo.is_empty() && assets::parse_filename("logo", logo).is_err() {
            add("logo", "must be the filename of an asset".to_owned());
        }
        let position = self.logo_position.as_deref();
        if position.is_some_and(|position| !LOGO_POSITIONS.contains(&position)) {
            add("logo_position", format!("must be one of {}", LOGO_POSITIONS.join(" ")));
        }
    }
}

/// Returns whether a text is one line of at most [`MAX_TITLE_CHARS`] characters.
fn is_line(text: &str) -> bool {
    text.chars().count() <= MAX_TITLE_CHARS && !text.chars().any(char::is_control)
}

/// Returns the background without unsafe content. Adds an error and returns None if it cannot be
/// used.
fn sanitize_background(svg: &str, errors: &mut Vec<FieldError>) -> Option<String> {
    let general_rule = "must be an SVG of at most 65,536 bytes with plain shapes";
    let sanitized = match svg.len() > MAX_BACKGROUND_BYTES {
        // Parsing a longer text would be wasted work.
        true => Err(general_rule),
        false => assets::sanitize_svg(svg.as_bytes(), MAX_BACKGROUND_BYTES),
    };
    let checked = sanitized.and_then(|svg| match VectorImage::parse(&svg) {
        Some(_) => Ok(svg),
        None => Err(general_rule),
    });
    let add_error = |rule: &str| {
        let field = "background_svg".to_owned();
        errors.push(FieldError { field, message: rule.to_owned() });
    };
    checked.map_err(add_error).ok()
}

/// Replaces the values of `target` by those of `source`, member by member in nested objects.
fn merge(target: &mut Value, source: Value) {
    match (target, source) {
        (Value::Object(target), Value::Object(source)) => {
            for (key, value) in source {
                merge(target.entry(key).or_insert(Value::Null), value);
            }
        }
        (target, source) => *target = source,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn parse(fields: Value) -> Result<Value> {
        serde_json::from_value::<ThemeFields>(fields)?.to_content("brand")
    }

    #[test]
    fn absent_fields_have_the_values_of_the_default_theme() {
        let content = parse(json!({ "fonts": { "title": { "size": 24 } } })).unwrap();
        assert_eq!(content["title"], "brand");
        assert_eq!(content["background_color"], "#ffffff");
        let title = json!({ "family": "Noto Sans", "size": 24.0, "weight": 700.0 });
        assert_eq!(content["fonts"]["title"], title);
        assert_eq!(content["fonts"]["body"]["size"], 12.0);
        assert!(content.get("id").is_none());
        let again: ThemeFields = serde_json::from_value(content.clone()).unwrap();
        assert_eq!(again.to_content("brand").unwrap(), content);
    }

    #[test]
    fn every_invalid_field_is_reported() {
        let fields = json!({
            "title": "a\nb", "colors": ["#12", "red"], "text_color": "inky", "logo": "a/b",
            "logo_position": "left", "background_svg": "<svg/>",
            "fonts": { "title": { "size": 9, "weight": 0 }, "body": { "size": 25 } },
        });
        let Err(Error::InvalidFields(errors)) = parse(fields) else { panic!("must fail") };
        let names: Vec<&str> = errors.iter().map(|error| error.field.as_str()).collect();
        let expected = [
            "colors[0]",
            "text_color",
            "fonts.title.size",
            "fonts.title.weight",
            "fonts.body.size",
            "title",
            "logo",
            "logo_position",
            "background_svg",
        ];
        assert_eq!(names, expected);
        assert!(parse(json!({ "colors": [] })).is_err());
    }

    #[test]
    fn the_size_of_a_background_counts_before_it_is_sanitized() {
        let background = |comment: usize| {
            let comment = "x".repeat(comment);
            let svg = format!("<svg><!--{comment}--><rect width='9' height='9'/></svg>");
            parse(json!({ "background_svg": svg }))
        };
        let small = background(1_000).unwrap();
        assert_eq!(
            small["background_svg"],
            "<svg xmlns=\"http://www.w3.org/2000/svg\"><rect width=\"9\" height=\"9\"/></svg>"
        );
        let Err(Error::InvalidFields(errors)) = background(65_536) else { panic!("must fail") };
        assert!(errors[0].message.contains("65,536 bytes"), "{errors:?}");
    }

    #[test]
    fn ids_and_names() {
        assert!(is_theme_id("a0B1c2D3e4F/brand-2"));
        for text in ["brand", "a0B1c2D3e4F/", "a0B1c2D3e4F/Brand", "short/brand", "/brand", "a/b/c"]
        {
            assert!(!is_theme_id(text), "{text}");
        }
        assert_eq!(parse_theme_name(None, Some("Acme Brand 2!")).unwrap(), "acme-brand-2");
        assert_eq!(parse_theme_name(Some("x_1"), None).unwrap(), "x_1");
        for name in ["", "-a", "_new", "Ä", "a b", "A", &"x".repeat(65)] {
            assert!(parse_theme_name(Some(name), None).is_err(), "{name}");
        }
        assert!(parse_theme_name(None, Some("!")).is_err());
        assert_eq!(parse_theme_name(None, Some("New")).unwrap(), "new");
    }
}
