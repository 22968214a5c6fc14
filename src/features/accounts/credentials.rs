//! Authentication of a request by API token, basic credentials or session cookie, and the sessions.

use std::net::IpAddr;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hyper::Method;
use hyper::header::{AUTHORIZATION, COOKIE, HOST, HeaderName, ORIGIN};

use super::User;
use super::actions;
use super::actions::CheckedPasswordChange;
use super::events;
use super::secrets;
use super::secrets::OriginHeaders;
use super::secrets::RequestOrigin;
use super::secrets::Secret;
use super::store;
use super::store::Profile;
use super::store::sessions::SessionMethod;
use super::store::sessions::SessionOwner;
use crate::app::RequestContext;
use chartroom_platform::crypto::PasswordVerifier;
use chartroom_platform::crypto::Sha256Hash;
use chartroom_platform::db;
use chartroom_platform::db::WriteActor;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::http::caller_key;
use chartroom_platform::http::rate_limits;
use chartroom_platform::time::Timestamp;

/// Time until a session expires after its last use.
const IDLE_LIFETIME: Duration = Duration::from_hours(30 * 24);
/// Time until a session expires after the sign-in, however often it is used.
const MAX_LIFETIME: Duration = Duration::from_hours(90 * 24);
/// Time by which the use of a session must extend it to be written. It avoids a write for most
/// requests.
const MIN_EXTENSION: Duration = Duration::from_hours(24);
/// Maximum number of sessions of a user. They are listed without pages.
const MAX_SESSIONS: u32 = 100;
/// Milliseconds for which a verified basic credential needs no further password hash.
const VERIFIED_CREDENTIAL_TTL_MS: i64 = 60_000;
/// A hash that no password has, with the parameters of real hashes.
///
/// Verification uses it for an unknown user, so that the response time does not reveal which users
/// exist.
const DUMMY_PASSWORD_HASH: &str = "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$\
                      AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

/// Header in which a browser states how the origin of a request relates to this server.
static SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// A session that was just created.
pub struct NewSession {
    /// User of the session.
    pub user: User,
    /// Value of the `Set-Cookie` header that carries the session.
    pub cookie: String,
}

/// Returns the user that the request authenticates as, or None without credentials.
///
/// `Authorization` (Bearer or Basic) takes precedence over the session cookie. A cookie without a
/// valid session counts as no credentials, because browsers send the cookie with every request. At
/// most once per day, the use of a session extends it. The user is the actor of all later writes of
/// the request.
///
/// # Errors
/// `SignInRequired` if the `Authorization` header is malformed, or its credentials are wrong,
/// expired or those of a disabled user. `TooManyRequests` if it has basic credentials after too
/// many failures of this client. `Forbidden` for an unsafe method if a session cookie comes not
/// provably from a page of this server, or basic credentials come from a page of another site
/// (CSRF).
pub fn authenticate(request: &RequestContext) -> Result<Option<User>> {
    let user = find_authenticated_user(request)?;
    if let Some(user) = &user {
        caller_key::remember_account(&request.headers, request.caller, user.id.as_str());
        request.app.user_activity.record(&user.id);
        db::set_actor(WriteActor::User(user.id.clone()));
    }
    Ok(user)
}

/// Returns the user as [`authenticate`] does, with the same errors.
fn find_authenticated_user(request: &RequestContext) -> Result<Option<User>> {
    if let Some(value) = request.headers.get(AUTHORIZATION) {
        let invalid_header =
            Error::SignInRequired("the Authorization header is neither Bearer nor Basic");
        let Some((scheme, rest)) = value.to_str().ok().and_then(|value| value.split_once(' '))
        else {
            return Err(invalid_header);
        };
        return match scheme {
            _ if scheme.eq_ignore_ascii_case("bearer") => {
                authenticate_bearer(request, rest.trim()).map(Some)
            }
            _ if scheme.eq_ignore_ascii_case("basic") => {
                authenticate_basic(request, rest.trim()).map(Some)
            }
            _ => Err(invalid_header),
        };
    }
    match session_hash(request) {
        Some(hash) => authenticate_session(request, &hash),
        None => Ok(None),
    }
}

