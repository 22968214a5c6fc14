//! Limits on wrong passwords and codes: per client address, and per account with a growing delay.
//!
//! The delays of an account must not become a way to lock out its user. Therefore attempts from
//! strangers, from each network in which the user has a session, and from signed-in callers have
//! separate delays. Sessions and API tokens always work.

use std::net::IpAddr;

use super::User;
use super::events;
use super::rules;
use super::store;
use crate::app::RequestContext;
use chartroom_platform::crypto;
use chartroom_platform::crypto::Sha256Hash;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::error::SecondFactorError;
use chartroom_platform::http::growing_delay::Attempt;
use chartroom_platform::http::growing_delay::Concurrency;
use chartroom_platform::http::rate_limits;
use chartroom_platform::id::AccountId;

/// The kind of secret that a client may guess.
#[derive(Debug, Clone, Copy)]
pub enum Guess {
    /// A password.
    Password,
    /// A code of an app or a recovery code.
    Code,
}

/// Returns the key of the delay for attempts to sign in with a name, which is anything that
/// [`find_user`](super::find_user) accepts. `user` is the account with this name, if there is one.
///
/// The key depends on the name, so that unknown names are delayed like known ones and nobody learns
/// from a delay that two names belong to the same account.
pub fn sign_in_key(
    request: &RequestContext,
    guess: Guess,
    name: &str,
    user: Option<&AccountId>,
) -> Result<Sha256Hash> {
    let network = rate_limits::find_client_network(request.client_ip);
    let is_known = match user {
        Some(user) => is_known_network(request, user, network)?,
        None => false,
    };
    let client = if is_known { network.to_string() } else { "stranger".to_owned() };
    Ok(hash_key(guess, &client, &rules::email_key(name)))
}

/// Returns the key of the delay for attempts of a signed-in caller.
pub fn caller_key(guess: Guess, caller: &User) -> Sha256Hash {
    hash_key(guess, "caller", caller.id.as_str())
}

/// Hashes the parts of a key.
fn hash_key(guess: Guess, client: &str, account: &str) -> Sha256Hash {
    crypto::sha256(format!("{guess:?}\0{client}\0{account}").as_bytes())
}

/// Returns whether a user has a session that began in this network.
fn is_known_network(request: &RequestContext, user: &AccountId, network: IpAddr) -> Result<bool> {
    let addresses = request.app.db.read(|tx| store::sessions::list_addresses(tx, user))?;
    let is_equal = |address: &String| {
        address.parse().is_ok_and(|ip: IpAddr| rate_limits::find_client_network(ip) == network)
    };
    Ok(addresses.iter().any(is_equal))
}

/// Begins an attempt, which counts as a failure of the client and of the account until
/// [`end_without_failure`].
///
/// # Errors
/// `TooManyRequests` after too many failures of either.
pub fn begin<'a>(
    request: &'a RequestContext<'_>,
    key: Sha256Hash,
    concurrency: Concurrency,
) -> Result<Attempt<'a>> {
    let limits = &request.app.rate_limits;
    limits.begin_sign_in_attempt(request.client_ip)?;
    limits
        .account_sign_ins()
        .begin(key, concurrency)
        .inspect_err(|_| limits.undo_sign_in_attempt(request.client_ip))
}

/// Ends an attempt that is not a failure.
pub fn end_without_failure(request: &RequestContext, attempt: Attempt<'_>) {
    attempt.succeed();
    request.app.rate_limits.undo_sign_in_attempt(request.client_ip);
}

/// Runs `work`, which checks a code of `user`, and counts, logs and records a wrong code.
///
/// # Errors
/// The errors of `work`, and `TooManyRequests` after too many failures.
pub fn count_code<T>(
    request: &RequestContext,
    key: Sha256Hash,
    user: &User,
    work: impl FnOnce() -> Result<T>,
) -> Result<T> {
    // A person enters one code at a time, and there are only a million codes.
    let attempt = begin(request, key, Concurrency::Limited)?;
    let result = work();
    if matches!(result, Err(Error::SecondFactor(SecondFactorError::WrongCode))) {
        drop(attempt);
        let (peer, request_id) = (request.client_ip, &request.request_id);
        tracing::info!(%peer, request_id, "code of a second factor refused");
        events::record_failed_sign_in(request, user, "wrong code");
    } else {
        end_without_failure(request, attempt);
    }
    result
}
