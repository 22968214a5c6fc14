//! SQL of tables `account`, `user`, `api_token`, `setup_link`, `password_link` and
//! `account_activity`.

pub mod notifications;
pub mod organizations;
pub mod password_links;
pub mod second_factors;
pub mod sessions;

use rusqlite::Row;
use rusqlite::named_params;

use super::User;
use super::token_scope::TokenScope;
use chartroom_platform::crypto::Sha256Hash;
use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;
use chartroom_platform::id::TokenId;
use chartroom_platform::language::Language;
use chartroom_platform::time::Timestamp;

/// A row of table `user`.
#[derive(Debug, Clone)]
pub struct Profile {
    /// Account id.
    pub id: AccountId,
    /// E-mail address.
    pub email: String,
    /// Unique slug that names the account in paths and at sign-in.
    pub username: String,
    /// Full name.
    pub name: String,
    /// Argon2id hash in PHC format. None while the user has no password.
    pub password_hash: Option<String>,
    /// Whether the user operates the server.
    pub operator: bool,
    /// Whether authentication is refused. All data of the user is kept.
    pub disabled: bool,
    /// JSON layout preset of new documents.
    pub default_layout: Option<String>,
    /// Language of the pages. None if the browser decides.
    pub language: Option<Language>,
    /// Time of creation.
    pub created: Timestamp,
    /// Time of the last change to this row.
    pub updated: Timestamp,
}

impl Profile {
    /// Returns the part of the profile that identifies the user as a caller.
    pub fn user(&self) -> User {
        User {
            id: self.id.clone(),
            name: self.name.clone(),
            email: self.email.clone(),
            username: self.username.clone(),
            operator: self.operator,
            language: self.language,
        }
    }
}

/// An API token without its secret.
#[derive(Debug, Clone)]
pub struct ApiToken {
    /// SHA-256 of the secret.
    pub hash: Sha256Hash,
    /// Token id, which is not the secret.
    pub id: TokenId,
    /// Name that the owner gave to the token.
    pub name: String,
    /// First characters of the secret.
    pub hint: String,
    /// Time of creation.
    pub created: Timestamp,
    /// Time from which the token is invalid. None if it does not expire.
    pub expires: Option<Timestamp>,
    /// Time of the last request, precise to a few minutes. None before the first one.
    pub last_used: Option<Timestamp>,
    /// The requests that the token permits.
    pub scope: TokenScope,
}

/// The user behind an API token, and the requests that it permits.
pub struct TokenOwner {
    /// User, and the validity of the token.
    pub owner: CredentialOwner,
    /// The requests that the token permits.
    pub scope: TokenScope,
}

/// The user behind an API token or a session, and the validity of both.
#[derive(Clone)]
pub struct CredentialOwner {
    /// User.
    pub user: User,
    /// Whether the user is disabled.
    pub disabled: bool,
    /// Time from which the credential is invalid. None if it does not expire.
    pub expires: Option<Timestamp>,
}

const SELECT_PROFILE: &str = "select id, email, username, name, password_hash, operator, disabled,
        default_layout, language, created, updated
 from user";

/// Reads a row of `SELECT_PROFILE` by the names of its columns.
fn profile_from_row(row: &Row<'_>) -> rusqlite::Result<Profile> {
    Ok(Profile {
        id: row.get("id")?,
        email: row.get("email")?,
        username: row.get("username")?,
        name: row.get("name")?,
        password_hash: row.get("password_hash")?,
        operator: row.get("operator")?,
        disabled: row.get("disabled")?,
        default_layout: row.get("default_layout")?,
        language: row.get("language")?,
        created: row.get("created")?,
        updated: row.get("updated")?,
    })
}

/// Reads the columns of the user, `disabled` and `expires`, in the order of the fields. Reads them
/// by number instead of by name, because nearly every request runs this.
fn credential_owner_from_row(row: &Row<'_>) -> rusqlite::Result<CredentialOwner> {
    Ok(CredentialOwner {
        user: User {
            id: row.get(0)?,
            name: row.get(1)?,
            email: row.get(2)?,
            username: row.get(3)?,
            operator: row.get(4)?,
            language: row.get(5)?,
        },
        disabled: row.get(6)?,
        expires: row.get(7)?,
    })
}

/// Returns whether a user or an organization has this account id.
pub fn account_exists(tx: &Tx<'_>, id: &str) -> Result<bool> {
    Ok(tx
        .find("select 1 from account where id = :id", named_params! { ":id": id }, |_| Ok(()))?
        .is_some())
}

/// Returns the user with this account id, disabled or not.
pub fn find_user(tx: &Tx<'_>, id: &str) -> Result<Option<Profile>> {
    tx.find(
        &format!("{SELECT_PROFILE} where id = :id"),
        named_params! { ":id": id },
        profile_from_row,
    )
}

