//! Creating, sending, deleting and accepting invites.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use super::mail;
use crate::app::App;
use crate::features::accounts;
use crate::features::audit;
use crate::features::audit::EventTarget;
use crate::features::orgs;
use crate::features::orgs::Org;
use crate::features::orgs::Role;
use crate::features::orgs::domains;
use crate::features::people::invite::Invite;
use crate::features::people::members;
use crate::features::people::seats;
use crate::features::people::seats::SeatCheck;
use crate::features::people::seats::SeatRequest;
use crate::features::people::store;
use chartroom_platform::crypto;
use chartroom_platform::crypto::ServerKey;
use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Error;
use chartroom_platform::error::FieldError;
use chartroom_platform::error::OrNotFound;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;
use chartroom_platform::id::InviteId;

/// Time after which an invite expires.
const INVITE_LIFETIME: Duration = Duration::from_secs(30 * 86_400);
/// Maximum number of addresses of one request.
pub const MAX_ADDRESSES: usize = 100;
/// Maximum number of characters in the message of an invite.
const MAX_MESSAGE_CHARS: usize = 2000;

/// People to invite.
#[derive(Debug, Clone)]
pub struct NewInvites {
    /// Addresses as given.
    pub emails: Vec<String>,
    /// Role after the acceptance.
    pub role: Role,
    /// Text for the mail. May be empty.
    pub message: String,
}

/// Whether an address can be invited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AddressStatus {
    /// The address can be invited.
    Ok,
    /// The text is not an e-mail address.
    Invalid,
    /// The address belongs to a member.
    Member,
    /// The address has an open invite.
    Invited,
    /// Another organization manages the account of the address.
    ManagedElsewhere,
    /// The account of the address is disabled: the operator has disabled it, or an organization has
    /// removed it.
    Disabled,
}

impl AddressStatus {
    /// Returns why the address cannot be invited, or None.
    pub fn problem(self) -> Option<&'static str> {
        match self {
            Self::Ok => None,
            Self::Invalid => Some("is not an e-mail address"),
            Self::Member => Some("belongs to a member of the organization"),
            Self::Invited => Some("has an open invite, which can be sent again"),
            Self::ManagedElsewhere => {
                Some("belongs to an account that another organization manages")
            }
            Self::Disabled => Some("belongs to a disabled account; a managed one can be restored"),
        }
    }
}

/// Returns the status of each address, in the order of the request, and what the caller must
/// confirm to invite those with the status `Ok`. Changes nothing.
///
/// # Errors
/// `InvalidFields` for the number of addresses or the message, and, if external invites are
/// disabled, for addresses outside the verified domains. `PaymentRequired` if a seat cannot be had.
pub fn check_invites(
    tx: &Tx<'_>,
    key: &ServerKey,
    org: &Org,
    new: &NewInvites,
) -> Result<(Vec<AddressStatus>, SeatCheck)> {
    check_request(tx, org, new)?;
    let statuses = find_statuses(tx, org, &new.emails)?;
    let check = seats::check_seats(tx, key, org, &seat_request(new, &statuses))?;
    Ok((statuses, check))
}

/// Invites people, all or none, and enqueues the mails. An address that occurs several times is
/// invited once. Returns the number of invites.
///
/// `author` is the account that invites, or empty for the command line.
///
/// # Errors
/// As `check_invites`. `InvalidFields` for each address that cannot be invited.
/// `ConfirmationRequired` as `seats::take_seats`.
pub fn create_invites(
    tx: &WriteTx<'_>,
    key: &ServerKey,
    mut org: Org,
    author: &AccountId,
    new: &NewInvites,
    confirmation: Option<&str>,
) -> Result<u32> {
    check_request(tx, &org, new)?;
    let statuses = find_statuses(tx, &org, &new.emails)?;
    let problems = statuses.iter().enumerate().filter_map(|(index, status)| {
        let message = status.problem()?.to_owned();
        Some(FieldError { field: format!("emails[{index}]"), message })
    });
    let problems: Vec<FieldError> = problems.collect();
    if !problems.is_empty() {
        return Err(Error::InvalidFields(problems));
    }
    let request = seat_request(new, &statuses);
    seats::take_seats(tx, key, &mut org, &request, confirmation)?;
    for address in &request.addresses {
        let email = new.emails.iter().find(|email| accounts::email_key(email) == *address);
        let email = email.or_not_found("address")?;
        insert_invite(tx, key, &org, author, (email, new.role, &new.message))?;
    }
    Ok(u32::try_from(request.addresses.len()).unwrap_or(u32::MAX))
}

