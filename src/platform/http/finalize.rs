//! Turns the result of a handler into the response that is sent.
//!
//! Errors become problem documents, unchanged content becomes 304, large bodies are compressed, and
//! every response gets the common headers.

use hyper::HeaderMap;
use hyper::Method;
use hyper::StatusCode;
use hyper::body::Bytes;
use hyper::header::HeaderName;
use hyper::header::HeaderValue;
use hyper::header::{
    CACHE_CONTROL, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG,
    REFERRER_POLICY, SET_COOKIE, STRICT_TRANSPORT_SECURITY, VARY, X_CONTENT_TYPE_OPTIONS,
    X_FRAME_OPTIONS,
};

use super::conditional;
use super::encoding;
use super::encoding::Encoding;
use super::problem;
use super::problem::ErrorPage;
use super::rate_limits::RateLimitStatus;
use super::response::Body;
use super::response::Response;
use crate::error::Result;

/// Header with the id under which the log lists a request.
pub const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
const RATE_LIMIT: HeaderName = HeaderName::from_static("ratelimit");
const RATE_LIMIT_POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");

/// Content security policy of our own pages: only scripts, styles and images of this server.
const DEFAULT_CONTENT_SECURITY_POLICY: &str = "default-src 'self'; script-src 'self'; style-src 'self'; \
    img-src 'self' data: blob:; object-src 'none'; base-uri 'none'; frame-ancestors 'none'";
/// Size of a body in bytes above which compressing it is costly. It takes a millisecond or more.
const MIN_COSTLY_BYTES: usize = 256 << 10;
/// One year, the usual value.
const STRICT_TRANSPORT_SECURITY_VALUE: &str = "max-age=31536000";

/// The properties of a request that influence its final response.
pub struct RequestInfo<'a> {
    /// Method that the client sent, which can be HEAD.
    pub method: &'a Method,
    /// Headers of the request.
    pub headers: &'a HeaderMap,
    /// Id of the request.
    pub request_id: &'a str,
    /// Rate limit status of the client, if its requests are limited.
    pub rate_limit: Option<RateLimitStatus>,
}

/// Settings that apply to all responses.
pub struct ResponseSettings {
    /// Whether browsers must use HTTPS for all later requests (HSTS).
    pub require_https: bool,
    /// Value of the header `RateLimit-Policy`, if requests are limited.
    pub rate_limit_policy: Option<HeaderValue>,
    /// Renders an error as a page for a browser, if the application has such pages.
    pub error_page: Option<ErrorPage>,
}

/// Returns the final response for the result of a handler.
///
/// An error becomes a problem document, and an internal one is logged. The caller must already have
/// replaced errors by error pages. Unchanged content becomes 304, other bodies are compressed if
/// possible, and a response to HEAD loses its body. Adds the headers common to all responses.
pub fn finalize_response(
    result: Result<Response>,
    request: &RequestInfo<'_>,
    settings: &ResponseSettings,
) -> Response {
    let mut response = result.unwrap_or_else(|error| {
        problem::build_problem_response(&error, request.headers, request.request_id)
    });
    let is_read = matches!(*request.method, Method::GET | Method::HEAD);
    if !(is_read && make_not_modified(&mut response, request.headers)) {
        compress_body(&mut response, request.headers);
    }
    add_security_headers(&mut response.headers, settings.require_https);
    if let Ok(id) = HeaderValue::from_str(request.request_id) {
        response.headers.insert(X_REQUEST_ID, id);
    }
    add_rate_limit_headers(&mut response.headers, request.rate_limit, settings);
    if *request.method == Method::HEAD {
        remove_body_for_head(&mut response);
    }
    response
}

