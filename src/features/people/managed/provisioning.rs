//! Provisioning of managed accounts by an identity provider. The caller of these functions has checked
//! the role.
//!
//! An account is known by its identifier at the identity provider. Provisioning sends no mails, because
//! the users sign in at the identity provider or request a password link.

use serde_json::json;

use super::actions;
use super::actions::ManagedUserChanges;
use crate::features::accounts;
use crate::features::accounts::Email;
use crate::features::accounts::NewUser;
use crate::features::accounts::UserChanges;
use crate::features::audit;
use crate::features::audit::EventTarget;
use crate::features::orgs;
use crate::features::orgs::Org;
use crate::features::orgs::Role;
use crate::features::people::members;
use crate::features::people::person::Person;
use crate::features::people::seats;
use crate::features::people::store;
use crate::features::people::store::managed::ManagedAccount;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;

/// Domain of the addresses of removed accounts that lose their own. RFC 2606 reserves it, so that
/// nobody can get mail there.
const PLACEHOLDER_DOMAIN: &str = "removed.invalid";

/// A managed account to provision.
#[derive(Debug, Clone)]
pub struct ProvisionedUser {
    /// Identifier at the identity provider.
    pub sso_id: String,
    /// Address on a verified domain of the organization.
    pub email: String,
    /// Full name.
    pub name: String,
    /// Given name. None if unknown.
    pub given_name: Option<String>,
    /// Family name. None if unknown.
    pub family_name: Option<String>,
}

/// Creates a managed account with the role `member`, or restores the removed account with the same
/// identifier. Adds a seat if the settings of the organization allow it. Returns the account id.
///
/// A removed account with the address but with another identifier gets a placeholder address, because
/// organizations give addresses to other people.
///
/// # Errors
/// `InvalidFields` for a value that breaks a rule, and for `sso_id` if another account has it.
/// `Conflict` if another account has the address. `PaymentRequired` without a seat.
pub fn provision_user(tx: &WriteTx<'_>, mut org: Org, new: &ProvisionedUser) -> Result<AccountId> {
    let removed = match store::managed::find_by_sso_id(tx, &org.id, &new.sso_id)? {
        Some((_, ManagedAccount { removed: None, .. })) => return Err(sso_id_in_use_error()),
        Some((user, managed)) => {
            actions::check_not_operator(tx, &user)?;
            check_not_disabled(&managed)?;
            Some(user)
        }
        None => None,
    };
    let email = parse_email(&new.email)?;
    let name = accounts::parse_name(&new.name)?;
    actions::check_domain(tx, &org, &email)?;
    release_address(tx, &org, &email, removed.as_ref())?;
    seats::add_seat(tx, &mut org, &email.key)?;
    members::use_up_invite(tx, &org.id, &email.text)?;
    let (user, action) = match removed {
        Some(user) => {
            accounts::set_disabled(tx, &user, false)?;
            let (email, name) = (Some(email.text), Some(name));
            accounts::update_user(tx, &user, UserChanges { email, name, ..Default::default() })?;
            (user, "user.restore")
        }
        None => {
            let new = NewUser { email: email.text, name, ..NewUser::default() };
            (accounts::create_user(tx, &new)?.id, "user.create")
        }
    };
    store::managed::put_managed(tx, &org.id, &user)?;
    actions::set_sso_id(tx, &org.id, &user, Some(&new.sso_id))?;
    put_names(tx, &user, new.given_name.as_deref(), new.family_name.as_deref())?;
    orgs::put_member(tx, &org, &user, Role::Member)?;
    let person = members::find_person(tx, &org.id, &user)?;
    let details =
        json!({ "email": person.email, "role": person.role.as_str(), "sso_id": new.sso_id });
    audit::record(tx, &org.id, action, &EventTarget::new("user", &user, person.name), &details)?;
    Ok(user)
}

/// Changes of a provisioned account. A field that is None keeps the stored value.
#[derive(Debug, Clone, Default)]
pub struct ProvisionedChanges {
    /// New identifier at the identity provider.
    pub sso_id: Option<String>,
    /// New address on a verified domain of the organization.
    pub email: Option<String>,
    /// New full name.
    pub name: Option<String>,
    /// New given name. `Some(None)` removes it.
    pub given_name: Option<Option<String>>,
    /// New family name. `Some(None)` removes it.
    pub family_name: Option<Option<String>>,
}

