//! Requests for items of a drive.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::Value;
use serde_json::json;

use super::context::Context;
use super::context::DRIVE;
use super::context::download_url;
use super::error::error;
use super::error::invalid;
use super::error::modified;
use super::error::name_conflict;
use super::error::not_found;
use super::item;
use super::upload_session;
use crate::State;
use crate::http::Request;
use crate::http::Response;
use crate::tree::Tree;

/// Parameter that says what happens if the folder has an item with the name.
pub(super) const CONFLICT_BEHAVIOR: &str = "@microsoft.graph.conflictBehavior";

/// An item that a path names.
enum Target {
    /// An item that exists, as its key in the tree.
    Found(String),
    /// An item that does not exist in a folder that exists.
    New { parent: String, name: String },
    /// Nothing.
    Missing,
}

impl Target {
    /// Returns the folder and the name of a file that exists or not. None for a folder.
    fn place(&self, tree: &Tree) -> Option<(String, String)> {
        match self {
            Self::Found(key) => tree
                .find(key)
                .filter(|node| node.content.is_some())
                .map(|node| (node.parent.clone(), node.name.clone())),
            Self::New { parent, name } => Some((parent.clone(), name.clone())),
            Self::Missing => None,
        }
    }
}

/// Handles a request below a drive: `root`, `items/{id}`, both also with `:/path/to/item:`.
pub(super) fn respond(
    context: &Context,
    state: &mut State,
    request: &Request,
    (drive, path): (&str, &str),
) -> Response {
    let item = path.strip_prefix("items/");
    let path = item.unwrap_or(path);
    let end = path.find(['/', ':']).unwrap_or(path.len());
    let (id, mut rest) = path.split_at(end);
    if item.is_none() && id != "root" {
        return error(400, "BadRequest", "Resource not found for the segment.");
    }
    let mut target = match item::find_key(&state.tree, drive, id) {
        Some(key) => Target::Found(key),
        None => Target::Missing,
    };
    if let Some(names) = rest.strip_prefix(":/") {
        let (names, further) = names.split_once(':').unwrap_or((names, ""));
        rest = further;
        if let Target::Found(key) = target {
            target = walk(&state.tree, key, names);
        }
    }
    let rest = rest.trim_start_matches('/');
    if let (Some((parent, name)), "createUploadSession") = (target.place(&state.tree), rest) {
        return upload_session::create(context, state, request, (&parent, &name));
    }
    let key = match target {
        Target::Found(key) => key,
        Target::New { parent, name } if request.method == "PUT" && rest == "content" => {
            return create_file(state, request, &parent, &name);
        }
        Target::New { .. } | Target::Missing => return not_found(),
    };
    let response = match (request.method.as_str(), rest) {
        ("GET", "") => get(state, request, &key),
        ("GET", "children") => list(state, request, &key),
        ("GET", "content") => redirect(state, request, &key),
        ("POST", "children") => create_folder(state, request, &key),
        ("PUT", "content") => replace(state, request, &key),
        ("PATCH", "") => rename(state, request, &key),
        ("DELETE", "") => delete(state, request, &key),
        _ => error(405, "notAllowed", "The method is not allowed."),
    };
    if (request.method.as_str(), rest) == ("GET", "") {
        touch(context, state, &key);
    }
    response
}

/// Changes the eTag of a node if a test asked for it.
fn touch(context: &Context, state: &mut State, key: &str) {
    let mut behavior = context.behavior();
    let Some(name) = state.tree.find(key).map(|node| node.name.clone()) else { return };
    if behavior.touches > 0 {
        behavior.touches -= 1;
        state.tree.rename(key, &name);
    }
}

/// Follows the names of a path from a folder.
fn walk(tree: &Tree, mut key: String, names: &str) -> Target {
    let mut names = names.split('/').filter(|name| !name.is_empty()).peekable();
    while let Some(name) = names.next() {
        match tree.find_child(&key, name) {
            Some(node) => key.clone_from(&node.id),
            None if names.peek().is_none() => {
                return Target::New { parent: key, name: name.to_owned() };
            }
            None => return Target::Missing,
        }
    }
    Target::Found(key)
}

