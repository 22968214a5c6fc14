//! Rules of sessions, tokens and pairing codes, over plain values.

use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use chartroom_platform::crypto;
use chartroom_platform::crypto::ServerKey;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;
use chartroom_platform::id::CastId;
use chartroom_platform::id::NodeId;
use chartroom_platform::time::Timestamp;

/// Time without activity after which a session expires. The API fixes this limit.
pub const IDLE_TIMEOUT: Duration = Duration::from_hours(24);
/// Resolution of `last_activity`: it is not stored for each request of a screen.
pub const ACTIVITY_RESOLUTION: Duration = Duration::from_mins(5);
/// Lifetime of a pairing code.
pub const CODE_LIFETIME: Duration = Duration::from_mins(10);

/// Letters of codes: no vowels, so that codes form no words, and no similar letters (RFC 8628,
/// section 6.1).
const LETTERS: &[u8; 20] = b"BCDFGHJKLMNPQRSTVWXZ";
/// Number of letters of a code (34 bits).
const CODE_LETTERS: usize = 8;
/// Length of a token in bytes (160 bits).
const TOKEN_BYTES: usize = 20;
/// Maximum number of characters of a device name.
const MAX_DEVICE_NAME_CHARS: usize = 100;

/// A cast session with the state of its document and creator that decides whether it is active.
#[derive(Debug, Clone)]
pub struct CastSession {
    pub id: CastId,
    pub document: NodeId,
    /// SHA-256 of the token.
    pub token_hash: crypto::Sha256Hash,
    pub device_name: String,
    /// Account that created the session. Screens act with its access.
    pub creator: AccountId,
    pub created: Timestamp,
    /// Time of the last request or open stream of the screen, with the resolution
    /// [`ACTIVITY_RESOLUTION`].
    pub last_activity: Timestamp,
    pub is_revoked: bool,
    /// `updated` of the document version that the screen shows.
    pub drawn: Option<Timestamp>,
    /// Account that owns the document.
    pub owner: AccountId,
    /// Number of changes of the document.
    pub revision: i64,
    /// Time of the document's last change.
    pub updated: Timestamp,
    /// Whether the document is in the trash.
    pub is_trashed: bool,
    pub is_creator_disabled: bool,
    /// Named theme of the document. Empty if it has a custom theme or the default theme.
    pub theme: String,
}

/// The reason why a session ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndReason {
    /// The screen was inactive for longer than [`IDLE_TIMEOUT`].
    Expired,
    /// Revoked by a user, or document or creator are not available any more.
    Revoked,
}

impl EndReason {
    /// Returns the name of the event that is sent to the screen: `expired` or `revoked`.
    pub fn event_name(self) -> &'static str {
        match self {
            Self::Expired => "expired",
            Self::Revoked => "revoked",
        }
    }
}

impl CastSession {
    /// Returns the reason why the session ended, or None if it is active. A document in the trash
    /// and a disabled creator count as `Revoked`.
    ///
    /// This does not check whether the creator still has access to the document.
    pub fn end_reason(&self, now: Timestamp) -> Option<EndReason> {
        if self.is_revoked || self.is_trashed || self.is_creator_disabled {
            return Some(EndReason::Revoked);
        }
        (self.expires_at() <= now).then_some(EndReason::Expired)
    }

    /// Returns the time at which the session expires without further activity: `IDLE_TIMEOUT` after
    /// the last activity.
    pub fn expires_at(&self) -> Timestamp {
        self.last_activity.saturating_add(IDLE_TIMEOUT)
    }

    /// Returns whether activity at `now` should be stored, because `last_activity` is at least
    /// `ACTIVITY_RESOLUTION` ago. Does not check whether the session is active.
    pub fn is_activity_due(&self, now: Timestamp) -> bool {
        self.last_activity.saturating_add(ACTIVITY_RESOLUTION) <= now
    }
}

/// Returns the token of a session as base64url text. It is derived from the server key and the id,
/// so that it need not be stored to be shown again.
pub fn session_token(key: &ServerKey, id: &CastId) -> String {
    URL_SAFE_NO_PAD.encode(&key.sign("cast", id.as_str().as_bytes())[..TOKEN_BYTES])
}

