//! Validation of the fields of a document.

use serde::Deserialize;

use super::json;
use super::json::JsonType;
use super::store::Document;
use crate::features::orgs::themes;
use crate::features::portfolio;
use crate::features::tree;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;

/// Maximum width and height of an image in points.
pub const MAX_SIDE_POINTS: f64 = 4096.0;
/// Minimum width and height of an image in points. A smaller chart is not readable.
pub const MIN_SIDE_POINTS: f64 = 40.0;

/// Returns the strong entity tag of a document, without quotes. `restore_epoch` is that of the
/// database.
pub fn entity_tag(restore_epoch: &str, document: &Document) -> String {
    tree::entity_tag(restore_epoch, &document.id, document.revision)
}

/// Checks that `text`, which must be valid JSON, is an object, and returns its normalized form:
/// without whitespace between tokens and unnecessary escapes.
///
/// # Errors
/// `InvalidFields` about `field`.
pub fn compact_object(field: &str, text: &str) -> Result<String> {
    if json::json_type(text) != JsonType::Object {
        return Err(Error::invalid_field(field, "must be an object"));
    }
    json::to_compact(text).map_err(|error| Error::invalid_field(field, error.to_string()))
}

/// Checks that a theme is built in, or has the form of a theme of an organization. Does not check
/// whether the latter exists, which needs a transaction. The empty name is the default theme.
///
/// # Errors
/// `InvalidFields` about `field`.
pub fn check_theme(field: &str, theme: &str) -> Result<()> {
    match portfolio::find_theme(theme).is_some() || themes::is_theme_id(theme) {
        true => Ok(()),
        false => Err(Error::invalid_field(field, themes::missing_theme_message(theme))),
    }
}

/// Known fields of `style`. Deserialization checks their types.
#[derive(Deserialize)]
#[expect(dead_code, reason = "reading the fields is the check")]
struct StyleShape {
    no_title: Option<bool>,
    no_branding: Option<bool>,
    no_footnote: Option<bool>,
    subtitle: Option<String>,
    footer: Option<String>,
    description: Option<String>,
    annotations: Option<Vec<serde::de::IgnoredAny>>,
    custom_colors: Option<Vec<String>>,
    width: Option<f64>,
    height: Option<f64>,
    margin: Option<MarginShape>,
}

/// Fields of `margin`, in points.
#[derive(Deserialize)]
struct MarginShape {
    top: Option<f64>,
    right: Option<f64>,
    bottom: Option<f64>,
    left: Option<f64>,
}

/// Checks the types and limits of the known fields of `style`, given as valid JSON, and returns the
/// normalized text with all fields. Annotations may be any list. Unknown fields are valid.
///
/// # Errors
/// `InvalidFields` with the path of the invalid field.
pub fn compact_style(text: &str) -> Result<String> {
    let text = compact_object("style", text)?;
    let shape: StyleShape = deserialize_field("style", &text)?;
    check_layout("style", shape.width, shape.height, shape.margin.as_ref())?;
    Ok(text)
}

/// Fields of a layout, in points.
#[derive(Deserialize)]
struct LayoutShape {
    width: Option<f64>,
    height: Option<f64>,
    margin: Option<MarginShape>,
}

/// Checks the types and limits of `width`, `height` and `margin` in the field `layout` of a new
/// document, given as valid JSON. Other fields are ignored.
///
/// # Errors
/// `InvalidFields` with the path of the invalid field.
pub fn check_layout_json(text: &str) -> Result<()> {
    let text = compact_object("layout", text)?;
    let shape: LayoutShape = deserialize_field("layout", &text)?;
    check_layout("layout", shape.width, shape.height, shape.margin.as_ref())
}

/// Deserializes the JSON object of `field`. `InvalidFields` names the path of the first invalid
/// value, such as `style.width`.
fn deserialize_field<'a, T: Deserialize<'a>>(field: &str, text: &'a str) -> Result<T> {
    let mut reader = serde_json::Deserializer::from_str(text);
    serde_path_to_error::deserialize(&mut reader).map_err(|error| {
        Error::invalid_field(format!("{field}.{}", error.path()), error.inner().to_string())
    })
}

/// Checks that sizes and margins in points are within their limits: margins from 0 to
/// `MAX_SIDE_POINTS`, sizes as in `check_side`. Absent ones are valid.
///
/// # Errors
/// `InvalidFields` with the path of the first invalid one, below `field`.
fn check_layout(
    field: &str,
    width: Option<f64>,
    height: Option<f64>,
    margin: Option<&MarginShape>,
) -> Result<()> {
    for (name, side) in [("width", width), ("height", height)] {
        if let Some(side) = side {
            check_side(&format!("{field}.{name}"), side)?;
        }
    }
    let Some(margin) = margin else { return Ok(()) };
    let sides = [
        ("top", margin.top),
        ("right", margin.right),
        ("bottom", margin.bottom),
        ("left", margin.left),
    ];
    for (name, size) in sides {
        if size.is_some_and(|size| !(0.0..=MAX_SIDE_POINTS).contains(&size)) {
            let message = format!("must be from 0 to {MAX_SIDE_POINTS} points");
            return Err(Error::invalid_field(format!("{field}.margin.{name}"), message));
        }
    }
    Ok(())
}

/// Checks that a width or height in points is from `MIN_SIDE_POINTS` to `MAX_SIDE_POINTS`,
/// inclusive.
///
/// # Errors
/// `InvalidFields` about `field`.
pub fn check_side(field: &str, side: f64) -> Result<()> {
    if (MIN_SIDE_POINTS..=MAX_SIDE_POINTS).contains(&side) {
        return Ok(());
    }
    Err(Error::invalid_field(
        field,
        format!("must be from {MIN_SIDE_POINTS} to {MAX_SIDE_POINTS} points"),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn style_fields_of_wrong_types_are_rejected_and_unknown_keys_are_kept() {
        let text = r#"{"width":720,"margin":{"top":1.50},"own":[1.0],"subtitle":null}"#;
        assert_eq!(compact_style(text).unwrap(), text);
        let check = |text: &str, want: &str| {
            let error = compact_style(text).unwrap_err().to_string();
            assert!(error.starts_with(want), "{text}: {error}");
        };
        check("[]", "style: must be an object");
        check(r#"{"no_title":1}"#, "style.no_title: ");
        check(r#"{"margin":{"top":"x"}}"#, "style.margin.top: ");
        check(r#"{"custom_colors":["red",7]}"#, "style.custom_colors[1]: ");
        check(r#"{"width":1e6}"#, "style.width: must be from 40 to 4096 points");
        check(r#"{"margin":{"left":-1}}"#, "style.margin.left: must be");
    }

    #[test]
    fn themes_are_found_by_name() {
        assert!(check_theme("theme", "dark").is_ok());
        assert!(check_theme("theme", "").is_ok());
        assert!(check_theme("theme", "a0B1c2D3e4F/brand").is_ok());
        assert!(check_theme("theme", "neon").is_err());
    }
}
