//! Sessions, their tokens and the codes of screens, over plain values.

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

/// How long a session lasts after its screen was last heard of: the interface's limit.
pub const IDLE: Duration = Duration::from_hours(24);
/// How exactly it is stored when a screen was heard of: not with each of its questions.
pub const GRAIN: Duration = Duration::from_mins(5);
/// How long a code can be entered.
pub const CODE_LIFE: Duration = Duration::from_mins(10);

/// The letters of codes: no vowels, so that they make no words, and none that looks like another
/// (RFC 8628, section 6.1).
const LETTERS: &[u8; 20] = b"BCDFGHJKLMNPQRSTVWXZ";
/// Letters of a code: 34 bits.
const CODE_LETTERS: usize = 8;
/// Bytes of a token: 160 bits.
const TOKEN_BYTES: usize = 20;
/// Most characters of a screen's name.
const MAX_NAME: usize = 100;

/// A cast session, and what of its document and maker decides whether it holds.
#[derive(Debug, Clone)]
pub struct Session {
    pub id: CastId,
    pub document: NodeId,
    /// SHA-256 of its token.
    pub token_hash: crypto::Hash,
    pub device_name: String,
    /// Whose access it lends.
    pub maker: AccountId,
    pub created: Timestamp,
    /// When the screen was last heard of, to [`GRAIN`].
    pub last_activity: Timestamp,
    pub is_revoked: bool,
    /// When the document was changed to the state that the screen shows.
    pub drawn: Option<Timestamp>,
    /// The document's.
    pub owner: AccountId,
    /// The document's: counts its changes.
    pub revision: i64,
    /// The document's.
    pub updated: Timestamp,
    /// Whether the document is in the trash.
    pub is_trashed: bool,
    pub is_maker_disabled: bool,
}

/// Why a session opens nothing any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// Its screen was not heard of for too long.
    Expired,
    /// Somebody ended it, or what it rests on is gone.
    Revoked,
}

impl End {
    /// The name of the event that tells a screen.
    pub fn word(self) -> &'static str {
        match self {
            Self::Expired => "expired",
            Self::Revoked => "revoked",
        }
    }
}

impl Session {
    /// Why it is over, as far as it tells by itself; its maker may have lost access as well.
    pub fn end(&self, now: Timestamp) -> Option<End> {
        if self.is_revoked || self.is_trashed || self.is_maker_disabled {
            return Some(End::Revoked);
        }
        (self.expires() <= now).then_some(End::Expired)
    }

    /// When it ends if nothing more is heard of its screen.
    pub fn expires(&self) -> Timestamp {
        self.last_activity.after(IDLE)
    }

    /// Whether it is time to store again that its screen was heard of.
    pub fn is_due(&self, now: Timestamp) -> bool {
        self.last_activity.after(GRAIN) <= now
    }
}

/// The token of a session, which only the server key gives: it need not be stored to be shown again.
pub fn token(key: &ServerKey, id: &CastId) -> String {
    URL_SAFE_NO_PAD.encode(&key.sign("cast", id.as_str().as_bytes())[..TOKEN_BYTES])
}

/// A random token of the same length.
pub fn random_token() -> Result<String> {
    Ok(URL_SAFE_NO_PAD.encode(crypto::random::<TOKEN_BYTES>()?))
}

/// The address of a session's page.
pub fn cast_url(base_url: &str, token: &str) -> String {
    format!("{base_url}/cast/{token}")
}

/// A random code: `BCDFGHJK`.
pub fn random_code() -> Result<String> {
    let mut code = String::with_capacity(CODE_LETTERS);
    while code.len() < CODE_LETTERS {
        for byte in crypto::random::<32>()? {
            // 240 is the largest multiple of 20 below 256.
            if byte < 240 && code.len() < CODE_LETTERS {
                code.push(char::from(LETTERS[usize::from(byte % 20)]));
            }
        }
    }
    Ok(code)
}

/// A code as people read it: `BCDF-GHJK`.
pub fn spelled(code: &str) -> String {
    match code.split_at_checked(CODE_LETTERS / 2) {
        Some((first, second)) => format!("{first}-{second}"),
        None => code.to_owned(),
    }
}

/// A code as somebody typed it, with or without hyphen and spaces, in either case; none when no code
/// looks like it.
pub fn code(text: &str) -> Option<String> {
    let is_between = |it: &char| *it == '-' || *it == '\u{2013}' || it.is_whitespace();
    let letters = text.chars().filter(|it| !is_between(it)).take(CODE_LETTERS + 1);
    let code: String = letters.map(|it| it.to_ascii_uppercase()).collect();
    let is_one = code.len() == CODE_LETTERS && code.bytes().all(|it| LETTERS.contains(&it));
    is_one.then_some(code)
}

/// The stored form of a code.
pub fn code_hash(key: &ServerKey, code: &str) -> crypto::Hash {
    key.sign("cast code", code.as_bytes())
}

/// The name of a screen, without space around it.
///
/// # Errors
/// `Fields` about `device_name`.
pub fn device_name(text: &str) -> Result<String> {
    let name = text.trim();
    let wrong = |message: String| Err(Error::field("device_name", message));
    match name.chars().count() {
        0 => wrong("must not be empty".to_owned()),
        count if count > MAX_NAME => wrong(format!("has more than {MAX_NAME} characters")),
        _ if name.chars().any(char::is_control) => {
            wrong("must not have control characters".to_owned())
        }
        _ => Ok(name.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_read_however_they_are_typed() {
        let check =
            |text: &str, want: Option<&str>| assert_eq!(code(text).as_deref(), want, "{text}");
        check("BCDF-GHJK", Some("BCDFGHJK"));
        check(" bcdf ghjk\n", Some("BCDFGHJK"));
        check("BCDFGHJ", None);
        check("BCDFGHJKL", None);
        check("BCDF-GHJA", None);
        check("", None);
        for _ in 0..50 {
            let random = random_code().unwrap();
            assert_eq!(code(&spelled(&random)), Some(random));
        }
    }

    #[test]
    fn a_name_is_short_and_plain() {
        assert_eq!(device_name(" Lobby ").unwrap(), "Lobby");
        for (text, want) in [("  ", "empty"), ("a\u{7}b", "control"), (&"x".repeat(101), "100")] {
            assert!(device_name(text).unwrap_err().to_string().contains(want), "{text}");
        }
    }

    #[test]
    fn tokens_have_160_bits_and_are_no_word_of_an_address() {
        let token = random_token().unwrap();
        assert_eq!(URL_SAFE_NO_PAD.decode(&token).unwrap().len(), TOKEN_BYTES);
        assert!(["receiver", "sessions", "pair"].iter().all(|it| it.len() < token.len()));
    }
}
