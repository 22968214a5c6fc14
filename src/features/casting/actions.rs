//! Actions on sessions, for the document's owner and for a screen with its token.

use serde_json::json;

use super::pairing;
use super::rules;
use super::rules::CastSession;
use super::store;
use super::store::NewSession;
use crate::app::App;
use crate::features::access;
use crate::features::access::AccessLevel;
use crate::features::access::Caller;
use crate::features::access::Resource;
use crate::features::accounts::User;
use crate::features::audit;
use crate::features::audit::EventTarget;
use crate::features::documents::screen_render;
use crate::features::orgs::themes;
use chartroom_platform::crypto;
use chartroom_platform::crypto::Sha256Hash;
use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Error;
use chartroom_platform::error::OrNotFound;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;
use chartroom_platform::id::CastId;
use chartroom_platform::id::NodeId;
use chartroom_platform::time::Timestamp;

/// A request to show a document on a screen.
#[derive(Debug, Clone)]
pub struct CastRequest {
    pub document: NodeId,
    /// Name of the screen.
    pub device_name: String,
    /// Typed code of a waiting screen, which then continues to the session.
    pub code: Option<String>,
}

/// A new session with its token.
pub struct CreatedSession {
    pub id: CastId,
    pub token: String,
    pub expires: Timestamp,
}

/// Returns a number that changes with the image of a session: the revision of the document, combined
/// with the theme of an organization that it is rendered with, if any.
pub fn image_version(tx: &Tx<'_>, session: &CastSession) -> Result<i64> {
    Ok(combine_image_version(session.revision, find_theme_fingerprint(tx, session)?))
}

/// Returns the fingerprint of the theme of an organization that a session is rendered with. None if
/// it has another theme.
pub fn find_theme_fingerprint(tx: &Tx<'_>, session: &CastSession) -> Result<Option<Sha256Hash>> {
    let theme = themes::find_usable_theme(tx, &session.owner, &session.theme)?;
    Ok(theme.map(|theme| theme.fingerprint()))
}

/// Returns the number of [`image_version`] for a revision and the fingerprint of the theme.
pub fn combine_image_version(revision: i64, theme: Option<Sha256Hash>) -> i64 {
    let Some(theme) = theme else { return revision };
    let hash = crypto::sha256(&[&theme[..], &revision.to_be_bytes()].concat());
    hash.first_chunk().map_or(revision, |bytes| i64::from_be_bytes(*bytes))
}

/// Creates a session, which starts its idle timeout now. With a code, assigns the session to the
/// screen that shows the code. Returns the token, which is stored only as a hash.
///
/// # Errors
/// As [`require_document_owner`]; `Conflict` if the document is in the trash; `InvalidFields`
/// naming `device_name` or `code`.
pub fn create_session(
    tx: &WriteTx<'_>,
    app: &App,
    caller: &User,
    cast: &CastRequest,
) -> Result<CreatedSession> {
    require_document_owner(tx, caller, &cast.document)?;
    let head = screen_render::find_document(tx, &cast.document)?.or_not_found("document")?;
    head.check_not_in_trash()?;
    let name = rules::parse_device_name(&cast.device_name)?;
    let code = match &cast.code {
        Some(code) => Some(pairing::find_unused_code(tx, app, code)?),
        None => None,
    };
    let id = CastId::new();
    let token = rules::session_token(&app.server_key, &id);
    let session = NewSession {
        id: &id,
        token_hash: &crypto::sha256(token.as_bytes()),
        document: &cast.document,
        device_name: &name,
        creator: &caller.id,
    };
    store::insert_session(tx, &session)?;
    if let Some(code) = code {
        store::assign_session(tx, &code, &id)?;
    }
    let target = EventTarget::new("cast", &id, name);
    let details = json!({ "document": cast.document, "title": head.title });
    audit::record(tx, &head.owner, "cast.create", &target, &details)?;
    Ok(CreatedSession { id, token, expires: tx.now.saturating_add(rules::IDLE_TIMEOUT) })
}

/// Lists the sessions of a document that have not ended, oldest first. A session ends by
/// revocation, inactivity, a document in the trash, or a creator who is disabled or lost access.
///
/// # Errors
/// As [`require_document_owner`].
pub fn list_active_sessions(
    tx: &Tx<'_>,
    caller: &User,
    document: &NodeId,
) -> Result<Vec<CastSession>> {
    require_document_owner(tx, caller, document)?;
    let mut sessions = Vec::new();
    for session in store::list_by_document(tx, document)? {
        if end_reason(tx, &session)?.is_none() {
            sessions.push(session);
        }
    }
    Ok(sessions)
}

