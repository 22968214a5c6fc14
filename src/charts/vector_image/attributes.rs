//! Attributes of SVG elements: numbers, transforms, properties and the view box.

use kurbo::{Affine, Rect};
use roxmltree::Node;

/// Maximum absolute coordinate. A larger number is treated as invalid.
pub(super) const MAX_COORDINATE: f64 = 1e6;
/// View box of an SVG without a `viewBox` and without a size, in points.
pub(super) const DEFAULT_VIEW_BOX: Rect = Rect::new(0.0, 0.0, 720.0, 405.0);

/// Returns the view box of an SVG, or a view box of its width and height if it has none of four
/// numbers. A missing width or height is that of [`DEFAULT_VIEW_BOX`].
///
/// Returns [`DEFAULT_VIEW_BOX`] if the result has no area.
pub(super) fn parse_view_box(root: Node<'_, '_>) -> Rect {
    let view_box = root.attribute("viewBox").and_then(parse_numbers);
    let rect = match view_box.as_deref() {
        Some(&[x, y, width, height]) => Rect::new(x, y, x + width, y + height),
        _ => {
            let side = |name: &str| root.attribute(name).and_then(parse_number);
            let (width, height) = (side("width"), side("height"));
            Rect::new(
                0.0,
                0.0,
                width.unwrap_or(DEFAULT_VIEW_BOX.x1),
                height.unwrap_or(DEFAULT_VIEW_BOX.y1),
            )
        }
    };
    if rect.width() > 0.0 && rect.height() > 0.0 { rect } else { DEFAULT_VIEW_BOX }
}

/// Returns the trimmed value of a property from the `style` attribute, else from the attribute
/// itself. None if the element has neither. Does not look at the ancestors.
pub(super) fn find_property<'a>(node: Node<'a, '_>, name: &str) -> Option<&'a str> {
    let in_style = node.attribute("style").and_then(|style| {
        let entries = style.split(';').filter_map(|entry| entry.split_once(':'));
        entries.map(|(key, value)| (key.trim(), value.trim())).find(|(key, _)| *key == name)
    });
    in_style.map(|(_, value)| value).or_else(|| node.attribute(name).map(str::trim))
}

/// Parses a number with an optional unit of `px` or `pt`, which count the same. None if it is
/// invalid or its absolute value exceeds [`MAX_COORDINATE`].
pub(super) fn parse_number(text: &str) -> Option<f64> {
    let text = text.trim();
    let text = text.strip_suffix("px").or_else(|| text.strip_suffix("pt")).unwrap_or(text);
    text.trim().parse().ok().filter(|number: &f64| number.abs() <= MAX_COORDINATE)
}

/// Parses numbers, each with an optional unit, separated by white space or commas. None if one of
/// them is invalid. Empty for a text without numbers.
pub(super) fn parse_numbers(text: &str) -> Option<Vec<f64>> {
    let words = text.split([' ', ',', '\t', '\n', '\r']).filter(|word| !word.is_empty());
    words.map(parse_number).collect()
}

/// Parses the value of a `transform` attribute. None if it contains an unknown function or an
/// invalid number of arguments.
pub(super) fn parse_transform(text: &str) -> Option<Affine> {
    let mut all = Affine::IDENTITY;
    for part in text.split(')').map(|part| part.trim_matches([' ', ',', '\n', '\t', '\r'])) {
        if part.is_empty() {
            continue;
        }
        let (name, values) = part.split_once('(')?;
        all *= match (name.trim(), parse_numbers(values)?.as_slice()) {
            ("translate", &[x]) => Affine::translate((x, 0.0)),
            ("translate", &[x, y]) => Affine::translate((x, y)),
            ("scale", &[both]) => Affine::scale(both),
            ("scale", &[x, y]) => Affine::scale_non_uniform(x, y),
            ("rotate", &[angle]) => Affine::rotate(angle.to_radians()),
            ("rotate", &[angle, x, y]) => Affine::rotate_about(angle.to_radians(), (x, y)),
            ("skewX", &[angle]) => Affine::skew(angle.to_radians().tan(), 0.0),
            ("skewY", &[angle]) => Affine::skew(0.0, angle.to_radians().tan()),
            ("matrix", &[a, b, c, d, e, f]) => Affine::new([a, b, c, d, e, f]),
            _ => return None,
        };
    }
    Some(all)
}
