//! Nodes as resources of versions 3 and 2 of the API.

use aws_lc_rs::digest;
use serde_json::Value;
use serde_json::json;

use super::FOLDER;
use super::ROOT_ID;
use super::SHORTCUT;
use super::errors;
use crate::State;
use crate::http::Request;
use crate::http::Response;
use crate::http::to_hex;
use crate::tree::Node;

/// Returns the id of a folder in the tree: that of the root folder is `root`.
pub(super) fn tree_id(id: &str) -> &str {
    if id == ROOT_ID { "root" } else { id }
}

/// Returns a node that the request may see, also in the trash.
///
/// # Errors
/// 404 if there is none, or if its resource key is missing.
pub(super) fn find<'a>(
    state: &'a State,
    request: &Request,
    id: &str,
) -> Result<&'a Node, Response> {
    let node = state.tree.nodes.iter().find(|node| node.id == id);
    let node = node.ok_or_else(|| errors::not_found(id))?;
    let Some(key) = resource_key(node) else { return Ok(node) };
    let wanted = format!("{id}/{key}");
    let keys = request.header("x-goog-drive-resource-keys").unwrap_or_default();
    match keys.split(',').any(|pair| pair.trim() == wanted) {
        true => Ok(node),
        false => Err(errors::not_found(id)),
    }
}

/// Returns the key without which a node is not visible.
pub(super) fn resource_key(node: &Node) -> Option<&str> {
    let (_, rest) = node.link.as_deref()?.split_once("resourcekey=")?;
    rest.split(['&', '#']).next()
}

/// Returns the media type of a node.
pub(super) fn media_type(node: &Node) -> &str {
    if node.content.is_none() { FOLDER } else { &node.media_type }
}

/// Returns whether a node is of a type of Google, so that it has no content to download.
pub(super) fn is_native(node: &Node) -> bool {
    media_type(node).starts_with("application/vnd.google-apps.")
}

/// Returns the id of the newest content.
pub(super) fn revision_id(node: &Node) -> String {
    format!("0BStandInRevision{:08}PQ", node.version)
}

/// Returns the entity tag of version 2 of the API, with its quotes.
pub(super) fn entity_tag(node: &Node) -> String {
    format!("\"MTc5NTA{:08}\"", node.change)
}

/// Returns the time of the last change of the content.
fn modified(node: &Node) -> String {
    let (seconds, minutes, hours) =
        (node.version % 60, node.version / 60 % 60, node.version / 3_600 % 24);
    let fixed = || format!("2026-01-02T{hours:02}:{minutes:02}:{seconds:02}.000Z");
    node.modified.clone().unwrap_or_else(fixed)
}

/// Returns the id of the parent as the API has it.
fn parent_id(node: &Node) -> &str {
    if node.parent == "root" { ROOT_ID } else { &node.parent }
}

/// Returns a node as a file of version 3.
pub(super) fn file(state: &State, node: &Node) -> Value {
    let is_trashed = state.tree.find(&node.id).is_none();
    let mut file = json!({
        "kind": "drive#file",
        "id": node.id,
        "name": node.name,
        "mimeType": media_type(node),
        "parents": [parent_id(node)],
        "version": node.change.to_string(),
        "createdTime": "2026-01-01T00:00:00.000Z",
        "modifiedTime": modified(node),
        "trashed": is_trashed,
        "explicitlyTrashed": node.is_trashed,
        "ownedByMe": true,
    });
    if let Some(key) = resource_key(node) {
        file["resourceKey"] = key.into();
    }
    let Some(content) = &node.content else { return file };
    if node.media_type == SHORTCUT {
        file["shortcutDetails"] = shortcut_details(state, content);
    } else {
        file["size"] = content.len().to_string().into();
    }
    if !is_native(node) {
        let hash = digest::digest(&digest::SHA256, content);
        file["headRevisionId"] = revision_id(node).into();
        file["md5Checksum"] = to_hex(md5::compute(content).as_ref()).into();
        file["sha256Checksum"] = to_hex(hash.as_ref()).into();
        file["originalFilename"] = node.name.as_str().into();
    }
    file
}

/// Returns the target of a shortcut.
fn shortcut_details(state: &State, content: &[u8]) -> Value {
    let id = String::from_utf8_lossy(content);
    let target = state.tree.nodes.iter().find(|node| node.id == id);
    let mut details = json!({"targetId": id});
    if let Some(target) = target {
        details["targetMimeType"] = media_type(target).into();
        if let Some(key) = resource_key(target) {
            details["targetResourceKey"] = key.into();
        }
    }
    details
}

/// Returns a node as a file of version 2.
pub(super) fn legacy_file(state: &State, node: &Node) -> Value {
    let new = file(state, node);
    let parent = json!({
        "kind": "drive#parentReference",
        "id": parent_id(node),
        "isRoot": node.parent == "root",
    });
    let mut file = json!({
        "kind": "drive#file",
        "id": node.id,
        "etag": entity_tag(node),
        "title": node.name,
        "mimeType": media_type(node),
        "parents": [parent],
        "version": node.change.to_string(),
        "createdDate": "2026-01-01T00:00:00.000Z",
        "modifiedDate": modified(node),
        "labels": {
            "trashed": new["trashed"],
            "starred": false,
            "hidden": false,
            "restricted": false,
            "viewed": true,
        },
        "explicitlyTrashed": node.is_trashed,
    });
    let same =
        ["headRevisionId", "shortcutDetails", "resourceKey", "md5Checksum", "sha256Checksum"];
    for (name, other) in same.into_iter().map(|name| (name, name)).chain([("fileSize", "size")]) {
        if !new[other].is_null() {
            file[name] = new[other].clone();
        }
    }
    file
}

/// Returns the root folder as a file of version 3.
pub(super) fn root() -> Value {
    json!({
        "kind": "drive#file",
        "id": ROOT_ID,
        "name": "My Drive",
        "mimeType": FOLDER,
        "version": "1",
        "createdTime": "2026-01-01T00:00:00.000Z",
        "modifiedTime": "2026-01-01T00:00:00.000Z",
        "trashed": false,
        "explicitlyTrashed": false,
        "ownedByMe": true,
    })
}
