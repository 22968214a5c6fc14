//! Actions on folders: find the folder by path, check access, then read or change.

pub mod trash;
pub mod change;
pub mod copy;

use super::store;
use super::view::FolderView;
use super::view::Viewer;
use crate::features::access;
use crate::features::access::AccessLevel;
use crate::features::access::Caller;
use crate::features::access::Resource;
use crate::features::tree;
use crate::features::tree::FolderPath;
use crate::features::tree::Node;
use chartroom_platform::db::Tx;
use chartroom_platform::error::Error;
use chartroom_platform::error::OrNotFound;
use chartroom_platform::error::Result;
use chartroom_platform::http::IfMatch;
use chartroom_platform::id::AccountId;
use chartroom_platform::id::NodeId;

/// The folder that a request names, with the precondition of the request.
#[derive(Debug, Clone)]
pub struct FolderRequest {
    /// Owner from `{user_id}`: an account id, `me`, or another spelling that `access` accepts.
    pub user: String,
    /// Folder path from `{path}`.
    pub path: FolderPath,
    /// The header `If-Match`.
    pub if_match: IfMatch,
}

/// A folder and its direct subfolders.
pub struct FolderRead {
    /// Node of the folder; None for the root.
    pub node: Option<Node>,
    /// The folder with its access entries.
    pub folder: FolderView,
    /// Direct subfolders that the caller may read, without access entries.
    pub subfolders: Vec<FolderView>,
}

/// Returns a folder with its access entries, and its subfolders that the caller may read. If the
/// path is only in the trash, returns the trashed folder to a caller with write access.
///
/// # Errors
/// `NotFound` if the folder does not exist or the caller may not read it. Without credentials,
/// `SignInRequired` in the same cases.
pub fn read_folder(tx: &Tx<'_>, viewer: Viewer<'_>, target: &FolderRequest) -> Result<FolderRead> {
    find_and_read(tx, viewer, target)
        .map_err(|error| viewer.caller.require_sign_in_if_anonymous(error))
}

/// Checks that the caller may read the folder of a request, in the trash or outside it. If there is
/// none at this path, because it was renamed for example, checks the deepest existing folder above.
///
/// # Errors
/// `NotFound` if the caller may not read it. Without credentials, `SignInRequired` instead.
pub fn check_access(tx: &Tx<'_>, caller: &Caller, target: &FolderRequest) -> Result<()> {
    find_and_check(tx, caller, target).map_err(|error| caller.require_sign_in_if_anonymous(error))
}

/// Does the work of [`check_access`]. Never gives `SignInRequired`: the caller replaces `NotFound`
/// and `Forbidden` by it if nobody is signed in.
fn find_and_check(tx: &Tx<'_>, caller: &Caller, target: &FolderRequest) -> Result<()> {
    let owner = resolve_owner(tx, caller, target)?;
    let node = match look_up_path(tx, &owner, &target.path)? {
        PathLookup::Root => None,
        PathLookup::Folder(node) => Some(node),
        PathLookup::Missing(deepest) => match find_in_trash(tx, caller, &owner, &target.path)? {
            Some(node) => Some(node),
            None => deepest.map(|id| tree::find_node(tx, &id)).transpose()?.flatten(),
        },
    };
    require_access(tx, caller, &owner, node.as_ref(), AccessLevel::Read).map(|_| ())
}

/// Does the work of [`read_folder`]. Never gives `SignInRequired`: the caller replaces `NotFound`
/// and `Forbidden` by it if nobody is signed in.
fn find_and_read(tx: &Tx<'_>, viewer: Viewer<'_>, target: &FolderRequest) -> Result<FolderRead> {
    let (caller, owner) = (viewer.caller, resolve_owner(tx, viewer.caller, target)?);
    let node = match look_up_path(tx, &owner, &target.path)? {
        PathLookup::Root => {
            let level = require_access(tx, caller, &owner, None, AccessLevel::Read)?;
            let folder = FolderView::for_root(tx, viewer, &owner, level)?;
            let subfolders = list_subfolders(tx, viewer, &owner, None, level)?;
            return Ok(FolderRead { node: None, folder, subfolders });
        }
        PathLookup::Folder(node) => node,
        PathLookup::Missing(_) => {
            find_in_trash(tx, caller, &owner, &target.path)?.or_not_found("folder")?
        }
    };
    let level = require_access(tx, caller, &owner, Some(&node), AccessLevel::Read)?;
    let folder = FolderView::with_acl(tx, viewer, &node, level)?;
    let subfolders = list_subfolders(tx, viewer, &owner, Some(&node), level)?;
    Ok(FolderRead { node: Some(node), folder, subfolders })
}