/// Revokes a session. Its row stays until `purge_expired` deletes it.
///
/// # Errors
/// `NotFound` if the session does not exist or has ended, or if the caller neither owns its
/// document nor counts as an owner by [`require_document_owner`].
pub fn revoke_session(tx: &WriteTx<'_>, caller: &User, id: &CastId) -> Result<()> {
    let session = store::find_session(tx, id)?.or_not_found(SESSION_NOUN)?;
    match require_document_owner(tx, caller, &session.document) {
        Err(Error::NotFound(_) | Error::Forbidden(_)) => return Err(Error::NotFound(SESSION_NOUN)),
        other => other?,
    }
    if session.end_reason(tx.now).is_some() {
        return Err(Error::NotFound(SESSION_NOUN));
    }
    store::revoke_session(tx, id)?;
    let target = EventTarget::new("cast", id, session.device_name);
    let details = json!({ "document": session.document });
    audit::record(tx, &session.owner, "cast.revoke", &target, &details)
}

/// Name of a session in errors.
const SESSION_NOUN: &str = "cast session";

/// Requires that the caller owns the document, or is a member of the owning organization and no
/// team folder excludes them.
///
/// Write access through a share is not enough, because a screen shows the document to everyone near
/// it.
///
/// # Errors
/// `NotFound` if the caller may not read the document, `Forbidden` if they do not own it.
pub fn require_document_owner(tx: &Tx<'_>, caller: &User, document: &NodeId) -> Result<()> {
    let head = screen_render::find_document(tx, document)?.or_not_found("document")?;
    let resource = Resource {
        node: Some(document),
        owner: &head.owner,
        is_public: head.is_public,
        in_trash: head.deleted.is_some(),
    };
    let caller = Caller::from(caller);
    match access::access_level(tx, &caller, &resource)? {
        AccessLevel::None => Err(Error::NotFound("document")),
        _ => access::require_ownership(tx, &caller, &head.owner, document),
    }
}

/// Returns the active session of a token.
///
/// # Errors
/// `SignInRequired` if there is none or it has ended.
pub fn find_active_session(tx: &Tx<'_>, token: &str) -> Result<CastSession> {
    const ENDED: Error = Error::SignInRequired("the cast session does not exist or has ended");
    let found = store::find_by_token(tx, &crypto::sha256(token.as_bytes()))?.ok_or(ENDED)?;
    match end_reason(tx, &found)? {
        None => Ok(found),
        Some(_) => Err(ENDED),
    }
}

/// Returns the reason why a session ended, or None if it is active.
///
/// Beyond [`CastSession::end_reason`], checks that the creator still owns the document, or is a
/// member of the owning organization and no team folder excludes them. If not, the session counts
/// as revoked.
pub fn end_reason(tx: &Tx<'_>, session: &CastSession) -> Result<Option<rules::EndReason>> {
    if let Some(end) = session.end_reason(tx.now) {
        return Ok(Some(end));
    }
    let creator = Caller::from(&session.creator);
    match access::require_ownership(tx, &creator, &session.owner, &session.document) {
        Ok(()) => Ok(None),
        Err(Error::Forbidden(_)) => Ok(Some(rules::EndReason::Revoked)),
        Err(other) => Err(other),
    }
}

/// Returns the sessions with the given ids, including ended ones, in no particular order. Unknown
/// ids are ignored.
pub fn list_sessions_by_ids(tx: &Tx<'_>, ids: &[&str]) -> Result<Vec<CastSession>> {
    store::list_by_ids(tx, ids)
}

/// Ends the active sessions of a creator: all, or only those for documents of `owner`. Returns their
/// number.
pub fn revoke_sessions_of_user(
    tx: &WriteTx<'_>,
    user: &AccountId,
    owner: Option<&AccountId>,
) -> Result<usize> {
    store::revoke_sessions_of_user(tx, user, owner)
}

/// Returns the time of the latest explicit revocation among all stored sessions, or None if no
/// stored session is revoked. Purged sessions do not count.
pub fn latest_revocation(tx: &Tx<'_>) -> Result<Option<Timestamp>> {
    store::latest_revocation(tx)
}

/// Stores that the screens of these sessions are active now. Revoked and expired sessions are not
/// changed.
pub fn record_activity(tx: &WriteTx<'_>, ids: &[CastId]) -> Result<()> {
    store::update_last_activity(tx, ids)
}

/// Stores that the screen of a session shows the document as of `updated`, which is the time of the
/// document's last change, and is active now. A revoked session is not changed.
pub fn record_drawn(tx: &WriteTx<'_>, id: &CastId, updated: Timestamp) -> Result<()> {
    store::update_drawn(tx, id, updated)
}

/// Deletes explicitly revoked sessions, sessions that were inactive for the idle timeout, and
/// expired codes. Sessions that ended for another reason stay.
pub fn purge_expired(tx: &WriteTx<'_>) -> Result<()> {
    store::delete_revoked_and_expired(tx)
}
