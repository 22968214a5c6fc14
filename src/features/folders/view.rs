//! The folder object of answers.

use schemars::JsonSchema;
use serde::Serialize;

use super::store;
use crate::features::access;
use crate::features::access::Ace;
use crate::features::access::Caller;
use crate::features::access::Level;
use crate::features::access::Links;
use crate::features::access::Resource;
use crate::features::tree;
use crate::features::tree::FolderPath;
use crate::features::tree::Node;
use chartroom_platform::db::Tx;
use chartroom_platform::error::Found;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;
use chartroom_platform::id::NodeId;
use chartroom_platform::time::Timestamp;

/// A folder, without what is in it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "Folder")]
pub struct FolderView {
    /// Absolute path, by which the folder is addressed; `/` is the root.
    pub name: String,
    /// The last segment of the path; empty for the root.
    pub title: String,
    /// Account id.
    pub owner: AccountId,
    /// Of the root: when the account was made.
    pub created: Timestamp,
    /// When it was made, moved or renamed last.
    pub updated: Timestamp,
    /// Only in the trash.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deleted_at: Option<Timestamp>,
    /// What the caller may do: `r` or `w`.
    pub mode: &'static str,
    /// Access entries; not in lists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub acl: Option<Vec<Ace>>,
    /// Documents directly in it, the trash apart.
    pub document_count: u64,
    /// Folders directly in it that the caller may see, the trash apart.
    pub folder_count: u64,
    pub urls: FolderUrls,
}

/// Where a folder is.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct FolderUrls {
    /// For the browser.
    pub view: String,
    pub endpoint: String,
}

/// For whom folders are shown.
#[derive(Clone, Copy)]
pub struct Viewer<'a> {
    /// What addresses and share links are made of.
    pub links: Links<'a>,
    /// Who looks at them.
    pub caller: &'a Caller,
}

impl FolderView {
    /// A folder that the viewer may use at `level`, without its access entries, as lists have it.
    /// `parent` is the path of the folder that it is in.
    pub fn listed(
        tx: &Tx<'_>,
        viewer: Viewer<'_>,
        node: &Node,
        parent: &FolderPath,
        level: Level,
    ) -> Result<Self> {
        let path = parent.child(&node.title);
        let in_trash = node.deleted.is_some();
        let (document_count, folders) = store::count_in(tx, &node.id, in_trash)?;
        let hidden = hidden_in(tx, viewer.caller, &node.owner, Some(&node.id))?.len() as u64;
        Ok(Self {
            name: path.to_string(),
            title: node.title.clone(),
            owner: node.owner.clone(),
            created: node.created,
            updated: node.updated,
            deleted_at: node.deleted,
            mode: level.letter(),
            acl: None,
            document_count,
            folder_count: folders.saturating_sub(hidden),
            urls: urls(viewer.links.base_url, &node.owner, &path),
        })
    }

    /// A folder with its access entries.
    pub fn whole(tx: &Tx<'_>, viewer: Viewer<'_>, node: &Node, level: Level) -> Result<Self> {
        let view = Self::listed(tx, viewer, node, &tree::path(tx, node)?, level)?;
        let acl = access::acl(tx, viewer.links, viewer.caller, level, &node.id)?;
        Ok(Self { acl: Some(acl), ..view })
    }

    /// The root folder of an account: nobody is given access to it by an entry.
    ///
    /// # Errors
    /// `NotFound` when there is no such account.
    pub fn root(tx: &Tx<'_>, viewer: Viewer<'_>, owner: &AccountId, level: Level) -> Result<Self> {
        let created = store::account_created(tx, owner)?.found("folder")?;
        let (document_count, folders) = store::count_in_root(tx, owner)?;
        let hidden = hidden_in(tx, viewer.caller, owner, None)?.len() as u64;
        let path = FolderPath::default();
        Ok(Self {
            name: path.to_string(),
            title: String::new(),
            owner: owner.clone(),
            created,
            updated: created,
            deleted_at: None,
            mode: level.letter(),
            acl: Some(Vec::new()),
            document_count,
            folder_count: folders.saturating_sub(hidden),
            urls: urls(viewer.links.base_url, owner, &path),
        })
    }
}

/// The addresses of a folder.
pub fn urls(base_url: &str, owner: &AccountId, path: &FolderPath) -> FolderUrls {
    FolderUrls {
        view: tree::folder_view(base_url, owner, path),
        endpoint: tree::folder_endpoint(base_url, owner, path),
    }
}

/// The folders of teams, directly in a folder (none is the root) that `caller` may read, that are
/// closed to him: they must show nowhere, not in counts either.
pub fn hidden_in(
    tx: &Tx<'_>,
    caller: &Caller,
    owner: &AccountId,
    folder: Option<&NodeId>,
) -> Result<Vec<NodeId>> {
    let mut hidden = Vec::new();
    if !access::is_org(owner) {
        return Ok(hidden);
    }
    for id in store::team_folders_in(tx, owner, folder)? {
        let resource = Resource { node: Some(&id), owner, is_public: false, in_trash: false };
        if access::level(tx, caller, &resource)? == Level::None {
            hidden.push(id);
        }
    }
    Ok(hidden)
}
