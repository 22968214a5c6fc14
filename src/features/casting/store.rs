//! SQL of the tables `cast_session` and `cast_pairing`. Also reads `document`, `node` and `user`.

use rusqlite::Row;
use rusqlite::named_params;

use super::rules::CastSession;
use super::rules::IDLE_TIMEOUT;
use chartroom_platform::crypto::Sha256Hash;
use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;
use chartroom_platform::id::CastId;
use chartroom_platform::id::NodeId;
use chartroom_platform::time::Timestamp;

/// Builds a query with the columns of [`CastSession`].
macro_rules! select_sessions {
    ($rest:literal) => {
        concat!(
            "select cast_session.id, cast_session.document, token_hash, device_name, created_by,
                    cast_session.created, last_activity, revoked is not null as is_revoked, drawn,
                    node.owner, node.revision, node.updated,
                    node.deleted is not null as is_trashed, user.disabled,
                    iif(document.custom_theme is null, document.theme, '') as theme
             from cast_session
             join node on node.id = cast_session.document
             join document on document.id = cast_session.document
             join user on user.id = cast_session.created_by ",
            $rest
        )
    };
}

/// Reads a row of `select_sessions!`, by column names.
fn session_from_row(row: &Row<'_>) -> rusqlite::Result<CastSession> {
    Ok(CastSession {
        id: row.get("id")?,
        document: row.get("document")?,
        token_hash: row.get("token_hash")?,
        device_name: row.get("device_name")?,
        creator: row.get("created_by")?,
        created: row.get("created")?,
        last_activity: row.get("last_activity")?,
        is_revoked: row.get("is_revoked")?,
        drawn: row.get("drawn")?,
        owner: row.get("owner")?,
        revision: row.get("revision")?,
        updated: row.get("updated")?,
        is_trashed: row.get("is_trashed")?,
        is_creator_disabled: row.get("disabled")?,
        theme: row.get("theme")?,
    })
}

/// Finds a session by token hash. The session may have ended.
pub fn find_by_token(tx: &Tx<'_>, hash: &Sha256Hash) -> Result<Option<CastSession>> {
    tx.find(
        select_sessions!("where token_hash = :hash"),
        named_params! { ":hash": hash },
        session_from_row,
    )
}

/// Finds a session by id. The session may have ended.
pub fn find_session(tx: &Tx<'_>, id: &CastId) -> Result<Option<CastSession>> {
    tx.find(
        select_sessions!("where cast_session.id = :id"),
        named_params! { ":id": id },
        session_from_row,
    )
}

/// Lists the sessions with the given ids, including ended ones, in no particular order. Unknown ids
/// are ignored.
pub fn list_by_ids(tx: &Tx<'_>, ids: &[&str]) -> Result<Vec<CastSession>> {
    tx.all(
        select_sessions!("where cast_session.id in (select value from json_each(:ids))"),
        named_params! { ":ids": serde_json::to_string(ids)? },
        session_from_row,
    )
}

/// Lists the sessions of a document, including ended ones, oldest first.
pub fn list_by_document(tx: &Tx<'_>, document: &NodeId) -> Result<Vec<CastSession>> {
    tx.all(
        select_sessions!(
            "where cast_session.document = :document order by cast_session.created, cast_session.id"
        ),
        named_params! { ":document": document },
        session_from_row,
    )
}

/// The columns of a session that its creation determines.
pub struct NewSession<'a> {
    pub id: &'a CastId,
    /// SHA-256 of the token.
    pub token_hash: &'a Sha256Hash,
    pub document: &'a NodeId,
    pub device_name: &'a str,
    /// Account that creates the session.
    pub creator: &'a AccountId,
}

/// Inserts a session that is created and active now, and that no screen has shown yet.
pub fn insert_session(tx: &WriteTx<'_>, session: &NewSession<'_>) -> Result<()> {
    tx.execute(
        "insert into cast_session
             (id, document, token_hash, device_name, created_by, created, last_activity)
         values (:id, :document, :hash, :device_name, :by, :now, :now)",
        named_params! {
            ":id": session.id,
            ":document": session.document,
            ":hash": session.token_hash,
            ":device_name": session.device_name,
            ":by": session.creator,
            ":now": tx.now,
        },
    )?;
    Ok(())
}

/// Sets `last_activity` of sessions to now, except for revoked and expired ones.
pub fn update_last_activity(tx: &WriteTx<'_>, ids: &[CastId]) -> Result<()> {
    tx.execute(
        "update cast_session set last_activity = :now
         where id in (select value from json_each(:ids))
           and revoked is null and last_activity > :since",
        named_params! {
            ":ids": serde_json::to_string(ids)?,
            ":now": tx.now,
            ":since": tx.now.saturating_sub(IDLE_TIMEOUT),
        },
    )?;
    Ok(())
}

