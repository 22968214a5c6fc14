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

/// Returns the fields of an organization that administrators and operators change.
pub fn org_fields(org: &Org) -> Map<String, Value> {
    audit::fields([
        ("name", json!(org.name)),
        ("default_theme", json!(org.default_theme)),
        ("plan", json!(org.plan.as_str())),
        // Null is unlimited.
        ("seats", json!(org.seats.limit())),
        ("external_invites", json!(org.external_invites)),
        ("subscription", json!(org.terms)),
    ])
}
