//! Events of accounts in the audit logs of their organizations.

use std::time::Duration;

use serde_json::Value;
use serde_json::json;

use super::User;
use super::store;
use super::store::Profile;
use crate::app::RequestContext;
use crate::features::audit;
use crate::features::audit::EventTarget;
use crate::features::audit::Repetition;
use chartroom_platform::db;
use chartroom_platform::db::WriteActor;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;

/// Time within which failed sign-ins of an account from one address have one event for each reason.
const FAILURE_INTERVAL: Duration = Duration::from_mins(1);
/// Time within which verified basic credentials of an account from one address have one event.
const BASIC_INTERVAL: Duration = Duration::from_hours(1);

/// Records an event of an account if an organization manages it. An event that the operator causes on
/// the command line is recorded in all organizations of the account. `details` is a JSON object.
pub fn record_account_event(
    tx: &WriteTx<'_>,
    user: &AccountId,
    action: &'static str,
    target: &EventTarget,
    details: &Value,
) -> Result<()> {
    let orgs = match tx.origin.actor {
        WriteActor::Operator => store::organizations::list_orgs(tx, user, false)?,
        _ => store::organizations::find_managing_org(tx, user)?.into_iter().collect(),
    };
    orgs.iter().try_for_each(|org| audit::record(tx, org, action, target, details))
}

/// Records that an account is deleted, in all its organizations, also in the one that has removed it.
/// Call it before the account leaves them.
pub fn record_user_deletion(tx: &WriteTx<'_>, user: &Profile) -> Result<()> {
    let target = EventTarget::new("user", &user.id, &user.name);
    let orgs = store::organizations::list_orgs(tx, &user.id, true)?;
    orgs.iter().try_for_each(|org| audit::record(tx, org, "user.delete", &target, &json!({})))
}

/// Records a change of an account as `record_account_event` does.
pub fn record_user_event(
    tx: &WriteTx<'_>,
    user: &Profile,
    action: &'static str,
    details: &Value,
) -> Result<()> {
    let target = EventTarget::new("user", &user.id, &user.name);
    record_account_event(tx, &user.id, action, &target, details)
}

/// Records the properties of an account that differ from those of `old`, as `record_account_event`
/// does. Records nothing if none differs.
pub fn record_user_change(tx: &WriteTx<'_>, old: &Profile, new: &Profile) -> Result<()> {
    let values = |user: &Profile| {
        audit::fields([
            ("name", json!(user.name)),
            ("email", json!(user.email)),
            ("username", json!(user.username)),
            ("operator", json!(user.operator)),
            ("disabled", json!(user.disabled)),
        ])
    };
    let changed = audit::changed_fields(&values(old), &values(new));
    if changed.is_empty() {
        return Ok(());
    }
    record_user_event(tx, new, "user.change", &Value::Object(changed))
}

/// Records the begin of a session.
pub fn record_sign_in(tx: &WriteTx<'_>, user: &User) -> Result<()> {
    let target = EventTarget::new("user", &user.id, &user.name);
    record_account_event(tx, &user.id, "sign_in.success", &target, &json!({}))
}

/// Records that HTTP basic credentials of this user were verified, at most once per
/// [`BASIC_INTERVAL`] and address. The user becomes the actor of the request.
pub fn record_basic_sign_in(request: &RequestContext, user: &User) {
    db::set_actor(WriteActor::User(user.id.clone()));
    let details = json!({ "method": "basic" });
    record_attempt(request, user, "sign_in.success", details, BASIC_INTERVAL);
}

/// Records that a password for this user was refused for `reason`, at most once per
/// [`FAILURE_INTERVAL`] and address.
pub fn record_failed_sign_in(request: &RequestContext, user: &User, reason: &'static str) {
    record_attempt(request, user, "sign_in.failure", json!({ "reason": reason }), FAILURE_INTERVAL);
}

/// Records an event of a user if an organization manages the account, unless it was recorded within
/// `interval`. Does not write for other accounts.
///
/// If that fails, only logs the error, because the response must not depend on it. Does not use the
/// disk space that is reserved for other writes, because anybody can try passwords.
fn record_attempt(
    request: &RequestContext,
    user: &User,
    action: &'static str,
    details: Value,
    interval: Duration,
) {
    let target = EventTarget::new("user", &user.id, &user.name);
    let found = request.app.db.read(|tx| store::organizations::find_managing_org(tx, &user.id));
    let recorded = found.and_then(|org| {
        let Some(org) = org else { return Ok(()) };
        request.app.db.write(move |tx| {
            let repetition = Repetition::OfAddress(interval);
            audit::record_unless_repeated(tx, &org, action, &target, &details, repetition)
        })
    });
    if let Err(error) = recorded {
        tracing::warn!(error = %error.operator_message(), action, "an event cannot be recorded");
    }
}