/// Adds a `Set-Cookie` header with another cookie for the session, unless the response sets or removes
/// the cookie itself. No cache may keep the response.
pub fn add_new_cookie(response: &mut Response, cookie: &str) {
    let Ok(value) = HeaderValue::from_str(cookie) else { return };
    if !response.headers.contains_key(SET_COOKIE) {
        response.headers.insert(SET_COOKIE, value);
        response.headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
}

/// Returns whether [`finalize_response`] takes long for this response of a handler, because it
/// compresses a large body.
pub fn is_costly(response: &Response, request: &HeaderMap) -> bool {
    let etag = response.headers.get(ETAG).and_then(|value| value.to_str().ok());
    let is_unchanged =
        || etag.is_some_and(|etag| conditional::find_matching_tag(request, etag).is_some());
    body_length(response).is_some_and(|length| length >= MIN_COSTLY_BYTES)
        && may_compress(response)
        && Encoding::negotiate(request).is_some()
        && !is_unchanged()
}

/// Returns the length of the body in bytes, or None for a stream.
pub fn body_length(response: &Response) -> Option<usize> {
    match &response.body {
        Body::Bytes(bytes) => Some(bytes.len()),
        Body::Spooled(body) => usize::try_from(body.remaining()).ok(),
        Body::Stream(_) => None,
    }
}

/// Turns a 200 response into 304 if `If-None-Match` shows that the client has the content. Also
/// completes a 304 of a handler.
///
/// The response then has no body, and its entity tag is the matching one of the client. All other
/// headers are those of the 200, because clients replace the headers of the stored response by
/// those of the 304. Returns whether the response is 304. The caller checks the method.
fn make_not_modified(response: &mut Response, request: &HeaderMap) -> bool {
    if !matches!(response.status, StatusCode::OK | StatusCode::NOT_MODIFIED) {
        return false;
    }
    let Some(etag) = response.headers.get(ETAG).and_then(|value| value.to_str().ok()) else {
        return false;
    };
    let Some(tag) = conditional::find_matching_tag(request, etag) else { return false };
    let Ok(tag) = HeaderValue::from_str(tag) else { return false };
    if may_compress(response) {
        response.headers.append(VARY, HeaderValue::from_static("accept-encoding"));
    }
    response.status = StatusCode::NOT_MODIFIED;
    // These headers describe a body.
    response.headers.remove(CONTENT_TYPE);
    response.headers.remove(CONTENT_ENCODING);
    response.headers.insert(ETAG, tag);
    response.body = Body::Bytes(Bytes::new());
    true
}

/// Compresses the body with the encoding that the client prefers, if the result is smaller.
///
/// Does nothing unless `response.compress` is set, the body is complete in memory, not encoded yet,
/// large enough and of a compressible type. Otherwise adds `Vary: accept-encoding`, even if the
/// client accepts no encoding. The entity tag of a compressed body gets the suffix of its encoding.
fn compress_body(response: &mut Response, request: &HeaderMap) {
    if !may_compress(response) {
        return;
    }
    let Body::Bytes(bytes) = &response.body else { return };
    response.headers.append(VARY, HeaderValue::from_static("accept-encoding"));
    let Some(encoding) = Encoding::negotiate(request) else { return };
    let Some(encoded) = encoding.encode(bytes) else { return };
    response.body = Body::Bytes(encoded.into());
    response.headers.insert(CONTENT_ENCODING, HeaderValue::from_static(encoding.name()));
    // A strong entity tag identifies bytes, so the compressed body needs another tag.
    let tag = response.headers.get(ETAG).and_then(|value| value.to_str().ok()?.strip_suffix('"'));
    if let Some(tag) = tag.map(|tag| format!("{tag}{}\"", encoding.etag_suffix()))
        && let Ok(tag) = HeaderValue::from_str(&tag)
    {
        response.headers.insert(ETAG, tag);
    }
}

/// Returns whether the body may be compressed for a client that accepts an encoding: see
/// `compress_body` for the conditions. The missing body of a 304 counts as large enough.
fn may_compress(response: &Response) -> bool {
    let Body::Bytes(bytes) = &response.body else { return false };
    let content_type = response.headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let is_large_enough = response.status == StatusCode::NOT_MODIFIED
        || bytes.len() >= encoding::MIN_COMPRESSIBLE_BYTES;
    response.compress
        && is_large_enough
        && !response.headers.contains_key(CONTENT_ENCODING)
        && content_type.is_some_and(encoding::is_compressible)
}

/// Adds the security headers and `Cache-Control: private, no-cache`, unless the handler set them.
///
/// `X-Content-Type-Options` is always set, `Strict-Transport-Security` only if `require_https`. A
/// handler that sets its own `Content-Security-Policy` also decides which sites may frame the page,
/// so `X-Frame-Options` is then not added.
fn add_security_headers(headers: &mut HeaderMap, require_https: bool) {
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    if !headers.contains_key(REFERRER_POLICY) {
        headers.insert(REFERRER_POLICY, HeaderValue::from_static("same-origin"));
    }
    if !headers.contains_key(CONTENT_SECURITY_POLICY) {
        let policy = HeaderValue::from_static(DEFAULT_CONTENT_SECURITY_POLICY);
        headers.insert(CONTENT_SECURITY_POLICY, policy);
        headers.insert(X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
    }
    // Responses depend on the caller, so shared caches must not store them by default.
    if !headers.contains_key(CACHE_CONTROL) {
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
    }
    if require_https {
        let value = HeaderValue::from_static(STRICT_TRANSPORT_SECURITY_VALUE);
        headers.insert(STRICT_TRANSPORT_SECURITY, value);
    }
}

/// Adds `RateLimit` (remaining requests, and seconds until all are available again) and
/// `RateLimit-Policy`. Does nothing if the requests of the client are not limited.
fn add_rate_limit_headers(
    headers: &mut HeaderMap,
    status: Option<RateLimitStatus>,
    settings: &ResponseSettings,
) {
    let (Some(status), Some(policy)) = (status, &settings.rate_limit_policy) else { return };
    headers.insert(RATE_LIMIT_POLICY, policy.clone());
    let text = format!("\"default\";r={};t={}", status.remaining, status.seconds_until_full);
    if let Ok(text) = HeaderValue::from_str(&text) {
        headers.insert(RATE_LIMIT, text);
    }
}

/// Removes the body of a response to HEAD and sets the `Content-Length` that GET would have. A 204
/// or 304 response and a stream get no `Content-Length`.
fn remove_body_for_head(response: &mut Response) {
    let has_no_length =
        matches!(response.status, StatusCode::NO_CONTENT | StatusCode::NOT_MODIFIED);
    if let Some(length) = body_length(response).filter(|_| !has_no_length) {
        response.headers.insert(CONTENT_LENGTH, HeaderValue::from(length));
    }
    response.body = Body::Bytes(Bytes::new());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_response_that_may_have_a_body_gets_a_length_for_head() {
        let length_for = |mut response: Response| {
            remove_body_for_head(&mut response);
            response.headers.get(CONTENT_LENGTH).cloned()
        };
        assert_eq!(length_for(Response::json_text("{}".to_owned())).unwrap(), "2");
        assert_eq!(length_for(Response::empty(StatusCode::OK)).unwrap(), "0");
        assert_eq!(length_for(Response::no_content()), None);
        assert_eq!(length_for(Response::empty(StatusCode::NOT_MODIFIED)), None);
    }
}
