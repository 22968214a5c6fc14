//! The stand-in of Box: the page for consent, the API, uploads and downloads, each at its own host.

use std::io;
use std::sync::Arc;
use std::sync::Mutex;

use aws_lc_rs::digest;
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
use crate::tree::Node;

/// Id of the root folder.
const ROOT: &str = "0";
/// Name of a file that Box is still storing at the first download.
pub const SLOW_NAME: &str = "slow.csv";

/// Tokens of Box: refresh tokens are valid once, and codes for 30 seconds.
const RULES: Rules = Rules {
    rotation: Rotation::OneUse,
    code_lifetime: 30,
    access_lifetime: 3_600,
    requires_pkce: false,
    has_hash: false,
    offline_parameter: None,
};

/// Result of a route. An error is a complete response.
type RouteResult = Result<Response, Response>;

/// Starts the stand-in.
///
/// # Errors
/// If no port is free.
pub fn start() -> io::Result<StandIn> {
    // Ids of Box have more digits than a double can hold exactly.
    let state = Arc::new(Mutex::new(State::new(RULES, |number| {
        format!("{}", 90_071_992_547_410_000_u64 + number)
    })));
    let shared = state.clone();
    let downloads = Server::start(move |request| send_content(&mut lock(&shared), request))?;
    let shared = state.clone();
    let web = Server::start(move |request| lock(&shared).oauth.authorize(request))?;
    let shared = state.clone();
    let uploads = Server::start(move |request| respond(&mut lock(&shared), request, upload))?;
    let shared = state.clone();
    let api = Server::start(move |request| handle_api(&mut lock(&shared), request))?;
    lock(&state).download_url.clone_from(&downloads.url);
    let addresses = Addresses {
        auth_url: format!("{}/api/oauth2/authorize", web.url),
        token_url: format!("{}/oauth2/token", api.url),
        api_url: api.url,
        content_url: uploads.url,
        link_url: String::new(),
        download_url: downloads.url,
    };
    Ok(StandIn { addresses, state })
}

/// Handles a request to the host of the API.
fn handle_api(state: &mut State, request: &Request) -> Response {
    match request.path.as_str() {
        "/oauth2/token" => return state.oauth.token(request),
        "/oauth2/revoke" => {
            let form = request.form();
            let token = form.iter().find(|(name, _)| name == "token");
            let is_known = token.is_some_and(|(_, token)| state.oauth.revoke(token));
            let code = if is_known { 200 } else { 400 };
            return Response::json(code, &json!({}));
        }
        _ => {}
    }
    respond(state, request, route)
}

/// Checks the token of a request and passes it to `handle`.
fn respond(
    state: &mut State,
    request: &Request,
    handle: impl Fn(&mut State, &Request) -> RouteResult,
) -> Response {
    if let Some(fault) = state.begin(request) {
        return fault;
    }
    let is_valid = request.bearer().is_some_and(|token| state.oauth.find_access(token).is_some());
    if !is_valid {
        let text = "Bearer realm=\"Service\", error=\"invalid_token\", \
                    error_description=\"The access token provided is invalid.\"";
        return Response::empty(401).with("WWW-Authenticate", text);
    }
    handle(state, request).unwrap_or_else(|response| response)
}

/// Finds the route of a request of the API.
fn route(state: &mut State, request: &Request) -> RouteResult {
    let segments = request.segments();
    let parts: Vec<&str> = segments.iter().map(String::as_str).collect();
    match (request.method.as_str(), parts.as_slice()) {
        ("GET", ["2.0", "users", "me"]) => Ok(Response::json(
            200,
            &json!({ "type": "user", "id": "11446498", "login": "ada@example.com", "name": "Ada" }),
        )),
        ("GET", ["2.0", "shared_items"]) => {
            let node = linked(state, request)?.ok_or_else(|| error(404, "not_found"))?;
            Ok(Response::json(200, &item(&node)))
        }
        // Some clients, such as rclone, end the path with a slash.
        ("OPTIONS", ["2.0", "files", "content"] | ["2.0", "files", "content", ""]) => {
            check_upload(state, request)
        }
        ("GET", ["2.0", "folders", id]) => get_folder(state, id),
        ("GET", ["2.0", "folders", id, "items"]) => list(state, request, id),
        ("POST", ["2.0", "folders"]) => create_folder(state, request),
        ("DELETE", ["2.0", "folders", id]) => delete_folder(state, request, id),
        ("GET", ["2.0", "files", id]) => {
            Ok(Response::json(200, &item(&find_file(state, request, id)?)))
        }
        ("GET", ["2.0", "files", id, "content"]) => {
            let node = find_file(state, request, id)?;
            let line = format!("GET {} +token", request.path);
            let is_first = state.log.iter().filter(|other| **other == line).count() == 1;
            if node.name == SLOW_NAME && is_first {
                return Ok(Response::empty(202).with("Retry-After", "1"));
            }
            Ok(Response::redirect(&format!("{}/d/1/{}/download", state.download_url, node.id)))
        }
        ("PUT", ["2.0", "files", id]) => rename(state, request, id),
        ("DELETE", ["2.0", "files", id]) => {
            let node = find_file(state, request, id)?;
            check_precondition(request, &node)?;
            state.tree.trash(&node.id);
            Ok(Response::empty(204))
        }
        _ => Err(error(404, "not_found")),
    }
}

