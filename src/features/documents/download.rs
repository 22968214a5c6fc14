//! Download tokens: addresses that open one picture of one document without credentials.
//!
//! Nothing is stored. A token is a signature over the document, who made it, what it opens and until
//! when; it also dies with the document and with its maker's access, which is checked at use.

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use crate::platform::crypto;
use crate::platform::crypto::ServerKey;
use crate::platform::id::AccountId;
use crate::platform::id::NodeId;
use crate::platform::time::Timestamp;

/// How long a token opens, in seconds.
pub const LIFETIME_SECONDS: u64 = 3600;

/// The forms that a document is drawn in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    Svg,
    Png,
    Html,
}

impl Format {
    /// The end of its address.
    pub fn suffix(self) -> &'static str {
        match self {
            Self::Svg => "svg",
            Self::Png => "png",
            Self::Html => "html",
        }
    }
}

/// What a token says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grant {
    /// Whose access it lends.
    pub maker: AccountId,
    pub format: Format,
    /// Whether the picture comes without its background.
    pub transparent: bool,
    pub expires: Timestamp,
}

/// The part that is signed, before the signature.
impl fmt::Display for Grant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ground = if self.transparent { "t" } else { "o" };
        write!(f, "{}.{}.{:x}{ground}", self.maker, self.format.suffix(), self.expires.0)
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

fn parse(text: &str) -> Option<Grant> {
    let mut parts = text.split('.');
    let (maker, suffix, rest) = (parts.next()?, parts.next()?, parts.next()?);
    let format =
        [Format::Svg, Format::Png, Format::Html].into_iter().find(|it| it.suffix() == suffix)?;
    let transparent = rest.ends_with('t');
    let expires = i64::from_str_radix(rest.strip_suffix(['t', 'o'])?, 16).ok()?;
    Some(Grant {
        maker: AccountId::from_text(maker),
        format,
        transparent,
        expires: Timestamp(expires),
    })
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
            maker: AccountId::from_text("17"),
            format: Format::Png,
            transparent: true,
            expires: Timestamp(1000),
        };
        let token = token(&key, &document, &grant);
        assert_eq!(read(&key, &document, &token, Timestamp(999)), Some(grant));
        assert_eq!(read(&key, &document, &token, Timestamp(1000)), None);
        assert_eq!(read(&key, &other, &token, Timestamp(999)), None);
        for changed in [token.replacen("17", "18", 1), token.replacen("png", "svg", 1)] {
            assert_eq!(read(&key, &document, &changed, Timestamp(999)), None);
        }
        assert_eq!(read(&key, &document, "", Timestamp(999)), None);
        assert_eq!(read(&key, &document, "a.b.c.d", Timestamp(999)), None);
    }
}
