//! The stand-in of Google Drive: versions 3 and 2 of the API, and the authorization server.
//!
//! The API host also accepts uploads, as the one of Google does. The content host accepts only uploads.
//!
//! How the nodes of the tree are used:
//! - A native spreadsheet has the media type [`SPREADSHEET`]. Its content is that of its export.
//! - A shortcut has the media type [`SHORTCUT`]. Its content is the id of its target.
//! - If the `link` of a node has the parameter `resourcekey`, requests without this key do not see the node.

mod editors;
mod errors;
mod files;
mod legacy;
mod nodes;
mod query;
mod selection;
mod upload;

use std::io;
use std::sync::Arc;
use std::sync::Mutex;

use serde_json::Value;
use serde_json::json;

use crate::Addresses;
use crate::StandIn;
use crate::State;
use crate::http::Request;
use crate::http::Response;
use crate::http::Server;
use crate::lock;
use crate::oauth::Rotation;
use crate::oauth::Rules;

/// Media type of folders.
pub const FOLDER: &str = "application/vnd.google-apps.folder";
/// Media type of native spreadsheets.
pub const SPREADSHEET: &str = "application/vnd.google-apps.spreadsheet";
/// Media type of shortcuts.
pub const SHORTCUT: &str = "application/vnd.google-apps.shortcut";
/// Media type of the export of a native spreadsheet.
pub const XLSX: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
/// Id of the root folder, which also has the id `root`.
pub const ROOT_ID: &str = "0AStandInRootFolderPVA";
/// Id of the account.
pub const PERMISSION_ID: &str = "10769150350006150715113082367";
/// Email address of the account.
pub const ADDRESS: &str = "ada@example.com";
/// Maximum size of an export in bytes.
pub const MAX_EXPORT_BYTES: usize = 10_000_000;

/// Result of a route. An error is a complete response.
type RouteResult = Result<Response, Response>;

/// Tokens of Google: those for access expire after an hour, those for refresh stay valid.
const RULES: Rules = Rules {
    rotation: Rotation::Stays,
    code_lifetime: 600,
    access_lifetime: 3_599,
    requires_pkce: false,
    has_hash: false,
    offline_parameter: Some(("access_type", "offline")),
};

/// Starts the stand-in.
///
/// # Errors
/// If no port is free.
pub fn start() -> io::Result<StandIn> {
    let make_id = |number| format!("1StandIn-File_{number:019}");
    let state = Arc::new(Mutex::new(State::new(RULES, make_id)));
    let serve = |handler: fn(&mut State, &Request) -> Response| {
        let state = state.clone();
        Server::start(move |request| handler(&mut lock(&state), request))
    };
    let (accounts, tokens) = (serve(handle_accounts)?, serve(handle_tokens)?);
    let (api, content) = (serve(handle_api)?, serve(handle_content)?);
    let (editors, downloads) = (serve(editors::export)?, serve(editors::download)?);
    lock(&state).download_url.clone_from(&downloads.url);
    let addresses = Addresses {
        auth_url: format!("{}/o/oauth2/v2/auth", accounts.url),
        token_url: format!("{}/token", tokens.url),
        api_url: api.url,
        content_url: content.url,
        link_url: editors.url,
        download_url: downloads.url,
    };
    Ok(StandIn { addresses, state })
}

/// Handles a request to the host with the page for consent.
fn handle_accounts(state: &mut State, request: &Request) -> Response {
    state.note(request);
    match (request.method.as_str(), request.path.as_str()) {
        ("GET", "/o/oauth2/v2/auth") => state.oauth.authorize(request),
        _ => Response::text(404, "not found"),
    }
}

/// Handles a request to the host with the token endpoint.
fn handle_tokens(state: &mut State, request: &Request) -> Response {
    state.note(request);
    match (request.method.as_str(), request.path.as_str()) {
        ("POST", "/token") => state.oauth.token(request),
        ("POST", "/revoke") => revoke(state, request),
        _ => Response::text(404, "not found"),
    }
}

