//! What others share with a user, and taking it off his list.

use super::rules::Thing;
use super::store;
use super::store::Foreign;
use crate::features::access;
use crate::features::access::Caller;
use crate::features::access::EntryKind;
use crate::features::access::Level;
use crate::features::access::Resource;
use crate::features::accounts;
use crate::features::accounts::User;
use crate::features::listing;
use crate::features::listing::Listing;
use crate::features::listing::Person;
use crate::features::tree;
use crate::features::tree::Node;
use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Error;
use chartroom_platform::error::Found;
use chartroom_platform::error::Result;
use chartroom_platform::http::Page;
use chartroom_platform::id::AccountId;

/// Refuses a path that names another account than the caller's: that one's list is nobody else's
/// business.
///
/// # Errors
/// `NotFound` in the same words whether there is such an account or not.
pub fn check_own(tx: &Tx<'_>, caller: &User, user: &str) -> Result<()> {
    match access::account(tx, Some(caller), user) {
        Ok(id) if id == caller.id => Ok(()),
        Ok(_) | Err(Error::NotFound(_)) => Err(Error::NotFound("account")),
        Err(other) => Err(other),
    }
}

/// A page of the folders or documents that others share with the caller, newest first.
///
/// # Errors
/// `NotFound` when `user` is not the caller.
pub fn list(
    tx: &Tx<'_>,
    base_url: &str,
    caller: &User,
    user: &str,
    folders: bool,
    page: Page,
) -> Result<Listing> {
    check_own(tx, caller, user)?;
    let who = Caller::from(caller);
    let count = store::foreign_count(tx, &caller.id, folders)?;
    let found = store::foreign(tx, &caller.id, folders, page.offset, page.limit)?;
    let mut nodes = Vec::with_capacity(found.len());
    for foreign in &found {
        nodes.push((foreign.node.clone(), level(tx, &who, foreign)?));
    }
    let mut entries = listing::entries(tx, base_url, &who, &nodes)?;
    for entry in &mut entries {
        let place = nodes.iter().position(|(id, _)| entry.id() == Some(id));
        let Some(place) = place else { continue };
        let foreign = &found[place];
        entry.owner = Some(Person {
            id: foreign.owner.clone(),
            name: foreign.owner_name.clone(),
            avatar_url: accounts::avatar_url(base_url, &foreign.owner),
        });
        entry.mode = Some(nodes[place].1.letter());
        entry.shared_at = Some(foreign.shared);
    }
    Ok(Listing::new(page, count, entries))
}

/// What somebody may do with what is shared with him.
pub fn level(tx: &Tx<'_>, who: &Caller, foreign: &Foreign) -> Result<Level> {
    let resource = Resource {
        node: Some(&foreign.node),
        owner: &foreign.owner,
        is_public: false,
        in_trash: false,
    };
    access::level(tx, who, &resource)
}

/// Takes something off the caller's list: his own entry for it ends; what a team of his has, stays
/// open to him, but is not listed any more.
///
/// # Errors
/// `NotFound` when `user` is not the caller, or it is not shared with him.
pub fn leave(
    tx: &WriteTx<'_>,
    caller: &User,
    user: &str,
    owner: &str,
    thing: &Thing,
) -> Result<()> {
    check_own(tx, caller, user)?;
    let word = thing.word();
    let owner = access::account(tx, Some(caller), owner).map_err(|error| match error {
        Error::NotFound(_) => Error::NotFound(word),
        other => other,
    })?;
    let node = node(tx, &owner, thing)?.found(word)?;
    let mut is_shared = false;
    for entry in access::direct(tx, &node.id)? {
        match (entry.kind, &entry.team) {
            (EntryKind::User, _) if entry.user.as_ref() == Some(&caller.id) => {
                access::delete(tx, &entry.id)?;
                is_shared = true;
            }
            (EntryKind::Team, Some(team)) if store::is_in_team(tx, team, &caller.id)? => {
                access::leave(tx, &caller.id, &node.id)?;
                is_shared = true;
            }
            _ => {}
        }
    }
    if is_shared { Ok(()) } else { Err(Error::NotFound(word)) }
}

/// The node of an account that a request names.
fn node(tx: &Tx<'_>, owner: &AccountId, thing: &Thing) -> Result<Option<Node>> {
    let found = match thing {
        Thing::Document(id) => tree::find(tx, id)?.filter(|it| !it.is_folder),
        Thing::Folder(path) => match tree::deepest_folder(tx, owner, path)? {
            (Some(id), true) => tree::find(tx, &id)?,
            _ => None,
        },
    };
    Ok(found.filter(|it| it.owner == *owner))
}
