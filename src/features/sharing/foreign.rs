//! Nodes that other accounts share with a user (`foreign-folders`, `foreign-documents`).

use super::events;
use super::rules::ShareTarget;
use super::store;
use super::store::ForeignNode;
use crate::features::access;
use crate::features::access::AccessEntryKind;
use crate::features::access::AccessLevel;
use crate::features::access::Caller;
use crate::features::access::Resource;
use crate::features::accounts;
use crate::features::accounts::User;
use crate::features::listing;
use crate::features::listing::Listing;
use crate::features::listing::ListingOwner;
use crate::features::tree;
use crate::features::tree::Node;
use crate::features::tree::NodeAction;
use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Error;
use chartroom_platform::error::OrNotFound;
use chartroom_platform::error::Result;
use chartroom_platform::http::Page;
use chartroom_platform::id::AccountId;

/// Checks that `user` names the caller's own account, because these lists are private.
///
/// # Errors
/// `NotFound` otherwise, with the same text whether the account exists or not.
pub fn require_own_account(tx: &Tx<'_>, caller: &User, user: &str) -> Result<()> {
    match access::resolve_owner(tx, Some(caller), user) {
        Ok(id) if id == caller.id => Ok(()),
        Ok(_) | Err(Error::NotFound(_)) => Err(Error::NotFound("account")),
        Err(other) => Err(other),
    }
}

/// Lists a page of the folders (or documents, if `folders` is false) that others share with the
/// caller, newest share first. The entries have the owner, the caller's access and the time of the
/// share.
///
/// # Errors
/// `NotFound` if `user` is not the caller.
pub fn list_foreign(
    tx: &Tx<'_>,
    base_url: &str,
    caller: &User,
    user: &str,
    folders: bool,
    page: Page,
) -> Result<Listing> {
    require_own_account(tx, caller, user)?;
    let account_caller = Caller::from(caller);
    let count = store::count_foreign(tx, &caller.id, folders)?;
    let found = store::list_foreign(tx, &caller.id, folders, page.offset, page.limit)?;
    let mut nodes = Vec::with_capacity(found.len());
    for foreign in &found {
        nodes.push((foreign.node.clone(), access_level(tx, &account_caller, foreign)?));
    }
    let mut entries = listing::load_entries(tx, base_url, &account_caller, &nodes)?;
    for entry in &mut entries {
        let place = nodes.iter().position(|(id, _)| entry.id() == Some(id));
        let Some(place) = place else { continue };
        let foreign = &found[place];
        entry.owner = Some(ListingOwner {
            id: foreign.owner.clone(),
            name: foreign.owner_name.clone(),
            avatar_url: accounts::avatar_url(base_url, &foreign.owner),
        });
        entry.mode = Some(nodes[place].1.letter());
        entry.shared_at = Some(foreign.shared);
    }
    Ok(Listing::new(page, count, entries))
}

/// Returns the caller's access to a shared node through all access entries, also those on folders
/// above.
pub fn access_level(tx: &Tx<'_>, caller: &Caller, foreign: &ForeignNode) -> Result<AccessLevel> {
    let resource = Resource {
        node: Some(&foreign.node),
        owner: &foreign.owner,
        is_public: false,
        in_trash: false,
    };
    access::access_level(tx, caller, &resource)
}

/// Removes a node from the list of nodes that are shared with the caller.
///
/// Deletes the caller's own access entry on the node. If a team of the caller has an entry on it,
/// the caller keeps that access, and the node is only hidden from the list. Access through a shared
/// folder above the node is kept.
///
/// # Errors
/// `NotFound` if `user` is not the caller, or if neither the caller nor a team of the caller has an
/// entry on the node itself.
pub fn leave_share(
    tx: &WriteTx<'_>,
    caller: &User,
    user: &str,
    owner: &str,
    target: &ShareTarget,
) -> Result<()> {
    require_own_account(tx, caller, user)?;
    let noun = target.noun();
    let owner = access::resolve_owner(tx, Some(caller), owner).map_err(|error| match error {
        Error::NotFound(_) => Error::NotFound(noun),
        other => other,
    })?;
    let node = find_node(tx, &owner, target)?.or_not_found(noun)?;
    let mut is_shared = false;
    for entry in access::list_direct_entries(tx, &node.id)? {
        match (entry.kind, &entry.team) {
            (AccessEntryKind::User, _) if entry.user.as_ref() == Some(&caller.id) => {
                access::delete_entry(tx, &entry.id)?;
                events::record_share(tx, &node, NodeAction::Unshare, &entry)?;
                is_shared = true;
            }
            (AccessEntryKind::Team, Some(team)) if store::is_in_team(tx, team, &caller.id)? => {
                access::hide_from_shared_list(tx, &caller.id, &node.id)?;
                is_shared = true;
            }
            _ => {}
        }
    }
    if is_shared { Ok(()) } else { Err(Error::NotFound(noun)) }
}

/// Returns the node of `owner` that a request names, or None. Finds documents in the trash, but no
/// folders there and no root. Does not check access.
fn find_node(tx: &Tx<'_>, owner: &AccountId, target: &ShareTarget) -> Result<Option<Node>> {
    let found = match target {
        ShareTarget::Document(id) => tree::find_node(tx, id)?.filter(|node| !node.is_folder),
        ShareTarget::Folder(path) => match tree::find_deepest_folder(tx, owner, path)? {
            (Some(id), true) => tree::find_node(tx, &id)?,
            _ => None,
        },
    };
    Ok(found.filter(|node| node.owner == *owner))
}