/// Returns an error in the form of Box.
fn error(status: u16, code: &str) -> Response {
    let body = json!({
        "type": "error", "status": status, "code": code, "message": code,
        "help_url": "http://developers.box.com/docs/#errors", "request_id": "abcdef123456",
    });
    Response::json(status, &body)
}

/// Returns the form of a file or folder.
fn item(node: &Node) -> Value {
    let parent = if node.parent == "root" { ROOT } else { node.parent.as_str() };
    let modified = node.modified.as_deref().unwrap_or("2026-03-02T10:00:00-08:00");
    let mut value = json!({
        "type": if node.content.is_some() { "file" } else { "folder" },
        "id": node.id,
        "name": node.name,
        "etag": node.change.to_string(),
        "sequence_id": node.change.to_string(),
        "modified_at": modified,
        "content_modified_at": modified,
        "item_status": "active",
        "parent": { "type": "folder", "id": parent, "sequence_id": null, "etag": null, "name": "Parent" },
    });
    if let Some(content) = &node.content {
        value["size"] = content.len().into();
        let sha1 = crate::http::to_hex(
            digest::digest(&digest::SHA1_FOR_LEGACY_USE_ONLY, content).as_ref(),
        );
        value["sha1"] = sha1.as_str().into();
        value["file_version"] =
            json!({ "type": "file_version", "id": node.version.to_string(), "sha1": sha1 });
    }
    value
}

/// Returns the id of a folder in the tree.
fn tree_id(id: &str) -> &str {
    if id == ROOT { "root" } else { id }
}

/// Returns the file with the link in the header `BoxApi`.
fn linked(state: &State, request: &Request) -> Result<Option<Node>, Response> {
    let header = request.header("boxapi").and_then(|value| value.strip_prefix("shared_link="));
    let Some(header) = header else { return Ok(None) };
    let (link, password) = match header.split_once("&shared_link_password=") {
        Some((link, password)) => (link, Some(password)),
        None => (header, None),
    };
    let has_link = |node: &&Node| node.link.as_deref() == Some(link) && !node.is_trashed;
    let found = state.tree.nodes.iter().find(has_link);
    match found.and_then(|node| node.link_password.as_deref()) {
        Some(right) if password != Some(right) => Err(error(403, "incorrect_shared_item_password")),
        _ => Ok(found.cloned()),
    }
}

/// Returns a file of the account or of the link in the header.
fn find_file(state: &State, request: &Request, id: &str) -> Result<Node, Response> {
    let of_link = linked(state, request)?.filter(|node| node.id == id);
    let found = state.tree.find(id).cloned().or(of_link);
    found.filter(|node| node.content.is_some()).ok_or_else(|| error(404, "not_found"))
}

/// Returns a folder.
fn find_folder(state: &State, id: &str) -> Result<Node, Response> {
    let found = state.tree.find(id).filter(|node| node.content.is_none());
    found.cloned().ok_or_else(|| error(404, "not_found"))
}

/// Checks the header `If-Match`.
fn check_precondition(request: &Request, node: &Node) -> Result<(), Response> {
    match request.header("if-match") {
        Some(etag) if etag != node.change.to_string() => Err(error(412, "precondition_failed")),
        _ => Ok(()),
    }
}

