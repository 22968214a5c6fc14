//! Requests to remote servers and their responses.

use std::fmt;

use hyper::HeaderMap;
use hyper::Method;

use super::remote_body::RemoteBody;
use crate::time::Timestamp;

/// The method of a [`RemoteRequest`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RemoteMethod {
    /// `GET`. Must have no body.
    Get,
    /// `POST`.
    Post,
    /// `PUT`.
    Put,
    /// `PATCH`.
    Patch,
    /// `DELETE`. Must have no body.
    Delete,
}

impl RemoteMethod {
    /// Returns whether requests with this method have a body, which may be empty.
    pub(super) fn has_body(self) -> bool {
        matches!(self, Self::Post | Self::Put | Self::Patch)
    }
}

impl From<RemoteMethod> for Method {
    fn from(method: RemoteMethod) -> Self {
        match method {
            RemoteMethod::Get => Self::GET,
            RemoteMethod::Post => Self::POST,
            RemoteMethod::Put => Self::PUT,
            RemoteMethod::Patch => Self::PATCH,
            RemoteMethod::Delete => Self::DELETE,
        }
    }
}

/// A request to a remote server. It has no `Debug`, because its headers and body contain secrets.
#[derive(Clone)]
pub struct RemoteRequest<'a> {
    /// Method of the first request. A redirect can change it to `GET`.
    pub method: RemoteMethod,
    /// Absolute `http` or `https` URL without user info. A fragment is ignored.
    pub url: &'a str,
    /// Names and values of additional headers. After a redirect to another scheme, host or port only
    /// `Accept`, `Accept-Language` and `Range` are sent again.
    pub headers: &'a [(&'a str, &'a str)],
    /// Body. None is an empty body for the methods that have one.
    pub body: Option<&'a [u8]>,
    /// Whether to follow redirects. Otherwise the redirect itself is the response.
    pub follow_redirects: bool,
    /// Whether to return the cookies of a response to the same host after a redirect. They are
    /// deleted at the end of the request.
    pub accept_cookies: bool,
    /// Maximum size of the response body in bytes, counted after decompression.
    pub max_bytes: u64,
}

impl<'a> RemoteRequest<'a> {
    /// Returns a `GET` request without headers and cookies that follows redirects.
    pub fn get(url: &'a str, max_bytes: u64) -> Self {
        Self {
            method: RemoteMethod::Get,
            url,
            headers: &[],
            body: None,
            follow_redirects: true,
            accept_cookies: false,
            max_bytes,
        }
    }
}

/// The response of a remote server.
pub struct RemoteResponse {
    /// HTTP status. A 4xx or 5xx status is not a failure.
    pub status: u16,
    /// Content type, or an empty string.
    pub content_type: String,
    /// Body after decompression.
    pub body: RemoteBody,
    /// URL of the request that the server responded to, after all redirects. It can contain secrets.
    pub final_url: String,
    /// Headers.
    pub(super) headers: HeaderMap,
}

impl RemoteResponse {
    /// Returns the value of the first header with this name in any case. None if there is none, or if
    /// its value is not visible ASCII.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// Returns the seconds in `Retry-After`, or until the date there (RFC 9110 section 10.2.3). 0 for a date in
    /// the past. None without the header and for another value.
    pub fn retry_after(&self) -> Option<u64> {
        let text = self.header("retry-after")?.trim();
        let until = |date: Timestamp| date.0.saturating_sub(Timestamp::now().0).max(0) as u64;
        let seconds = || Some(until(Timestamp::parse_http_date(text)?).div_ceil(1000));
        text.parse().ok().or_else(seconds)
    }
}

impl fmt::Debug for RemoteResponse {
    /// Writes status, type and size only, because the rest can contain secrets of the user.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RemoteResponse")
            .field("status", &self.status)
            .field("content_type", &self.content_type)
            .field("body_bytes", &self.body.len())
            .finish_non_exhaustive()
    }
}
