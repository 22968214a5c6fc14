//! One request as a handler sees it: matched, bounded, its body read.

use std::net::IpAddr;
use std::str::FromStr;

use hyper::HeaderMap;
use hyper::Method;
use hyper::body::Bytes;
use hyper::header::HeaderName;
use serde::de::DeserializeOwned;

use crate::error::Error;
use crate::error::Result;

/// One request.
pub struct Request {
    /// Also sent back as `X-Request-Id`.
    pub request_id: String,
    /// The method; HEAD arrives as GET.
    pub method: Method,
    /// The path as it was sent, still percent-encoded, without the query.
    pub path: String,
    /// Values of the placeholders in the route's path, percent-decoded.
    pub params: Vec<(&'static str, String)>,
    /// The query string as it was sent, without the question mark.
    pub query: String,
    /// The headers.
    pub headers: HeaderMap,
    /// The whole body, at most as long as the route allows.
    pub body: Bytes,
    /// Who is at the other end (behind a trusted proxy: whom it names).
    pub peer: IpAddr,
}

impl Request {
    /// The value of a placeholder of the route's path.
    ///
    /// # Errors
    /// `NotFound` when it is not a `T`: no such thing can exist.
    pub fn param<T: FromStr>(&self, name: &'static str) -> Result<T> {
        let text = self.params.iter().find(|(key, _)| *key == name).map(|(_, value)| value);
        text.ok_or_else(|| Error::internal(format!("the route has no placeholder {name}")))?
            .parse()
            .map_err(|_| Error::NotFound("page"))
    }

    /// A header as text, if it is there and is text.
    pub fn header(&self, name: &HeaderName) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// The first value of a query parameter, percent-decoded.
    pub fn query_value(&self, name: &str) -> Option<String> {
        let pairs: Vec<(String, String)> = serde_urlencoded::from_str(&self.query).ok()?;
        pairs.into_iter().find(|(key, _)| key == name).map(|(_, value)| value)
    }

    /// The query string as a struct.
    ///
    /// # Errors
    /// `Fields` with the parameter's name.
    pub fn query<T: DeserializeOwned>(&self) -> Result<T> {
        let pairs = serde_urlencoded::Deserializer::new(form_pairs(&self.query));
        serde_path_to_error::deserialize(pairs).map_err(|error| {
            let (path, text) = (error.path().to_string(), error.inner().to_string());
            // What is missing or comes twice is named by the text only.
            match text.split('`').nth(1) {
                Some(name) if path == "." => Error::field(name.to_owned(), text),
                _ => Error::field(path, text),
            }
        })
    }

    /// The body as JSON of this shape.
    ///
    /// # Errors
    /// `MediaType` when it says it is something else, `Fields` with the path of what is wrong.
    pub fn json<T: DeserializeOwned>(&self) -> Result<T> {
        super::endpoint::json(self)
    }
}

fn form_pairs(query: &str) -> form_urlencoded::Parse<'_> {
    form_urlencoded::parse(query.as_bytes())
}