/// Returns the item with a key in a response.
pub(super) fn answer(state: &State, status: u16, key: &str) -> Response {
    Response::json(status, &item::item(&state.tree, key, &download_url(state, key)))
}

/// Returns an item.
pub(super) fn get(state: &State, request: &Request, key: &str) -> Response {
    let item = item::item(&state.tree, key, &download_url(state, key));
    let mut item = item::select(item, request.parameter("$select"));
    item["@odata.context"] = "https://graph.microsoft.com/v1.0/$metadata#driveItem".into();
    Response::json(200, &item)
}

/// Lists a folder in the order of the ids. The token of a further page is the last id before it.
fn list(state: &State, request: &Request, key: &str) -> Response {
    let last = match request.parameter("$skiptoken") {
        None => String::new(),
        Some(token) => match read_token(token) {
            Some(last) => last,
            None => return invalid("The skip token is invalid."),
        },
    };
    let top = request.parameter("$top").map_or(Ok(200), str::parse::<usize>);
    let Some(top) = top.ok().filter(|top| (1..=1_000).contains(top)) else {
        return invalid("Invalid page size specified.");
    };
    let size = top.min(state.page_size);
    let children = state.tree.children(key);
    let mut children: Vec<_> = children.into_iter().filter(|node| node.id > last).collect();
    let has_more = children.len() > size;
    children.truncate(size);
    let names = request.parameter("$select");
    let build =
        |id: &str| item::select(item::item(&state.tree, id, &download_url(state, id)), names);
    let items: Vec<Value> = children.iter().map(|node| build(&node.id)).collect();
    let mut body = json!({
        "@odata.context": "https://graph.microsoft.com/v1.0/$metadata#Collection(driveItem)",
        "value": items,
    });
    if let Some(last) = children.last().filter(|_| has_more) {
        let host = request.header("host").unwrap_or_default();
        let scheme = request.header("x-forwarded-proto").unwrap_or("http");
        let mut link = format!("{scheme}://{host}{}?$top={top}", request.path);
        if let Some(names) = names {
            link.push_str(&format!("&$select={names}"));
        }
        link.push_str(&format!("&$skiptoken={}", URL_SAFE_NO_PAD.encode(&last.id)));
        body["@odata.nextLink"] = link.into();
    }
    Response::json(200, &body)
}

/// Returns the id in a token of a further page.
fn read_token(token: &str) -> Option<String> {
    let id = String::from_utf8(URL_SAFE_NO_PAD.decode(token).ok()?).ok()?;
    id.starts_with("01STANDIN").then_some(id)
}

/// Redirects to the content of a file.
pub(super) fn redirect(state: &State, request: &Request, key: &str) -> Response {
    let Some(node) = state.tree.find(key).filter(|node| node.content.is_some()) else {
        return invalid("A folder has no content.");
    };
    let known = request.header("if-none-match");
    if known.is_some_and(|known| known == item::e_tag(node) || known == item::c_tag(node)) {
        return Response::empty(304);
    }
    Response::redirect(&download_url(state, key))
}

/// Returns whether the request has no `If-Match`, or the eTag of the item.
fn has_match(state: &State, request: &Request, key: &str) -> bool {
    let Some(wanted) = request.header("if-match").filter(|wanted| *wanted != "*") else {
        return true;
    };
    state.tree.find(key).is_some_and(|node| item::e_tag(node) == wanted)
}

/// Returns whether a name is allowed.
pub(super) fn is_valid_name(name: &str) -> bool {
    let is_forbidden = |character: char| "\"*:<>?/\\|".contains(character);
    !name.is_empty()
        && !name.contains(is_forbidden)
        && !name.starts_with(' ')
        && !name.ends_with([' ', '.'])
}

