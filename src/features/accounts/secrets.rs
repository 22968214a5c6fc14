//! The forms of API tokens, session cookies and setup links, and whether a request is same-origin.

use chartroom_platform::crypto;
use chartroom_platform::crypto::Hash;
use chartroom_platform::error::Result;

/// What every API token begins with, so that scanners for leaked secrets know it.
const TOKEN_PREFIX: &str = "chartroom_";
/// Random characters of a token: 202 bits.
const TOKEN_RANDOM: usize = 34;
/// Checksum characters at a token's end: a mistyped or invented token costs no database read.
const TOKEN_CHECKSUM: usize = 6;
/// Characters of a session cookie and of a setup link: 256 bits.
const SECRET: usize = 43;
/// The name of the session cookie.
const COOKIE: &str = "chartroom_session";
/// Seconds that a browser keeps the cookie: 400 days, the most that browsers grant (RFC 6265bis,
/// 5.5). The server ends a session sooner: see [`SESSION_DAYS`](super::credentials::SESSION_DAYS).
const COOKIE_SECONDS: u32 = 400 * 86_400;

/// A secret with the form in which it is stored.
pub struct Secret {
    /// What its owner gets, once.
    pub text: String,
    /// What is stored.
    pub hash: Hash,
}

impl Secret {
    /// A new API token.
    pub fn api_token() -> Result<Self> {
        let body = format!("{TOKEN_PREFIX}{}", crypto::random_base62(TOKEN_RANDOM)?);
        let text = format!("{body}{}", crypto::checksum62(&body, TOKEN_CHECKSUM));
        Ok(Self { hash: crypto::sha256(text.as_bytes()), text })
    }

    /// A new session cookie's or setup link's value.
    pub fn random() -> Result<Self> {
        let text = crypto::random_base62(SECRET)?;
        Ok(Self { hash: crypto::sha256(text.as_bytes()), text })
    }

    /// The first characters of a token, for its owner to tell tokens apart.
    pub fn hint(&self) -> &str {
        &self.text[..TOKEN_PREFIX.len() + 4]
    }
}

/// The stored form of an API token; `None` when its form or its checksum is wrong.
pub fn token_hash(text: &str) -> Option<Hash> {
    let secret = text.strip_prefix(TOKEN_PREFIX)?;
    if secret.len() != TOKEN_RANDOM + TOKEN_CHECKSUM || !secret.is_ascii() {
        return None;
    }
    let (body, checksum) = text.split_at(text.len() - TOKEN_CHECKSUM);
    (crypto::checksum62(body, TOKEN_CHECKSUM) == checksum).then(|| crypto::sha256(text.as_bytes()))
}

/// The stored form of a session cookie's or a setup link's value; `None` when its form is wrong.
pub fn secret_hash(text: &str) -> Option<Hash> {
    let fits = text.len() == SECRET && text.bytes().all(|it| it.is_ascii_alphanumeric());
    fits.then(|| crypto::sha256(text.as_bytes()))
}

/// The session's value in a `Cookie` header.
pub fn cookie_value(header: &str) -> Option<&str> {
    let pairs = header.split(';').filter_map(|it| it.trim().split_once('='));
    pairs.into_iter().find(|(name, _)| *name == COOKIE).map(|(_, value)| value)
}

/// The `Set-Cookie` header of a session.
pub fn set_cookie(value: &str, base_url: &str) -> String {
    cookie(value, COOKIE_SECONDS, base_url)
}

/// The `Set-Cookie` header that removes it.
pub fn clear_cookie(base_url: &str) -> String {
    cookie("", 0, base_url)
}

fn cookie(value: &str, seconds: u32, base_url: &str) -> String {
    let secure = if base_url.starts_with("https://") { "; Secure" } else { "" };
    format!("{COOKIE}={value}; Path=/; HttpOnly; SameSite=Lax; Max-Age={seconds}{secure}")
}

/// Where a request comes from, as far as its browser tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// One of our own pages.
    Same,
    /// Another site's page.
    Other,
    /// It says nothing: not a browser, or an old one.
    Unknown,
}

