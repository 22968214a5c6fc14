//! Requests about workspaces and folders.

use serde_json::Value;
use serde_json::json;

use super::model::Sheets;
use super::responses::error;
use super::responses::index_page;
use super::responses::method_not_supported;
use super::responses::not_found;
use super::responses::success;
use super::responses::token_page;
use super::sheets::describe_sheet;
use crate::http::Request;
use crate::http::Response;

/// Handles `/workspaces`. `parts` are the segments after it.
pub(super) fn respond_workspace(
    sheets: &mut Sheets,
    request: &Request,
    parts: &[&str],
    page_size: usize,
) -> Response {
    let Some((id, rest)) = parts.split_first() else {
        return match request.method.as_str() {
            "GET" => list_workspaces(sheets, request, page_size),
            "POST" => create(sheets, request, None),
            _ => method_not_supported(),
        };
    };
    let found = id.parse().ok();
    let found = found.and_then(|id: u64| sheets.workspaces.iter().find(|space| space.id == id));
    let Some(workspace) = found else { return not_found() };
    let (id, body) = (workspace.id, describe(workspace.id, &workspace.name, "workspaces"));
    match (request.method.as_str(), rest) {
        ("GET", ["metadata"]) => Response::json(200, &body),
        ("GET", ["children"]) => list_children(sheets, request, id, page_size),
        ("POST", ["folders"]) => create(sheets, request, Some(id)),
        ("DELETE", []) => {
            sheets.remove(id);
            success(Value::Null)
        }
        (_, [] | ["metadata" | "children" | "folders"]) => method_not_supported(),
        _ => not_found(),
    }
}

/// Handles `/folders`. `parts` are the segments after it.
pub(super) fn respond_folder(
    sheets: &mut Sheets,
    request: &Request,
    parts: &[&str],
    page_size: usize,
) -> Response {
    let Some((id, rest)) = parts.split_first() else { return not_found() };
    let found = id.parse().ok();
    let found = found.and_then(|id: u64| sheets.folders.iter().find(|folder| folder.id == id));
    let Some(folder) = found else { return not_found() };
    let (id, parent) = (folder.id, folder.parent);
    let body = describe(folder.id, &folder.name, "folders");
    match (request.method.as_str(), rest) {
        ("GET", ["metadata"]) => Response::json(200, &body),
        ("GET", ["path"]) => {
            Response::json(200, &wrap_in_parents(sheets, Some(parent), "folders", body))
        }
        ("GET", ["children"]) => list_children(sheets, request, id, page_size),
        ("POST", ["folders"]) => create(sheets, request, Some(id)),
        ("DELETE", []) => {
            sheets.remove(id);
            success(Value::Null)
        }
        (_, [] | ["metadata" | "path" | "children" | "folders"]) => method_not_supported(),
        _ => not_found(),
    }
}

/// Returns a workspace or folder.
fn describe(id: u64, name: &str, path: &str) -> Value {
    let permalink = format!("https://app.smartsheet.com/{path}/key{id}");
    json!({"id": id, "name": name, "accessLevel": "OWNER", "permalink": permalink})
}

/// Lists the workspaces. The older numbered pages remain without `paginationType=token`.
fn list_workspaces(sheets: &Sheets, request: &Request, page_size: usize) -> Response {
    let items = sheets.workspaces.iter();
    let items: Vec<Value> =
        items.map(|workspace| describe(workspace.id, &workspace.name, "workspaces")).collect();
    match request.parameter("paginationType") {
        Some("token") => token_page(&items, request, page_size),
        _ => index_page(&items, request, page_size),
    }
}

/// Lists the sheets and folders in a workspace or folder.
fn list_children(sheets: &Sheets, request: &Request, parent: u64, page_size: usize) -> Response {
    let kinds = request.parameter("childrenResourceTypes").unwrap_or("sheets,folders");
    let mut items = Vec::new();
    if kinds.split(',').any(|kind| kind == "sheets") {
        let inner = sheets.sheets.iter().filter(|sheet| sheet.parent == Some(parent));
        items.extend(inner.map(|sheet| with_type(describe_sheet(sheet), "sheet")));
    }
    if kinds.split(',').any(|kind| kind == "folders") {
        let inner = sheets.folders.iter().filter(|folder| folder.parent == parent);
        let describe = |folder: &super::Folder| describe(folder.id, &folder.name, "folders");
        items.extend(inner.map(|folder| with_type(describe(folder), "folder")));
    }
    token_page(&items, request, page_size)
}

/// Adds the type of an entry.
fn with_type(mut item: Value, kind: &str) -> Value {
    item["resourceType"] = kind.into();
    item
}

/// Creates a workspace, or a folder in `parent`. Names are not unique.
fn create(sheets: &mut Sheets, request: &Request, parent: Option<u64>) -> Response {
    let body = request.json();
    let Some(name) = body["name"].as_str().filter(|name| !name.is_empty()) else {
        return error(400, 1012, "A required object attribute is missing from your request: name.");
    };
    match parent {
        None => success(describe(sheets.add_workspace(name), name, "workspaces")),
        Some(parent) => success(describe(sheets.add_folder(parent, name), name, "folders")),
    }
}

/// Returns the path to an object: the workspace, in it the folders, and in the last the object in the
/// array `field`.
pub(super) fn wrap_in_parents(
    sheets: &Sheets,
    parent: Option<u64>,
    field: &str,
    leaf: Value,
) -> Value {
    let with = |mut container: Value| {
        container[field] = json!([leaf]);
        container
    };
    let folder = sheets.folders.iter().find(|folder| Some(folder.id) == parent);
    if let Some(folder) = folder {
        let container = with(describe(folder.id, &folder.name, "folders"));
        return wrap_in_parents(sheets, Some(folder.parent), "folders", container);
    }
    let workspace = sheets.workspaces.iter().find(|workspace| Some(workspace.id) == parent);
    match workspace {
        Some(workspace) => with(describe(workspace.id, &workspace.name, "workspaces")),
        None => with(json!({})),
    }
}
