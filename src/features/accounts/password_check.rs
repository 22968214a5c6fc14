//! Verification of passwords, within the limits on failures.

use super::User;
use super::actions;
use super::actions::CheckedPasswordChange;
use super::attempts;
use super::attempts::Guess;
use super::events;
use super::store;
use super::store::Profile;
use crate::app::RequestContext;
use chartroom_platform::crypto::PasswordVerifier;
use chartroom_platform::crypto::Sha256Hash;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::http::growing_delay::Concurrency;
use chartroom_platform::http::rate_limits;
use chartroom_platform::time::Timestamp;

/// Milliseconds for which a verified basic credential needs no further password hash.
const VERIFIED_CREDENTIAL_TTL_MS: i64 = 60_000;
/// A hash that no password has, with the parameters of real hashes.
///
/// Verification uses it for an unknown user, so that the response time does not reveal which users
/// exist.
const DUMMY_PASSWORD_HASH: &str = "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$\
                      AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

/// A disabled user has no valid credentials.
pub const ACCOUNT_DISABLED: Error = Error::SignInRequired("this account is disabled");

/// Text of [`SSO_REQUIRED`].
const SSO_REQUIRED_TEXT: &str =
    "the organization of this account requires single sign-on, so that passwords do not work";

/// A password of an account that must use single sign-on.
pub const SSO_REQUIRED: Error = Error::SignInRequired(SSO_REQUIRED_TEXT);

