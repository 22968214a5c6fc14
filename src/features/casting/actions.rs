//! What may be asked of sessions: by the document's owner, and by a screen with its token.

use super::pairing;
use super::rules;
use super::rules::Session;
use super::store;
use crate::app::App;
use crate::features::access;
use crate::features::access::Caller;
use crate::features::access::Level;
use crate::features::access::Resource;
use crate::features::accounts::User;
use crate::features::documents::lent;
use chartroom_platform::crypto;
use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Error;
use chartroom_platform::error::Found;
use chartroom_platform::error::Result;
use chartroom_platform::id::CastId;
use chartroom_platform::id::NodeId;
use chartroom_platform::time::Timestamp;

/// What somebody wants to see on a screen.
#[derive(Debug, Clone)]
pub struct Wish {
    pub document: NodeId,
    /// What he calls the screen.
    pub device_name: String,
    /// The code that the screen shows, as he typed it.
    pub code: Option<String>,
}

/// A session that was just made.
pub struct Made {
    pub id: CastId,
    pub token: String,
    pub expires: Timestamp,
}

/// Begins a session; with a code, the screen that shows it goes on to it.
///
/// # Errors
/// As [`check_owner`]; `Conflict` when the document is in the trash; `Fields` about `device_name`,
/// and about `code` when no screen shows it.
pub fn create(tx: &WriteTx<'_>, app: &App, caller: &User, wish: &Wish) -> Result<Made> {
    check_owner(tx, caller, &wish.document)?;
    let head = lent::find(tx, &wish.document)?.found("document")?;
    head.check_present()?;
    let name = rules::device_name(&wish.device_name)?;
    let code = match &wish.code {
        Some(code) => Some(pairing::waiting(tx, app, code)?),
        None => None,
    };
    let id = CastId::new();
    let token = rules::token(&app.key, &id);
    let hash = crypto::sha256(token.as_bytes());
    store::insert(tx, (&id, &hash), &wish.document, &name, caller.id.as_str())?;
    if let Some(code) = code {
        store::pair(tx, &code, &id)?;
    }
    Ok(Made { id, token, expires: tx.now.after(rules::IDLE) })
}

/// The sessions of a document that are not over.
///
/// # Errors
/// As [`check_owner`].
pub fn list(tx: &Tx<'_>, caller: &User, document: &NodeId) -> Result<Vec<Session>> {
    check_owner(tx, caller, document)?;
    let mut sessions = Vec::new();
    for session in store::of_document(tx, document)? {
        if end(tx, &session)?.is_none() {
            sessions.push(session);
        }
    }
    Ok(sessions)
}

/// Ends a session.
///
/// # Errors
/// `NotFound` when there is none, it is over, or its document is not the caller's.
pub fn revoke(tx: &WriteTx<'_>, caller: &User, id: &CastId) -> Result<()> {
    let session = store::find(tx, id)?.found(SESSION)?;
    match check_owner(tx, caller, &session.document) {
        Err(Error::NotFound(_) | Error::Forbidden(_)) => return Err(Error::NotFound(SESSION)),
        other => other?,
    }
    if session.end(tx.now).is_some() {
        return Err(Error::NotFound(SESSION));
    }
    store::revoke(tx, id)
}

/// What errors call a session.
const SESSION: &str = "cast session";

/// Whether a document is the caller's own, or his organization's and not closed to him by a team: what
/// a screen shows is shown to whoever passes by, so a reader or a guest writer does not decide it.
///
/// # Errors
/// `NotFound` when he may not even read it, `Forbidden` when it is another's.
fn check_owner(tx: &Tx<'_>, caller: &User, document: &NodeId) -> Result<()> {
    let head = lent::find(tx, document)?.found("document")?;
    let resource = Resource {
        node: Some(document),
        owner: &head.owner,
        is_public: head.is_public,
        in_trash: head.deleted.is_some(),
    };
    let caller = Caller::from(caller);
    match access::level(tx, &caller, &resource)? {
        Level::None => Err(Error::NotFound("document")),
        _ => access::require_own(tx, &caller, &head.owner, document),
    }
}

/// The session of a token.
///
/// # Errors
/// `SignIn` when there is none, or it is over.
pub fn open(tx: &Tx<'_>, token: &str) -> Result<Session> {
    const OVER: Error = Error::SignIn("this cast session is over, or never was");
    let found = store::by_token(tx, &crypto::sha256(token.as_bytes()))?.ok_or(OVER)?;
    match end(tx, &found)? {
        None => Ok(found),
        Some(_) => Err(OVER),
    }
}

/// Why a session is over, if it is: also when its maker may not decide about the document any more.
pub fn end(tx: &Tx<'_>, session: &Session) -> Result<Option<rules::End>> {
    if let Some(end) = session.end(tx.now) {
        return Ok(Some(end));
    }
    let maker = Caller::from(&session.maker);
    match access::require_own(tx, &maker, &session.owner, &session.document) {
        Ok(()) => Ok(None),
        Err(Error::Forbidden(_)) => Ok(Some(rules::End::Revoked)),
        Err(other) => Err(other),
    }
}
