//! Operations on users, passwords and API tokens.

use std::net::IpAddr;

use serde_json::json;

use super::User;
use super::events;
use super::rules;
use super::secrets::Secret;
use super::security_mail;
use super::store;
use super::store::ApiToken;
use super::store::Profile;
use super::token_scope::TokenScope;
use crate::app::App;
use crate::features::audit::EventTarget;
use chartroom_platform::crypto::Sha256Hash;
use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::db::map_unique_violation;
use chartroom_platform::error::Error;
use chartroom_platform::error::OrNotFound;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;
use chartroom_platform::id::TokenId;
use chartroom_platform::language::Language;
use chartroom_platform::tasks;
use chartroom_platform::text;
use chartroom_platform::time::Timestamp;

/// A user to create.
#[derive(Debug, Clone, Default)]
pub struct NewUser {
    /// E-mail address.
    pub email: String,
    /// Full name.
    pub name: String,
    /// Username. Derived from the e-mail address if None.
    pub username: Option<String>,
    /// Result of [`hash_new_password`]. If None, the user cannot sign in with a password yet.
    pub password_hash: Option<String>,
    /// Whether the user operates the server.
    pub operator: bool,
}

/// Changes to a user. A field that is None keeps the stored value.
#[derive(Debug, Clone, Default)]
pub struct UserChanges {
    /// New e-mail address.
    pub email: Option<String>,
    /// New full name.
    pub name: Option<String>,
    /// New username.
    pub username: Option<String>,
    /// Whether the user operates the server.
    pub operator: Option<bool>,
    /// JSON layout preset of new documents. `Some(None)` removes it.
    pub default_layout: Option<Option<String>>,
    /// Language of the pages. `Some(None)` lets the browser decide.
    pub language: Option<Option<Language>>,
}

/// A change of the caller's own password, already authorized and hashed, ready to be stored.
#[derive(Debug)]
pub struct CheckedPasswordChange {
    /// Password hash at the time of the check. Detects a concurrent change.
    pub(super) old_hash: Option<String>,
    /// Hash of the new password.
    pub(super) new_hash: String,
}

/// Checks a new password and returns its hash.
///
/// `client` is the network of the client, None for the command line. Hashing occupies one core for
/// tens of milliseconds. Call this before a write transaction begins, because it would block other
/// writers.
///
/// # Errors
/// `InvalidFields` for `password` if the password breaks a rule.
pub fn hash_new_password(app: &App, client: Option<IpAddr>, password: &str) -> Result<String> {
    rules::check_password("password", password)?;
    app.passwords.hash(client, password)
}

/// Adds an organization to `account`, the table that keeps ids of users and organizations distinct.
pub fn register_org_account(tx: &WriteTx<'_>, org: &AccountId) -> Result<()> {
    store::insert_account(tx, org, "org")
}

/// Name of the task that runs after a user gets an e-mail address, at creation or by a change. Its
/// subject is the account id. The feature `sharing` handles it and gives the user the access
/// entries that were created for the address.
pub const EMAIL_ASSIGNED_TASK: &str = "accounts.arrived";

/// Creates a user and queues [`EMAIL_ASSIGNED_TASK`].
///
/// # Errors
/// `InvalidFields` for a value that breaks a rule, `Conflict` if the address or the username is in
/// use.
pub fn create_user(tx: &WriteTx<'_>, new: &NewUser) -> Result<Profile> {
    let email = rules::parse_email(&new.email)?;
    let name = rules::parse_name(&new.name)?;
    let username = match &new.username {
        Some(username) => rules::parse_username(username)?,
        None => find_unused_username(tx, &email)?,
    };
    let user = Profile {
        id: AccountId::new_user()?,
        email: email.text,
        username,
        name,
        password_hash: new.password_hash.clone(),
        operator: new.operator,
        disabled: false,
        default_layout: None,
        language: None,
        created: tx.now,
        updated: tx.now,
    };
    store::insert_account(tx, &user.id, "user")?;
    map_unique_violation(store::insert_user(tx, &user, &email.key), || {
        value_in_use_error(tx, &user, &email.key)
    })?;
    tasks::enqueue(tx, EMAIL_ASSIGNED_TASK, user.id.as_str(), "{}", tx.now)?;
    Ok(user)
}

