//! Names of SAML elements, and access to children, attributes and times with rejections as errors.

use roxmltree::Node;

use super::rejection::ReasonCode;
use super::rejection::Rejection;
use super::rejection::quote;
use chartroom_platform::time::Timestamp;
use chartroom_platform::xml;

/// Namespace of assertions.
const ASSERTION_NAMESPACE: &str = "urn:oasis:names:tc:SAML:2.0:assertion";
/// Namespace of requests and responses.
const PROTOCOL_NAMESPACE: &str = "urn:oasis:names:tc:SAML:2.0:protocol";
/// Maximum number of decimals of a second. .NET writes seven.
const MAX_DECIMALS: usize = 7;

/// Returns whether a node is an element of the namespace of assertions with this name.
pub fn is_assertion(node: Node<'_, '_>, name: &str) -> bool {
    node.has_tag_name((ASSERTION_NAMESPACE, name))
}

/// Returns whether a node is an element of the namespace of requests and responses with this name.
pub fn is_protocol(node: Node<'_, '_>, name: &str) -> bool {
    node.has_tag_name((PROTOCOL_NAMESPACE, name))
}

/// Returns the child elements of an element in a document that is not canonical, and ignores
/// comments.
///
/// # Errors
/// `Format` if the element contains text.
pub fn children_with_comments<'a, 'input>(
    element: Node<'a, 'input>,
) -> Result<Vec<Node<'a, 'input>>, Rejection> {
    let is_blank = |text: &str| text.chars().all(|char| char.is_ascii_whitespace());
    let has_text =
        element.children().any(|node| node.is_text() && !node.text().is_none_or(is_blank));
    match has_text {
        true => Err(format_error(format!("{} contains text", element.tag_name().name()))),
        false => Ok(element.children().filter(Node::is_element).collect()),
    }
}

/// Returns the child elements of an element in a canonical document.
///
/// # Errors
/// `Format` if the element contains text.
pub fn children<'a, 'input>(element: Node<'a, 'input>) -> Result<Vec<Node<'a, 'input>>, Rejection> {
    xml::element_children(element).map_err(|error| format_error(error.to_string()))
}

/// Returns the text of an element that contains nothing else.
///
/// # Errors
/// `Format` if the element contains elements or comments.
pub fn text<'a>(element: Node<'a, '_>) -> Result<&'a str, Rejection> {
    xml::text_content(element).map_err(|error| format_error(error.to_string()))
}

/// Returns the only child element of the namespace of assertions with this name, or None.
///
/// # Errors
/// `Format` if there are several.
pub fn optional_child<'a, 'input>(
    element: Node<'a, 'input>,
    name: &str,
) -> Result<Option<Node<'a, 'input>>, Rejection> {
    let mut found = element.children().filter(|child| is_assertion(*child, name));
    let first = found.next();
    match found.next() {
        None => Ok(first),
        Some(_) => {
            let parent = element.tag_name().name();
            Err(format_error(format!("{parent} contains more than one {name}")))
        }
    }
}

/// Returns the only child element of the namespace of assertions with this name.
///
/// # Errors
/// `Format` unless there is exactly one.
pub fn child<'a, 'input>(
    element: Node<'a, 'input>,
    name: &str,
) -> Result<Node<'a, 'input>, Rejection> {
    optional_child(element, name)?
        .ok_or_else(|| format_error(format!("{} contains no {name}", element.tag_name().name())))
}

/// Returns a time in an attribute, or None if the element does not have it.
///
/// # Errors
/// `Format` if it is not a time of the form `2026-11-28T04:30:00Z` with at most seven decimals.
pub fn time(element: Node<'_, '_>, attribute: &str) -> Result<Option<Timestamp>, Rejection> {
    let Some(text) = element.attribute(attribute) else { return Ok(None) };
    let time = parse_time(text);
    let error = || {
        format_error(format!(
            "{attribute} must be a time in UTC that ends in Z, not {}",
            quote(text)
        ))
    };
    time.ok_or_else(error).map(Some)
}

/// Parses a time of the form `2026-11-28T04:30:00Z` with at most seven decimals. Drops fractions of a
/// millisecond.
fn parse_time(text: &str) -> Option<Timestamp> {
    let shape = b"0000-00-00T00:00:00";
    let (seconds, end) = text.split_at_checked(shape.len())?;
    let has_shape = seconds.bytes().zip(shape).all(|(byte, wanted)| match wanted {
        b'0' => byte.is_ascii_digit(),
        separator => byte == *separator,
    });
    let decimals = end.strip_suffix('Z')?;
    let has_decimals = match decimals.strip_prefix('.') {
        None => decimals.is_empty(),
        Some(digits) => {
            (1..=MAX_DECIMALS).contains(&digits.len())
                && digits.bytes().all(|byte| byte.is_ascii_digit())
        }
    };
    Timestamp::parse_rfc3339(text).filter(|_| has_shape && has_decimals)
}

/// Returns a rejection with the code `Format`.
pub fn format_error(reason: impl AsRef<str>) -> Rejection {
    Rejection::new(ReasonCode::Format, reason)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_end_in_z_and_have_at_most_seven_decimals() {
        for (text, want) in [
            ("2026-11-28T04:30:00Z", Some(1_795_840_200_000)),
            ("2026-11-28T04:30:00.5Z", Some(1_795_840_200_500)),
            ("2026-11-28T04:30:00.1234567Z", Some(1_795_840_200_123)),
            ("2026-11-28T04:30:00.12345678Z", None),
            ("2026-11-28T04:30:00.Z", None),
            ("2026-11-28T04:30:00", None),
            ("2026-11-28T04:30:00z", None),
            ("2026-11-28t04:30:00Z", None),
            ("2026-11-28 04:30:00Z", None),
            ("2026-11-28T04:30:00+00:00", None),
            ("2026-11-28T04:30:00.1+01:00Z", None),
            ("2026-11-28T04:30Z", None),
            ("2026-13-28T04:30:00Z", None),
            ("2026-02-29T04:30:00Z", None),
            ("2026-11-28T24:30:00Z", None),
            ("12026-11-28T04:30:00Z", None),
            ("-2026-11-28T04:30:00Z", None),
            (" 2026-11-28T04:30:00Z", None),
            ("2026-11-28T04:30:00Z ", None),
            ("2026-11-28T04:30:0\u{665}Z", None),
            ("", None),
            ("Z", None),
        ] {
            assert_eq!(parse_time(text), want.map(Timestamp), "{text}");
        }
    }
}
