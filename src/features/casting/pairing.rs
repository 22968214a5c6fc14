//! Pairing: a screen without a keyboard shows a code, and somebody enters it elsewhere.

use super::rules;
use super::store;
use crate::app::App;
use chartroom_platform::crypto;
use chartroom_platform::crypto::Hash;
use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Error;
use chartroom_platform::error::Found;
use chartroom_platform::error::Result;
use chartroom_platform::time::Timestamp;

/// Most codes at a time: with these, somebody who may guess ten finds one once in 200,000 times.
const MOST: i64 = 10_000;

/// A screen that begins to wait.
pub struct Waiting {
    /// Eight letters.
    pub code: String,
    /// What the screen asks with; never shown on it.
    pub poll_token: String,
    pub expires: Timestamp,
}

/// Gives a screen a code.
///
/// # Errors
/// `Busy` while too many screens wait.
pub fn begin(tx: &WriteTx<'_>, app: &App) -> Result<Waiting> {
    store::purge_codes(tx)?;
    if store::code_count(tx)? >= MOST {
        return Err(Error::Busy);
    }
    let mut code = rules::random_code()?;
    // One in millions is taken.
    while store::by_code(tx, &rules::code_hash(&app.key, &code))?.is_some() {
        code = rules::random_code()?;
    }
    let poll_token = rules::random_token()?;
    let expires = tx.now.after(rules::CODE_LIFE);
    let hash = rules::code_hash(&app.key, &code);
    store::insert_pairing(tx, &hash, &crypto::sha256(poll_token.as_bytes()), expires)?;
    Ok(Waiting { code, poll_token, expires })
}

/// The stored form of a code as it was typed, of a screen that waits.
///
/// # Errors
/// `Fields` about `code` when no screen waits with it.
pub fn waiting(tx: &Tx<'_>, app: &App, typed: &str) -> Result<Hash> {
    let wrong = || Error::field("code", "no screen shows this code now; codes last ten minutes");
    let code = rules::code(typed).ok_or_else(wrong)?;
    let hash = rules::code_hash(&app.key, &code);
    match store::by_code(tx, &hash)? {
        Some(pairing) if pairing.session.is_none() => Ok(hash),
        _ => Err(wrong()),
    }
}

/// When a screen's code ends, and the token of its session once somebody has entered the code.
///
/// # Errors
/// `NotFound` when there is no such screen, or its code has expired.
pub fn poll(tx: &Tx<'_>, app: &App, poll_token: &str) -> Result<(Timestamp, Option<String>)> {
    let hash = crypto::sha256(poll_token.as_bytes());
    let pairing = store::by_poll(tx, &hash)?.found("code")?;
    let token = pairing.session.as_ref().map(|it| rules::token(&app.key, it));
    Ok((pairing.expires, token))
}
