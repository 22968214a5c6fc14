//! Tables `account`, `user`, `api_token`, `session`, `setup_link`.

use rusqlite::Row;
use rusqlite::named_params;

use super::User;
use chartroom_platform::crypto::Hash;
use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;
use chartroom_platform::id::TokenId;
use chartroom_platform::time::Timestamp;

/// All that is known of a user.
#[derive(Debug, Clone)]
pub struct Profile {
    /// The account id.
    pub id: AccountId,
    /// The e-mail address.
    pub email: String,
    /// The slug under which the account can be named.
    pub username: String,
    /// The full name.
    pub name: String,
    /// Argon2id, PHC form; none while no password is set.
    pub password_hash: Option<String>,
    /// Whether the user runs the server.
    pub operator: bool,
    /// Refused everywhere, though nothing of his is gone.
    pub disabled: bool,
    /// JSON layout preset of new documents.
    pub default_layout: Option<String>,
    /// When the account was made.
    pub created: Timestamp,
    /// When anything here last changed.
    pub updated: Timestamp,
}

impl Profile {
    /// The user as a caller.
    pub fn user(&self) -> User {
        User {
            id: self.id.clone(),
            name: self.name.clone(),
            email: self.email.clone(),
            username: self.username.clone(),
            operator: self.operator,
        }
    }
}

/// An API token as its owner sees it later: without the secret.
#[derive(Debug, Clone)]
pub struct Token {
    /// The token's id, which is not the token.
    pub id: TokenId,
    /// What its owner called it.
    pub name: String,
    /// Its first characters.
    pub hint: String,
    /// When it was made.
    pub created: Timestamp,
    /// From when on it is refused, if ever.
    pub expires: Option<Timestamp>,
}

/// Who a token or a cookie belongs to, and whether it still counts.
#[derive(Clone)]
pub struct Bearer {
    /// The user.
    pub user: User,
    /// Whether the user is refused everywhere.
    pub disabled: bool,
    /// From when on the credential is refused, if ever.
    pub expires: Option<Timestamp>,
}

const PROFILE: &str = "select id, email, username, name, password_hash, operator, disabled,
        default_layout, created, updated
 from user";

fn profile(row: &Row<'_>) -> rusqlite::Result<Profile> {
    Ok(Profile {
        id: row.get("id")?,
        email: row.get("email")?,
        username: row.get("username")?,
        name: row.get("name")?,
        password_hash: row.get("password_hash")?,
        operator: row.get("operator")?,
        disabled: row.get("disabled")?,
        default_layout: row.get("default_layout")?,
        created: row.get("created")?,
        updated: row.get("updated")?,
    })
}

/// By number, not by name: nearly every request runs this.
fn bearer(row: &Row<'_>) -> rusqlite::Result<Bearer> {
    Ok(Bearer {
        user: User {
            id: row.get(0)?,
            name: row.get(1)?,
            email: row.get(2)?,
            username: row.get(3)?,
            operator: row.get(4)?,
        },
        disabled: row.get(5)?,
        expires: row.get(6)?,
    })
}

/// Whether there is an account (a user's or an organization's) of this id.
pub fn is_account(tx: &Tx<'_>, id: &str) -> Result<bool> {
    Ok(tx
        .find("select 1 from account where id = :id", named_params! { ":id": id }, |_| Ok(()))?
        .is_some())
}

/// The user of this id.
pub fn find(tx: &Tx<'_>, id: &str) -> Result<Option<Profile>> {
    tx.find(&format!("{PROFILE} where id = :id"), named_params! { ":id": id }, profile)
}

/// The user of this username.
pub fn find_by_username(tx: &Tx<'_>, username: &str) -> Result<Option<Profile>> {
    let params = named_params! { ":username": username };
    tx.find(&format!("{PROFILE} where username = :username"), params, profile)
}

/// The user of this address, in its compared form.
pub fn find_by_email(tx: &Tx<'_>, key: &str) -> Result<Option<Profile>> {
    tx.find(&format!("{PROFILE} where email_key = :key"), named_params! { ":key": key }, profile)
}

