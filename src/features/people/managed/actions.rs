//! Creating, changing and removing managed accounts. The caller of these functions has checked the
//! role.

use serde_json::json;

use super::adoption;
use super::mail;
use crate::features::accounts;
use crate::features::accounts::Email;
use crate::features::accounts::NewUser;
use crate::features::accounts::PasswordLink;
use crate::features::accounts::UserChanges;
use crate::features::accounts::second_factor;
use crate::features::audit;
use crate::features::audit::EventTarget;
use crate::features::casting;
use crate::features::orgs;
use crate::features::orgs::Org;
use crate::features::orgs::Plan;
use crate::features::orgs::Role;
use crate::features::orgs::domains;
use crate::features::people::members;
use crate::features::people::person::Person;
use crate::features::people::seats;
use crate::features::people::seats::SeatCheck;
use crate::features::people::seats::SeatRequest;
use crate::features::people::store;
use chartroom_platform::crypto::ServerKey;
use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::db::map_unique_violation;
use chartroom_platform::error::Error;
use chartroom_platform::error::OrNotFound;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;

/// Maximum number of characters in an identifier at the identity provider.
const MAX_SSO_ID_CHARS: usize = 256;

/// A managed account to create.
#[derive(Debug, Clone)]
pub struct NewManagedUser {
    /// Full name.
    pub name: String,
    /// Address on a verified domain of the organization.
    pub email: String,
    /// Role in the organization.
    pub role: Role,
}

/// Changes to a managed account. A field that is None keeps the stored value.
#[derive(Debug, Clone, Default)]
pub struct ManagedUserChanges {
    /// New full name.
    pub name: Option<String>,
    /// New address on a verified domain of the organization.
    pub email: Option<String>,
    /// New role.
    pub role: Option<Role>,
    /// New identifier at the identity provider. `Some(None)` removes it.
    pub sso_id: Option<Option<String>>,
}

/// The account that a request to create a managed account concerns.
enum Candidate {
    /// An address without an account.
    New(Email),
    /// A removed account of the organization, which is restored.
    Removed(AccountId),
}

/// Checks whether a managed account can be created, and returns what the caller must confirm.
/// Changes nothing.
///
/// # Errors
/// As [`create_user`], except `ConfirmationRequired`.
pub fn check_new_user(
    tx: &Tx<'_>,
    key: &ServerKey,
    org: &Org,
    new: &NewManagedUser,
) -> Result<SeatCheck> {
    find_candidate(tx, org, new)?;
    seats::check_seats(tx, key, org, &seat_request(new))
}

/// Creates a managed account, or restores a removed one with the same address, and enqueues a mail
/// with a link to set a password. Returns the account and the number of mails, which is 0 if the
/// organization enforces single sign-on.
///
/// # Errors
/// `Forbidden` if the plan has no managed accounts. `InvalidFields` for `name` or `email`, also if
/// the address is not on a verified domain. `Conflict` if another account has the address.
/// `PaymentRequired` and `ConfirmationRequired` as `seats::take_seats`.
pub fn create_user(
    tx: &WriteTx<'_>,
    key: &ServerKey,
    mut org: Org,
    new: &NewManagedUser,
    confirmation: Option<&str>,
) -> Result<(Person, u32)> {
    let candidate = find_candidate(tx, &org, new)?;
    seats::take_seats(tx, key, &mut org, &seat_request(new), confirmation)?;
    // The account has taken the seat of an open invite for the address.
    members::use_up_invite(tx, &org.id, &new.email)?;
    let (user, action) = match candidate {
        Candidate::New(email) => {
            let name = new.name.clone();
            let new = NewUser { email: email.text, name, ..NewUser::default() };
            (accounts::create_user(tx, &new)?.id, "user.create")
        }
        Candidate::Removed(user) => {
            accounts::set_disabled(tx, &user, false)?;
            let change = UserChanges { name: Some(new.name.clone()), ..UserChanges::default() };
            accounts::update_user(tx, &user, change)?;
            (user, "user.restore")
        }
    };
    store::managed::put_managed(tx, &org.id, &user)?;
    orgs::put_member(tx, &org, &user, new.role)?;
    let mails = enqueue_password_mail(tx, key, &user)?;
    let person = members::find_person(tx, &org.id, &user)?;
    let details = json!({ "email": person.email, "role": person.role.as_str() });
    audit::record(tx, &org.id, action, &EventTarget::new("user", &user, &*person.name), &details)?;
    Ok((person, mails))
}

