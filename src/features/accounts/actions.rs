//! What may be done with users, their passwords and their tokens.

use super::User;
use super::rules;
use super::secrets::Secret;
use super::store;
use super::store::Profile;
use super::store::Token;
use crate::app::App;
use chartroom_platform::crypto::Hash;
use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::db::on_unique;
use chartroom_platform::error::Error;
use chartroom_platform::error::Found;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;
use chartroom_platform::id::TokenId;
use chartroom_platform::tasks;
use chartroom_platform::text;
use chartroom_platform::time::Timestamp;

/// A user to be made.
#[derive(Debug, Clone, Default)]
pub struct NewUser {
    /// The e-mail address.
    pub email: String,
    /// The full name.
    pub name: String,
    /// The username; none takes it from the address.
    pub username: Option<String>,
    /// What [`new_password_hash`] gave; none makes a user who cannot sign in by password yet.
    pub password_hash: Option<String>,
    /// Whether the user runs the server.
    pub operator: bool,
}

/// What changes of a user; `None` leaves it.
#[derive(Debug, Clone, Default)]
pub struct Change {
    /// The e-mail address.
    pub email: Option<String>,
    /// The full name.
    pub name: Option<String>,
    /// The username.
    pub username: Option<String>,
    /// Whether the user runs the server.
    pub operator: Option<bool>,
    /// JSON layout preset of new documents; `Some(None)` takes it away.
    pub default_layout: Option<Option<String>>,
}

/// A change of one's own password that has been checked: only storing it is left.
#[derive(Debug)]
pub struct PasswordChange {
    pub(super) old: Option<String>,
    pub(super) new: String,
}

/// The hash of a new password. It takes a core and some tens of milliseconds, so it is made before
/// a write transaction begins.
///
/// # Errors
/// `Fields` naming `password` when it breaks a rule.
pub fn new_password_hash(app: &App, password: &str) -> Result<String> {
    rules::password("password", password)?;
    app.passwords.hash(password)
}

/// Notes an account of an organization in the id space that it shares with users.
pub fn register(tx: &WriteTx<'_>, org: &AccountId) -> Result<()> {
    store::insert_account(tx, org, "org")
}

/// Name of the task that gives a user what waited for his address; its subject is his id.
pub const ARRIVED: &str = "accounts.arrived";

/// Makes a user.
///
/// # Errors
/// `Fields` for a value that breaks a rule, `Conflict` for an address or username that is taken.
pub fn create(tx: &WriteTx<'_>, new: &NewUser) -> Result<Profile> {
    let email = rules::email(&new.email)?;
    let name = rules::name(&new.name)?;
    let username = match &new.username {
        Some(username) => rules::username(username)?,
        None => free_username(tx, &email)?,
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
        created: tx.now,
        updated: tx.now,
    };
    store::insert_account(tx, &user.id, "user")?;
    on_unique(store::insert(tx, &user, &email.key), || clash(tx, &user, &email.key))?;
    tasks::enqueue(tx, ARRIVED, user.id.as_str(), "{}", tx.now)?;
    Ok(user)
}

/// Changes a user.
///
/// # Errors
/// `Fields` for a value that breaks a rule, `Conflict` for an address or username that is taken.
pub fn edit(tx: &WriteTx<'_>, id: &AccountId, change: Change) -> Result<Profile> {
    let mut user = profile(tx, id)?;
    if let Some(email) = change.email {
        user.email = rules::email(&email)?.text;
        tasks::enqueue(tx, ARRIVED, id.as_str(), "{}", tx.now)?;
    }
    if let Some(name) = change.name {
        user.name = rules::name(&name)?;
    }
    if let Some(username) = change.username {
        user.username = rules::username(&username)?;
    }
    if let Some(operator) = change.operator {
        user.operator = operator;
    }
    if let Some(layout) = change.default_layout {
        user.default_layout = layout;
    }
    save(tx, &user)?;
    profile(tx, id)
}

/// Refuses a user everywhere from now on, or lets him in again. Disabling ends his sessions; his
/// tokens stay, and work again once he is enabled.
pub fn set_disabled(tx: &WriteTx<'_>, id: &AccountId, disabled: bool) -> Result<Profile> {
    let mut user = profile(tx, id)?;
    user.disabled = disabled;
    save(tx, &user)?;
    if disabled {
        store::delete_sessions(tx, id, None)?;
    }
    profile(tx, id)
}

/// Sets a user's password without asking for the old one, and ends his sessions.
pub fn set_password(tx: &WriteTx<'_>, id: &AccountId, hash: &str) -> Result<()> {
    profile(tx, id)?;
    store::update_password(tx, id, hash)?;
    store::delete_sessions(tx, id, None)
}

