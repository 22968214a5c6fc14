//! The routes at the content host: uploads and downloads.

use serde_json::Value;
use serde_json::json;

use super::RouteResult;
use super::bad_request;
use super::files;
use super::format;
use super::format::error;
use super::format::upload_error;
use super::paths;
use super::paths::Place;
use super::paths::Target;
use crate::State;
use crate::http::Request;
use crate::http::Response;
use crate::tree::Node;
use crate::tree::Tree;

/// Maximum size of an upload in bytes.
const MAX_UPLOAD_BYTES: usize = 150 << 20;

/// Reads the argument in the header `Dropbox-API-Arg`, which must be JSON in ASCII.
///
/// # Errors
/// The response for another header.
fn read_argument(request: &Request, route: &str) -> Result<Value, Response> {
    let text = request
        .header("dropbox-api-arg")
        .ok_or_else(|| bad_request(route, "Must provide HTTP header \"Dropbox-API-Arg\""))?;
    let argument = text.is_ascii().then(|| serde_json::from_str(text).ok()).flatten();
    argument.ok_or_else(|| {
        bad_request(route, "HTTP header \"Dropbox-API-Arg\": could not decode input as JSON")
    })
}

/// Checks the content type of a request, which must be absent or binary.
///
/// # Errors
/// The response for another type.
fn check_type(request: &Request, is_upload: bool, route: &str) -> Result<(), Response> {
    match request.header("content-type") {
        Some("application/octet-stream") => Ok(()),
        None if !is_upload => Ok(()),
        _ => Err(bad_request(route, "Bad HTTP \"Content-Type\" header")),
    }
}

/// Handles `files/upload`.
pub(super) fn upload(state: &mut State, request: &Request) -> RouteResult {
    let route = "files/upload";
    check_type(request, true, route)?;
    let argument = read_argument(request, route)?;
    let path = files::text(&argument, "path", route)?;
    if !path.starts_with('/') && !path.starts_with("id:") {
        return Err(bad_request(route, "HTTP header \"Dropbox-API-Arg\": path: bad pattern"));
    }
    if request.body.len() > MAX_UPLOAD_BYTES {
        return Err(upload_error(&["payload_too_large"]));
    }
    let hash = argument["content_hash"].as_str();
    if hash.is_some_and(|hash| hash != format::content_hash(&request.body)) {
        return Err(upload_error(&["content_hash_mismatch"]));
    }
    let place = paths::find_place(&mut state.tree, path)
        .map_err(|tags| upload_error(&[&["path"], tags].concat()))?;
    let id = write(&mut state.tree, &argument, place, &request.body)?;
    let metadata = state.tree.find(&id).map(|node| format::metadata(&state.tree, node));
    Ok(Response::json(200, &metadata.unwrap_or_default()))
}

/// Writes a file by the mode of the request and returns its id.
///
/// # Errors
/// The response for a conflict or an invalid mode.
fn write(
    tree: &mut Tree,
    argument: &Value,
    mut place: Place,
    bytes: &[u8],
) -> Result<String, Response> {
    let mode = &argument["mode"];
    let tag = mode.as_str().or(mode[".tag"].as_str()).unwrap_or("add");
    let wanted = mode["update"].as_str();
    match (tag, wanted) {
        ("add" | "overwrite", _) => {}
        ("update", Some(rev)) if is_revision(rev) => {}
        _ => return Err(bad_request("files/upload", "HTTP header \"Dropbox-API-Arg\": mode")),
    }
    let existing = place.existing.as_deref().and_then(|id| tree.find(id));
    let is_strict = argument["strict_conflict"].as_bool().unwrap_or(false);
    let conflict = match existing {
        Some(node) if node.content.is_none() => Some("folder"),
        Some(node) if tag == "update" && wanted == Some(&format::revision(node)) => None,
        Some(_) if tag == "overwrite" => None,
        // The content is already there.
        Some(node) if !is_strict && node.content.as_deref() == Some(bytes) => {
            return Ok(node.id.clone());
        }
        Some(_) => Some("file"),
        None if tag == "update" && is_strict => Some("file"),
        None => None,
    };
    if let Some(kind) = conflict {
        if argument["autorename"].as_bool() != Some(true) {
            return Err(upload_error(&["path", "conflict", kind]));
        }
        place = rename(tree, place);
    }
    match &place.existing {
        Some(id) => {
            tree.set_content(id, bytes);
            Ok(id.clone())
        }
        None => Ok(tree.add_file(&place.parent, &place.name, bytes)),
    }
}

