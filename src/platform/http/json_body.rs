//! Parsing of JSON request bodies: content type, nesting depth and the path of the first mistake.

use std::borrow::Cow;

use hyper::HeaderMap;
use hyper::header::{CONTENT_ENCODING, CONTENT_TYPE, HeaderName};
use serde::de::DeserializeOwned;

use crate::error::Error;
use crate::error::Result;

/// Maximum nesting depth of a JSON body.
pub const MAX_JSON_DEPTH: usize = 64;

/// Checks that a request body, if there is one, is declared as uncompressed JSON.
///
/// Types that end in `+json` count as JSON, and so does a body without a content type. Types and
/// encodings are compared without case.
///
/// # Errors
/// `UnsupportedMediaType` with the declared type or encoding.
pub fn require_json_type(headers: &HeaderMap, body: &[u8]) -> Result<()> {
    if body.is_empty() {
        return Ok(());
    }
    let declared = read_header_text(headers, &CONTENT_TYPE);
    let declared = declared.as_deref().unwrap_or("application/json");
    let media_type = declared.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    if media_type != "application/json" && !media_type.ends_with("+json") {
        let text = format!("content-type must be application/json, not {media_type}");
        return Err(Error::UnsupportedMediaType(text));
    }
    match read_header_text(headers, &CONTENT_ENCODING) {
        Some(encoding) if !encoding.eq_ignore_ascii_case("identity") => {
            let text = format!("content-encoding must be identity, not {encoding}");
            Err(Error::UnsupportedMediaType(text))
        }
        _ => Ok(()),
    }
}

/// Returns the first value of a header, or None if it is absent. Bytes outside UTF-8 are replaced,
/// so that an invalid value is not treated as absent.
fn read_header_text<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<Cow<'a, str>> {
    Some(String::from_utf8_lossy(headers.get(name)?.as_bytes()))
}

/// Parses JSON text into a `T`. Empty text counts as `{}`.
///
/// # Errors
/// `InvalidFields` with the path of the first mistake, or with `body` if it concerns the whole
/// text, such as invalid UTF-8 or nesting deeper than [`MAX_JSON_DEPTH`].
pub fn parse_json<T: DeserializeOwned>(text: &[u8]) -> Result<T> {
    let body: &[u8] = if text.is_empty() { b"{}" } else { text };
    if std::str::from_utf8(body).is_err() {
        return Err(Error::invalid_field("body", "is not valid UTF-8"));
    }
    if measure_nesting_depth(body) > MAX_JSON_DEPTH {
        let message = format!("must not be nested deeper than {MAX_JSON_DEPTH} levels");
        return Err(Error::invalid_field("body", message));
    }
    let mut reader = serde_json::Deserializer::from_slice(body);
    let value = serde_path_to_error::deserialize(&mut reader).map_err(|error| {
        // The path ends in a question mark if the text ended within a value.
        let path = error.path().to_string();
        let path = path.trim_end_matches(['.', '?']);
        let field = if path.is_empty() { "body" } else { path };
        Error::invalid_field(field, error.inner().to_string())
    })?;
    reader.end().map_err(|error| Error::invalid_field("body", error.to_string()))?;
    Ok(value)
}

/// Returns the maximum nesting depth of arrays and objects, 0 for a scalar. Brackets in strings do
/// not count. Does not check that the text is valid JSON.
fn measure_nesting_depth(text: &[u8]) -> usize {
    let (mut deepest, mut open, mut in_string, mut escaped) = (0usize, 0usize, false, false);
    for byte in text {
        if in_string {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'"' => in_string = false,
                _ => {}
            }
            continue;
        }
        match byte {
            b'"' => in_string = true,
            b'[' | b'{' => {
                open += 1;
                deepest = deepest.max(open);
            }
            b']' | b'}' => open = open.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declared_types_are_compared_without_case() {
        let is_accepted = |name: HeaderName, value: &[u8]| {
            let mut headers = HeaderMap::new();
            headers.insert(name, hyper::header::HeaderValue::from_bytes(value).unwrap());
            require_json_type(&headers, b"{}").is_ok()
        };
        assert!(is_accepted(CONTENT_TYPE, b"Application/JSON; charset=utf-8"));
        assert!(is_accepted(CONTENT_TYPE, b"application/Merge-Patch+JSON"));
        assert!(!is_accepted(CONTENT_TYPE, b"text/JSON"));
        assert!(!is_accepted(CONTENT_TYPE, b"text/plain\xff"));
        assert!(is_accepted(CONTENT_ENCODING, b"Identity"));
        assert!(!is_accepted(CONTENT_ENCODING, b"gzip"));
        assert!(!is_accepted(CONTENT_ENCODING, b"gzip\xff"));
    }

    #[test]
    fn brackets_in_strings_do_not_count_as_nesting() {
        let check =
            |text: &str, want| assert_eq!(measure_nesting_depth(text.as_bytes()), want, "{text}");
        check("1", 0);
        check("[[],{}]", 2);
        check(r#"{"a":"[[[[\"[["}"#, 1);
    }
}