/// Checks that a folder has no entry with this name.
fn check_name(state: &State, parent: &str, name: &str, own: Option<&str>) -> Result<(), Response> {
    let is_invalid =
        name.is_empty() || name.contains(['/', '\\']) || name.ends_with(' ') || name.len() > 255;
    if is_invalid {
        return Err(error(400, "item_name_invalid"));
    }
    match state.tree.find_child(parent, name) {
        Some(other) if Some(other.id.as_str()) != own => {
            let mut response = error(409, "item_name_in_use");
            let mut body: Value = serde_json::from_slice(&response.body).unwrap_or_default();
            body["context_info"] = json!({ "conflicts": [item(other)] });
            response.body = body.to_string().into_bytes();
            Err(response)
        }
        _ => Ok(()),
    }
}

/// Returns whether a parameter is true. The SDK for Python writes it with a capital letter.
fn is_true(request: &Request, name: &str) -> bool {
    request.parameter(name).is_some_and(|text| text.eq_ignore_ascii_case("true"))
}

/// Handles `GET /folders/{id}`.
fn get_folder(state: &State, id: &str) -> RouteResult {
    if id == ROOT {
        let root = json!({
            "type": "folder", "id": ROOT, "name": "All Files", "etag": null, "sequence_id": null,
            "parent": null, "item_collection": { "total_count": 0, "entries": [] },
        });
        return Ok(Response::json(200, &root));
    }
    Ok(Response::json(200, &item(&find_folder(state, id)?)))
}

/// Handles `GET /folders/{id}/items` with markers.
fn list(state: &State, request: &Request, id: &str) -> RouteResult {
    if id != ROOT {
        find_folder(state, id)?;
    }
    if !is_true(request, "usemarker") {
        return Err(error(400, "bad_request"));
    }
    let limit: usize = request.parameter("limit").and_then(|text| text.parse().ok()).unwrap_or(100);
    let limit = limit.clamp(1, 1000).min(state.page_size);
    let start = match request.parameter("marker") {
        None | Some("") => 0,
        Some(marker) => {
            let number = marker.strip_prefix("marker+/=").and_then(|text| text.parse().ok());
            number.ok_or_else(|| error(400, "bad_request"))?
        }
    };
    let children = state.tree.children(tree_id(id));
    let entries: Vec<Value> =
        children.iter().skip(start).take(limit).map(|node| item(node)).collect();
    let end = start + entries.len();
    let marker = (end < children.len()).then(|| format!("marker+/={end}"));
    let body = json!({ "entries": entries, "limit": limit, "next_marker": marker });
    Ok(Response::json(200, &body))
}

/// Handles `OPTIONS /files/content`, which tells whether an upload would succeed.
fn check_upload(state: &State, request: &Request) -> RouteResult {
    let body = request.json();
    let (Some(name), Some(parent)) = (body["name"].as_str(), body["parent"]["id"].as_str()) else {
        return Err(error(400, "bad_request"));
    };
    if parent != ROOT {
        find_folder(state, parent)?;
    }
    check_name(state, tree_id(parent), name, None).map_err(|mut response| {
        // Here the conflict is one object instead of a list.
        let mut body: Value = serde_json::from_slice(&response.body).unwrap_or_default();
        let conflict = body["context_info"]["conflicts"][0].take();
        body["context_info"]["conflicts"] = conflict;
        response.body = body.to_string().into_bytes();
        response
    })?;
    Ok(Response::json(200, &json!({ "upload_url": null, "upload_token": null })))
}

/// Handles `POST /folders`.
fn create_folder(state: &mut State, request: &Request) -> RouteResult {
    let body = request.json();
    let (Some(name), Some(parent)) = (body["name"].as_str(), body["parent"]["id"].as_str()) else {
        return Err(error(400, "bad_request"));
    };
    if parent != ROOT {
        find_folder(state, parent)?;
    }
    check_name(state, tree_id(parent), name, None)?;
    let id = state.tree.add_folder(tree_id(parent), name);
    Ok(Response::json(201, &item(&find_folder(state, &id)?)))
}

/// Handles `DELETE /folders/{id}`.
fn delete_folder(state: &mut State, request: &Request, id: &str) -> RouteResult {
    let node = find_folder(state, id)?;
    let is_recursive = is_true(request, "recursive");
    if !is_recursive && !state.tree.children(id).is_empty() {
        return Err(error(400, "folder_not_empty"));
    }
    state.tree.trash(&node.id);
    Ok(Response::empty(204))
}

