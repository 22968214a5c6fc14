//! Targets and details of the events that an organization records in its audit log.

use serde_json::Map;
use serde_json::Value;
use serde_json::json;

use super::store::Org;
use crate::features::accounts;
use crate::features::audit;
use crate::features::audit::EventTarget;
use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;

/// Records a change of the organization itself.
pub fn record_org_event(
    tx: &WriteTx<'_>,
    org: &Org,
    action: &'static str,
    details: &Value,
) -> Result<()> {
    audit::record(tx, &org.id, action, &EventTarget::new("org", &org.id, &org.name), details)
}

/// Returns a user as the target of an event.
pub fn user_target(tx: &Tx<'_>, user: &AccountId) -> Result<EventTarget> {
    Ok(EventTarget::new("user", user, accounts::display_name(tx, user)?))
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

/// Returns the fields of an organization that administrators and operators change.
pub fn org_fields(org: &Org) -> Map<String, Value> {
    let values = [
        ("name", json!(org.name)),
        ("default_theme", json!(org.default_theme)),
        ("plan", json!(org.plan.as_str())),
        // Null is unlimited.
        ("seats", json!(org.seats.limit())),
        ("external_invites", json!(org.external_invites)),
        ("subscription", json!(org.terms)),
    ];
    values.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
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
