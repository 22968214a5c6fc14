//! Verification of a response up to the data of its assertion.

use roxmltree::Node;

use super::attributes::Attributes;
use super::conditions;
use super::conditions::CLOCK_SKEW;
use super::envelope;
use super::provider::IdentityProvider;
use super::provider::ServiceProvider;
use super::rejection::ReasonCode;
use super::rejection::Rejection;
use super::rejection::quote;
use super::schema;
use super::schema::format_error;
use super::subject::Subject;
use chartroom_platform::time::Timestamp;
use chartroom_platform::xml::XmlError;
use chartroom_platform::xml::XmlText;

/// Maximum number of characters in the ID of an assertion or a request.
const MAX_ID_CHARS: usize = 256;

/// An assertion that passed every check that needs no database. The caller checks the replay, the
/// request, the domain of the address and the account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerifiedAssertion {
    /// ID of the assertion, for the detection of replays. At most 256 characters.
    pub id: String,
    /// ID of the request that the response answers, at most 256 characters. None if the identity
    /// provider began the login.
    pub in_response_to: Option<String>,
    /// Time from which on [`verify`] rejects this assertion as expired, so that its ID can be
    /// forgotten. At most 7 days and 4 minutes in the future.
    pub replay_until: Timestamp,
    /// Time at which a session must end. Can be up to two minutes in the past.
    pub session_not_on_or_after: Option<Timestamp>,
    /// Identified user.
    pub subject: Subject,
    /// Names and values of attributes for display to administrators: at most 100 attributes with 100
    /// values of 500 characters each.
    pub attributes: Vec<(String, Vec<String>)>,
}

/// Verifies a response and returns the assertion that it contains. `xml` is the result of
/// [`decode_response`](super::decode_response).
///
/// Everything in the result comes from bytes that one of the keys has signed.
///
/// # Errors
/// Any code that needs no database: `Signature`, `Issuer`, `Audience`, `Recipient`, `Time`,
/// `Request` (response and confirmation name different requests), `Status`, `Address`, `Encrypted`
/// and `Format`.
pub fn verify(
    xml: &str,
    service_provider: &ServiceProvider,
    identity_provider: &IdentityProvider,
    now: Timestamp,
) -> Result<VerifiedAssertion, Rejection> {
    let envelope = envelope::open(xml, &identity_provider.keys)?;
    let text = XmlText::new(&envelope.signed).map_err(malformed)?;
    let document = text.parse().map_err(malformed)?;
    let assertion = find_assertion(document.root_element())?;
    check_issuer(assertion, &identity_provider.entity_id)?;
    let subject = schema::child(assertion, "Subject")?;
    let fulfilled = conditions::check(assertion, subject, service_provider, now)?;
    let in_response_to = fulfilled.in_response_to.map(check_id).transpose()?;
    envelope.response.check(
        service_provider,
        &identity_provider.entity_id,
        in_response_to.as_deref(),
        now.saturating_add(CLOCK_SKEW),
    )?;
    let attributes = Attributes::read(assertion)?;
    Ok(VerifiedAssertion {
        id: check_id(assertion.attribute("ID").unwrap_or_default().to_owned())?,
        in_response_to,
        replay_until: fulfilled.expires,
        session_not_on_or_after: fulfilled.session_not_on_or_after,
        subject: Subject::read(subject, &attributes)?,
        attributes: attributes.into_shown(),
    })
}

/// Returns the assertion in verified bytes. Their root is the assertion or the response.
fn find_assertion<'a, 'input>(root: Node<'a, 'input>) -> Result<Node<'a, 'input>, Rejection> {
    let assertion = if schema::is_assertion(root, "Assertion") {
        root
    } else {
        schema::child(root, "Assertion")?
    };
    // The parts may contain only elements, so that no text between them is overlooked.
    schema::children(assertion)?;
    match assertion.attribute("Version") {
        Some("2.0") => Ok(assertion),
        _ => Err(format_error("the version of the assertion must be 2.0")),
    }
}

/// Checks that the configured identity provider issued the assertion.
fn check_issuer(assertion: Node<'_, '_>, entity_id: &str) -> Result<(), Rejection> {
    let issuer = schema::text(schema::child(assertion, "Issuer")?)?;
    match issuer == entity_id {
        true => Ok(()),
        false => Err(Rejection::new(
            ReasonCode::Issuer,
            format!("the assertion is issued by {}, not by {}", quote(issuer), quote(entity_id)),
        )),
    }
}

/// Returns an ID with 1 to [`MAX_ID_CHARS`] characters, none of them a control character or white
/// space.
fn check_id(id: String) -> Result<String, Rejection> {
    let is_invalid = |char: char| char.is_control() || char.is_whitespace();
    match (1..=MAX_ID_CHARS).contains(&id.chars().count()) && !id.contains(is_invalid) {
        true => Ok(id),
        false => Err(format_error("an ID is empty, too long or has invalid characters")),
    }
}

/// Returns a rejection with the code `Format` for an error of the XML.
fn malformed(error: XmlError) -> Rejection {
    format_error(error.to_string())
}
