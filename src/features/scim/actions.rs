//! Operations on provisioned accounts, in a transaction.

use super::client::ScimClient;
use super::errors;
use super::filter::Filter;
use super::store;
use super::store::Condition;
use super::user::UserValues;
use crate::features::people::managed;
use crate::features::people::managed::ProvisionedChanges;
use crate::features::people::managed::ProvisionedUser;
use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Error;
use chartroom_platform::error::OrNotFound;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;

pub use super::store::StoredUser;

/// A page of accounts.
#[derive(Debug)]
pub struct UserPage {
    /// Number of accounts that match the filter.
    pub total: u32,
    /// Accounts of the page.
    pub users: Vec<StoredUser>,
}

/// Returns the condition of a filter. None matches all accounts.
///
/// # Errors
/// `InvalidFields` for `filter` if the server cannot evaluate it.
pub fn build_condition(filter: Option<&Filter>) -> Result<Condition> {
    Condition::new(filter)
}

/// Returns the accounts that match a condition, in the order of their creation: at most `limit` after
/// the first `offset`.
pub fn list(
    tx: &Tx<'_>,
    client: &ScimClient,
    condition: &Condition,
    (offset, limit): (i64, i64),
) -> Result<UserPage> {
    let org = client.find_org(tx)?;
    let total = store::count_users(tx, &org.id, condition)?;
    let users = match limit {
        0 => Vec::new(),
        _ => store::list_users(tx, &org.id, condition, (offset, limit))?,
    };
    Ok(UserPage { total, users })
}

/// Returns an account.
///
/// # Errors
/// `NotFound` unless it is an active managed account of the organization.
pub fn get(tx: &Tx<'_>, client: &ScimClient, user: &AccountId) -> Result<StoredUser> {
    let org = client.find_org(tx)?;
    store::find_user(tx, &org.id, user)?.or_not_found("user")
}

/// Creates an account, or restores the removed one with the same `externalId`.
///
/// # Errors
/// `InvalidFields` without `externalId`, address or name, for `active` false, and for a value that
/// breaks a rule. `Conflict` if another account has the address. `PaymentRequired` without a seat or
/// while the organization is suspended.
pub fn create(tx: &WriteTx<'_>, client: &ScimClient, values: &UserValues) -> Result<StoredUser> {
    let org = client.find_changeable_org(tx)?;
    if values.active == Some(false) {
        return Err(Error::invalid_field("active", "must not be false for a new user"));
    }
    let external_id = values.external_id.clone().filter(|id| !id.is_empty());
    let sso_id = external_id.ok_or_else(|| Error::invalid_field("externalId", "is required"))?;
    let email = values.email.clone();
    let email = email.ok_or_else(|| Error::invalid_field("emails", "must have a primary entry"))?;
    let name = values.full_name().or(values.user_name.clone());
    let name = name.ok_or_else(|| Error::invalid_field("displayName", "is required"))?;
    let new = ProvisionedUser {
        sso_id,
        email,
        name,
        given_name: values.given_name.clone().flatten(),
        family_name: values.family_name.clone().flatten(),
    };
    let org_id = org.id.clone();
    let user = managed::provision_user(tx, org, &new)
        .map_err(|error| errors::rename_fields(error, values.address_attribute()))?;
    store::find_user(tx, &org_id, &user)?.or_not_found("user")
}

/// Changes an account, and returns it.
///
/// # Errors
/// As [`get`] and [`create`]. An absent value keeps the stored one.
pub fn change(
    tx: &WriteTx<'_>,
    client: &ScimClient,
    user: &AccountId,
    values: &UserValues,
) -> Result<StoredUser> {
    let before = get(tx, client, user)?;
    let org = client.find_changeable_org(tx)?;
    let change = ProvisionedChanges {
        sso_id: values.external_id.clone(),
        email: values.address().map(str::to_owned),
        name: values.changed_name(&before),
        given_name: values.given_name.clone(),
        family_name: values.family_name.clone(),
    };
    managed::change_provisioned_user(tx, &org, user, change)
        .map_err(|error| errors::rename_fields(error, values.address_attribute()))?;
    get(tx, client, user)
}

/// Ends all access of an account, and returns the account as it was. Its documents stay with the
/// disabled account. Works while the organization is suspended.
///
/// # Errors
/// As [`get`]. `Conflict` for the last admin and for an operator of the server.
pub fn remove(tx: &WriteTx<'_>, client: &ScimClient, user: &AccountId) -> Result<StoredUser> {
    let before = get(tx, client, user)?;
    managed::deprovision_user(tx, &client.find_org(tx)?, user)?;
    Ok(before)
}
