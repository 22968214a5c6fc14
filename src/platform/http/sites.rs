//! Which answers scripts of other sites may read: CORS, as the Fetch standard has it.
//!
//! Only answers for which no cookie and no other credentials of the browser count: for them a star
//! gives away nothing that the address alone does not give.

use hyper::HeaderMap;
use hyper::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ALLOW, HeaderValue,
};

use super::response::Response;
use crate::error::Result;

/// Headers that a script may send beside those that need no leave.
const HEADERS: &str = "accept, content-type, if-none-match";
/// How long a browser may remember the leave, in seconds: the longest that any keeps it.
const REMEMBERED: &str = "86400";

/// Lets every site read an answer.
pub fn open(headers: &mut HeaderMap) {
    headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static("etag, x-request-id"));
}

/// The answer to OPTIONS at a path with these methods; to a browser that asks for leave before it
/// sends what a script wants, too.
pub fn options(allow: &str, any_site: bool) -> Result<Response> {
    let response = Response::no_content().with(ALLOW, allow)?;
    if !any_site {
        return Ok(response);
    }
    response
        .with(ACCESS_CONTROL_ALLOW_ORIGIN, "*")?
        .with(ACCESS_CONTROL_ALLOW_METHODS, allow)?
        .with(ACCESS_CONTROL_ALLOW_HEADERS, HEADERS)?
        .with(ACCESS_CONTROL_MAX_AGE, REMEMBERED)
}
