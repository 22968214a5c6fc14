//! The two steps of a new connection: the redirect to the provider, and the way back.

use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chartroom_cloud::CloudError;
use chartroom_cloud::Provider;
use chartroom_cloud::ProviderSettings;
use chartroom_cloud::Session;
use chartroom_cloud::oauth;

use super::actions;
use super::failure::CloudFailure;
use super::failure::CloudOutcome;
use super::provider_config;
use super::store;
use super::store::PendingState;
use crate::app::RequestContext;
use crate::features::access;
use crate::features::accounts;
use crate::features::accounts::User;
use chartroom_platform::crypto;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::http::Response;
use chartroom_platform::remote::Deadline;
use chartroom_platform::remote::MAX_REMOTE_TIME;
use chartroom_platform::remote::RemoteClient;
use chartroom_platform::time::Timestamp;

/// Page that lists the connections.
const PAGE: &str = "/account/connections";
/// Time in which the user must permit the access.
const STATE_LIFETIME: Duration = Duration::from_mins(10);
/// Maximum number of requests of one user that wait.
const MAX_STATES: u32 = 20;
/// Length of the parameter `state`: 43 characters of base62 are 256 bits.
const STATE_CHARS: usize = 43;

/// Handles `GET /cloud/oauth/{provider}/start`: sends the browser to the page where the user permits the
/// access. The optional `next` is the path to show afterwards.
///
/// # Errors
/// `NotFound` for a provider that nobody can connect. `Forbidden` without a browser session, because the
/// way back must find the same one.
pub fn start(request: &RequestContext, caller: &User, (): ()) -> Result<Response> {
    let (settings, session) = prepare(request)?;
    request.app.db.read(|tx| access::check_storage_allowed(tx, &caller.id))?;
    let next = request.query_value("next").unwrap_or_default();
    let target = if accounts::is_local_path(&next) { next } else { PAGE.to_owned() };
    let state = crypto::random_base62(STATE_CHARS)?;
    let pending = PendingState {
        hash: crypto::sha256(state.as_bytes()),
        user: caller.id.clone(),
        session,
        provider: settings.provider,
        target,
        expires: Timestamp::now().saturating_add(STATE_LIFETIME),
    };
    request.app.db.write(move |tx| {
        store::insert_state(tx, &pending)?;
        store::limit_states(tx, &pending.user, MAX_STATES)
    })?;
    let redirect_uri = redirect_uri(request, settings.provider);
    let verifier = verifier(request, &state);
    Response::see_other(&oauth::authorize_url(&settings, &redirect_uri, &state, &verifier))
}

/// Handles `GET /cloud/oauth/{provider}/callback`, to which the provider sends the browser: exchanges the
/// code for tokens and stores the connection. Shows the page of the connections, or the path of `next`.
///
/// # Errors
/// As [`start`]. `Invalid` if this session has not begun the request, or it has expired or was used before.
/// Failures of the provider are notices of the page.
pub fn callback(request: &RequestContext, caller: &User, (): ()) -> Result<Response> {
    let (settings, session) = prepare(request)?;
    let state = request.query_value("state").unwrap_or_default();
    let wanted = PendingState {
        hash: crypto::sha256(state.as_bytes()),
        user: caller.id.clone(),
        session,
        provider: settings.provider,
        target: String::new(),
        expires: Timestamp::now(),
    };
    let target = request.app.db.write_with_reserve(move |tx| store::take_state(tx, &wanted))?;
    let Some(target) = target else {
        let message = "the request for access has expired or was used before; connect again";
        return Err(Error::Invalid(message.to_owned()));
    };
    let code = request.query_value("code").filter(|code| !code.is_empty());
    let Some(code) = code else {
        let is_denied = request.query_value("error").as_deref() == Some("access_denied");
        return redirect(PAGE, if is_denied { "connection-denied" } else { "connection-failed" });
    };
    match finish(request, caller, &settings, (&state, &code)) {
        Ok(()) => redirect(&target, "connected"),
        Err(CloudFailure::Server(Error::Conflict(_))) => redirect(PAGE, "too-many-connections"),
        Err(CloudFailure::Server(error)) => Err(error),
        Err(failure) => {
            let provider = settings.provider.as_str();
            tracing::warn!(?failure, provider, "a connection to cloud storage failed");
            redirect(PAGE, "connection-failed")
        }
    }
}

/// Exchanges the code, asks for the account and stores the connection.
fn finish(
    request: &RequestContext,
    caller: &User,
    settings: &ProviderSettings,
    (state, code): (&str, &str),
) -> CloudOutcome<()> {
    let app = request.app;
    let deadline = Deadline::since(request.received_at, MAX_REMOTE_TIME);
    let client = RemoteClient::for_user_urls(&app.config, MAX_REMOTE_TIME)?;
    let redirect_uri = redirect_uri(request, settings.provider);
    let verifier = verifier(request, state);
    let secrets = (code, verifier.as_str());
    let tokens = oauth::exchange_code(settings, &client, &redirect_uri, secrets, deadline)?;
    let access_token = tokens.access.clone();
    let session = Session { settings, client: &client, access_token: &access_token, deadline };
    let account = session.account()?;
    if account.key.is_empty() {
        return Err(CloudError::Unreadable.into());
    }
    actions::store_connection(app, caller, settings.provider, account, tokens)?;
    Ok(())
}

/// Returns the settings of the provider in the path, and the hash of the session cookie.
fn prepare(request: &RequestContext) -> Result<(ProviderSettings, crypto::Sha256Hash)> {
    let name: String = request.param("provider")?;
    let provider = Provider::from_name(&name).ok_or(Error::NotFound("page"))?;
    let settings = provider_config::find_settings(&request.app.config, provider)
        .ok_or(Error::NotFound("page"))?;
    let session = accounts::session_hash(request).ok_or_else(|| {
        Error::Forbidden("a connection begins in a browser that is signed in".to_owned())
    })?;
    Ok((settings, session))
}

/// Returns the URL to which the provider sends the browser.
fn redirect_uri(request: &RequestContext, provider: Provider) -> String {
    let base_url = &request.app.config.base_url;
    format!("{base_url}/cloud/oauth/{}/callback", provider.as_str())
}

/// Returns the secret of PKCE, which only this server can derive from the parameter `state`.
fn verifier(request: &RequestContext, state: &str) -> String {
    URL_SAFE_NO_PAD.encode(request.app.server_key.sign("cloud verifier", state.as_bytes()))
}

/// Redirects to a path of this server with the code of a notice.
fn redirect(path: &str, code: &str) -> Result<Response> {
    let (path, fragment) = path.split_at(path.find('#').unwrap_or(path.len()));
    let separator = if path.contains('?') { '&' } else { '?' };
    Response::see_other(&format!("{path}{separator}done={code}{fragment}"))
}
