//! Conditional requests: `If-None-Match` (304) and `If-Match` (412), RFC 9110 section 13.
//!
//! A compressed answer carries the entity tag of the thing with a suffix for the encoding, since
//! the bytes differ. For a condition the suffix does not matter: the thing is the same.

use hyper::HeaderMap;
use hyper::header::{IF_MATCH, IF_NONE_MATCH};

use super::encoding::Encoding;
use super::request::Request;
use crate::error::Error;
use crate::error::Result;
use crate::error::Stale;

/// What `If-Match` asks for, taken from the request so that a write transaction can check it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IfMatch(Option<String>);

impl IfMatch {
    /// The condition of this request; none without the header.
    pub fn of(request: &Request) -> Self {
        Self::in_headers(&request.headers)
    }

    fn in_headers(headers: &HeaderMap) -> Self {
        let mut lists = headers.get_all(IF_MATCH).iter().filter_map(|it| it.to_str().ok());
        let Some(first) = lists.next() else { return Self(None) };
        Self(Some(lists.fold(first.to_owned(), |all, list| format!("{all},{list}"))))
    }

    /// Passes when there is no condition, or `etag` (with its quotes) is among those it names. A
    /// tag may end in a plus sign and a word that tells answers about one state apart.
    ///
    /// # Errors
    /// `Stale` with what `current` says of the present state.
    pub fn check(&self, etag: &str, current: impl FnOnce() -> Result<Stale>) -> Result<()> {
        let Some(list) = &self.0 else { return Ok(()) };
        // If-Match compares strongly: a weak tag never matches.
        let names = |tag: &str| {
            let state = plain(tag).split('+').next();
            same(tag, etag) || state == Some(plain(etag))
        };
        if tags(list).any(|tag| tag == "*" || (!tag.starts_with("W/") && names(tag))) {
            return Ok(());
        }
        Err(Error::Stale(Box::new(current()?)))
    }
}

/// The tag in `If-None-Match` that names the representation with this entity tag, if one does.
/// A GET may answer 304 with it.
pub fn none_match<'a>(headers: &'a HeaderMap, etag: &'a str) -> Option<&'a str> {
    let lists = headers.get_all(IF_NONE_MATCH).iter().filter_map(|it| it.to_str().ok());
    let matching = lists.flat_map(tags).find(|tag| {
        // If-None-Match compares weakly.
        *tag == "*" || same(tag.trim_start_matches("W/"), etag.trim_start_matches("W/"))
    })?;
    Some(if matching == "*" { etag } else { matching })
}

/// The entity tags of a list. Our own tags contain no commas.
fn tags(list: &str) -> impl Iterator<Item = &str> {
    list.split(',').map(str::trim).filter(|tag| !tag.is_empty())
}

/// Whether two strong tags name the same thing, whatever the encoding.
fn same(one: &str, other: &str) -> bool {
    one == other || plain(one) == plain(other)
}

/// The opaque part of a tag without quotes and without the suffix of an encoding.
fn plain(tag: &str) -> &str {
    let opaque = tag.trim_matches('"');
    Encoding::ALL.iter().find_map(|it| opaque.strip_suffix(it.suffix())).unwrap_or(opaque)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stale() -> Result<Stale> {
        let [etag, updated, updated_by] = [String::new(), String::new(), String::new()];
        Ok(Stale { etag, updated, updated_by, updated_by_name: None })
    }

    #[test]
    fn if_match_accepts_the_current_tag_in_any_encoding() {
        let check = |header: Option<&'static str>, want: bool| {
            let mut headers = HeaderMap::new();
            if let Some(text) = header {
                headers.insert(IF_MATCH, text.parse().unwrap());
            }
            let passed = IfMatch::in_headers(&headers).check("\"abc\"", stale).is_ok();
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
    fn if_none_match_compares_weakly_and_gives_the_tag_back() {
        let check = |header: &'static str, want: Option<&str>| {
            let mut headers = HeaderMap::new();
            headers.insert(IF_NONE_MATCH, header.parse().unwrap());
            assert_eq!(none_match(&headers, "\"abc\""), want, "{header}");
        };
        check("\"abc\"", Some("\"abc\""));
        check("\"x\", \"abc-gz\"", Some("\"abc-gz\""));
        check("W/\"abc\"", Some("W/\"abc\""));
        check("*", Some("\"abc\""));
        check("\"abd\"", None);
    }
}