/// Changes a provisioned account. Sends no mail to a new address.
///
/// # Errors
/// `NotFound` without such a managed account. `InvalidFields` for a value that breaks a rule.
/// `Conflict` if another account has the address or the identifier, or for an operator.
pub fn change_provisioned_user(
    tx: &WriteTx<'_>,
    org: &Org,
    user: &AccountId,
    mut change: ProvisionedChanges,
) -> Result<()> {
    let before = actions::find_managed_person(tx, org, user)?;
    let (given, family) = store::managed::find_names(tx, user)?;
    // The domain of an unchanged address may have lost its verification. An unchanged name is no change.
    change.email = change.email.filter(|email| *email != before.email);
    change.name = change.name.filter(|name| *name != before.name);
    if let Some(email) = &change.email {
        let email = parse_email(email)?;
        actions::check_domain(tx, org, &email)?;
        release_address(tx, org, &email, Some(user))?;
    }
    let given_name = change.given_name.unwrap_or_else(|| given.clone());
    let family_name = change.family_name.unwrap_or_else(|| family.clone());
    put_names(tx, user, given_name.as_deref(), family_name.as_deref())?;
    let changes = ManagedUserChanges {
        name: change.name,
        email: change.email,
        role: None,
        sso_id: change.sso_id.map(Some),
    };
    let is_relinked = changes.sso_id.as_ref().is_some_and(|sso_id| *sso_id != before.sso_id);
    actions::apply_changes(tx, org, user, &before, changes)?;
    if (&given_name, &family_name) != (&given, &family) || is_relinked {
        // Sets the time of the last change.
        accounts::update_user(tx, user, UserChanges::default())?;
    }
    let after = actions::find_managed_person(tx, org, user)?;
    let values = |person: &Person, given: &Option<String>, family: &Option<String>| {
        let mut fields = actions::audited_fields(person);
        fields.insert("given_name".to_owned(), json!(given));
        fields.insert("family_name".to_owned(), json!(family));
        fields
    };
    let changed = audit::changed_fields(
        &values(&before, &given, &family),
        &values(&after, &given_name, &family_name),
    );
    if changed.is_empty() {
        return Ok(());
    }
    let target = EventTarget::new("user", user, after.name);
    audit::record(tx, &org.id, "user.change", &target, &changed.into())
}

/// Parses the address of a provisioned account.
///
/// # Errors
/// `InvalidFields` for `email`, also for a name outside ASCII before the `@`. The verifier of SAML
/// responses refuses it, so that the user could never sign in.
fn parse_email(text: &str) -> Result<Email> {
    let email = accounts::parse_email(text)?;
    match email.text.rsplit_once('@').is_some_and(|(name, _)| name.is_ascii()) {
        true => Ok(email),
        false => Err(Error::invalid_field("email", "must have only ASCII characters before the @")),
    }
}

/// Stores the given name and the family name of a managed account. Both follow the rules of names.
fn put_names(
    tx: &WriteTx<'_>,
    user: &AccountId,
    given: Option<&str>,
    family: Option<&str>,
) -> Result<()> {
    let parse = |field: &str, name: Option<&str>| {
        name.map(accounts::parse_name).transpose().map_err(|error| match error {
            Error::InvalidFields(mut errors) => {
                errors.iter_mut().for_each(|error| field.clone_into(&mut error.field));
                Error::InvalidFields(errors)
            }
            other => other,
        })
    };
    let (given, family) = (parse("given_name", given)?, parse("family_name", family)?);
    store::managed::set_names(tx, user, given.as_deref(), family.as_deref())
}

/// Makes an address available to `user`, or to a new account if it is None: a removed account of the
/// organization with the address gets a placeholder address.
///
/// # Errors
/// `Conflict` if an account has the address that is not a removed one of the organization, or one that
/// the operator has disabled.
pub(super) fn release_address(
    tx: &WriteTx<'_>,
    org: &Org,
    email: &Email,
    user: Option<&AccountId>,
) -> Result<()> {
    let owner = match accounts::find_user(tx, &email.text) {
        Ok(owner) => owner,
        Err(Error::NotFound(_)) => return Ok(()),
        Err(error) => return Err(error),
    };
    if user == Some(&owner.id) {
        return Ok(());
    }
    match store::managed::find_managed(tx, &owner.id)? {
        Some(managed)
            if managed.org == org.id
                && managed.removed.is_some()
                && !managed.was_disabled
                && !owner.operator =>
        {
            let placeholder = Some(format!("{}@{PLACEHOLDER_DOMAIN}", owner.id));
            let change = UserChanges { email: placeholder, ..UserChanges::default() };
            accounts::update_user(tx, &owner.id, change).map(drop)
        }
        _ => Err(actions::address_in_use_error(&email.text)),
    }
}

/// Checks that the operator had not disabled a removed account before its removal.
fn check_not_disabled(managed: &ManagedAccount) -> Result<()> {
    match managed.was_disabled {
        true => {
            Err(Error::Conflict("the operator of the server has disabled the account".to_owned()))
        }
        false => Ok(()),
    }
}

/// Returns the error for an identifier that an active account of the organization has.
fn sso_id_in_use_error() -> Error {
    Error::invalid_field("sso_id", "is already in use")
}
