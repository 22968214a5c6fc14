//! Moves folders to the trash, restores and expunges them.

use std::time::Duration;

use super::FolderRequest;
use super::PathLookup;
use super::check_contains_no_team_folder;
use super::check_if_match;
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
use crate::features::tree;
use crate::features::tree::Node;
use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Error;
use chartroom_platform::error::OrNotFound;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;
use chartroom_platform::id::NodeId;

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

/// Removes a folder and its content permanently.
///
/// If there is a folder at this path in the trash and another one outside it, the trashed one is
/// removed. Descendants that were put in the trash separately stay there.
///
/// # Errors
/// The errors of [`move_to_trash`]. `Forbidden` if the caller does not own the folder.
pub fn expunge_folder(tx: &WriteTx<'_>, caller: &Caller, target: &FolderRequest) -> Result<()> {
    find_and_expunge(tx, caller, target).map_err(|error| caller.require_sign_in_if_anonymous(error))
}

/// Does the work of [`expunge_folder`], but never gives `SignInRequired`: the caller replaces
/// `NotFound` and `Forbidden` by it if nobody is signed in.
fn find_and_expunge(tx: &WriteTx<'_>, caller: &Caller, target: &FolderRequest) -> Result<()> {
    let owner = resolve_owner(tx, caller, target)?;
    let node = find_in_trash_or_tree(tx, caller, target, &owner)?;
    require_access(tx, caller, &owner, Some(&node), AccessLevel::Write)?;
    access::require_ownership(tx, caller, &owner, &node.id)?;
    check_if_match(tx, caller, target, &node)?;
    check_contains_no_team_folder(tx, &node)?;
    let documents = tree::expunge(tx, &node.id)?;
    documents::enqueue_thumbnail_removal(tx, &documents)
}

/// Restores a folder and everything that was trashed with it, and returns its new entity tag. If
/// the path is not in the trash, the folder outside the trash stays as it is.
///
/// Creates its former parent folders again if they are missing. A name that is taken gets a number.
///
/// # Errors
/// `Conflict` if folders would be nested too deeply. `InvalidFields` for the root if nothing was
/// trashed there. `PreconditionFailed` if `If-Match` does not match. Also the errors of
/// [`access::require_access`] for write access and of [`access::check_can_restore`]. Without
/// credentials, `SignInRequired` instead of `NotFound` and `Forbidden`.
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

/// Expunges nodes from an account's trash with their descendants. Examines up to `max_nodes`
/// trashed nodes with ids greater than `after`, and skips those that the caller may not expunge.
///
/// Returns the last examined id as the next `after`, or None if no node was left to examine.
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
) -> Result<Option<NodeId>> {
    let owner = match access::resolve_owner(tx, Some(caller), user) {
        Err(Error::NotFound(_)) => return Err(Error::NotFound("folder")),
        other => other?,
    };
    let caller = Caller::from(caller);
    require_access(tx, &caller, &owner, None, AccessLevel::Write)?;
    let roots = tree::list_trash_roots(tx, &owner, after, max_nodes)?;
    let mut documents = Vec::new();
    for id in &roots {
        match access::require_ownership(tx, &caller, &owner, id) {
            Ok(()) => documents.extend(tree::expunge(tx, id)?),
            Err(Error::Forbidden(_)) => {}
            Err(other) => return Err(other),
        }
    }
    documents::enqueue_thumbnail_removal(tx, &documents)?;
    Ok(roots.into_iter().next_back())
}

/// Expunges up to `max_nodes` nodes that are in the trash for longer than `retention`, with their
/// descendants.
///
/// Returns the number of expunged documents, or None if no node is due.
pub fn purge_trash_batch(
    tx: &WriteTx<'_>,
    retention: Duration,
    max_nodes: u32,
) -> Result<Option<usize>> {
    let expunged = tree::purge_trash(tx, tx.now.saturating_sub(retention), max_nodes)?;
    documents::enqueue_thumbnail_removal(tx, expunged.as_deref().unwrap_or_default())?;
    Ok(expunged.map(|documents| documents.len()))
}
