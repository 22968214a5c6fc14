//! Cross-origin resource sharing (CORS, Fetch standard) for routes that allow it.
//!
//! Such routes must ignore cookies and all other credentials of the browser. Then
//! `Access-Control-Allow-Origin: *` reveals nothing that the URL alone does not reveal.

use hyper::HeaderMap;
use hyper::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ALLOW, HeaderValue,
};

use super::response::Response;
use crate::error::Result;

/// Request headers that a cross-origin script may send besides the safelisted ones.
const ALLOWED_REQUEST_HEADERS: &str = "accept, content-type, if-none-match";
/// Seconds for which a browser may cache a preflight response: the longest time any browser allows.
const PREFLIGHT_MAX_AGE_SECONDS: &str = "86400";

/// Adds the headers that let scripts of every origin read a response, with its headers `ETag` and
/// `X-Request-Id`.
pub fn allow_any_origin(headers: &mut HeaderMap) {
    headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static("etag, x-request-id"));
}

/// Returns the 204 response to OPTIONS for a path with the methods `allow` (value of `Allow`).
///
/// With `allow_any_origin` it is also a positive response to a CORS preflight request.
///
/// # Errors
/// `Internal` if `allow` is not a valid header value.
pub fn build_options_response(allow: &str, allow_any_origin: bool) -> Result<Response> {
    let response = Response::no_content().with_header(ALLOW, allow)?;
    if !allow_any_origin {
        return Ok(response);
    }
    response
        .with_header(ACCESS_CONTROL_ALLOW_ORIGIN, "*")?
        .with_header(ACCESS_CONTROL_ALLOW_METHODS, allow)?
        .with_header(ACCESS_CONTROL_ALLOW_HEADERS, ALLOWED_REQUEST_HEADERS)?
        .with_header(ACCESS_CONTROL_MAX_AGE, PREFLIGHT_MAX_AGE_SECONDS)
}