/// Changes the caller's own account. A new password ends all his sessions but `session`.
///
/// # Errors
/// `Conflict` when the password was changed by another request meanwhile.
pub fn change_own(
    tx: &WriteTx<'_>,
    caller: &User,
    change: Change,
    password: Option<&PasswordChange>,
    session: Option<Hash>,
) -> Result<Profile> {
    if let Some(password) = password {
        if profile(tx, &caller.id)?.password_hash != password.old {
            return Err(Error::Conflict("the password was changed meanwhile".to_owned()));
        }
        store::update_password(tx, &caller.id, &password.new)?;
        store::delete_sessions(tx, &caller.id, session.as_ref())?;
    }
    edit(tx, &caller.id, change)
}

/// Removes a user with his tokens and sessions. `owned` counts what he owns: nothing is left
/// without an owner.
///
/// # Errors
/// `Conflict` while he owns anything.
pub fn delete(
    tx: &WriteTx<'_>,
    id: &AccountId,
    owned: impl FnOnce(&Tx<'_>, &AccountId) -> Result<u32>,
) -> Result<()> {
    let user = profile(tx, id)?;
    let refuse = |what: &str| {
        let text = format!("{} still owns {what}: move or delete them first", user.email);
        Err(Error::Conflict(text))
    };
    match owned(tx, id)? {
        0 => {}
        1 => return refuse("1 document or folder (the trash counts too)"),
        count => return refuse(&format!("{count} documents and folders (the trash counts too)")),
    }
    if store::delete(tx, id)? { Ok(()) } else { refuse("documents or folders") }
}

/// The user of this id.
///
/// # Errors
/// `NotFound` when there is none.
pub fn profile(tx: &Tx<'_>, id: &AccountId) -> Result<Profile> {
    store::find(tx, id.as_str())?.found("user")
}

/// The name of a user for a mail: one line, and a word for somebody whose account is gone.
pub fn name_of(tx: &Tx<'_>, id: &AccountId) -> Result<String> {
    let user = store::find(tx, id.as_str())?;
    Ok(user.map_or_else(|| "Somebody".to_owned(), |it| text::line(&it.name)))
}

/// The user whom a text names: an id, a username or an e-mail address. The three never look alike.
///
/// # Errors
/// `NotFound` when there is none.
pub fn find(tx: &Tx<'_>, text: &str) -> Result<Profile> {
    let text = text.trim();
    let found = if text.contains('@') {
        store::find_by_email(tx, &rules::email_key(text))?
    } else if text.starts_with(|first: char| first.is_ascii_digit()) {
        store::find(tx, text)?
    } else {
        store::find_by_username(tx, text)?
    };
    found.found("user")
}

/// All users, oldest first.
pub fn list(tx: &Tx<'_>) -> Result<Vec<Profile>> {
    store::all(tx)
}

/// The account that a path names: an id (a user's or an organization's), `me`, or a user's
/// username or e-mail address. The caller's own id costs no query.
///
/// # Errors
/// `NotFound` when there is none.
pub fn resolve(tx: &Tx<'_>, caller: Option<&User>, text: &str) -> Result<AccountId> {
    if let Some(caller) = caller
        && (text == "me" || text == caller.id.as_str())
    {
        return Ok(caller.id.clone());
    }
    if store::is_account(tx, text)? {
        return Ok(AccountId::from_text(text));
    }
    find(tx, text).map(|user| user.id).map_err(|error| match error {
        Error::NotFound(_) => Error::NotFound("account"),
        other => other,
    })
}

/// Makes an API token; the text is shown once and stored nowhere.
///
/// # Errors
/// `Fields` naming `name` or `expires_at`.
pub fn make_token(
    tx: &WriteTx<'_>,
    user: &AccountId,
    name: &str,
    expires: Option<Timestamp>,
) -> Result<(Token, String)> {
    let name = rules::name(name)?;
    if expires.is_some_and(|it| it <= tx.now) {
        return Err(Error::field("expires_at", "is in the past"));
    }
    let secret = Secret::api_token()?;
    let hint = secret.hint().to_owned();
    let token = Token { id: TokenId::new(), name, hint, created: tx.now, expires };
    store::insert_token(tx, user, &token, &secret.hash)?;
    Ok((token, secret.text))
}

fn save(tx: &WriteTx<'_>, user: &Profile) -> Result<()> {
    let key = rules::email_key(&user.email);
    on_unique(store::update(tx, user, &key), || clash(tx, user, &key))
}

/// Which of the unique values of `user` another one has.
fn clash(tx: &Tx<'_>, user: &Profile, email_key: &str) -> Error {
    match store::find_by_email(tx, email_key) {
        Ok(Some(other)) if other.id != user.id => {
            Error::Conflict(format!("email: {} already has an account", user.email))
        }
        Ok(_) => Error::Conflict(format!("username: {} is taken", user.username)),
        Err(error) => error,
    }
}

/// The first free username that an address suggests.
fn free_username(tx: &Tx<'_>, email: &rules::Email) -> Result<String> {
    for attempt in 0..u32::MAX {
        let username = rules::suggested_username(email, attempt);
        if store::find_by_username(tx, &username)?.is_none() {
            return Ok(username);
        }
    }
    Err(Error::internal("all suggested usernames are taken"))
}
