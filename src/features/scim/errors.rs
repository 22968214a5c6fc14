//! Errors in plain text, in English because programs and administrators of identity providers read them.

use hyper::StatusCode;
use hyper::header::HeaderValue;
use hyper::header::WWW_AUTHENTICATE;

use chartroom_platform::error::Error;
use chartroom_platform::error::FieldError;
use chartroom_platform::http::Request;
use chartroom_platform::http::Response;

/// Prefix of all paths with errors in plain text.
const PREFIX: &str = "/sso/scim/";

/// Names of fields of accounts, and the attributes of SCIM that clients know.
const ATTRIBUTES: [(&str, &str); 4] = [
    ("sso_id", "externalId"),
    ("name", "displayName"),
    ("given_name", "name.givenName"),
    ("family_name", "name.familyName"),
];

/// Returns an error of an account with the names of SCIM attributes. `address_attribute` is the attribute
/// that set the address. Other errors stay as they are.
pub fn rename_fields(error: Error, address_attribute: &str) -> Error {
    let rename = |field: FieldError| {
        let mut known = ATTRIBUTES.into_iter().chain([("email", address_attribute)]);
        let attribute = known.find(|(name, _)| *name == field.field);
        FieldError { field: attribute.map_or(field.field, |(_, name)| name.to_owned()), ..field }
    };
    match error {
        Error::InvalidFields(fields) => {
            Error::InvalidFields(fields.into_iter().map(rename).collect())
        }
        // Another account got the identifier at the same time.
        Error::FieldConflict(field) if field.field == "sso_id" => {
            Error::invalid_field("externalId", "is already in use")
        }
        Error::FieldConflict(field) => Error::FieldConflict(rename(field)),
        other => other,
    }
}

/// Returns the response for an error of a path below `/sso/scim/`: one line with the status, a space
/// and the reason. None for other paths.
pub fn error_response(error: &Error, request: &Request) -> Option<Response> {
    if !request.path.starts_with(PREFIX) {
        return None;
    }
    let reason = error.to_string().replace(|char: char| char.is_control(), " ");
    let text = format!("{} {reason}", error.status());
    let mut response = Response::bytes("text/plain; charset=utf-8", text);
    response.status = StatusCode::from_u16(error.status()).ok()?;
    if let Error::SignInRequired(_) = error {
        response.headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    }
    Some(response)
}
