//! The stand-in of Dropbox: the web host with the page for consent, the API host and the content host.
//!
//! Every route answers only at its own host, as at Dropbox.

mod content;
mod files;
mod format;
mod paths;

use std::io;
use std::sync::Arc;
use std::sync::Mutex;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
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

/// Id of the account. Those of Dropbox have 40 characters.
pub const ACCOUNT_ID: &str = "dbid:AAD0000000000000000000000000000_001";
/// Email address of the account.
pub const ADDRESS: &str = "ada@example.com";

/// Result of a route. An error is a complete response.
type RouteResult = Result<Response, Response>;

/// Tokens of Dropbox: those for access expire after 4 hours, those for refresh never.
const RULES: Rules = Rules {
    rotation: Rotation::Stays,
    code_lifetime: 600,
    access_lifetime: 14_400,
    requires_pkce: false,
    has_hash: false,
    offline_parameter: Some(("token_access_type", "offline")),
};

/// Starts the stand-in.
///
/// # Errors
/// If no port is free.
pub fn start() -> io::Result<StandIn> {
    let state =
        Arc::new(Mutex::new(State::new(RULES, |number| format!("id:AAAAAAAAAAAAAAAA{number:06}"))));
    let serve = |handler: fn(&mut State, &Request) -> Response| {
        let state = state.clone();
        Server::start(move |request| handler(&mut lock(&state), request))
    };
    let (web, api, content) = (serve(handle_web)?, serve(handle_api)?, serve(handle_content)?);
    let addresses = Addresses {
        auth_url: format!("{}/oauth2/authorize", web.url),
        token_url: format!("{}/oauth2/token", api.url),
        api_url: api.url,
        content_url: content.url,
        link_url: String::new(),
        download_url: String::new(),
    };
    Ok(StandIn { addresses, state })
}

/// Handles a request to the web host.
fn handle_web(state: &mut State, request: &Request) -> Response {
    state.note(request);
    match (request.method.as_str(), request.path.as_str()) {
        ("GET", "/oauth2/authorize") => state.oauth.authorize(request),
        _ => Response::text(404, "not found"),
    }
}

/// Handles a request to the API host.
fn handle_api(state: &mut State, request: &Request) -> Response {
    if request.path == "/oauth2/token" || request.path == "/1/oauth2/token" {
        state.note(request);
        return exchange_tokens(state, request);
    }
    respond(state, request, |state, request, route| {
        let argument = read_argument(request, route)?;
        match route {
            "check/app" | "check/user" => {
                Ok(Response::json(200, &json!({"result": argument["query"]})))
            }
            "auth/token/revoke" => {
                state.oauth.revoke(request.bearer().unwrap_or_default());
                Ok(Response::json(200, &Value::Null))
            }
            "users/get_current_account" => Ok(Response::json(200, &format::account())),
            "files/get_metadata" => files::get_metadata(state, &argument),
            "files/list_folder" => files::list_folder(state, &argument),
            "files/list_folder/continue" => files::continue_list(state, &argument),
            "files/create_folder_v2" => files::create_folder(state, &argument),
            "files/move_v2" => files::move_node(state, &argument),
            "files/delete_v2" => files::delete(state, &argument),
            "sharing/create_shared_link_with_settings" => files::create_link(state, &argument),
            _ => Err(bad_request(route, "Unknown API function")),
        }
    })
}

/// Handles a request to the content host.
fn handle_content(state: &mut State, request: &Request) -> Response {
    respond(state, request, |state, request, route| match route {
        "files/upload" => content::upload(state, request),
        "files/download" => content::download(state, request),
        "files/export" => content::export(state, request),
        "sharing/get_shared_link_file" => content::get_linked_file(state, request),
        _ => Err(bad_request(route, "Unknown API function")),
    })
}

