//! Sign-in with password and second factor, in one request or in two steps.

use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Deserialize;
use serde::Serialize;

use super::actions;
use super::attempts;
use super::attempts::Guess;
use super::credentials;
use super::credentials::NewSession;
use super::password_check;
use super::store;
use super::store::Profile;
use super::store::sessions::SessionMethod;
use crate::app::RequestContext;
use chartroom_platform::crypto;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::error::SecondFactorError;
use chartroom_platform::http::rate_limits;
use chartroom_platform::id::AccountId;
use chartroom_platform::time::Timestamp;

/// Time to enter the code after the password.
const TICKET_LIFETIME: Duration = Duration::from_mins(10);

/// The ticket of a sign-in page does not work any more.
const TICKET_EXPIRED: Error =
    Error::SignInRequired("the sign-in took too long; enter the password again");

/// Result of the first step of a sign-in.
pub enum SignInStep {
    /// The user is signed in.
    SignedIn(NewSession),
    /// The account has a second factor. The text is a ticket for [`sign_in_with_ticket`].
    CodeRequired(String),
}

/// Proof that the password of an account was right, which the page for the code carries instead of the
/// password. Clients get it encrypted.
#[derive(Serialize, Deserialize)]
struct PasswordTicket {
    user: AccountId,
    /// Milliseconds since 1970.
    expires: i64,
    /// SHA-256 of the password hash in base64, so that a new password voids the ticket.
    password: String,
}

/// Verifies name, password and, for an account with a second factor, `code`. Begins a session.
///
/// # Errors
/// `SignInRequired` for an unknown name, a wrong password or a disabled user, `SecondFactor` for a
/// right password with a missing or wrong code, `Forbidden` for a request from another site,
/// `TooManyRequests` after too many failures of this client or for this account.
pub fn sign_in(
    request: &RequestContext,
    name: &str,
    password: &str,
    code: Option<&str>,
) -> Result<NewSession> {
    credentials::reject_cross_site(request)?;
    let user = verify_and_renew(request, name, password)?;
    begin_session(request, &user, code)
}

/// Verifies name and password and begins a session, unless the account has a second factor.
///
/// # Errors
/// As [`sign_in`].
pub fn begin_sign_in(request: &RequestContext, name: &str, password: &str) -> Result<SignInStep> {
    credentials::reject_cross_site(request)?;
    let user = verify_and_renew(request, name, password)?;
    match begin_session(request, &user, None) {
        Err(Error::SecondFactor(SecondFactorError::CodeRequired)) => {
            Ok(SignInStep::CodeRequired(create_ticket(request, &user)?))
        }
        other => other.map(SignInStep::SignedIn),
    }
}

/// Verifies a code after [`begin_sign_in`] and begins a session.
///
/// # Errors
/// `SignInRequired` if the ticket has expired, the password was changed or the user is disabled.
/// Otherwise as [`sign_in`].
pub fn sign_in_with_ticket(
    request: &RequestContext,
    ticket: &str,
    code: &str,
) -> Result<NewSession> {
    credentials::reject_cross_site(request)?;
    let ticket = open_ticket(request, ticket).ok_or(TICKET_EXPIRED)?;
    let user = match request.app.db.read(|tx| actions::load_profile(tx, &ticket.user)) {
        Ok(user) if !user.disabled && hash_password_hash(&user) == ticket.password => user,
        Ok(_) | Err(Error::NotFound(_)) => return Err(TICKET_EXPIRED),
        Err(error) => return Err(error),
    };
    begin_session(request, &user, Some(code))
}

/// Returns the user with this name and password. If the hash of the password has weaker parameters than
/// those of new hashes, it is replaced first. Sessions stay, because the password does.
///
/// # Errors
/// As [`password_check::verify_password`]. A failure of the replacement is only logged.
fn verify_and_renew(request: &RequestContext, name: &str, password: &str) -> Result<Profile> {
    let (user, _) = password_check::verify_password(request, name, password)?;
    let Some(old) = user.password_hash.clone().filter(|old| crypto::is_outdated_password_hash(old))
    else {
        return Ok(user);
    };
    match renew_hash(request, &user.id, old, password) {
        Ok(hash) => Ok(Profile { password_hash: Some(hash), ..user }),
        Err(error) => {
            let message = error.operator_message();
            tracing::warn!(user = %user.id, error = %message, "a password was not hashed again");
            Ok(user)
        }
    }
}

/// Replaces the hash of a password that was verified with the hash `old`. Returns the stored hash if it
/// is one of this password: the new one, or that of another sign-in at the same time. Otherwise `old`,
/// with which no session begins.
fn renew_hash(
    request: &RequestContext,
    user: &AccountId,
    old: String,
    password: &str,
) -> Result<String> {
    let client = Some(rate_limits::find_client_network(request.client_ip));
    let new = request.app.passwords.hash(client, password)?;
    let (id, from, to) = (user.clone(), old.clone(), new.clone());
    let db = &request.app.db;
    if db.write(move |tx| store::replace_password_hash(tx, &id, &from, &to))? {
        return Ok(new);
    }
    let stored = db.read(|tx| Ok(actions::load_profile(tx, user)?.password_hash))?;
    let is_valid = |hash: &String| request.app.passwords.acquire(client).verify(password, hash);
    Ok(stored.filter(is_valid).unwrap_or(old))
}

/// Begins a session for a user with a verified password. A wrong code counts as a failure of the
/// client and of the account.
fn begin_session(
    request: &RequestContext,
    user: &Profile,
    code: Option<&str>,
) -> Result<NewSession> {
    let code = code.filter(|code| !code.trim().is_empty());
    let begin = || {
        let method = SessionMethod::Password;
        credentials::begin_session_with_code(request, user.user(), method, code, Some(user))
    };
    if code.is_none() {
        return begin();
    }
    let key = attempts::sign_in_key(request, Guess::Code, user.id.as_str(), Some(&user.id))?;
    attempts::count_code(request, key, &user.user(), begin)
}

/// Creates a ticket for a user with a verified password.
fn create_ticket(request: &RequestContext, user: &Profile) -> Result<String> {
    let ticket = PasswordTicket {
        user: user.id.clone(),
        expires: Timestamp::now().saturating_add(TICKET_LIFETIME).0,
        password: hash_password_hash(user),
    };
    crypto::seal_json(&ticket_key(request), &ticket)
}

/// Decrypts a ticket. None if it is malformed or has expired.
fn open_ticket(request: &RequestContext, text: &str) -> Option<PasswordTicket> {
    let ticket: PasswordTicket = crypto::open_json(&ticket_key(request), text)?;
    (ticket.expires > Timestamp::now().0).then_some(ticket)
}

/// Returns the key that encrypts tickets.
fn ticket_key(request: &RequestContext) -> [u8; 32] {
    request.app.server_key.sign("sign-in ticket", b"")
}

/// Returns the SHA-256 of the password hash of a user in base64.
fn hash_password_hash(user: &Profile) -> String {
    let hash = user.password_hash.as_deref().unwrap_or_default();
    URL_SAFE_NO_PAD.encode(crypto::sha256(hash.as_bytes()))
}
