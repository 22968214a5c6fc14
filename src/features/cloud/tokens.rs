//! The tokens of connections: encryption, refresh, and their use for one request.

use std::time::Duration;

use chartroom_cloud::CloudError;
use chartroom_cloud::CloudResult;
use chartroom_cloud::ProviderSettings;
use chartroom_cloud::Session;
use chartroom_cloud::oauth;
use chartroom_cloud::oauth::Tokens;
use serde::Deserialize;
use serde::Serialize;

use super::connection::Connection;
use super::failure::CloudFailure;
use super::failure::CloudOutcome;
use super::provider_config;
use super::store;
use super::store::StoredTokens;
use crate::app::App;
use chartroom_platform::config::Secret;
use chartroom_platform::crypto;
use chartroom_platform::crypto::ServerKey;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Result;
use chartroom_platform::id::ConnectionId;
use chartroom_platform::remote::Deadline;
use chartroom_platform::remote::DownloadOwner;
use chartroom_platform::remote::MAX_REMOTE_TIME;
use chartroom_platform::remote::RemoteClient;
use chartroom_platform::time::Timestamp;

/// An access token is refreshed if less time is left.
const MIN_LEFT: Duration = Duration::from_secs(120);
/// Maximum time of a refresh. It does not depend on the deadline of the work, because a provider may count a
/// refresh token as used although its response is too late. A refresh does not begin with less time left.
const REFRESH_TIME: Duration = Duration::from_secs(15);
/// Life of an access token if the provider does not tell it.
const DEFAULT_LIFETIME: Duration = Duration::from_mins(30);
/// Longest life of an access token that this server believes.
const MAX_LIFETIME: Duration = Duration::from_hours(24 * 30);

/// A pair of tokens in memory.
pub struct TokenPair {
    pub access: Secret,
    /// None if the provider sent none, so that the connection ends with the access token.
    pub refresh: Option<Secret>,
}

/// The stored form of [`TokenPair`] before its encryption.
#[derive(Serialize, Deserialize)]
struct TokenJson {
    access: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    refresh: Option<String>,
}

/// Encrypts the tokens of a connection.
pub fn seal(key: &ServerKey, id: &ConnectionId, pair: &TokenPair) -> Result<Vec<u8>> {
    let json = TokenJson {
        access: pair.access.reveal().to_owned(),
        refresh: pair.refresh.as_ref().map(|token| token.reveal().to_owned()),
    };
    crypto::encrypt(&encryption_key(key, id), serde_json::to_vec(&json)?)
}

/// Decrypts the tokens of a connection.
///
/// # Errors
/// `Internal` if the server key is another one, or the row belongs to another connection.
pub fn open(key: &ServerKey, id: &ConnectionId, sealed: &[u8]) -> Result<TokenPair> {
    let json: TokenJson =
        serde_json::from_slice(&crypto::decrypt(&encryption_key(key, id), sealed)?)?;
    Ok(TokenPair { access: json.access.into(), refresh: json.refresh.map(Secret::from) })
}

/// Returns the key that encrypts the tokens of a connection.
fn encryption_key(key: &ServerKey, id: &ConnectionId) -> [u8; 32] {
    key.sign("cloud tokens", id.as_str().as_bytes())
}

/// Returns the form in which tokens are stored. `old` has the refresh token that stays valid if the
/// response has none.
pub fn store_form(
    key: &ServerKey,
    id: &ConnectionId,
    tokens: Tokens,
    old: Option<TokenPair>,
) -> Result<(TokenPair, StoredTokens)> {
    let lifetime = tokens.expires_in.map_or(DEFAULT_LIFETIME, Duration::from_secs);
    let refresh = tokens.refresh.or_else(|| old.and_then(|old| old.refresh));
    let pair = TokenPair { access: tokens.access, refresh };
    let stored = StoredTokens {
        sealed: seal(key, id, &pair)?,
        scopes: tokens.scopes,
        access_expires: Timestamp::now().saturating_add(lifetime.min(MAX_LIFETIME)),
    };
    Ok((pair, stored))
}

/// Does work with the access token of a connection. Waits for other work with it, refreshes the token if it
/// expires soon, and does the work once more with a new token if the provider refuses the first one.
///
/// # Errors
/// `ReconnectRequired` if the user must permit the access again, which the connection then remembers.
/// `Forbidden` if the provider accepts a new token, but not for this work. Otherwise those of the work, and
/// `Timeout` at the deadline, and before a refresh for which too little time is left.
pub fn with_session<T>(
    app: &App,
    connection: &Connection,
    deadline: Deadline,
    work: impl Fn(&Session<'_>) -> CloudResult<T>,
) -> CloudOutcome<T> {
    let settings = provider_config::find_settings(&app.config, connection.provider)
        .ok_or(CloudFailure::NotConfigured)?;
    let client = RemoteClient::for_user_urls(&app.config, MAX_REMOTE_TIME)?;
    let _owner = DownloadOwner::begin(&connection.user);
    let wait = deadline.remaining().unwrap_or_default();
    let _claim = app.cloud_claims.claim(&connection.id, wait).ok_or(CloudError::Timeout)?;
    let access = Access { app, settings: &settings, client: &client, deadline };
    // Other work may have replaced the tokens while this one waited.
    let (user, id) = (&connection.user, &connection.id);
    let current = app.db.read(|tx| store::find_connection(tx, user, id))?;
    let mut current = current.ok_or(CloudFailure::ReconnectRequired)?;
    if current.needs_reauth {
        return Err(CloudFailure::ReconnectRequired);
    }
    // The tokens of a database that was restored beside another server key cannot be decrypted.
    let Ok(mut pair) = open(&app.server_key, id, &current.tokens) else {
        return Err(access.give_up(&current));
    };
    let is_fresh = current.access_expires > Timestamp::now().saturating_add(MIN_LEFT);
    if !is_fresh {
        pair = access.refresh(&mut current, pair)?;
    }
    match work(&access.session(&pair)) {
        Err(CloudError::Unauthorized) if is_fresh => {
            pair = access.refresh(&mut current, pair)?;
        }
        Err(CloudError::Unauthorized) => return Err(access.explain_refusal(&current, &pair)),
        result => return Ok(result?),
    }
    match work(&access.session(&pair)) {
        Err(CloudError::Unauthorized) => Err(access.explain_refusal(&current, &pair)),
        result => Ok(result?),
    }
}

/// The things that a refresh needs.
struct Access<'a> {
    app: &'a App,
    settings: &'a ProviderSettings,
    client: &'a RemoteClient,
    deadline: Deadline,
}