/// Returns a random token for polling, as base64url text with the length of a session token.
pub fn random_token() -> Result<String> {
    Ok(URL_SAFE_NO_PAD.encode(crypto::random_bytes::<TOKEN_BYTES>()?))
}

/// Returns the address of a session's receiver page, which contains the token in plain text.
pub fn cast_url(base_url: &str, token: &str) -> String {
    format!("{base_url}/cast/{token}")
}

/// Returns a random pairing code without hyphen, such as `BCDFGHJK`. All codes have the same
/// probability.
pub fn random_pairing_code() -> Result<String> {
    let mut code = String::with_capacity(CODE_LETTERS);
    while code.len() < CODE_LETTERS {
        for byte in crypto::random_bytes::<32>()? {
            // 240 is the largest multiple of 20 below 256.
            if byte < 240 && code.len() < CODE_LETTERS {
                code.push(char::from(LETTERS[usize::from(byte % 20)]));
            }
        }
    }
    Ok(code)
}

/// Returns a code in display form, such as `BCDF-GHJK`: with a hyphen after the fourth letter. A
/// shorter text stays as it is.
pub fn format_code(code: &str) -> String {
    match code.split_at_checked(CODE_LETTERS / 2) {
        Some((first, second)) => format!("{first}-{second}"),
        None => code.to_owned(),
    }
}

/// Parses a typed code with or without hyphens, en dashes and white space, in upper or lower case.
/// Returns the letters in upper case without separators. None if they are not exactly the number
/// and kind of letters of a code. Does not check whether a screen shows it.
pub fn parse_code(text: &str) -> Option<String> {
    let is_separator = |char: &char| *char == '-' || *char == '\u{2013}' || char.is_whitespace();
    let letters = text.chars().filter(|char| !is_separator(char)).take(CODE_LETTERS + 1);
    let code: String = letters.map(|letter| letter.to_ascii_uppercase()).collect();
    let is_valid = code.len() == CODE_LETTERS && code.bytes().all(|byte| LETTERS.contains(&byte));
    is_valid.then_some(code)
}

/// Returns the keyed hash of a code, which is stored instead of the code. `code` has the form that
/// [`parse_code`] returns.
pub fn code_hash(key: &ServerKey, code: &str) -> crypto::Sha256Hash {
    key.sign("cast code", code.as_bytes())
}

/// Returns a device name without surrounding white space.
///
/// # Errors
/// `InvalidFields` naming `device_name` if it is empty, has more than 100 characters or contains
/// control characters.
pub fn parse_device_name(text: &str) -> Result<String> {
    let name = text.trim();
    let invalid = |message: String| Err(Error::invalid_field("device_name", message));
    match name.chars().count() {
        0 => invalid("must not be empty".to_owned()),
        count if count > MAX_DEVICE_NAME_CHARS => {
            invalid(format!("must have at most {MAX_DEVICE_NAME_CHARS} characters"))
        }
        _ if name.chars().any(char::is_control) => {
            invalid("must not contain control characters".to_owned())
        }
        _ => Ok(name.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_parsed_in_any_typed_form() {
        let check = |text: &str, want: Option<&str>| {
            assert_eq!(parse_code(text).as_deref(), want, "{text}")
        };
        check("BCDF-GHJK", Some("BCDFGHJK"));
        check(" bcdf ghjk\n", Some("BCDFGHJK"));
        check("BCDFGHJ", None);
        check("BCDFGHJKL", None);
        check("BCDF-GHJA", None);
        check("", None);
        for _ in 0..50 {
            let random = random_pairing_code().unwrap();
            assert_eq!(parse_code(&format_code(&random)), Some(random));
        }
    }

    #[test]
    fn device_names_are_limited() {
        assert_eq!(parse_device_name(" Lobby ").unwrap(), "Lobby");
        for (text, want) in [("  ", "empty"), ("a\u{7}b", "control"), (&"x".repeat(101), "100")] {
            assert!(parse_device_name(text).unwrap_err().to_string().contains(want), "{text}");
        }
    }

    #[test]
    fn tokens_have_160_bits_and_differ_from_route_names() {
        let token = random_token().unwrap();
        assert_eq!(URL_SAFE_NO_PAD.decode(&token).unwrap().len(), TOKEN_BYTES);
        assert!(["receiver", "sessions", "pair"].iter().all(|name| name.len() < token.len()));
    }
}
