//! Recording, listing and purging events.

use std::time::Duration;

use serde_json::Value;

use super::event::Actor;
use super::event::Event;
use super::event::EventFilter;
use super::event::EventTarget;
use super::store;
use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteActor;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;

/// Time for which events are kept.
pub const RETENTION: Duration = Duration::from_hours(90 * 24);

/// Records a change of an organization in its transaction. `action` is a dotted word such as
/// `document.share`. `details` is a JSON object without secrets.
///
/// Actor, address and user agent come from the origin of the transaction. Does nothing if the
/// account is a user, because users have no audit log.
pub fn record(
    tx: &WriteTx<'_>,
    org: &AccountId,
    action: &'static str,
    target: &EventTarget,
    details: &Value,
) -> Result<()> {
    match org.is_org() {
        true => store::insert_event(tx, org, action, &find_actor(tx)?, (target, details)),
        false => Ok(()),
    }
}

/// Returns the actor of the transaction with its current name and address. Both are empty if the
/// account does not exist.
fn find_actor(tx: &WriteTx<'_>) -> Result<Actor> {
    let (kind, id) = match &tx.origin.actor {
        WriteActor::System => ("system", None),
        WriteActor::Operator => ("operator", None),
        WriteActor::Guest => ("guest", None),
        WriteActor::User(id) => ("user", Some(id)),
        WriteActor::Scim(id) => ("scim", Some(id)),
    };
    let found = match id {
        Some(id) => store::find_name_and_email(tx, id)?,
        None => None,
    };
    let (name, email) = found.unwrap_or_default();
    let id = id.map(AccountId::to_string).unwrap_or_default();
    Ok(Actor { id, name, email, kind: kind.to_owned() })
}

/// Returns the events of an organization that match a filter, newest first: at most `limit` after
/// the first `offset`. Events older than [`RETENTION`] are not returned, purged or not.
pub fn list_events(
    tx: &Tx<'_>,
    org: &AccountId,
    filter: &EventFilter,
    offset: u32,
    limit: u32,
) -> Result<Vec<Event>> {
    let oldest = tx.now.saturating_sub(RETENTION);
    let from = filter.from.map_or(oldest, |from| from.max(oldest));
    store::list_events(tx, org, from, filter, (offset, limit))
}

/// Deletes at most `limit` events that are older than [`RETENTION`], oldest first, of all
/// organizations. Returns their number.
pub fn purge_batch(tx: &WriteTx<'_>, limit: u32) -> Result<usize> {
    store::delete_events_before(tx, tx.now.saturating_sub(RETENTION), limit)
}
