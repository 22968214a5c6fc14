//! Workspaces, folders, and sheets as folders.

use form_urlencoded::Serializer;
use serde_json::json;

use super::attachments;
use super::delete;
use super::get;
use super::ids::Id;
use super::post;
use super::responses::Item;
use super::responses::PathNode;
use super::responses::TokenPage;
use crate::error::CloudError;
use crate::error::CloudResult;
use crate::model::Entry;
use crate::model::EntryKind;
use crate::model::Folder;
use crate::model::Page;
use crate::session::Session;

/// Number of entries that a page should have.
const PAGE_SIZE: u32 = 100;
/// Maximum number of pages in which to look for a name.
const MAX_PAGES: usize = 50;

/// Error for the id of a file in place of a folder.
const FILE: CloudError = CloudError::WrongType("the id is that of a file, not of a folder");

/// Returns a workspace, folder or sheet.
pub(in super::super) fn folder(session: &Session<'_>, id: &str) -> CloudResult<Folder> {
    let parsed = Id::parse(id)?;
    let path: PathNode = match parsed {
        Id::Root => {
            let (id, name) = (parsed.to_string(), String::new());
            return Ok(Folder { id, name, parent_id: None });
        }
        Id::Workspace(number) => {
            let item: Item = get(session, &format!("workspaces/{number}/metadata"))?;
            let parent_id = Some(Id::Root.to_string());
            return Ok(Folder { id: parsed.to_string(), name: item.name, parent_id });
        }
        Id::Folder(number) => get(session, &format!("folders/{number}/path"))?,
        Id::Sheet(number) => get(session, &format!("sheets/{number}/path"))?,
        Id::Attachment { .. } => return Err(FILE),
    };
    find_in_path(&path, parsed).ok_or(CloudError::Unreadable)
}

/// Returns the folder or sheet at the end of a path. None if it is not there. Without the right to see the
/// workspace, a path may begin with a folder or with an object without id.
fn find_in_path(path: &PathNode, wanted: Id) -> Option<Folder> {
    let describe = |node: &PathNode, parent_id: Option<String>| Folder {
        id: wanted.to_string(),
        name: node.name.clone(),
        parent_id,
    };
    let permalink = path.permalink.as_deref().unwrap_or_default();
    let mut id = match permalink.contains("/folders/") {
        true => path.id.map(Id::Folder),
        false => path.id.map(Id::Workspace),
    };
    let (mut node, mut parent_id) = (path, None);
    loop {
        if id == Some(wanted) {
            return Some(describe(node, parent_id));
        }
        parent_id = id.map(|id| id.to_string());
        if let Some(sheet) =
            node.sheets.iter().find(|sheet| sheet.id.map(Id::Sheet) == Some(wanted))
        {
            return Some(describe(sheet, parent_id));
        }
        node = node.folders.first()?;
        id = node.id.map(Id::Folder);
    }
}

/// Lists the workspaces, a workspace, a folder or a sheet.
pub(in super::super) fn list_folder(
    session: &Session<'_>,
    id: &str,
    cursor: Option<&str>,
) -> CloudResult<Page> {
    let id = Id::parse(id)?;
    match id {
        Id::Attachment { .. } => return Err(FILE),
        Id::Sheet(sheet) => return attachments::list_attachments(session, sheet, cursor),
        Id::Root | Id::Workspace(_) | Id::Folder(_) => {}
    }
    let page = match list_items(session, id, "sheets,folders", cursor) {
        Err(CloudError::Rejected { status: 400, .. }) if cursor.is_some() => {
            return Err(CloudError::CursorExpired);
        }
        result => result?,
    };
    let mut entries = Vec::new();
    for item in page.data {
        add_entries(&mut entries, id, item);
    }
    // The sort is stable: folders first, each kind in the order of Smartsheet.
    entries.sort_by_key(|entry| entry.kind == EntryKind::File);
    Ok(Page { entries, cursor: page.last_key })
}