/// Stores that a screen shows the document as of its change time `updated`, and that the screen is
/// active now, unless the session is revoked. An expired session becomes active again.
pub fn update_drawn(tx: &WriteTx<'_>, id: &CastId, updated: Timestamp) -> Result<()> {
    tx.execute(
        "update cast_session set drawn = :updated, last_activity = :now
         where id = :id and revoked is null",
        named_params! { ":id": id, ":updated": updated, ":now": tx.now },
    )?;
    Ok(())
}

/// Marks a session as revoked now. The time of an earlier revocation stays. Does nothing if there
/// is no such session.
pub fn revoke_session(tx: &WriteTx<'_>, id: &CastId) -> Result<()> {
    tx.execute(
        "update cast_session set revoked = :now where id = :id and revoked is null",
        named_params! { ":id": id, ":now": tx.now },
    )?;
    Ok(())
}

/// Marks the active sessions of a creator as revoked now: all, or only those for documents of
/// `owner` (reads `node`). Returns their number.
pub fn revoke_sessions_of_user(
    tx: &WriteTx<'_>,
    user: &AccountId,
    owner: Option<&AccountId>,
) -> Result<usize> {
    tx.execute(
        "update cast_session set revoked = :now
         where created_by = :user and revoked is null and last_activity > :since
           and (:owner is null
                or document in (select id from node where owner = :owner))",
        named_params! {
            ":now": tx.now,
            ":user": user,
            ":since": tx.now.saturating_sub(IDLE_TIMEOUT),
            ":owner": owner,
        },
    )
}

/// Returns the time of the latest revocation of a stored session, or None if there is none.
pub fn latest_revocation(tx: &Tx<'_>) -> Result<Option<Timestamp>> {
    tx.one("select max(revoked) from cast_session", [], |row| row.get(0))
}

/// Deletes sessions that were revoked explicitly or inactive for too long, and expired codes.
pub fn delete_revoked_and_expired(tx: &WriteTx<'_>) -> Result<()> {
    tx.execute(
        "delete from cast_session where revoked is not null or last_activity <= :before",
        named_params! { ":before": tx.now.saturating_sub(IDLE_TIMEOUT) },
    )?;
    delete_expired_codes(tx)
}

/// The state of a pairing code.
#[derive(Debug, Clone)]
pub struct Pairing {
    pub expires: Timestamp,
    /// Session that the screen shows; None until a user has entered the code.
    pub session: Option<CastId>,
}

/// Reads a row of `cast_pairing`, by column names.
fn pairing_from_row(row: &Row<'_>) -> rusqlite::Result<Pairing> {
    Ok(Pairing { expires: row.get("expires")?, session: row.get("session")? })
}

/// Finds a code by its hash, unless it has expired. It may have a session already.
pub fn find_by_code(tx: &Tx<'_>, hash: &Sha256Hash) -> Result<Option<Pairing>> {
    tx.find(
        "select expires, session from cast_pairing
         where code_hash = :hash and expires > :now",
        named_params! { ":hash": hash, ":now": tx.now },
        pairing_from_row,
    )
}

/// Finds the code of a polling screen by the hash of its poll token, unless the code has expired.
pub fn find_by_poll_token(tx: &Tx<'_>, hash: &Sha256Hash) -> Result<Option<Pairing>> {
    tx.find(
        "select expires, session from cast_pairing
         where poll_hash = :hash and expires > :now",
        named_params! { ":hash": hash, ":now": tx.now },
        pairing_from_row,
    )
}

/// Inserts a code without a session. `code` and `poll` are the hashes of the code and of the token
/// with which the screen polls.
pub fn insert_pairing(
    tx: &WriteTx<'_>,
    code: &Sha256Hash,
    poll: &Sha256Hash,
    expires: Timestamp,
) -> Result<()> {
    tx.execute(
        "insert into cast_pairing (code_hash, poll_hash, created, expires)
         values (:code, :poll, :now, :expires)",
        named_params! { ":code": code, ":poll": poll, ":now": tx.now, ":expires": expires },
    )?;
    Ok(())
}

/// Assigns a session to the code with this hash, so that the polling screen gets it. Does nothing
/// if the code has a session already or does not exist.
pub fn assign_session(tx: &WriteTx<'_>, code: &Sha256Hash, session: &CastId) -> Result<()> {
    tx.execute(
        "update cast_pairing set session = :session where code_hash = :code and session is null",
        named_params! { ":code": code, ":session": session },
    )?;
    Ok(())
}

/// Deletes the code with this hash. Does nothing if there is none.
pub fn delete_code(tx: &WriteTx<'_>, hash: &Sha256Hash) -> Result<()> {
    tx.execute(
        "delete from cast_pairing where code_hash = :hash",
        named_params! { ":hash": hash },
    )?;
    Ok(())
}

/// Deletes the codes that have expired by now, with or without a session. Keeps the sessions.
pub fn delete_expired_codes(tx: &WriteTx<'_>) -> Result<()> {
    tx.execute("delete from cast_pairing where expires <= :now", named_params! { ":now": tx.now })?;
    Ok(())
}
