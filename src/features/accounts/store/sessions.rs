//! SQL of table `session`.

use rusqlite::named_params;
use rusqlite::types::FromSql;
use rusqlite::types::FromSqlError;
use rusqlite::types::FromSqlResult;
use rusqlite::types::ValueRef;
use schemars::JsonSchema;
use serde::Serialize;

use super::CredentialOwner;
use chartroom_platform::crypto::Sha256Hash;
use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;
use chartroom_platform::id::SessionId;
use chartroom_platform::time::Timestamp;

/// How a user began a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SessionMethod {
    /// With a password.
    Password,
    /// As the first operator, with the setup link.
    Setup,
    /// With the link of an invitation.
    Invite,
    /// With a link to set a password.
    PasswordLink,
    /// With single sign-on.
    Sso,
}

impl SessionMethod {
    /// All methods.
    const ALL: [Self; 5] =
        [Self::Password, Self::Setup, Self::Invite, Self::PasswordLink, Self::Sso];

    /// Returns the name in the database and in the API.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Password => "password",
            Self::Setup => "setup",
            Self::Invite => "invite",
            Self::PasswordLink => "password_link",
            Self::Sso => "sso",
        }
    }
}

impl SessionMethod {
    /// Returns whether the session depends on the password of the account, or on a mail that can replace
    /// the password, so that a second factor must protect it.
    pub fn uses_password(self) -> bool {
        self != Self::Sso
    }
}

impl FromSql for SessionMethod {
    /// Reads the name of a method. Fails for any other value.
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        let name = value.as_str()?;
        Self::ALL
            .into_iter()
            .find(|method| method.as_str() == name)
            .ok_or(FromSqlError::InvalidType)
    }
}

/// A row of table `session`.
#[derive(Debug, Clone)]
pub struct Session {
    /// SHA-256 of the cookie value.
    pub hash: Sha256Hash,
    /// Session id, which is not the value of the cookie.
    pub id: SessionId,
    /// Time of the sign-in.
    pub created: Timestamp,
    /// Time of the last request, precise to a few minutes.
    pub last_used: Timestamp,
    /// Time from which the session is invalid.
    pub expires: Timestamp,
    /// How the user signed in.
    pub method: SessionMethod,
    /// Address of the client that signed in. Empty if unknown.
    pub ip_address: String,
    /// `User-Agent` of the client that signed in.
    pub user_agent: String,
}

/// The user of a session, and the validity of both.
pub struct SessionOwner {
    /// User and expiry.
    pub owner: CredentialOwner,
    /// Time of the sign-in.
    pub created: Timestamp,
    /// How the user signed in.
    pub method: SessionMethod,
    /// Time at which the session ends at the latest because the session at the identity provider ends.
    pub latest_end: Option<Timestamp>,
    /// State of the cookie.
    pub cookie: CookieState,
}

/// The state of the cookie of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CookieState {
    /// The cookie is as new as the role of the user.
    Current,
    /// A role of the user has changed since the session has its cookie.
    Outdated,
    /// The session has another cookie, and this one ends soon.
    Replaced,
}

impl FromSql for CookieState {
    /// Reads the name of a state. Fails for any other value.
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        match value.as_str()? {
            "current" => Ok(Self::Current),
            "outdated" => Ok(Self::Outdated),
            "replaced" => Ok(Self::Replaced),
            _ => Err(FromSqlError::InvalidType),
        }
    }
}

/// A session to insert.
pub struct NewSessionRow {
    /// SHA-256 of the cookie value.
    pub hash: Sha256Hash,
    /// Time from which the session is invalid.
    pub expires: Timestamp,
    /// Time to which uses of the session can extend it, besides the usual limits.
    pub latest_end: Option<Timestamp>,
    /// How the user signed in.
    pub method: SessionMethod,
}