/// Returns the user, disabled or not, with exactly this username.
pub fn find_user_by_username(tx: &Tx<'_>, username: &str) -> Result<Option<Profile>> {
    let params = named_params! { ":username": username };
    tx.find(&format!("{SELECT_PROFILE} where username = :username"), params, profile_from_row)
}

/// Returns the user, disabled or not, with this address, given in the form of
/// [`email_key`](super::email_key).
pub fn find_user_by_email(tx: &Tx<'_>, key: &str) -> Result<Option<Profile>> {
    tx.find(
        &format!("{SELECT_PROFILE} where email_key = :key"),
        named_params! { ":key": key },
        profile_from_row,
    )
}

/// Returns all users, oldest first.
pub fn list_users(tx: &Tx<'_>) -> Result<Vec<Profile>> {
    tx.all(&format!("{SELECT_PROFILE} order by created, id"), [], profile_from_row)
}

/// Returns whether any user exists, disabled or not.
pub fn has_users(tx: &Tx<'_>) -> Result<bool> {
    tx.one("select exists (select 1 from user) as found", [], |row| row.get("found"))
}

/// Inserts an account of the given type (`user` or `org`).
pub fn insert_account(tx: &WriteTx<'_>, id: &AccountId, account_type: &str) -> Result<()> {
    tx.execute(
        "insert into account (id, type, created) values (:id, :type, :created)",
        named_params! { ":id": id, ":type": account_type, ":created": tx.now },
    )?;
    Ok(())
}

/// Inserts a user. Their account row must exist. An address or username in use violates a unique
/// constraint.
pub fn insert_user(tx: &WriteTx<'_>, user: &Profile, email_key: &str) -> Result<()> {
    tx.execute(
        "insert into user (id, email, email_key, username, name, password_hash, operator, disabled,
                           default_layout, language, created, updated)
         values (:id, :email, :email_key, :username, :name, :password_hash, :operator, :disabled,
                 :default_layout, :language, :created, :updated)",
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
            ":language": user.language,
            ":created": user.created,
            ":updated": user.updated,
        },
    )?;
    Ok(())
}

/// Updates all changeable columns of a user except the password hash. Ignores `user.updated` and
/// sets the column to the current time. An address or username in use violates a unique constraint.
pub fn update_user(tx: &WriteTx<'_>, user: &Profile, email_key: &str) -> Result<()> {
    tx.execute(
        "update user
         set email = :email, email_key = :email_key, username = :username, name = :name,
             operator = :operator, disabled = :disabled, default_layout = :default_layout,
             language = :language, updated = :updated
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
            ":language": user.language,
            ":updated": tx.now,
        },
    )?;
    Ok(())
}

/// Replaces the password hash of a user and sets `updated`. Sessions stay.
pub fn update_password(tx: &WriteTx<'_>, id: &AccountId, hash: &str) -> Result<()> {
    tx.execute(
        "update user set password_hash = :hash, updated = :now where id = :id",
        named_params! { ":id": id, ":hash": hash, ":now": tx.now },
    )?;
    Ok(())
}

/// Replaces a password hash of a user by another one of the same password. Returns false if the user
/// has another hash.
pub fn replace_password_hash(
    tx: &WriteTx<'_>,
    id: &AccountId,
    old: &str,
    new: &str,
) -> Result<bool> {
    let count = tx.execute(
        "update user set password_hash = :new where id = :id and password_hash = :old",
        named_params! { ":id": id, ":old": old, ":new": new },
    )?;
    Ok(count > 0)
}

