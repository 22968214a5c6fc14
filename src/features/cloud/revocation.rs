//! The revocation of the tokens of a deleted connection.

use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use chartroom_cloud::CloudError;
use chartroom_cloud::CloudResult;
use chartroom_cloud::Provider;
use chartroom_cloud::ProviderSettings;
use chartroom_cloud::oauth;
use serde::Deserialize;
use serde::Serialize;

use super::connection::Connection;
use super::provider_config;
use super::tokens;
use super::tokens::TokenPair;
use crate::app::App;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Result;
use chartroom_platform::id::ConnectionId;
use chartroom_platform::remote::Deadline;
use chartroom_platform::remote::MAX_REMOTE_TIME;
use chartroom_platform::remote::RemoteClient;
use chartroom_platform::tasks;
use chartroom_platform::tasks::Task;

/// Name of the task that revokes the tokens of a deleted connection. Its subject is the id of the
/// connection.
pub const REVOKE_TASK: &str = "cloud.revoke";
/// Maximum time of a refresh before a revocation.
const REFRESH_TIME: Duration = Duration::from_secs(5);

/// Payload of [`REVOKE_TASK`].
#[derive(Serialize, Deserialize)]
struct RevokePayload {
    provider: String,
    /// Tokens as they were stored, in base64.
    tokens: String,
}

/// Enqueues the revocation of the tokens of a deleted connection.
pub fn enqueue(tx: &WriteTx<'_>, connection: &Connection) -> Result<()> {
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
    if let Err(error) = revoke(&settings, &client, &pair) {
        let provider = settings.provider.as_str();
        tracing::info!(?error, provider, "the tokens of a deleted connection were not revoked");
    }
    Ok(())
}

/// Revokes a pair of tokens. Dropbox and Smartsheet want a valid access token for this, so that an expired one
/// is refreshed first.
fn revoke(settings: &ProviderSettings, client: &RemoteClient, pair: &TokenPair) -> CloudResult<()> {
    let result = oauth::revoke(settings, client, (&pair.access, pair.refresh.as_ref()));
    let is_refused =
        matches!(result, Err(CloudError::Unauthorized | CloudError::Rejected { status: 401, .. }));
    let Some(refresh) = pair.refresh.as_ref().filter(|_| is_refused) else { return result };
    let tokens = oauth::refresh(settings, client, refresh, Deadline::after(REFRESH_TIME))?;
    let refresh = tokens.refresh.as_ref().unwrap_or(refresh);
    oauth::revoke(settings, client, (&tokens.access, Some(refresh)))
}