/// Returns a name that the folder does not have yet.
fn free_name(tree: &Tree, parent: &str, name: &str) -> String {
    let (stem, extension) = match name.rfind('.') {
        Some(end) if end > 0 => name.split_at(end),
        _ => (name, ""),
    };
    let names = (1..1_000).map(|number| format!("{stem} {number}{extension}"));
    names.into_iter().find(|name| tree.find_child(parent, name).is_none()).unwrap_or_default()
}

/// Creates a folder.
fn create_folder(state: &mut State, request: &Request, key: &str) -> Response {
    let body = request.json();
    let name = body["name"].as_str().unwrap_or_default().to_owned();
    if !body["folder"].is_object() || !is_valid_name(&name) {
        return invalid("The name or the folder is invalid.");
    }
    if state.tree.find(key).is_some_and(|node| node.content.is_some()) {
        return invalid("The parent is not a folder.");
    }
    let name = match state.tree.find_child(key, &name) {
        None => name,
        Some(_) if body[CONFLICT_BEHAVIOR] == "rename" => free_name(&state.tree, key, &name),
        Some(_) => return name_conflict(),
    };
    let id = state.tree.add_folder(key, &name);
    answer(state, 201, &id)
}

/// Creates a file.
fn create_file(state: &mut State, request: &Request, parent: &str, name: &str) -> Response {
    if !is_valid_name(name) {
        return invalid("The provided name cannot contain some of its characters.");
    }
    if state.tree.find(parent).is_some_and(|node| node.content.is_some()) {
        return invalid("The parent is not a folder.");
    }
    let id = state.tree.add_file(parent, name, &request.body);
    answer(state, 201, &id)
}

/// Replaces the content of a file.
fn replace(state: &mut State, request: &Request, key: &str) -> Response {
    let Some(node) = state.tree.find(key).cloned() else {
        return invalid("A folder has no content.");
    };
    // A request by path can create a file, so that it can conflict with another one.
    let behavior = request.parameter(CONFLICT_BEHAVIOR).filter(|_| request.path.contains(':'));
    match behavior {
        Some("fail") => return name_conflict(),
        Some("rename") => {
            let name = free_name(&state.tree, &node.parent, &node.name);
            return create_file(state, request, &node.parent, &name);
        }
        _ => {}
    }
    if node.content.is_none() {
        return invalid("A folder has no content.");
    }
    if !has_match(state, request, key) {
        return modified();
    }
    state.tree.set_content(key, &request.body);
    answer(state, 200, key)
}

/// Changes the name and the folder of an item.
fn rename(state: &mut State, request: &Request, key: &str) -> Response {
    let Some(node) = state.tree.find(key) else {
        return invalid("The root folder cannot be renamed.");
    };
    let body = request.json();
    let name = body["name"].as_str().unwrap_or(&node.name).to_owned();
    let parent = match body["parentReference"]["id"].as_str() {
        Some(id) => item::find_key(&state.tree, DRIVE, id),
        None => Some(node.parent.clone()),
    };
    let Some(parent) = parent else { return not_found() };
    if !is_valid_name(&name) {
        return invalid("The provided name cannot contain some of its characters.");
    }
    let is_taken = state.tree.find_child(&parent, &name).is_some_and(|other| other.id != key);
    if !has_match(state, request, key) {
        return modified();
    }
    if is_taken {
        return name_conflict();
    }
    if body.get("name").is_some() || parent != node.parent {
        state.tree.move_to(key, &parent);
        state.tree.rename(key, &name);
    }
    answer(state, 200, key)
}

/// Moves an item to the trash.
fn delete(state: &mut State, request: &Request, key: &str) -> Response {
    if state.tree.find(key).is_none() {
        return invalid("The root folder cannot be deleted.");
    }
    if !has_match(state, request, key) {
        return modified();
    }
    state.tree.trash(key);
    Response::empty(204)
}
