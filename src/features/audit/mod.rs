//! The audit log: changes of an organization and of what it owns.
//!
//! Table: `audit_event`.

mod store;

use serde_json::Value;

use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;

/// The object that a change concerns.
#[derive(Debug, Clone)]
pub struct EventTarget {
    /// Type, such as `user`, `document` or `theme`.
    pub kind: &'static str,
    /// Id, or the name if objects of this type have none.
    pub id: String,
    /// Name at the time of the event.
    pub name: String,
}

impl EventTarget {
    /// Returns a target with an id and a name.
    pub fn new(kind: &'static str, id: impl ToString, name: impl Into<String>) -> Self {
        Self { kind, id: id.to_string(), name: name.into() }
    }
}

/// Records a change in its transaction. `action` is a dotted word such as `document.share`.
/// `details` is a JSON object.
pub fn record(
    tx: &WriteTx<'_>,
    org: &AccountId,
    action: &'static str,
    target: &EventTarget,
    details: &Value,
) -> Result<()> {
    store::insert_event(tx, org, action, target, details)
}
