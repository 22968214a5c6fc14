//! The response of a handler: status, headers, and a body in memory or as a stream.

use std::time::Duration;

use hyper::HeaderMap;
use hyper::StatusCode;
use hyper::body::Bytes;
use hyper::header::HeaderName;
use hyper::header::HeaderValue;
use hyper::header::{ACCEPT_LANGUAGE, CONTENT_LANGUAGE, CONTENT_TYPE, ETAG, LOCATION, VARY};
use serde::Serialize;

use super::spool::SpooledBody;
use crate::error::Error;
use crate::error::Result;
use crate::language;

/// Initial capacity of the headers of a response. Most responses have fewer.
const TYPICAL_HEADER_COUNT: usize = 12;

/// The body of a response.
pub enum Body {
    /// The complete body.
    Bytes(Bytes),
    /// Chunks that are sent as they arrive: an event stream. The body ends when the sender is dropped.
    Stream(tokio::sync::mpsc::Receiver<Bytes>),
    /// The complete body in a file. Only the server creates it, from [`Self::Bytes`].
    Spooled(Box<SpooledBody>),
}

/// An HTTP response.
pub struct Response {
    /// Status.
    pub status: StatusCode,
    /// Headers in addition to those that the server adds to every response.
    pub headers: HeaderMap,
    /// Body.
    pub body: Body,
    /// Whether the server may compress the body. False for bitmap images, which are compressed.
    pub compress: bool,
}

impl Response {
    /// Creates a 200 response with a body of this media type. The server may compress it unless it
    /// is a PNG image.
    pub fn bytes(content_type: &'static str, body: impl Into<Bytes>) -> Self {
        let mut headers = HeaderMap::with_capacity(TYPICAL_HEADER_COUNT);
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
        let compress = !content_type.starts_with("image/png");
        Self { status: StatusCode::OK, headers, body: Body::Bytes(body.into()), compress }
    }

    /// Creates a 200 response with `value` as JSON.
    ///
    /// # Errors
    /// `Internal` if the value cannot be serialized.
    pub fn json<T: Serialize + ?Sized>(value: &T) -> Result<Self> {
        Ok(Self::bytes("application/json", serde_json::to_vec(value)?))
    }

    /// Creates a 200 response with `text`, which must already be JSON.
    pub fn json_text(text: String) -> Self {
        Self::bytes("application/json", text)
    }

    /// Creates a 200 response with an HTML page in the language of the request.
    pub fn html(page: String) -> Self {
        let mut response = Self::bytes("text/html; charset=utf-8", page);
        response.headers.insert(VARY, HeaderValue::from_static("accept-language"));
        response
    }

    /// Creates a 204 response.
    pub fn no_content() -> Self {
        Self::empty(StatusCode::NO_CONTENT)
    }

    /// Creates a response with this status, without a body and headers.
    pub fn empty(status: StatusCode) -> Self {
        Self { status, headers: HeaderMap::new(), body: Body::Bytes(Bytes::new()), compress: false }
    }

    /// Creates a 304 response for content of this media type that the handler does not produce,
    /// because the client has it.
    ///
    /// The handler sets the same headers as for the content. The media type is not sent, but
    /// decides whether the response varies by encoding.
    pub fn not_modified(content_type: &'static str) -> Self {
        Self { status: StatusCode::NOT_MODIFIED, ..Self::bytes(content_type, Bytes::new()) }
    }

    /// Creates a 303 response: the client continues with GET at `location`.
    ///
    /// # Errors
    /// `Internal` if `location` contains characters that a header cannot carry.
    pub fn see_other(location: &str) -> Result<Self> {
        Self::empty(StatusCode::SEE_OTHER).with_header(LOCATION, location)
    }

    /// Sets a header and replaces an existing value.
    ///
    /// # Errors
    /// `Internal` if `value` contains characters that a header cannot carry.
    pub fn with_header(mut self, name: HeaderName, value: &str) -> Result<Self> {
        let value =
            HeaderValue::from_str(value).map_err(|error| Error::internal(error.to_string()))?;
        self.headers.insert(name, value);
        Ok(self)
    }

    /// Appends a header and keeps existing values of the same name, as `Set-Cookie` needs.
    ///
    /// # Errors
    /// `Internal` if `value` contains characters that a header cannot carry.
    pub fn append_header(mut self, name: HeaderName, value: &str) -> Result<Self> {
        let value =
            HeaderValue::from_str(value).map_err(|error| Error::internal(error.to_string()))?;
        self.headers.append(name, value);
        Ok(self)
    }

    /// Sets a strong entity tag. `tag` is the tag without its quotes.
    ///
    /// # Errors
    /// `Internal` if `tag` contains characters that a header cannot carry.
    pub fn with_etag(self, tag: &str) -> Result<Self> {
        self.with_header(ETAG, &["\"", tag, "\""].concat())
    }

    /// Declares that the body is in the language of the current request, which depends on its headers
    /// and on the account of the caller.
    ///
    /// # Errors
    /// Never, because all language tags are valid in headers.
    pub fn with_language(self) -> Result<Self> {
        self.with_header(CONTENT_LANGUAGE, language::current().tag())?
            .append_header(VARY, ACCEPT_LANGUAGE.as_str())
    }

    /// Interval of keep-alive events on an idle event stream, so that proxies keep it open.
    pub const EVENT_STREAM_KEEPALIVE: Duration = Duration::from_secs(20);
}
