//! Reading and changing the settings of an organization.

use serde_json::Value;
use serde_json::json;

use super::rules::Settings;
use crate::features::audit;
use crate::features::orgs::Role;
use crate::features::orgs::actions;
use crate::features::orgs::events;
use crate::features::orgs::store;
use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
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
/// settings.
///
/// # Errors
/// As [`actions::require_role`] for a brand manager, or for an admin if `require_second_factor` changes;
/// the errors of `change`; `InvalidFields` for invalid settings.
pub fn change_settings(
    tx: &WriteTx<'_>,
    org: &str,
    user: &AccountId,
    change: impl Fn(Settings) -> Result<Settings>,
) -> Result<()> {
    let org = actions::require_role(tx, org, user, Role::BrandManager)?;
    let old = store::find_settings(tx, &org.id)?;
    let settings = change(old.clone())?;
    settings.check()?;
    if settings.require_second_factor != old.require_second_factor {
        actions::require_role(tx, org.id.as_str(), user, Role::Admin)?;
    }
    store::update_settings(tx, &org.id, &settings)?;
    let mut changed = audit::changed_fields(&old.to_map()?, &settings.to_map()?);
    if changed.is_empty() {
        return Ok(());
    }
    if let Some(layouts) = changed.get_mut("layouts") {
        // The presets can be large.
        *layouts = json!({ "from": old.layout_names(), "to": settings.layout_names() });
    }
    events::record_org_event(tx, &org, "settings.change", &Value::Object(changed))
}
