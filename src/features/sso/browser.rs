//! The cookie that binds a sign-in to the browser that began it.
//!
//! The identity provider sends its response from another site, and browsers then leave out the cookie
//! because it is `SameSite=Lax`. They send it with the redirect that follows.

use crate::app::RequestContext;
use crate::features::accounts;
use chartroom_platform::crypto;
use chartroom_platform::crypto::Sha256Hash;
use chartroom_platform::error::Result;
use chartroom_platform::http::caller_key;

/// Name of the cookie on a server with TLS. Browsers accept the prefix only from the host itself, so
/// that no other subdomain can set the cookie.
const SECURE_NAME: &str = "__Host-chartroom_sso";
/// Name of the cookie on a server without TLS.
const PLAIN_NAME: &str = "chartroom_sso";
/// Seconds for which a browser keeps the cookie: the time in which a request must get its response.
const MAX_AGE_SECONDS: u64 = super::request::REQUEST_LIFETIME.as_secs();

/// The cookie of the browser of a request.
pub struct BrowserCookie {
    /// SHA-256 of its value.
    pub hash: Sha256Hash,
    /// Value of the `Set-Cookie` header that stores it or keeps it longer.
    pub header: String,
}

impl BrowserCookie {
    /// Returns the cookie of the request, so that sign-ins in several tabs do not end each other, or a
    /// new one.
    pub fn find_or_create(request: &RequestContext) -> Result<Self> {
        let found = find_value(request).filter(|value| accounts::secret_hash(value).is_some());
        let value = match found {
            Some(value) => value.to_owned(),
            None => accounts::Secret::generate()?.text,
        };
        let is_secure = has_tls(request);
        let (name, secure) = if is_secure { (SECURE_NAME, "; Secure") } else { (PLAIN_NAME, "") };
        let header = format!(
            "{name}={value}; Path=/; HttpOnly; SameSite=Lax; Max-Age={MAX_AGE_SECONDS}{secure}"
        );
        Ok(Self { hash: crypto::sha256(value.as_bytes()), header })
    }
}

/// Returns the SHA-256 of the cookie of the request. None without a well-formed one.
pub fn find_hash(request: &RequestContext) -> Option<Sha256Hash> {
    find_value(request).and_then(accounts::secret_hash)
}

/// Returns the value of the cookie of the request.
fn find_value<'a>(request: &'a RequestContext<'_>) -> Option<&'a str> {
    let name = if has_tls(request) { SECURE_NAME } else { PLAIN_NAME };
    caller_key::find_cookie(&request.headers, name)
}

/// Returns whether browsers reach this server with TLS.
fn has_tls(request: &RequestContext) -> bool {
    request.app.config.base_url.starts_with("https://")
}