/// Revokes the access token or refresh token of a form, and the other one of the pair.
fn revoke(state: &mut State, request: &Request) -> Response {
    let form = request.form();
    let token = form.iter().find(|(name, _)| name == "token").map(|(_, value)| value.as_str());
    let is_valid = token.is_some_and(|token| {
        state.oauth.grants.iter().any(|grant| {
            !grant.is_revoked && (grant.access == token || grant.refresh.as_deref() == Some(token))
        })
    });
    match token.filter(|_| is_valid) {
        Some(token) => {
            state.oauth.revoke(token);
            Response::json(200, &json!({}))
        }
        None => Response::json(400, &json!({"error": "invalid_token"})),
    }
}

/// Handles a request to the API host.
fn handle_api(state: &mut State, request: &Request) -> Response {
    respond(state, request, true)
}

/// Handles a request to the content host.
fn handle_content(state: &mut State, request: &Request) -> Response {
    respond(state, request, false)
}

/// Handles a request with a token. Only the API host has the routes other than those of uploads.
fn respond(state: &mut State, request: &Request, is_api: bool) -> Response {
    if let Some(fault) = state.begin(request) {
        return fault;
    }
    let result = check_token(state, request).and_then(|()| {
        let segments = request.segments();
        let segments: Vec<&str> = segments.iter().map(String::as_str).collect();
        match segments.split_first() {
            Some((&"upload", rest)) => upload::route(state, request, rest),
            _ if is_api => route(state, request, &segments),
            _ => Err(errors::no_route()),
        }
    });
    result.unwrap_or_else(|error| error)
}

/// Calls the route of a path.
///
/// # Errors
/// The response of the error.
fn route(state: &mut State, request: &Request, segments: &[&str]) -> RouteResult {
    match (request.method.as_str(), segments) {
        ("GET", ["drive", "v3", "about"]) => about(request),
        ("GET", ["drive", "v3", "files"]) => files::list(state, request),
        ("POST", ["drive", "v3", "files"]) => files::create(state, request),
        ("GET", ["drive", "v3", "files", id]) => files::get(state, request, id),
        ("GET", ["drive", "v3", "files", id, "export"]) => files::export(state, request, id),
        ("PATCH", ["drive", "v3", "files", id]) => files::update(state, request, id),
        ("DELETE", ["drive", "v3", "files", id]) => files::delete(state, request, id),
        ("GET", ["drive", "v2", "files", id]) => legacy::get(state, request, id),
        _ => Err(errors::no_route()),
    }
}

/// Checks the token, and whether its scopes permit the request. A token without scopes permits all.
///
/// # Errors
/// 401 without a valid token, 403 without a scope.
fn check_token(state: &State, request: &Request) -> Result<(), Response> {
    let token = request.bearer().unwrap_or_default();
    let Some(grant) = state.oauth.find_access(token) else {
        return Err(errors::invalid_credentials());
    };
    let is_change = request.method != "GET";
    let permits = |scope: &str| match scope.rsplit('/').next() {
        Some("drive" | "drive.file") => true,
        Some("drive.readonly" | "drive.metadata.readonly") => !is_change,
        _ => false,
    };
    match grant.scope.is_empty() || grant.scope.split_whitespace().any(permits) {
        true => Ok(()),
        false => Err(errors::missing_scope()),
    }
}

/// Returns the account.
///
/// # Errors
/// 400 without `fields`, which have no default here.
fn about(request: &Request) -> RouteResult {
    let Some(fields) = request.parameter("fields") else {
        return Err(errors::invalid("required", "fields", "The 'fields' parameter is required"));
    };
    let about = json!({
        "kind": "drive#about",
        "user": {
            "kind": "drive#user",
            "displayName": "Ada Example",
            "me": true,
            "permissionId": PERMISSION_ID,
            "emailAddress": ADDRESS,
        },
        "exportFormats": { SPREADSHEET: [XLSX] },
        "importFormats": { XLSX: [SPREADSHEET] },
    });
    respond_selected(&about, fields)
}

/// Returns a response with the selected fields of a resource.
///
/// # Errors
/// 400 for an invalid selection.
fn respond_selected(resource: &Value, fields: &str) -> RouteResult {
    Ok(Response::json(200, &selection::select(resource, fields)?))
}
