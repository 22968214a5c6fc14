//! Conditional requests: `If-None-Match` (304) and `If-Match` (412), RFC 9110 section 13.
//!
//! A compressed response has the entity tag of the content with a suffix for the encoding, because
//! its bytes differ. Conditions ignore the suffix, because the content is the same.

use hyper::HeaderMap;
use hyper::header::{IF_MATCH, IF_NONE_MATCH};

use super::encoding::Encoding;
use super::request::Request;
use crate::error::CurrentVersion;
use crate::error::Error;
use crate::error::Result;

/// The value of `If-Match`, copied from the request so that a write transaction can check it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IfMatch(Option<String>);

impl IfMatch {
    /// Reads the header. Without it, every check passes. Bytes outside UTF-8 stay part of a tag,
    /// which then matches nothing.
    pub fn from_request(request: &Request) -> Self {
        Self::from_headers(&request.headers)
    }

    /// Joins all lines of `If-Match` with commas. Without such a line there is no condition.
    fn from_headers(headers: &HeaderMap) -> Self {
        // To ignore a line that is not ASCII would make the request unconditional.
        let lists = headers.get_all(IF_MATCH).iter();
        let lists: Vec<_> = lists.map(|value| String::from_utf8_lossy(value.as_bytes())).collect();
        Self((!lists.is_empty()).then(|| lists.join(",")))
    }

    /// Succeeds if the request has no condition, or if the condition is `*` or contains `etag`
    /// (with quotes).
    ///
    /// A tag of the client also matches if it has the suffix of an encoding, or a plus sign and
    /// further text, which distinguish representations of the same version. A weak tag never
    /// matches.
    ///
    /// # Errors
    /// `PreconditionFailed` with the version that `current` returns, or the error of `current`.
    pub fn check(
        &self,
        etag: &str,
        current: impl FnOnce() -> Result<CurrentVersion>,
    ) -> Result<()> {
        let Some(list) = &self.0 else { return Ok(()) };
        // RFC 9110 requires a strong comparison, so a weak tag never matches.
        let matches = |tag: &str| {
            let version = extract_opaque_tag(tag).split('+').next();
            tags_match(tag, etag) || version == Some(extract_opaque_tag(etag))
        };
        if split_tags(list).any(|tag| tag == "*" || (!tag.starts_with("W/") && matches(tag))) {
            return Ok(());
        }
        Err(Error::PreconditionFailed(Box::new(current()?)))
    }
}

/// Returns the first tag in `If-None-Match` that matches `etag`, if there is one.
///
/// The comparison ignores `W/` and the suffix of an encoding. The response to a GET can then be 304
/// with the returned tag. For `*` the result is `etag`.
pub fn find_matching_tag<'a>(headers: &'a HeaderMap, etag: &'a str) -> Option<&'a str> {
    let lists = headers.get_all(IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
    let matching = lists.flat_map(split_tags).find(|tag| {
        // RFC 9110 requires a weak comparison.
        *tag == "*" || tags_match(tag.trim_start_matches("W/"), etag.trim_start_matches("W/"))
    })?;
    Some(if matching == "*" { etag } else { matching })
}

/// Splits a comma-separated list of entity tags, which keep their quotes and `W/`. Skips empty
/// items. Tags of this server contain no commas.
fn split_tags(list: &str) -> impl Iterator<Item = &str> {
    list.split(',').map(str::trim).filter(|tag| !tag.is_empty())
}

/// Returns whether two strong tags are equal apart from the suffix of an encoding, such as `-br`,
/// and their quotes.
fn tags_match(one: &str, other: &str) -> bool {
    one == other || extract_opaque_tag(one) == extract_opaque_tag(other)
}

/// Returns a tag without its quotes and without the suffix of an encoding. Does not remove `W/`.
pub fn extract_opaque_tag(tag: &str) -> &str {
    let opaque = tag.trim_matches('"');
    Encoding::ALL
        .iter()
        .find_map(|encoding| opaque.strip_suffix(encoding.etag_suffix()))
        .unwrap_or(opaque)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn current_version() -> Result<CurrentVersion> {
        let [etag, updated, updated_by] = [String::new(), String::new(), String::new()];
        Ok(CurrentVersion { etag, updated, updated_by, updated_by_name: None })
    }

    #[test]
    fn if_match_accepts_the_current_tag_in_any_encoding() {
        let check = |header: Option<&'static str>, want: bool| {
            let mut headers = HeaderMap::new();
            if let Some(text) = header {
                headers.insert(IF_MATCH, text.parse().unwrap());
            }
            let passed = IfMatch::from_headers(&headers).check("\"abc\"", current_version).is_ok();
            assert_eq!(passed, want, "{header:?}");
        };
        check(None, true);
        check(Some("*"), true);
        check(Some("\"abc\""), true);
        check(Some("\"abc-br\""), true);
        check(Some("\"x\", \"abc-zs\""), true);
        check(Some("\"abc+1795-br\""), true);
        check(Some("\"ab\""), false);
        check(Some("W/\"abc\""), false);
        check(Some(""), false);
    }

    #[test]
    fn if_match_with_bytes_outside_ascii_stays_a_condition() {
        let passes = |lines: &[&[u8]]| {
            let mut headers = HeaderMap::new();
            for line in lines {
                headers.append(IF_MATCH, hyper::header::HeaderValue::from_bytes(line).unwrap());
            }
            IfMatch::from_headers(&headers).check("\"abc\"", current_version).is_ok()
        };
        assert!(!passes(&[b"\"\xe9\""]));
        assert!(!passes(&["\"é\"".as_bytes()]));
        assert!(passes(&[b"\"\xe9\", \"abc\""]));
        assert!(passes(&[b"\"\xe9\"", b"\"abc\""]));
    }

    #[test]
    fn if_none_match_compares_weakly_and_returns_the_matching_tag() {
        let check = |header: &'static str, want: Option<&str>| {
            let mut headers = HeaderMap::new();
            headers.insert(IF_NONE_MATCH, header.parse().unwrap());
            assert_eq!(find_matching_tag(&headers, "\"abc\""), want, "{header}");
        };
        check("\"abc\"", Some("\"abc\""));
        check("\"x\", \"abc-gz\"", Some("\"abc-gz\""));
        check("W/\"abc\"", Some("W/\"abc\""));
        check("*", Some("\"abc\""));
        check("\"abd\"", None);
    }
}
