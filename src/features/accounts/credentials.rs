//! Authentication of a request by API token, basic credentials or session cookie, and the sessions.

use std::net::IpAddr;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hyper::Method;
use hyper::header::{AUTHORIZATION, HOST, HeaderName, ORIGIN};

use super::User;
use super::actions;
use super::events;
use super::page_user;
use super::password_check;
use super::password_check::ACCOUNT_DISABLED;
use super::password_check::SSO_REQUIRED;
use super::second_factor;
use super::secrets;
use super::secrets::OriginHeaders;
use super::secrets::RequestOrigin;
use super::secrets::Secret;
use super::store;
use super::store::Profile;
use super::store::TokenOwner;
use super::store::sessions::CookieState;
use super::store::sessions::NewSessionRow;
use super::store::sessions::SessionMethod;
use super::store::sessions::SessionOwner;
use crate::app::RequestContext;
use chartroom_platform::crypto::Sha256Hash;
use chartroom_platform::db;
use chartroom_platform::db::WriteActor;
use chartroom_platform::db::WriteOrigin;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::error::SecondFactorError;
use chartroom_platform::http::caller_key;
use chartroom_platform::http::rate_limits;
use chartroom_platform::http::request::RequestUser;
use chartroom_platform::id::AccountId;
use chartroom_platform::time::Timestamp;

/// Time until a session expires after its last use.
const IDLE_LIFETIME: Duration = Duration::from_hours(30 * 24);
/// Time until a session expires after the sign-in, however often it is used.
const MAX_LIFETIME: Duration = Duration::from_hours(90 * 24);
/// Time by which the use of a session must extend it to be written. It avoids a write for most
/// requests.
const MIN_EXTENSION: Duration = Duration::from_hours(24);
/// Time for which the old cookie of a session works after it was replaced, for requests that the browser
/// has already sent.
const REPLACED_LIFETIME: Duration = Duration::from_mins(1);
/// Maximum number of sessions of a user. They are listed without pages.
const MAX_SESSIONS: u32 = 100;

/// Header in which a browser states how the origin of a request relates to this server.
static SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// A session that was just created.
pub struct NewSession {
    /// User of the session.
    pub user: User,
    /// Value of the `Set-Cookie` header that carries the session.
    pub cookie: String,
}

/// A user with valid credentials.
struct AuthenticatedUser {
    user: User,
    /// Whether the credentials are a password, or a session that began with one.
    used_password: bool,
}

/// Returns the user that the request authenticates as, or None without credentials.
///
/// `Authorization` (Bearer or Basic) takes precedence over the session cookie. A cookie without a
/// valid session counts as no credentials, because browsers send the cookie with every request. At
/// most once per day, the use of a session extends it. After a change of a role of the user, a request
/// with a safe method replaces the cookie. The user is the actor of all later writes of the request.
///
/// # Errors
/// `SignInRequired` if the `Authorization` header is malformed, or its credentials are wrong,
/// expired or those of a disabled user, or if they are the password of an account with a second
/// factor. `TooManyRequests` if it has basic credentials after too many failures of this client or
/// for this account. `Forbidden` if the scope of an API token does not include the request, and for an
/// unsafe method if a session cookie comes not provably from a page of this server, or basic credentials
/// come from a page of another site (CSRF). `SecondFactor` if the user must set up a second factor first,
/// see [`second_factor`].
pub fn authenticate(request: &RequestContext) -> Result<Option<User>> {
    let found = find_authenticated_user(request)?;
    if let Some(found) = found.as_ref().filter(|found| found.used_password)
        && request.app.db.read(|tx| second_factor::must_set_up(tx, &found.user.id))?
    {
        return Err(Error::SecondFactor(SecondFactorError::SetupRequired));
    }
    Ok(found.map(|found| remember_user(request, found)))
}

/// Returns the user as [`authenticate`] does, also if the user must set up a second factor first. Only
/// for the routes that set it up, for avatars, and for signing out.
///
/// # Errors
/// As [`authenticate`], except `SecondFactor`.
pub fn authenticate_for_setup(request: &RequestContext) -> Result<Option<User>> {
    Ok(find_authenticated_user(request)?.map(|found| remember_user(request, found)))
}

/// Makes a user the actor of all later writes of the request, and returns the user.
fn remember_user(request: &RequestContext, found: AuthenticatedUser) -> User {
    let user = found.user;
    let (headers, cookie) = (&request.headers, request.session_cookie);
    caller_key::remember_account(headers, cookie, request.caller, user.id.as_str());
    request.app.user_activity.record(&user.id);
    let shown = || RequestUser { id: user.id.as_str().to_owned(), name: user.name.clone() };
    request.user.get_or_init(shown);
    db::set_actor(WriteActor::User(user.id.clone()));
    user
}

