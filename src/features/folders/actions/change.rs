//! Creates a folder, or moves, renames or transfers an existing one.

use super::FolderRequest;
use super::PathLookup;
use super::check_contains_no_team_folder;
use super::check_if_match;
use super::look_up_path;
use super::require_access;
use super::resolve_owner;
use super::root_folder_error;
use crate::features::access;
use crate::features::access::AccessLevel;
use crate::features::access::Caller;
use crate::features::access::Resource;
use crate::features::tree;
use crate::features::tree::FolderPath;
use crate::features::tree::Node;
use crate::features::tree::NodePlacement;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Error;
use chartroom_platform::error::OrNotFound;
use chartroom_platform::error::Result;
use chartroom_platform::http::IfMatch;
use chartroom_platform::id::AccountId;
use chartroom_platform::id::NodeId;

/// Requested changes of a folder. None keeps the stored value.
pub struct FolderChange {
    /// New title.
    pub title: Option<String>,
    /// New path. With a new owner and no path, the folder moves into the root of that owner.
    pub path: Option<FolderPath>,
    /// New owner: an account id, `me`, or another spelling that `access` accepts.
    pub owner: Option<String>,
}

/// Creates a folder and its missing parents, or moves, renames or transfers an existing folder.
/// Returns the node and its path. Stores nothing if the folder exists and the request changes
/// nothing.
///
/// # Errors
/// `NotFound` if the folder is hidden from the caller, or if it does not exist and the request
/// would move, rename or transfer it or has a precondition. `Forbidden` if the caller may not
/// change it, or may not transfer it as [`access::check_may_transfer`]. `InvalidFields` for the
/// root folder and for a new path, title or owner that cannot be used. `Conflict` if the new name
/// is in use, or if the folder to transfer is or contains the folder of a team.
/// `PreconditionFailed` as [`access::check_if_match`]. Also the errors of
/// [`access::check_storage_allowed`], and `QuotaExceeded` if the owner may not store so much.
/// Without credentials, `SignInRequired` instead of `NotFound` and `Forbidden`.
pub fn put_folder(
    tx: &WriteTx<'_>,
    caller: &Caller,
    target: &FolderRequest,
    change: &FolderChange,
) -> Result<(Node, FolderPath)> {
    create_or_update(tx, caller, target, change)
        .map_err(|error| caller.require_sign_in_if_anonymous(error))
}

/// Does the work of [`put_folder`], but never gives `SignInRequired`.
fn create_or_update(
    tx: &WriteTx<'_>,
    caller: &Caller,
    target: &FolderRequest,
    change: &FolderChange,
) -> Result<(Node, FolderPath)> {
    let owner = resolve_owner(tx, caller, target)?;
    let id = match look_up_path(tx, &owner, &target.path)? {
        PathLookup::Root => return Err(root_folder_error()),
        PathLookup::Missing(deepest) => {
            create(tx, caller, target, &owner, deepest.as_ref(), change)?
        }
        PathLookup::Folder(node) => update(tx, caller, target, node, change)?,
    };
    let node = tree::find_node(tx, &id)?.or_not_found("folder")?;
    let path = tree::parent_path(tx, &node)?.child(&node.title);
    Ok((node, path))
}

/// Creates the folder and its missing parents, and returns its id. `deepest` is the deepest
/// existing folder of the path, None for the root.
///
/// # Errors
/// `NotFound` if the request also has a precondition or a different title, path or owner. Also the
/// errors of [`require_access`] and [`access::check_storage_allowed`].
fn create(
    tx: &WriteTx<'_>,
    caller: &Caller,
    target: &FolderRequest,
    owner: &AccountId,
    deepest: Option<&NodeId>,
    change: &FolderChange,
) -> Result<NodeId> {
    let deepest = match deepest {
        Some(id) => Some(tree::find_node(tx, id)?.or_not_found("folder")?),
        None => None,
    };
    require_access(tx, caller, owner, deepest.as_ref(), AccessLevel::Write)?;
    access::check_storage_allowed(tx, owner)?;
    // A move, a rename, a transfer and a precondition need an existing folder.
    let is_other = change.title.as_deref().is_some_and(|title| title != target.path.name())
        || change.path.as_ref().is_some_and(|path| *path != target.path)
        || requested_new_owner(tx, caller, owner, change)?.is_some()
        || target.if_match != IfMatch::default();
    if is_other {
        return Err(Error::NotFound("folder"));
    }
    tree::create_folders(tx, &caller.author(), owner, &target.path)?.or_not_found("folder")
}

