//! Download tokens: addresses that open the pictures of one document without credentials.
//!
//! A token is a signature over the document, who made it, what it opens and until when; it also
//! dies with the document and with its maker's access, which is checked at use.

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use crate::features::access::Caller;
use chartroom_platform::crypto;
use chartroom_platform::crypto::Hash;
use chartroom_platform::crypto::ServerKey;
use chartroom_platform::id::AccountId;
use chartroom_platform::id::NodeId;
use chartroom_platform::time::Timestamp;

/// How long a token opens, in seconds.
pub const LIFETIME_SECONDS: u64 = 3600;

/// Stands for all forms in a token.
const ALL: &str = "all";

/// The forms that a document is drawn in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    Svg,
    Png,
    Html,
}

impl Format {
    /// The form of a suffix.
    pub fn of_suffix(suffix: &str) -> Option<Self> {
        [Self::Svg, Self::Png, Self::Html].into_iter().find(|it| it.suffix() == suffix)
    }

    /// The end of its address.
    pub fn suffix(self) -> &'static str {
        match self {
            Self::Svg => "svg",
            Self::Png => "png",
            Self::Html => "html",
        }
    }
}

/// Whose access a token lends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Maker {
    /// A user's.
    Account(AccountId),
    /// That of a share link, by the SHA-256 of its token.
    Link(Hash),
    /// What is open to everybody.
    Anybody,
}

impl Maker {
    /// The maker as somebody who asks.
    pub fn caller(&self) -> Caller {
        match self {
            Self::Account(id) => Caller::from(id),
            Self::Link(hash) => Caller { user: None, share: Some(*hash) },
            Self::Anybody => Caller::default(),
        }
    }

    fn parse(text: &str) -> Option<Self> {
        match (text, text.strip_prefix('~')) {
            ("-", _) => Some(Self::Anybody),
            (_, Some(hash)) => {
                Some(Self::Link(URL_SAFE_NO_PAD.decode(hash).ok()?.try_into().ok()?))
            }
            _ => Some(Self::Account(AccountId::from_text(text))),
        }
    }
}

impl fmt::Display for Maker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Account(id) => id.fmt(f),
            Self::Link(hash) => write!(f, "~{}", URL_SAFE_NO_PAD.encode(hash)),
            Self::Anybody => f.write_str("-"),
        }
    }
}

/// What a token says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grant {
    pub maker: Maker,
    /// The one form that it opens; none is all.
    pub format: Option<Format>,
    /// Whether the picture comes without its background.
    pub transparent: bool,
    pub expires: Timestamp,
}

/// The part that is signed, before the signature.
impl fmt::Display for Grant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ground = if self.transparent { "t" } else { "o" };
        let form = self.format.map_or(ALL, Format::suffix);
        write!(f, "{}.{form}.{:x}{ground}", self.maker, self.expires.0)
    }
}

/// The token of a grant on a document.
pub fn token(key: &ServerKey, document: &NodeId, grant: &Grant) -> String {
    format!("{grant}.{}", URL_SAFE_NO_PAD.encode(signature(key, document, grant)))
}

/// What a token grants on a document now; none when it is not ours, not for this document, or over.
pub fn read(key: &ServerKey, document: &NodeId, token: &str, now: Timestamp) -> Option<Grant> {
    let (text, signed) = token.rsplit_once('.')?;
    let grant = parse(text)?;
    let signed = URL_SAFE_NO_PAD.decode(signed).ok()?;
    let is_ours = crypto::same(&signed, &signature(key, document, &grant));
    (is_ours && now < grant.expires).then_some(grant)
}

fn signature(key: &ServerKey, document: &NodeId, grant: &Grant) -> crypto::Hash {
    key.sign("download", format!("{document}\n{grant}").as_bytes())
}

/// What a token says, from the part before the signature.
pub fn parse(text: &str) -> Option<Grant> {
    let mut parts = text.split('.');
    let (maker, suffix, rest) = (parts.next()?, parts.next()?, parts.next()?);
    let format = match suffix {
        ALL => None,
        _ => Some(Format::of_suffix(suffix)?),
    };
    let transparent = rest.ends_with('t');
    let expires = i64::from_str_radix(rest.strip_suffix(['t', 'o'])?, 16).ok()?;
    Some(Grant { maker: Maker::parse(maker)?, format, transparent, expires: Timestamp(expires) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_opens_its_own_document_until_it_expires() {
        let dir = tempfile::tempdir().unwrap();
        let key = ServerKey::load(dir.path()).unwrap();
        let (document, other) = (NodeId::new(), NodeId::new());
        let grant = Grant {
            maker: Maker::Account(AccountId::from_text("17")),
            format: Some(Format::Png),
            transparent: true,
            expires: Timestamp(1000),
        };
        let token = token(&key, &document, &grant);
        assert_eq!(read(&key, &document, &token, Timestamp(999)), Some(grant.clone()));
        assert_eq!(read(&key, &document, &token, Timestamp(1000)), None);
        assert_eq!(read(&key, &other, &token, Timestamp(999)), None);
        for changed in [token.replacen("17", "18", 1), token.replacen("png", "svg", 1)] {
            assert_eq!(read(&key, &document, &changed, Timestamp(999)), None);
        }
        for maker in [Maker::Link([7; 32]), Maker::Anybody] {
            let grant = Grant { maker, format: None, ..grant.clone() };
            let token = super::token(&key, &document, &grant);
            assert_eq!(read(&key, &document, &token, Timestamp(999)), Some(grant));
        }
        assert_eq!(read(&key, &document, "", Timestamp(999)), None);
        assert_eq!(read(&key, &document, "a.b.c.d", Timestamp(999)), None);
    }
}
