//! Recording, listing and purging events.

use std::time::Duration;

use serde_json::Map;
use serde_json::Value;
use serde_json::json;

use super::bounds;
use super::event::Actor;
use super::event::Event;
use super::event::EventFilter;
use super::event::EventTarget;
use super::event::Repetition;
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
/// Actor, address and user agent come from the origin of the transaction. Long texts and lists are
/// stored in part, see `bounds`. Does nothing if the account is a user, because users have no audit
/// log.
pub fn record(
    tx: &WriteTx<'_>,
    org: &AccountId,
    action: &'static str,
    target: &EventTarget,
    details: &Value,
) -> Result<()> {
    if !org.is_org() {
        return Ok(());
    }
    let (target, details) = (bounds::shorten_target(target), bounds::shorten_value(details));
    store::insert_event(tx, org, action, &find_actor(tx)?, (&target, &details))
}

/// Records an event as [`record`] does, unless an earlier event of the same action and target makes
/// it superfluous. For events that clients can cause without limit and without changing much.
pub fn record_unless_repeated(
    tx: &WriteTx<'_>,
    org: &AccountId,
    action: &'static str,
    target: &EventTarget,
    details: &Value,
    repetition: Repetition,
) -> Result<()> {
    if !org.is_org() {
        return Ok(());
    }
    let (target, details) = (&bounds::shorten_target(target), &bounds::shorten_value(details));
    let is_recorded = match repetition {
        Repetition::OfActor(period) => {
            let since = tx.now.saturating_sub(period);
            store::is_recorded_of_actor(tx, org, action, target, (&find_actor(tx)?, since))?
        }
        Repetition::OfAddress(period) => {
            let since = tx.now.saturating_sub(period);
            store::is_recorded_of_address(tx, org, action, target, (details, since))?
        }
    };
    if is_recorded { Ok(()) } else { record(tx, org, action, target, details) }
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

/// Returns a JSON object with these fields, for [`changed_fields`].
pub fn fields<const N: usize>(values: [(&str, Value); N]) -> Map<String, Value> {
    values.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// Returns the fields with different values in two JSON objects, each as an object with the values
/// `from` and `to`. An absent field is null.
pub fn changed_fields(old: &Map<String, Value>, new: &Map<String, Value>) -> Map<String, Value> {
    let mut changed = Map::new();
    for name in old.keys().chain(new.keys()) {
        let (from, to) = (old.get(name), new.get(name));
        if from != to && !changed.contains_key(name) {
            changed.insert(name.clone(), json!({ "from": from, "to": to }));
        }
    }
    changed
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
    let mut events = Vec::new();
    visit_events(tx, org, filter, (offset, limit), &mut |event| {
        events.push(event);
        Ok(true)
    })?;
    Ok(events)
}

/// Calls `visit` for each event that [`list_events`] returns, until it returns false. Holds one event
/// in memory. `window` is the offset and the limit.
pub fn visit_events(
    tx: &Tx<'_>,
    org: &AccountId,
    filter: &EventFilter,
    window: (u32, u32),
    visit: &mut dyn FnMut(Event) -> Result<bool>,
) -> Result<()> {
    let oldest = tx.now.saturating_sub(RETENTION);
    let from = filter.from.map_or(oldest, |from| from.max(oldest));
    store::visit_events(tx, org, from, filter, window, visit)
}

/// Deletes at most `limit` events that are older than [`RETENTION`], oldest first, of all
/// organizations. Returns their number.
pub fn purge_batch(tx: &WriteTx<'_>, limit: u32) -> Result<usize> {
    store::delete_events_before(tx, tx.now.saturating_sub(RETENTION), limit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changed_fields_have_old_and_new_values() {
        let object = |value: Value| value.as_object().cloned().unwrap();
        let old = object(json!({ "a": 1, "b": 2, "c": 3 }));
        let new = object(json!({ "a": 1, "b": 5, "d": 4 }));
        let expected = json!({
            "b": { "from": 2, "to": 5 },
            "c": { "from": 3, "to": null },
            "d": { "from": null, "to": 4 },
        });
        assert_eq!(Value::Object(changed_fields(&old, &new)), expected);
        assert!(changed_fields(&old, &old).is_empty());
    }
}