/// Returns the user of the session with this hash, even if the session has expired or the user is
/// disabled, which the caller must check.
pub fn find_session(tx: &Tx<'_>, hash: &Sha256Hash) -> Result<Option<SessionOwner>> {
    tx.find(
        "select user.id, user.name, user.email, user.username, user.operator, user.language,
                user.disabled, session.expires, session.created, session.method,
                session.latest_end, session.cookie
         from session
         join user on user.id = session.user_id
         where session.hash = :hash",
        named_params! { ":hash": hash },
        |row| {
            let owner = super::credential_owner_from_row(row)?;
            Ok(SessionOwner {
                owner,
                created: row.get(8)?,
                method: row.get(9)?,
                latest_end: row.get(10)?,
                cookie: row.get(11)?,
            })
        },
    )
}

/// Returns the sessions of a user that have not expired, newest first.
pub fn list_sessions(tx: &Tx<'_>, user: &AccountId) -> Result<Vec<Session>> {
    tx.all(
        "select hash, id, created, last_used, expires, method, ip_address, user_agent
         from session
         where user_id = :user and expires > :now and cookie <> 'replaced'
         order by created desc, id desc",
        named_params! { ":user": user, ":now": tx.now },
        |row| {
            Ok(Session {
                hash: row.get("hash")?,
                id: row.get("id")?,
                created: row.get("created")?,
                last_used: row.get("last_used")?,
                expires: row.get("expires")?,
                method: row.get("method")?,
                ip_address: row.get("ip_address")?,
                user_agent: row.get("user_agent")?,
            })
        },
    )
}

/// Returns the addresses of the clients that began the sessions of a user that have not expired.
pub fn list_addresses(tx: &Tx<'_>, user: &AccountId) -> Result<Vec<String>> {
    tx.all(
        "select distinct ip_address from session
         where user_id = :user and expires > :now
         order by ip_address",
        named_params! { ":user": user, ":now": tx.now },
        |row| row.get("ip_address"),
    )
}

/// Inserts a session of a user that begins now, with the address and the `User-Agent` of the
/// request.
pub fn insert_session(tx: &WriteTx<'_>, user: &AccountId, session: &NewSessionRow) -> Result<()> {
    tx.execute(
        "insert into session (hash, id, user_id, created, last_used, expires, method, ip_address,
                              user_agent, latest_end)
         values (:hash, :id, :user, :now, :now, :expires, :method, :ip_address, :user_agent,
                 :latest_end)",
        named_params! {
            ":hash": session.hash,
            ":id": SessionId::new(),
            ":user": user,
            ":now": tx.now,
            ":expires": session.expires,
            ":method": session.method.as_str(),
            ":latest_end": session.latest_end,
            ":ip_address": tx.origin.ip_address.map(|ip| ip.to_string()).unwrap_or_default(),
            ":user_agent": tx.origin.user_agent,
        },
    )?;
    Ok(())
}

/// Marks the cookies of all sessions of a user as outdated.
pub fn mark_outdated(tx: &WriteTx<'_>, user: &AccountId) -> Result<()> {
    tx.execute(
        "update session set cookie = 'outdated' where user_id = :user and cookie = 'current'",
        named_params! { ":user": user },
    )?;
    Ok(())
}

/// Gives a session with an outdated cookie another one. The old cookie gets a row of its own, which is not
/// listed and ends at `old_end` or with the expiry of the session. Returns false if another request has replaced the
/// cookie or the session does not exist.
pub fn replace_cookie(
    tx: &WriteTx<'_>,
    old: &Sha256Hash,
    new: &Sha256Hash,
    old_end: Timestamp,
) -> Result<bool> {
    let replaced = tx.execute(
        "update session set hash = :new, cookie = 'current'
         where hash = :old and cookie = 'outdated'",
        named_params! { ":old": old, ":new": new },
    )?;
    if replaced == 0 {
        return Ok(false);
    }
    tx.execute(
        "insert into session (hash, id, user_id, created, last_used, expires, method, ip_address,
                              user_agent, latest_end, cookie)
         select :old, :id, user_id, created, last_used, min(expires, :end), method, ip_address,
                user_agent, latest_end, 'replaced'
         from session
         where hash = :new",
        named_params! { ":old": old, ":new": new, ":id": SessionId::new(), ":end": old_end },
    )?;
    Ok(true)
}