/// Returns the user of an API token.
///
/// # Errors
/// `SignInRequired` if the token does not exist or has expired, or if its user is disabled.
fn authenticate_bearer(request: &RequestContext, token: &str) -> Result<User> {
    const INVALID_TOKEN: Error = Error::SignInRequired("this API token is not valid");
    let hash = secrets::api_token_hash(token).ok_or(INVALID_TOKEN)?;
    // Requests that share a snapshot also share this lookup. It is a twelfth of the time that a
    // request for a small document takes.
    let (found, now) = request.app.db.read(|tx| {
        let found = tx.memoize("token", &hash, || store::find_token(tx, &hash))?;
        Ok((found, tx.now))
    })?;
    let found = found.as_ref().as_ref().ok_or(INVALID_TOKEN)?;
    if found.expires.is_some_and(|time| time <= now) {
        return Err(Error::SignInRequired("this API token has expired"));
    }
    if found.disabled {
        return Err(ACCOUNT_DISABLED);
    }
    request.app.token_activity.record(&hash);
    Ok(found.user.clone())
}

const ACCOUNT_DISABLED: Error = Error::SignInRequired("this account is disabled");

/// Returns the user of base64-encoded `name:password`.
///
/// Browsers send basic credentials, once entered, also with requests from pages of other sites.
///
/// # Errors
/// `SignInRequired` if `encoded` is malformed. `Forbidden` if the method is unsafe and the request
/// comes from a page of another site. Otherwise as [`verify_password`].
fn authenticate_basic(request: &RequestContext, encoded: &str) -> Result<User> {
    if !has_safe_method(request) {
        reject_cross_site(request)?;
    }
    let decoded = STANDARD.decode(encoded).ok().and_then(|bytes| String::from_utf8(bytes).ok());
    let (name, password) = decoded
        .as_deref()
        .and_then(|text| text.split_once(':'))
        .ok_or(Error::SignInRequired("the basic credentials are not base64 of name:password"))?;
    let (user, is_remembered) = verify_password(request, name, password)?;
    let user = user.user();
    if !is_remembered {
        events::record_basic_sign_in(request, &user);
    }
    Ok(user)
}

/// Returns the user with this name and password, and whether the success was remembered.
///
/// `name` is anything that [`actions::find_user`] accepts. An unknown name and a wrong password
/// give the same error after the same time. A success is remembered in memory for
/// [`VERIFIED_CREDENTIAL_TTL_MS`]. Until then, the same credentials need no hashing and succeed
/// even after too many failures of this client. A wrong name or password is counted as a failure
/// before it is verified, so that concurrent requests cannot exceed the limit. A failure for an
/// account that an organization manages is recorded.
///
/// # Errors
/// `SignInRequired` for wrong credentials or a disabled user, `TooManyRequests` after too many
/// failures of this client.
fn verify_password(
    request: &RequestContext,
    name: &str,
    password: &str,
) -> Result<(Profile, bool)> {
    let app = &request.app;
    let found = match app.db.read(|tx| actions::find_user(tx, name)) {
        Ok(user) => Some(user),
        Err(Error::NotFound(_)) => None,
        Err(error) => return Err(error),
    };
    let hash = found
        .as_ref()
        .and_then(|user| user.password_hash.as_deref())
        .unwrap_or(DUMMY_PASSWORD_HASH);
    // The stored hash is part of the key, so that a changed password takes effect immediately.
    let key = app.server_key.sign("verified", format!("{hash}\0{password}").as_bytes());
    let is_remembered = || {
        let now = Timestamp::now().0;
        let found = app.verified_credentials.get(&key);
        found.is_some_and(|(when, _)| now - when < VERIFIED_CREDENTIAL_TTL_MS)
    };
    let mut must_remember = false;
    if !is_remembered() {
        app.rate_limits.check_sign_in_attempt(request.client_ip)?;
        // Only requests with a permit count as failed attempts. A client with the right password
        // may therefore send more requests at once than the limit allows failures.
        let verifier = app.passwords.acquire(Some(client_network(request)));
        if !is_remembered() {
            must_remember = true;
            if !count_and_verify(request, &verifier, password, hash)? {
                drop(verifier);
                if let Some(user) = &found {
                    events::record_failed_sign_in(request, &user.user(), "wrong password");
                }
                return Err(Error::SignInRequired("wrong name or password"));
            }
        }
    }
    let user = found.ok_or(Error::SignInRequired("wrong name or password"))?;
    if user.disabled {
        // It counts as a failure, so that the number of recorded attempts is limited.
        app.rate_limits.begin_sign_in_attempt(request.client_ip)?;
        events::record_failed_sign_in(request, &user.user(), "account disabled");
        return Err(ACCOUNT_DISABLED);
    }
    if must_remember {
        app.verified_credentials.insert(key, (Timestamp::now().0, user.id.to_string()));
    }
    Ok((user, !must_remember))
}

