//! Seats: whether new members fit, what further seats cost, and the confirmation of that offer.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Map;
use serde_json::Value;

use super::store;
use crate::features::orgs;
use crate::features::orgs::Org;
use crate::features::orgs::PeriodUnit;
use crate::features::orgs::Role;
use crate::features::orgs::Seats;
use crate::features::orgs::SubscriptionTerms;
use chartroom_platform::crypto;
use chartroom_platform::crypto::ServerKey;
use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::db::map_unique_violation;
use chartroom_platform::error::Error;
use chartroom_platform::error::RequiredConfirmation;
use chartroom_platform::error::Result;
use chartroom_platform::time::Timestamp;

/// Time for which a confirmation is valid.
const CONFIRMATION_LIFETIME: Duration = Duration::from_secs(15 * 60);

/// People to add to an organization.
#[derive(Debug, Clone)]
pub struct SeatRequest {
    /// Normalized addresses, see `accounts::email_key`.
    pub addresses: Vec<String>,
    /// Role of all of them.
    pub role: Role,
    /// Whether a confirmation is needed even if the seats suffice.
    pub always_needs_confirmation: bool,
}

/// The change of the seats that makes room for the requested people.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SeatOffer {
    /// Seats to add.
    additional_seats: u32,
    /// Seats afterwards. None if unlimited.
    seats_after: Option<u32>,
}

/// The change of the subscription, as the response of a check shows it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct UpdateInfo {
    /// Seats to add.
    pub additional_seats: u32,
    /// Seats after the change.
    pub max_member_count: u32,
    /// Currency as a code of ISO 4217.
    pub currency: String,
    /// Unit of the payment period.
    pub period: PeriodUnit,
    /// Number of units in a payment period.
    pub period_interval: u32,
    /// Price of all seats for a period after the change, in hundredths of the currency.
    pub price_per_period: u64,
    /// Average price of a seat for a period, in hundredths of the currency.
    pub price_per_user_and_period: u64,
    /// Price of the additional seats for a period, in hundredths of the currency.
    pub due_now: u64,
    /// Confirmation to send with the request. Valid for 15 minutes, once.
    pub confirmation: String,
}

/// Result of a check.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SeatCheck {
    /// Change of the subscription. Absent if the seats suffice.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub update_info: Option<UpdateInfo>,
    /// Confirmation to send with the request. Valid for 15 minutes, once. Absent if none is needed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confirmation: Option<String>,
}

/// Counts the seats that are taken: members and open invites.
pub fn count_taken(tx: &Tx<'_>, org: &Org) -> Result<u32> {
    Ok(orgs::count_members(tx, &org.id)? + store::invites::count_open(tx, &org.id)?)
}

/// Checks whether the requested people fit, and returns what the caller must confirm. Reserves
/// nothing.
///
/// # Errors
/// `PaymentRequired` if a seat cannot be had.
pub fn check_seats(
    tx: &Tx<'_>,
    key: &ServerKey,
    org: &Org,
    request: &SeatRequest,
) -> Result<SeatCheck> {
    let offer = make_offer(tx, org, count_new(tx, org, &request.addresses)?)?;
    if !needs_confirmation(org, request, offer) {
        return Ok(SeatCheck { update_info: None, confirmation: None });
    }
    let confirmation = sign_confirmation(tx, key, org, request, offer)?;
    let update_info =
        (offer.additional_seats > 0).then(|| build_update_info(org, offer, confirmation.clone()));
    Ok(SeatCheck { update_info, confirmation: Some(confirmation) })
}

/// Takes seats for the requested people in the transaction that adds them. Adds seats to the
/// organization if the offer says so. `confirmation` is that of the caller.
///
/// # Errors
/// `PaymentRequired` if a seat cannot be had. `ConfirmationRequired` with a new offer if a needed
/// confirmation is absent, not valid for this request, expired or used.
pub fn take_seats(
    tx: &WriteTx<'_>,
    key: &ServerKey,
    org: &mut Org,
    request: &SeatRequest,
    confirmation: Option<&str>,
) -> Result<()> {
    let offer = make_offer(tx, org, count_new(tx, org, &request.addresses)?)?;
    if needs_confirmation(org, request, offer) {
        use_confirmation(tx, key, org, request, offer, confirmation)?;
    }
    apply_offer(tx, org, offer)
}

/// Takes a seat for an address without a confirmation, for an identity provider. Adds a seat to the
/// organization if its settings allow it.
///
/// # Errors
/// `PaymentRequired` if a seat cannot be had.
pub fn add_seat(tx: &WriteTx<'_>, org: &mut Org, address: &str) -> Result<()> {
    let offer = make_offer(tx, org, count_new(tx, org, &[address.to_owned()])?)?;
    apply_offer(tx, org, offer)
}

/// Adds the seats of an offer to the organization. Does nothing if it adds none.
fn apply_offer(tx: &WriteTx<'_>, org: &mut Org, offer: SeatOffer) -> Result<()> {
    if let (1.., Some(seats)) = (offer.additional_seats, offer.seats_after) {
        *org = orgs::set_plan(tx, &org.id, None, Some(Seats::Limited(seats)))?;
    }
    Ok(())
}

/// Deletes the used confirmations that have expired.
pub fn delete_expired_confirmations(tx: &WriteTx<'_>) -> Result<()> {
    store::delete_expired_confirmations(tx)
}

