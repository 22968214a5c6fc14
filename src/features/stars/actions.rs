//! Actions on stars: check access, store, list.

use super::store;
use crate::features::access;
use crate::features::access::AccessLevel;
use crate::features::access::Caller;
use crate::features::access::Resource;
use crate::features::accounts::User;
use crate::features::documents;
use crate::features::documents::DocumentTarget;
use crate::features::listing;
use crate::features::listing::Listing;
use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::http::Page;
use chartroom_platform::id::NodeId;

/// Maximum number of stars of a user, because a list checks the access to each document.
const MAX_STARS: u64 = 500;

/// Checks that `{user_id}` names the caller.
///
/// # Errors
/// `NotFound` if it names another account.
pub fn require_own_account(tx: &Tx<'_>, caller: &User, user: &str) -> Result<()> {
    match access::resolve_owner(tx, Some(caller), user) {
        Ok(id) if id == caller.id => Ok(()),
        // A hidden account gives the same response as an absent one.
        Ok(_) | Err(Error::NotFound(_)) => Err(Error::NotFound("account")),
        Err(other) => Err(other),
    }
}

/// Lists a page of the starred documents of the caller, last starred first. Leaves out those in the trash
/// and those that the caller may not read anymore.
///
/// # Errors
/// `NotFound` if `user` is not the caller.
pub fn list_stars(
    tx: &Tx<'_>,
    base_url: &str,
    caller: &User,
    user: &str,
    page: Page,
) -> Result<Listing> {
    require_own_account(tx, caller, user)?;
    let viewer = Caller::from(caller);
    let mut readable: Vec<(NodeId, AccessLevel)> = Vec::new();
    for starred in store::list_starred(tx, &caller.id)? {
        let resource = Resource {
            node: Some(&starred.id),
            owner: &starred.owner,
            is_public: starred.is_public,
            in_trash: false,
        };
        let level = access::access_level(tx, &viewer, &resource)?;
        if level != AccessLevel::None {
            readable.push((starred.id, level));
        }
    }
    let count = readable.len() as u64;
    let start = readable.len().min(page.offset as usize);
    let end = readable.len().min(start + page.limit as usize);
    let entries = listing::load_entries(tx, base_url, &viewer, &readable[start..end])?;
    Ok(Listing::new(page, count, entries))
}

/// Stars a document that the caller may read. Does nothing if it has a star of the caller.
///
/// # Errors
/// `NotFound` if the caller may not read the document, or `user` is not the caller. `Forbidden` if the
/// caller has [`MAX_STARS`] stars.
pub fn add_star(
    tx: &WriteTx<'_>,
    caller: &User,
    user: &str,
    target: &DocumentTarget,
) -> Result<()> {
    require_own_account(tx, caller, user)?;
    let (document, _) = documents::find_shared(tx, &Caller::from(caller), target)?;
    store::add_star(tx, &caller.id, &document.id)?;
    if store::count_stars(tx, &caller.id)? > MAX_STARS {
        let message = format!("you have {MAX_STARS} starred documents; remove a star first");
        return Err(Error::Forbidden(message));
    }
    Ok(())
}

/// Removes the star of the caller from a document. Also works if the caller may not read the document
/// anymore. Does nothing if there is no star.
///
/// # Errors
/// `NotFound` if `user` is not the caller.
pub fn remove_star(tx: &WriteTx<'_>, caller: &User, user: &str, document: &NodeId) -> Result<()> {
    require_own_account(tx, caller, user)?;
    store::remove_star(tx, &caller.id, document)
}
