//! Applies a layout preset (width, height, margin) to the style of a new document.

use crate::features::documents::json::RawObject;
use chartroom_platform::error::Result;

/// Returns `style` with the `width`, `height` and `margin` of `layout`. Both are JSON objects as
/// text.
///
/// Other fields of `layout` and null values are ignored. `margin` is replaced as a whole.
pub fn apply_layout(style: &str, layout: &str) -> Result<String> {
    let mut style = RawObject::parse(style)?;
    for (key, value) in RawObject::parse(layout)?.0 {
        let is_layout = matches!(key.as_str(), "width" | "height" | "margin");
        if is_layout && value.get() != "null" {
            style.set(&key, value);
        }
    }
    Ok(style.to_json()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_layout_sets_only_width_height_and_margin() {
        let style = r#"{"subtitle":"x","width":720}"#;
        let layout = r#"{"width":300.5,"height":null,"margin":{"top":1},"name":"Slide"}"#;
        assert_eq!(
            apply_layout(style, layout).unwrap(),
            r#"{"subtitle":"x","width":300.5,"margin":{"top":1}}"#
        );
    }
}