/// Requests a part of the workspaces, or of the folders and sheets in a workspace or folder.
fn list_items(
    session: &Session<'_>,
    parent: Id,
    kinds: &str,
    cursor: Option<&str>,
) -> CloudResult<TokenPage<Item>> {
    let mut query = Serializer::new(String::new());
    query.append_pair("maxItems", &PAGE_SIZE.to_string());
    if let Some(cursor) = cursor {
        query.append_pair("lastKey", cursor);
    }
    let path = match parent {
        Id::Workspace(id) => format!("workspaces/{id}/children"),
        Id::Folder(id) => format!("folders/{id}/children"),
        _ => "workspaces".to_owned(),
    };
    match parent {
        Id::Workspace(_) | Id::Folder(_) => query.append_pair("childrenResourceTypes", kinds),
        _ => query.append_pair("paginationType", "token"),
    };
    let mut page: TokenPage<Item> = get(session, &format!("{path}?{}", query.finish()))?;
    page.last_key = page.last_key.filter(|key| !key.is_empty());
    Ok(page)
}

/// Adds a workspace, folder or sheet to the entries of a page. Adds a sheet as a folder and as a file.
/// Ignores other types, such as reports.
fn add_entries(entries: &mut Vec<Entry>, parent: Id, item: Item) {
    let id = match (parent, item.resource_type.as_deref()) {
        (Id::Root, _) => Id::Workspace(item.id),
        (_, Some("folder")) => Id::Folder(item.id),
        (_, Some("sheet")) => Id::Sheet(item.id),
        _ => return,
    };
    let entry = Entry {
        kind: EntryKind::Folder,
        id: id.to_string(),
        name: item.name,
        size: None,
        modified: item.modified_at,
        revision: None,
        is_spreadsheet: false,
    };
    if matches!(id, Id::Sheet(_)) {
        entries.push(Entry { kind: EntryKind::File, is_spreadsheet: true, ..entry.clone() });
    }
    entries.push(entry);
}

/// Creates a workspace in the root, or a folder in a workspace or folder. Looks for the name first,
/// because Smartsheet permits equal names.
pub(in super::super) fn create_folder(
    session: &Session<'_>,
    parent_id: &str,
    name: &str,
) -> CloudResult<Folder> {
    let parent = Id::parse(parent_id)?;
    let path = match parent {
        Id::Root => "workspaces".to_owned(),
        Id::Workspace(id) => format!("workspaces/{id}/folders"),
        Id::Folder(id) => format!("folders/{id}/folders"),
        Id::Sheet(_) => return Err(CloudError::WrongType("a sheet cannot contain folders")),
        Id::Attachment { .. } => return Err(FILE),
    };
    if has_folder(session, parent, name)? {
        return Err(CloudError::NameConflict);
    }
    let body = json!({"name": name}).to_string();
    let item: Item = post(session, &path, "application/json", body.as_bytes())?;
    let id = match parent {
        Id::Root => Id::Workspace(item.id),
        _ => Id::Folder(item.id),
    };
    Ok(Folder { id: id.to_string(), name: item.name, parent_id: Some(parent.to_string()) })
}

/// Returns whether there is a workspace or folder with this name.
fn has_folder(session: &Session<'_>, parent: Id, name: &str) -> CloudResult<bool> {
    let mut cursor: Option<String> = None;
    for _ in 0..MAX_PAGES {
        let page = list_items(session, parent, "folders", cursor.as_deref())?;
        if page.data.iter().any(|item| item.name == name) {
            return Ok(true);
        }
        match page.last_key {
            Some(key) => cursor = Some(key),
            None => break,
        }
    }
    Ok(false)
}

/// Deletes a workspace or folder with its sheets. Refuses a sheet, because a caller that knows it as a
/// folder of files would lose its rows too.
pub(in super::super) fn delete_folder(session: &Session<'_>, id: &str) -> CloudResult<()> {
    match Id::parse(id)? {
        Id::Workspace(id) => delete(session, &format!("workspaces/{id}")),
        Id::Folder(id) => delete(session, &format!("folders/{id}")),
        Id::Root => Err(CloudError::WrongType("the list of workspaces cannot be deleted")),
        Id::Sheet(_) => Err(CloudError::WrongType(
            "a sheet can be deleted only at Smartsheet, because its rows would be deleted too",
        )),
        Id::Attachment { .. } => Err(FILE),
    }
}
