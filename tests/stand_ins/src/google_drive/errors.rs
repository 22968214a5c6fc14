//! Errors in the format of the API of Google Drive.

use serde_json::Value;
use serde_json::json;

use crate::http::Response;

/// Returns an error with one cause. `location` is the type and the name of the faulty part.
fn error(
    status: u16,
    reason: &str,
    message: &str,
    (location_type, location): (&str, &str),
) -> Response {
    let mut cause = json!({"domain": "global", "reason": reason, "message": message});
    if !location.is_empty() {
        cause["locationType"] = location_type.into();
        cause["location"] = location.into();
    }
    let body = json!({"error": {"errors": [cause], "code": status, "message": message}});
    Response { body: body.to_string().into_bytes(), ..Response::empty(status) }
        .with("Content-Type", "application/json; charset=UTF-8")
}

/// Returns the error for a token that is unknown, revoked or expired.
pub(super) fn invalid_credentials() -> Response {
    error(401, "authError", "Invalid Credentials", ("header", "Authorization"))
        .with("WWW-Authenticate", "Bearer realm=\"accounts\", error=invalid_token")
}

/// Returns the error for a token without the necessary scope.
pub(super) fn missing_scope() -> Response {
    let mut response = error(403, "insufficientPermissions", "Insufficient Permission", ("", ""));
    let mut body: Value = serde_json::from_slice(&response.body).unwrap_or_default();
    body["error"]["status"] = "PERMISSION_DENIED".into();
    body["error"]["details"] = json!([{
        "@type": "type.googleapis.com/google.rpc.ErrorInfo",
        "reason": "ACCESS_TOKEN_SCOPE_INSUFFICIENT",
    }]);
    response.body = body.to_string().into_bytes();
    response
}

/// Returns the error for a file that does not exist or is not visible.
pub(super) fn not_found(id: &str) -> Response {
    error(404, "notFound", &format!("File not found: {id}."), ("parameter", "fileId"))
}

/// Returns the error for a path that does not exist.
pub(super) fn no_route() -> Response {
    Response::text(404, "Not Found")
}

/// Returns the error for a parameter.
pub(super) fn invalid(reason: &str, parameter: &str, message: &str) -> Response {
    error(400, reason, message, ("parameter", parameter))
}

/// Returns the error for a body that is not understood.
pub(super) fn bad_request(message: &str) -> Response {
    error(400, "badRequest", message, ("", ""))
}

/// Returns the error for a resource that may not be used in this way.
pub(super) fn forbidden(reason: &str, message: &str) -> Response {
    error(403, reason, message, ("", ""))
}

/// Returns the error for a file that has changed.
pub(super) fn precondition_failed() -> Response {
    error(412, "conditionNotMet", "Precondition Failed", ("header", "If-Match"))
}