/// Returns the requested owner as the request spells it, even if there is no such account. None if
/// the request names no owner or the current one.
fn requested_new_owner<'a>(
    tx: &WriteTx<'_>,
    caller: &Caller,
    current_owner: &AccountId,
    change: &'a FolderChange,
) -> Result<Option<&'a str>> {
    let Some(text) = change.owner.as_deref().filter(|owner| *owner != current_owner.as_str())
    else {
        return Ok(None);
    };
    match access::resolve_owner(tx, caller.user.as_ref(), text) {
        Ok(named) if named == *current_owner => Ok(None),
        Ok(_) | Err(Error::NotFound(_)) => Ok(Some(text)),
        Err(other) => Err(other),
    }
}

/// Moves, renames or transfers an existing folder, and returns its id. Checks write access and
/// `If-Match` first. Stores nothing if neither path nor owner changes. Creates missing parent
/// folders of the new path.
fn update(
    tx: &WriteTx<'_>,
    caller: &Caller,
    target: &FolderRequest,
    node: Node,
    change: &FolderChange,
) -> Result<NodeId> {
    require_access(tx, caller, &node.owner, Some(&node), AccessLevel::Write)?;
    check_if_match(tx, caller, target, &node)?;
    let new_owner = requested_new_owner(tx, caller, &node.owner, change)?;
    let path = requested_path(target, change, new_owner.is_some())?;
    if new_owner.is_none() && path == target.path {
        return Ok(node.id);
    }
    let above =
        path.parent().ok_or_else(|| Error::invalid_field("name", "must not be the root"))?;
    let owner = match new_owner {
        Some(text) => check_may_transfer(tx, caller, &node, text, &above)?,
        None => {
            let keeps_parent = target.path.parent().as_ref() == Some(&above);
            if !keeps_parent {
                check_may_move_to(tx, caller, &node.owner, &above)?;
            }
            node.owner.clone()
        }
    };
    let author = caller.author();
    let parent = tree::create_folders(tx, &author, &owner, &above)?;
    let placement = NodePlacement { owner, parent, title: path.name().to_owned() };
    tree::move_folder(tx, &node, &author, &placement)?;
    Ok(node.id)
}

/// Returns the path that a folder has after the change. Without a new path, a transferred folder
/// moves into the root.
///
/// A client may send a folder object back after changing only one of `name` and `title`. The
/// changed field then decides.
///
/// # Errors
/// `InvalidFields` naming `title` if `name` and `title` both change and contradict each other.
fn requested_path(
    target: &FolderRequest,
    change: &FolderChange,
    is_transferred: bool,
) -> Result<FolderPath> {
    let old = target.path.name();
    let moved = match &change.path {
        Some(path) => path.clone(),
        None if is_transferred => FolderPath::default().child(old),
        None => target.path.clone(),
    };
    let Some(title) = change.title.as_deref().filter(|title| *title != old) else {
        return Ok(moved);
    };
    match moved.parent() {
        Some(above) if moved.name() == old || moved.name() == title => Ok(above.child(title)),
        _ => Err(Error::invalid_field("title", "must be the last name in `name` when both change")),
    }
}

/// Checks that the caller may transfer a folder into the folder at `above` of the account that
/// `text` names. Returns that account. Changes nothing.
///
/// # Errors
/// `SignInRequired` for a guest. `Conflict` if it is or contains the folder of a team. Also the
/// errors of [`access::check_may_transfer`] and [`access::resolve_new_place`].
fn check_may_transfer(
    tx: &WriteTx<'_>,
    caller: &Caller,
    node: &Node,
    text: &str,
    above: &FolderPath,
) -> Result<AccountId> {
    let Some(user) = &caller.user else { return Err(Error::SignInRequired("sign-in required")) };
    let owner = access::resolve_new_place(tx, user, Some(text), above)?.owner;
    access::check_may_transfer(tx, caller, &node.owner, &node.id)?;
    check_contains_no_team_folder(tx, node)?;
    Ok(owner)
}

/// Checks that the caller may add nodes to the deepest existing folder of the path `above`. Missing
/// folders of the path need no check.
///
/// # Errors
/// `InvalidFields` for `name` without write access. Also the errors of
/// [`access::check_storage_allowed`].
fn check_may_move_to(
    tx: &WriteTx<'_>,
    caller: &Caller,
    owner: &AccountId,
    above: &FolderPath,
) -> Result<()> {
    let (folder, _) = tree::find_deepest_folder(tx, owner, above)?;
    let resource = Resource { node: folder.as_ref(), owner, is_public: false, in_trash: false };
    if access::access_level(tx, caller, &resource)? != AccessLevel::Write {
        return Err(Error::invalid_field("name", "must be in a folder that you may change"));
    }
    access::check_storage_allowed(tx, owner)
}
