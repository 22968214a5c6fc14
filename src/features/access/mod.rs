//! Who may do what: the one place that decides.
//!
//! Asked by every part that shows or changes something of somebody's. Owners and members of the
//! owning organization decide so far, and whether the thing is public.

mod rules;
mod store;

pub use rules::Level;
pub use rules::Resource;

use crate::features::accounts;
use crate::features::accounts::User;
use crate::platform::db::Tx;
use crate::platform::error::Error;
use crate::platform::error::Result;
use crate::platform::id::AccountId;

/// The most that `caller` may do with `resource`. None is somebody who is not signed in.
pub fn level(tx: &Tx<'_>, caller: Option<&AccountId>, resource: &Resource<'_>) -> Result<Level> {
    let standing = rules::standing(caller, resource.owner, |org, user| store::role(tx, org, user))?;
    Ok(rules::level(standing, resource))
}

/// [`level`], which must reach `needed`.
///
/// # Errors
/// `NotFound` when the caller may not even read it; `Forbidden` when he may read but not change it.
pub fn require(
    tx: &Tx<'_>,
    caller: Option<&AccountId>,
    resource: &Resource<'_>,
    needed: Level,
) -> Result<Level> {
    let level = level(tx, caller, resource)?;
    match level {
        Level::None => Err(Error::NotFound("document")),
        _ if level < needed => Err(Error::Forbidden("you may read this but not change it".into())),
        _ => Ok(level),
    }
}

/// Whether `caller` may put new things among those of `owner`.
pub fn may_add(tx: &Tx<'_>, caller: &AccountId, owner: &AccountId) -> Result<bool> {
    let resource = Resource { owner, is_public: false, in_trash: false };
    Ok(level(tx, Some(caller), &resource)? == Level::Write)
}

/// The account that `text` names: whatever [`accounts::resolve`] takes, or an organization's slug.
///
/// # Errors
/// `NotFound` when there is none.
pub fn account(tx: &Tx<'_>, caller: Option<&User>, text: &str) -> Result<AccountId> {
    match accounts::resolve(tx, caller, text) {
        Err(Error::NotFound(what)) => store::org_of_slug(tx, text)?.ok_or(Error::NotFound(what)),
        other => other,
    }
}

/// The account that `text`, sent as `owner`, names, into which `caller` may put things.
///
/// # Errors
/// `Fields` about `owner`, in the same words whether there is no such account or it is not open to
/// the caller.
pub fn new_owner(tx: &Tx<'_>, caller: &User, text: &str) -> Result<AccountId> {
    let refused = || Error::field("owner", "no account of this name where you may put documents");
    match account(tx, Some(caller), text) {
        Ok(owner) if may_add(tx, &caller.id, &owner)? => Ok(owner),
        Ok(_) | Err(Error::NotFound(_)) => Err(refused()),
        Err(other) => Err(other),
    }
}