/// Returns whether a password is right. Counts a failure of this client before the verification,
/// and takes it back after a success. Logs a failure.
///
/// Invalid API tokens are not counted. They cannot be guessed, and a forgotten script with an old
/// token must not lock out its whole network.
///
/// # Errors
/// `TooManyRequests` after too many failures of this client.
fn count_and_verify(
    request: &RequestContext,
    verifier: &PasswordVerifier<'_>,
    password: &str,
    hash: &str,
) -> Result<bool> {
    let limits = &request.app.rate_limits;
    limits.begin_sign_in_attempt(request.client_ip)?;
    let is_valid = verifier.verify(password, hash);
    if is_valid {
        limits.undo_sign_in_attempt(request.client_ip);
    } else {
        let (peer, request_id) = (request.client_ip, &request.request_id);
        tracing::info!(%peer, request_id, "password refused");
    }
    Ok(is_valid)
}

/// Returns the hash of the session cookie, or None if the request has no well-formed one. Does not
/// check whether the session exists.
pub fn session_hash(request: &RequestContext) -> Option<Sha256Hash> {
    let cookies = request.headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
    cookies.into_iter().find_map(secrets::session_cookie_value).and_then(secrets::secret_hash)
}

/// Returns the user of a session and extends the session, at most once per day. Returns None if the
/// session does not exist, has expired, or belongs to a disabled user.
///
/// # Errors
/// `Forbidden` if the method is unsafe and the request does not provably come from a page of this
/// server.
fn authenticate_session(request: &RequestContext, hash: &Sha256Hash) -> Result<Option<User>> {
    let found = request.app.db.read(|tx| store::sessions::find_session(tx, hash))?;
    let Some(SessionOwner { owner, created }) = found else { return Ok(None) };
    let now = Timestamp::now();
    let Some(expires) = owner.expires.filter(|expires| *expires > now && !owner.disabled) else {
        return Ok(None);
    };
    if !has_safe_method(request) && classify_origin(request) != RequestOrigin::SameOrigin {
        return Err(Error::Forbidden(
            "requests with a session cookie must come from pages of this server".to_owned(),
        ));
    }
    let extended = session_expiry(created, now);
    if expires.saturating_add(MIN_EXTENSION) < extended {
        let hash = *hash;
        request
            .app
            .db
            .write_with_reserve(move |tx| store::sessions::extend_session(tx, &hash, extended))?;
    }
    request.app.session_activity.record(hash);
    Ok(Some(owner.user))
}

/// Returns whether the method of the request is safe: GET, HEAD or OPTIONS (RFC 9110, 9.2.1).
fn has_safe_method(request: &RequestContext) -> bool {
    matches!(request.method, Method::GET | Method::HEAD | Method::OPTIONS)
}

/// Returns the time at which a session expires that began at `created` and is used at `now`.
pub fn session_expiry(created: Timestamp, now: Timestamp) -> Timestamp {
    now.saturating_add(IDLE_LIFETIME).min(created.saturating_add(MAX_LIFETIME))
}

/// Classifies the origin of the request by the headers `Sec-Fetch-Site`, `Origin` and `Host`, see
/// [`OriginHeaders::classify`].
///
/// The origin is `Unknown` if `Origin` is absent or `null` and `Sec-Fetch-Site` is absent or
/// `none`.
fn classify_origin(request: &RequestContext) -> RequestOrigin {
    let headers = OriginHeaders {
        origin: request.header(&ORIGIN),
        site: request.header(&SEC_FETCH_SITE),
        host: request.header(&HOST),
    };
    headers.classify(&request.app.config.base_url)
}

/// Rejects a request from a page of another site. Otherwise such a page could sign its visitors in
/// to an account of the attacker (login CSRF). A request without information about its origin
/// passes.
///
/// # Errors
/// `Forbidden`.
pub fn reject_cross_site(request: &RequestContext) -> Result<()> {
    match classify_origin(request) {
        RequestOrigin::CrossSite => {
            Err(Error::Forbidden("the request comes from a page of another site".to_owned()))
        }
        RequestOrigin::SameOrigin | RequestOrigin::Unknown => Ok(()),
    }
}

