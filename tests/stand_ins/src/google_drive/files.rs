//! The routes of files in version 3 of the API.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::Value;
use serde_json::json;

use super::FOLDER;
use super::MAX_EXPORT_BYTES;
use super::ROOT_ID;
use super::RouteResult;
use super::SHORTCUT;
use super::SPREADSHEET;
use super::XLSX;
use super::errors;
use super::nodes;
use super::query;
use super::query::Query;
use super::respond_selected;
use crate::State;
use crate::http::Request;
use crate::http::Response;
use crate::tree::Node;

/// Fields of a file in a response without `fields`.
const DEFAULT_FIELDS: &str = "kind,id,name,mimeType";
/// Keys of the parameter `orderBy`.
const SORT_KEYS: [&str; 5] = ["folder", "name", "name_natural", "modifiedTime", "createdTime"];

/// Position of a node in a list: whether folders come first and it is none, name, and index.
type Position = (bool, String, usize);

/// Returns the position of a node for the parameter `orderBy`.
fn position(node: &Node, index: usize, order: &[&str]) -> Position {
    let is_after_folders = order.contains(&"folder") && node.content.is_some();
    let name = match order.iter().find(|key| key.starts_with("name")) {
        Some(&"name") => node.name.to_lowercase(),
        Some(_) => natural_name(&node.name),
        None => String::new(),
    };
    (is_after_folders, name, index)
}

/// Returns a text that sorts like the name with its numbers in numeric order.
fn natural_name(name: &str) -> String {
    let mut result = String::new();
    let mut digits = String::new();
    for character in name.to_lowercase().chars().chain(['\0']) {
        if character.is_ascii_digit() {
            digits.push(character);
            continue;
        }
        if !digits.is_empty() {
            result.push_str(&format!("{:0>20}", digits));
            digits.clear();
        }
        result.push(character);
    }
    result
}

/// Lists the files that fulfil a query.
///
/// # Errors
/// 400 for an invalid parameter, 404 for a folder that is not visible.
pub(super) fn list(state: &State, request: &Request) -> RouteResult {
    let text = request.parameter("q").unwrap_or_default();
    let invalid = |name: &str| errors::invalid("invalid", name, "Invalid Value");
    let query = match text {
        "" => None,
        text => Some(query::parse(text).ok_or_else(|| invalid("q"))?),
    };
    let parents = query.as_ref().map(Query::parents).unwrap_or_default();
    if parents.iter().any(|id| *id != "root" && nodes::find(state, request, id).is_err()) {
        return Err(errors::not_found(""));
    }
    let order: Vec<&str> = request
        .parameter("orderBy")
        .map_or(Vec::new(), |order| order.split(',').map(str::trim).collect());
    if order.iter().any(|key| !SORT_KEYS.contains(key)) {
        return Err(invalid("orderBy"));
    }
    let size: usize =
        request.parameter("pageSize").unwrap_or("100").parse().map_err(|_| invalid("pageSize"))?;
    if !(1..=1_000).contains(&size) {
        return Err(invalid("pageSize"));
    }
    let after = match request.parameter("pageToken") {
        None => None,
        Some(token) => Some(read_token(token, text).ok_or_else(|| invalid("pageToken"))?),
    };
    let mut found: Vec<(Position, &Node)> = state
        .tree
        .nodes
        .iter()
        .enumerate()
        .filter(|(_, node)| query.as_ref().is_none_or(|query| query.fulfils(state, node)))
        .map(|(index, node)| (position(node, index, &order), node))
        .filter(|(position, _)| after.as_ref().is_none_or(|after| position > after))
        .collect();
    found.sort_by(|(left, _), (right, _)| left.cmp(right));
    let limit = size.min(state.page_size.max(1));
    let files: Vec<Value> =
        found.iter().take(limit).map(|(_, node)| nodes::file(state, node)).collect();
    let mut body = json!({"kind": "drive#fileList", "incompleteSearch": false, "files": files});
    if let (Some((last, _)), true) = (found.get(limit - 1), found.len() > limit) {
        body["nextPageToken"] = make_token(last, text).into();
    }
    let default = format!("kind,nextPageToken,incompleteSearch,files({DEFAULT_FIELDS})");
    respond_selected(&body, request.parameter("fields").unwrap_or(&default))
}

