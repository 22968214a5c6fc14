//! Who sent a request: bearer token, basic credentials or session cookie.

use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hyper::Method;
use hyper::header::{AUTHORIZATION, COOKIE, HOST, HeaderName, ORIGIN, USER_AGENT};

use super::User;
use super::actions;
use super::actions::PasswordChange;
use super::secrets;
use super::secrets::Origin;
use super::secrets::OriginHeaders;
use super::secrets::Secret;
use super::store;
use super::store::Profile;
use crate::app::RequestContext;
use chartroom_platform::crypto::Hash;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::time::Timestamp;

/// How long a session lasts after it was last used, in days.
pub const SESSION_DAYS: u64 = 30;
/// How long a verified basic credential is remembered, in milliseconds.
const REMEMBERED: i64 = 60_000;
/// A hash that no password has, with the parameters of real ones: refusing an unknown user takes
/// the same time as refusing a wrong password.
const NOBODY: &str = "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$\
                      AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
/// Most bytes kept of a session's `User-Agent`.
const MAX_USER_AGENT: usize = 256;

/// Says the browser's own word on where a request comes from.
static SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// A session that has just begun.
pub struct SignedIn {
    /// Whose it is.
    pub user: User,
    /// The `Set-Cookie` header that carries it.
    pub cookie: String,
}

/// Who calls, by bearer token, basic credentials or session cookie; `None` without credentials.
/// A cookie that has ended counts as none: a browser sends it whether or not it is wanted.
///
/// # Errors
/// `SignIn` when credentials are given but are bad; `Forbidden` when a cookie comes with an unsafe
/// request from another origin.
pub fn caller(request: &RequestContext) -> Result<Option<User>> {
    if let Some(value) = request.headers.get(AUTHORIZATION) {
        let bad = Error::SignIn("the Authorization header is neither Bearer nor Basic");
        let Some((scheme, rest)) = value.to_str().ok().and_then(|it| it.split_once(' ')) else {
            return Err(bad);
        };
        return match scheme {
            _ if scheme.eq_ignore_ascii_case("bearer") => bearer(request, rest.trim()).map(Some),
            _ if scheme.eq_ignore_ascii_case("basic") => basic(request, rest.trim()).map(Some),
            _ => Err(bad),
        };
    }
    match session_of(request) {
        Some(hash) => session(request, &hash),
        None => Ok(None),
    }
}

fn bearer(request: &RequestContext, token: &str) -> Result<User> {
    const BAD: Error = Error::SignIn("this API token is not valid");
    let hash = secrets::token_hash(token).ok_or(BAD)?;
    // Requests with the same token share snapshots: this is a twelfth of answering a small document.
    let (found, now) = request.app.db.read(|tx| {
        let found = tx.once("token", &hash, || store::find_token(tx, &hash))?;
        Ok((found, tx.now))
    })?;
    let found = found.as_ref().as_ref().ok_or(BAD)?;
    if found.expires.is_some_and(|it| it <= now) {
        return Err(Error::SignIn("this API token has expired"));
    }
    if found.disabled { Err(DISABLED) } else { Ok(found.user.clone()) }
}

const DISABLED: Error = Error::SignIn("this account is disabled");

fn basic(request: &RequestContext, encoded: &str) -> Result<User> {
    let decoded = STANDARD.decode(encoded).ok().and_then(|it| String::from_utf8(it).ok());
    let (who, password) = decoded
        .as_deref()
        .and_then(|it| it.split_once(':'))
        .ok_or(Error::SignIn("the basic credentials are not base64 of name:password"))?;
    Ok(verify(request, who, password)?.user())
}

/// The user of these credentials. Unknown name and wrong password take the same time and give the
/// same error.
fn verify(request: &RequestContext, who: &str, password: &str) -> Result<Profile> {
    let app = &request.app;
    let found = match app.db.read(|tx| actions::find(tx, who)) {
        Ok(user) => Some(user),
        Err(Error::NotFound(_)) => None,
        Err(error) => return Err(error),
    };
    let hash = found.as_ref().and_then(|it| it.password_hash.as_deref()).unwrap_or(NOBODY);
    // The stored hash is part of the key, so that a changed password takes effect at once.
    let key = app.key.sign("verified", format!("{hash}\0{password}").as_bytes());
    let now = Timestamp::now().0;
    let remembered = app.verified.get(&key).filter(|(when, _)| now - when < REMEMBERED);
    if remembered.is_none() {
        may_try(request)?;
        if !app.passwords.verify(password, hash) {
            note_failure(request);
            return Err(Error::SignIn("wrong name or password"));
        }
    }
    let user = found.ok_or(Error::SignIn("wrong name or password"))?;
    if user.disabled {
        return Err(DISABLED);
    }
    if remembered.is_none() {
        app.verified.insert(key, (now, user.id.to_string()));
    }
    Ok(user)
}

