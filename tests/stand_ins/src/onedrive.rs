//! Stand-in for OneDrive: Microsoft Graph v1.0 with the drive of a work account.
//!
//! It has three hosts, as Microsoft has: the authorization server, Graph, and the host with the contents of
//! files. The tree has two drives. Nodes below `root` belong to the drive of the account, and nodes below
//! [`SHARED_ROOT`] to a drive of somebody else. A node with the media type [`SHORTCUT`] is a shortcut to
//! the node that its link names by id, and a node with the media type [`NOTEBOOK`] is a package.

mod context;
mod error;
mod item;
mod items;
mod upload_session;

use std::io;
use std::sync::Arc;
use std::sync::Mutex;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
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
pub use context::Behavior;
use context::Context;
pub use context::DRIVE;
pub use context::NOTEBOOK;
pub use context::SHARED_DRIVE;
pub use context::SHARED_ROOT;
pub use context::SHORTCUT;
pub use context::SharedBehavior;
use error::error;
use error::not_found;

/// Starts the stand-in.
///
/// # Errors
/// If no port is free.
pub fn start() -> io::Result<StandIn> {
    start_with(SharedBehavior::default())
}

/// Starts the stand-in with a behavior that the caller can change.
///
/// # Errors
/// If no port is free.
pub fn start_with(behavior: SharedBehavior) -> io::Result<StandIn> {
    let rules = Rules {
        rotation: Rotation::NewAndOld,
        code_lifetime: 600,
        access_lifetime: 3_600,
        requires_pkce: false,
        has_hash: false,
        offline_parameter: None,
    };
    let state = Arc::new(Mutex::new(State::new(rules, item::make_id)));
    let context = Context { state: state.clone(), behavior, uploads: Arc::default() };
    let shared = context.clone();
    let downloads = Server::start(move |request| download(&shared, request))?;
    lock(&state).download_url.clone_from(&downloads.url);
    let shared = state.clone();
    let login = Server::start(move |request| log_in(&shared, request))?;
    let api = Server::start(move |request| respond(&context, request))?;
    let addresses = Addresses {
        auth_url: format!("{}/common/oauth2/v2.0/authorize", login.url),
        token_url: format!("{}/common/oauth2/v2.0/token", login.url),
        api_url: api.url.clone(),
        content_url: api.url,
        link_url: String::new(),
        download_url: downloads.url,
    };
    Ok(StandIn { addresses, state })
}

/// Handles a request to the authorization server.
fn log_in(state: &Mutex<State>, request: &Request) -> Response {
    let mut state = lock(state);
    state.note(request);
    match (request.method.as_str(), request.path.as_str()) {
        ("GET", "/common/oauth2/v2.0/authorize") => state.oauth.authorize(request),
        ("POST", "/common/oauth2/v2.0/token") => {
            let response = state.oauth.token(request);
            if response.status < 400 { response } else { describe_failure(response) }
        }
        ("GET", "/common/v2.0/.well-known/openid-configuration") => {
            let host = request.header("host").unwrap_or_default();
            Response::json(
                200,
                &json!({
                    "issuer": format!("https://{host}/common/v2.0"),
                    "authorization_endpoint": format!("https://{host}/common/oauth2/v2.0/authorize"),
                    "token_endpoint": format!("https://{host}/common/oauth2/v2.0/token"),
                }),
            )
        }
        _ => Response::empty(404),
    }
}

/// Adds the numbers of Microsoft to an error of the token endpoint.
fn describe_failure(response: Response) -> Response {
    let Ok(mut body) = serde_json::from_slice::<Value>(&response.body) else { return response };
    let number = match body["error"].as_str() {
        Some("invalid_grant") => 70_000,
        Some("invalid_client") => 7_000_215,
        _ => 90_014,
    };
    body["error_description"] = format!("AADSTS{number}: The request was refused.").into();
    body["error_codes"] = json!([number]);
    body["trace_id"] = error::REQUEST_ID.into();
    body["correlation_id"] = error::REQUEST_ID.into();
    Response::json(response.status, &body)
}

/// Handles a request to the host with the contents, which has its own credentials in the URL.
fn download(context: &Context, request: &Request) -> Response {
    let mut state = lock(&context.state);
    state.note(request);
    // A token to an upload URL is discouraged, but not refused.
    if let Some(response) = upload_session::receive(context, &mut state, request) {
        return response;
    }
    if state.refuses_token(request) {
        return Response::text(400, "a token was sent to the download host");
    }
    let expires = request.parameter("tempauth").and_then(|text| text.parse().ok());
    if expires.is_none_or(|expires: u64| expires <= state.oauth.clock) {
        return Response::text(401, "the download URL has expired");
    }
    let id = request.parameter("UniqueId").unwrap_or_default().to_owned();
    let Some(content) = state.tree.find(&id).and_then(|node| node.content.clone()) else {
        return Response::text(404, "not found");
    };
    let mut behavior = context.behavior();
    if let Some(next) = behavior.next_content.take() {
        state.tree.set_content(&id, &next);
    }
    let is_truncated = behavior.truncated_downloads > 0;
    behavior.truncated_downloads = behavior.truncated_downloads.saturating_sub(1);
    Response { is_truncated, ..Response::file(content) }
}

