//! Setting up and removing the second factor, and its recovery codes.

use std::time::Duration;

use serde_json::json;

use super::check;
use super::recovery;
use super::totp;
use super::totp::SECRET_BYTES;
use crate::app::RequestContext;
use crate::features::accounts::User;
use crate::features::accounts::actions;
use crate::features::accounts::attempts;
use crate::features::accounts::attempts::Guess;
use crate::features::accounts::credentials;
use crate::features::accounts::events;
use crate::features::accounts::password_check;
use crate::features::accounts::security_mail;
use crate::features::accounts::security_mail::SecurityChange;
use crate::features::accounts::store;
use crate::features::accounts::store::Profile;
use crate::features::accounts::store::second_factors;
use crate::features::accounts::store::second_factors::SecondFactor;
use chartroom_platform::crypto;
use chartroom_platform::crypto::ServerKey;
use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::error::SecondFactorError;
use chartroom_platform::id::AccountId;
use chartroom_platform::qr;
use chartroom_platform::time::Timestamp;

/// Time within which a new secret must be confirmed. It limits the guesses of somebody who finds an
/// open session with a secret that its user has not confirmed.
const MAX_SETUP_TIME: Duration = Duration::from_hours(1);

/// The second factor of a user.
pub struct State {
    /// Time from which sign-ins need a code. None without a second factor.
    pub confirmed: Option<Timestamp>,
    /// Number of unused recovery codes.
    pub recovery_codes: usize,
    /// Whether an organization of the user requires a second factor.
    pub is_required: bool,
}

/// A new secret, for the app of the user.
pub struct SetupSecret {
    /// Secret in base 32.
    pub secret: String,
    /// URL that apps read.
    pub otpauth_url: String,
    /// QR code of the URL as SVG.
    pub qr_svg: String,
}

impl SetupSecret {
    /// Renders the secret of the user with this address.
    fn new(secret: &[u8; SECRET_BYTES], email: &str) -> Result<Self> {
        let secret = totp::format_secret(secret);
        let otpauth_url = totp::format_url(&secret, email);
        Ok(Self { qr_svg: qr::render_svg(&otpauth_url)?, secret, otpauth_url })
    }
}

/// Returns the second factor of a user.
pub fn find_state(tx: &Tx<'_>, user: &AccountId) -> Result<State> {
    Ok(State {
        confirmed: second_factors::find(tx, user)?.and_then(|found| found.confirmed),
        recovery_codes: second_factors::list_recovery_codes(tx, user)?.len(),
        is_required: store::organizations::requires_second_factor(tx, user)?,
    })
}

/// Creates a secret for the caller, which [`confirm`] takes into use. An earlier secret that was not
/// confirmed stops working.
///
/// # Errors
/// `Conflict` if the caller has a second factor. Otherwise as
/// `password_check::check_current_password`.
pub fn set_up(
    request: &RequestContext,
    caller: &User,
    current_password: &str,
) -> Result<SetupSecret> {
    let hash = password_check::check_current_password(request, caller, current_password)?;
    let secret = totp::generate_secret()?;
    let sealed = check::seal_secret(&request.app.server_key, &caller.id, &secret)?;
    let user = caller.id.clone();
    let profile = request.app.db.write_with_reserve(move |tx| {
        let profile = load_with_password(tx, &user, &hash)?;
        if check::has_second_factor(tx, &user)? {
            let text = "the account has a second factor already; turn it off first";
            return Err(Error::Conflict(text.to_owned()));
        }
        second_factors::put_unconfirmed(tx, &user, &sealed)?;
        Ok(profile)
    })?;
    SetupSecret::new(&secret, &profile.email)
}

/// Returns the secret that the caller has created and not confirmed yet, if it is `secret`, which a
/// form repeats. Never tells the secret to a caller who does not know it.
pub fn find_setup(
    request: &RequestContext,
    caller: &User,
    secret: &str,
) -> Result<Option<SetupSecret>> {
    let found = request.app.db.read(|tx| find_unconfirmed(tx, &caller.id))?;
    let Some(found) = found else { return Ok(None) };
    let stored = check::open_secret(&request.app.server_key, &caller.id, &found.secret)?;
    let Ok(stored) = <[u8; SECRET_BYTES]>::try_from(stored) else { return Ok(None) };
    let is_equal =
        crypto::constant_time_eq(totp::format_secret(&stored).as_bytes(), secret.as_bytes());
    is_equal.then(|| SetupSecret::new(&stored, &caller.email)).transpose()
}

/// Takes the new secret of the caller into use, if `code` is a code of it, and returns new recovery
/// codes. Ends the other sessions of the caller, because they began without a second factor.
///
/// # Errors
/// `Conflict` if the caller has no new secret. `InvalidFields` for a wrong `code`, `TooManyRequests`
/// after too many wrong ones.
pub fn confirm(request: &RequestContext, caller: &User, code: &str) -> Result<Vec<String>> {
    let code = totp::parse_code(code).unwrap_or_default();
    let kept = credentials::session_hash(request);
    let (codes, hashes) = generate_recovery_codes(&request.app.server_key, &caller.id)?;
    let (key, user) = (request.app.server_key.clone(), caller.id.clone());
    check_code(request, caller, || {
        request.app.db.write_with_reserve(move |tx| {
            let factor = find_unconfirmed(tx, &user)?.ok_or_else(|| {
                let text = "the account has no new second factor to confirm; set it up again";
                Error::Conflict(text.to_owned())
            })?;
            check::use_totp(tx, &key, &user, &factor, &code)?;
            second_factors::confirm(tx, &user)?;
            second_factors::replace_recovery_codes(tx, &user, &hashes)?;
            store::sessions::delete_sessions(tx, &user, kept.as_ref())?;
            let profile = actions::load_profile(tx, &user)?;
            let change = SecurityChange::SecondFactorEnabled;
            security_mail::enqueue_mail(tx, &user, change)?;
            events::record_user_event(tx, &profile, "user.enable_second_factor", &json!({}))
        })
    })?;
    Ok(codes)
}