/// Returns the confirmation of the seats for [`create_invites`], or None if none is needed. For
/// callers who have already decided to add seats.
pub fn confirm_seats(
    tx: &Tx<'_>,
    key: &ServerKey,
    org: &Org,
    new: &NewInvites,
) -> Result<Option<String>> {
    Ok(check_invites(tx, key, org, new)?.1.confirmation)
}

/// Inserts an invite, enqueues its mail and records the event. `content` is address, role and
/// message.
fn insert_invite(
    tx: &WriteTx<'_>,
    key: &ServerKey,
    org: &Org,
    author: &AccountId,
    content: (&str, Role, &str),
) -> Result<()> {
    let (email, role, message) = content;
    let email = accounts::parse_email(email)?;
    let mut invite = Invite {
        id: InviteId::new(),
        org: org.id.clone(),
        email: email.text,
        role,
        message: message.trim().to_owned(),
        token_hash: [0; 32],
        rotation: 0,
        invited_by: author.clone(),
        created: tx.now,
        last_sent: tx.now,
        expires: tx.now.saturating_add(INVITE_LIFETIME),
    };
    invite.token_hash = crypto::sha256(mail::derive_token(key, &invite).as_bytes());
    store::invites::insert_invite(tx, &invite, &email.key)?;
    mail::enqueue_mail(tx, &invite.id)?;
    let details = json!({ "role": role.as_str() });
    audit::record(tx, &org.id, "invite.create", &target(&invite), &details)
}

/// Sends an invite again, with a new token and a new expiry. The previous link stops working.
///
/// # Errors
/// `NotFound` without such an open invite.
pub fn send_again(tx: &WriteTx<'_>, key: &ServerKey, org: &Org, id: &InviteId) -> Result<Invite> {
    let mut invite = find_invite(tx, org, id)?;
    invite.rotation += 1;
    invite.token_hash = crypto::sha256(mail::derive_token(key, &invite).as_bytes());
    invite.last_sent = tx.now;
    invite.expires = tx.now.saturating_add(INVITE_LIFETIME);
    store::invites::update_token(tx, &invite)?;
    mail::enqueue_mail(tx, id)?;
    audit::record(tx, &org.id, "invite.send", &target(&invite), &json!({}))?;
    Ok(invite)
}

/// Deletes an open invite. Its link stops working and its seat is free.
///
/// # Errors
/// `NotFound` without such an open invite.
pub fn delete_invite(tx: &WriteTx<'_>, org: &Org, id: &InviteId) -> Result<()> {
    let invite = find_invite(tx, org, id)?;
    store::invites::delete_invite(tx, id)?;
    audit::record(tx, &org.id, "invite.delete", &target(&invite), &json!({}))
}

/// Deletes the invites that have expired.
pub fn delete_expired(tx: &WriteTx<'_>) -> Result<()> {
    store::invites::delete_expired(tx)
}

/// Returns the open invites of an organization, oldest first.
pub fn list_invites(tx: &Tx<'_>, org: &Org) -> Result<Vec<Invite>> {
    store::invites::list_open(tx, &org.id)
}

/// Accepts an invite as a user: the user becomes a member with the role of the invite, unless the
/// user is one already. The invite is used up.
///
/// # Errors
/// As [`members::join`]. `PaymentRequired` while the organization is suspended.
pub fn accept_invite(tx: &WriteTx<'_>, invite: &Invite, user: &AccountId) -> Result<()> {
    let org = orgs::find_org(tx, invite.org.as_str())?;
    if org.suspended {
        return Err(orgs::suspended_error());
    }
    store::invites::delete_invite(tx, &invite.id)?;
    if orgs::find_role(tx, &org.id, user)?.is_none() {
        members::join(tx, &org, user, invite.role)?;
    }
    audit::record(tx, &org.id, "invite.accept", &target(invite), &json!({ "user": user }))
}

