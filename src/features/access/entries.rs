//! Creating, changing and deleting access entries. The caller of these functions has already
//! checked access.

use super::Caller;
use super::entry::AccessEntry;
use super::store::entries as store;
use crate::app::RequestContext;
use crate::features::accounts;
use chartroom_platform::db::WriteTx;
use chartroom_platform::db::map_unique_violation;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;
use chartroom_platform::id::NodeId;

/// Stores a new entry. If it is for a team, the node reappears on the lists of users that had
/// removed it.
///
/// # Errors
/// `Conflict` if the node already has an entry for the same user, team or address.
pub fn insert_entry(tx: &WriteTx<'_>, entry: &AccessEntry) -> Result<()> {
    let key = entry.email.as_deref().map(accounts::email_key);
    map_unique_violation(store::insert(tx, entry, key.as_deref()), duplicate_entry_error)?;
    match &entry.team {
        // Sharing again shows the node to members who had removed it from their list.
        Some(_) => store::delete_left_shares(tx, &entry.node),
        None => Ok(()),
    }
}

/// Stores all fields of an entry except node, team and creation. Does nothing if the entry does not
/// exist.
///
/// # Errors
/// `Conflict` if the node already has another entry for the same user or address.
pub fn update_entry(tx: &WriteTx<'_>, entry: &AccessEntry) -> Result<()> {
    let key = entry.email.as_deref().map(accounts::email_key);
    map_unique_violation(store::update(tx, entry, key.as_deref()), duplicate_entry_error)
}

/// Deletes an entry. Returns false if it did not exist.
pub fn delete_entry(tx: &WriteTx<'_>, id: &str) -> Result<bool> {
    store::delete(tx, id)
}

/// Deletes the access entries of a user on documents and folders of one owner. Returns these nodes.
pub fn delete_entries_of_user(
    tx: &WriteTx<'_>,
    user: &AccountId,
    owner: &AccountId,
) -> Result<Vec<NodeId>> {
    let nodes = store::list_nodes_of_user(tx, user, owner)?;
    store::delete_of_user(tx, user, owner)?;
    Ok(nodes)
}

/// Hides a node that is shared with a team from the list of items shared with a user. The access
/// remains. An entry for the user themselves keeps the node on the list.
pub fn hide_from_shared_list(tx: &WriteTx<'_>, user: &AccountId, node: &NodeId) -> Result<()> {
    store::insert_left_share(tx, user, node)
}

/// Stores the time of use of the share link in the request, at most once per minute and link. Does
/// nothing without a share link or if the link is unknown or expired.
///
/// # Errors
/// If the time cannot be stored.
pub fn record_link_use(request: &RequestContext, caller: &Caller) -> Result<()> {
    let Some(token) = caller.share_token_hash else { return Ok(()) };
    if request.app.db.read(|tx| store::is_use_record_due(tx, &token))? {
        request.app.db.write_with_reserve(move |tx| store::update_last_use(tx, &token))?;
    }
    Ok(())
}

/// Returns the error for a second entry with the same node and recipient.
fn duplicate_entry_error() -> Error {
    Error::Conflict("it is already shared with this recipient".to_owned())
}