/// Returns whether an error is [`SSO_REQUIRED`].
pub fn is_sso_required(error: &Error) -> bool {
    matches!(error, Error::SignInRequired(text) if *text == SSO_REQUIRED_TEXT)
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
/// `SignInRequired` for wrong credentials, a disabled user or an account that must use single sign-on,
/// `TooManyRequests` after too many failures of this client or for this name.
pub fn verify_password(
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
    let must_remember = !is_remembered(request, &key);
    if must_remember {
        let user = found.as_ref().map(|user| &user.id);
        let limit = attempts::sign_in_key(request, Guess::Password, name, user)?;
        if !verify_unremembered(request, limit, &key, password, hash)? {
            if let Some(user) = &found {
                events::record_failed_sign_in(request, &user.user(), "wrong password");
            }
            return Err(Error::SignInRequired("wrong name or password"));
        }
    }
    let user = found.ok_or(Error::SignInRequired("wrong name or password"))?;
    if user.disabled {
        // It counts as a failure, so that the number of recorded attempts is limited.
        app.rate_limits.begin_sign_in_attempt(request.client_ip)?;
        events::record_failed_sign_in(request, &user.user(), "account disabled");
        return Err(ACCOUNT_DISABLED);
    }
    // After the password, because the error states that the account exists. Not part of the remembered
    // success, so that the requirement takes effect immediately.
    if app.db.read(|tx| store::organizations::must_use_sso(tx, &user.id))? {
        events::record_failed_sign_in(request, &user.user(), "single sign-on is required");
        return Err(SSO_REQUIRED);
    }
    if must_remember {
        app.verified_credentials.insert(key, (Timestamp::now().0, user.id.to_string()));
    }
    Ok((user, !must_remember))
}

/// Returns whether the credentials with this key were right within [`VERIFIED_CREDENTIAL_TTL_MS`].
fn is_remembered(request: &RequestContext, key: &Sha256Hash) -> bool {
    let now = Timestamp::now().0;
    let found = request.app.verified_credentials.get(key);
    found.is_some_and(|(when, _)| now - when < VERIFIED_CREDENTIAL_TTL_MS)
}

/// Returns whether a password is right, within the limits on failures. `limit` is the key of the
/// delay of the account, and `key` that of the remembered success, which another request may have
/// added meanwhile.
///
/// # Errors
/// `TooManyRequests` after too many failures of this client or for this account.
fn verify_unremembered(
    request: &RequestContext,
    limit: Sha256Hash,
    key: &Sha256Hash,
    password: &str,
    hash: &str,
) -> Result<bool> {
    let limits = &request.app.rate_limits;
    limits.check_sign_in_attempt(request.client_ip)?;
    limits.account_sign_ins().check(&limit)?;
    // Only requests with a permit count as failed attempts. A client with the right password
    // may therefore send more requests at once than the limit allows failures.
    let verifier =
        request.app.passwords.acquire(Some(rate_limits::find_client_network(request.client_ip)));
    Ok(is_remembered(request, key) || count_and_verify(request, limit, &verifier, password, hash)?)
}

/// Returns whether a password is right. Counts a failure of this client and of the account with the
/// key `limit` before the verification, and takes it back after a success. Logs a failure.
///
/// Invalid API tokens are not counted. They cannot be guessed, and a forgotten script with an old
/// token must not lock out its whole network.
///
/// # Errors
/// `TooManyRequests` after too many failures of this client or of the account.
fn count_and_verify(
    request: &RequestContext,
    limit: Sha256Hash,
    verifier: &PasswordVerifier<'_>,
    password: &str,
    hash: &str,
) -> Result<bool> {
    let attempt = attempts::begin(request, limit, Concurrency::Unlimited)?;
    let is_valid = verifier.verify(password, hash);
    if is_valid {
        attempts::end_without_failure(request, attempt);
    } else {
        drop(attempt);
        let (peer, request_id) = (request.client_ip, &request.request_id);
        tracing::info!(%peer, request_id, "password refused");
    }
    Ok(is_valid)
}

/// Verifies the current password, checks the new one and hashes it. Stores nothing.
///
/// Must run outside a transaction, because hashing takes tens of milliseconds. A user without a
/// password needs no current one. A wrong current password counts as a failure of this client.
///
/// # Errors
/// `InvalidFields` for `password` or `current_password`, also if the caller must use single sign-on,
/// `TooManyRequests` after too many failures of this client.
pub fn check_password_change(
    request: &RequestContext,
    caller: &User,
    current: Option<&str>,
    new: &str,
) -> Result<CheckedPasswordChange> {
    let app = &request.app;
    let old_hash = app.db.read(|tx| {
        actions::check_may_have_password(tx, &caller.id)?;
        Ok(actions::load_profile(tx, &caller.id)?.password_hash)
    })?;
    if let Some(hash) = &old_hash {
        let current = current.ok_or_else(|| {
            Error::invalid_field("current_password", "is required to change the password")
        })?;
        verify_current_password(request, caller, current, hash)?;
    }
    let client = Some(rate_limits::find_client_network(request.client_ip));
    Ok(CheckedPasswordChange { old_hash, new_hash: actions::hash_new_password(app, client, new)? })
}

/// Verifies the current password of the caller, who must have one, and returns its hash.
///
/// # Errors
/// `Conflict` if the caller has no password. Otherwise as [`verify_current_password`].
pub fn check_current_password(
    request: &RequestContext,
    caller: &User,
    current: &str,
) -> Result<String> {
    let profile = request.app.db.read(|tx| actions::load_profile(tx, &caller.id))?;
    let hash = profile.password_hash.ok_or_else(|| {
        let text = "the account has no password, so it needs no second factor";
        Error::Conflict(text.to_owned())
    })?;
    verify_current_password(request, caller, current, &hash)?;
    Ok(hash)
}

/// Verifies that `current` is the password of the caller with this hash. A wrong one counts as a
/// failure of this client and of the account.
///
/// # Errors
/// `InvalidFields` for `current_password`, `TooManyRequests` after too many failures.
fn verify_current_password(
    request: &RequestContext,
    caller: &User,
    current: &str,
    hash: &str,
) -> Result<()> {
    let limit = attempts::caller_key(Guess::Password, caller);
    request.app.rate_limits.check_sign_in_attempt(request.client_ip)?;
    request.app.rate_limits.account_sign_ins().check(&limit)?;
    let verifier =
        request.app.passwords.acquire(Some(rate_limits::find_client_network(request.client_ip)));
    if count_and_verify(request, limit, &verifier, current, hash)? {
        return Ok(());
    }
    drop(verifier);
    events::record_failed_sign_in(request, caller, "wrong current password");
    Err(Error::invalid_field("current_password", "is not the current password"))
}

/// Returns the error of a request with an outdated check of the password.
pub fn password_changed_error() -> Error {
    Error::Conflict("another request has changed the password; try again".to_owned())
}

/// Returns whether the stored password of the caller is `password`. Counts no failure, because only
/// a caller who has proven the previous password may ask.
pub fn has_password(request: &RequestContext, caller: &User, password: &str) -> Result<bool> {
    let app = &request.app;
    let hash = app.db.read(|tx| Ok(actions::load_profile(tx, &caller.id)?.password_hash))?;
    let verifier = app.passwords.acquire(Some(rate_limits::find_client_network(request.client_ip)));
    Ok(hash.is_some_and(|hash| verifier.verify(password, &hash)))
}