/// Runs after a user got an e-mail address: invites the user to the organization that has verified
/// the domain of the address, if it invites such users automatically and has a free seat.
pub fn invite_domain_user(app: &App, user: &AccountId) -> Result<()> {
    let (key, user) = (app.server_key.clone(), user.clone());
    app.db.write(move |tx| {
        let profile = match accounts::load_profile(tx, &user) {
            Err(Error::NotFound(_)) => return Ok(()),
            other => other?,
        };
        let Some(org) = domains::find_verified_org(tx, &profile.email)? else { return Ok(()) };
        let org = orgs::find_org(tx, org.as_str())?;
        let settings = orgs::find_settings(tx, &org.id)?;
        let is_wanted = settings.invites_domain_users() && !settings.disables_unmanaged_accounts();
        let has_seat = org.seats.can_hold(seats::count_taken(tx, &org)? + 1);
        let is_possible = find_status(tx, &org, &profile.email)? == AddressStatus::Ok;
        if !is_wanted || org.suspended || !has_seat || !is_possible {
            return Ok(());
        }
        let author = AccountId::from_text("");
        insert_invite(tx, &key, &org, &author, (&profile.email, Role::Member, ""))
    })
}

/// Returns an open invite of an organization.
///
/// # Errors
/// `NotFound` without such an open invite.
pub fn find_invite(tx: &Tx<'_>, org: &Org, id: &InviteId) -> Result<Invite> {
    let found = store::invites::find_open(tx, id)?;
    found.filter(|invite| invite.org == org.id).or_not_found("invite")
}

/// Checks the number of addresses, the message and the rule about external addresses.
fn check_request(tx: &Tx<'_>, org: &Org, new: &NewInvites) -> Result<()> {
    if !(1..=MAX_ADDRESSES).contains(&new.emails.len()) {
        let text = format!("must have 1 to {MAX_ADDRESSES} addresses");
        return Err(Error::invalid_field("emails", text));
    }
    if new.message.chars().count() > MAX_MESSAGE_CHARS {
        let text = format!("must have at most {MAX_MESSAGE_CHARS} characters");
        return Err(Error::invalid_field("message", text));
    }
    if orgs::find_settings(tx, &org.id)?.disables_unmanaged_accounts() {
        let text = "cannot be invited, because the organization allows managed accounts only";
        return Err(Error::invalid_field("emails", text));
    }
    if org.external_invites {
        return Ok(());
    }
    let mut errors = Vec::new();
    for (index, email) in new.emails.iter().enumerate() {
        if !domains::is_address_verified(tx, &org.id, email)? {
            let message = "is not on a verified domain, and external invites are disabled";
            errors.push(FieldError {
                field: format!("emails[{index}]"),
                message: message.to_owned(),
            });
        }
    }
    if errors.is_empty() { Ok(()) } else { Err(Error::InvalidFields(errors)) }
}

/// Returns the status of each address.
fn find_statuses(tx: &Tx<'_>, org: &Org, emails: &[String]) -> Result<Vec<AddressStatus>> {
    emails.iter().map(|email| find_status(tx, org, email)).collect()
}

/// Returns the status of an address.
fn find_status(tx: &Tx<'_>, org: &Org, email: &str) -> Result<AddressStatus> {
    let Ok(email) = accounts::parse_email(email) else { return Ok(AddressStatus::Invalid) };
    let user = match accounts::find_user(tx, &email.text) {
        Ok(user) if user.disabled => return Ok(AddressStatus::Disabled),
        Ok(user) => Some(user.id),
        Err(Error::NotFound(_)) => None,
        Err(error) => return Err(error),
    };
    if let Some(user) = user {
        if orgs::find_role(tx, &org.id, &user)?.is_some() {
            return Ok(AddressStatus::Member);
        }
        if store::managed::managing_org(tx, &user)?.is_some_and(|managing| managing != org.id) {
            return Ok(AddressStatus::ManagedElsewhere);
        }
    }
    match store::invites::is_invited(tx, &org.id, &email.key)? {
        true => Ok(AddressStatus::Invited),
        false => Ok(AddressStatus::Ok),
    }
}

/// Returns the seats for the addresses that can be invited, each once. `statuses` has the status
/// of each address of `new`, in the same order.
fn seat_request(new: &NewInvites, statuses: &[AddressStatus]) -> SeatRequest {
    let possible = new.emails.iter().zip(statuses);
    let possible = possible.filter(|(_, status)| **status == AddressStatus::Ok);
    let mut addresses: Vec<String> =
        possible.map(|(email, _)| accounts::email_key(email)).collect();
    addresses.sort();
    addresses.dedup();
    SeatRequest { addresses, role: new.role, always_needs_confirmation: false }
}

/// Returns the target of events about an invite.
fn target(invite: &Invite) -> EventTarget {
    EventTarget::new("invite", &invite.id, invite.email.as_str())
}