/// The headers that tell it. Pages cannot forge any of them.
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
    /// Where the request comes from; `base_url` is the server's own address.
    pub fn judge(&self, base_url: &str) -> Origin {
        if self.site == Some("same-origin") {
            return Origin::Same;
        }
        match self.origin {
            Some(origin) if is_own(origin, self.host, base_url) => Origin::Same,
            // Sandboxed frames and strict referrer policies send `null`.
            Some("null") | None if matches!(self.site, None | Some("none")) => Origin::Unknown,
            _ => Origin::Other,
        }
    }
}

fn is_own(origin: &str, host: Option<&str>, base_url: &str) -> bool {
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

/// Whether a redirect may go to `path`: it must stay on this server.
pub fn is_local(path: &str) -> bool {
    let mut rest = path.chars();
    rest.next() == Some('/')
        && rest.next() != Some('/')
        && path.is_ascii()
        && !path.contains(|it: char| it == '\\' || it.is_ascii_control() || it == ' ')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_carries_its_own_checksum() {
        let token = Secret::api_token().unwrap();
        assert_eq!(token.text.len(), "chartroom_".len() + 40);
        assert_eq!(token_hash(&token.text), Some(token.hash));
        assert!(token.text.starts_with(token.hint()));

        let last = if token.text.ends_with('a') { "b" } else { "a" };
        let mistyped = format!("{}{last}", &token.text[..token.text.len() - 1]);
        let check = |text: &str| assert_eq!(token_hash(text), None, "{text}");
        check(&mistyped);
        check(&token.text[..49]);
        check(&token.text.replace("chartroom_", "chartroom-"));
        check("");
        check("chartroom_éééééééééééééééééééé");
    }

    #[test]
    fn a_cookie_is_found_among_others() {
        let check = |header: &str, want| assert_eq!(cookie_value(header), want, "{header}");
        check("chartroom_session=abc", Some("abc"));
        check("a=b; chartroom_session=abc; c=d", Some("abc"));
        check("xchartroom_session=abc", None);
        check("chartroom_session", None);
        check("", None);
    }

    #[test]
    fn the_cookie_is_secure_under_https_only() {
        assert_eq!(
            set_cookie("v", "http://127.0.0.1:8080"),
            "chartroom_session=v; Path=/; HttpOnly; SameSite=Lax; Max-Age=34560000"
        );
        assert!(set_cookie("v", "https://charts.example").ends_with("; Secure"));
        assert!(clear_cookie("https://charts.example").contains("Max-Age=0"));
    }

    #[test]
    fn only_our_own_pages_are_same_origin() {
        let check = |origin, site, host, want| {
            let headers = OriginHeaders { origin, site, host };
            assert_eq!(headers.judge("https://charts.example/base"), want, "{origin:?} {site:?}");
        };
        let none: Option<&str> = None;
        check(none, Some("same-origin"), None, Origin::Same);
        check(Some("https://charts.example"), None, None, Origin::Same);
        check(Some("http://127.0.0.1:8080"), None, Some("127.0.0.1:8080"), Origin::Same);
        check(Some("http://charts.example"), None, None, Origin::Other);
        check(Some("https://evil.example"), None, Some("charts.example"), Origin::Other);
        check(Some("https://charts.example.evil"), None, None, Origin::Other);
        check(Some("null"), Some("same-origin"), None, Origin::Same);
        check(Some("null"), Some("cross-site"), None, Origin::Other);
        check(none, Some("same-site"), None, Origin::Other);
        check(none, Some("cross-site"), None, Origin::Other);
        check(Some("null"), None, None, Origin::Unknown);
        check(none, Some("none"), None, Origin::Unknown);
        check(none, None, None, Origin::Unknown);
    }

    #[test]
    fn a_redirect_stays_here() {
        let check = |path: &str, want| assert_eq!(is_local(path), want, "{path}");
        check("/", true);
        check("/d/1?x=y", true);
        check("", false);
        check("//evil.example", false);
        check("/\\evil.example", false);
        check("https://evil.example", false);
        check("/a\r\nSet-Cookie: x", false);
    }
}
