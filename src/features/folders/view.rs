//! The folder object of responses.

use schemars::JsonSchema;
use serde::Serialize;

use super::store;
use crate::features::access;
use crate::features::access::AccessLevel;
use crate::features::access::Ace;
use crate::features::access::Caller;
use crate::features::access::Resource;
use crate::features::access::ShareLinks;
use crate::features::tree;
use crate::features::tree::FolderPath;
use crate::features::tree::Node;
use chartroom_platform::db::Tx;
use chartroom_platform::error::OrNotFound;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;
use chartroom_platform::id::NodeId;
use chartroom_platform::time::Timestamp;

/// A folder without its children.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "Folder")]
pub struct FolderView {
    /// Absolute path, which addresses the folder. `/` is the root.
    pub name: String,
    /// The last segment of the path; empty for the root.
    pub title: String,
    /// Account id of the owner.
    pub owner: AccountId,
    /// Creation time. For the root, creation time of the account.
    pub created: Timestamp,
    /// Time of creation or of the last move or rename.
    pub updated: Timestamp,
    /// Time of the move to the trash. Absent outside the trash.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deleted_at: Option<Timestamp>,
    /// Access of the caller: `r` (read) or `w` (read and write).
    pub mode: &'static str,
    /// Access entries. Absent in lists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub acl: Option<Vec<Ace>>,
    /// Number of documents directly in the folder, not counting trashed ones.
    pub document_count: u64,
    /// Number of folders directly in the folder that the caller may read, not counting trashed
    /// ones.
    pub folder_count: u64,
    pub urls: FolderUrls,
}

/// Addresses of a folder.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct FolderUrls {
    /// Page for browsers.
    pub view: String,
    pub endpoint: String,
}

/// Caller and link settings that decide how a folder is presented.
#[derive(Clone, Copy)]
pub struct Viewer<'a> {
    /// Base URL and key from which URLs and share links are built.
    pub links: ShareLinks<'a>,
    /// Caller who receives the folder.
    pub caller: &'a Caller,
}

impl FolderView {
    /// Returns a folder as lists present it, without its access entries.
    ///
    /// `level` is the access of the viewer, `parent` the path of the parent folder. Team folders
    /// that the viewer may not read are not counted. In a trashed folder, only nodes that were
    /// trashed together with it are counted.
    pub fn for_listing(
        tx: &Tx<'_>,
        viewer: Viewer<'_>,
        node: &Node,
        parent: &FolderPath,
        level: AccessLevel,
    ) -> Result<Self> {
        let path = parent.child(&node.title);
        let in_trash = node.deleted.is_some();
        let (document_count, folders) = store::count_children(tx, &node.id, in_trash)?;
        let hidden =
            list_hidden_team_folders(tx, viewer.caller, &node.owner, Some(&node.id))?.len() as u64;
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
            urls: folder_urls(viewer.links.base_url, &node.owner, &path),
        })
    }

    /// Returns a folder with the access entries on it and on the folders above, as far as
    /// [`access::build_acl`] shows them to the viewer.
    pub fn with_acl(
        tx: &Tx<'_>,
        viewer: Viewer<'_>,
        node: &Node,
        level: AccessLevel,
    ) -> Result<Self> {
        let view = Self::for_listing(tx, viewer, node, &tree::parent_path(tx, node)?, level)?;
        let acl = access::build_acl(tx, viewer.links, viewer.caller, level, &node.id)?;
        Ok(Self { acl: Some(acl), ..view })
    }

    /// Returns the root folder of an account. Its ACL is empty because the root cannot be shared.
    ///
    /// # Errors
    /// `NotFound` if the account does not exist.
    pub fn for_root(
        tx: &Tx<'_>,
        viewer: Viewer<'_>,
        owner: &AccountId,
        level: AccessLevel,
    ) -> Result<Self> {
        let created = store::account_created_at(tx, owner)?.or_not_found("folder")?;
        let (document_count, folders) = store::count_root_children(tx, owner)?;
        let hidden = list_hidden_team_folders(tx, viewer.caller, owner, None)?.len() as u64;
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
            urls: folder_urls(viewer.links.base_url, owner, &path),
        })
    }
}

/// Returns the URLs of a folder: of its page for browsers and of its API endpoint. They are
/// absolute, or paths that begin with a slash if `base_url` is empty. `base_url` has no trailing
/// slash.
pub fn folder_urls(base_url: &str, owner: &AccountId, path: &FolderPath) -> FolderUrls {
    FolderUrls {
        view: tree::folder_page_url(base_url, owner, path),
        endpoint: tree::folder_api_url(base_url, owner, path),
    }
}

/// Returns the team folders directly in a folder that the caller may not read.
///
/// `folder` is None for the root. Callers must exclude these folders from lists and from counts,
/// because a count would reveal that they exist. The list is empty for a user's folder, and never
/// contains folders in the trash.
pub fn list_hidden_team_folders(
    tx: &Tx<'_>,
    caller: &Caller,
    owner: &AccountId,
    folder: Option<&NodeId>,
) -> Result<Vec<NodeId>> {
    let mut hidden = Vec::new();
    if !access::is_org_id(owner) {
        return Ok(hidden);
    }
    for id in store::list_team_folders_in(tx, owner, folder)? {
        let resource = Resource { node: Some(&id), owner, is_public: false, in_trash: false };
        if access::access_level(tx, caller, &resource)? == AccessLevel::None {
            hidden.push(id);
        }
    }
    Ok(hidden)
}
