//! Reading, changing and removing the identity provider of an organization. The caller of these
//! functions has checked the role.

use serde_json::Map;
use serde_json::Value;
use serde_json::json;

use super::rules;
use super::rules::SettingsInput;
use super::store;
use super::store::SsoSettings;
use crate::features::audit;
use crate::features::audit::Event;
use crate::features::audit::EventFilter;
use crate::features::audit::EventTarget;
use crate::features::orgs;
use crate::features::orgs::Org;
use crate::features::orgs::Plan;
use crate::features::orgs::domains;
use crate::features::sso::protocol;
use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::db::map_unique_violation;
use chartroom_platform::error::Error;
use chartroom_platform::error::OrNotFound;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;

/// Action of the events of rejected sign-ins. Their details have `code`, `reason` and `request_id`.
pub const REJECTED_ACTION: &str = "sso.rejected";

/// Checks that the plan of an organization includes single sign-on.
///
/// # Errors
/// `Forbidden` for the plan `team`.
pub fn check_plan(org: &Org) -> Result<()> {
    match org.plan {
        Plan::Enterprise | Plan::Education => Ok(()),
        Plan::Team => {
            let text = "single sign-on needs the plan enterprise or education";
            Err(Error::Forbidden(text.to_owned()))
        }
    }
}

/// Returns the identity provider of an organization, or None. Ignores plan and suspension.
pub fn find(tx: &Tx<'_>, org: &AccountId) -> Result<Option<SsoSettings>> {
    store::find(tx, org)
}

/// Returns the identity provider with exactly this entity id, or None. Ignores plan and suspension.
pub fn find_by_entity_id(tx: &Tx<'_>, entity_id: &str) -> Result<Option<SsoSettings>> {
    store::find_by_entity_id(tx, entity_id)
}

/// Returns the settings of the organization that has verified the domain of an email address. None if no
/// organization has, if it has no settings, or if its plan has no single sign-on. A suspended organization
/// keeps them, so that its members can sign in to read and export.
pub fn find_settings_by_address(tx: &Tx<'_>, email: &str) -> Result<Option<SsoSettings>> {
    let Some(org) = domains::find_verified_org(tx, email)? else { return Ok(None) };
    let org = orgs::find_org(tx, org.as_str())?;
    match check_plan(&org).is_ok() {
        true => find(tx, &org.id),
        false => Ok(None),
    }
}

/// Returns whether any organization of this server has an identity provider.
pub fn is_any_configured(tx: &Tx<'_>) -> Result<bool> {
    store::is_any_configured(tx)
}

/// Remembers that a sign-in or a test with the identity provider of an organization succeeded now.
pub fn record_sign_in(tx: &WriteTx<'_>, org: &AccountId) -> Result<()> {
    store::set_last_sign_in(tx, org)
}

/// Sets the identity provider of an organization, or replaces it. `base_url` is the entity id of this
/// server. An identity provider with another entity id has no last sign-in.
///
/// If the organization had none before, it does not require single sign-on afterwards, because nobody
/// has signed in with the new one yet.
///
/// # Errors
/// `InvalidFields` for a value that breaks a rule. `Conflict` if another organization has the entity id.
pub fn put(tx: &WriteTx<'_>, org: &Org, input: &SettingsInput, base_url: &str) -> Result<()> {
    let old = store::find(tx, &org.id)?;
    let parsed = rules::parse(input, base_url)?;
    let is_same = old.as_ref().is_some_and(|old| old.entity_id == parsed.entity_id);
    let new = SsoSettings {
        org: org.id.clone(),
        entity_id: parsed.entity_id,
        certificate: protocol::to_pem(&parsed.certificates),
        sign_in_url: parsed.sign_in_url,
        allow_idp_initiated: input.allow_idp_initiated,
        allow_relink: input.allow_relink,
        last_sign_in: old.as_ref().filter(|_| is_same).and_then(|old| old.last_sign_in),
    };
    map_unique_violation(store::put(tx, &new), || {
        Error::field_conflict("entity_id", "another organization has this identity provider")
    })?;
    if old.is_none() {
        orgs::settings::stop_enforcing_sso(tx, org)?;
    }
    let old_fields = old.as_ref().map(fields).transpose()?.unwrap_or_default();
    let changed = audit::changed_fields(&old_fields, &fields(&new)?);
    if changed.is_empty() {
        return Ok(());
    }
    audit::record(tx, &org.id, "sso.change", &event_target(&new), &Value::Object(changed))
}

/// Removes the identity provider of an organization. Identifiers of accounts stay, so that the same
/// provider can be set up again.
///
/// # Errors
/// `NotFound` if there is none. `Conflict` while the organization requires single sign-on, because that
/// requirement must not end as a side effect.
pub fn delete(tx: &WriteTx<'_>, org: &Org) -> Result<()> {
    let old = store::find(tx, &org.id)?.or_not_found("identity provider")?;
    if orgs::find_settings(tx, &org.id)?.requires_sso() {
        let text = "the organization requires single sign-on; switch enforce_sso off first";
        return Err(Error::Conflict(text.to_owned()));
    }
    store::delete(tx, &org.id)?;
    let details = json!({ "entity_id": old.entity_id });
    audit::record(tx, &org.id, "sso.remove", &event_target(&old), &details)
}

/// Returns the last rejected sign-ins of an organization, newest first.
pub fn list_rejections(tx: &Tx<'_>, org: &AccountId, limit: u32) -> Result<Vec<Event>> {
    let action = Some(REJECTED_ACTION.to_owned());
    audit::list_events(tx, org, &EventFilter { action, ..EventFilter::default() }, 0, limit)
}

/// Returns the target of the audit events of an identity provider.
pub fn event_target(settings: &SsoSettings) -> EventTarget {
    EventTarget::new("sso", &settings.org, &settings.entity_id)
}

/// Returns the fields of an identity provider with recorded changes. Certificates are recorded by their
/// fingerprints.
fn fields(settings: &SsoSettings) -> Result<Map<String, Value>> {
    let certificates = protocol::parse_certificates(&settings.certificate)?;
    let fingerprints: Vec<&str> =
        certificates.iter().map(|certificate| certificate.sha256.as_str()).collect();
    Ok(audit::fields([
        ("entity_id", json!(settings.entity_id)),
        ("sign_in_url", json!(settings.sign_in_url)),
        ("certificates", json!(fingerprints)),
        ("allow_idp_initiated", json!(settings.allow_idp_initiated)),
        ("allow_relink", json!(settings.allow_relink)),
    ]))
}