/// Returns whether a text has the form of a revision.
fn is_revision(text: &str) -> bool {
    text.len() >= 9 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// Returns the place with the first name that is free: `name (1).csv`.
fn rename(tree: &Tree, place: Place) -> Place {
    let (stem, extension) = match place.name.rsplit_once('.') {
        Some((stem, extension)) => (stem, format!(".{extension}")),
        None => (place.name.as_str(), String::new()),
    };
    let names = (1_u32..).map(|number| format!("{stem} ({number}){extension}"));
    let name = names.into_iter().find(|name| tree.find_child(&place.parent, name).is_none());
    Place { name: name.unwrap_or_default(), parent: place.parent, existing: None }
}

/// Handles `files/download`.
pub(super) fn download(state: &State, request: &Request) -> RouteResult {
    let route = "files/download";
    check_type(request, false, route)?;
    let argument = read_argument(request, route)?;
    let path = files::text(&argument, "path", route)?;
    let target = match path.strip_prefix("rev:") {
        Some(rev) => {
            let mut nodes = state.tree.nodes.iter();
            nodes.find(|node| format::revision(node) == rev).map(Target::Node).ok_or("not_found")
        }
        None => paths::find(&state.tree, path),
    };
    match target.map_err(|tag| error(409, &["path", tag]))? {
        Target::Node(Node { content: None, .. }) | Target::Root => {
            Err(error(409, &["path", "not_file"]))
        }
        Target::Node(node) if format::is_native(node) => Err(error(409, &["unsupported_file"])),
        Target::Node(node) => Ok(send(request, node, &format::metadata(&state.tree, node))),
    }
}

/// Handles `files/export`.
pub(super) fn export(state: &State, request: &Request) -> RouteResult {
    let route = "files/export";
    check_type(request, false, route)?;
    let argument = read_argument(request, route)?;
    let path = files::text(&argument, "path", route)?;
    let target = paths::find(&state.tree, path).map_err(|tag| error(409, &["path", tag]))?;
    let Target::Node(node @ Node { content: Some(content), .. }) = target else {
        return Err(error(409, &["path", "not_file"]));
    };
    if !format::is_native(node) {
        return Err(error(409, &["non_exportable"]));
    }
    if !matches!(argument["export_format"].as_str(), None | Some("xlsx" | "csv")) {
        return Err(error(409, &["invalid_export_format"]));
    }
    let result = json!({
        "export_metadata": {
            "name": format!("{}.xlsx", node.name.trim_end_matches(".gsheet")),
            "size": content.len(),
            "export_hash": format::content_hash(content),
        },
        "file_metadata": format::metadata(&state.tree, node),
    });
    let response = Response::file(content.clone());
    Ok(response.with("Dropbox-API-Result", &format::header_json(&result)))
}

/// Handles `sharing/get_shared_link_file`.
pub(super) fn get_linked_file(state: &State, request: &Request) -> RouteResult {
    let route = "sharing/get_shared_link_file";
    check_type(request, false, route)?;
    let argument = read_argument(request, route)?;
    let url = strip_view(files::text(&argument, "url", route)?);
    let has_link = |node: &&Node| node.link.as_deref().is_some_and(|own| strip_view(own) == url);
    let node = state.tree.nodes.iter().find(has_link).and_then(|node| state.tree.find(&node.id));
    match node {
        None => Err(error(409, &["shared_link_not_found"])),
        Some(node) if node.content.is_none() => Err(error(409, &["shared_link_is_directory"])),
        Some(node) => Ok(send(request, node, &format::link_metadata(&state.tree, node))),
    }
}

/// Removes the parameter `dl` of a link, which only says how a browser shows it.
fn strip_view(url: &str) -> String {
    ["&dl=0", "&dl=1", "?dl=0", "?dl=1"]
        .iter()
        .fold(url.to_owned(), |url, view| url.strip_suffix(view).map_or(url.clone(), str::to_owned))
}

/// Returns the response with a content and its metadata. Its entity tag is the revision.
fn send(request: &Request, node: &Node, metadata: &Value) -> Response {
    let tag = format!("W/\"{}\"", format::revision(node));
    if request.header("if-none-match") == Some(&tag) {
        return Response::empty(304).with("ETag", &tag);
    }
    Response::file(node.content.clone().unwrap_or_default())
        .with("ETag", &tag)
        .with("Dropbox-API-Result", &format::header_json(metadata))
}
