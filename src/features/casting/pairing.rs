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

/// A pairing code with the token of the waiting screen.
pub struct PairingCode {
    /// Code of eight letters, without hyphen.
    pub code: String,
    /// Token with which the screen polls. It must never be displayed.
    pub poll_token: String,
}

impl PairingCode {
    /// Generates a random code and token. Stores nothing.
    pub fn generate() -> Result<Self> {
        Ok(Self { code: rules::random_pairing_code()?, poll_token: rules::random_token()? })
    }

    /// Returns the keyed hash of the code, which is stored instead of the code.
    pub fn hash(&self, app: &App) -> Sha256Hash {
        rules::code_hash(&app.server_key, &self.code)
    }
}

/// The state of a pairing for the waiting screen.
pub struct PairingState {
    /// Expiry of the code.
    pub expires: Timestamp,
    /// Token of the session; None until a user has entered the code.
    pub token: Option<String>,
}

/// Stores a code for a screen, deletes expired codes, and returns the time when the code expires.
///
/// # Errors
/// `Busy` if another screen shows the same code, which is very unlikely.
pub fn store_code(tx: &WriteTx<'_>, app: &App, code: &PairingCode) -> Result<Timestamp> {
    store::delete_expired_codes(tx)?;
    let hash = code.hash(app);
    if store::find_by_code(tx, &hash)?.is_some() {
        return Err(Error::Busy);
    }
    let expires = tx.now.saturating_add(rules::CODE_LIFETIME);
    store::insert_pairing(tx, &hash, &crypto::sha256(code.poll_token.as_bytes()), expires)?;
    Ok(expires)
}

/// Deletes a code. Does nothing if there is none with this hash.
pub fn delete_code(tx: &WriteTx<'_>, hash: &Sha256Hash) -> Result<()> {
    store::delete_code(tx, hash)
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
