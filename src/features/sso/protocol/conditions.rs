//! The conditions under which an assertion is valid: confirmation, audience and times.

use std::time::Duration;

use roxmltree::Node;

use super::provider::ServiceProvider;
use super::rejection::ReasonCode;
use super::rejection::Rejection;
use super::rejection::quote;
use super::schema;
use super::schema::format_error;
use chartroom_platform::time::Timestamp;

/// Tolerated difference between the clocks of this server and the identity provider.
pub const CLOCK_SKEW: Duration = Duration::from_secs(120);
/// Maximum time between the creation of an assertion and its end. IDs of used assertions are stored
/// until then.
const MAX_VALIDITY: Duration = Duration::from_hours(7 * 24);
/// Method of a confirmation that needs no proof of a key.
const BEARER: &str = "urn:oasis:names:tc:SAML:2.0:cm:bearer";
/// Conditions that the server fulfills always: an assertion is used once, and never passed on.
const HARMLESS_CONDITIONS: [&str; 2] = ["OneTimeUse", "ProxyRestriction"];

/// The conditions of an assertion, which are fulfilled.
pub struct FulfilledConditions {
    /// ID of the request that the assertion answers.
    pub in_response_to: Option<String>,
    /// Time from which on the conditions are no longer fulfilled.
    pub expires: Timestamp,
    /// Time at which a session must end.
    pub session_not_on_or_after: Option<Timestamp>,
}

/// Checks the conditions of an assertion. `subject` is its `Subject` element.
///
/// # Errors
/// `Recipient`, `Audience`, `Time` and `Format`.
pub fn check(
    assertion: Node<'_, '_>,
    subject: Node<'_, '_>,
    service_provider: &ServiceProvider,
    now: Timestamp,
) -> Result<FulfilledConditions, Rejection> {
    let confirmation = read_confirmation(subject, service_provider)?;
    let conditions = schema::child(assertion, "Conditions")?;
    check_audience(conditions, service_provider)?;
    let issued = schema::time(assertion, "IssueInstant")?;
    let issued = issued.ok_or_else(|| format_error("the assertion has no IssueInstant"))?;
    if issued > now.saturating_add(CLOCK_SKEW) {
        return Err(time_error("the assertion is issued in the future; check the clocks"));
    }
    let not_before = schema::time(conditions, "NotBefore")?;
    if not_before.is_some_and(|start| start > now.saturating_add(CLOCK_SKEW)) {
        return Err(time_error("the assertion is not valid yet; check the clocks"));
    }
    let ends = [Some(confirmation.not_on_or_after), schema::time(conditions, "NotOnOrAfter")?];
    let ends = ends.into_iter().flatten();
    if ends.clone().any(|end| end > issued.saturating_add(MAX_VALIDITY)) {
        return Err(time_error("the assertion is valid for more than 7 days"));
    }
    let expires = ends.fold(confirmation.not_on_or_after, Timestamp::min);
    let expires = expires.saturating_add(CLOCK_SKEW);
    if now >= expires {
        return Err(time_error("the assertion has expired"));
    }
    let in_response_to = confirmation.in_response_to;
    let session_not_on_or_after = read_session_end(assertion, now)?;
    Ok(FulfilledConditions { in_response_to, expires, session_not_on_or_after })
}

/// The data of the bearer confirmation.
struct Confirmation {
    in_response_to: Option<String>,
    not_on_or_after: Timestamp,
}

/// Reads the only bearer confirmation, which must be for this server.
fn read_confirmation(
    subject: Node<'_, '_>,
    service_provider: &ServiceProvider,
) -> Result<Confirmation, Rejection> {
    let mut bearers = subject.children().filter(|child| {
        schema::is_assertion(*child, "SubjectConfirmation")
            && child.attribute("Method") == Some(BEARER)
    });
    let (Some(bearer), None) = (bearers.next(), bearers.next()) else {
        return Err(format_error(
            "the subject must have exactly one SubjectConfirmation with the method bearer",
        ));
    };
    let data = schema::child(bearer, "SubjectConfirmationData")?;
    let recipient = data.attribute("Recipient").unwrap_or_default();
    if recipient != service_provider.acs_url {
        let reason = format!("the recipient of the assertion is {}", quote(recipient));
        return Err(Rejection::new(ReasonCode::Recipient, reason));
    }
    if data.has_attribute("NotBefore") {
        return Err(format_error("SubjectConfirmationData must not have NotBefore"));
    }
    let not_on_or_after = schema::time(data, "NotOnOrAfter")?;
    Ok(Confirmation {
        in_response_to: data.attribute("InResponseTo").map(str::to_owned),
        not_on_or_after: not_on_or_after
            .ok_or_else(|| format_error("SubjectConfirmationData has no NotOnOrAfter"))?,
    })
}

/// Checks that each audience restriction contains this server, that there is one, and that no unknown
/// condition exists.
fn check_audience(
    conditions: Node<'_, '_>,
    service_provider: &ServiceProvider,
) -> Result<(), Rejection> {
    let mut is_restricted = false;
    for condition in schema::children(conditions)? {
        if HARMLESS_CONDITIONS.iter().any(|name| schema::is_assertion(condition, name)) {
            continue;
        }
        if !schema::is_assertion(condition, "AudienceRestriction") {
            let name = quote(condition.tag_name().name());
            return Err(format_error(format!("the condition {name} is not known")));
        }
        is_restricted = true;
        let mut audiences = Vec::new();
        for audience in schema::children(condition)? {
            if !schema::is_assertion(audience, "Audience") {
                return Err(format_error("AudienceRestriction must contain only Audience"));
            }
            audiences.push(schema::text(audience)?);
        }
        if !audiences.contains(&service_provider.audience.as_str()) {
            let found = audiences.first().map_or("none".to_owned(), |audience| quote(audience));
            let reason = format!(
                "the audience of the assertion is {found}, but must be {}",
                quote(&service_provider.audience)
            );
            return Err(Rejection::new(ReasonCode::Audience, reason));
        }
    }
    match is_restricted {
        true => Ok(()),
        false => Err(Rejection::new(ReasonCode::Audience, "the assertion has no audience")),
    }
}

/// Returns the earliest end of a session that the statements about the authentication demand. At
/// least one statement must be present.
fn read_session_end(
    assertion: Node<'_, '_>,
    now: Timestamp,
) -> Result<Option<Timestamp>, Rejection> {
    let is_statement = |node: &Node<'_, '_>| schema::is_assertion(*node, "AuthnStatement");
    let (mut is_authenticated, mut session_end) = (false, None);
    for statement in assertion.children().filter(is_statement) {
        is_authenticated = true;
        let end = schema::time(statement, "SessionNotOnOrAfter")?;
        session_end = [session_end, end].into_iter().flatten().min();
    }
    if !is_authenticated {
        return Err(format_error("the assertion has no AuthnStatement"));
    }
    // Without a tolerance for clocks: a session with this end would be over at once.
    match session_end.is_some_and(|end| now >= end) {
        true => Err(time_error("the session at the identity provider has ended")),
        false => Ok(session_end),
    }
}

/// Returns a rejection with the code `Time`.
fn time_error(reason: &str) -> Rejection {
    Rejection::new(ReasonCode::Time, reason)
}
