//! Errors as answers: `application/problem+json` (RFC 9457).

use hyper::HeaderMap;
use hyper::StatusCode;
use hyper::header::HeaderName;
use hyper::header::HeaderValue;
use hyper::header::{ALLOW, CONTENT_TYPE, RETRY_AFTER, VARY, WWW_AUTHENTICATE};
use serde_json::Value;
use serde_json::json;

use super::request::Request;
use super::response::Response;
use crate::error::Error;

/// The media type of problems.
pub const PROBLEM_JSON: &str = "application/problem+json";

/// Turns an error into a page for a browser that asked for one. `None` leaves it a problem document.
pub type ErrorPage = fn(&Error, &Request) -> Option<Response>;

/// The answer for an error. An internal one is logged here, in full, and its text goes no further.
pub fn response(error: &Error, request: &HeaderMap, request_id: &str) -> Response {
    if let Error::Internal(cause) = error {
        tracing::error!(request_id, cause = %chain(cause.as_ref()), "internal error");
    }
    let body = document(error, request_id).to_string();
    let mut response = Response::json_text(body);
    response.status =
        StatusCode::from_u16(error.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    response.headers.insert(CONTENT_TYPE, HeaderValue::from_static(PROBLEM_JSON));
    match error {
        Error::SignIn(_) => {
            let challenge = challenge(request);
            response.headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static(challenge));
        }
        Error::Method(allow) => {
            if let Ok(allow) = HeaderValue::from_str(allow) {
                response.headers.insert(ALLOW, allow);
            }
        }
        Error::TooMany(seconds) => {
            response.headers.insert(RETRY_AFTER, HeaderValue::from(*seconds));
        }
        Error::Busy => {
            response.headers.insert(RETRY_AFTER, HeaderValue::from(1));
        }
        _ => {}
    }
    response
}

/// A page in place of the problem document, with the headers that belong to the error.
pub fn as_page(
    mut page: Response,
    error: &Error,
    request: &HeaderMap,
    request_id: &str,
) -> Response {
    let problem = response(error, request, request_id);
    for name in [ALLOW, RETRY_AFTER] {
        if let Some(value) = problem.headers.get(&name) {
            page.headers.insert(name, value.clone());
        }
    }
    page.headers.insert(VARY, HeaderValue::from_static("Accept"));
    page
}

/// The problem document. `type` is a page of the built-in documentation.
fn document(error: &Error, request_id: &str) -> Value {
    let mut problem = json!({
        "type": format!("/help/errors/{}", error.code()),
        "title": error.title(),
        "status": error.status(),
        "detail": error.to_string(),
        "code": error.code(),
        "request_id": request_id,
    });
    match error {
        Error::Fields(fields) => {
            let list: Vec<Value> = fields
                .iter()
                .map(|it| json!({ "field": it.field, "message": it.message }))
                .collect();
            problem["errors"] = list.into();
        }
        Error::Stale(stale) => {
            problem["etag"] = stale.etag.as_str().into();
            problem["updated"] = stale.updated.as_str().into();
            problem["updated_by"] = stale.updated_by.as_str().into();
            if let Some(name) = &stale.updated_by_name {
                problem["updated_by_name"] = name.as_str().into();
            }
        }
        _ => {}
    }
    problem
}

/// Scripts of a page get no `Basic` challenge: the browser would ask for a password in a window of
/// its own instead of leaving the answer to the page.
fn challenge(request: &HeaderMap) -> &'static str {
    const MODE: HeaderName = HeaderName::from_static("sec-fetch-mode");
    match request.get(MODE).map(HeaderValue::as_bytes) {
        Some(mode) if mode != b"navigate" => "Bearer",
        _ => "Bearer, Basic realm=\"Chartroom\"",
    }
}

/// An error with its causes.
fn chain(error: &(dyn std::error::Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        text.push_str(": ");
        text.push_str(&cause.to_string());
        next = cause.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Stale;

    #[test]
    fn an_internal_error_tells_nothing_of_its_cause() {
        let text = document(&Error::internal("secret table"), "r1").to_string();
        assert!(!text.contains("secret"), "{text}");
        assert!(text.contains("\"code\":\"internal\""), "{text}");
    }

    #[test]
    fn fields_and_stale_states_are_spelled_out() {
        let problem = document(&Error::field("data[3].value", "is not a number"), "r1");
        assert_eq!(
            problem["errors"],
            json!([{ "field": "data[3].value", "message": "is not a number" }])
        );
        assert_eq!(problem["type"], "/help/errors/invalid_field");
        let stale = Stale {
            etag: "\"a\"".to_owned(),
            updated: "2026-01-01T00:00:00.000Z".to_owned(),
            updated_by: "7".to_owned(),
            updated_by_name: Some("Ann".to_owned()),
        };
        let problem = document(&Error::Stale(Box::new(stale)), "r1");
        assert_eq!(problem["etag"], "\"a\"");
        assert_eq!(problem["updated_by"], "7");
        assert_eq!(problem["updated_by_name"], "Ann");
    }
}