/// Returns the direct subfolders that the caller may read. `folder` is None for the root. For a
/// folder in the trash, returns the subfolders that were trashed together with it. The order is
/// that of the titles, without case and accents.
///
/// `level` is the caller's access to `folder`.
fn list_subfolders(
    tx: &Tx<'_>,
    viewer: Viewer<'_>,
    owner: &AccountId,
    folder: Option<&Node>,
    level: AccessLevel,
) -> Result<Vec<FolderView>> {
    let mut path = FolderPath::default();
    if let Some(folder) = folder {
        path = tree::parent_path(tx, folder)?.child(&folder.title);
    }
    let mut all = Vec::new();
    // Write access extends to all subfolders, except to team folders of an organization.
    let is_same = level == AccessLevel::Write && !access::is_org_id(owner);
    let nodes = match folder.filter(|folder| folder.deleted.is_some()) {
        Some(trashed) => tree::list_trashed_child_folders(tx, &trashed.id)?,
        None => tree::list_child_folders(tx, owner, folder.map(|folder| &folder.id))?,
    };
    for node in nodes {
        let level = match is_same {
            true => level,
            false => access::access_level(tx, viewer.caller, &folder_resource(owner, Some(&node)))?,
        };
        if level != AccessLevel::None {
            all.push(FolderView::for_listing(tx, viewer, &node, &path, level)?);
        }
    }
    Ok(all)
}

/// Returns the account that `{user_id}` names.
///
/// # Errors
/// `NotFound` with the text for a missing folder, so that the response does not tell a missing
/// account from hidden content.
fn resolve_owner(tx: &Tx<'_>, caller: &Caller, target: &FolderRequest) -> Result<AccountId> {
    access::resolve_owner(tx, caller.user.as_ref(), &target.user).map_err(|error| match error {
        Error::NotFound(_) => Error::NotFound("folder"),
        other => other,
    })
}

/// Result of a path lookup outside the trash.
enum PathLookup {
    Root,
    Folder(Node),
    /// No folder. Holds the deepest existing folder of the path, None for the root.
    Missing(Option<NodeId>),
}

/// Looks up a folder by path, ignoring folders in the trash. Does not check access.
///
/// The empty path gives the root, and a missing path gives the deepest existing folder.
fn look_up_path(tx: &Tx<'_>, owner: &AccountId, path: &FolderPath) -> Result<PathLookup> {
    match tree::find_deepest_folder(tx, owner, path)? {
        (deepest, false) => Ok(PathLookup::Missing(deepest)),
        (None, true) => Ok(PathLookup::Root),
        (Some(id), true) => {
            Ok(PathLookup::Folder(tree::find_node(tx, &id)?.or_not_found("folder")?))
        }
    }
}

/// Returns the trashed folder that [`tree::find_trashed_folder`] finds at a path. None if there is
/// none or the caller has no write access to it.
fn find_in_trash(
    tx: &Tx<'_>,
    caller: &Caller,
    owner: &AccountId,
    path: &FolderPath,
) -> Result<Option<Node>> {
    let Some(node) = tree::find_trashed_folder(tx, owner, path)? else { return Ok(None) };
    match access::access_level(tx, caller, &folder_resource(owner, Some(&node)))? {
        AccessLevel::None => Ok(None),
        _ => Ok(Some(node)),
    }
}

/// Requires an access level on a folder and returns the caller's level. `folder` is None for the
/// root.
///
/// # Errors
/// As [`access::require_access`]. `NotFound` says `folder`.
fn require_access(
    tx: &Tx<'_>,
    caller: &Caller,
    owner: &AccountId,
    folder: Option<&Node>,
    needed: AccessLevel,
) -> Result<AccessLevel> {
    access::require_access(tx, caller, &folder_resource(owner, folder), needed).map_err(|error| {
        match error {
            Error::NotFound(_) => Error::NotFound("folder"),
            other => other,
        }
    })
}

/// Returns the access resource of a folder. `folder` is None for the root.
fn folder_resource<'a>(owner: &'a AccountId, folder: Option<&'a Node>) -> Resource<'a> {
    let in_trash = folder.is_some_and(|folder| folder.deleted.is_some());
    Resource { node: folder.map(|folder| &folder.id), owner, is_public: false, in_trash }
}

/// Returns the entity tag of a folder without quotes. It changes with the folder, not with its
/// children.
pub fn entity_tag(restore_epoch: &str, node: &Node) -> String {
    tree::entity_tag(restore_epoch, &node.id, node.revision)
}

/// Checks the header `If-Match` against the stored revision. A request without the header passes.
///
/// # Errors
/// `PreconditionFailed` if it does not match.
fn check_if_match(tx: &Tx<'_>, caller: &Caller, target: &FolderRequest, node: &Node) -> Result<()> {
    let Node { id, revision, updated, updated_by, .. } = node;
    let state = access::NodeState { id, revision: *revision, updated: *updated, updated_by };
    access::check_if_match(tx, caller, &target.if_match, &state)
}

/// Checks that a folder is not, and does not contain, the folder of a team.
///
/// The folder of a team keeps its place as long as the team exists.
///
/// # Errors
/// `Conflict` if it is or contains a team folder.
fn check_contains_no_team_folder(tx: &Tx<'_>, node: &Node) -> Result<()> {
    if !access::is_org_id(&node.owner) || !store::contains_team_folder(tx, &node.id)? {
        return Ok(());
    }
    let text = "the folder is or contains the folder of a team; remove the team first";
    Err(Error::Conflict(text.to_owned()))
}

/// Returns the error of an operation that the root folder does not support.
fn root_folder_error() -> Error {
    Error::invalid_field("path", "is the root folder, which cannot be created, changed or removed")
}