/// Changes a managed account. Returns the number of enqueued mails: a new address of an account
/// without a password gets a link to set one.
///
/// # Errors
/// `NotFound` without such a managed account. `InvalidFields` for a value that breaks a rule.
/// `Conflict` if another account has the address or the identifier, or the change would demote the
/// last admin.
pub fn update_user(
    tx: &WriteTx<'_>,
    key: &ServerKey,
    org: &Org,
    user: &AccountId,
    change: ManagedUserChanges,
) -> Result<u32> {
    let before = find_managed_person(tx, org, user)?;
    apply_changes(tx, org, user, &before, change)?;
    let mails = replace_mailed_link(tx, key, user, &before)?;
    let after = find_managed_person(tx, org, user)?;
    let changed = audit::changed_fields(&audited_fields(&before), &audited_fields(&after));
    if !changed.is_empty() {
        let target = EventTarget::new("user", user, after.name);
        audit::record(tx, &org.id, "user.change", &target, &changed.into())?;
    }
    Ok(mails)
}

/// Applies the changes to the managed account `before` without an audit event and without a mail.
///
/// # Errors
/// As [`update_user`].
pub(super) fn apply_changes(
    tx: &WriteTx<'_>,
    org: &Org,
    user: &AccountId,
    before: &Person,
    change: ManagedUserChanges,
) -> Result<()> {
    check_not_operator(tx, user)?;
    if let Some(email) = &change.email {
        check_domain(tx, org, &accounts::parse_email(email)?)?;
    }
    if change.email.is_some() || change.name.is_some() {
        let (email, name) = (change.email, change.name);
        accounts::update_user(tx, user, UserChanges { email, name, ..UserChanges::default() })?;
    }
    if let Some(role) = change.role {
        members::add_member(tx, org, user, role)?;
    }
    match change.sso_id {
        Some(sso_id) if sso_id != before.sso_id => set_sso_id(tx, &org.id, user, sso_id.as_deref()),
        _ => Ok(()),
    }
}

/// Returns the fields of a managed account with recorded changes.
pub(super) fn audited_fields(person: &Person) -> serde_json::Map<String, serde_json::Value> {
    audit::fields([
        ("name", json!(person.name)),
        ("email", json!(person.email)),
        ("sso_id", json!(person.sso_id)),
    ])
}

/// Removes a managed account: ends its sessions, API tokens and cast sessions, disables it, and
/// moves its documents to the organization in the background.
///
/// `author` is the account that removes it.
///
/// # Errors
/// `NotFound` without such a managed account, `Conflict` if it is the last admin or an operator of
/// the server.
pub fn remove_user(
    tx: &WriteTx<'_>,
    org: &Org,
    user: &AccountId,
    author: &AccountId,
) -> Result<()> {
    deprovision_user(tx, org, user)?;
    adoption::enqueue_adoption(tx, &org.id, user, author)
}

/// Removes a managed account like [`remove_user`], except that the documents stay with the disabled
/// account, so that a restored account has them again.
///
/// # Errors
/// As [`remove_user`].
pub fn deprovision_user(tx: &WriteTx<'_>, org: &Org, user: &AccountId) -> Result<()> {
    let person = find_managed_person(tx, org, user)?;
    check_not_operator(tx, user)?;
    members::remove_member(tx, org, user)?;
    casting::revoke_sessions_of_user(tx, user, None)?;
    // Before the account is disabled, because this remembers whether it was.
    store::managed::mark_removed(tx, user)?;
    accounts::end_access(tx, user)?;
    let details = json!({ "email": person.email });
    audit::record(
        tx,
        &org.id,
        "user.remove",
        &EventTarget::new("user", user, person.name),
        &details,
    )
}