/// Applies `change` to a user and returns the result. If `change` contains an e-mail address,
/// queues [`EMAIL_ASSIGNED_TASK`], even if the address is the stored one. Another address deletes the
/// password links of the user.
///
/// # Errors
/// `NotFound` without such a user, `InvalidFields` for a value that breaks a rule, `Conflict` if
/// the address or the username is in use.
pub fn update_user(tx: &WriteTx<'_>, id: &AccountId, change: UserChanges) -> Result<Profile> {
    let mut user = load_profile(tx, id)?;
    if let Some(email) = change.email {
        let email = rules::parse_email(&email)?.text;
        if email != user.email {
            // A link is in the mailbox of the old address.
            store::password_links::delete_all(tx, id)?;
        }
        user.email = email;
        tasks::enqueue(tx, EMAIL_ASSIGNED_TASK, id.as_str(), "{}", tx.now)?;
    }
    if let Some(name) = change.name {
        user.name = rules::parse_name(&name)?;
    }
    if let Some(username) = change.username {
        user.username = rules::parse_username(&username)?;
    }
    if let Some(operator) = change.operator {
        if operator != user.operator {
            replace_cookies(tx, id)?;
        }
        user.operator = operator;
    }
    if let Some(layout) = change.default_layout {
        user.default_layout = layout;
    }
    if let Some(language) = change.language {
        user.language = language;
    }
    save_profile(tx, &user)?;
    load_profile(tx, id)
}

/// Makes the next request of each session of a user get another cookie. Call it when a role of the user
/// changes.
pub fn replace_cookies(tx: &WriteTx<'_>, user: &AccountId) -> Result<()> {
    store::sessions::mark_outdated(tx, user)
}

/// Disables or enables a user. A disabled user cannot authenticate.
///
/// Disabling deletes the sessions and password links of the user. API tokens stay and work again once
/// the user is enabled.
///
/// # Errors
/// `NotFound` without such a user.
pub fn set_disabled(tx: &WriteTx<'_>, id: &AccountId, disabled: bool) -> Result<Profile> {
    let mut user = load_profile(tx, id)?;
    user.disabled = disabled;
    save_profile(tx, &user)?;
    if disabled {
        store::sessions::delete_sessions(tx, id, None)?;
        store::password_links::delete_all(tx, id)?;
    }
    load_profile(tx, id)
}

/// Disables a user and deletes their password, sessions, API tokens and password links, so that only
/// a new password link or single sign-on gives access after the user is enabled again.
///
/// # Errors
/// `NotFound` without such a user.
pub fn end_access(tx: &WriteTx<'_>, id: &AccountId) -> Result<()> {
    set_disabled(tx, id, true)?;
    store::delete_password(tx, id)?;
    store::delete_tokens(tx, id)
}

/// Deletes the password, sessions, API tokens and password links of a user, who stays enabled, so that
/// only a new password link or single sign-on gives access. The caller records the change.
pub fn end_credentials(tx: &WriteTx<'_>, id: &AccountId) -> Result<()> {
    store::delete_password(tx, id)?;
    store::delete_tokens(tx, id)?;
    store::sessions::delete_sessions(tx, id, None)?;
    store::password_links::delete_all(tx, id)
}

/// Stores a new password hash without a check of the old password, and deletes all sessions and
/// password links of the user. API tokens stay.
///
/// # Errors
/// `NotFound` without such a user.
pub fn set_password(tx: &WriteTx<'_>, id: &AccountId, hash: &str) -> Result<()> {
    load_profile(tx, id)?;
    store::update_password(tx, id, hash)?;
    store::sessions::delete_sessions(tx, id, None)?;
    store::password_links::delete_all(tx, id)
}

/// Checks that an account need not use single sign-on, so that it may have a password.
///
/// # Errors
/// `InvalidFields` for `password`.
pub fn check_may_have_password(tx: &Tx<'_>, user: &AccountId) -> Result<()> {
    if !store::organizations::must_use_sso(tx, user)? {
        return Ok(());
    }
    let text = "cannot be set, because the organization of the account requires single sign-on";
    Err(Error::invalid_field("password", text))
}

