//! Completes what a handler gave: problems, 304, compression, the headers that all answers have.

use hyper::HeaderMap;
use hyper::Method;
use hyper::StatusCode;
use hyper::body::Bytes;
use hyper::header::HeaderName;
use hyper::header::HeaderValue;
use hyper::header::{
    CACHE_CONTROL, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG,
    REFERRER_POLICY, STRICT_TRANSPORT_SECURITY, VARY, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};

use super::conditional;
use super::encoding;
use super::encoding::Encoding;
use super::limits::Left;
use super::problem;
use super::problem::ErrorPage;
use super::response::Body;
use super::response::Response;
use crate::error::Result;

/// The header by which a request is found again in the log.
pub const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
const RATE_LIMIT: HeaderName = HeaderName::from_static("ratelimit");
const RATE_LIMIT_POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");

/// What our own pages may do: their own scripts, styles and pictures, and nothing else.
const PAGE_POLICY: &str = "default-src 'self'; script-src 'self'; style-src 'self'; \
    img-src 'self' data: blob:; object-src 'none'; base-uri 'none'; frame-ancestors 'none'";
/// One year, as browsers expect it.
const HSTS: &str = "max-age=31536000";

/// What of the request an answer depends on.
pub struct Asked<'a> {
    /// The method as it was sent.
    pub method: &'a Method,
    /// The request's headers.
    pub headers: &'a HeaderMap,
    /// The request's id.
    pub request_id: &'a str,
    /// What is left to this client, when it is limited.
    pub left: Option<Left>,
}

/// What is the same for all answers.
pub struct Site {
    /// Whether browsers shall insist on TLS.
    pub tls: bool,
    /// The value of `RateLimit-Policy`.
    pub policy: Option<HeaderValue>,
    /// Renders an error for a browser, if the application has such pages.
    pub error_page: Option<ErrorPage>,
}

/// The whole answer.
pub fn complete(result: Result<Response>, asked: &Asked<'_>, site: &Site) -> Response {
    let mut response =
        result.unwrap_or_else(|error| problem::response(&error, asked.headers, asked.request_id));
    let reads = matches!(*asked.method, Method::GET | Method::HEAD);
    if !(reads && not_modified(&mut response, asked.headers)) {
        compress(&mut response, asked.headers);
    }
    secure(&mut response.headers, site.tls);
    if let Ok(id) = HeaderValue::from_str(asked.request_id) {
        response.headers.insert(X_REQUEST_ID, id);
    }
    limits(&mut response.headers, asked.left, site);
    if *asked.method == Method::HEAD {
        behead(&mut response);
    }
    response
}

/// The number of body bytes, when it is known.
pub fn length(response: &Response) -> Option<usize> {
    match &response.body {
        Body::Bytes(bytes) => Some(bytes.len()),
        Body::Stream(_) => None,
    }
}

/// Turns the answer into 304 when the client has it already.
fn not_modified(response: &mut Response, request: &HeaderMap) -> bool {
    if response.status != StatusCode::OK {
        return false;
    }
    let Some(etag) = response.headers.get(ETAG).and_then(|it| it.to_str().ok()) else {
        return false;
    };
    let Some(tag) = conditional::none_match(request, etag) else { return false };
    let Ok(tag) = HeaderValue::from_str(tag) else { return false };
    response.status = StatusCode::NOT_MODIFIED;
    // They speak of a body.
    response.headers.remove(CONTENT_TYPE);
    response.headers.remove(CONTENT_ENCODING);
    response.headers.insert(ETAG, tag);
    if response.compress {
        response.headers.append(VARY, HeaderValue::from_static("accept-encoding"));
    }
    response.body = Body::Bytes(Bytes::new());
    true
}

fn compress(response: &mut Response, request: &HeaderMap) {
    if !response.compress || response.headers.contains_key(CONTENT_ENCODING) {
        return;
    }
    let Body::Bytes(bytes) = &response.body else { return };
    let kind = response.headers.get(CONTENT_TYPE).and_then(|it| it.to_str().ok());
    if bytes.len() < encoding::MIN_BYTES || !kind.is_some_and(encoding::shrinks) {
        return;
    }
    response.headers.append(VARY, HeaderValue::from_static("accept-encoding"));
    let Some(encoding) = Encoding::accepted(request) else { return };
    let Some(encoded) = encoding.encode(bytes) else { return };
    response.body = Body::Bytes(encoded.into());
    response.headers.insert(CONTENT_ENCODING, HeaderValue::from_static(encoding.word()));
    // Other bytes, so another tag.
    let tag = response.headers.get(ETAG).and_then(|it| it.to_str().ok()?.strip_suffix('"'));
    if let Some(tag) = tag.map(|it| format!("{it}{}\"", encoding.suffix()))
        && let Ok(tag) = HeaderValue::from_str(&tag)
    {
        response.headers.insert(ETAG, tag);
    }
}

/// The headers that keep browsers from doing harm. A handler's own policy stays, and it then says
/// itself who may frame the page.
fn secure(headers: &mut HeaderMap, tls: bool) {
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    if !headers.contains_key(REFERRER_POLICY) {
        headers.insert(REFERRER_POLICY, HeaderValue::from_static("same-origin"));
    }
    if !headers.contains_key(CONTENT_SECURITY_POLICY) {
        headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(PAGE_POLICY));
        headers.insert(X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
    }
    // Answers depend on who asks: no cache may keep them unless a handler says so.
    if !headers.contains_key(CACHE_CONTROL) {
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
    }
    if tls {
        headers.insert(STRICT_TRANSPORT_SECURITY, HeaderValue::from_static(HSTS));
    }
}

fn limits(headers: &mut HeaderMap, left: Option<Left>, site: &Site) {
    let (Some(left), Some(policy)) = (left, &site.policy) else { return };
    headers.insert(RATE_LIMIT_POLICY, policy.clone());
    let text = format!("\"default\";r={};t={}", left.requests, left.full_in);
    if let Ok(text) = HeaderValue::from_str(&text) {
        headers.insert(RATE_LIMIT, text);
    }
}

/// HEAD: the headers of GET, its length included, without the body.
fn behead(response: &mut Response) {
    if let Some(length) = length(response).filter(|_| response.status != StatusCode::NOT_MODIFIED) {
        response.headers.insert(CONTENT_LENGTH, HeaderValue::from(length));
    }
    response.body = Body::Bytes(Bytes::new());
}
