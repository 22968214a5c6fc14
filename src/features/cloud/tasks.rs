//! Background work: revocation of tokens, refresh of connections without use, expired requests.

use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use chartroom_cloud::Provider;
use chartroom_cloud::oauth;
use serde::Deserialize;
use serde::Serialize;

use super::connection::Connection;
use super::provider_config;
use super::store;
use super::tokens;
use crate::app::App;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Result;
use chartroom_platform::id::ConnectionId;
use chartroom_platform::remote::Deadline;
use chartroom_platform::remote::MAX_REMOTE_TIME;
use chartroom_platform::remote::RemoteClient;
use chartroom_platform::tasks;
use chartroom_platform::tasks::Task;
use chartroom_platform::time::Timestamp;

/// Name of the task that revokes the tokens of a deleted connection. Its subject is the id of the
/// connection.
pub const REVOKE_TASK: &str = "cloud.revoke";
/// Name of the task that refreshes connections without use.
pub const KEEP_ALIVE_TASK: &str = "cloud.keep-alive";
/// Name of the task that deletes expired requests for access.
pub const PURGE_TASK: &str = "cloud.purge-expired";

/// Time without a refresh after which the tokens are refreshed. The refresh tokens of Box expire after 60
/// days, those of OneDrive after 90, those of Google after 6 months.
const MAX_UNUSED_TIME: Duration = Duration::from_hours(24 * 30);
/// Maximum number of connections that one run of the task refreshes. The next run continues.
const MAX_REFRESHED: u32 = 200;
/// Maximum time of a refresh in the task.
const REFRESH_TIME: Duration = Duration::from_secs(15);

/// Payload of [`REVOKE_TASK`].
#[derive(Serialize, Deserialize)]
struct RevokePayload {
    provider: String,
    /// Tokens as they were stored, in base64.
    tokens: String,
}

/// Enqueues the revocation of the tokens of a deleted connection.
pub fn enqueue_revocation(tx: &WriteTx<'_>, connection: &Connection) -> Result<()> {
    let payload = RevokePayload {
        provider: connection.provider.as_str().to_owned(),
        tokens: STANDARD.encode(&connection.tokens),
    };
    let payload = serde_json::to_string(&payload)?;
    tasks::enqueue(tx, REVOKE_TASK, connection.id.as_str(), &payload, tx.now)
}

/// Runs the task [`REVOKE_TASK`] once: a failed revocation is not repeated, because the tokens end by
/// themselves.
pub fn revoke_tokens(app: &App, task: &Task) -> Result<()> {
    let payload: RevokePayload = serde_json::from_str(&task.payload)?;
    let id = ConnectionId::from_text(task.subject.as_str());
    let settings = Provider::from_name(&payload.provider)
        .and_then(|provider| provider_config::find_settings(&app.config, provider));
    let (Some(settings), Ok(sealed)) = (settings, STANDARD.decode(&payload.tokens)) else {
        return Ok(());
    };
    let pair = tokens::open(&app.server_key, &id, &sealed)?;
    let client = RemoteClient::for_user_urls(&app.config, MAX_REMOTE_TIME)?;
    let result = oauth::revoke(&settings, &client, (&pair.access, pair.refresh.as_ref()));
    if let Err(error) = result {
        let provider = settings.provider.as_str();
        tracing::info!(?error, provider, "the tokens of a deleted connection were not revoked");
    }
    Ok(())
}

/// Runs the task [`KEEP_ALIVE_TASK`]. A provider that fails keeps no other connection from its refresh.
pub fn refresh_unused(app: &App, _: &Task) -> Result<()> {
    let before = Timestamp::now().saturating_sub(MAX_UNUSED_TIME);
    let unused = app.db.read(|tx| store::list_unused(tx, before, MAX_REFRESHED))?;
    for connection in unused {
        let deadline = Deadline::after(REFRESH_TIME);
        // The access token has expired long ago, so that the session begins with a refresh.
        let result = tokens::with_session(app, &connection, deadline, |_| Ok(()));
        if let Err(failure) = result {
            let (id, provider) = (&connection.id, connection.provider.as_str());
            tracing::info!(?failure, %id, provider, "an unused connection was not refreshed");
        }
    }
    Ok(())
}

/// Runs the task [`PURGE_TASK`].
pub fn purge_expired(app: &App, _: &Task) -> Result<()> {
    app.db.write(store::delete_expired_states)
}
