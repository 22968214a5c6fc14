//! Making, changing and removing access entries. Who may do so is decided before.

use super::Caller;
use super::entry::Entry;
use super::store::entries as store;
use crate::app::RequestContext;
use crate::features::accounts;
use chartroom_platform::db::WriteTx;
use chartroom_platform::db::on_unique;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;
use chartroom_platform::id::NodeId;

/// Adds an entry.
///
/// # Errors
/// `Conflict` when the node has one for the same user, team or address already.
pub fn insert(tx: &WriteTx<'_>, entry: &Entry) -> Result<()> {
    let key = entry.email.as_deref().map(accounts::email_key);
    on_unique(store::insert(tx, entry, key.as_deref()), twice)?;
    match &entry.team {
        // Who had taken it off his list sees it again: somebody shares it anew.
        Some(_) => store::unleave(tx, &entry.node),
        None => Ok(()),
    }
}

/// Stores an entry's kind, mode, user, token, expiry and last use.
///
/// # Errors
/// `Conflict` when the node has another one for the same user.
pub fn update(tx: &WriteTx<'_>, entry: &Entry) -> Result<()> {
    on_unique(store::update(tx, entry), twice)
}

/// Removes an entry; false when it was gone.
pub fn delete(tx: &WriteTx<'_>, id: &str) -> Result<bool> {
    store::delete(tx, id)
}

/// Takes a node off a user's list of what is shared with him, though his teams keep their access.
pub fn leave(tx: &WriteTx<'_>, user: &AccountId, node: &NodeId) -> Result<()> {
    store::leave(tx, user, node)
}

/// Notes that the share link that a request came with was used, once a minute at most.
///
/// # Errors
/// When it cannot be stored.
pub fn note_use(request: &RequestContext, caller: &Caller) -> Result<()> {
    let Some(token) = caller.share else { return Ok(()) };
    if request.app.db.read(|tx| store::is_use_new(tx, &token))? {
        request.app.db.write(move |tx| store::note_use(tx, &token))?;
    }
    Ok(())
}

fn twice() -> Error {
    Error::Conflict("it is shared with the same one already".to_owned())
}
