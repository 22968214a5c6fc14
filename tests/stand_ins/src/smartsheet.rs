//! Stand-in of Smartsheet: workspaces, folders, sheets and their attachments (API 2.0).
//!
//! The page for consent, the API and the contents of attachments have their own servers. Attachments are
//! not in the shared tree, because each version of a file is an attachment with its own id.

mod attachments;
mod folders;
mod model;
mod multipart;
mod responses;
mod sheets;

use std::io;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::PoisonError;

use serde_json::Value;
use serde_json::json;

use crate::Addresses;
use crate::StandIn;
use crate::State;
use crate::http::Request;
use crate::http::Response;
use crate::http::Server;
use crate::oauth::Rotation;
use crate::oauth::Rules;

pub use model::Attachment;
pub use model::Cell;
pub use model::Column;
pub use model::Folder;
pub use model::Row;
pub use model::Sheet;
pub use model::Sheets;
pub use model::Workspace;

use responses::error;
use responses::method_not_supported;
use responses::not_found;

/// Rules of the authorization server of Smartsheet. The lifetime of a code is not documented.
const RULES: Rules = Rules {
    rotation: Rotation::OneUse,
    code_lifetime: 600,
    access_lifetime: 604_799,
    requires_pkce: false,
    has_hash: true,
    offline_parameter: None,
};

/// Starts the stand-in with an example workspace, folder and sheet.
///
/// # Errors
/// If no port is free.
pub fn start() -> io::Result<StandIn> {
    start_with_sheets().map(|(stand_in, _)| stand_in)
}

/// Starts the stand-in with an example workspace, folder and sheet. Returns its sheets too.
///
/// # Errors
/// If no port is free.
pub fn start_with_sheets() -> io::Result<(StandIn, Arc<Mutex<Sheets>>)> {
    let state = Arc::new(Mutex::new(State::new(RULES, |number| number.to_string())));
    let sheets = Arc::new(Mutex::new(Sheets::with_example()));

    let shared = state.clone();
    let app = Server::start(move |request| show_consent(&mut crate::lock(&shared), request))?;

    let (shared, contents) = (state.clone(), sheets.clone());
    let downloads = Server::start(move |request| {
        let download = |sheets: &mut Sheets| attachments::download(sheets, request);
        crate::lock(&shared).note(request);
        with_sheets(&contents, download)
    })?;
    crate::lock(&state).download_url.clone_from(&downloads.url);

    let (shared, contents) = (state.clone(), sheets.clone());
    let api = Server::start(move |request| {
        let mut state = crate::lock(&shared);
        if let Some(response) = begin(&mut state, request) {
            return response;
        }
        let (page_size, download_url) = (state.page_size, state.download_url.clone());
        drop(state);
        with_sheets(&contents, |sheets| {
            sheets.download_url = download_url;
            respond(sheets, request, page_size)
        })
    })?;
    let addresses = Addresses {
        auth_url: format!("{}/b/authorize", app.url),
        token_url: format!("{}/2.0/token", api.url),
        api_url: api.url.clone(),
        content_url: api.url,
        link_url: String::new(),
        download_url: downloads.url,
    };
    Ok((StandIn { addresses, state }, sheets))
}

/// Calls a function with the sheets, also after a panic of another thread.
fn with_sheets<T>(sheets: &Mutex<Sheets>, function: impl FnOnce(&mut Sheets) -> T) -> T {
    function(&mut sheets.lock().unwrap_or_else(PoisonError::into_inner))
}

/// Handles the page for consent.
fn show_consent(state: &mut State, request: &Request) -> Response {
    state.note(request);
    match request.path.as_str() {
        "/b/authorize" => state.oauth.authorize(request),
        _ => Response::text(404, "not found"),
    }
}

