//! Into the trash, out of it, and gone for good.

use super::Place;
use super::Target;
use super::check_if_match;
use super::is_root;
use super::keep_team_folders;
use super::owner;
use super::present;
use super::require;
use super::trashed;
use crate::features::access;
use crate::features::access::Caller;
use crate::features::access::Level;
use crate::features::accounts::User;
use crate::features::documents;
use crate::features::tree;
use crate::features::tree::Node;
use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Error;
use chartroom_platform::error::Found;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;
use chartroom_platform::id::NodeId;

/// Puts a folder, and what is in it, into the trash; one that is there stays as it is. Gives its new
/// entity tag.
pub fn trash(tx: &WriteTx<'_>, caller: &Caller, target: &Target) -> Result<String> {
    throw_away(tx, caller, target).map_err(|error| caller.hide(error))
}

fn throw_away(tx: &WriteTx<'_>, caller: &Caller, target: &Target) -> Result<String> {
    let owner = owner(tx, caller, target)?;
    let node = match present(tx, &owner, &target.path)? {
        Place::Root => return Err(is_root()),
        Place::Folder(node) => node,
        Place::Missing(_) => trashed(tx, caller, &owner, &target.path)?.found("folder")?,
    };
    require(tx, caller, &owner, Some(&node), Level::Write)?;
    check_if_match(tx, caller, target, &node)?;
    keep_team_folders(tx, &node)?;
    tree::trash(tx, &node.id, &caller.author())?;
    tree::tag_of(tx, &node.id)
}

/// Removes a folder, and what is in it, for good: the one in the trash, where there are two of this
/// path. What was put into the trash by itself, out of it, stays there.
pub fn expunge(tx: &WriteTx<'_>, caller: &Caller, target: &Target) -> Result<()> {
    remove(tx, caller, target).map_err(|error| caller.hide(error))
}

fn remove(tx: &WriteTx<'_>, caller: &Caller, target: &Target) -> Result<()> {
    let owner = owner(tx, caller, target)?;
    let node = trashed_or_present(tx, caller, target, &owner)?;
    require(tx, caller, &owner, Some(&node), Level::Write)?;
    access::require_own(tx, caller, &owner, &node.id)?;
    check_if_match(tx, caller, target, &node)?;
    keep_team_folders(tx, &node)?;
    let gone = tree::expunge(tx, &node.id)?;
    documents::forget(tx, &gone)
}

/// Takes a folder out of the trash with what went there with it; one that is not there stays.
/// Gives its new entity tag.
pub fn restore(tx: &WriteTx<'_>, caller: &Caller, target: &Target) -> Result<String> {
    take_out(tx, caller, target).map_err(|error| caller.hide(error))
}

fn take_out(tx: &WriteTx<'_>, caller: &Caller, target: &Target) -> Result<String> {
    let owner = owner(tx, caller, target)?;
    let node = trashed_or_present(tx, caller, target, &owner)?;
    require(tx, caller, &owner, Some(&node), Level::Write)?;
    check_if_match(tx, caller, target, &node)?;
    if node.deleted.is_none() {
        return tree::tag_of(tx, &node.id);
    }
    let home = tree::home(tx, &node)?;
    access::check_may_return(tx, caller, &node, &home)?;
    tree::restore(tx, &node, &home, &caller.author())?;
    tree::tag_of(tx, &node.id)
}

fn trashed_or_present(
    tx: &Tx<'_>,
    caller: &Caller,
    target: &Target,
    owner: &AccountId,
) -> Result<Node> {
    if let Some(node) = trashed(tx, caller, owner, &target.path)? {
        return Ok(node);
    }
    match present(tx, owner, &target.path)? {
        Place::Root => Err(is_root()),
        Place::Folder(node) => Ok(node),
        Place::Missing(_) => Err(Error::NotFound("folder")),
    }
}

/// Removes for good some of what an account has in the trash, behind the id `after`: what the caller
/// may. Gives the id from which to go on, none at the end.
///
/// # Errors
/// `NotFound` when the account is neither the caller's own nor an organization of his.
pub fn empty(
    tx: &WriteTx<'_>,
    caller: &User,
    user: &str,
    after: Option<&NodeId>,
    most: u32,
) -> Result<Option<NodeId>> {
    let owner = match access::account(tx, Some(caller), user) {
        Err(Error::NotFound(_)) => return Err(Error::NotFound("folder")),
        other => other?,
    };
    let caller = Caller::from(caller);
    require(tx, &caller, &owner, None, Level::Write)?;
    let roots = tree::trashed(tx, &owner, after, most)?;
    let mut gone = Vec::new();
    for id in &roots {
        match access::require_own(tx, &caller, &owner, id) {
            Ok(()) => gone.extend(tree::expunge(tx, id)?),
            Err(Error::Forbidden(_)) => {}
            Err(other) => return Err(other),
        }
    }
    documents::forget(tx, &gone)?;
    Ok(roots.into_iter().next_back())
}