/// Removes the second factor of the caller. `code` is a code of the app or a recovery code.
///
/// # Errors
/// `Conflict` without a second factor, `InvalidFields` for a wrong `code`, `TooManyRequests` after too
/// many wrong ones. Otherwise as `password_check::check_current_password`.
pub fn disable(
    request: &RequestContext,
    caller: &User,
    current_password: &str,
    code: &str,
) -> Result<()> {
    change_with_code(request, caller, current_password, code, |tx, profile| {
        second_factors::delete(tx, &profile.id)?;
        security_mail::enqueue_mail(tx, &profile.id, SecurityChange::SecondFactorDisabled)?;
        events::record_user_event(tx, profile, "user.disable_second_factor", &json!({}))
    })
}

/// Replaces the recovery codes of the caller and returns the new ones.
///
/// # Errors
/// As [`disable`].
pub fn renew_recovery_codes(
    request: &RequestContext,
    caller: &User,
    current_password: &str,
    code: &str,
) -> Result<Vec<String>> {
    let (codes, hashes) = generate_recovery_codes(&request.app.server_key, &caller.id)?;
    change_with_code(request, caller, current_password, code, move |tx, profile| {
        second_factors::replace_recovery_codes(tx, &profile.id, &hashes)?;
        security_mail::enqueue_mail(tx, &profile.id, SecurityChange::RecoveryCodesRenewed)?;
        events::record_user_event(tx, profile, "user.renew_recovery_codes", &json!({}))
    })?;
    Ok(codes)
}

/// Removes the second factor of a user who has lost it, without a code. The caller has checked the
/// permission to do so. Returns whether there was a second factor, confirmed or not.
pub fn reset(tx: &WriteTx<'_>, user: &Profile) -> Result<bool> {
    let was_confirmed = check::has_second_factor(tx, &user.id)?;
    let is_deleted = second_factors::delete(tx, &user.id)?;
    if was_confirmed {
        events::record_user_event(tx, user, "user.reset_second_factor", &json!({}))?;
        security_mail::enqueue_mail(tx, &user.id, SecurityChange::SecondFactorReset)?;
    }
    Ok(is_deleted)
}

/// Runs `change` in a write transaction if the current password and a code of the caller are right.
fn change_with_code(
    request: &RequestContext,
    caller: &User,
    current_password: &str,
    code: &str,
    change: impl Fn(&WriteTx<'_>, &Profile) -> Result<()> + Send + 'static,
) -> Result<()> {
    let hash = password_check::check_current_password(request, caller, current_password)?;
    let (key, user, code) = (request.app.server_key.clone(), caller.id.clone(), code.to_owned());
    check_code(request, caller, || {
        request.app.db.write_with_reserve(move |tx| {
            let profile = load_with_password(tx, &user, &hash)?;
            if !check::has_second_factor(tx, &user)? {
                return Err(Error::Conflict("the account has no second factor".to_owned()));
            }
            check::use_code(tx, &key, &user, &code)?;
            change(tx, &profile)
        })
    })
}

/// Runs `work`, which checks a code of the caller, and counts a wrong code.
///
/// # Errors
/// `InvalidFields` for a wrong `code`, `TooManyRequests` after too many wrong ones. Otherwise the
/// errors of `work`.
fn check_code<T>(
    request: &RequestContext,
    caller: &User,
    work: impl FnOnce() -> Result<T>,
) -> Result<T> {
    let key = attempts::caller_key(Guess::Code, caller);
    attempts::count_code(request, key, caller, work).map_err(|error| match error {
        Error::SecondFactor(SecondFactorError::WrongCode) => {
            Error::invalid_field("code", "is wrong, has expired or was used before")
        }
        other => other,
    })
}

/// Loads the profile of a user with this password hash.
///
/// # Errors
/// `Conflict` if the password was changed after the check of the current one.
fn load_with_password(tx: &Tx<'_>, user: &AccountId, hash: &str) -> Result<Profile> {
    let profile = actions::load_profile(tx, user)?;
    match profile.password_hash.as_deref() == Some(hash) {
        true => Ok(profile),
        false => Err(password_check::password_changed_error()),
    }
}

/// Returns the secret of a user that is not confirmed and has not expired.
fn find_unconfirmed(tx: &Tx<'_>, user: &AccountId) -> Result<Option<SecondFactor>> {
    let found = second_factors::find(tx, user)?;
    Ok(found.filter(|found| {
        found.confirmed.is_none() && found.created.saturating_add(MAX_SETUP_TIME) > tx.now
    }))
}

/// Generates recovery codes, and their hashes for the database.
fn generate_recovery_codes(
    key: &ServerKey,
    user: &AccountId,
) -> Result<(Vec<String>, Vec<crypto::Sha256Hash>)> {
    let codes = recovery::generate_codes()?;
    let hashes = codes.iter().filter_map(|code| recovery::parse_code(code));
    let hashes = hashes.map(|code| recovery::hash_code(key, user, &code)).collect();
    Ok((codes, hashes))
}
