//! SQL of the tables `cloud_connection` and `cloud_state`.

use chartroom_cloud::Provider;
use rusqlite::Row;
use rusqlite::named_params;
use rusqlite::types::FromSqlError;

use super::connection::Connection;
use chartroom_platform::crypto::Sha256Hash;
use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;
use chartroom_platform::id::ConnectionId;
use chartroom_platform::time::Timestamp;

/// The columns that `connection_from_row` reads.
const SELECT_CONNECTION: &str =
    "select id, user_id, provider, account_key, email, title, scopes, tokens, access_expires, needs_reauth
 from cloud_connection";

/// A request for access that waits for the user at the provider.
#[derive(Debug, Clone)]
pub struct PendingState {
    /// SHA-256 of the parameter `state`.
    pub hash: Sha256Hash,
    pub user: AccountId,
    /// SHA-256 of the cookie of the browser session that began the request.
    pub session: Sha256Hash,
    pub provider: Provider,
    /// Path to show afterwards.
    pub target: String,
    pub expires: Timestamp,
}

/// Tokens as they are stored.
#[derive(Debug, Clone)]
pub struct StoredTokens {
    /// Access token and refresh token, encrypted.
    pub sealed: Vec<u8>,
    /// Scopes that the user has granted. None keeps those before.
    pub scopes: Option<String>,
    pub access_expires: Timestamp,
}

/// Reads a row of `SELECT_CONNECTION`.
fn connection_from_row(row: &Row<'_>) -> rusqlite::Result<Connection> {
    let name: String = row.get("provider")?;
    Ok(Connection {
        id: row.get("id")?,
        user: row.get("user_id")?,
        provider: Provider::from_name(&name).ok_or(FromSqlError::InvalidType)?,
        account_key: row.get("account_key")?,
        email: row.get("email")?,
        title: row.get("title")?,
        scopes: row.get("scopes")?,
        tokens: row.get("tokens")?,
        access_expires: row.get("access_expires")?,
        needs_reauth: row.get("needs_reauth")?,
    })
}

/// Returns the connections of a user, by provider and time of creation.
pub fn list_connections(tx: &Tx<'_>, user: &AccountId) -> Result<Vec<Connection>> {
    tx.all(
        &format!("{SELECT_CONNECTION} where user_id = :user order by provider, created, id"),
        named_params! { ":user": user },
        connection_from_row,
    )
}

/// Returns a connection of a user. None if there is none with this id.
pub fn find_connection(
    tx: &Tx<'_>,
    user: &AccountId,
    id: &ConnectionId,
) -> Result<Option<Connection>> {
    tx.find(
        &format!("{SELECT_CONNECTION} where id = :id and user_id = :user"),
        named_params! { ":id": id, ":user": user },
        connection_from_row,
    )
}

/// Returns the connection of a user to an account at a provider. None if there is none.
pub fn find_by_account(
    tx: &Tx<'_>,
    user: &AccountId,
    provider: Provider,
    account_key: &str,
) -> Result<Option<Connection>> {
    tx.find(
        &format!(
            "{SELECT_CONNECTION}
             where user_id = :user and provider = :provider and account_key = :key"
        ),
        named_params! { ":user": user, ":provider": provider.as_str(), ":key": account_key },
        connection_from_row,
    )
}

/// Returns connections with tokens that were issued before `before`, the oldest first.
pub fn list_unused(tx: &Tx<'_>, before: Timestamp, limit: u32) -> Result<Vec<Connection>> {
    tx.all(
        &format!(
            "{SELECT_CONNECTION} where needs_reauth = 0 and refreshed < :before
             order by refreshed limit :limit"
        ),
        named_params! { ":before": before, ":limit": limit },
        connection_from_row,
    )
}

/// Returns the newest connection to a provider with an access token that is valid after `now`. None if there
/// is none.
pub fn find_newest(tx: &Tx<'_>, provider: Provider, now: Timestamp) -> Result<Option<Connection>> {
    tx.find(
        &format!(
            "{SELECT_CONNECTION}
             where provider = :provider and needs_reauth = 0 and access_expires > :now
             order by refreshed desc limit 1"
        ),
        named_params! { ":provider": provider.as_str(), ":now": now },
        connection_from_row,
    )
}

/// Inserts a connection with its tokens.
pub fn insert_connection(tx: &WriteTx<'_>, connection: &Connection) -> Result<()> {
    tx.execute(
        "insert into cloud_connection (id, user_id, provider, account_key, email, title, scopes,
                 tokens, access_expires, refreshed, created)
         values (:id, :user, :provider, :key, :email, :title, :scopes, :tokens, :expires, :now, :now)",
        named_params! {
            ":id": connection.id,
            ":user": connection.user,
            ":provider": connection.provider.as_str(),
            ":key": connection.account_key,
            ":email": connection.email,
            ":title": connection.title,
            ":scopes": connection.scopes,
            ":tokens": connection.tokens,
            ":expires": connection.access_expires,
            ":now": tx.now,
        },
    )?;
    Ok(())
}