/// Verifies name and password and begins a session.
///
/// # Errors
/// `SignInRequired` for an unknown name, a wrong password or a disabled user, `Forbidden` for a
/// request from another site, `TooManyRequests` after too many failures of this client.
pub fn sign_in(request: &RequestContext, name: &str, password: &str) -> Result<NewSession> {
    reject_cross_site(request)?;
    let (user, _) = verify_password(request, name, password)?;
    begin_session(request, user.user(), SessionMethod::Password)
}

/// Begins a session for a user who has already been authenticated with `method`. It expires 30 days
/// after its last use, and at the latest 90 days from now. The user is the actor of all later writes of
/// the request.
///
/// Ends the session in the cookie of the request, because the browser forgets it, and the least
/// recently used sessions of the user beyond `MAX_SESSIONS`. Also deletes expired sessions of all
/// users.
pub fn begin_session(
    request: &RequestContext,
    user: User,
    method: SessionMethod,
) -> Result<NewSession> {
    db::set_actor(WriteActor::User(user.id.clone()));
    let secret = Secret::generate()?;
    let (owner, hash, replaced) = (user.clone(), secret.hash, session_hash(request));
    request.app.db.write_with_reserve(move |tx| {
        store::sessions::delete_expired_sessions(tx)?;
        let expires = session_expiry(tx.now, tx.now);
        if let Some(replaced) = &replaced {
            store::sessions::delete_session(tx, replaced)?;
        }
        store::sessions::insert_session(tx, &owner.id, &hash, expires, method)?;
        store::sessions::delete_least_recent(tx, &owner.id, &hash, MAX_SESSIONS)?;
        events::record_sign_in(tx, &owner)
    })?;
    let cookie = secrets::set_cookie_header(&secret.text, &request.app.config.base_url);
    Ok(NewSession { user, cookie })
}

/// Deletes the session of the request, if it has one. Always returns the value of the `Set-Cookie`
/// header that removes the cookie.
pub fn sign_out(request: &RequestContext) -> Result<String> {
    if let Some(hash) = session_hash(request) {
        request.app.db.write_with_reserve(move |tx| store::sessions::delete_session(tx, &hash))?;
    }
    Ok(secrets::clear_cookie_header(&request.app.config.base_url))
}

/// Verifies the current password, checks the new one and hashes it. Stores nothing.
///
/// Must run outside a transaction, because hashing takes tens of milliseconds. A user without a
/// password needs no current one. A wrong current password counts as a failure of this client.
///
/// # Errors
/// `InvalidFields` for `password` or `current_password`, `TooManyRequests` after too many failures
/// of this client.
pub fn check_password_change(
    request: &RequestContext,
    caller: &User,
    current: Option<&str>,
    new: &str,
) -> Result<CheckedPasswordChange> {
    let app = &request.app;
    let client = Some(client_network(request));
    let old_hash = app.db.read(|tx| Ok(actions::load_profile(tx, &caller.id)?.password_hash))?;
    if let Some(hash) = &old_hash {
        let current = current.ok_or_else(|| {
            Error::invalid_field("current_password", "is required to change the password")
        })?;
        app.rate_limits.check_sign_in_attempt(request.client_ip)?;
        if !count_and_verify(request, &app.passwords.acquire(client), current, hash)? {
            events::record_failed_sign_in(request, caller, "wrong current password");
            return Err(Error::invalid_field("current_password", "is not the current password"));
        }
    }
    Ok(CheckedPasswordChange { old_hash, new_hash: actions::hash_new_password(app, client, new)? })
}

/// Returns whether the stored password of the caller is `password`. Counts no failure, because only
/// a caller who has proven the previous password may ask.
pub fn has_password(request: &RequestContext, caller: &User, password: &str) -> Result<bool> {
    let app = &request.app;
    let hash = app.db.read(|tx| Ok(actions::load_profile(tx, &caller.id)?.password_hash))?;
    let verifier = app.passwords.acquire(Some(client_network(request)));
    Ok(hash.is_some_and(|hash| verifier.verify(password, &hash)))
}

/// Returns the client network of a request.
pub fn client_network(request: &RequestContext) -> IpAddr {
    rate_limits::find_client_network(request.client_ip)
}
