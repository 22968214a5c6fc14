//! Values of attributes and properties that are safe to copy.

/// Maximum length of an id in bytes.
const MAX_ID_BYTES: usize = 200;
/// Functions that a value may contain: colors and transforms.
const FUNCTIONS: &[&str] = &[
    "color",
    "hsl",
    "hsla",
    "hwb",
    "lab",
    "lch",
    "matrix",
    "oklab",
    "oklch",
    "rgb",
    "rgba",
    "rotate",
    "scale",
    "skewX",
    "skewY",
    "translate",
];

/// Returns whether a text is an id that can be referred to without quotes or escapes.
pub fn is_id(text: &str) -> bool {
    !text.is_empty()
        && text.len() <= MAX_ID_BYTES
        && text.chars().all(|letter| letter.is_alphanumeric() || "_-.:".contains(letter))
}

/// Returns a value that contains only letters, numbers, separators and known functions. None for
/// any other value, such as one with a reference, an escape or a protocol.
pub fn check_value(value: &str) -> Option<String> {
    let value = value.trim();
    let is_plain = |letter: char| letter.is_alphanumeric() || " \n\r\t.,+-#%_'/()".contains(letter);
    let is_safe = value.chars().all(is_plain) && has_only_known_functions(value);
    is_safe.then(|| value.replace(['\n', '\r', '\t'], " "))
}

/// Returns whether each opening parenthesis follows the name of a function in [`FUNCTIONS`].
fn has_only_known_functions(value: &str) -> bool {
    let mut before = value.split('(').collect::<Vec<&str>>();
    before.pop();
    before.into_iter().all(|text| {
        let text = text.trim_end();
        let name = text.rsplit(|letter: char| !letter.is_ascii_alphanumeric()).next();
        name.is_some_and(|name| FUNCTIONS.contains(&name))
    })
}

/// Returns a value that may begin with a reference to an element of the same document, such as
/// `url(#shade) red`, in a normalized form. None for a reference to anything else, and for other
/// unsafe values.
pub fn check_reference(value: &str) -> Option<String> {
    let value = value.trim();
    let Some(rest) = value.strip_prefix("url(") else { return check_value(value) };
    let (target, fallback) = rest.split_once(')')?;
    let target = target.trim().trim_matches(['"', '\'']).trim();
    let id = target.strip_prefix('#').filter(|id| is_id(id))?;
    let fallback = check_value(fallback)?;
    Some(format!("url(#{id}) {fallback}").trim_end().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_with_references_and_escapes_are_rejected() {
        let check = |value: &str, want: Option<&str>| {
            assert_eq!(check_reference(value).as_deref(), want, "{value}");
        };
        check("rgb(1 2 3 / 50%)", Some("rgb(1 2 3 / 50%)"));
        check("translate (3,4) rotate(-5)", Some("translate (3,4) rotate(-5)"));
        check("url( '#a' )", Some("url(#a)"));
        check("url(\"#a-b\") none", Some("url(#a-b) none"));
        check("url(#a) url(http://192.0.2.1/)", None);
        check("url(http://192.0.2.1/#a)", None);
        check("url(//192.0.2.1/a)", None);
        check("url(data:image/svg+xml,%3Csvg%3E)", None);
        check("red;fill:url(#a)", None);
        check("\\75rl(#a)", None);
        check("URL(#a)", None);
        check("image(ltr 'a')", None);
        check("var(--a)", None);
        check("expression(alert(1))", None);
        check("javascript:alert(1)", None);
        check("(1)", None);
        check("a{b}", None);
        check("<b>", None);
    }
}