/// Deletes a user and their account row, tokens and sessions. Returns false if rows of other
/// features still refer to the account. Then the caller must abort the transaction, because the row
/// of the user may be deleted already.
pub fn delete_user(tx: &WriteTx<'_>, id: &AccountId) -> Result<bool> {
    let params = named_params! { ":id": id };
    let removed = tx
        .execute("delete from user where id = :id", params)
        .and_then(|_| tx.execute("delete from account where id = :id", params));
    match removed {
        Ok(_) => Ok(true),
        Err(Error::Internal(cause)) if is_foreign_key_violation(&*cause) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Returns whether a database error reports a violated foreign key.
fn is_foreign_key_violation(error: &(dyn std::error::Error + 'static)) -> bool {
    let sqlite_error =
        error.downcast_ref::<rusqlite::Error>().and_then(|error| error.sqlite_error());
    sqlite_error
        .is_some_and(|error| error.extended_code == rusqlite::ffi::SQLITE_CONSTRAINT_FOREIGNKEY)
}

/// Returns the user of the API token with this hash, even if the token has expired or the user is
/// disabled, which the caller must check.
///
/// Uses primary keys only and writes nothing, because it runs for nearly every API request.
pub fn find_token(tx: &Tx<'_>, hash: &Sha256Hash) -> Result<Option<TokenOwner>> {
    tx.find(
        "select user.id, user.name, user.email, user.username, user.operator, user.language,
                user.disabled, api_token.expires, api_token.scope
         from api_token
         join user on user.id = api_token.user_id
         where api_token.hash = :hash",
        named_params! { ":hash": hash },
        |row| Ok(TokenOwner { owner: credential_owner_from_row(row)?, scope: row.get(8)? }),
    )
}

/// Returns the API tokens of a user, expired ones included, newest first.
pub fn list_tokens(tx: &Tx<'_>, user: &AccountId) -> Result<Vec<ApiToken>> {
    tx.all(
        "select hash, id, name, hint, created, expires, last_used, scope
         from api_token
         where user_id = :user
         order by created desc, id desc",
        named_params! { ":user": user },
        |row| {
            Ok(ApiToken {
                hash: row.get("hash")?,
                id: row.get("id")?,
                name: row.get("name")?,
                hint: row.get("hint")?,
                created: row.get("created")?,
                expires: row.get("expires")?,
                last_used: row.get("last_used")?,
                scope: row.get("scope")?,
            })
        },
    )
}

/// Counts the API tokens of a user, expired ones included.
pub fn count_tokens(tx: &Tx<'_>, user: &AccountId) -> Result<u32> {
    tx.one(
        "select count(*) as tokens from api_token where user_id = :user",
        named_params! { ":user": user },
        |row| row.get("tokens"),
    )
}

/// Inserts an API token of a user. `hash` is the SHA-256 of its secret. Does not check the limit of
/// tokens.
pub fn insert_token(
    tx: &WriteTx<'_>,
    user: &AccountId,
    token: &ApiToken,
    hash: &Sha256Hash,
) -> Result<()> {
    tx.execute(
        "insert into api_token (hash, id, user_id, name, hint, created, expires, scope)
         values (:hash, :id, :user, :name, :hint, :created, :expires, :scope)",
        named_params! {
            ":hash": hash,
            ":id": token.id,
            ":user": user,
            ":name": token.name,
            ":hint": token.hint,
            ":created": token.created,
            ":expires": token.expires,
            ":scope": token.scope,
        },
    )?;
    Ok(())
}

/// Deletes an API token of a user. Returns false if the user has no such token.
pub fn delete_token(tx: &WriteTx<'_>, user: &AccountId, id: &TokenId) -> Result<bool> {
    let removed = tx.execute(
        "delete from api_token where id = :id and user_id = :user",
        named_params! { ":id": id, ":user": user },
    )?;
    Ok(removed > 0)
}

/// Returns the expiry of the setup link with this SHA-256 hash of its token, or None if there is no
/// such link. The expiry may be in the past, so the caller must check it.
pub fn find_setup_link(tx: &Tx<'_>, hash: &Sha256Hash) -> Result<Option<Timestamp>> {
    tx.find(
        "select expires from setup_link where hash = :hash",
        named_params! { ":hash": hash },
        |row| row.get("expires"),
    )
}

/// Inserts a setup link. `hash` is the SHA-256 of its token.
pub fn insert_setup_link(tx: &WriteTx<'_>, hash: &Sha256Hash, expires: Timestamp) -> Result<()> {
    tx.execute(
        "insert into setup_link (hash, created, expires) values (:hash, :created, :expires)",
        named_params! { ":hash": hash, ":created": tx.now, ":expires": expires },
    )?;
    Ok(())
}

/// Deletes all setup links.
pub fn delete_setup_links(tx: &WriteTx<'_>) -> Result<()> {
    tx.execute("delete from setup_link", [])?;
    Ok(())
}

/// Deletes the password of a user, who can then not sign in with one.
pub fn delete_password(tx: &WriteTx<'_>, user: &AccountId) -> Result<()> {
    tx.execute(
        "update user set password_hash = null where id = :user",
        named_params! { ":user": user },
    )?;
    Ok(())
}

/// Deletes all API tokens of a user.
pub fn delete_tokens(tx: &WriteTx<'_>, user: &AccountId) -> Result<()> {
    tx.execute("delete from api_token where user_id = :user", named_params! { ":user": user })?;
    Ok(())
}

/// Sets the time of the last request of an account, unless a later one is stored. Does nothing if
/// the account does not exist.
pub fn put_last_seen(tx: &WriteTx<'_>, account: &AccountId, time: Timestamp) -> Result<()> {
    tx.execute(
        "insert into account_activity (account, last_seen)
         select id, :time from account where id = :account
         on conflict (account) do update set last_seen = max(last_seen, excluded.last_seen)",
        named_params! { ":account": account, ":time": time },
    )?;
    Ok(())
}

/// Sets the time of the last request with an API token, unless a later one is stored. Does nothing
/// if the token does not exist.
pub fn put_token_use(tx: &WriteTx<'_>, hash: &Sha256Hash, time: Timestamp) -> Result<()> {
    tx.execute(
        "update api_token set last_used = max(ifnull(last_used, 0), :time) where hash = :hash",
        named_params! { ":hash": hash, ":time": time },
    )?;
    Ok(())
}
