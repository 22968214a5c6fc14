//! Entries of listings: folders and documents as lists present them.

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::store;
use super::store::NodeRow;
use super::team_folders;
use crate::features::access::AccessLevel;
use crate::features::access::Caller;
use crate::features::documents;
use crate::features::sync_jobs;
use crate::features::sync_jobs::DocumentSync;
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
pub struct ListingEntry {
    /// `folder` or `document`: name of the field that holds the object.
    #[serde(rename = "type")]
    pub kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub folder: Option<FolderEntry>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub document: Option<DocumentEntry>,
    pub urls: ListingEntryUrls,
    /// Strong entity tag with quotes, valid in `If-Match` at `urls.endpoint`.
    pub etag: String,
    /// Search only: matching text as HTML.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub highlight: Option<String>,
    /// Documents in lists for a signed-in user: whether this user has starred the document.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub starred: Option<bool>,
    /// Shared nodes only: owner.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owner: Option<ListingOwner>,
    /// Shared nodes only: access of the caller, `r` or `w`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<&'static str>,
    /// Shared nodes only: time when the node was shared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shared_at: Option<Timestamp>,
}

impl ListingEntry {
    /// Returns the node id of the folder or document in the entry. None if it has neither.
    pub fn id(&self) -> Option<&NodeId> {
        let folder = self.folder.as_ref().map(|folder| &folder.id);
        folder.or(self.document.as_ref().map(|document| &document.id))
    }
}

/// The owner of a shared node.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "ListingOwner")]
pub struct ListingOwner {
    pub id: AccountId,
    pub name: String,
    pub avatar_url: String,
}

/// Addresses of an entry.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ListingEntryUrls {
    /// Page for browsers.
    pub view: String,
    pub endpoint: String,
    /// Documents only: address of the thumbnail.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thumbnail: Option<String>,
}

/// A folder without its access entries.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FolderEntry {
    /// Node id. Not part of the JSON because paths identify folders.
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
    /// Time of the move to the trash. Absent outside the trash.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deleted_at: Option<Timestamp>,
    /// Access of the caller: `r` (read) or `w` (read and write).
    pub mode: &'static str,
    /// Number of documents directly in the folder.
    pub document_count: i64,
    /// Number of folders directly in the folder that the caller may read.
    pub folder_count: i64,
    pub urls: FolderEntryUrls,
}

/// Addresses of a folder.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct FolderEntryUrls {
    /// Page for browsers.
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
    /// Absolute path of the parent folder. `/` is the root.
    pub folder: String,
    /// UUID of the chart kind.
    pub plugin_id: String,
    pub title: String,
    /// Theme name.
    pub theme: String,
    #[serde(rename = "isPublic")]
    pub is_public: bool,
    /// Version of the document schema.
    pub version: i64,
    pub created: Timestamp,
    pub updated: Timestamp,
    /// Account id.
    pub updated_by: String,
    /// Time of the move to the trash. Absent outside the trash.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deleted_at: Option<Timestamp>,
    /// Number of the newest version in the history.
    pub history_version: i64,
    /// Access of the caller: `r` (read) or `w` (read and write).
    pub mode: &'static str,
    pub urls: documents::DocumentUrls,
    /// Only for a document with a source that keeps its data up to date.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sync: Option<DocumentSync>,
}

/// Loads the entries of nodes in the given order, each with the caller's access to it.
///
/// The function trusts the given access levels and does not check them again. Nodes that do not
/// exist are left out. `caller` decides which team folders the folder counts include.
pub fn load_entries(
    tx: &Tx<'_>,
    base_url: &str,
    caller: &Caller,
    nodes: &[(NodeId, AccessLevel)],
) -> Result<Vec<ListingEntry>> {
    let ids: Vec<&NodeId> = nodes.iter().map(|(id, _)| id).collect();
    let rows = store::load_node_rows(tx, &ids)?.into_iter();
    let with_level = |row: NodeRow| nodes.get(row.index).map(|(_, level)| (*level, row));
    build_entries(tx, base_url, caller, rows.filter_map(with_level).collect())
}

/// Builds the entries of loaded nodes in the given order, each with the caller's access to it. See
/// [`load_entries`].
pub(super) fn build_entries(
    tx: &Tx<'_>,
    base_url: &str,
    caller: &Caller,
    mut rows: Vec<(AccessLevel, NodeRow)>,
) -> Result<Vec<ListingEntry>> {
    team_folders::exclude_closed_from_counts(tx, caller, rows.iter_mut().map(|(_, row)| row))?;
    let ids: Vec<&NodeId> = rows.iter().map(|(_, row)| &row.id).collect();
    let starred = match &caller.user {
        Some(user) => Some(store::list_starred(tx, &user.id, &ids)?),
        None => None,
    };
    let mut syncs = sync_jobs::list_document_syncs(tx, &ids)?;
    let mut folders: HashMap<Option<NodeId>, FolderPath> = HashMap::new();
    let mut entries = Vec::with_capacity(rows.len());
    for (level, row) in rows {
        let folder = match (&row.trash_path, folders.get(&row.parent)) {
            (Some(path), _) => FolderPath::parse(path).unwrap_or_default(),
            (None, Some(known)) => known.clone(),
            (None, None) => {
                let path = tree::folder_path(tx, row.parent.as_ref())?;
                folders.insert(row.parent.clone(), path.clone());
                path
            }
        };
        let etag = format!("\"{}\"", tree::entity_tag(tx.restore_epoch, &row.id, row.revision));
        let starred = match &starred {
            Some(starred) if !row.is_folder => Some(starred.contains(&row.id)),
            _ => None,
        };
        let sync = syncs.remove(&row.id).map(|sync| sync.visible_to(level));
        let mut entry = build_entry(base_url, row, &folder, level);
        if let Some(document) = &mut entry.document {
            document.sync = sync;
        }
        entries.push(ListingEntry { etag, starred, ..entry });
    }
    Ok(entries)
}

/// Builds an entry without its entity tag and without the fields for search and shared nodes.
/// `folder` is the path of the parent folder, `level` the caller's access.
fn build_entry(
    base_url: &str,
    row: NodeRow,
    folder: &FolderPath,
    level: AccessLevel,
) -> ListingEntry {
    let mut entry = ListingEntry {
        kind: "folder",
        folder: None,
        document: None,
        urls: ListingEntryUrls { view: String::new(), endpoint: String::new(), thumbnail: None },
        etag: String::new(),
        highlight: None,
        starred: None,
        owner: None,
        mode: None,
        shared_at: None,
    };
    if row.is_folder {
        let folder = build_folder_entry(base_url, row, folder, level);
        entry.urls.view.clone_from(&folder.urls.view);
        entry.urls.endpoint.clone_from(&folder.urls.endpoint);
        entry.folder = Some(folder);
        return entry;
    }
    let urls = documents::document_urls(base_url, &row.owner, &row.id, folder);
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
        sync: None,
    });
    entry
}

/// Builds the folder object of an entry. `parent` is the path of the parent folder.
fn build_folder_entry(
    base_url: &str,
    row: NodeRow,
    parent: &FolderPath,
    level: AccessLevel,
) -> FolderEntry {
    let name = parent.join(&row.title);
    let path = parent.child(&row.title);
    FolderEntry {
        urls: FolderEntryUrls {
            view: tree::folder_page_url(base_url, &row.owner, &path),
            endpoint: tree::folder_api_url(base_url, &row.owner, &path),
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
