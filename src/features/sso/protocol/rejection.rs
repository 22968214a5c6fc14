//! The reason why a SAML response is rejected, for the administrators of the organization.

use std::fmt;

/// Maximum number of characters of a reason. Values from the response are cut earlier.
const MAX_REASON_CHARS: usize = 500;
/// Maximum number of characters of a value from the response in a reason.
const MAX_QUOTED_CHARS: usize = 100;

/// Short code of a rejection, which the error page shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ReasonCode {
    /// A signature is missing, misplaced or invalid.
    Signature,
    /// The issuer is not the configured identity provider.
    Issuer,
    /// The assertion is for another service provider.
    Audience,
    /// The response was sent to another address.
    Recipient,
    /// The assertion is expired or not yet valid, or is valid for too long.
    Time,
    /// The assertion was used before.
    Replay,
    /// The response belongs to no request of this server, or to another one.
    Request,
    /// The identity provider reports a failure.
    Status,
    /// The email address is missing or malformed.
    Address,
    /// The organization has not verified the domain of the address.
    Domain,
    /// The organization has no free seat.
    Seat,
    /// The account cannot sign in with this identity.
    Account,
    /// The assertion or a part of it is encrypted.
    Encrypted,
    /// The response is malformed or has a form that the server does not accept.
    Format,
}

impl ReasonCode {
    /// Returns the code as text. Documentation and pages refer to it, so it never changes.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Signature => "signature",
            Self::Issuer => "issuer",
            Self::Audience => "audience",
            Self::Recipient => "recipient",
            Self::Time => "time",
            Self::Replay => "replay",
            Self::Request => "request",
            Self::Status => "status",
            Self::Address => "address",
            Self::Domain => "domain",
            Self::Seat => "seat",
            Self::Account => "account",
            Self::Encrypted => "encrypted",
            Self::Format => "format",
        }
    }
}

/// A rejected SAML response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rejection {
    /// Code for the error page.
    pub code: ReasonCode,
    /// English text for administrators, in the server log and in the audit log. Contains no secrets
    /// and no control characters, and has a bounded length.
    pub reason: String,
}

impl Rejection {
    /// Creates a rejection. Replaces control characters in the reason by spaces and cuts it at
    /// `MAX_REASON_CHARS`.
    pub fn new(code: ReasonCode, reason: impl AsRef<str>) -> Self {
        Self { code, reason: to_bounded_line(reason.as_ref(), MAX_REASON_CHARS) }
    }
}

impl fmt::Display for Rejection {
    /// Writes code and reason: `time: the assertion has expired`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code.as_str(), self.reason)
    }
}

impl std::error::Error for Rejection {}

/// Returns a value from a response in quotation marks, cut at [`MAX_QUOTED_CHARS`], for use in a
/// reason.
pub fn quote(value: &str) -> String {
    format!("\"{}\"", to_bounded_line(value, MAX_QUOTED_CHARS))
}

/// Returns at most `max_chars` characters, with an ellipsis for the rest. Control characters and
/// characters that change the direction of text become spaces.
fn to_bounded_line(text: &str, max_chars: usize) -> String {
    let is_unsafe = |char: char| {
        char.is_control()
            || matches!(char, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    let mut chars = text.chars().map(|char| if is_unsafe(char) { ' ' } else { char });
    let mut line: String = chars.by_ref().take(max_chars).collect();
    if chars.next().is_some() {
        line.push('…');
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_are_single_lines_of_bounded_length() {
        let rejection = Rejection::new(ReasonCode::Issuer, "a\r\nb\u{202e}c\0");
        assert_eq!(rejection.reason, "a  b c ");
        assert_eq!(rejection.to_string(), "issuer: a  b c ");
        assert_eq!(Rejection::new(ReasonCode::Format, "ä".repeat(501)).reason.chars().count(), 501);
        assert_eq!(quote(&"x".repeat(101)), format!("\"{}…\"", "x".repeat(100)));
        assert_eq!(quote(&"x".repeat(100)), format!("\"{}\"", "x".repeat(100)));
    }
}