/// Returns the owner of the API token of the request, like [`authenticate`].
///
/// # Errors
/// `SignInRequired` for a request without a bearer token, also with other credentials, and for an
/// invalid token.
pub fn authenticate_token(request: &RequestContext) -> Result<User> {
    const MISSING_TOKEN: Error = Error::SignInRequired("this needs an API token as bearer token");
    let value = request.header(&AUTHORIZATION).and_then(|value| value.split_once(' '));
    let is_bearer = value.is_some_and(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"));
    if !is_bearer {
        return Err(MISSING_TOKEN);
    }
    authenticate(request)?.ok_or(MISSING_TOKEN)
}

/// Returns the user as [`authenticate_for_setup`] does, with the same errors.
fn find_authenticated_user(request: &RequestContext) -> Result<Option<AuthenticatedUser>> {
    if let Some(value) = request.headers.get(AUTHORIZATION) {
        let invalid_header =
            Error::SignInRequired("the Authorization header is neither Bearer nor Basic");
        let Some((scheme, rest)) = value.to_str().ok().and_then(|value| value.split_once(' '))
        else {
            return Err(invalid_header);
        };
        return match scheme {
            _ if scheme.eq_ignore_ascii_case("bearer") => {
                let user = authenticate_bearer(request, rest.trim())?;
                Ok(Some(AuthenticatedUser { user, used_password: false }))
            }
            _ if scheme.eq_ignore_ascii_case("basic") => {
                authenticate_basic(request, rest.trim()).map(Some)
            }
            _ => Err(invalid_header),
        };
    }
    let found = match session_hash(request) {
        Some(hash) => authenticate_session(request, &hash)?,
        None => None,
    };
    if found.is_none() {
        page_user::check(request, None)?;
    }
    Ok(found)
}

/// Returns the user of an API token.
///
/// # Errors
/// `SignInRequired` if the token does not exist or has expired, or if its user is disabled. `Forbidden`
/// if the scope of the token does not include the request.
fn authenticate_bearer(request: &RequestContext, token: &str) -> Result<User> {
    const INVALID_TOKEN: Error = Error::SignInRequired("this API token is not valid");
    let hash = secrets::api_token_hash(token).ok_or(INVALID_TOKEN)?;
    // Requests that share a snapshot also share this lookup. It is a twelfth of the time that a
    // request for a small document takes.
    let (found, now) = request.app.db.read(|tx| {
        let found = tx.memoize("token", &hash, || store::find_token(tx, &hash))?;
        Ok((found, tx.now))
    })?;
    let TokenOwner { owner: found, scope } = found.as_ref().as_ref().ok_or(INVALID_TOKEN)?;
    if found.expires.is_some_and(|time| time <= now) {
        return Err(Error::SignInRequired("this API token has expired"));
    }
    if found.disabled {
        return Err(ACCOUNT_DISABLED);
    }
    scope.check(&request.method, &request.path)?;
    request.app.token_activity.record(&hash);
    Ok(found.user.clone())
}

/// Returns the user of base64-encoded `name:password`. An API token of the user is accepted as the
/// password, for programs that cannot send it as Bearer.
///
/// Browsers send basic credentials, once entered, also with requests from pages of other sites.
///
/// # Errors
/// `SignInRequired` if `encoded` is malformed, if the token belongs to another user, or if the
/// password is right but the account has a second factor, which these credentials cannot contain.
/// `Forbidden` if the method is unsafe and the request comes from a page of another site. Otherwise
/// as [`password_check::verify_password`] and [`authenticate_bearer`].
fn authenticate_basic(request: &RequestContext, encoded: &str) -> Result<AuthenticatedUser> {
    if !has_safe_method(request) {
        reject_cross_site(request)?;
    }
    let decoded = decode_basic(encoded);
    let (name, password) = decoded
        .as_deref()
        .and_then(|text| text.split_once(':'))
        .ok_or(Error::SignInRequired("the basic credentials are not base64 of name:password"))?;
    if secrets::api_token_hash(password).is_some() {
        let user = authenticate_bearer(request, password)?;
        let named = request.app.db.read(|tx| actions::find_user(tx, name));
        return match named {
            Ok(named) if named.id == user.id => {
                Ok(AuthenticatedUser { user, used_password: false })
            }
            Ok(_) | Err(Error::NotFound(_)) => {
                Err(Error::SignInRequired("the API token does not belong to this user"))
            }
            Err(error) => Err(error),
        };
    }
    let (user, is_remembered) = password_check::verify_password(request, name, password)?;
    let user = user.user();
    // The check is not part of the remembered success, so that a new second factor takes effect
    // immediately.
    if request.app.db.read(|tx| second_factor::has_second_factor(tx, &user.id))? {
        return Err(Error::SignInRequired(
            "the account has a second factor: use an API token instead of the password",
        ));
    }
    if !is_remembered {
        events::record_basic_sign_in(request, &user);
    }
    Ok(AuthenticatedUser { user, used_password: true })
}

/// Decodes the base64 of basic credentials. None if it is malformed.
pub fn decode_basic(encoded: &str) -> Option<String> {
    STANDARD.decode(encoded).ok().and_then(|bytes| String::from_utf8(bytes).ok())
}

/// Returns the hash of the session cookie, or None if the request has no well-formed one. Does not
/// check whether the session exists.
pub fn session_hash(request: &RequestContext) -> Option<Sha256Hash> {
    caller_key::find_cookie(&request.headers, request.session_cookie).and_then(secrets::secret_hash)
}

/// Returns the user of a session and extends the session, at most once per day. Returns None if the
/// session does not exist, has expired, or belongs to a disabled user.
///
/// # Errors
/// `Forbidden` if the method is unsafe and the request does not provably come from a page of this
/// server. `SignInRequired` if the page of the request belongs to another user.
fn authenticate_session(
    request: &RequestContext,
    hash: &Sha256Hash,
) -> Result<Option<AuthenticatedUser>> {
    let found = request.app.db.read(|tx| store::sessions::find_session(tx, hash))?;
    let Some(session) = found else { return Ok(None) };
    let SessionOwner { owner, created, method, latest_end, cookie } = session;
    let now = Timestamp::now();
    let Some(expires) = owner.expires.filter(|expires| *expires > now && !owner.disabled) else {
        return Ok(None);
    };
    if !has_safe_method(request) && classify_origin(request) != RequestOrigin::SameOrigin {
        return Err(Error::Forbidden(
            "requests with a session cookie must come from pages of this server".to_owned(),
        ));
    }
    page_user::check(request, Some(&owner.user.id))?;
    if cookie == CookieState::Outdated && has_safe_method(request) {
        replace_cookie(request, hash)?;
    }
    let extended = session_expiry(created, now, latest_end);
    // A replaced cookie must not get the lifetime of its session back.
    if cookie == CookieState::Current && expires.saturating_add(MIN_EXTENSION) < extended {
        let hash = *hash;
        request
            .app
            .db
            .write_with_reserve(move |tx| store::sessions::extend_session(tx, &hash, extended))?;
    }
    request.app.session_activity.record(hash);
    if let Some(language) = owner.user.language {
        request.choose_language(language);
    }
    Ok(Some(AuthenticatedUser { user: owner.user, used_password: method.uses_password() }))
}

/// Gives the session of the request another cookie, so that a cookie from before a change of the user's
/// role does not get the rights of the new one for long. Does nothing if another request has done so.
///
/// If that cannot be stored, only logs the error, because the request itself may not need to write.
///
/// # Errors
/// If the system has no random bytes.
fn replace_cookie(request: &RequestContext, hash: &Sha256Hash) -> Result<()> {
    let (secret, old) = (Secret::generate()?, *hash);
    let new = secret.hash;
    let replaced = request.app.db.write_with_reserve(move |tx| {
        let old_end = tx.now.saturating_add(REPLACED_LIFETIME);
        store::sessions::replace_cookie(tx, &old, &new, old_end)
    });
    match replaced {
        Ok(true) => {
            let header = secrets::set_cookie_header(&secret.text, &request.app.config.base_url);
            request.new_cookie.get_or_init(|| header);
        }
        Ok(false) => {}
        Err(error) => {
            tracing::warn!(error = %error.operator_message(), "a cookie cannot be replaced");
        }
    }
    Ok(())
}

/// Returns whether the method of the request is safe: GET, HEAD or OPTIONS (RFC 9110, 9.2.1).
fn has_safe_method(request: &RequestContext) -> bool {
    matches!(request.method, Method::GET | Method::HEAD | Method::OPTIONS)
}

/// Returns the time at which a session expires that began at `created` and is used at `now`.
/// `latest_end` is its end at the identity provider, if one began it.
pub fn session_expiry(
    created: Timestamp,
    now: Timestamp,
    latest_end: Option<Timestamp>,
) -> Timestamp {
    let expiry = now.saturating_add(IDLE_LIFETIME).min(created.saturating_add(MAX_LIFETIME));
    latest_end.map_or(expiry, |end| expiry.min(end))
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

/// Begins a session for a user who has already been authenticated with `method`. It expires 30 days
/// after its last use, and at the latest 90 days from now. The user is the actor of all later writes of
/// the request.
///
/// Ends the session in the cookie of the request, because the browser forgets it, and the least
/// recently used sessions of the user beyond `MAX_SESSIONS`. Also deletes expired sessions of all
/// users.
///
/// # Errors
/// `SecondFactor` if the user has a second factor, and `SignInRequired` if the user must use single
/// sign-on, unless `method` is single sign-on.
pub fn begin_session(
    request: &RequestContext,
    user: User,
    method: SessionMethod,
) -> Result<NewSession> {
    begin_session_with_code(request, user, method, None, None)
}

/// Begins a session like [`begin_session`], with the code of a second factor, which is used up in the
/// same transaction. `verified` is the profile with the password that was verified, if one was.
///
/// # Errors
/// `SecondFactor` if a required code is missing or wrong. `SignInRequired` if the password was changed
/// or the user was disabled after the verification, or if the user must use single sign-on.
pub fn begin_session_with_code(
    request: &RequestContext,
    user: User,
    method: SessionMethod,
    code: Option<&str>,
    verified: Option<&Profile>,
) -> Result<NewSession> {
    if method.uses_password() && code.is_none() {
        // The transaction checks this again. The first check avoids a write for each such request.
        request.app.db.read(|tx| second_factor::check_without_code(tx, &user.id))?;
    }
    start_session(request, user, SessionStart { method, code, verified, latest_end: None })
}

/// Begins a session for a user that an identity provider has verified. The session ends at `latest_end`
/// at the latest.
///
/// # Errors
/// `NotFound` if the user does not exist, `SignInRequired` if the user is disabled.
pub fn begin_sso_session(
    request: &RequestContext,
    user: &AccountId,
    latest_end: Option<Timestamp>,
) -> Result<NewSession> {
    let profile = request.app.db.read(|tx| actions::load_profile(tx, user))?;
    if profile.disabled {
        return Err(ACCOUNT_DISABLED);
    }
    let method = SessionMethod::Sso;
    let start = SessionStart { method, code: None, verified: Some(&profile), latest_end };
    start_session(request, profile.user(), start)
}

/// The way in which a session begins.
struct SessionStart<'a> {
    method: SessionMethod,
    /// Code of a second factor.
    code: Option<&'a str>,
    /// Profile that was verified, if one was.
    verified: Option<&'a Profile>,
    /// Time at which the session ends at the latest, besides the usual limits.
    latest_end: Option<Timestamp>,
}

/// Begins a session. Checks the profile and the second factor in the transaction that inserts it.
fn start_session(
    request: &RequestContext,
    user: User,
    start: SessionStart<'_>,
) -> Result<NewSession> {
    let secret = Secret::generate()?;
    let (owner, hash, replaced) = (user.clone(), secret.hash, session_hash(request));
    let (key, code) = (request.app.server_key.clone(), start.code.map(str::to_owned));
    let verified = start.verified.map(|profile| profile.password_hash.clone());
    let (method, latest_end) = (start.method, start.latest_end);
    request.app.db.write_with_reserve(move |tx| {
        // Before the end of all checks, the request has no actor.
        let actor = WriteActor::User(owner.id.clone());
        let origin = WriteOrigin { actor, ..tx.origin.clone() };
        let tx = &tx.with_origin(&origin);
        if let Some(password_hash) = &verified {
            let stored = actions::load_profile(tx, &owner.id)?;
            if stored.disabled || stored.password_hash != *password_hash {
                return Err(Error::SignInRequired("wrong name or password"));
            }
        }
        if method.uses_password() {
            if store::organizations::must_use_sso(tx, &owner.id)? {
                return Err(SSO_REQUIRED);
            }
            second_factor::check_sign_in(tx, &key, &owner.id, code.as_deref())?;
        }
        store::sessions::delete_expired_sessions(tx)?;
        if let Some(replaced) = &replaced {
            store::sessions::delete_session(tx, replaced)?;
        }
        let session = NewSessionRow {
            hash,
            expires: session_expiry(tx.now, tx.now, latest_end),
            latest_end,
            method,
        };
        store::sessions::insert_session(tx, &owner.id, &session)?;
        store::sessions::delete_least_recent(tx, &owner.id, &hash, MAX_SESSIONS)?;
        events::record_sign_in(tx, &owner)
    })?;
    db::set_actor(WriteActor::User(user.id.clone()));
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

/// Returns the client network of a request.
pub fn client_network(request: &RequestContext) -> IpAddr {
    rate_limits::find_client_network(request.client_ip)
}