/// Returns the token of the page after a position of a query.
fn make_token((is_file, name, index): &Position, query: &str) -> String {
    let text = json!([query, is_file, name, index]).to_string();
    format!("~!!~{}", URL_SAFE_NO_PAD.encode(text))
}

/// Reads a token for the same query.
fn read_token(token: &str, query: &str) -> Option<Position> {
    let bytes = URL_SAFE_NO_PAD.decode(token.strip_prefix("~!!~")?).ok()?;
    let (known, is_file, name, index): (String, bool, String, usize) =
        serde_json::from_slice(&bytes).ok()?;
    (known == query).then_some((is_file, name, index))
}

/// Returns a file, or its content with `alt=media`.
///
/// # Errors
/// 404 if it is not visible, 403 for the content of a file without content.
pub(super) fn get(state: &State, request: &Request, id: &str) -> RouteResult {
    let is_content = request.parameter("alt") == Some("media");
    if id == "root" || id == ROOT_ID {
        return match is_content {
            true => Err(not_downloadable()),
            false => respond_file(&nodes::root(), request),
        };
    }
    let node = nodes::find(state, request, id)?;
    if !is_content {
        return respond_file(&nodes::file(state, node), request);
    }
    match &node.content {
        Some(content) if !nodes::is_native(node) => {
            let mut response = Response::file(content.clone());
            response.headers.clear();
            Ok(response.with("Content-Type", &node.media_type))
        }
        _ => Err(not_downloadable()),
    }
}

/// Returns the error for the content of a folder, shortcut or native file.
fn not_downloadable() -> Response {
    let text = "Only files with binary content can be downloaded.";
    errors::forbidden("fileNotDownloadable", text)
}

/// Returns a response with the selected fields of a file.
///
/// # Errors
/// 400 for an invalid selection.
pub(super) fn respond_file(file: &Value, request: &Request) -> RouteResult {
    let fields = request.parameter("fields").filter(|fields| !fields.is_empty());
    respond_selected(file, fields.unwrap_or(DEFAULT_FIELDS))
}

/// Converts a native spreadsheet.
///
/// # Errors
/// 403 for other files, for `alt=json` and above the maximum size. 400 for a type other than xlsx.
pub(super) fn export(state: &State, request: &Request, id: &str) -> RouteResult {
    let node = nodes::find(state, request, id)?;
    if node.media_type != SPREADSHEET || node.content.is_none() {
        return Err(errors::forbidden(
            "fileNotExportable",
            "Export only supports Docs Editors files.",
        ));
    }
    if request.parameter("mimeType") != Some(XLSX) {
        let text = "The requested conversion is not supported.";
        return Err(errors::invalid("badRequest", "convertTo", text));
    }
    if request.parameter("alt").is_some_and(|alt| alt != "media") {
        return Err(errors::forbidden("forbidden", "Export requires alt=media."));
    }
    let content = node.content.clone().unwrap_or_default();
    if content.len() > MAX_EXPORT_BYTES {
        let text = "This file is too large to be exported.";
        return Err(errors::forbidden("exportSizeLimitExceeded", text));
    }
    Ok(Response { body: content, ..Response::empty(200) }.with("Content-Type", XLSX))
}

/// Creates a folder, a shortcut or an empty file.
///
/// # Errors
/// As for [`add`].
pub(super) fn create(state: &mut State, request: &Request) -> RouteResult {
    let metadata = request.json();
    let media_type = metadata["mimeType"].as_str();
    let content = match media_type {
        Some(FOLDER) => None,
        Some(SHORTCUT) => {
            Some(metadata["shortcutDetails"]["targetId"].as_str().unwrap_or_default())
        }
        _ => Some(""),
    };
    add(state, request, &metadata, content.map(str::as_bytes), media_type)
}

