//! Formats of API tokens, session cookies and setup links, and the same-origin check of requests.

use chartroom_platform::crypto;
use chartroom_platform::crypto::Sha256Hash;
use chartroom_platform::error::Result;
use chartroom_platform::http::caller_key;

/// Prefix of every API token, so that scanners for leaked secrets recognize it.
const TOKEN_PREFIX: &str = "chartroom_";
/// Random base-62 characters of a token: 202 bits.
const TOKEN_RANDOM_CHARS: usize = 34;
/// Checksum characters at the end of a token. They let the server reject a mistyped or invented
/// token without a database read.
const TOKEN_CHECKSUM_CHARS: usize = 6;
/// Base-62 characters of a session cookie and of a setup link: 256 bits.
const SECRET_CHARS: usize = 43;
/// Seconds for which a browser keeps the cookie: 400 days, the maximum that browsers grant (RFC
/// 6265bis, 5.5). The server ends a session earlier, see
/// [`session_expiry`](super::credentials::session_expiry).
const COOKIE_MAX_AGE_SECONDS: u32 = 400 * 86_400;
/// Maximum length of a path to show after a sign-in, with its query.
const MAX_LOCAL_PATH_BYTES: usize = 2048;

/// A new secret and its hash. The database stores only the hash.
pub struct Secret {
    /// Secret in plain text, shown to its owner once.
    pub text: String,
    /// SHA-256 of the text.
    pub hash: Sha256Hash,
}

impl Secret {
    /// Generates an API token: a fixed prefix, random characters and a checksum. Stores nothing.
    pub fn generate_api_token() -> Result<Self> {
        let body = format!("{TOKEN_PREFIX}{}", crypto::random_base62(TOKEN_RANDOM_CHARS)?);
        let text = format!("{body}{}", crypto::base62_checksum(&body, TOKEN_CHECKSUM_CHARS));
        Ok(Self { hash: crypto::sha256(text.as_bytes()), text })
    }

    /// Generates the value of a session cookie or a setup link: random base-62 characters. Stores
    /// nothing.
    pub fn generate() -> Result<Self> {
        let text = crypto::random_base62(SECRET_CHARS)?;
        Ok(Self { hash: crypto::sha256(text.as_bytes()), text })
    }

    /// Returns the first characters of an API token, by which its owner can distinguish tokens.
    pub fn hint(&self) -> &str {
        &self.text[..TOKEN_PREFIX.len() + 4]
    }
}

/// Returns the hash of an API token, or None if its format or its checksum is wrong. Does not check
/// whether the token exists.
pub fn api_token_hash(text: &str) -> Option<Sha256Hash> {
    let secret = text.strip_prefix(TOKEN_PREFIX)?;
    if secret.len() != TOKEN_RANDOM_CHARS + TOKEN_CHECKSUM_CHARS || !secret.is_ascii() {
        return None;
    }
    let (body, checksum) = text.split_at(text.len() - TOKEN_CHECKSUM_CHARS);
    (crypto::base62_checksum(body, TOKEN_CHECKSUM_CHARS) == checksum)
        .then(|| crypto::sha256(text.as_bytes()))
}

/// Returns the hash of the value of a session cookie or a setup link, or None if its format is
/// wrong. Does not check whether the session or the link exists.
pub fn secret_hash(text: &str) -> Option<Sha256Hash> {
    let is_well_formed =
        text.len() == SECRET_CHARS && text.bytes().all(|byte| byte.is_ascii_alphanumeric());
    is_well_formed.then(|| crypto::sha256(text.as_bytes()))
}

/// Returns the `Set-Cookie` value that stores a session in the browser. `value` is the secret of
/// the session, and `base_url` the public URL of this server.
pub fn set_cookie_header(value: &str, base_url: &str) -> String {
    format_cookie_header(value, COOKIE_MAX_AGE_SECONDS, base_url)
}

/// Returns the `Set-Cookie` value that removes the session cookie.
pub fn clear_cookie_header(base_url: &str) -> String {
    format_cookie_header("", 0, base_url)
}

/// Formats the `Set-Cookie` value of the session cookie, which a browser keeps for `seconds`. The
/// cookie is `Secure` if `base_url` is an HTTPS URL.
fn format_cookie_header(value: &str, seconds: u32, base_url: &str) -> String {
    let secure = if base_url.starts_with("https://") { "; Secure" } else { "" };
    let name = caller_key::session_cookie_name(base_url);
    format!("{name}={value}; Path=/; HttpOnly; SameSite=Lax; Max-Age={seconds}{secure}")
}

/// The origin of a request relative to this server, as the browser reports it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RequestOrigin {
    /// A page of this server.
    SameOrigin,
    /// A page of another site, including another subdomain.
    CrossSite,
    /// No information: the client is not a browser, or is an old one.
    Unknown,
}

/// Request headers that determine the origin. Scripts in pages cannot set any of them.
#[derive(Default)]
pub struct OriginHeaders<'a> {
    /// `Origin`.
    pub origin: Option<&'a str>,
    /// `Sec-Fetch-Site`.
    pub site: Option<&'a str>,
    /// `Host`.
    pub host: Option<&'a str>,
}

