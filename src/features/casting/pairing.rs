//! Pairing: a screen without a keyboard shows a code, and a user enters it on another device.

use super::rules;
use super::store;
use crate::app::App;
use chartroom_platform::crypto;
use chartroom_platform::crypto::Sha256Hash;
use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Error;
use chartroom_platform::error::OrNotFound;
use chartroom_platform::error::Result;
use chartroom_platform::time::Timestamp;

/// Maximum number of valid codes. With this number, ten guesses find a code with a probability of 1
/// in 200,000.
const MAX_VALID_CODES: i64 = 10_000;

/// A new pairing code with the token of the waiting screen.
pub struct PairingCode {
    /// Code of eight letters, without hyphen.
    pub code: String,
    /// Token with which the screen polls. It must never be displayed.
    pub poll_token: String,
    pub expires: Timestamp,
}

/// The state of a pairing for the waiting screen.
pub struct PairingState {
    /// Expiry of the code.
    pub expires: Timestamp,
    /// Token of the session; None until a user has entered the code.
    pub token: Option<String>,
}

/// Creates a code for a screen, and deletes expired codes.
///
/// # Errors
/// `Busy` if there are too many valid codes.
pub fn create_code(tx: &WriteTx<'_>, app: &App) -> Result<PairingCode> {
    store::delete_expired_codes(tx)?;
    if store::count_valid_codes(tx)? >= MAX_VALID_CODES {
        return Err(Error::Busy);
    }
    let mut code = rules::random_pairing_code()?;
    // A collision is very unlikely.
    while store::find_by_code(tx, &rules::code_hash(&app.server_key, &code))?.is_some() {
        code = rules::random_pairing_code()?;
    }
    let poll_token = rules::random_token()?;
    let expires = tx.now.saturating_add(rules::CODE_LIFETIME);
    let hash = rules::code_hash(&app.server_key, &code);
    store::insert_pairing(tx, &hash, &crypto::sha256(poll_token.as_bytes()), expires)?;
    Ok(PairingCode { code, poll_token, expires })
}

/// Returns the hash of a typed code that has not expired and that no session uses yet.
///
/// # Errors
/// `InvalidFields` naming `code` if there is no such code.
pub fn find_unused_code(tx: &Tx<'_>, app: &App, typed: &str) -> Result<Sha256Hash> {
    let invalid = || {
        Error::invalid_field("code", "no screen shows this code; codes expire after ten minutes")
    };
    let code = rules::parse_code(typed).ok_or_else(invalid)?;
    let hash = rules::code_hash(&app.server_key, &code);
    match store::find_by_code(tx, &hash)? {
        Some(pairing) if pairing.session.is_none() => Ok(hash),
        _ => Err(invalid()),
    }
}

/// Returns the state of a pairing for the screen with `poll_token`.
///
/// # Errors
/// `NotFound` if the token is unknown or its code has expired.
pub fn poll(tx: &Tx<'_>, app: &App, poll_token: &str) -> Result<PairingState> {
    let hash = crypto::sha256(poll_token.as_bytes());
    let pairing = store::find_by_poll_token(tx, &hash)?.or_not_found("code")?;
    let token =
        pairing.session.as_ref().map(|session| rules::session_token(&app.server_key, session));
    Ok(PairingState { expires: pairing.expires, token })
}