/// Adds a node with metadata of a request. A node without content is a folder.
///
/// # Errors
/// 400 for a body other than an object, 404 for a parent that is not visible, 403 for one that is no
/// folder.
pub(super) fn add(
    state: &mut State,
    request: &Request,
    metadata: &Value,
    content: Option<&[u8]>,
    media_type: Option<&str>,
) -> RouteResult {
    if !metadata.is_object() {
        return Err(errors::bad_request("Parse Error"));
    }
    let parent = match metadata["parents"].as_array().map(Vec::as_slice) {
        None => "root".to_owned(),
        Some([parent]) => nodes::tree_id(parent.as_str().unwrap_or_default()).to_owned(),
        Some(_) => return Err(errors::bad_request("A file must have exactly one parent.")),
    };
    if parent != "root" {
        let node = nodes::find(state, request, &parent)?;
        if node.content.is_some() {
            let text = "The specified parent is not a folder.";
            return Err(errors::forbidden("parentNotAFolder", text));
        }
    }
    let name = metadata["name"].as_str().unwrap_or("Untitled");
    let id = match content {
        None => state.tree.add_folder(&parent, name),
        Some(content) => state.tree.add_file(&parent, name, content),
    };
    if let (Some(node), Some(media_type)) = (state.tree.find_mut(&id), media_type) {
        node.media_type = media_type.to_owned();
    }
    let node = nodes::find(state, request, &id)?;
    respond_file(&nodes::file(state, node), request)
}

/// Changes the name of a file, or moves it to or from the trash.
///
/// # Errors
/// 404 if it is not visible, 403 for the root folder, 400 for a body other than an object.
pub(super) fn update(state: &mut State, request: &Request, id: &str) -> RouteResult {
    change(state, request, id, &request.json())?;
    let node = nodes::find(state, request, id)?;
    respond_file(&nodes::file(state, node), request)
}

/// Applies metadata of a request to a node.
///
/// # Errors
/// As for [`update`].
pub(super) fn change(
    state: &mut State,
    request: &Request,
    id: &str,
    metadata: &Value,
) -> Result<(), Response> {
    check_not_root(id)?;
    let is_trashed = nodes::find(state, request, id)?.is_trashed;
    if !metadata.is_object() {
        return Err(errors::bad_request("Parse Error"));
    }
    if let Some(name) = metadata["name"].as_str() {
        state.tree.rename(id, name);
    }
    if let Some(parent) = request.parameter("addParents") {
        let parent = nodes::tree_id(parent);
        if parent != "root" {
            nodes::find(state, request, parent)?;
        }
        let node = nodes::find(state, request, id)?;
        let removed = request.parameter("removeParents").map(nodes::tree_id);
        if node.parent != parent && removed != Some(node.parent.as_str()) {
            return Err(errors::bad_request("A file must have exactly one parent."));
        }
        state.tree.move_to(id, parent);
    }
    if let Some(trashed) = metadata["trashed"].as_bool().filter(|trashed| *trashed != is_trashed)
        && let Some(node) = state.tree.nodes.iter_mut().find(|node| node.id == id)
    {
        node.is_trashed = trashed;
        node.change += 1;
    }
    Ok(())
}

/// Deletes a file, or a folder with its content, without the trash.
///
/// # Errors
/// 404 if it is not visible, 403 for the root folder.
pub(super) fn delete(state: &mut State, request: &Request, id: &str) -> RouteResult {
    check_not_root(id)?;
    nodes::find(state, request, id)?;
    let mut deleted = vec![id.to_owned()];
    while let Some(id) = deleted.pop() {
        let children = state.tree.nodes.iter().filter(|node| node.parent == id);
        deleted.extend(children.map(|node| node.id.clone()));
        state.tree.nodes.retain(|node| node.id != id);
    }
    Ok(Response::empty(204))
}

/// Checks that an id is not that of the root folder, which cannot change.
///
/// # Errors
/// 403 for the root folder.
fn check_not_root(id: &str) -> Result<(), Response> {
    match id == "root" || id == ROOT_ID {
        true => {
            let text = "The user does not have sufficient permissions for this file.";
            Err(errors::forbidden("insufficientFilePermissions", text))
        }
        false => Ok(()),
    }
}