/// Handles injected faults, the token endpoint and the token of other requests. Returns None for a request
/// with a valid token.
fn begin(state: &mut State, request: &Request) -> Option<Response> {
    if let Some(response) = state.begin(request) {
        return Some(response);
    }
    if request.path == "/2.0/token" && request.method == "POST" {
        return Some(issue_tokens(state, request));
    }
    let Some(token) = request.bearer() else {
        return Some(error(401, 1001, "An Access Token is required."));
    };
    let Some(grant) = state.oauth.find_access(token) else {
        return Some(match state.oauth.is_expired(token) {
            true => error(401, 1003, "Your Access Token has expired."),
            false => error(401, 1002, "Your Access Token is invalid."),
        });
    };
    if !has_scope(&grant.scope, request) {
        return Some(error(403, 1004, "You are not authorized to perform this action."));
    }
    if request.path == "/2.0/token" && request.method == "DELETE" {
        state.oauth.revoke(token);
        return Some(responses::success(Value::Null));
    }
    None
}

/// Handles the token endpoint. Its errors have the form of the API, and its responses have no scope.
fn issue_tokens(state: &mut State, request: &Request) -> Response {
    let mut response = state.oauth.token(request);
    let mut body: Value = serde_json::from_slice(&response.body).unwrap_or_default();
    match (response.status, body["error"].as_str()) {
        (200, _) => {
            if let Some(fields) = body.as_object_mut() {
                fields.remove("scope");
            }
            response.body = body.to_string().into_bytes();
            response
        }
        (400..500, Some("unsupported_grant_type")) => {
            error(400, 1009, "A required parameter is missing from your request: grant_type.")
        }
        // The same code for a wrong client, a wrong hash and an invalid code or refresh token.
        (400..500, _) => error(403, 1004, "You are not authorized to perform this action."),
        (503, _) => error(503, 4001, "Smartsheet.com is currently offline for maintenance."),
        (500, _) => error(500, 4004, "An unexpected error has occurred. Please retry."),
        _ => response,
    }
}

/// Returns whether a token with these scopes permits a request. No scopes permit all requests.
fn has_scope(scopes: &str, request: &Request) -> bool {
    let wanted = match (request.method.as_str(), request.segments().get(1).map(String::as_str)) {
        (_, Some("users" | "token")) => return true,
        ("GET", _) => "READ_SHEETS",
        (_, Some("sheets")) => "WRITE_SHEETS",
        (_, Some("folders")) => "CREATE_SHEETS",
        _ => "ADMIN_WORKSPACES",
    };
    scopes.is_empty() || scopes.split([' ', ',']).any(|scope| scope == wanted)
}

/// Handles a request of the API with a valid token.
fn respond(sheets: &mut Sheets, request: &Request, page_size: usize) -> Response {
    let segments = request.segments();
    let mut parts = segments.iter().map(String::as_str);
    if parts.next() != Some("2.0") {
        return error(404, 1007, "Version not supported.");
    }
    let parts: Vec<&str> = parts.collect();
    match parts.as_slice() {
        ["users", "me"] if request.method == "GET" => Response::json(200, &account(sheets)),
        ["users", "me"] => method_not_supported(),
        ["workspaces", rest @ ..] => folders::respond_workspace(sheets, request, rest, page_size),
        ["folders", rest @ ..] => folders::respond_folder(sheets, request, rest, page_size),
        ["sheets", sheet, "attachments", rest @ ..] => match sheets.find_sheet(sheet) {
            Some(sheet) => attachments::respond(sheets, request, (sheet.id, rest), page_size),
            None => not_found(),
        },
        ["sheets", rest @ ..] => sheets::respond(sheets, request, rest, page_size),
        _ => not_found(),
    }
}

/// Returns the account of the token.
fn account(sheets: &Sheets) -> Value {
    json!({
        "id": sheets.user_id,
        "email": sheets.user_email,
        "firstName": "Ann",
        "lastName": "Example",
        "locale": "en_US",
        "timeZone": "UTC",
        "account": {"id": sheets.user_id + 2, "name": "Example"},
        "admin": false,
        "licensedSheetCreator": true,
        "status": "ACTIVE",
    })
}
