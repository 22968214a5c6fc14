//! Sides and margins, which a new document takes from a preset.

use crate::features::documents::json::Object;
use chartroom_platform::error::Result;

/// A style with the sides and margins of a layout; both are JSON objects.
pub fn put(style: &str, layout: &str) -> Result<String> {
    let mut style = Object::parse(style)?;
    for (key, value) in Object::parse(layout)?.0 {
        let is_layout = matches!(key.as_str(), "width" | "height" | "margin");
        if is_layout && value.get() != "null" {
            style.set(&key, value);
        }
    }
    Ok(style.text()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_layout_sets_sides_and_margin_and_nothing_else() {
        let style = r#"{"subtitle":"x","width":720}"#;
        let layout = r#"{"width":300.5,"height":null,"margin":{"top":1},"name":"Slide"}"#;
        assert_eq!(
            put(style, layout).unwrap(),
            r#"{"subtitle":"x","width":300.5,"margin":{"top":1}}"#
        );
    }
}