/// All users, oldest first.
pub fn all(tx: &Tx<'_>) -> Result<Vec<Profile>> {
    tx.all(&format!("{PROFILE} order by created, id"), [], profile)
}

/// Whether there is any user.
pub fn any(tx: &Tx<'_>) -> Result<bool> {
    tx.one("select exists (select 1 from user) as found", [], |row| row.get("found"))
}

/// Makes an account of a type (`user`, `org`).
pub fn insert_account(tx: &WriteTx<'_>, id: &AccountId, of_type: &str) -> Result<()> {
    tx.execute(
        "insert into account (id, type, created) values (:id, :type, :created)",
        named_params! { ":id": id, ":type": of_type, ":created": tx.now },
    )?;
    Ok(())
}

/// Adds a user; his account must exist.
pub fn insert(tx: &WriteTx<'_>, user: &Profile, email_key: &str) -> Result<()> {
    tx.execute(
        "insert into user (id, email, email_key, username, name, password_hash, operator, disabled,
                           default_layout, created, updated)
         values (:id, :email, :email_key, :username, :name, :password_hash, :operator, :disabled,
                 :default_layout, :created, :updated)",
        named_params! {
            ":id": user.id,
            ":email": user.email,
            ":email_key": email_key,
            ":username": user.username,
            ":name": user.name,
            ":password_hash": user.password_hash,
            ":operator": user.operator,
            ":disabled": user.disabled,
            ":default_layout": user.default_layout,
            ":created": user.created,
            ":updated": user.updated,
        },
    )?;
    Ok(())
}

/// Stores a changed user, but for his password.
pub fn update(tx: &WriteTx<'_>, user: &Profile, email_key: &str) -> Result<()> {
    tx.execute(
        "update user
         set email = :email, email_key = :email_key, username = :username, name = :name,
             operator = :operator, disabled = :disabled, default_layout = :default_layout,
             updated = :updated
         where id = :id",
        named_params! {
            ":id": user.id,
            ":email": user.email,
            ":email_key": email_key,
            ":username": user.username,
            ":name": user.name,
            ":operator": user.operator,
            ":disabled": user.disabled,
            ":default_layout": user.default_layout,
            ":updated": tx.now,
        },
    )?;
    Ok(())
}

/// Replaces a password's hash.
pub fn update_password(tx: &WriteTx<'_>, id: &AccountId, hash: &str) -> Result<()> {
    tx.execute(
        "update user set password_hash = :hash, updated = :now where id = :id",
        named_params! { ":id": id, ":hash": hash, ":now": tx.now },
    )?;
    Ok(())
}

/// Removes a user with his tokens and sessions; false when rows of other parts still name him.
pub fn delete(tx: &WriteTx<'_>, id: &AccountId) -> Result<bool> {
    let params = named_params! { ":id": id };
    let removed = tx
        .execute("delete from user where id = :id", params)
        .and_then(|_| tx.execute("delete from account where id = :id", params));
    match removed {
        Ok(_) => Ok(true),
        Err(Error::Internal(cause)) if is_foreign_key(&*cause) => Ok(false),
        Err(error) => Err(error),
    }
}