/// Returns the offer for `new_people` more people.
///
/// # Errors
/// `PaymentRequired` if the seats do not suffice and cannot grow so far.
fn make_offer(tx: &Tx<'_>, org: &Org, new_people: u32) -> Result<SeatOffer> {
    let needed = count_taken(tx, org)?.saturating_add(new_people);
    let Some(seats) = org.seats.limit() else {
        return Ok(SeatOffer { additional_seats: 0, seats_after: None });
    };
    if needed <= seats || new_people == 0 {
        return Ok(SeatOffer { additional_seats: 0, seats_after: Some(seats) });
    }
    // Without a subscription the operator alone sets the seats.
    let limit = orgs::find_settings(tx, &org.id)?.automatic_seat_limit();
    if org.terms.is_some() && limit.is_some_and(|limit| needed <= limit) {
        return Ok(SeatOffer { additional_seats: needed - seats, seats_after: Some(needed) });
    }
    let free = seats.saturating_sub(needed - new_people);
    Err(Error::PaymentRequired(format!(
        "{} has {free} free seats of {seats}, counting open invites, and this needs {new_people}",
        org.name
    )))
}

/// Returns whether the caller must confirm the offer.
fn needs_confirmation(org: &Org, request: &SeatRequest, offer: SeatOffer) -> bool {
    let is_flat_fee = org.terms.as_ref().is_some_and(SubscriptionTerms::is_flat_fee);
    !is_flat_fee && (request.always_needs_confirmation || offer.additional_seats > 0)
}

/// Builds the description of an offer.
fn build_update_info(org: &Org, offer: SeatOffer, confirmation: String) -> UpdateInfo {
    let terms = org.terms.clone().unwrap_or_else(|| SubscriptionTerms::new(org.created));
    let seats = offer.seats_after.unwrap_or_default();
    let price = terms.price_of(seats);
    UpdateInfo {
        additional_seats: offer.additional_seats,
        max_member_count: seats,
        price_per_period: price,
        price_per_user_and_period: price / u64::from(seats.max(1)),
        due_now: price - terms.price_of(seats - offer.additional_seats),
        currency: terms.currency,
        period: terms.period,
        period_interval: terms.period_interval,
        confirmation,
    }
}

/// Returns a new confirmation of an offer: its expiry in milliseconds, a random part and a
/// signature, separated by dots.
fn sign_confirmation(
    tx: &Tx<'_>,
    key: &ServerKey,
    org: &Org,
    request: &SeatRequest,
    offer: SeatOffer,
) -> Result<String> {
    let expires = tx.now.saturating_add(CONFIRMATION_LIFETIME);
    let text = format!("{}.{}", expires.0, crypto::random_base62(16)?);
    let signature = signature(key, org, request, offer, &text);
    Ok(format!("{text}.{signature}"))
}

/// Returns the signature of a confirmation with this expiry and random part. It covers the
/// organization, the addresses, the role, the seats and the price.
fn signature(
    key: &ServerKey,
    org: &Org,
    request: &SeatRequest,
    offer: SeatOffer,
    text: &str,
) -> String {
    let mut addresses = request.addresses.clone();
    addresses.sort();
    let terms = org.terms.as_ref();
    let terms =
        terms.map(|terms| (&terms.price, &terms.currency, terms.period, terms.period_interval));
    let content = format!(
        "{text}\0{}\0{}\0{}\0{:?}\0{terms:?}",
        org.id,
        addresses.join("\0"),
        request.role,
        offer
    );
    key.derive_token("seats", &content)
}

/// Checks and uses up the confirmation of a request.
///
/// # Errors
/// `ConfirmationRequired` with a new offer, see [`take_seats`].
fn use_confirmation(
    tx: &WriteTx<'_>,
    key: &ServerKey,
    org: &Org,
    request: &SeatRequest,
    offer: SeatOffer,
    confirmation: Option<&str>,
) -> Result<()> {
    let refuse = |message: &str| refusal(tx, key, org, request, offer, message);
    let Some(confirmation) = confirmation else {
        return Err(refuse("this needs the confirmation of a check")?);
    };
    let parts = confirmation.rsplit_once('.');
    let is_valid = parts.is_some_and(|(text, signed)| {
        let expected = signature(key, org, request, offer, text);
        crypto::constant_time_eq(signed.as_bytes(), expected.as_bytes())
    });
    if !is_valid {
        let text = "the confirmation is not valid for this request, or the seats or the price have \
                    changed";
        return Err(refuse(text)?);
    }
    let expires = confirmation.split('.').next().and_then(|text| text.parse().ok());
    let expires = Timestamp(expires.unwrap_or(0));
    if expires <= tx.now {
        return Err(refuse("the confirmation has expired")?);
    }
    let hash = crypto::sha256(confirmation.as_bytes());
    let used = || Error::Conflict("the confirmation was used before".to_owned());
    map_unique_violation(store::insert_used_confirmation(tx, &hash, expires), used)
}

/// Returns the error that asks for a confirmation and contains a new offer.
fn refusal(
    tx: &Tx<'_>,
    key: &ServerKey,
    org: &Org,
    request: &SeatRequest,
    offer: SeatOffer,
    message: &str,
) -> Result<Error> {
    let confirmation = sign_confirmation(tx, key, org, request, offer)?;
    let mut members = Map::new();
    if offer.additional_seats > 0 {
        let info = build_update_info(org, offer, confirmation.clone());
        members.insert("update_info".to_owned(), serde_json::to_value(info)?);
    }
    members.insert("confirmation".to_owned(), Value::String(confirmation));
    let message = message.to_owned();
    Ok(Error::ConfirmationRequired(Box::new(RequiredConfirmation { message, members })))
}

/// Returns the number of seats that the addresses need. An address with an open invite has one.
fn count_new(tx: &Tx<'_>, org: &Org, addresses: &[String]) -> Result<u32> {
    let mut new = 0;
    for address in addresses {
        new += u32::from(!store::invites::is_invited(tx, &org.id, address)?);
    }
    Ok(new)
}
