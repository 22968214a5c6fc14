//! Checks of the second factor in a transaction: whether an account needs a code, and its use.

use serde_json::json;

use super::recovery;
use super::totp;
use crate::features::accounts::actions;
use crate::features::accounts::events;
use crate::features::accounts::security_mail;
use crate::features::accounts::security_mail::SecurityChange;
use crate::features::accounts::store::organizations;
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

/// The code does not belong to the account, or was used before.
pub const WRONG_CODE: Error = Error::SecondFactor(SecondFactorError::WrongCode);

/// Returns whether a user has a second factor, so that a password alone does not sign in.
pub fn has_second_factor(tx: &Tx<'_>, user: &AccountId) -> Result<bool> {
    second_factors::is_confirmed(tx, user)
}

/// Returns whether a user with a password must set up a second factor, because an organization
/// requires it and the user has none.
pub fn must_set_up(tx: &Tx<'_>, user: &AccountId) -> Result<bool> {
    Ok(organizations::requires_second_factor(tx, user)? && !has_second_factor(tx, user)?)
}

/// Checks that a user may sign in with `code` besides a password, and uses the code up. Ignores the
/// code of a user without a second factor.
///
/// # Errors
/// `SecondFactor` if the code is missing, wrong or was used before.
pub fn check_sign_in(
    tx: &WriteTx<'_>,
    key: &ServerKey,
    user: &AccountId,
    code: Option<&str>,
) -> Result<()> {
    match code {
        Some(code) if has_second_factor(tx, user)? => use_code(tx, key, user, code),
        Some(_) => Ok(()),
        None => check_without_code(tx, user),
    }
}

/// Checks that a user may sign in without a code.
///
/// # Errors
/// `SecondFactor` if the user has a second factor.
pub fn check_without_code(tx: &Tx<'_>, user: &AccountId) -> Result<()> {
    match has_second_factor(tx, user)? {
        true => Err(Error::SecondFactor(SecondFactorError::CodeRequired)),
        false => Ok(()),
    }
}

/// Uses up a code of the app or a recovery code of a user with a second factor.
///
/// # Errors
/// `SecondFactor` if the code is wrong or was used before.
pub fn use_code(tx: &WriteTx<'_>, key: &ServerKey, user: &AccountId, code: &str) -> Result<()> {
    let found = second_factors::find(tx, user)?.filter(|found| found.confirmed.is_some());
    let found = found.ok_or(WRONG_CODE)?;
    if let Some(code) = totp::parse_code(code) {
        return use_totp(tx, key, user, &found, &code);
    }
    let code = recovery::parse_code(code).ok_or(WRONG_CODE)?;
    use_recovery_code(tx, key, user, &code)
}

/// Uses up a code of the app, for a second factor that may not be confirmed yet.
///
/// # Errors
/// `SecondFactor` if the code is wrong or was used before.
pub fn use_totp(
    tx: &WriteTx<'_>,
    key: &ServerKey,
    user: &AccountId,
    factor: &SecondFactor,
    code: &str,
) -> Result<()> {
    let secret = open_secret(key, user, &factor.secret)?;
    let step = totp::find_step(&secret, code, factor.last_step, tx.now).ok_or(WRONG_CODE)?;
    // Write transactions run one after another, so that of several requests with the same code only
    // the first one updates the row.
    second_factors::use_step(tx, user, step)?.then_some(()).ok_or(WRONG_CODE)
}

/// Uses up a recovery code and records this.
///
/// # Errors
/// `SecondFactor` if there is no such code.
fn use_recovery_code(
    tx: &WriteTx<'_>,
    key: &ServerKey,
    user: &AccountId,
    code: &str,
) -> Result<()> {
    let hash = recovery::hash_code(key, user, code);
    let stored = second_factors::list_recovery_codes(tx, user)?;
    let is_stored =
        stored.iter().fold(false, |found, other| found | crypto::constant_time_eq(other, &hash));
    if !is_stored || !second_factors::use_recovery_code(tx, user, &hash)? {
        return Err(WRONG_CODE);
    }
    security_mail::enqueue_mail(tx, user, SecurityChange::RecoveryCodeUsed)?;
    let details = json!({ "remaining": stored.len() - 1 });
    let profile = actions::load_profile(tx, user)?;
    events::record_user_event(tx, &profile, "user.use_recovery_code", &details)
}

/// Encrypts a secret for the database.
pub fn seal_secret(key: &ServerKey, user: &AccountId, secret: &[u8]) -> Result<Vec<u8>> {
    crypto::encrypt(&encryption_key(key, user), secret.to_vec())
}

/// Decrypts a secret from the database.
///
/// # Errors
/// `Internal` if the server key is another one, or the row belongs to another user.
pub fn open_secret(key: &ServerKey, user: &AccountId, sealed: &[u8]) -> Result<Vec<u8>> {
    crypto::decrypt(&encryption_key(key, user), sealed)
}

/// Returns the key that encrypts the secret of a user.
fn encryption_key(key: &ServerKey, user: &AccountId) -> [u8; 32] {
    key.sign("second factor", user.as_str().as_bytes())
}
