//! Error responses: `application/problem+json` (RFC 9457).

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
use crate::error::FieldError;
use crate::error::SecondFactorError;
use crate::messages;

/// The media type of problem documents.
pub const PROBLEM_JSON: &str = "application/problem+json";

/// Renders an error as a page if the client is a browser that requested a page.
///
/// If it returns None, the response is a problem document.
pub type ErrorPage = fn(&Error, &Request) -> Option<Response>;

/// Returns the problem document for an error with its status and its header: `WWW-Authenticate`,
/// `Allow` or `Retry-After`.
///
/// Logs an internal error with all causes, and a failed file operation. The response does not
/// contain the causes.
pub fn build_problem_response(error: &Error, request: &HeaderMap, request_id: &str) -> Response {
    if let Error::Internal(cause) = error {
        tracing::error!(request_id, cause = %format_causes(cause.as_ref()), "internal error");
    }
    if let Error::StorageFailed(cause) = error {
        tracing::error!(request_id, cause, "a file operation failed");
    }
    let body = build_problem_document(error, request_id).to_string();
    let mut response = Response::json_text(body);
    response.status =
        StatusCode::from_u16(error.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    response.headers.insert(CONTENT_TYPE, HeaderValue::from_static(PROBLEM_JSON));
    match error {
        Error::SignInRequired(_)
        | Error::SecondFactor(SecondFactorError::CodeRequired | SecondFactorError::WrongCode) => {
            let challenge = choose_challenge(request);
            response.headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static(challenge));
        }
        Error::MethodNotAllowed(allow) => {
            if let Ok(allow) = HeaderValue::from_str(allow) {
                response.headers.insert(ALLOW, allow);
            }
        }
        Error::TooManyRequests(seconds) => {
            response.headers.insert(RETRY_AFTER, HeaderValue::from(*seconds));
        }
        Error::Cloud(cloud) => {
            if let Some(seconds) = cloud.retry_after {
                response.headers.insert(RETRY_AFTER, HeaderValue::from(seconds));
            }
        }
        Error::Busy => {
            response.headers.insert(RETRY_AFTER, HeaderValue::from(1));
        }
        _ => {}
    }
    response
}

/// Sets `Vary` and the headers `Allow` and `Retry-After` of `error` on a rendered error page. Does not
/// change its status and sets no `WWW-Authenticate`. Also logs the errors that `build_problem_response`
/// logs.
pub fn complete_error_page(
    mut page: Response,
    error: &Error,
    request: &HeaderMap,
    request_id: &str,
) -> Response {
    let problem = build_problem_response(error, request, request_id);
    for name in [ALLOW, RETRY_AFTER] {
        if let Some(value) = problem.headers.get(&name) {
            page.headers.insert(name, value.clone());
        }
    }
    page.headers.insert(VARY, HeaderValue::from_static("Accept"));
    page.headers.append(VARY, HeaderValue::from_static("accept-language"));
    page
}

/// Returns the member `errors` of a problem document.
fn list_fields(fields: &[FieldError]) -> Value {
    fields
        .iter()
        .map(
            |field| json!({ "field": field.field, "message": messages::translate(&field.message) }),
        )
        .collect()
}

/// Returns the problem document as JSON. Its `type` is the path of a page of the built-in
/// documentation. Invalid and conflicting fields, a required confirmation, the revision of a file at a
/// provider and the current version of a 412 become
/// additional members.
fn build_problem_document(error: &Error, request_id: &str) -> Value {
    let mut problem = json!({
        "type": format!("/help/errors/{}", error.code()),
        "title": messages::translate(error.title()),
        "status": error.status(),
        "detail": messages::describe(error),
        "code": error.code(),
        "request_id": request_id,
    });
    match error {
        Error::InvalidFields(fields) => problem["errors"] = list_fields(fields),
        Error::FieldConflict(field) => {
            problem["errors"] = list_fields(std::slice::from_ref(field));
        }
        Error::ConfirmationRequired(required) => {
            for (name, value) in &required.members {
                problem[name] = value.clone();
            }
        }
        Error::Cloud(cloud) => {
            if let Some(revision) = &cloud.revision {
                problem["revision"] = revision.as_str().into();
            }
        }
        Error::PreconditionFailed(current) => {
            problem["etag"] = current.etag.as_str().into();
            problem["updated"] = current.updated.as_str().into();
            problem["updated_by"] = current.updated_by.as_str().into();
            if let Some(name) = &current.updated_by_name {
                problem["updated_by_name"] = name.as_str().into();
            }
        }
        _ => {}
    }
    problem
}

/// Returns the value of `WWW-Authenticate` for the request headers `request`.
///
/// Scripts of a page get no `Basic` challenge, because the browser would open its own password
/// dialog instead of passing the response to the page. Clients without `Sec-Fetch-Mode` get both
/// challenges.
fn choose_challenge(request: &HeaderMap) -> &'static str {
    const SEC_FETCH_MODE: HeaderName = HeaderName::from_static("sec-fetch-mode");
    match request.get(SEC_FETCH_MODE).map(HeaderValue::as_bytes) {
        Some(mode) if mode != b"navigate" => "Bearer",
        _ => "Bearer, Basic realm=\"Chartroom\"",
    }
}

/// Returns the text of an error followed by the texts of its causes, separated by `: `.
fn format_causes(error: &(dyn std::error::Error + 'static)) -> String {
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
    use crate::error::CurrentVersion;

    #[test]
    fn an_internal_error_does_not_reveal_its_cause() {
        let text = build_problem_document(&Error::internal("secret table"), "r1").to_string();
        assert!(!text.contains("secret"), "{text}");
        assert!(text.contains("\"code\":\"internal\""), "{text}");
    }

    #[test]
    fn invalid_fields_and_the_current_version_are_members_of_the_document() {
        let problem =
            build_problem_document(&Error::invalid_field("data[3].value", "is not a number"), "r1");
        assert_eq!(
            problem["errors"],
            json!([{ "field": "data[3].value", "message": "is not a number" }])
        );
        assert_eq!(problem["type"], "/help/errors/invalid_field");
        let current = CurrentVersion {
            etag: "\"a\"".to_owned(),
            updated: "2026-01-01T00:00:00.000Z".to_owned(),
            updated_by: "7".to_owned(),
            updated_by_name: Some("Ann".to_owned()),
        };
        let problem = build_problem_document(&Error::PreconditionFailed(Box::new(current)), "r1");
        assert_eq!(problem["etag"], "\"a\"");
        assert_eq!(problem["updated_by"], "7");
        assert_eq!(problem["updated_by_name"], "Ann");
    }
}
