//! Operations with connections.

use chartroom_cloud::Account;
use chartroom_cloud::Provider;
use chartroom_cloud::oauth::Tokens;

use super::connection::Connection;
use super::revocation;
use super::store;
use super::tokens;
use crate::app::App;
use crate::features::access;
use crate::features::accounts::User;
use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Error;
use chartroom_platform::error::OrNotFound;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;
use chartroom_platform::id::ConnectionId;
use chartroom_platform::tasks as platform_tasks;
use chartroom_platform::time::Timestamp;

/// Name of the task that follows a consent of a user: the feature of the sync jobs runs those that waited for
/// it. Its subject has the id of the user and the name of the provider.
pub const CONNECTED_TASK: &str = "cloud.connected";
/// Maximum length of the title of a connection in characters.
const MAX_TITLE_CHARS: usize = 200;

/// Returns the connections of a user.
pub fn list_connections(tx: &Tx<'_>, user: &AccountId) -> Result<Vec<Connection>> {
    store::list_connections(tx, user)
}

/// Returns a connection of a user.
///
/// # Errors
/// `NotFound` if the user has none with this id.
pub fn find_connection(tx: &Tx<'_>, user: &AccountId, id: &ConnectionId) -> Result<Connection> {
    store::find_connection(tx, user, id)?.or_not_found("connection")
}

/// Returns a connection of a user to the provider with this name.
///
/// # Errors
/// `NotFound` if the user has none with this id, or it is one to another provider.
pub fn find_of_provider(
    tx: &Tx<'_>,
    user: &AccountId,
    provider: &str,
    id: &ConnectionId,
) -> Result<Connection> {
    let connection = find_connection(tx, user, id)?;
    match connection.provider.as_str() == provider {
        true => Ok(connection),
        false => Err(Error::NotFound("connection")),
    }
}

/// Returns a connection of a user to the provider with this name, for work at the provider.
///
/// # Errors
/// `NotFound` as for any other connection. `Forbidden` if an organization of the user permits no documents.
pub fn check_provider(
    tx: &Tx<'_>,
    user: &AccountId,
    provider: &str,
    id: &ConnectionId,
) -> Result<Connection> {
    let connection = find_of_provider(tx, user, provider, id)?;
    access::check_storage_allowed(tx, user)?;
    Ok(connection)
}

/// Stores a new connection of a user, or the new tokens of the one to the same account, and enqueues
/// [`CONNECTED_TASK`].
///
/// # Errors
/// `Conflict` if the user has too many connections.
pub fn store_connection(
    app: &App,
    user: &User,
    provider: Provider,
    account: Account,
    new: Tokens,
) -> Result<()> {
    let user = user.id.clone();
    let max = app.config.max_cloud_connections;
    let known = app.db.read(|tx| store::find_by_account(tx, &user, provider, &account.key))?;
    let id = known.map_or_else(ConnectionId::new, |known| known.id);
    let (_, stored) = tokens::store_form(&app.server_key, &id, new, None)?;
    let connection = Connection {
        id,
        user,
        provider,
        title: default_title(provider, &account.address),
        account_key: account.key,
        email: account.address,
        scopes: stored.scopes.clone(),
        tokens: stored.sealed.clone(),
        access_expires: stored.access_expires,
        needs_reauth: false,
    };
    app.db.write(move |tx| {
        let (user, key) = (&connection.user, &connection.account_key);
        let subject = format!("{user} {}", provider.as_str());
        platform_tasks::enqueue(tx, CONNECTED_TASK, &subject, "{}", tx.now)?;
        match store::find_by_account(tx, user, provider, key)? {
            Some(known) if known.id == connection.id => {
                store::put_tokens(tx, &known.id, &stored)?;
                store::set_email(tx, &known.id, &connection.email)
            }
            // Another request has connected the same account at this moment. Its tokens are as good, and
            // these are encrypted for another id.
            Some(_) => Ok(()),
            None if store::list_connections(tx, user)?.len() >= max as usize => {
                Err(Error::Conflict(format!("you have {max} connections already")))
            }
            None => store::insert_connection(tx, &connection),
        }
    })
}

/// Returns the title of a connection that has none of its user.
fn default_title(provider: Provider, address: &str) -> String {
    let text = match address.is_empty() {
        true => provider.title().to_owned(),
        false => format!("{} ({address})", provider.title()),
    };
    text.chars().filter(|char| !char.is_control()).take(MAX_TITLE_CHARS).collect()
}

/// Renames a connection of a user and returns it.
///
/// # Errors
/// `InvalidFields` for an empty or long title. `NotFound` if the user has no such connection.
pub fn rename_connection(
    tx: &WriteTx<'_>,
    user: &AccountId,
    id: &ConnectionId,
    title: &str,
) -> Result<Connection> {
    let title = title.trim();
    if title.is_empty() {
        return Err(Error::invalid_field("title", "must not be empty"));
    }
    if title.chars().count() > MAX_TITLE_CHARS || title.chars().any(char::is_control) {
        let message = format!("must have at most {MAX_TITLE_CHARS} characters on one line");
        return Err(Error::invalid_field("title", message));
    }
    find_connection(tx, user, id)?;
    store::set_title(tx, id, title)?;
    find_connection(tx, user, id)
}

/// Deletes a connection of a user at once, and enqueues the revocation of its tokens at the provider. Sync
/// jobs that use it stay, and fail.
///
/// # Errors
/// `NotFound` if the user has no such connection.
pub fn delete_connection(tx: &WriteTx<'_>, user: &AccountId, id: &ConnectionId) -> Result<()> {
    let connection = find_connection(tx, user, id)?;
    store::delete_connection(tx, id)?;
    revocation::enqueue(tx, &connection)
}

/// Deletes all connections of a user who is about to be deleted, as [`delete_connection`] does.
pub fn delete_connections(tx: &WriteTx<'_>, user: &AccountId) -> Result<()> {
    store::list_connections(tx, user)?
        .iter()
        .try_for_each(|connection| delete_connection(tx, user, &connection.id))
}

/// Returns connections with tokens that were issued before `before`, the oldest first.
pub fn list_unused(tx: &Tx<'_>, before: Timestamp, limit: u32) -> Result<Vec<Connection>> {
    store::list_unused(tx, before, limit)
}

/// Deletes expired requests for access.
pub fn delete_expired_states(tx: &WriteTx<'_>) -> Result<()> {
    store::delete_expired_states(tx)
}
