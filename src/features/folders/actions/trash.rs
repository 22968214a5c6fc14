//! Moves folders to the trash, restores and expunges them.

use std::time::Duration;

use super::FolderRequest;
use super::PathLookup;
use super::check_contains_no_team_folder;
use super::check_if_match;
use super::copy::REMOVE_STAGED_TASK;
use super::find_in_trash;
use super::look_up_path;
use super::require_access;
use super::resolve_owner;
use super::root_folder_error;
use crate::features::access;
use crate::features::access::AccessLevel;
use crate::features::access::Caller;
use crate::features::accounts::User;
use crate::features::documents;
use crate::features::sync_jobs;
use crate::features::tree;
use crate::features::tree::Expunged;
use crate::features::tree::Node;
use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Error;
use chartroom_platform::error::OrNotFound;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;
use chartroom_platform::id::NodeId;
use chartroom_platform::tasks as queue;

/// Time after which a removal counts as interrupted, for example by the end of the process.
const MAX_REMOVAL_TIME: Duration = Duration::from_secs(60);

/// Moves a folder with its content to the trash and returns its new entity tag. If the path is only
/// in the trash, the folder stays there.
///
/// # Errors
/// `Conflict` if it is or contains the folder of a team. `InvalidFields` for the root.
/// `PreconditionFailed` if `If-Match` does not match. `NotFound`, `Forbidden` or `PaymentRequired`
/// as [`access::require_access`] for write access. Without credentials, `SignInRequired` instead of
/// `NotFound` and `Forbidden`.
pub fn move_to_trash(tx: &WriteTx<'_>, caller: &Caller, target: &FolderRequest) -> Result<String> {
    find_and_trash(tx, caller, target).map_err(|error| caller.require_sign_in_if_anonymous(error))
}

/// Does the work of [`move_to_trash`], but never gives `SignInRequired`.
fn find_and_trash(tx: &WriteTx<'_>, caller: &Caller, target: &FolderRequest) -> Result<String> {
    let owner = resolve_owner(tx, caller, target)?;
    let node = match look_up_path(tx, &owner, &target.path)? {
        PathLookup::Root => return Err(root_folder_error()),
        PathLookup::Folder(node) => node,
        PathLookup::Missing(_) => {
            find_in_trash(tx, caller, &owner, &target.path)?.or_not_found("folder")?
        }
    };
    require_access(tx, caller, &owner, Some(&node), AccessLevel::Write)?;
    check_if_match(tx, caller, target, &node)?;
    check_contains_no_team_folder(tx, &node)?;
    tree::move_to_trash(tx, &node.id, &caller.author())?;
    tree::current_entity_tag(tx, &node.id)
}

/// Removes a folder and its content permanently, whether it is in the trash or not.
///
/// If there is a folder at this path in the trash and another one outside it, the trashed one is
/// removed. Descendants that were put in the trash separately stay there.
///
/// Returns an empty list if the folder is deleted completely. A large folder is only hidden from
/// all users: the list has its top node, and the caller must delete it with
/// [`discard_staged`](super::copy::discard_staged).
///
/// # Errors
/// The errors of [`move_to_trash`]. `Forbidden` if the caller does not own the folder.
pub fn expunge_folder(
    tx: &WriteTx<'_>,
    caller: &Caller,
    target: &FolderRequest,
) -> Result<Vec<NodeId>> {
    find_and_expunge(tx, caller, target).map_err(|error| caller.require_sign_in_if_anonymous(error))
}

/// Does the work of [`expunge_folder`], but never gives `SignInRequired`: the caller replaces
/// `NotFound` and `Forbidden` by it if nobody is signed in.
fn find_and_expunge(
    tx: &WriteTx<'_>,
    caller: &Caller,
    target: &FolderRequest,
) -> Result<Vec<NodeId>> {
    let owner = resolve_owner(tx, caller, target)?;
    let node = find_in_trash_or_tree(tx, caller, target, &owner)?;
    require_access(tx, caller, &owner, Some(&node), AccessLevel::Write)?;
    access::require_ownership(tx, caller, &owner, &node.id)?;
    check_if_match(tx, caller, target, &node)?;
    check_contains_no_team_folder(tx, &node)?;
    finish_removal(tx, tree::expunge(tx, &node.id)?)
}

/// Enqueues the removal of the thumbnails of deleted documents, and of staged nodes in case that this
/// process ends before they are deleted. Returns the tops of the staged nodes.
fn finish_removal(tx: &WriteTx<'_>, expunged: Expunged) -> Result<Vec<NodeId>> {
    documents::enqueue_thumbnail_removal(tx, &expunged.documents)?;
    for id in &expunged.staged {
        let deadline = tx.now.saturating_add(MAX_REMOVAL_TIME);
        queue::enqueue(tx, REMOVE_STAGED_TASK, id.as_str(), "{}", deadline)?;
    }
    Ok(expunged.staged)
}

