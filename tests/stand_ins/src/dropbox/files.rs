//! The routes for files and folders at the API host.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::Value;
use serde_json::json;

use super::RouteResult;
use super::bad_request;
use super::format;
use super::format::error;
use super::paths;
use super::paths::Target;
use crate::State;
use crate::http::Response;

/// Returns an argument that must be text.
///
/// # Errors
/// The response for a missing argument.
pub(super) fn text<'a>(argument: &'a Value, name: &str, route: &str) -> Result<&'a str, Response> {
    let missing = || bad_request(route, &format!("request body: missing required field '{name}'"));
    argument[name].as_str().ok_or_else(missing)
}

/// Checks that a path for a write has the form of one.
///
/// # Errors
/// The response for another form.
fn check_pattern(path: &str, accepts_ids: bool, route: &str) -> Result<(), Response> {
    match path.starts_with('/') || (accepts_ids && path.starts_with("id:")) {
        true => Ok(()),
        false => Err(bad_request(route, "request body: path: did not match pattern")),
    }
}

/// Handles `files/get_metadata`.
pub(super) fn get_metadata(state: &State, argument: &Value) -> RouteResult {
    let route = "files/get_metadata";
    let path = text(argument, "path", route)?;
    let path = if path == "/" { "" } else { path };
    match paths::find(&state.tree, path).map_err(|tag| error(409, &["path", tag]))? {
        Target::Root => {
            Err(bad_request(route, "request body: path: The root folder is unsupported."))
        }
        Target::Node(node) => Ok(Response::json(200, &format::tagged_metadata(&state.tree, node))),
    }
}

/// Handles `files/list_folder`.
pub(super) fn list_folder(state: &State, argument: &Value) -> RouteResult {
    let route = "files/list_folder";
    let path = text(argument, "path", route)?;
    if path == "/" {
        let text = "request body: path: Specify the root folder as an empty string";
        return Err(bad_request(route, text));
    }
    let limit = match &argument["limit"] {
        Value::Null => 500,
        limit => match limit.as_u64().and_then(|limit| usize::try_from(limit).ok()) {
            Some(limit @ 1..=2_000) => limit,
            _ => return Err(bad_request(route, "request body: limit: out of range")),
        },
    };
    let folder = paths::find(&state.tree, path).map_err(|tag| error(409, &["path", tag]))?;
    if matches!(&folder, Target::Node(node) if node.content.is_some()) {
        return Err(error(409, &["path", "not_folder"]));
    }
    Ok(list(state, &folder.id(), 0, limit))
}

/// Handles `files/list_folder/continue`.
pub(super) fn continue_list(state: &State, argument: &Value) -> RouteResult {
    let route = "files/list_folder/continue";
    let invalid = || bad_request(route, "Invalid \"cursor\" parameter");
    let bytes = URL_SAFE_NO_PAD.decode(text(argument, "cursor", route)?).map_err(|_| invalid())?;
    let cursor: Value = serde_json::from_slice(&bytes).map_err(|_| invalid())?;
    let number = |index: usize| cursor[index].as_u64().and_then(|value| value.try_into().ok());
    let (Some(folder), Some(start), Some(limit)) = (cursor[0].as_str(), number(1), number(2))
    else {
        return Err(invalid());
    };
    if folder != "root" && state.tree.find(folder).is_none() {
        return Err(error(409, &["path", "not_found"]));
    }
    Ok(list(state, folder, start, limit))
}

/// Returns a page of a list.
fn list(state: &State, folder: &str, start: usize, limit: usize) -> Response {
    let nodes = state.tree.children(folder);
    let end = start.saturating_add(limit.min(state.page_size)).min(nodes.len());
    let page = nodes.get(start.min(end)..end).unwrap_or_default();
    let entries: Vec<Value> =
        page.iter().map(|node| format::tagged_metadata(&state.tree, node)).collect();
    let cursor = URL_SAFE_NO_PAD.encode(json!([folder, end, limit]).to_string());
    let body = json!({"entries": entries, "cursor": cursor, "has_more": end < nodes.len()});
    Response::json(200, &body)
}