/// Replaces the link to set a password that was mailed to an earlier address and that the change of the
/// address has deleted: an account without a password gets a mail with a new link. Does nothing if the
/// address is the same as in `before`. Returns the number of mails.
fn replace_mailed_link(
    tx: &WriteTx<'_>,
    key: &ServerKey,
    user: &AccountId,
    before: &Person,
) -> Result<u32> {
    let profile = accounts::load_profile(tx, user)?;
    if profile.email == before.email {
        return Ok(0);
    }
    match profile.password_hash {
        Some(_) => Ok(0),
        None => enqueue_password_mail(tx, key, user),
    }
}

/// Enqueues a mail with a link to set a password, unless the account must use single sign-on. Earlier
/// links stop working. Returns the number of mails.
fn enqueue_password_mail(tx: &WriteTx<'_>, key: &ServerKey, user: &AccountId) -> Result<u32> {
    if accounts::must_use_sso(tx, &accounts::load_profile(tx, user)?)? {
        return Ok(0);
    }
    mail::enqueue_mail(tx, key, user)?;
    Ok(1)
}

/// Sends a managed account a new link to set a password. Earlier links stop working. The present
/// password stays until the link is used.
///
/// # Errors
/// `NotFound` without such a managed account. `Conflict` if the account must use single sign-on, or is an
/// operator of the server.
pub fn send_password_link(
    tx: &WriteTx<'_>,
    key: &ServerKey,
    org: &Org,
    user: &AccountId,
) -> Result<()> {
    record_password_link(tx, org, user)?;
    mail::enqueue_mail(tx, key, user)
}

/// Returns a new link with which a managed account sets a password, for the command line. Otherwise
/// like `send_password_link`.
///
/// # Errors
/// As `send_password_link`.
pub fn create_password_link(
    tx: &WriteTx<'_>,
    key: &ServerKey,
    org: &Org,
    user: &AccountId,
) -> Result<PasswordLink> {
    record_password_link(tx, org, user)?;
    mail::create_link(tx, key, user)
}

/// Checks that a managed account may get a link to set a password, and records it.
fn record_password_link(tx: &WriteTx<'_>, org: &Org, user: &AccountId) -> Result<()> {
    let person = find_managed_person(tx, org, user)?;
    check_not_operator(tx, user)?;
    if accounts::must_use_sso(tx, &accounts::load_profile(tx, user)?)? {
        let text = "the organization requires single sign-on, so that passwords do not work";
        return Err(Error::Conflict(text.to_owned()));
    }
    let target = EventTarget::new("user", user, person.name);
    audit::record(tx, &org.id, "user.password_link", &target, &json!({}))
}

/// Removes the second factor of a managed account, for a user who has lost it. The password stays. Does
/// nothing if the account has none.
///
/// # Errors
/// `NotFound` without such a managed account. `Conflict` if the account is an operator of the server.
pub fn reset_second_factor(tx: &WriteTx<'_>, org: &Org, user: &AccountId) -> Result<()> {
    find_managed_person(tx, org, user)?;
    check_not_operator(tx, user)?;
    second_factor::reset(tx, &accounts::load_profile(tx, user)?).map(drop)
}

/// Checks that an account is not an operator of the server. An organization could take over the
/// server otherwise.
///
/// # Errors
/// `Conflict`.
pub(super) fn check_not_operator(tx: &Tx<'_>, user: &AccountId) -> Result<()> {
    match accounts::load_profile(tx, user)?.operator {
        true => Err(Error::Conflict(
            "the account operates the server; only the command line can change it".to_owned(),
        )),
        false => Ok(()),
    }
}

