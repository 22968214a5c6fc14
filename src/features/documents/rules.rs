//! What a document's fields may be.

use serde::Deserialize;

use super::json;
use super::json::Shape;
use super::store::Head;
use crate::features::portfolio;
use crate::features::tree;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;

/// Largest side of a drawing in points.
pub const MAX_SIDE: f64 = 4096.0;
/// Smallest side of a drawing in points: less holds no chart.
pub const MIN_SIDE: f64 = 40.0;

/// The strong entity tag of a document, without quotes.
pub fn tag(head: &Head) -> String {
    tree::tag(&head.id, head.revision)
}

/// The compact text of a field that must be a JSON object.
pub fn object(field: &str, text: &str) -> Result<String> {
    if json::shape(text) != Shape::Object {
        return Err(Error::field(field, "must be an object"));
    }
    json::compacted(text).map_err(|odd| Error::field(field, odd.to_string()))
}

/// Refuses a theme that there is none of. The empty word is the default theme.
pub fn check_theme(field: &str, theme: &str) -> Result<()> {
    match portfolio::theme(theme) {
        Some(_) => Ok(()),
        None => Err(Error::field(field, format!("there is no theme named {theme:?}"))),
    }
}

/// The known fields of `style`, for their types alone.
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

/// The fields of a margin.
#[derive(Deserialize)]
struct MarginShape {
    top: Option<f64>,
    right: Option<f64>,
    bottom: Option<f64>,
    left: Option<f64>,
}

/// The compact text of `style`, whose known fields have the right types.
pub fn style(text: &str) -> Result<String> {
    let text = object("style", text)?;
    let shape: StyleShape = shaped("style", &text)?;
    check_layout("style", shape.width, shape.height, shape.margin.as_ref())?;
    Ok(text)
}

/// Width, height and margins of a drawing, in points.
#[derive(Deserialize)]
struct LayoutShape {
    width: Option<f64>,
    height: Option<f64>,
    margin: Option<MarginShape>,
}

/// Checks `layout` of a new document.
pub fn check_layout_text(text: &str) -> Result<()> {
    let text = object("layout", text)?;
    let shape: LayoutShape = shaped("layout", &text)?;
    check_layout("layout", shape.width, shape.height, shape.margin.as_ref())
}

fn shaped<'a, T: Deserialize<'a>>(field: &str, text: &'a str) -> Result<T> {
    let mut reader = serde_json::Deserializer::from_str(text);
    serde_path_to_error::deserialize(&mut reader).map_err(|error| {
        Error::field(format!("{field}.{}", error.path()), error.inner().to_string())
    })
}

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
        if size.is_some_and(|it| !(0.0..=MAX_SIDE).contains(&it)) {
            let message = format!("must be from 0 to {MAX_SIDE} points");
            return Err(Error::field(format!("{field}.margin.{name}"), message));
        }
    }
    Ok(())
}

/// Refuses a side that is no size of a drawing.
pub fn check_side(field: &str, side: f64) -> Result<()> {
    if (MIN_SIDE..=MAX_SIDE).contains(&side) {
        return Ok(());
    }
    Err(Error::field(field, format!("must be from {MIN_SIDE} to {MAX_SIDE} points")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_style_of_wrong_types_is_refused_by_name_and_unknown_keys_are_kept() {
        let text = r#"{"width":720,"margin":{"top":1.50},"own":[1.0],"subtitle":null}"#;
        assert_eq!(style(text).unwrap(), text);
        let check = |text: &str, want: &str| {
            let error = style(text).unwrap_err().to_string();
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
    fn themes_are_known_by_name() {
        assert!(check_theme("theme", "dark").is_ok());
        assert!(check_theme("theme", "").is_ok());
        assert!(check_theme("theme", "neon").is_err());
    }
}
