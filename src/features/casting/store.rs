//! SQL of tables `cast_session` and `cast_pairing`.

use rusqlite::Row;
use rusqlite::named_params;

use super::rules::IDLE;
use super::rules::Session;
use chartroom_platform::crypto::Hash;
use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Result;
use chartroom_platform::id::CastId;
use chartroom_platform::id::NodeId;
use chartroom_platform::time::Timestamp;

/// The columns of [`Session`] (reads `node` and `user`).
macro_rules! sessions {
    ($rest:literal) => {
        concat!(
            "select cast_session.id, document, token_hash, device_name, created_by,
                    cast_session.created, last_activity, revoked is not null as is_revoked, drawn,
                    node.owner, node.revision, node.updated,
                    node.deleted is not null as is_trashed, user.disabled
             from cast_session
             join node on node.id = cast_session.document
             join user on user.id = cast_session.created_by ",
            $rest
        )
    };
}

fn session(row: &Row<'_>) -> rusqlite::Result<Session> {
    Ok(Session {
        id: row.get("id")?,
        document: row.get("document")?,
        token_hash: row.get("token_hash")?,
        device_name: row.get("device_name")?,
        maker: row.get("created_by")?,
        created: row.get("created")?,
        last_activity: row.get("last_activity")?,
        is_revoked: row.get("is_revoked")?,
        drawn: row.get("drawn")?,
        owner: row.get("owner")?,
        revision: row.get("revision")?,
        updated: row.get("updated")?,
        is_trashed: row.get("is_trashed")?,
        is_maker_disabled: row.get("disabled")?,
    })
}

/// The session of a token, over or not.
pub fn by_token(tx: &Tx<'_>, hash: &Hash) -> Result<Option<Session>> {
    tx.find(sessions!("where token_hash = :hash"), named_params! { ":hash": hash }, session)
}

/// A session, over or not.
pub fn find(tx: &Tx<'_>, id: &CastId) -> Result<Option<Session>> {
    tx.find(sessions!("where cast_session.id = :id"), named_params! { ":id": id }, session)
}

/// The sessions with these ids, over or not.
pub fn all(tx: &Tx<'_>, ids: &[&str]) -> Result<Vec<Session>> {
    tx.all(
        sessions!("where cast_session.id in (select value from json_each(:ids))"),
        named_params! { ":ids": serde_json::to_string(ids)? },
        session,
    )
}

/// The sessions of a document, over or not, in the order in which they were made.
pub fn of_document(tx: &Tx<'_>, document: &NodeId) -> Result<Vec<Session>> {
    tx.all(
        sessions!("where document = :document order by cast_session.created, cast_session.id"),
        named_params! { ":document": document },
        session,
    )
}

/// A new session.
pub fn insert(
    tx: &WriteTx<'_>,
    (id, hash): (&CastId, &Hash),
    document: &NodeId,
    device_name: &str,
    by: &str,
) -> Result<()> {
    tx.execute(
        "insert into cast_session
             (id, document, token_hash, device_name, created_by, created, last_activity)
         values (:id, :document, :hash, :device_name, :by, :now, :now)",
        named_params! {
            ":id": id,
            ":document": document,
            ":hash": hash,
            ":device_name": device_name,
            ":by": by,
            ":now": tx.now,
        },
    )?;
    Ok(())
}

/// Notes that the screens of these sessions were heard of just now; not of those that are over.
pub fn touch(tx: &WriteTx<'_>, ids: &[CastId]) -> Result<()> {
    tx.execute(
        "update cast_session set last_activity = :now
         where id in (select value from json_each(:ids))
           and revoked is null and last_activity > :since",
        named_params! {
            ":ids": serde_json::to_string(ids)?,
            ":now": tx.now,
            ":since": tx.now.before(IDLE),
        },
    )?;
    Ok(())
}

/// Notes which state of the document a screen shows.
pub fn note_drawn(tx: &WriteTx<'_>, id: &CastId, updated: Timestamp) -> Result<()> {
    tx.execute(
        "update cast_session set drawn = :updated, last_activity = :now
         where id = :id and revoked is null",
        named_params! { ":id": id, ":updated": updated, ":now": tx.now },
    )?;
    Ok(())
}

/// Ends a session.
pub fn revoke(tx: &WriteTx<'_>, id: &CastId) -> Result<()> {
    tx.execute(
        "update cast_session set revoked = :now where id = :id and revoked is null",
        named_params! { ":id": id, ":now": tx.now },
    )?;
    Ok(())
}

/// When a session was ended last; none while none was.
pub fn last_revoked(tx: &Tx<'_>) -> Result<Option<Timestamp>> {
    tx.one("select max(revoked) from cast_session", [], |row| row.get(0))
}

/// Removes sessions and codes that are over.
pub fn purge(tx: &WriteTx<'_>) -> Result<()> {
    tx.execute(
        "delete from cast_session where revoked is not null or last_activity <= :before",
        named_params! { ":before": tx.now.before(IDLE) },
    )?;
    purge_codes(tx)
}

/// A screen that waits, or whose code was entered.
#[derive(Debug, Clone)]
pub struct Pairing {
    pub expires: Timestamp,
    /// Whose code was entered.
    pub session: Option<CastId>,
}

fn pairing(row: &Row<'_>) -> rusqlite::Result<Pairing> {
    Ok(Pairing { expires: row.get("expires")?, session: row.get("session")? })
}

/// The screen that shows a code; none when that has expired.
pub fn by_code(tx: &Tx<'_>, hash: &Hash) -> Result<Option<Pairing>> {
    tx.find(
        "select expires, session from cast_pairing
         where code_hash = :hash and expires > :now",
        named_params! { ":hash": hash, ":now": tx.now },
        pairing,
    )
}

/// The screen that asks with a token; none when its code has expired.
pub fn by_poll(tx: &Tx<'_>, hash: &Hash) -> Result<Option<Pairing>> {
    tx.find(
        "select expires, session from cast_pairing
         where poll_hash = :hash and expires > :now",
        named_params! { ":hash": hash, ":now": tx.now },
        pairing,
    )
}

/// How many codes there are that have not expired.
pub fn code_count(tx: &Tx<'_>) -> Result<i64> {
    tx.one(
        "select count(*) from cast_pairing where expires > :now",
        named_params! { ":now": tx.now },
        |row| row.get(0),
    )
}

/// A screen that waits from now on.
pub fn insert_pairing(
    tx: &WriteTx<'_>,
    code: &Hash,
    poll: &Hash,
    expires: Timestamp,
) -> Result<()> {
    tx.execute(
        "insert into cast_pairing (code_hash, poll_hash, created, expires)
         values (:code, :poll, :now, :expires)",
        named_params! { ":code": code, ":poll": poll, ":now": tx.now, ":expires": expires },
    )?;
    Ok(())
}

/// Notes the session of a screen whose code was entered.
pub fn pair(tx: &WriteTx<'_>, code: &Hash, session: &CastId) -> Result<()> {
    tx.execute(
        "update cast_pairing set session = :session where code_hash = :code and session is null",
        named_params! { ":code": code, ":session": session },
    )?;
    Ok(())
}

/// Removes codes that have expired.
pub fn purge_codes(tx: &WriteTx<'_>) -> Result<()> {
    tx.execute("delete from cast_pairing where expires <= :now", named_params! { ":now": tx.now })?;
    Ok(())
}
