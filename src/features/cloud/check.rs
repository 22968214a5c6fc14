//! The test of the settings of a provider, for its operator.

use std::time::Duration;

use chartroom_cloud::CloudError;
use chartroom_cloud::Provider;
use chartroom_cloud::ProviderSettings;
use chartroom_cloud::Session;
use chartroom_cloud::oauth;
use serde::Serialize;

use super::provider_config;
use super::store;
use super::tokens;
use crate::app::App;
use chartroom_platform::error::Result;
use chartroom_platform::remote::Deadline;
use chartroom_platform::remote::MAX_REMOTE_TIME;
use chartroom_platform::remote::RemoteClient;
use chartroom_platform::time::Timestamp;

/// Maximum time of each step.
const STEP_TIME: Duration = Duration::from_secs(15);
/// A refresh token that no provider has issued. A provider that knows the client refuses it.
const UNKNOWN_TOKEN: &str = "chartroom-configuration-check";

/// Result of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum StepResult {
    Passed,
    Failed,
    /// The step needs something that does not exist yet.
    Skipped,
}

/// A step of the test.
#[derive(Debug, Serialize)]
pub struct CheckStep {
    pub step: &'static str,
    pub result: StepResult,
    /// Explanation for the operator, without a full stop.
    pub detail: String,
}

/// The result of the test.
#[derive(Debug, Serialize)]
pub struct ProviderCheck {
    pub provider: &'static str,
    /// URL to register at the provider.
    pub redirect_uri: String,
    pub steps: Vec<CheckStep>,
}

impl ProviderCheck {
    /// Returns whether no step failed.
    pub fn has_passed(&self) -> bool {
        self.steps.iter().all(|step| step.result != StepResult::Failed)
    }
}

/// Tests the settings of a provider: whether they are complete, whether the token endpoint knows the client,
/// and whether the API accepts the newest connection that is valid now. Changes nothing: a refresh would
/// compete with the running server.
///
/// # Errors
/// If this server fails.
pub fn check_settings(app: &App, provider: Provider) -> Result<ProviderCheck> {
    let base_url = &app.config.base_url;
    let redirect_uri = format!("{base_url}/cloud/oauth/{}/callback", provider.as_str());
    let mut check = ProviderCheck { provider: provider.as_str(), redirect_uri, steps: Vec::new() };
    let mut add = |step, result, detail: String| {
        check.steps.push(CheckStep { step, result, detail });
        result == StepResult::Passed
    };
    let name = provider.as_str();
    let Some(settings) = provider_config::find_settings(&app.config, provider) else {
        let detail = format!("{name}_client_id and {name}_client_secret must be set");
        add("settings", StepResult::Failed, detail);
        return Ok(check);
    };
    let is_local = ["http://127.", "http://localhost", "http://[::1]"]
        .iter()
        .any(|start| base_url.starts_with(start));
    if base_url.starts_with("https://") || is_local {
        add("settings", StepResult::Passed, format!("client {}", settings.client_id));
    } else {
        let detail = "base_url must start with https://, because providers send codes only there";
        add("settings", StepResult::Failed, detail.to_owned());
    }
    let client = RemoteClient::for_user_urls(&app.config, MAX_REMOTE_TIME)?;
    let (result, detail) = check_client(&settings, &client);
    add("client", result, detail);
    let newest = app.db.read(|tx| store::find_newest(tx, provider, Timestamp::now()))?;
    let Some(connection) = newest else {
        let detail = "no connection has an access token that is valid now".to_owned();
        add("account", StepResult::Skipped, detail);
        return Ok(check);
    };
    let pair = tokens::open(&app.server_key, &connection.id, &connection.tokens)?;
    let deadline = Deadline::after(STEP_TIME);
    let session =
        Session { settings: &settings, client: &client, access_token: &pair.access, deadline };
    match session.account() {
        Ok(_) => add("account", StepResult::Passed, format!("connection {}", connection.id)),
        Err(error) => add("account", StepResult::Failed, describe(&error)),
    };
    Ok(check)
}

/// Asks the token endpoint for new tokens with a refresh token that nobody has, to see whether it knows the
/// client.
fn check_client(settings: &ProviderSettings, client: &RemoteClient) -> (StepResult, String) {
    let unknown = UNKNOWN_TOKEN.to_owned().into();
    match oauth::refresh(settings, client, &unknown, Deadline::after(STEP_TIME)) {
        // Smartsheet responds in the same way to a wrong secret.
        Err(CloudError::Unauthorized) if settings.provider == Provider::Smartsheet => {
            let detail =
                "the token endpoint responds; a connection shows whether it knows the client";
            (StepResult::Skipped, detail.to_owned())
        }
        Ok(_) | Err(CloudError::Unauthorized) => {
            (StepResult::Passed, "the token endpoint knows the client".to_owned())
        }
        Err(CloudError::Rejected { status, code }) => {
            let detail = format!("the token endpoint responded with status {status} {code}");
            (StepResult::Failed, detail.trim_end().to_owned())
        }
        Err(error) => (StepResult::Failed, describe(&error)),
    }
}

/// Returns an error for the operator.
fn describe(error: &CloudError) -> String {
    match error {
        CloudError::Timeout => "no response in time".to_owned(),
        CloudError::Unreachable(reason) => format!("cannot be reached: {reason}"),
        CloudError::Unreadable => "the response is not that of a provider".to_owned(),
        CloudError::Unauthorized => "the access token is not valid".to_owned(),
        CloudError::MissingScope => "a permission is missing".to_owned(),
        CloudError::Busy { .. } => "no more requests are accepted at present".to_owned(),
        CloudError::Rejected { status, code } => format!("status {status} {code}"),
        other => format!("{other:?}"),
    }
}