/// Checks a request of the API and passes it with the name of its route to `handle`.
fn respond(
    state: &mut State,
    request: &Request,
    handle: fn(&mut State, &Request, &str) -> RouteResult,
) -> Response {
    if let Some(fault) = state.begin(request) {
        return fault;
    }
    let Some(route) = request.path.strip_prefix("/2/") else {
        return Response::text(404, "not found");
    };
    if request.method != "POST" {
        return bad_request(route, "Invalid HTTP method");
    }
    if let Err(response) = authenticate(state, request, route) {
        return response;
    }
    handle(state, request, route).unwrap_or_else(|response| response)
}

/// Checks the token with its scope, or the credentials of the client for routes that accept them.
///
/// # Errors
/// The response for a request without valid credentials.
fn authenticate(state: &State, request: &Request, route: &str) -> Result<(), Response> {
    let basic = request.header("authorization").and_then(|value| value.strip_prefix("Basic "));
    if let Some(basic) = basic {
        let oauth = &state.oauth;
        let wanted = STANDARD.encode(format!("{}:{}", oauth.client_id, oauth.client_secret));
        let has_app_routes = matches!(route, "check/app" | "sharing/get_shared_link_file");
        return match basic == wanted && has_app_routes {
            true => Ok(()),
            false => Err(bad_request(route, "Invalid authorization value in HTTP header")),
        };
    }
    let Some(token) = request.bearer() else {
        let text = "Must provide HTTP header \"Authorization\" or URL parameter \"authorization\".";
        return Err(bad_request(route, text));
    };
    let Some(grant) = state.oauth.find_access(token) else {
        let is_revoked = |token| {
            state.oauth.grants.iter().any(|grant| grant.access == token && grant.is_revoked)
        };
        let is_expired = state.oauth.is_expired(token) && !is_revoked(token);
        let tag = if is_expired { "expired_access_token" } else { "invalid_access_token" };
        return Err(format::error(401, &[tag]));
    };
    let scope = required_scope(route);
    if grant.scope.is_empty() || scope.is_empty() || grant.scope.split(' ').any(|own| own == scope)
    {
        return Ok(());
    }
    Err(Response::json(
        401,
        &json!({
            "error_summary": "missing_scope/...",
            "error": {".tag": "missing_scope", "required_scope": scope},
        }),
    ))
}

/// Returns the scope that a route needs. Empty if it needs none.
fn required_scope(route: &str) -> &'static str {
    match route {
        "users/get_current_account" => "account_info.read",
        "files/get_metadata" | "files/list_folder" | "files/list_folder/continue" => {
            "files.metadata.read"
        }
        "files/download" | "files/export" => "files.content.read",
        "sharing/get_shared_link_file" => "sharing.read",
        "sharing/create_shared_link_with_settings" => "sharing.write",
        "files/upload" | "files/create_folder_v2" | "files/move_v2" | "files/delete_v2" => {
            "files.content.write"
        }
        _ => "",
    }
}

/// Reads the argument of a route of the API host.
///
/// # Errors
/// The response for a wrong content type or a body that is not JSON.
fn read_argument(request: &Request, route: &str) -> Result<Value, Response> {
    match request.header("content-type") {
        None if request.body.is_empty() => Ok(Value::Null),
        Some("application/json" | "application/json; charset=utf-8") => {
            serde_json::from_slice(&request.body)
                .map_err(|_| bad_request(route, "request body: could not decode input as JSON"))
        }
        _ => Err(bad_request(route, "Bad HTTP \"Content-Type\" header")),
    }
}

/// Returns the response for a request that the route does not understand: a plain text.
fn bad_request(route: &str, text: &str) -> Response {
    Response::text(400, &format!("Error in call to API function \"{route}\": {text}"))
}

/// Handles the token endpoint. Dropbox adds the account to the response for a code.
fn exchange_tokens(state: &mut State, request: &Request) -> Response {
    let mut response = state.oauth.token(request);
    let is_code = request.form().iter().any(|(_, value)| value == "authorization_code");
    let body: Option<Value> = serde_json::from_slice(&response.body).ok();
    if let Some(mut body) = body.filter(|_| is_code && response.status == 200) {
        body["account_id"] = ACCOUNT_ID.into();
        body["uid"] = "12345".into();
        response.body = body.to_string().into_bytes();
    }
    response
}