/// Sets the expiry of a session. Does nothing if the session does not exist.
pub fn extend_session(tx: &WriteTx<'_>, hash: &Sha256Hash, expires: Timestamp) -> Result<()> {
    tx.execute(
        "update session set expires = :expires where hash = :hash",
        named_params! { ":hash": hash, ":expires": expires },
    )?;
    Ok(())
}

/// Sets the time of the last request of a session, unless a later one is stored. Does nothing if the
/// session does not exist.
pub fn put_session_use(tx: &WriteTx<'_>, hash: &Sha256Hash, time: Timestamp) -> Result<()> {
    tx.execute(
        "update session set last_used = max(last_used, :time) where hash = :hash",
        named_params! { ":hash": hash, ":time": time },
    )?;
    Ok(())
}

/// Deletes a session, and the replaced cookies of its user. Does nothing if it does not exist.
pub fn delete_session(tx: &WriteTx<'_>, hash: &Sha256Hash) -> Result<()> {
    let params = named_params! { ":hash": hash };
    tx.execute(
        "delete from session
         where cookie = 'replaced' and user_id = (select user_id from session where hash = :hash)",
        params,
    )?;
    tx.execute("delete from session where hash = :hash", params)?;
    Ok(())
}

/// Deletes the session of a user with this id, and the replaced cookies of the user. Returns false if the
/// user has no such session.
pub fn delete_session_by_id(tx: &WriteTx<'_>, user: &AccountId, id: &SessionId) -> Result<bool> {
    tx.execute(
        "delete from session where user_id = :user and cookie = 'replaced'",
        named_params! { ":user": user },
    )?;
    let deleted = tx.execute(
        "delete from session where user_id = :user and id = :id",
        named_params! { ":user": user, ":id": id },
    )?;
    Ok(deleted > 0)
}

/// Deletes the sessions of a user, except `kept` if it is given. Returns their number.
pub fn delete_sessions(
    tx: &WriteTx<'_>,
    user: &AccountId,
    kept: Option<&Sha256Hash>,
) -> Result<usize> {
    tx.execute(
        "delete from session where user_id = :user and hash is not :kept",
        named_params! { ":user": user, ":kept": kept },
    )
}

/// Deletes the sessions of the managed accounts of an organization that did not begin with single
/// sign-on, except `kept` if it is given and those of operators of the server (reads `managed_user`).
/// Returns their number.
pub fn delete_sessions_without_sso(
    tx: &WriteTx<'_>,
    org: &AccountId,
    kept: Option<&Sha256Hash>,
) -> Result<usize> {
    tx.execute(
        "delete from session
         where method <> 'sso' and hash is not :kept
             and user_id in (
                 select managed_user.user_id
                 from managed_user
                 join user on user.id = managed_user.user_id
                 where managed_user.org_id = :org and managed_user.removed is null
                     and user.operator = 0)",
        named_params! { ":org": org, ":kept": kept },
    )
}

/// Deletes the least recently used sessions of a user so that at most `max_count` remain. One of them
/// is `kept`.
pub fn delete_least_recent(
    tx: &WriteTx<'_>,
    user: &AccountId,
    kept: &Sha256Hash,
    max_count: u32,
) -> Result<()> {
    tx.execute(
        "delete from session
         where hash in (
             select hash
             from session
             where user_id = :user
             order by hash = :kept desc, last_used desc, id desc
             limit -1 offset :max_count)",
        named_params! { ":user": user, ":kept": kept, ":max_count": max_count },
    )?;
    Ok(())
}

/// Deletes the expired sessions of all users.
pub fn delete_expired_sessions(tx: &WriteTx<'_>) -> Result<()> {
    tx.execute("delete from session where expires <= :now", named_params! { ":now": tx.now })?;
    Ok(())
}
