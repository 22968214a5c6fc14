//! The request as a handler sees it: the route is known and the body is in memory.

use std::net::IpAddr;
use std::str::FromStr;
use std::sync::OnceLock;
use std::time::Instant;

use hyper::HeaderMap;
use hyper::Method;
use hyper::body::Bytes;
use hyper::header::HeaderName;
use serde::de::DeserializeOwned;

use super::caller_key::CallerKey;
use super::json_body;
use crate::error::Error;
use crate::error::Result;
use crate::language;
use crate::language::Language;

/// A user with the credentials of a request.
pub struct RequestUser {
    /// Account id.
    pub id: String,
    /// Full name.
    pub name: String,
}

/// An HTTP request.
pub struct Request {
    /// Id of the request, which the response returns in `X-Request-Id`.
    pub request_id: String,
    /// Method. HEAD is replaced by GET.
    pub method: Method,
    /// Path, still percent-encoded, without the query.
    pub path: String,
    /// Values of the placeholders in the route's path, percent-decoded.
    pub params: Vec<(&'static str, String)>,
    /// Query string, still percent-encoded, without the question mark.
    pub query: String,
    /// Headers.
    pub headers: HeaderMap,
    /// Whole body. Its size is within the limit of the route.
    pub body: Bytes,
    /// Address of the client. Behind a trusted proxy, the address that the proxy reports.
    pub client_ip: IpAddr,
    /// Sender, as far as it was known before the credentials were verified.
    pub caller: CallerKey,
    /// Time at which the headers arrived.
    pub received_at: Instant,
    /// Name of the session cookie of this server.
    pub session_cookie: &'static str,
    /// User, set when the credentials are verified. The page of an error shows it.
    pub user: OnceLock<RequestUser>,
    /// Language that the user has chosen, set when the credentials are verified.
    pub chosen_language: OnceLock<Language>,
    /// Value of the header `Set-Cookie` with another cookie for the session, set when the credentials are
    /// verified.
    pub new_cookie: OnceLock<String>,
}

impl Request {
    /// Returns the language of the response: the one that the user has chosen, otherwise the one that
    /// the client prefers.
    pub fn language(&self) -> Language {
        self.chosen_language.get().copied().unwrap_or_else(|| Language::negotiate(&self.headers))
    }

    /// Sets the language that the user has chosen, also for the current thread.
    pub fn choose_language(&self, language: Language) {
        language::set_current(*self.chosen_language.get_or_init(|| language));
    }

    /// Parses the percent-decoded value of the placeholder `name` of the route's path.
    ///
    /// # Errors
    /// - `NotFound("page")` if the value is not a valid `T`, because then no such object can exist.
    /// - `Internal` if the route's path has no such placeholder.
    pub fn param<T: FromStr>(&self, name: &'static str) -> Result<T> {
        let text = self.params.iter().find(|(key, _)| *key == name).map(|(_, value)| value);
        text.ok_or_else(|| Error::internal(format!("the route has no placeholder {name}")))?
            .parse()
            .map_err(|_| Error::NotFound("page"))
    }

    /// Returns the first value of a header. None if it is absent or contains other bytes than
    /// visible ASCII characters, spaces and tabs.
    pub fn header(&self, name: &HeaderName) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// Returns the first value of a query parameter, percent-decoded and with spaces for plus
    /// signs. None if the parameter is absent.
    pub fn query_value(&self, name: &str) -> Option<String> {
        let pairs: Vec<(String, String)> = serde_urlencoded::from_str(&self.query).ok()?;
        pairs.into_iter().find(|(key, _)| key == name).map(|(_, value)| value)
    }

    /// Parses the query string into a struct.
    ///
    /// # Errors
    /// `InvalidFields` with the name of the parameter that is missing, repeated or invalid.
    pub fn parse_query<T: DeserializeOwned>(&self) -> Result<T> {
        let pairs = serde_urlencoded::Deserializer::new(parse_form_pairs(&self.query));
        serde_path_to_error::deserialize(pairs).map_err(|error| {
            let (path, text) = (error.path().to_string(), error.inner().to_string());
            // For missing and repeated parameters, only the message contains the name.
            match text.split('`').nth(1) {
                Some(name) if path == "." => Error::invalid_field(name.to_owned(), text),
                _ => Error::invalid_field(path, text),
            }
        })
    }

    /// Parses the body as JSON. An absent body counts as `{}`.
    ///
    /// # Errors
    /// - `UnsupportedMediaType` if the content type is not JSON or the body is compressed.
    /// - `InvalidFields` with the path of the first mistake.
    pub fn parse_json<T: DeserializeOwned>(&self) -> Result<T> {
        json_body::require_json_type(&self.headers, &self.body)?;
        json_body::parse_json(&self.body)
    }
}

/// Returns the decoded names and values of a query string. Never fails: invalid UTF-8 is replaced.
fn parse_form_pairs(query: &str) -> form_urlencoded::Parse<'_> {
    form_urlencoded::parse(query.as_bytes())
}
