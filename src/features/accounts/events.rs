//! Events of accounts that an organization manages, in the audit log of the organization.

use serde_json::Map;
use serde_json::Value;
use serde_json::json;

use super::User;
use super::store;
use super::store::Profile;
use crate::app::RequestContext;
use crate::features::audit;
use crate::features::audit::EventTarget;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;

/// Records an event of an account if an organization manages it. `details` is a JSON object.
pub fn record_if_managed(
    tx: &WriteTx<'_>,
    user: &AccountId,
    action: &'static str,
    target: &EventTarget,
    details: &Value,
) -> Result<()> {
    match store::find_managing_org(tx, user)? {
        Some(org) => audit::record(tx, &org, action, target, details),
        None => Ok(()),
    }
}

/// Records a change of an account if an organization manages it. `details` is a JSON object.
pub fn record_user_event(
    tx: &WriteTx<'_>,
    user: &Profile,
    action: &'static str,
    details: &Value,
) -> Result<()> {
    let target = EventTarget::new("user", &user.id, &user.name);
    record_if_managed(tx, &user.id, action, &target, details)
}

/// Records the properties of an account that differ from those of `old`, if an organization manages
/// the account. Records nothing if none differs.
pub fn record_user_change(tx: &WriteTx<'_>, old: &Profile, new: &Profile) -> Result<()> {
    let values = |user: &Profile| {
        [
            ("name", json!(user.name)),
            ("email", json!(user.email)),
            ("username", json!(user.username)),
            ("operator", json!(user.operator)),
            ("disabled", json!(user.disabled)),
        ]
    };
    let mut changed = Map::new();
    for ((name, from), (_, to)) in values(old).into_iter().zip(values(new)) {
        if from != to {
            changed.insert(name.to_owned(), json!({ "from": from, "to": to }));
        }
    }
    if changed.is_empty() {
        return Ok(());
    }
    record_user_event(tx, new, "user.change", &Value::Object(changed))
}

/// Records the begin of a session.
pub fn record_sign_in(tx: &WriteTx<'_>, user: &User) -> Result<()> {
    let target = EventTarget::new("user", &user.id, &user.name);
    record_if_managed(tx, &user.id, "sign_in.success", &target, &json!({}))
}

/// Records that a sign-in with the name of this user failed for `reason`. If that fails, only logs
/// the error, because the sign-in must be refused in any case. Does not write for accounts that no
/// organization manages.
pub fn record_failed_sign_in(request: &RequestContext, user: &Profile, reason: &'static str) {
    let target = EventTarget::new("user", &user.id, &user.name);
    let id = user.id.clone();
    let recorded = request.app.db.read(|tx| store::find_managing_org(tx, &id)).and_then(|org| {
        let Some(org) = org else { return Ok(()) };
        let details = json!({ "reason": reason });
        let record =
            move |tx: &WriteTx<'_>| audit::record(tx, &org, "sign_in.failure", &target, &details);
        request.app.db.write_with_reserve(record)
    });
    if let Err(error) = recorded {
        tracing::warn!(error = %error.operator_message(), "a failed sign-in cannot be recorded");
    }
}
