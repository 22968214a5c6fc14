//! Changes that a folder client makes: the request of each and the expected state after it. A plan
//! returns None if the current state does not allow the change.

use serde_json::Value;
use serde_json::json;

use super::expected_state::Document;
use super::expected_state::ExpectedState;
use crate::server_process::test_users;

/// A change: the request and the expected state after it.
pub struct PlannedChange {
    pub method: &'static str,
    /// Path below the base URL of the server.
    pub path: String,
    pub body: Value,
    /// Expected state if the change takes effect.
    pub after: ExpectedState,
}

/// A function that plans change number `step` of the client of the folder `home`.
pub type PlanChange = fn(&ExpectedState, home: &str, step: u64) -> Option<PlannedChange>;

/// All kinds of changes except the creation of documents.
pub const CHANGE_KINDS: [(&str, PlanChange); 17] = [
    ("rename", plan_rename),
    ("create a managed folder", plan_create_managed_folder),
    ("save", plan_save),
    ("move", plan_move),
    ("move into a managed folder", plan_move_into_managed_folder),
    ("share", plan_share),
    ("rename and move", plan_rename_and_move),
    ("trash", plan_trash),
    ("move a managed folder", plan_move_managed_folder),
    ("restore", plan_restore),
    ("save once more", plan_save),
    ("rename a managed folder", plan_rename_managed_folder),
    ("restore a version", plan_restore_version),
    ("trash a managed folder", plan_trash_managed_folder),
    ("expunge", plan_expunge),
    ("restore a managed folder", plan_restore_managed_folder),
    ("expunge a managed folder", plan_expunge_managed_folder),
];

/// Returns the path of one of the matching documents, and the document. `step` selects one of them.
/// Returns None if no document matches.
fn select_document(
    state: &ExpectedState,
    step: u64,
    matches_filter: impl Fn(&Document) -> bool,
) -> Option<(String, Document)> {
    let candidates: Vec<_> =
        state.documents.iter().filter(|(_, document)| matches_filter(document)).collect();
    let (path, document) = *candidates.get(step as usize % candidates.len().max(1))?;
    Some((path.clone(), document.clone()))
}

/// Returns a document that is neither in the trash nor in a managed folder.
fn select_unmanaged_document(state: &ExpectedState, step: u64) -> Option<(String, Document)> {
    select_document(state, step, |document| {
        !document.trashed && !state.is_in_managed_folder(document)
    })
}

/// Returns a document that is not in the trash.
fn select_live_document(state: &ExpectedState, step: u64) -> Option<(String, Document)> {
    select_document(state, step, |document| !document.trashed)
}

/// Returns a change after which the document at a path has the given state. `suffix` is the part of
/// the request path after the path of the document.
fn change_document(
    state: &ExpectedState,
    path: String,
    document: Document,
    method: &'static str,
    suffix: &str,
    body: Value,
) -> PlannedChange {
    let mut after = state.clone();
    let request_path = format!("{path}{suffix}");
    after.documents.insert(path, document);
    PlannedChange { method, path: request_path, body, after }
}

/// Returns the path of a folder that is not a managed one. It changes every seven steps.
pub fn folder_path(home: &str, step: u64) -> String {
    format!("{home}/Folder {}", step / 7)
}

fn plan_rename(state: &ExpectedState, _: &str, step: u64) -> Option<PlannedChange> {
    let (path, mut document) = select_live_document(state, step)?;
    document.title = format!("Title {step}");
    let body = json!({ "title": document.title });
    Some(change_document(state, path, document, "PATCH", "", body))
}

fn plan_move(state: &ExpectedState, home: &str, step: u64) -> Option<PlannedChange> {
    let (path, mut document) = select_unmanaged_document(state, step)?;
    document.folder = folder_path(home, step);
    let body = json!({ "folder": document.folder });
    Some(change_document(state, path, document, "POST", "/move", body))
}