/// Returns the number of managed accounts of an organization without an identifier at the identity
/// provider.
pub fn count_unlinked(tx: &Tx<'_>, org: &AccountId) -> Result<usize> {
    let people = store::people::list_people(tx, org)?;
    Ok(people.iter().filter(|person| person.is_managed && person.sso_id.is_none()).count())
}

/// Returns a managed account of an organization.
///
/// # Errors
/// `NotFound` if the user is not a member or not managed.
pub fn find_managed_person(tx: &Tx<'_>, org: &Org, user: &AccountId) -> Result<Person> {
    let found = store::people::find_person(tx, &org.id, user)?;
    found.filter(|person| person.is_managed).or_not_found("user")
}

/// Checks a managed account to create and returns what is to be done.
fn find_candidate(tx: &Tx<'_>, org: &Org, new: &NewManagedUser) -> Result<Candidate> {
    if org.plan == Plan::Team {
        return Err(Error::Forbidden(
            "the plan of the organization has no managed accounts".to_owned(),
        ));
    }
    accounts::parse_name(&new.name)?;
    let email = accounts::parse_email(&new.email)?;
    check_domain(tx, org, &email)?;
    let user = match accounts::find_user(tx, &email.text) {
        Ok(user) => user,
        Err(Error::NotFound(_)) => return Ok(Candidate::New(email)),
        Err(error) => return Err(error),
    };
    match store::managed::find_managed(tx, &user.id)? {
        Some(managed) if managed.org == org.id && managed.removed.is_some() => {
            check_not_operator(tx, &user.id)?;
            if managed.was_disabled {
                let text = format!("the operator has disabled the account {}", email.text);
                return Err(Error::field_conflict("email", text));
            }
            Ok(Candidate::Removed(user.id))
        }
        _ => Err(address_in_use_error(&email.text)),
    }
}

/// Returns the error for an address that another account has.
pub(super) fn address_in_use_error(email: &str) -> Error {
    Error::field_conflict("email", format!("an account with the address {email} exists"))
}

/// Checks that an address is on a verified domain of the organization.
///
/// # Errors
/// `InvalidFields` for `email`.
pub(super) fn check_domain(tx: &Tx<'_>, org: &Org, email: &Email) -> Result<()> {
    match domains::is_address_verified(tx, &org.id, &email.text)? {
        true => Ok(()),
        false => Err(Error::invalid_field(
            "email",
            "must be on a domain that the organization has verified",
        )),
    }
}

/// Returns why an account cannot have this identifier at the identity provider, or None. The verifier of
/// SAML responses has the same rules, so that every account with an identifier can sign in.
pub(super) fn find_sso_id_problem(text: &str) -> Option<String> {
    let is_length_valid = (1..=MAX_SSO_ID_CHARS).contains(&text.chars().count());
    if !is_length_valid || text.contains(char::is_control) {
        return Some(format!(
            "must have 1 to {MAX_SSO_ID_CHARS} characters without control characters"
        ));
    }
    (text.trim() != text).then(|| "must not begin or end with white space".to_owned())
}

/// Sets or removes the identifier at the identity provider. A removed account loses the identifier
/// that another one gets.
///
/// # Errors
/// `InvalidFields` for `sso_id`, `Conflict` if another account of the organization has it.
pub(super) fn set_sso_id(
    tx: &WriteTx<'_>,
    org: &AccountId,
    user: &AccountId,
    sso_id: Option<&str>,
) -> Result<()> {
    if let Some(problem) = sso_id.and_then(find_sso_id_problem) {
        return Err(Error::invalid_field("sso_id", problem));
    }
    if let Some(sso_id) = sso_id {
        store::managed::release_sso_id(tx, org, sso_id)?;
    }
    map_unique_violation(store::managed::set_sso_id(tx, user, sso_id), || {
        Error::field_conflict("sso_id", "another account of the organization has it")
    })
}

/// Returns the seats that a new managed account needs.
fn seat_request(new: &NewManagedUser) -> SeatRequest {
    SeatRequest {
        addresses: vec![accounts::email_key(&new.email)],
        role: new.role,
        always_needs_confirmation: true,
    }
}