/// Handles a request to Graph.
fn respond(context: &Context, request: &Request) -> Response {
    let mut state = lock(&context.state);
    if let Some(fault) = state.begin(request) {
        return fault;
    }
    let scope = match find_scope(&state, request) {
        Ok(scope) => scope,
        Err(response) => return response,
    };
    let path = request.segments().join("/");
    let Some(path) = path.strip_prefix("v1.0/") else {
        return error(400, "BadRequest", "Invalid version.");
    };
    if path == "me" {
        return match scope.is_empty() || scope.contains("User.Read") {
            true => me(),
            false => error(403, "Authorization_RequestDenied", "Insufficient privileges."),
        };
    }
    if !scope.is_empty() && !scope.contains("Files.") {
        return error(403, "accessDenied", "Access denied");
    }
    if let Some(rest) = path.strip_prefix("shares/") {
        return respond_share(&state, request, rest);
    }
    let (drive, rest) = if let Some(rest) = path.strip_prefix("drives/") {
        rest.split_once('/').unwrap_or((rest, ""))
    } else if let Some(rest) = path.strip_prefix("me/drive") {
        (DRIVE, rest.trim_start_matches('/'))
    } else {
        return error(400, "BadRequest", "Resource not found for the segment.");
    };
    if drive != DRIVE && drive != SHARED_DRIVE {
        return not_found();
    }
    if rest.is_empty() {
        return match request.method.as_str() {
            "GET" => Response::json(200, &item::drive(drive)),
            _ => error(405, "notAllowed", "The method is not allowed."),
        };
    }
    items::respond(context, &mut state, request, (drive, rest))
}

/// Returns the scope of the bearer token.
///
/// # Errors
/// The response to a request without a valid token.
fn find_scope(state: &State, request: &Request) -> Result<String, Response> {
    let token = request.bearer().unwrap_or_default();
    if let Some(grant) = state.oauth.find_access(token) {
        return Ok(grant.scope.clone());
    }
    let message = match token {
        "" => "Access token is empty.",
        _ if state.oauth.is_expired(token) => "Lifetime validation failed, the token is expired.",
        _ => "Access token validation failure.",
    };
    let response = error(401, "InvalidAuthenticationToken", message);
    Err(response.with("WWW-Authenticate", "Bearer realm=\"\""))
}

/// Returns the account. It has no mailbox, so that its `mail` is null.
fn me() -> Response {
    Response::json(
        200,
        &json!({
            "@odata.context": "https://graph.microsoft.com/v1.0/$metadata#users/$entity",
            "businessPhones": [],
            "displayName": "Ann Example",
            "givenName": "Ann",
            "jobTitle": null,
            "mail": null,
            "mobilePhone": null,
            "officeLocation": null,
            "preferredLanguage": null,
            "surname": "Example",
            "userPrincipalName": "ann@example.com",
            "id": "87d349ed-44d7-43e1-9a83-5f2406dee5bd",
        }),
    )
}

/// Handles a request for the target of a shared link.
fn respond_share(state: &State, request: &Request, rest: &str) -> Response {
    let (share, rest) = rest.split_once('/').unwrap_or((rest, ""));
    let link = share.strip_prefix("u!").and_then(|text| URL_SAFE_NO_PAD.decode(text).ok());
    let Some(link) = link.and_then(|link| String::from_utf8(link).ok()) else {
        return error(400, "invalidRequest", "The sharing token is malformed.");
    };
    let is_target = |id: &str| {
        let node = state.tree.find(id)?;
        (node.media_type != SHORTCUT && node.link.as_deref() == Some(&link)).then_some(())
    };
    let ids = state.tree.nodes.iter().map(|node| node.id.clone());
    let Some(id) = ids.into_iter().find(|id| is_target(id).is_some()) else {
        return not_found();
    };
    let prefer = request.header("prefer").unwrap_or_default();
    if !prefer.starts_with("redeemSharingLink") {
        return error(403, "accessDenied", "The sharing link was not redeemed.");
    }
    match (request.method.as_str(), rest) {
        ("GET", "driveItem") => items::get(state, request, &id),
        ("GET", "driveItem/content") => items::redirect(state, request, &id),
        _ => error(400, "invalidRequest", "The request is not supported."),
    }
}