/// Handles `PUT /files/{id}`.
fn rename(state: &mut State, request: &Request, id: &str) -> RouteResult {
    let node = find_file(state, request, id)?;
    check_precondition(request, &node)?;
    let body = request.json();
    let parent = body["parent"]["id"].as_str().map_or(node.parent.as_str(), tree_id);
    let name = body["name"].as_str().unwrap_or(&node.name);
    if parent != "root" {
        find_folder(state, parent)?;
    }
    check_name(state, parent, name, Some(id))?;
    if body.get("name").is_some() || parent != node.parent {
        state.tree.move_to(id, parent);
        state.tree.rename(id, name);
    }
    Ok(Response::json(200, &item(&find_file(state, request, id)?)))
}

/// Handles the uploads of new files and of new contents.
fn upload(state: &mut State, request: &Request) -> RouteResult {
    let segments = request.segments();
    let parts: Vec<&str> = segments.iter().map(String::as_str).collect();
    let (attributes, content) = read_parts(request)?;
    let id = match (request.method.as_str(), parts.as_slice()) {
        ("POST", ["api", "2.0", "files", "content"]) => {
            let (name, parent) = (attributes["name"].as_str(), attributes["parent"]["id"].as_str());
            let (Some(name), Some(parent)) = (name, parent) else {
                return Err(error(400, "bad_request"));
            };
            if parent != ROOT {
                find_folder(state, parent)?;
            }
            check_name(state, tree_id(parent), name, None)?;
            state.tree.add_file(tree_id(parent), name, &content)
        }
        ("POST", ["api", "2.0", "files", id, "content"]) => {
            let node = find_file(state, request, id)?;
            check_precondition(request, &node)?;
            state.tree.set_content(id, &content);
            (*id).to_owned()
        }
        _ => return Err(error(404, "not_found")),
    };
    let entries = json!([item(&find_file(state, request, &id)?)]);
    Ok(Response::json(201, &json!({ "total_count": 1, "entries": entries })))
}

/// Returns the attributes and the content of a form. The attributes must come first.
fn read_parts(request: &Request) -> Result<(Value, Vec<u8>), Response> {
    let invalid = || error(400, "bad_request");
    let content_type = request.header("content-type").unwrap_or_default();
    let boundary = content_type.split("boundary=").nth(1).ok_or_else(invalid)?.trim_matches('"');
    let mut parts = Vec::new();
    let mut rest = request.body.as_slice();
    let opening = format!("--{boundary}\r\n");
    rest = rest.strip_prefix(opening.as_bytes()).ok_or_else(invalid)?;
    let separator = format!("\r\n--{boundary}");
    while let Some(end) = position(rest, separator.as_bytes()) {
        let part = &rest[..end];
        let head = position(part, b"\r\n\r\n").ok_or_else(invalid)?;
        parts
            .push((String::from_utf8_lossy(&part[..head]).into_owned(), part[head + 4..].to_vec()));
        rest = rest.get(end + separator.len() + 2..).unwrap_or_default();
    }
    let has_name = |head: &str, name: &str| {
        head.contains(&format!("name=\"{name}\"")) || head.contains(&format!("name={name}"))
    };
    match parts.as_slice() {
        [(first, attributes), (second, content), ..]
            // The description names the part `file`; rclone calls it `contents`.
            if has_name(first, "attributes") && second.contains("filename=") =>
        {
            let attributes = serde_json::from_slice(attributes).map_err(|_| invalid())?;
            Ok((attributes, content.clone()))
        }
        [(first, _), ..] if has_name(first, "file") => {
            Err(error(400, "metadata_after_file_contents"))
        }
        _ => Err(invalid()),
    }
}

/// Returns the position of `needle` in `text`.
fn position(text: &[u8], needle: &[u8]) -> Option<usize> {
    text.windows(needle.len()).position(|window| window == needle)
}

/// Handles the host of the downloads, where the URL has the credentials.
fn send_content(state: &mut State, request: &Request) -> Response {
    state.note(request);
    if state.refuses_token(request) {
        return Response::text(400, "no token belongs here");
    }
    let segments = request.segments();
    let id = segments.get(2).map(String::as_str).unwrap_or_default();
    match state.tree.nodes.iter().find(|node| node.id == id).and_then(|node| node.content.clone()) {
        Some(content) => Response::file(content),
        None => Response::text(404, "not found"),
    }
}