fn plan_move_into_managed_folder(
    state: &ExpectedState,
    _: &str,
    step: u64,
) -> Option<PlannedChange> {
    let (path, mut document) = select_unmanaged_document(state, step)?;
    document.folder = select_managed_folder(state, step, false)?;
    let body = json!({ "folder": document.folder });
    Some(change_document(state, path, document, "POST", "/move", body))
}

fn plan_rename_and_move(state: &ExpectedState, home: &str, step: u64) -> Option<PlannedChange> {
    let (path, mut document) = select_unmanaged_document(state, step)?;
    (document.title, document.folder) = (format!("Title {step}"), folder_path(home, step));
    let body = json!({ "title": document.title, "folder": document.folder });
    Some(change_document(state, path, document, "PATCH", "", body))
}

fn plan_trash(state: &ExpectedState, _: &str, step: u64) -> Option<PlannedChange> {
    let (path, mut document) = select_unmanaged_document(state, step)?;
    document.trashed = true;
    Some(change_document(state, path, document, "DELETE", "", Value::Null))
}

fn plan_restore(state: &ExpectedState, _: &str, step: u64) -> Option<PlannedChange> {
    let (path, mut document) = select_document(state, step, |document| {
        document.trashed && !state.is_in_managed_folder(document)
    })?;
    document.trashed = false;
    Some(change_document(state, path, document, "POST", "", json!({ "action": "restore" })))
}

fn plan_expunge(state: &ExpectedState, _: &str, step: u64) -> Option<PlannedChange> {
    let (path, _) = select_document(state, step, |document| !state.is_in_managed_folder(document))?;
    let mut after = state.clone();
    after.documents.remove(&path);
    let path = format!("{path}?expunge=1");
    Some(PlannedChange { method: "DELETE", path, body: Value::Null, after })
}

fn plan_save(state: &ExpectedState, _: &str, step: u64) -> Option<PlannedChange> {
    let (path, mut document) = select_live_document(state, step)?;
    (document.title, document.value) = (format!("Saved {step}"), Some(step));
    let data = json!([{ "label": "a", "value": step }]);
    let body = json!({ "title": document.title, "data": data, "final_save": true });
    Some(change_document(state, path, document, "PUT", "", body))
}

/// Plans a restore of a version with another value than the current one.
fn plan_restore_version(state: &ExpectedState, _: &str, step: u64) -> Option<PlannedChange> {
    let other_version = |document: &Document| {
        document
            .versions
            .iter()
            .find(|(_, value)| document.value != Some(**value))
            .map(|(n, v)| (*n, *v))
    };
    let (path, mut document) = select_document(state, step, |document| {
        !document.trashed && other_version(document).is_some()
    })?;
    let (number, value) = other_version(&document)?;
    (document.value, document.title) = (Some(value), format!("Saved {value}"));
    let suffix = format!("/history/{number}/restore");
    Some(change_document(state, path, document, "POST", &suffix, json!({})))
}

/// Grants Ben read access, then write access, then none.
fn plan_share(state: &ExpectedState, _: &str, step: u64) -> Option<PlannedChange> {
    let (path, mut document) = select_live_document(state, step)?;
    let (_, id) = path.rsplit_once('/')?;
    let (owner, user) = (&test_users()[0].id, &test_users()[1].id);
    let (method, mode) = match document.mode.as_deref() {
        None => ("POST", Some("r")),
        Some("r") => ("PATCH", Some("w")),
        Some(_) => ("DELETE", None),
    };
    let mut body = json!({ "owner": owner, "document": id, "user_id": user });
    if let Some(mode) = mode {
        body["mode"] = mode.into();
    }
    document.mode = mode.map(str::to_owned);
    let after = change_document(state, path, document, method, "", body);
    Some(PlannedChange { path: "/api/v1/share".to_owned(), ..after })
}