fn is_foreign_key(error: &(dyn std::error::Error + 'static)) -> bool {
    let failure = error.downcast_ref::<rusqlite::Error>().and_then(|it| it.sqlite_error());
    failure.is_some_and(|it| it.extended_code == rusqlite::ffi::SQLITE_CONSTRAINT_FOREIGNKEY)
}

/// Whose API token this is. Both rows are found by their primary keys; nothing is written.
pub fn find_token(tx: &Tx<'_>, hash: &Hash) -> Result<Option<Bearer>> {
    tx.find(
        "select user.id, user.name, user.email, user.username, user.operator, user.disabled,
                api_token.expires
         from api_token
         join user on user.id = api_token.user_id
         where api_token.hash = :hash",
        named_params! { ":hash": hash },
        bearer,
    )
}

/// A user's API tokens, newest first.
pub fn tokens(tx: &Tx<'_>, user: &AccountId) -> Result<Vec<Token>> {
    tx.all(
        "select id, name, hint, created, expires
         from api_token
         where user_id = :user
         order by created desc, id desc",
        named_params! { ":user": user },
        |row| {
            Ok(Token {
                id: row.get("id")?,
                name: row.get("name")?,
                hint: row.get("hint")?,
                created: row.get("created")?,
                expires: row.get("expires")?,
            })
        },
    )
}

/// Adds an API token.
pub fn insert_token(tx: &WriteTx<'_>, user: &AccountId, token: &Token, hash: &Hash) -> Result<()> {
    tx.execute(
        "insert into api_token (hash, id, user_id, name, hint, created, expires)
         values (:hash, :id, :user, :name, :hint, :created, :expires)",
        named_params! {
            ":hash": hash,
            ":id": token.id,
            ":user": user,
            ":name": token.name,
            ":hint": token.hint,
            ":created": token.created,
            ":expires": token.expires,
        },
    )?;
    Ok(())
}

/// Removes one of a user's API tokens; false when he has no such token.
pub fn delete_token(tx: &WriteTx<'_>, user: &AccountId, id: &TokenId) -> Result<bool> {
    let removed = tx.execute(
        "delete from api_token where id = :id and user_id = :user",
        named_params! { ":id": id, ":user": user },
    )?;
    Ok(removed > 0)
}

/// Whose session this is.
pub fn find_session(tx: &Tx<'_>, hash: &Hash) -> Result<Option<Bearer>> {
    tx.find(
        "select user.id, user.name, user.email, user.username, user.operator, user.disabled,
                session.expires
         from session
         join user on user.id = session.user_id
         where session.hash = :hash",
        named_params! { ":hash": hash },
        bearer,
    )
}

/// Adds a session.
pub fn insert_session(
    tx: &WriteTx<'_>,
    user: &AccountId,
    hash: &Hash,
    expires: Timestamp,
    user_agent: &str,
) -> Result<()> {
    tx.execute(
        "insert into session (hash, user_id, created, expires, user_agent)
         values (:hash, :user, :created, :expires, :user_agent)",
        named_params! {
            ":hash": hash,
            ":user": user,
            ":created": tx.now,
            ":expires": expires,
            ":user_agent": user_agent,
        },
    )?;
    Ok(())
}

/// Lets a session last longer.
pub fn extend_session(tx: &WriteTx<'_>, hash: &Hash, expires: Timestamp) -> Result<()> {
    tx.execute(
        "update session set expires = :expires where hash = :hash",
        named_params! { ":hash": hash, ":expires": expires },
    )?;
    Ok(())
}

/// Ends a session.
pub fn delete_session(tx: &WriteTx<'_>, hash: &Hash) -> Result<()> {
    tx.execute("delete from session where hash = :hash", named_params! { ":hash": hash })?;
    Ok(())
}

/// Ends all sessions of a user but one.
pub fn delete_sessions(tx: &WriteTx<'_>, user: &AccountId, but: Option<&Hash>) -> Result<()> {
    tx.execute(
        "delete from session where user_id = :user and hash is not :but",
        named_params! { ":user": user, ":but": but },
    )?;
    Ok(())
}

/// Removes the sessions that have expired.
pub fn delete_expired_sessions(tx: &WriteTx<'_>) -> Result<()> {
    tx.execute("delete from session where expires <= :now", named_params! { ":now": tx.now })?;
    Ok(())
}

/// When a setup link expires.
pub fn find_setup_link(tx: &Tx<'_>, hash: &Hash) -> Result<Option<Timestamp>> {
    tx.find(
        "select expires from setup_link where hash = :hash",
        named_params! { ":hash": hash },
        |row| row.get("expires"),
    )
}

/// Adds a setup link.
pub fn insert_setup_link(tx: &WriteTx<'_>, hash: &Hash, expires: Timestamp) -> Result<()> {
    tx.execute(
        "insert into setup_link (hash, created, expires) values (:hash, :created, :expires)",
        named_params! { ":hash": hash, ":created": tx.now, ":expires": expires },
    )?;
    Ok(())
}

/// Removes all setup links.
pub fn delete_setup_links(tx: &WriteTx<'_>) -> Result<()> {
    tx.execute("delete from setup_link", [])?;
    Ok(())
}
