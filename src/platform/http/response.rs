//! One answer: status, headers and a body that is there, or comes piece by piece.

use std::time::Duration;

use hyper::HeaderMap;
use hyper::StatusCode;
use hyper::body::Bytes;
use hyper::header::HeaderName;
use hyper::header::HeaderValue;
use hyper::header::{CONTENT_TYPE, ETAG, LOCATION};
use serde::Serialize;

use super::shelf;
use crate::error::Error;
use crate::error::Result;

/// What is sent after the headers.
pub enum Body {
    /// All of it.
    Bytes(Bytes),
    /// Pieces as they come: an event stream, or a file read in parts. The sender's end closes it.
    Stream(tokio::sync::mpsc::Receiver<Bytes>),
}

/// One answer.
pub struct Response {
    /// The status.
    pub status: StatusCode,
    /// Headers beside those that every answer has.
    pub headers: HeaderMap,
    /// The body.
    pub body: Body,
    /// Whether the body may be compressed. Pictures already are.
    pub compress: bool,
}

impl Response {
    /// 200 with bytes of a type.
    pub fn bytes(content_type: &'static str, body: impl Into<Bytes>) -> Self {
        let mut headers = shelf::headers();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
        let compress = !content_type.starts_with("image/png");
        Self { status: StatusCode::OK, headers, body: Body::Bytes(body.into()), compress }
    }

    /// 200 with a JSON value.
    pub fn json<T: Serialize + ?Sized>(value: &T) -> Result<Self> {
        Ok(Self::bytes("application/json", serde_json::to_vec(value)?))
    }

    /// 200 with JSON text that is already written.
    pub fn json_text(text: String) -> Self {
        Self::bytes("application/json", text)
    }

    /// 200 with a page.
    pub fn html(page: String) -> Self {
        Self::bytes("text/html; charset=utf-8", page)
    }

    /// 204.
    pub fn no_content() -> Self {
        Self::empty(StatusCode::NO_CONTENT)
    }

    /// An answer without a body.
    pub fn empty(status: StatusCode) -> Self {
        Self { status, headers: HeaderMap::new(), body: Body::Bytes(Bytes::new()), compress: false }
    }

    /// 303: continue at `to` with GET.
    pub fn see_other(to: &str) -> Result<Self> {
        Self::empty(StatusCode::SEE_OTHER).with(LOCATION, to)
    }

    /// Adds or replaces a header.
    ///
    /// # Errors
    /// Internal, when the value has characters that a header cannot carry.
    pub fn with(mut self, name: HeaderName, value: &str) -> Result<Self> {
        let value =
            HeaderValue::from_str(value).map_err(|error| Error::internal(error.to_string()))?;
        self.headers.insert(name, value);
        Ok(self)
    }

    /// Adds a header beside others of its name (`Set-Cookie`).
    pub fn and(mut self, name: HeaderName, value: &str) -> Result<Self> {
        let value =
            HeaderValue::from_str(value).map_err(|error| Error::internal(error.to_string()))?;
        self.headers.append(name, value);
        Ok(self)
    }

    /// Sets the strong entity tag; `tag` without quotes.
    pub fn tagged(self, tag: &str) -> Result<Self> {
        self.with(ETAG, &["\"", tag, "\""].concat())
    }

    /// How often an idle event stream sends a comment, so that proxies keep it open.
    pub const STREAM_BEAT: Duration = Duration::from_secs(20);
}