/// Returns the path of one of the managed folders that are in the trash or not.
fn select_managed_folder(state: &ExpectedState, step: u64, in_trash: bool) -> Option<String> {
    let candidates: Vec<_> =
        state.managed_folders.iter().filter(|entry| *entry.1 == in_trash).collect();
    candidates.get(step as usize % candidates.len().max(1)).map(|entry| entry.0.clone())
}

/// Returns a change of a managed folder.
fn change_managed_folder(
    folder: &str,
    method: &'static str,
    query: &str,
    body: Value,
    after: ExpectedState,
) -> PlannedChange {
    let (owner, folder) = (&test_users()[0].id, folder.replace(' ', "%20"));
    PlannedChange {
        method,
        path: format!("/api/v1/users/{owner}/folders{folder}{query}"),
        body,
        after,
    }
}

fn plan_create_managed_folder(
    state: &ExpectedState,
    home: &str,
    step: u64,
) -> Option<PlannedChange> {
    if state.managed_folders.len() > 3 {
        return None;
    }
    let (folder, mut after) = (format!("{home}/Shelf {step}"), state.clone());
    after.managed_folders.insert(folder.clone(), false);
    Some(change_managed_folder(&folder, "PUT", "", json!({}), after))
}

/// Returns the state after a managed folder and its documents have another path.
fn state_after_folder_move(state: &ExpectedState, from: &str, to: &str) -> ExpectedState {
    let mut after = state.clone();
    for document in after.documents_in(from) {
        document.folder = document.folder.replacen(from, to, 1);
    }
    after.managed_folders.remove(from);
    after.managed_folders.insert(to.to_owned(), false);
    after
}

fn plan_move_managed_folder(state: &ExpectedState, home: &str, step: u64) -> Option<PlannedChange> {
    let from = select_managed_folder(state, step, false)?;
    let to = format!("{home}/Depot {step}/Shelf {step}");
    Some(change_managed_folder(
        &from,
        "PUT",
        "",
        json!({ "name": to }),
        state_after_folder_move(state, &from, &to),
    ))
}

fn plan_rename_managed_folder(state: &ExpectedState, _: &str, step: u64) -> Option<PlannedChange> {
    let from = select_managed_folder(state, step, false)?;
    let title = format!("Shelf {step}");
    let to = format!("{}/{title}", from.rsplit_once('/')?.0);
    Some(change_managed_folder(
        &from,
        "PUT",
        "",
        json!({ "title": title }),
        state_after_folder_move(state, &from, &to),
    ))
}

/// Returns the state after a managed folder and its documents are moved into the trash or restored.
fn state_after_folder_trash(state: &ExpectedState, folder: &str, trashed: bool) -> ExpectedState {
    let mut after = state.clone();
    after.documents_in(folder).for_each(|document| document.trashed = trashed);
    after.managed_folders.insert(folder.to_owned(), trashed);
    after
}

fn plan_trash_managed_folder(state: &ExpectedState, _: &str, step: u64) -> Option<PlannedChange> {
    let folder = select_managed_folder(state, step, false)?;
    Some(change_managed_folder(
        &folder,
        "DELETE",
        "",
        Value::Null,
        state_after_folder_trash(state, &folder, true),
    ))
}

fn plan_restore_managed_folder(state: &ExpectedState, _: &str, step: u64) -> Option<PlannedChange> {
    let folder = select_managed_folder(state, step, true)?;
    Some(change_managed_folder(
        &folder,
        "POST",
        "",
        json!({ "action": "restore" }),
        state_after_folder_trash(state, &folder, false),
    ))
}

fn plan_expunge_managed_folder(state: &ExpectedState, _: &str, step: u64) -> Option<PlannedChange> {
    if state.managed_folders.len() < 3 {
        return None;
    }
    let folder = select_managed_folder(state, step, true)
        .or_else(|| select_managed_folder(state, step, false))?;
    let mut after = state.clone();
    after.managed_folders.remove(&folder);
    after.documents.retain(|_, document| document.folder != folder);
    Some(change_managed_folder(&folder, "DELETE", "?expunge=1", Value::Null, after))
}
