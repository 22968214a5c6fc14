//! Reading and changing the settings of an organization.

use serde_json::Value;
use serde_json::json;

use super::rules::Settings;
use crate::features::accounts;
use crate::features::audit;
use crate::features::orgs::Org;
use crate::features::orgs::Plan;
use crate::features::orgs::Role;
use crate::features::orgs::actions;
use crate::features::orgs::events;
use crate::features::orgs::store;
use chartroom_platform::crypto::Sha256Hash;
use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;

/// Returns the settings of the organization with this id or slug. All members may read them.
///
/// # Errors
/// `NotFound` if the organization does not exist or the user is not a member.
pub fn read_settings(tx: &Tx<'_>, org: &str, user: &AccountId) -> Result<Settings> {
    let org = actions::find_membership(tx, org, user)?.org;
    store::find_settings(tx, &org.id)
}

/// Checks that a user may change the settings of the organization with this id or slug.
///
/// # Errors
/// As [`actions::require_role`] for a brand manager.
pub fn check_may_change(tx: &Tx<'_>, org: &str, user: &AccountId) -> Result<()> {
    actions::require_role(tx, org, user, Role::BrandManager).map(|_| ())
}

/// Replaces the settings of an organization by the result of `change`, which gets the stored
/// settings. If they begin to require single sign-on, ends the sessions of managed accounts that began
/// without it, except `session`, which is that of the request.
///
/// # Errors
/// As [`actions::require_role`] for a brand manager, or for an admin if `require_second_factor` changes;
/// the errors of `change`; `InvalidFields` for invalid settings, and for `enforce_sso` if it is switched
/// on without an identity provider.
pub fn change_settings(
    tx: &WriteTx<'_>,
    org: &str,
    user: &AccountId,
    session: Option<&Sha256Hash>,
    change: impl Fn(Settings) -> Result<Settings>,
) -> Result<()> {
    let org = actions::require_role(tx, org, user, Role::BrandManager)?;
    let old = store::find_settings(tx, &org.id)?;
    let settings = change(old.clone())?;
    settings.check()?;
    if settings.require_second_factor != old.require_second_factor {
        actions::require_role(tx, org.id.as_str(), user, Role::Admin)?;
    }
    save_settings(tx, &org, &old, &settings, session)
}

/// Stops requiring single sign-on, also while the organization is suspended. Returns false if the
/// organization does not require it.
pub fn stop_enforcing_sso(tx: &WriteTx<'_>, org: &Org) -> Result<bool> {
    let old = store::find_settings(tx, &org.id)?;
    let settings = Settings { enforce_sso: false, ..old.clone() };
    save_settings(tx, org, &old, &settings, None)?;
    Ok(old.enforce_sso)
}

/// Stores changed settings and records an event with the fields that differ from `old`.
fn save_settings(
    tx: &WriteTx<'_>,
    org: &Org,
    old: &Settings,
    settings: &Settings,
    session: Option<&Sha256Hash>,
) -> Result<()> {
    let begins_enforcing = settings.enforce_sso && !old.enforce_sso;
    if begins_enforcing {
        check_has_sso(tx, org)?;
    }
    store::update_settings(tx, &org.id, settings)?;
    let mut changed = audit::changed_fields(&old.to_map()?, &settings.to_map()?);
    if changed.is_empty() {
        return Ok(());
    }
    if let Some(layouts) = changed.get_mut("layouts") {
        // The presets can be large.
        *layouts = json!({ "from": old.layout_names(), "to": settings.layout_names() });
    }
    if begins_enforcing {
        let ended = accounts::end_sessions_without_sso(tx, &org.id, session)?;
        changed.insert("sessions".to_owned(), ended.into());
    }
    events::record_org_event(tx, org, "settings.change", &Value::Object(changed))
}

/// Checks that an organization can require single sign-on: its plan has it, and an identity provider is
/// set up. Otherwise the requirement would have no effect now and lock everybody out later.
///
/// # Errors
/// `InvalidFields` for `enforce_sso`.
fn check_has_sso(tx: &Tx<'_>, org: &Org) -> Result<()> {
    if org.plan == Plan::Team {
        return Err(Error::invalid_field("enforce_sso", "needs the plan enterprise or education"));
    }
    match store::has_identity_provider(tx, &org.id)? {
        true => Ok(()),
        false => Err(Error::invalid_field(
            "enforce_sso",
            "needs an identity provider; set up single sign-on first",
        )),
    }
}
