//! Entries of listings: folders and documents as lists show them.

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::store;
use super::store::Row;
use super::teams;
use crate::features::access::Caller;
use crate::features::access::Level;
use crate::features::documents;
use crate::features::tree;
use crate::features::tree::FolderPath;
use chartroom_platform::db::Tx;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;
use chartroom_platform::id::NodeId;
use chartroom_platform::time::Timestamp;

/// One entry of a listing.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ListingEntry")]
pub struct Entry {
    /// `folder` or `document`: the key of the object beside it.
    #[serde(rename = "type")]
    pub kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub folder: Option<FolderEntry>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub document: Option<DocumentEntry>,
    pub urls: EntryUrls,
    /// The strong entity tag that `If-Match` takes at `urls.endpoint`, with its quotes.
    pub etag: String,
    /// Found by a search: the place that matches.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub highlight: Option<String>,
    /// Shared by somebody else: whose it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owner: Option<Person>,
    /// Shared by somebody else: `r` or `w`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<&'static str>,
    /// Shared by somebody else: since when.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shared_at: Option<Timestamp>,
}

impl Entry {
    /// The entry's node.
    pub fn id(&self) -> Option<&NodeId> {
        let folder = self.folder.as_ref().map(|it| &it.id);
        folder.or(self.document.as_ref().map(|it| &it.id))
    }
}

/// An account as entries name it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "ListingOwner")]
pub struct Person {
    pub id: AccountId,
    pub name: String,
    pub avatar_url: String,
}

/// Where an entry's things are.
#[derive(Debug, Serialize, JsonSchema)]
pub struct EntryUrls {
    /// For the browser.
    pub view: String,
    pub endpoint: String,
    /// Of a document.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thumbnail: Option<String>,
}

/// A folder without its access entries.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FolderEntry {
    /// Not shown: folders are known by their names.
    #[serde(skip)]
    pub id: NodeId,
    /// Absolute path.
    pub name: String,
    /// The last segment of the path.
    pub title: String,
    /// Account id.
    pub owner: AccountId,
    pub created: Timestamp,
    pub updated: Timestamp,
    /// Only in the trash.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deleted_at: Option<Timestamp>,
    /// What the caller may do: `r` or `w`.
    pub mode: &'static str,
    /// Documents directly in it.
    pub document_count: i64,
    /// Folders directly in it.
    pub folder_count: i64,
    pub urls: FolderEntryUrls,
}

/// Where a folder's things are.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct FolderEntryUrls {
    /// For the browser.
    pub view: String,
    pub endpoint: String,
}

/// A document without its content.
#[derive(Debug, Serialize, JsonSchema)]
pub struct DocumentEntry {
    /// UUID.
    pub id: NodeId,
    /// Account id.
    pub owner: AccountId,
    pub owner_name: String,
    /// Absolute path; `/` is the root.
    pub folder: String,
    /// UUID of the chart kind.
    pub plugin_id: String,
    pub title: String,
    /// Name of a theme.
    pub theme: String,
    #[serde(rename = "isPublic")]
    pub is_public: bool,
    /// Schema version.
    pub version: i64,
    pub created: Timestamp,
    pub updated: Timestamp,
    /// Account id.
    pub updated_by: String,
    /// Only in the trash.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deleted_at: Option<Timestamp>,
    /// Number of the newest version.
    pub history_version: i64,
    /// What the caller may do: `r` or `w`.
    pub mode: &'static str,
    pub urls: documents::DocumentUrls,
}

/// The entries of some nodes, in their order, with what the caller may do with each: that was
/// decided before. A node that is not there has no entry.
pub fn entries(
    tx: &Tx<'_>,
    base_url: &str,
    caller: &Caller,
    nodes: &[(NodeId, Level)],
) -> Result<Vec<Entry>> {
    let ids: Vec<&NodeId> = nodes.iter().map(|(id, _)| id).collect();
    let mut rows = store::rows(tx, &ids)?;
    teams::leave_out(tx, caller, &mut rows)?;
    let mut folders: HashMap<Option<NodeId>, FolderPath> = HashMap::new();
    let mut entries = Vec::with_capacity(rows.len());
    for row in rows {
        let Some((_, level)) = nodes.get(row.place) else { continue };
        let folder = match (&row.trash_path, folders.get(&row.parent)) {
            (Some(path), _) => FolderPath::parse(path).unwrap_or_default(),
            (None, Some(known)) => known.clone(),
            (None, None) => {
                let path = tree::folder_path(tx, row.parent.as_ref())?;
                folders.insert(row.parent.clone(), path.clone());
                path
            }
        };
        entries.push(entry(base_url, row, &folder, *level));
    }
    Ok(entries)
}

fn entry(base_url: &str, row: Row, folder: &FolderPath, level: Level) -> Entry {
    let mut entry = Entry {
        kind: "folder",
        folder: None,
        document: None,
        urls: EntryUrls { view: String::new(), endpoint: String::new(), thumbnail: None },
        etag: format!("\"{}\"", tree::tag(&row.id, row.revision)),
        highlight: None,
        owner: None,
        mode: None,
        shared_at: None,
    };
    if row.is_folder {
        let folder = folder_entry(base_url, row, folder, level);
        entry.urls.view.clone_from(&folder.urls.view);
        entry.urls.endpoint.clone_from(&folder.urls.endpoint);
        entry.folder = Some(folder);
        return entry;
    }
    let urls = documents::urls(base_url, &row.owner, &row.id, folder);
    entry.kind = "document";
    entry.urls.view.clone_from(&urls.document_view);
    entry.urls.endpoint.clone_from(&urls.endpoint);
    entry.urls.thumbnail = Some(urls.thumbnail.clone());
    entry.document = Some(DocumentEntry {
        id: row.id,
        owner: row.owner,
        owner_name: row.owner_name,
        folder: folder.to_string(),
        plugin_id: row.kind,
        title: row.title,
        theme: row.theme,
        is_public: row.is_public,
        version: row.schema_version,
        created: row.created,
        updated: row.updated,
        updated_by: row.updated_by,
        deleted_at: row.deleted,
        history_version: row.history_version,
        mode: level.letter(),
        urls,
    });
    entry
}

fn folder_entry(base_url: &str, row: Row, parent: &FolderPath, level: Level) -> FolderEntry {
    let name = parent.join(&row.title);
    let path = parent.child(&row.title);
    FolderEntry {
        urls: FolderEntryUrls {
            view: tree::folder_view(base_url, &row.owner, &path),
            endpoint: tree::folder_endpoint(base_url, &row.owner, &path),
        },
        name,
        id: row.id,
        title: row.title,
        owner: row.owner,
        created: row.created,
        updated: row.updated,
        deleted_at: row.deleted,
        mode: level.letter(),
        document_count: row.documents,
        folder_count: row.folders,
    }
}
