//! The form of drives and items in responses.

use serde_json::Value;
use serde_json::json;

use super::context::DRIVE;
use super::context::NOTEBOOK;
use super::context::SHARED_DRIVE;
use super::context::SHARED_ROOT;
use super::context::SHORTCUT;
use crate::tree::Node;
use crate::tree::Tree;

/// Returns the id of the node with a number. Ids grow with their numbers.
pub(super) fn make_id(number: u64) -> String {
    format!("01STANDIN{number:025}")
}

/// Returns the id of the root folder of a drive.
fn root_id(drive: &str) -> String {
    make_id(if drive == DRIVE { 0 } else { u64::MAX })
}

/// Returns the key of the root folder of a drive in the tree.
pub(super) fn root_key(drive: &str) -> &'static str {
    if drive == DRIVE { "root" } else { SHARED_ROOT }
}

/// Returns the key in the tree of an id in a request: `root`, [`SHARED_ROOT`] or the id of a node. None if
/// the drive has no such item.
pub(super) fn find_key(tree: &Tree, drive: &str, id: &str) -> Option<String> {
    if id == "root" || id == root_id(drive) {
        return Some(root_key(drive).to_owned());
    }
    let node = tree.find(id)?;
    (drive_of(tree, &node.id) == drive).then(|| node.id.clone())
}

/// Returns the drive of a key.
fn drive_of(tree: &Tree, key: &str) -> &'static str {
    match tree.find(key) {
        Some(node) => drive_of(tree, &node.parent),
        None if key == SHARED_ROOT => SHARED_DRIVE,
        None => DRIVE,
    }
}

/// Returns the eTag of a node, which changes with each change.
pub(super) fn e_tag(node: &Node) -> String {
    format!("\"{{{}}},{}\"", unique_id(node), node.change)
}

/// Returns the cTag of a node, which changes with its content.
pub(super) fn c_tag(node: &Node) -> String {
    format!("\"c:{{{}}},{}\"", unique_id(node), node.version)
}

/// Returns the UUID of a node.
fn unique_id(node: &Node) -> String {
    let digits = node.id.get(node.id.len().saturating_sub(12)..).unwrap_or_default();
    format!("00000000-0000-4000-8000-{digits}")
}

/// Returns a drive.
pub(super) fn drive(id: &str) -> Value {
    json!({
        "@odata.context": "https://graph.microsoft.com/v1.0/$metadata#drives/$entity",
        "createdDateTime": "2026-01-02T03:04:05Z",
        "description": "",
        "id": id,
        "lastModifiedDateTime": "2026-01-02T03:04:05Z",
        "name": "OneDrive",
        "webUrl": "https://example-my.sharepoint.com/personal/ann/Documents",
        "driveType": "business",
        "owner": {"user": {"displayName": "Ann Example", "email": "ann@example.com"}},
        "quota": {
            "deleted": 0, "remaining": 1_000_000_000_u64, "state": "normal",
            "total": 1_000_000_000_u64, "used": 0,
        },
    })
}

/// Returns the item with a key. `download_url` is that of the content of a file.
pub(super) fn item(tree: &Tree, key: &str, download_url: &str) -> Value {
    let Some(node) = tree.find(key) else { return root(tree, drive_of(tree, key)) };
    let mut value = base(&node.id, &node.name, node.change);
    if let Some(time) = &node.modified {
        value["lastModifiedDateTime"] = time.as_str().into();
        value["fileSystemInfo"]["lastModifiedDateTime"] = time.as_str().into();
    }
    value["eTag"] = e_tag(node).into();
    value["parentReference"] = parent_reference(tree, node);
    if node.media_type == SHORTCUT {
        let target = node.link.as_deref().unwrap_or_default();
        let mut remote = item(tree, target, download_url);
        if let Some(remote) = remote.as_object_mut() {
            remote.retain(|name, _| !name.ends_with("Tag") && !name.contains('@'));
        }
        value["remoteItem"] = remote;
        value["size"] = 0.into();
    } else if node.media_type == NOTEBOOK {
        value["package"] = json!({"type": NOTEBOOK});
        value["size"] = 0.into();
    } else if let Some(content) = &node.content {
        value["@microsoft.graph.downloadUrl"] = download_url.into();
        value["cTag"] = c_tag(node).into();
        value["size"] = content.len().into();
        value["file"] = json!({"mimeType": node.media_type, "hashes": {}});
    } else {
        value["size"] = 0.into();
        value["folder"] = json!({"childCount": tree.children(key).len()});
    }
    value
}

/// Returns the root folder of a drive.
fn root(tree: &Tree, drive: &str) -> Value {
    let mut value = base(&root_id(drive), "root", 0);
    value["size"] = 0.into();
    value["parentReference"] = json!({"driveType": "business", "driveId": drive});
    value["folder"] = json!({"childCount": tree.children(root_key(drive)).len()});
    value["root"] = json!({});
    value
}

/// Returns the properties that all items have.
fn base(id: &str, name: &str, change: u64) -> Value {
    let time = format!("2026-01-02T03:{:02}:{:02}Z", change / 60 % 60, change % 60);
    let user = json!({"user": {"id": "87d349ed", "displayName": "Ann Example"}});
    json!({
        "createdDateTime": "2026-01-02T03:00:00Z",
        "id": id,
        "lastModifiedDateTime": time,
        "name": name,
        "webUrl": format!("https://example-my.sharepoint.com/personal/ann/Documents/{id}"),
        "createdBy": user,
        "lastModifiedBy": user,
        "fileSystemInfo": {
            "createdDateTime": "2026-01-02T03:00:00Z",
            "lastModifiedDateTime": time,
        },
    })
}

/// Returns the reference of a node to its folder.
fn parent_reference(tree: &Tree, node: &Node) -> Value {
    let drive = drive_of(tree, &node.id);
    let mut names = Vec::new();
    let mut parent = tree.find(&node.parent);
    while let Some(folder) = parent {
        names.insert(0, folder.name.clone());
        parent = tree.find(&folder.parent);
    }
    let mut path = format!("/drives/{drive}/root:");
    for name in &names {
        path.push('/');
        path.push_str(name);
    }
    let id = tree.find(&node.parent).map_or_else(|| root_id(drive), |folder| folder.id.clone());
    json!({
        "driveType": "business",
        "driveId": drive,
        "id": id,
        "name": names.last().map_or("Documents", String::as_str),
        "path": path,
    })
}

/// Keeps only the properties that `$select` names. Annotations stay.
pub(super) fn select(mut item: Value, names: Option<&str>) -> Value {
    if let (Some(names), Some(item)) = (names, item.as_object_mut()) {
        let names: Vec<&str> = names.split(',').map(str::trim).collect();
        item.retain(|name, _| name.starts_with("@odata.") || names.contains(&name.as_str()));
    }
    item
}