/// Changes the caller's own account. A new password deletes all password links of the caller, and
/// all sessions except `session`.
///
/// # Errors
/// `Conflict` if another request changed the password after [`CheckedPasswordChange`] was created.
/// As `check_may_have_password` and [`update_user`].
pub fn update_own_account(
    tx: &WriteTx<'_>,
    caller: &User,
    change: UserChanges,
    password: Option<&CheckedPasswordChange>,
    session: Option<Sha256Hash>,
) -> Result<Profile> {
    let old = load_profile(tx, &caller.id)?;
    if let Some(password) = password {
        check_may_have_password(tx, &caller.id)?;
        if old.password_hash != password.old_hash {
            let text = "another request has changed the password; try again";
            return Err(Error::Conflict(text.to_owned()));
        }
        store::update_password(tx, &caller.id, &password.new_hash)?;
        store::sessions::delete_sessions(tx, &caller.id, session.as_ref())?;
        store::password_links::delete_all(tx, &caller.id)?;
        events::record_user_event(tx, &old, "user.change_password", &json!({}))?;
        security_mail::enqueue_password_mail(tx, &old)?;
    }
    let new = update_user(tx, &caller.id, change)?;
    events::record_user_change(tx, &old, &new)?;
    Ok(new)
}

/// Deletes a user with their tokens and sessions. Does not check whether the user is the last admin
/// of an organization.
///
/// `count_owned_nodes` returns the number of nodes that an account owns. It is a parameter because
/// this module does not know the tree.
///
/// # Errors
/// `NotFound` without such a user. `Conflict` while the user owns documents or folders, because
/// they would be left without an owner, or while rows of other features refer to the user.
pub fn delete_user(
    tx: &WriteTx<'_>,
    id: &AccountId,
    count_owned_nodes: impl FnOnce(&Tx<'_>, &AccountId) -> Result<u32>,
) -> Result<()> {
    let user = load_profile(tx, id)?;
    let conflict = |objects: &str| {
        let text = format!("{} still owns {objects}: move or delete them first", user.email);
        Err(Error::Conflict(text))
    };
    match count_owned_nodes(tx, id)? {
        0 => {}
        1 => return conflict("1 document or folder (the trash counts too)"),
        count => return conflict(&format!("{count} documents and folders (the trash counts too)")),
    }
    if store::delete_user(tx, id)? { Ok(()) } else { conflict("documents or folders") }
}

/// Returns the user with this account id, disabled or not.
///
/// # Errors
/// `NotFound` if there is none.
pub fn load_profile(tx: &Tx<'_>, id: &AccountId) -> Result<Profile> {
    store::find_user(tx, id.as_str())?.or_not_found("user")
}

/// Returns the name of a user, disabled or not, on a single line, or `Somebody` if there is no such
/// user.
pub fn display_name(tx: &Tx<'_>, id: &AccountId) -> Result<String> {
    let user = store::find_user(tx, id.as_str())?;
    Ok(user.map_or_else(|| "Somebody".to_owned(), |user| text::single_line_title(&user.name)))
}

/// Finds a user, disabled or not, by account id, username or e-mail address. Ignores white space
/// around `text`, and the case of a username or an address.
///
/// The three cannot be confused: an id starts with a digit, a username with a letter, and only an
/// address contains `@`.
///
/// # Errors
/// `NotFound` if there is none.
pub fn find_user(tx: &Tx<'_>, text: &str) -> Result<Profile> {
    let text = text.trim();
    let found = if text.contains('@') {
        store::find_user_by_email(tx, &rules::email_key(text))?
    } else if text.starts_with(|first: char| first.is_ascii_digit()) {
        store::find_user(tx, text)?
    } else {
        store::find_user_by_username(tx, &text.to_ascii_lowercase())?
    };
    found.or_not_found("user")
}

/// Returns all users, oldest first.
pub fn list_users(tx: &Tx<'_>) -> Result<Vec<Profile>> {
    store::list_users(tx)
}

/// Resolves the account named in a path: `me`, an account id of a user or an organization, or a
/// username or e-mail address.
///
/// The caller's own id and `me` need no query. Without a caller, an e-mail address names no account:
/// otherwise everybody who knows a public document could find out which address its owner has. The
/// address is still looked up, so that the time tells nothing.
///
/// # Errors
/// `NotFound` if there is none, and for `me` and e-mail addresses without a caller.
pub fn resolve_account(tx: &Tx<'_>, caller: Option<&User>, text: &str) -> Result<AccountId> {
    if let Some(caller) = caller
        && (text == "me" || text == caller.id.as_str())
    {
        return Ok(caller.id.clone());
    }
    if store::account_exists(tx, text)? {
        return Ok(AccountId::from_text(text));
    }
    match find_user(tx, text) {
        Ok(_) if caller.is_none() && text.contains('@') => Err(Error::NotFound("account")),
        Err(Error::NotFound(_)) => Err(Error::NotFound("account")),
        found => found.map(|user| user.id),
    }
}

/// The properties of a new API token.
pub struct NewApiToken<'a> {
    /// Name, as its user enters it.
    pub name: &'a str,
    /// Time from which the token is invalid. None if it does not expire.
    pub expires: Option<Timestamp>,
    /// The requests that the token permits.
    pub scope: TokenScope,
}