impl Access<'_> {
    /// Returns the session with an access token.
    fn session<'b>(&'b self, pair: &'b TokenPair) -> Session<'b> {
        Session {
            settings: self.settings,
            client: self.client,
            access_token: &pair.access,
            deadline: self.deadline,
        }
    }

    /// Exchanges the refresh token, and stores the new tokens before anything uses them: Box accepts the
    /// old refresh token only once. A failed write would lose the connection, so that the write may use the
    /// reserve of a full disk.
    ///
    /// # Errors
    /// `ReconnectRequired` if the provider does not accept the refresh token. `Timeout` if too little time is
    /// left. After other errors the old tokens stay.
    fn refresh(&self, connection: &mut Connection, pair: TokenPair) -> CloudOutcome<TokenPair> {
        let Some(token) = &pair.refresh else { return Err(self.give_up(connection)) };
        if self.deadline.remaining().is_none_or(|remaining| remaining < REFRESH_TIME) {
            return Err(CloudError::Timeout.into());
        }
        let deadline = Deadline::after(REFRESH_TIME);
        let tokens = match oauth::refresh(self.settings, self.client, token, deadline) {
            Ok(tokens) => tokens,
            Err(CloudError::Unauthorized) => return Err(self.give_up(connection)),
            Err(error) => return Err(error.into()),
        };
        let id = connection.id.clone();
        let (pair, stored) = store_form(&self.app.server_key, &id, tokens, Some(pair))?;
        let replaced = std::mem::replace(&mut connection.tokens, stored.sealed.clone());
        let write = move |tx: &WriteTx<'_>| store::replace_tokens(tx, &id, &replaced, &stored);
        match self.app.db.write_with_reserve(write)? {
            true => Ok(pair),
            false => self.reload(connection),
        }
    }

    /// Reads a connection again after other work has replaced its tokens or removed it.
    ///
    /// # Errors
    /// `ReconnectRequired` unless the user has permitted the access again.
    fn reload(&self, connection: &mut Connection) -> CloudOutcome<TokenPair> {
        let (user, id) = (&connection.user, &connection.id);
        let current = self.app.db.read(|tx| store::find_connection(tx, user, id))?;
        let current = current.filter(|current| !current.needs_reauth);
        *connection = current.ok_or(CloudFailure::ReconnectRequired)?;
        Ok(open(&self.app.server_key, &connection.id, &connection.tokens)?)
    }

    /// Returns the reason why the provider refuses work although the access token is new. A provider can
    /// refuse one link or file with the status of an invalid token, so that only the request for the account
    /// tells whether the token is valid.
    fn explain_refusal(&self, connection: &Connection, pair: &TokenPair) -> CloudFailure {
        match self.session(pair).account() {
            Err(CloudError::Unauthorized) => self.give_up(connection),
            Ok(_) | Err(CloudError::Forbidden | CloudError::MissingScope) => {
                CloudError::Forbidden.into()
            }
            Err(error) => error.into(),
        }
    }

    /// Notes that the user must permit the access again. Returns this failure, or that of this server.
    fn give_up(&self, connection: &Connection) -> CloudFailure {
        let (id, tokens) = (connection.id.clone(), connection.tokens.clone());
        let write = move |tx: &WriteTx<'_>| store::set_needs_reauth(tx, &id, &tokens);
        match self.app.db.write_with_reserve(write) {
            Ok(()) => CloudFailure::ReconnectRequired,
            Err(error) => CloudFailure::Server(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_encrypted_for_one_connection() {
        let dir = tempfile::tempdir().unwrap();
        let key = ServerKey::load_or_create(dir.path()).unwrap();
        let pair = TokenPair {
            access: "access-text".to_owned().into(),
            refresh: Some("refresh-text".to_owned().into()),
        };
        let id = ConnectionId::new();
        let sealed = seal(&key, &id, &pair).unwrap();
        let text = String::from_utf8_lossy(&sealed);
        assert!(!text.contains("access-text") && !text.contains("refresh-text"));
        let opened = open(&key, &id, &sealed).unwrap();
        assert_eq!(opened.access.reveal(), "access-text");
        assert_eq!(opened.refresh.unwrap().reveal(), "refresh-text");
        assert!(
            open(&key, &ConnectionId::new(), &sealed).is_err(),
            "the row of another connection"
        );
    }
}
