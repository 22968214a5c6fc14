//! Errors of Graph.

use serde_json::json;

use crate::http::Response;

/// Id of all requests.
pub(super) const REQUEST_ID: &str = "00000000-0000-4000-8000-000000000000";

/// Returns an error.
pub(super) fn error(status: u16, code: &str, message: &str) -> Response {
    Response::json(
        status,
        &json!({"error": {
            "code": code,
            "message": message,
            "innerError": {
                "date": "2026-01-02T03:04:05",
                "request-id": REQUEST_ID,
                "client-request-id": REQUEST_ID,
            },
        }}),
    )
}

/// Returns the error for an item that does not exist.
pub(super) fn not_found() -> Response {
    error(404, "itemNotFound", "The resource could not be found.")
}

/// Returns the error for an item with another eTag than that of the request.
pub(super) fn modified() -> Response {
    error(412, "resourceModified", "ETag does not match current item's value")
}

/// Returns the error for a name that the folder has already.
pub(super) fn name_conflict() -> Response {
    error(409, "nameAlreadyExists", "The specified item name already exists.")
}

/// Returns the error for a request that makes no sense.
pub(super) fn invalid(message: &str) -> Response {
    error(400, "invalidRequest", message)
}