/// The stored form of the request's session cookie, if it has one.
pub fn session_of(request: &RequestContext) -> Option<Hash> {
    let cookies = request.headers.get_all(COOKIE).iter().filter_map(|it| it.to_str().ok());
    cookies.into_iter().find_map(secrets::cookie_value).and_then(secrets::secret_hash)
}

fn session(request: &RequestContext, hash: &Hash) -> Result<Option<User>> {
    let Some(found) = request.app.db.read(|tx| store::find_session(tx, hash))? else {
        return Ok(None);
    };
    let now = Timestamp::now();
    let left = found.expires.map_or(0, |it| it.0 - now.0);
    if left <= 0 || found.disabled {
        return Ok(None);
    }
    let safe = matches!(request.method, Method::GET | Method::HEAD | Method::OPTIONS);
    if !safe && origin(request) != Origin::Same {
        return Err(Error::Forbidden(
            "a session's changes must come from its own pages".to_owned(),
        ));
    }
    // Once a day is often enough for a session to slide, and spares every other request the write.
    if now.after(days(SESSION_DAYS - 1)).0 - now.0 > left {
        let hash = *hash;
        request.app.db.write(move |tx| store::extend_session(tx, &hash, session_end(tx.now)))?;
    }
    Ok(Some(found.user))
}

/// When a session ends that is used at `now`, and then no more.
pub fn session_end(now: Timestamp) -> Timestamp {
    now.after(days(SESSION_DAYS))
}

fn days(count: u64) -> Duration {
    Duration::from_secs(count * 86_400)
}

fn origin(request: &RequestContext) -> Origin {
    let headers = OriginHeaders {
        origin: request.header(&ORIGIN),
        site: request.header(&SEC_FETCH_SITE),
        host: request.header(&HOST),
    };
    headers.judge(&request.app.config.base_url)
}

/// Refuses what another site's page sends, so that it cannot sign its visitors in as somebody else.
pub fn refuse_other_sites(request: &RequestContext) -> Result<()> {
    match origin(request) {
        Origin::Other => Err(Error::Forbidden("this comes from another site's page".to_owned())),
        Origin::Same | Origin::Unknown => Ok(()),
    }
}

/// Begins a session for whoever has this password.
///
/// # Errors
/// `SignIn` for an unknown name or a wrong password, `Forbidden` from another site's page.
pub fn sign_in(request: &RequestContext, who: &str, password: &str) -> Result<SignedIn> {
    refuse_other_sites(request)?;
    begin_session(request, verify(request, who, password)?.user())
}

/// Begins a session for a user who has proven to be himself in another way than by his password.
pub fn begin_session(request: &RequestContext, user: User) -> Result<SignedIn> {
    let (secret, agent) = (Secret::random()?, user_agent(request));
    let (id, hash) = (user.id.clone(), secret.hash);
    request.app.db.write(move |tx| {
        store::delete_expired_sessions(tx)?;
        store::insert_session(tx, &id, &hash, session_end(tx.now), &agent)
    })?;
    let cookie = secrets::set_cookie(&secret.text, &request.app.config.base_url);
    Ok(SignedIn { user, cookie })
}

/// Ends the session of the request's cookie, and gives the `Set-Cookie` header that removes it.
pub fn sign_out(request: &RequestContext) -> Result<String> {
    if let Some(hash) = session_of(request) {
        request.app.db.write(move |tx| store::delete_session(tx, &hash))?;
    }
    Ok(secrets::clear_cookie(&request.app.config.base_url))
}

/// Checks that a user may change his own password to `new`. Outside a transaction, since it hashes.
///
/// # Errors
/// `Fields` naming `password` or `current_password`.
pub fn check_password_change(
    request: &RequestContext,
    caller: &User,
    current: Option<&str>,
    new: &str,
) -> Result<PasswordChange> {
    let app = &request.app;
    let old = app.db.read(|tx| Ok(actions::profile(tx, &caller.id)?.password_hash))?;
    if let Some(hash) = &old {
        let current = current
            .ok_or_else(|| Error::field("current_password", "is needed to change the password"))?;
        may_try(request)?;
        if !app.passwords.verify(current, hash) {
            note_failure(request);
            return Err(Error::field("current_password", "is not the present password"));
        }
    }
    Ok(PasswordChange { old, new: actions::new_password_hash(app, new)? })
}

/// The request's `User-Agent`, as a session remembers it.
pub fn user_agent(request: &RequestContext) -> String {
    let text = request.header(&USER_AGENT).unwrap_or_default();
    text.chars().take(MAX_USER_AGENT).collect()
}

/// Whether this client may try another password. Asked before every one that is not remembered.
///
/// # Errors
/// `TooMany` when it failed too often of late.
pub fn may_try(request: &RequestContext) -> Result<()> {
    request.app.limits.may_sign_in(request.peer)
}

/// Notes that a name and password were refused. API tokens do not count: they cannot be guessed,
/// and a forgotten script with an old one must not lock its network out.
pub fn note_failure(request: &RequestContext) {
    tracing::info!(peer = %request.peer, request_id = request.request_id, "password refused");
    request.app.limits.failed_sign_in(request.peer);
}