/// Handles `files/create_folder_v2`.
pub(super) fn create_folder(state: &mut State, argument: &Value) -> RouteResult {
    let route = "files/create_folder_v2";
    let path = text(argument, "path", route)?;
    check_pattern(path, false, route)?;
    let place = paths::find_place(&mut state.tree, path)
        .map_err(|tags| error(409, &[&["path"], tags].concat()))?;
    if let Some(node) = place.existing.and_then(|id| state.tree.find(&id)) {
        let kind = if node.content.is_some() { "file" } else { "folder" };
        return Err(error(409, &["path", "conflict", kind]));
    }
    let id = state.tree.add_folder(&place.parent, &place.name);
    let metadata = state.tree.find(&id).map(|node| format::metadata(&state.tree, node));
    Ok(Response::json(200, &json!({"metadata": metadata})))
}

/// Handles `files/move_v2`. A new name that differs only in case is a conflict.
pub(super) fn move_node(state: &mut State, argument: &Value) -> RouteResult {
    let route = "files/move_v2";
    let (from, to) = (text(argument, "from_path", route)?, text(argument, "to_path", route)?);
    check_pattern(from, true, route)?;
    check_pattern(to, true, route)?;
    let source = paths::find(&state.tree, from).map_err(|tag| error(409, &["from_lookup", tag]))?;
    let Target::Node(node) = source else {
        return Err(error(409, &["from_lookup", "malformed_path"]));
    };
    let id = node.id.clone();
    let place = paths::find_place(&mut state.tree, to)
        .map_err(|tags| error(409, &[&["to"], tags].concat()))?;
    if let Some(node) = place.existing.and_then(|id| state.tree.find(&id)) {
        let kind = if node.content.is_some() { "file" } else { "folder" };
        return Err(error(409, &["to", "conflict", kind]));
    }
    if place.parent == id {
        return Err(error(409, &["cant_move_folder_into_itself"]));
    }
    state.tree.rename(&id, &place.name);
    if let Some(node) = state.tree.find_mut(&id) {
        node.parent = place.parent;
    }
    let metadata = state.tree.find(&id).map(|node| format::tagged_metadata(&state.tree, node));
    Ok(Response::json(200, &json!({"metadata": metadata})))
}

/// Handles `files/delete_v2`.
pub(super) fn delete(state: &mut State, argument: &Value) -> RouteResult {
    let route = "files/delete_v2";
    let path = text(argument, "path", route)?;
    check_pattern(path, true, route)?;
    let target = paths::find(&state.tree, path).map_err(|tag| error(409, &["path_lookup", tag]))?;
    let Target::Node(node) = target else {
        return Err(error(409, &["path_lookup", "malformed_path"]));
    };
    if let Some(revision) = argument["parent_rev"].as_str() {
        if node.content.is_none() {
            return Err(error(409, &["path_write", "conflict", "folder"]));
        }
        if revision != format::revision(node) {
            return Err(error(409, &["path_write", "conflict", "file"]));
        }
    }
    let metadata = format::tagged_metadata(&state.tree, node);
    let id = node.id.clone();
    state.tree.trash(&id);
    Ok(Response::json(200, &json!({"metadata": metadata})))
}

/// Handles `sharing/create_shared_link_with_settings`.
pub(super) fn create_link(state: &mut State, argument: &Value) -> RouteResult {
    let path = text(argument, "path", "sharing/create_shared_link_with_settings")?;
    let target = paths::find(&state.tree, path).map_err(|tag| error(409, &["path", tag]))?;
    let id = target.id();
    let Some(node) = state.tree.find_mut(&id) else {
        return Err(error(409, &["access_denied"]));
    };
    if node.link.is_some() {
        return Err(error(409, &["shared_link_already_exists"]));
    }
    let kind = if node.content.is_some() { "fi" } else { "fo" };
    let key = id.trim_start_matches("id:");
    node.link = Some(format!("https://www.dropbox.com/scl/{kind}/{key}/x?rlkey=k{key}&dl=0"));
    let metadata = state.tree.find(&id).map(|node| format::link_metadata(&state.tree, node));
    Ok(Response::json(200, &metadata.unwrap_or_default()))
}