/// Replaces the tokens of a connection, which then works again. Returns false if it does not exist.
pub fn put_tokens(tx: &WriteTx<'_>, id: &ConnectionId, tokens: &StoredTokens) -> Result<bool> {
    let updated = tx.execute(
        "update cloud_connection
         set tokens = :tokens, scopes = coalesce(:scopes, scopes), access_expires = :expires,
             refreshed = :now, needs_reauth = 0
         where id = :id",
        named_params! {
            ":id": id,
            ":tokens": tokens.sealed,
            ":scopes": tokens.scopes,
            ":expires": tokens.access_expires,
            ":now": tx.now,
        },
    )?;
    Ok(updated > 0)
}

/// Replaces the tokens of a connection after a refresh. Returns false, and keeps the stored tokens, if they are
/// not the ones that were refreshed, or the user must permit the access again.
pub fn replace_tokens(
    tx: &WriteTx<'_>,
    id: &ConnectionId,
    refreshed: &[u8],
    tokens: &StoredTokens,
) -> Result<bool> {
    let is_current = tx.one(
        "select exists (select 1 from cloud_connection
                        where id = :id and tokens = :tokens and needs_reauth = 0)",
        named_params! { ":id": id, ":tokens": refreshed },
        |row| row.get(0),
    )?;
    match is_current {
        true => put_tokens(tx, id, tokens),
        false => Ok(false),
    }
}

/// Sets the email address of a connection.
pub fn set_email(tx: &WriteTx<'_>, id: &ConnectionId, email: &str) -> Result<()> {
    let sql = "update cloud_connection set email = :email where id = :id";
    tx.execute(sql, named_params! { ":id": id, ":email": email })?;
    Ok(())
}

/// Sets the title of a connection.
pub fn set_title(tx: &WriteTx<'_>, id: &ConnectionId, title: &str) -> Result<()> {
    let sql = "update cloud_connection set title = :title where id = :id";
    tx.execute(sql, named_params! { ":id": id, ":title": title })?;
    Ok(())
}

/// Notes that the user must permit the access again, unless the tokens were replaced meanwhile.
pub fn set_needs_reauth(tx: &WriteTx<'_>, id: &ConnectionId, tokens: &[u8]) -> Result<()> {
    let sql = "update cloud_connection set needs_reauth = 1 where id = :id and tokens = :tokens";
    tx.execute(sql, named_params! { ":id": id, ":tokens": tokens })?;
    Ok(())
}

/// Deletes a connection.
pub fn delete_connection(tx: &WriteTx<'_>, id: &ConnectionId) -> Result<()> {
    let sql = "delete from cloud_connection where id = :id";
    tx.execute(sql, named_params! { ":id": id })?;
    Ok(())
}

/// Inserts a request for access.
pub fn insert_state(tx: &WriteTx<'_>, state: &PendingState) -> Result<()> {
    tx.execute(
        "insert into cloud_state (hash, user_id, session, provider, target, expires)
         values (:hash, :user, :session, :provider, :target, :expires)",
        named_params! {
            ":hash": state.hash,
            ":user": state.user,
            ":session": state.session,
            ":provider": state.provider.as_str(),
            ":target": state.target,
            ":expires": state.expires,
        },
    )?;
    Ok(())
}

/// Uses up a request for access. Returns its target if it belongs to this user, session and provider and
/// has not expired.
pub fn take_state(tx: &WriteTx<'_>, wanted: &PendingState) -> Result<Option<String>> {
    let target = tx.find(
        "select target from cloud_state
         where hash = :hash and user_id = :user and session = :session and provider = :provider
           and expires > :now",
        named_params! {
            ":hash": wanted.hash,
            ":user": wanted.user,
            ":session": wanted.session,
            ":provider": wanted.provider.as_str(),
            ":now": tx.now,
        },
        |row| row.get(0),
    )?;
    if target.is_some() {
        let sql = "delete from cloud_state where hash = :hash";
        tx.execute(sql, named_params! { ":hash": wanted.hash })?;
    }
    Ok(target)
}

/// Deletes the oldest requests of a user, so that at most `kept` remain.
pub fn limit_states(tx: &WriteTx<'_>, user: &AccountId, kept: u32) -> Result<()> {
    tx.execute(
        "delete from cloud_state where hash in (
             select hash from cloud_state where user_id = :user
             order by expires desc, hash limit -1 offset :kept)",
        named_params! { ":user": user, ":kept": kept },
    )?;
    Ok(())
}

/// Deletes expired requests for access.
pub fn delete_expired_states(tx: &WriteTx<'_>) -> Result<()> {
    let sql = "delete from cloud_state where expires <= :now";
    tx.execute(sql, named_params! { ":now": tx.now })?;
    Ok(())
}