impl<'a> NewApiToken<'a> {
    /// Returns the properties of a token that permits everything and does not expire.
    pub fn unlimited(name: &'a str) -> Self {
        Self { name, expires: None, scope: TokenScope::Full }
    }
}

/// Creates an API token and returns it with its secret. Only a hash of the secret is stored, so
/// this is the only time that the secret is available.
///
/// # Errors
/// `InvalidFields` for `name`, or for `expires_at` if the token would be expired already. `Conflict` if
/// the user has `MAX_API_TOKENS` tokens, expired ones included.
pub fn create_token(
    tx: &WriteTx<'_>,
    user: &AccountId,
    new: &NewApiToken<'_>,
) -> Result<(ApiToken, String)> {
    let NewApiToken { name, expires, scope } = *new;
    let name = rules::parse_name(name)?;
    if expires.is_some_and(|time| time <= tx.now) {
        return Err(Error::invalid_field("expires_at", "must be in the future"));
    }
    if store::count_tokens(tx, user)? >= rules::MAX_API_TOKENS {
        return Err(Error::Conflict(format!(
            "the account already has {} API tokens, the maximum; delete one first",
            rules::MAX_API_TOKENS
        )));
    }
    let secret = Secret::generate_api_token()?;
    let hint = secret.hint().to_owned();
    let id = TokenId::new();
    let hash = secret.hash;
    let (created, last_used) = (tx.now, None);
    let token = ApiToken { hash, id, name, hint, created, expires, last_used, scope };
    store::insert_token(tx, user, &token, &secret.hash)?;
    let target = EventTarget::new("token", &token.id, &token.name);
    let details = json!({ "user_id": user, "expires_at": expires, "scope": scope });
    events::record_account_event(tx, user, "token.create", &target, &details)?;
    Ok((token, secret.text))
}

/// Deletes an API token of a user.
///
/// # Errors
/// `NotFound` if the user has no such token.
pub fn delete_token(tx: &WriteTx<'_>, user: &AccountId, id: &TokenId) -> Result<()> {
    let token = store::list_tokens(tx, user)?.into_iter().find(|token| token.id == *id);
    let token = token.or_not_found("token")?;
    store::delete_token(tx, user, id)?;
    let target = EventTarget::new("token", id, token.name);
    events::record_account_event(tx, user, "token.delete", &target, &json!({ "user_id": user }))
}

/// Stores a changed profile except its password hash. Returns `Conflict` if another user has the
/// address or the username.
fn save_profile(tx: &WriteTx<'_>, user: &Profile) -> Result<()> {
    let key = rules::email_key(&user.email);
    map_unique_violation(store::update_user(tx, user, &key), || value_in_use_error(tx, user, &key))
}

/// Returns the error for the unique value of `user` that another user already has: the address, or
/// else the username. Also returns a failure of the query for it.
fn value_in_use_error(tx: &Tx<'_>, user: &Profile, email_key: &str) -> Error {
    match store::find_user_by_email(tx, email_key) {
        Ok(Some(other)) if other.id != user.id => {
            Error::field_conflict("email", format!("{} already has an account", user.email))
        }
        Ok(_) => Error::field_conflict("username", format!("{} is taken", user.username)),
        Err(error) => error,
    }
}

/// Returns the first username derived from the address that no user has.
fn find_unused_username(tx: &Tx<'_>, email: &rules::Email) -> Result<String> {
    for attempt in 0..u32::MAX {
        let username = rules::suggest_username(email, attempt);
        if store::find_user_by_username(tx, &username)?.is_none() {
            return Ok(username);
        }
    }
    Err(Error::internal("all suggested usernames are taken"))
}