impl OriginHeaders<'_> {
    /// Returns the origin of the request. `base_url` is the public URL of this server.
    ///
    /// The request is from a page of this server if `Sec-Fetch-Site` is `same-origin` or `Origin`
    /// names this server. It is unknown if `Origin` is absent or `null` and `Sec-Fetch-Site` is
    /// absent or `none`. Any other request is from another site.
    pub fn classify(&self, base_url: &str) -> RequestOrigin {
        if self.site == Some("same-origin") {
            return RequestOrigin::SameOrigin;
        }
        match self.origin {
            Some(origin) if is_own_origin(origin, self.host, base_url) => RequestOrigin::SameOrigin,
            // Sandboxed frames and strict referrer policies send `null`.
            Some("null") | None if matches!(self.site, None | Some("none")) => {
                RequestOrigin::Unknown
            }
            _ => RequestOrigin::CrossSite,
        }
    }
}

/// Returns whether `origin` has the scheme and host of `base_url`, or the host in the `Host` header
/// with `http` or `https`. The host includes the port.
fn is_own_origin(origin: &str, host: Option<&str>, base_url: &str) -> bool {
    let Some((scheme, authority)) = origin.split_once("://") else { return false };
    if !matches!(scheme, "http" | "https") || authority.is_empty() {
        return false;
    }
    let own = base_url
        .split_once("://")
        .map(|(own_scheme, rest)| (own_scheme, rest.split('/').next().unwrap_or_default()));
    let is_base = own.is_some_and(|(own_scheme, own_authority)| {
        own_scheme == scheme && own_authority.eq_ignore_ascii_case(authority)
    });
    is_base || host.is_some_and(|host| host.eq_ignore_ascii_case(authority))
}

/// Returns whether `path` is a path on this server, so that a redirect to it cannot leave the
/// server. A path that starts with `//`, or that contains a space, a backslash, a control character
/// or a character outside ASCII, is none. Neither is one of more than `MAX_LOCAL_PATH_BYTES`, because
/// a sign-in that is not finished stores its path.
pub fn is_local_path(path: &str) -> bool {
    let mut rest = path.chars();
    path.len() <= MAX_LOCAL_PATH_BYTES
        && rest.next() == Some('/')
        && rest.next() != Some('/')
        && path.is_ascii()
        && !path.contains(|char: char| char == '\\' || char.is_ascii_control() || char == ' ')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn token_has_valid_checksum() {
        let token = Secret::generate_api_token().unwrap();
        assert_eq!(token.text.len(), "chartroom_".len() + 40);
        assert_eq!(api_token_hash(&token.text), Some(token.hash));
        assert!(token.text.starts_with(token.hint()));

        let last = if token.text.ends_with('a') { "b" } else { "a" };
        let mistyped = format!("{}{last}", &token.text[..token.text.len() - 1]);
        let check = |text: &str| assert_eq!(api_token_hash(text), None, "{text}");
        check(&mistyped);
        check(&token.text[..49]);
        check(&token.text.replace("chartroom_", "chartroom-"));
        check("");
        check("chartroom_éééééééééééééééééééé");
    }

    #[test]
    fn cookie_is_secure_only_with_https() {
        assert_eq!(
            set_cookie_header("v", "http://127.0.0.1:8080"),
            "chartroom_session=v; Path=/; HttpOnly; SameSite=Lax; Max-Age=34560000"
        );
        let secure = set_cookie_header("v", "https://charts.example");
        assert!(secure.starts_with("__Host-chartroom_session=v; Path=/; "), "{secure}");
        assert!(secure.ends_with("; Secure"), "{secure}");
        assert!(clear_cookie_header("https://charts.example").contains("Max-Age=0"));
    }

    #[test]
    fn only_pages_of_this_server_are_same_origin() {
        let check = |origin, site, host, want| {
            let headers = OriginHeaders { origin, site, host };
            assert_eq!(
                headers.classify("https://charts.example/base"),
                want,
                "{origin:?} {site:?}"
            );
        };
        let none: Option<&str> = None;
        check(none, Some("same-origin"), None, RequestOrigin::SameOrigin);
        check(Some("https://charts.example"), None, None, RequestOrigin::SameOrigin);
        check(
            Some("http://127.0.0.1:8080"),
            None,
            Some("127.0.0.1:8080"),
            RequestOrigin::SameOrigin,
        );
        check(Some("http://charts.example"), None, None, RequestOrigin::CrossSite);
        check(Some("https://evil.example"), None, Some("charts.example"), RequestOrigin::CrossSite);
        check(Some("https://charts.example.evil"), None, None, RequestOrigin::CrossSite);
        check(Some("null"), Some("same-origin"), None, RequestOrigin::SameOrigin);
        check(Some("null"), Some("cross-site"), None, RequestOrigin::CrossSite);
        check(none, Some("same-site"), None, RequestOrigin::CrossSite);
        check(none, Some("cross-site"), None, RequestOrigin::CrossSite);
        check(Some("null"), None, None, RequestOrigin::Unknown);
        check(none, Some("none"), None, RequestOrigin::Unknown);
        check(none, None, None, RequestOrigin::Unknown);
    }

    #[test]
    fn redirect_target_must_be_local() {
        let check = |path: &str, want| assert_eq!(is_local_path(path), want, "{path}");
        check("/", true);
        check("/d/1?x=y", true);
        check("", false);
        check("//evil.example", false);
        check("/\\evil.example", false);
        check("https://evil.example", false);
        check("/a\r\nSet-Cookie: x", false);
        check(&format!("/{}", "a".repeat(2047)), true);
        check(&format!("/{}", "a".repeat(2048)), false);
    }
}
