//! Download tokens, which allow access to the rendered images of one document without credentials.
//!
//! A token contains its maker, the allowed format and its expiry, and a signature over them and the
//! document id. At each use the server also checks that the maker can still read the document.

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use crate::features::access::Caller;
use chartroom_platform::crypto;
use chartroom_platform::crypto::ServerKey;
use chartroom_platform::crypto::Sha256Hash;
use chartroom_platform::id::AccountId;
use chartroom_platform::id::NodeId;
use chartroom_platform::time::Timestamp;

/// Default lifetime of a token in seconds.
pub const DEFAULT_LIFETIME_SECONDS: u64 = 3600;

/// Text that stands for all formats in a token.
const ALL_FORMATS: &str = "all";

/// Output format of a rendered document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputFormat {
    Svg,
    Png,
    Html,
    Pdf,
}

impl OutputFormat {
    /// Returns the format of a file extension in lower case, given without dot. None if it is
    /// unknown.
    pub fn from_extension(extension: &str) -> Option<Self> {
        [Self::Svg, Self::Png, Self::Html, Self::Pdf]
            .into_iter()
            .find(|format| format.extension() == extension)
    }

    /// Returns the file extension, without dot.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Svg => "svg",
            Self::Png => "png",
            Self::Html => "html",
            Self::Pdf => "pdf",
        }
    }
}

/// Identity that a token uses for access: the server checks its rights at each download.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TokenMaker {
    /// A user account.
    Account(AccountId),
    /// A share link, identified by the SHA-256 hash of its token.
    Link(Sha256Hash),
    /// Public access, without identity.
    Public,
}

impl TokenMaker {
    /// Returns the maker as the caller of a request, for access checks: the account, a guest with
    /// the share link, or a guest without one. Does not check whether the account exists.
    pub fn as_caller(&self) -> Caller {
        match self {
            Self::Account(id) => Caller::from(id),
            Self::Link(hash) => Caller { user: None, share_token_hash: Some(*hash) },
            Self::Public => Caller::default(),
        }
    }

    /// Parses the text form written by `Display`: `-`, `~` and a hash, or an account id. `None` if
    /// the hash is malformed. Any other text counts as an account id.
    fn parse(text: &str) -> Option<Self> {
        match (text, text.strip_prefix('~')) {
            ("-", _) => Some(Self::Public),
            (_, Some(hash)) => {
                Some(Self::Link(URL_SAFE_NO_PAD.decode(hash).ok()?.try_into().ok()?))
            }
            _ => Some(Self::Account(AccountId::from_text(text))),
        }
    }
}

impl fmt::Display for TokenMaker {
    /// Writes an account as its id, a link as `~` and its hash in base64url, and public access as
    /// `-`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Account(id) => id.fmt(f),
            Self::Link(hash) => write!(f, "~{}", URL_SAFE_NO_PAD.encode(hash)),
            Self::Public => f.write_str("-"),
        }
    }
}

/// Content of a download token, without the document id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DownloadGrant {
    pub maker: TokenMaker,
    /// Allowed format. `None` allows all formats.
    pub format: Option<OutputFormat>,
    /// Whether images are rendered without background.
    pub transparent: bool,
    pub expires: Timestamp,
}

/// Writes the part of the token before the signature: `maker.format.expiry`. The expiry is a
/// hexadecimal number, and `t` (transparent) or `o` (opaque) follows it.
impl fmt::Display for DownloadGrant {
    /// Writes the grant without a signature.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let background = if self.transparent { "t" } else { "o" };
        let format = self.format.map_or(ALL_FORMATS, OutputFormat::extension);
        write!(f, "{}.{format}.{:x}{background}", self.maker, self.expires.0)
    }
}

/// Returns the signed token for a grant on a document: the text of the grant, a dot and the
/// signature in base64url. Stores nothing and checks no access.
pub fn sign_token(key: &ServerKey, document: &NodeId, grant: &DownloadGrant) -> String {
    format!("{grant}.{}", URL_SAFE_NO_PAD.encode(compute_signature(key, document, grant)))
}

/// Verifies a token and returns its grant. Does not check the access of the maker.
///
/// Returns `None` if the token is malformed, its signature is wrong, it belongs to another
/// document, or it has expired at `now`.
pub fn verify_token(
    key: &ServerKey,
    document: &NodeId,
    token: &str,
    now: Timestamp,
) -> Option<DownloadGrant> {
    let (text, signed) = token.rsplit_once('.')?;
    let grant = parse_grant(text)?;
    let signed = URL_SAFE_NO_PAD.decode(signed).ok()?;
    let is_valid = crypto::constant_time_eq(&signed, &compute_signature(key, document, &grant));
    (is_valid && now < grant.expires).then_some(grant)
}

/// Computes the signature over the document id and the grant.
fn compute_signature(
    key: &ServerKey,
    document: &NodeId,
    grant: &DownloadGrant,
) -> crypto::Sha256Hash {
    key.sign("download", format!("{document}\n{grant}").as_bytes())
}

/// Parses a grant from the part of a token before the signature. Returns `None` if it is malformed.
/// Does not check the expiry. Ignores text after a third dot.
pub fn parse_grant(text: &str) -> Option<DownloadGrant> {
    let mut parts = text.split('.');
    let (maker, extension, rest) = (parts.next()?, parts.next()?, parts.next()?);
    let format = match extension {
        ALL_FORMATS => None,
        _ => Some(OutputFormat::from_extension(extension)?),
    };
    let transparent = rest.ends_with('t');
    let expires = i64::from_str_radix(rest.strip_suffix(['t', 'o'])?, 16).ok()?;
    Some(DownloadGrant {
        maker: TokenMaker::parse(maker)?,
        format,
        transparent,
        expires: Timestamp(expires),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_valid_for_its_document_until_it_expires() {
        let dir = tempfile::tempdir().unwrap();
        let key = ServerKey::load_or_create(dir.path()).unwrap();
        let (document, other) = (NodeId::new(), NodeId::new());
        let grant = DownloadGrant {
            maker: TokenMaker::Account(AccountId::from_text("17")),
            format: Some(OutputFormat::Png),
            transparent: true,
            expires: Timestamp(1000),
        };
        let token = sign_token(&key, &document, &grant);
        assert_eq!(verify_token(&key, &document, &token, Timestamp(999)), Some(grant.clone()));
        assert_eq!(verify_token(&key, &document, &token, Timestamp(1000)), None);
        assert_eq!(verify_token(&key, &other, &token, Timestamp(999)), None);
        for changed in [token.replacen("17", "18", 1), token.replacen("png", "svg", 1)] {
            assert_eq!(verify_token(&key, &document, &changed, Timestamp(999)), None);
        }
        for maker in [TokenMaker::Link([7; 32]), TokenMaker::Public] {
            let grant = DownloadGrant { maker, format: None, ..grant.clone() };
            let token = super::sign_token(&key, &document, &grant);
            assert_eq!(verify_token(&key, &document, &token, Timestamp(999)), Some(grant));
        }
        assert_eq!(verify_token(&key, &document, "", Timestamp(999)), None);
        assert_eq!(verify_token(&key, &document, "a.b.c.d", Timestamp(999)), None);
    }
}
