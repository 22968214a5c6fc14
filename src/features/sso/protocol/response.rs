//! Facts of the response element around an assertion. They can only cause a rejection.

use roxmltree::Node;

use super::provider::ServiceProvider;
use super::rejection::ReasonCode;
use super::rejection::Rejection;
use super::rejection::quote;
use super::schema;
use super::schema::format_error;
use chartroom_platform::time::Timestamp;

/// Status of a response with an assertion.
const SUCCESS: &str = "urn:oasis:names:tc:SAML:2.0:status:Success";

/// Facts of a response element.
pub struct ResponseFacts {
    issuer: Option<String>,
    destination: Option<String>,
    in_response_to: Option<String>,
    issue_instant: Option<Timestamp>,
    /// Codes of the status from outside to inside, and its message.
    status: Vec<String>,
}

impl ResponseFacts {
    /// Reads the facts of a response.
    ///
    /// # Errors
    /// `Format` if a part occurs twice or is malformed.
    pub fn read(response: Node<'_, '_>) -> Result<Self, Rejection> {
        let attribute = |name: &str| response.attribute(name).map(str::to_owned);
        let issuer = schema::optional_child(response, "Issuer")?.map(schema::text).transpose()?;
        let mut statuses =
            response.children().filter(|child| schema::is_protocol(*child, "Status"));
        let status = statuses.next().ok_or_else(|| format_error("the response has no Status"))?;
        if statuses.next().is_some() {
            return Err(format_error("the response has more than one Status"));
        }
        Ok(Self {
            issuer: issuer.map(str::to_owned),
            destination: attribute("Destination"),
            in_response_to: attribute("InResponseTo"),
            issue_instant: schema::time(response, "IssueInstant")?,
            status: read_status(status)?,
        })
    }

    /// Checks that the identity provider reports success.
    ///
    /// # Errors
    /// `Status` with the codes and the message of the identity provider.
    pub fn check_status(&self) -> Result<(), Rejection> {
        if self.status.first().is_some_and(|code| code == SUCCESS) {
            return Ok(());
        }
        let parts: Vec<String> = self.status.iter().map(|part| quote(part)).collect();
        Err(Rejection::new(
            ReasonCode::Status,
            format!("the identity provider reports a failure: {}", parts.join(", ")),
        ))
    }

    /// Checks issuer, destination, time, and that the response names the same request as the
    /// assertion.
    ///
    /// # Errors
    /// `Issuer`, `Recipient`, `Time` and `Request`.
    pub fn check(
        &self,
        service_provider: &ServiceProvider,
        entity_id: &str,
        in_response_to: Option<&str>,
        latest: Timestamp,
    ) -> Result<(), Rejection> {
        if let Some(issuer) = self.issuer.as_deref().filter(|issuer| *issuer != entity_id) {
            let reason = format!("the response is issued by {}", quote(issuer));
            return Err(Rejection::new(ReasonCode::Issuer, reason));
        }
        let acs_url = service_provider.acs_url.as_str();
        if let Some(other) = self.destination.as_deref().filter(|other| *other != acs_url) {
            let reason = format!("the destination of the response is {}", quote(other));
            return Err(Rejection::new(ReasonCode::Recipient, reason));
        }
        if self.in_response_to.as_deref() != in_response_to {
            return Err(Rejection::new(
                ReasonCode::Request,
                "response and assertion answer different requests",
            ));
        }
        if self.issue_instant.is_some_and(|issued| issued > latest) {
            return Err(Rejection::new(
                ReasonCode::Time,
                "the response is issued in the future; check the clocks",
            ));
        }
        Ok(())
    }
}

/// Returns the codes and the message of a status.
fn read_status(status: Node<'_, '_>) -> Result<Vec<String>, Rejection> {
    let mut codes = status.children().filter(|child| schema::is_protocol(*child, "StatusCode"));
    let (Some(code), None) = (codes.next(), codes.next()) else {
        return Err(format_error("Status must contain exactly one StatusCode"));
    };
    let nested = code.children().filter(|child| schema::is_protocol(*child, "StatusCode"));
    let values = [code].into_iter().chain(nested.take(1));
    let mut parts: Vec<String> =
        values.map(|code| code.attribute("Value").unwrap_or_default().to_owned()).collect();
    let message = status.children().find(|child| schema::is_protocol(*child, "StatusMessage"));
    parts.extend(message.and_then(|message| message.text()).map(str::to_owned));
    Ok(parts)
}
