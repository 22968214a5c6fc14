//! The sessions of a user: list and revocation. The list of the API tokens.

use serde_json::json;

use super::actions;
use super::events;
use super::store;
use super::store::ApiToken;
use super::store::sessions::Session;
use crate::app::RequestContext;
use chartroom_platform::crypto::Sha256Hash;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::OrNotFound;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;
use chartroom_platform::id::SessionId;
use chartroom_platform::time::Timestamp;

/// Returns the sessions of a user, newest first. Their last uses include requests that are not
/// stored yet.
pub fn list_sessions(request: &RequestContext, user: &AccountId) -> Result<Vec<Session>> {
    let mut sessions = request.app.db.read(|tx| store::sessions::list_sessions(tx, user))?;
    for session in &mut sessions {
        let uses = &request.app.session_activity;
        session.last_used = uses.later_of(&session.hash, session.last_used);
    }
    Ok(sessions)
}

/// Returns the API tokens of a user, expired ones included, newest first. Their last uses include
/// requests that are not stored yet.
pub fn list_tokens(request: &RequestContext, user: &AccountId) -> Result<Vec<ApiToken>> {
    let mut tokens = request.app.db.read(|tx| store::list_tokens(tx, user))?;
    for token in &mut tokens {
        let used = request.app.token_activity.later_of(&token.hash, Timestamp(0));
        token.last_used = token.last_used.max(Some(used).filter(|time| time.0 > 0));
    }
    Ok(tokens)
}

/// Ends a session of a user.
///
/// # Errors
/// `NotFound` if the user has no such session.
pub fn end_session(tx: &WriteTx<'_>, user: &AccountId, id: &SessionId) -> Result<()> {
    store::sessions::delete_session_by_id(tx, user, id)?.then_some(()).or_not_found("session")?;
    record_end(tx, user, 1)
}

/// Ends the sessions of a user, except `kept` if it is given. Returns their number.
pub fn end_sessions(
    tx: &WriteTx<'_>,
    user: &AccountId,
    kept: Option<&Sha256Hash>,
) -> Result<usize> {
    let count = store::sessions::delete_sessions(tx, user, kept)?;
    if count > 0 {
        record_end(tx, user, count)?;
    }
    Ok(count)
}

/// Ends the sessions of the managed accounts of an organization that did not begin with single sign-on,
/// except `kept` if it is given and those of operators of the server. Returns their number. The caller
/// records the change.
pub fn end_sessions_without_sso(
    tx: &WriteTx<'_>,
    org: &AccountId,
    kept: Option<&Sha256Hash>,
) -> Result<usize> {
    store::sessions::delete_sessions_without_sso(tx, org, kept)
}

/// Records the end of `count` sessions of a user.
fn record_end(tx: &WriteTx<'_>, user: &AccountId, count: usize) -> Result<()> {
    let profile = actions::load_profile(tx, user)?;
    events::record_user_event(tx, &profile, "user.end_sessions", &json!({ "sessions": count }))
}