/// Restores a folder and everything that was trashed with it, and returns its new entity tag. If
/// the path is not in the trash, the folder outside the trash stays as it is. Sources of its documents are due
/// at once if the trash has stopped them.
///
/// Creates its former parent folders again if they are missing. A name that is taken gets a number.
///
/// # Errors
/// `Conflict` if folders would be nested too deeply. `InvalidFields` for the root.
/// `PreconditionFailed` if `If-Match` does not match. Also the errors of [`access::require_access`]
/// for write access and of [`access::check_can_restore`], and `QuotaExceeded` if the owner may not
/// store missing folders. Without credentials, `SignInRequired` instead of `NotFound` and
/// `Forbidden`.
pub fn restore_folder(tx: &WriteTx<'_>, caller: &Caller, target: &FolderRequest) -> Result<String> {
    find_and_restore(tx, caller, target).map_err(|error| caller.require_sign_in_if_anonymous(error))
}

/// Does the work of [`restore_folder`]. Never gives `SignInRequired`: the caller replaces
/// `NotFound` and `Forbidden` by it if nobody is signed in.
fn find_and_restore(tx: &WriteTx<'_>, caller: &Caller, target: &FolderRequest) -> Result<String> {
    let owner = resolve_owner(tx, caller, target)?;
    let node = find_in_trash_or_tree(tx, caller, target, &owner)?;
    require_access(tx, caller, &owner, Some(&node), AccessLevel::Write)?;
    check_if_match(tx, caller, target, &node)?;
    if node.deleted.is_none() {
        return tree::current_entity_tag(tx, &node.id);
    }
    let target = tree::find_restore_target(tx, &node)?;
    access::check_can_restore(tx, caller, &node, &target)?;
    tree::restore(tx, &node, &target, &caller.author())?;
    sync_jobs::resume_stopped_jobs(tx, &tree::list_documents(tx, &node.id)?)?;
    tree::current_entity_tag(tx, &node.id)
}

/// Returns the folder at a path, in the trash first. Skips a trashed folder without write access.
/// Does not check access to a folder outside the trash.
///
/// # Errors
/// `NotFound` if there is none, `InvalidFields` for the root.
fn find_in_trash_or_tree(
    tx: &Tx<'_>,
    caller: &Caller,
    target: &FolderRequest,
    owner: &AccountId,
) -> Result<Node> {
    if let Some(node) = find_in_trash(tx, caller, owner, &target.path)? {
        return Ok(node);
    }
    match look_up_path(tx, owner, &target.path)? {
        PathLookup::Root => Err(root_folder_error()),
        PathLookup::Folder(node) => Ok(node),
        PathLookup::Missing(_) => Err(Error::NotFound("folder")),
    }
}

/// A part of a removal of many nodes.
pub struct RemovalBatch {
    /// Last examined node. None if no node was left to examine.
    pub last: Option<NodeId>,
    /// Number of expunged documents.
    pub documents: usize,
    /// Tops of large folders, which nobody finds any more. Delete them with
    /// [`discard_staged`](super::copy::discard_staged).
    pub staged: Vec<NodeId>,
}

/// Expunges nodes from an account's trash with their descendants. Examines up to `max_nodes` trash
/// roots with ids greater than `after`, in ascending order, and fewer if they are large. Skips
/// nodes that the caller may not expunge. To continue, pass `last` of the result as `after`.
///
/// Large folders are only staged, and the caller must delete them, see [`RemovalBatch::staged`].
///
/// # Errors
/// `NotFound` unless the account is the caller's own or one of their organizations.
/// `PaymentRequired` while the organization is suspended.
pub fn empty_trash_batch(
    tx: &WriteTx<'_>,
    caller: &User,
    user: &str,
    after: Option<&NodeId>,
    max_nodes: u32,
) -> Result<RemovalBatch> {
    let owner = match access::resolve_owner(tx, Some(caller), user) {
        Err(Error::NotFound(_)) => return Err(Error::NotFound("folder")),
        other => other?,
    };
    let caller = Caller::from(caller);
    require_access(tx, &caller, &owner, None, AccessLevel::Write)?;
    let mut expunged = Expunged::default();
    let mut last = None;
    for id in tree::list_trash_roots(tx, &owner, after, max_nodes)? {
        match access::require_ownership(tx, &caller, &owner, &id) {
            Ok(()) => expunged.add(tx, &id)?,
            Err(Error::Forbidden(_)) => {}
            Err(other) => return Err(other),
        }
        last = Some(id);
        if expunged.is_full() {
            break;
        }
    }
    let documents = expunged.documents.len();
    Ok(RemovalBatch { last, documents, staged: finish_removal(tx, expunged)? })
}

/// Expunges up to `max_nodes` nodes of all accounts that are in the trash for longer than
/// `retention`, with their descendants, oldest first. Expunges fewer if they are large. None if no
/// node is due.
pub fn purge_trash_batch(
    tx: &WriteTx<'_>,
    retention: Duration,
    max_nodes: u32,
) -> Result<Option<RemovalBatch>> {
    let Some(expunged) = tree::purge_trash(tx, tx.now.saturating_sub(retention), max_nodes)? else {
        return Ok(None);
    };
    let documents = expunged.documents.len();
    Ok(Some(RemovalBatch { last: None, documents, staged: finish_removal(tx, expunged)? }))
}
