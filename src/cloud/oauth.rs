//! OAuth 2.0 with the authorization code flow (RFC 6749) and PKCE (RFC 7636).

use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chartroom_platform::config::Secret;
use chartroom_platform::crypto;
use chartroom_platform::remote::Deadline;
use chartroom_platform::remote::RemoteClient;
use chartroom_platform::remote::RemoteMethod;
use chartroom_platform::remote::RemoteRequest;
use chartroom_platform::remote::RemoteResponse;
use form_urlencoded::Serializer;
use serde::Deserialize;

use super::error::CloudError;
use super::error::CloudResult;
use super::provider::Provider;
use super::session;
use super::settings::ProviderSettings;

/// Maximum size of a response of a token endpoint in bytes.
const MAX_TOKEN_BYTES: u64 = 64 << 10;
/// Maximum time of a revocation.
const REVOCATION_TIME: Duration = Duration::from_secs(5);

/// Tokens of an account.
#[derive(Debug, Clone)]
pub struct Tokens {
    pub access: Secret,
    /// None if the response has none, so that the one before stays valid.
    pub refresh: Option<Secret>,
    /// Seconds until the access token expires. None if the provider does not say it.
    pub expires_in: Option<u64>,
    /// Granted scopes, separated by spaces. None if the provider does not say them.
    pub scopes: Option<String>,
}

/// The form of a successful token response (RFC 6749, section 5.1).
#[derive(Deserialize)]
struct TokenResponse {
    access_token: String,
    #[serde(default)]
    refresh_token: Option<String>,
    #[serde(default)]
    expires_in: Option<u64>,
    #[serde(default)]
    scope: Option<String>,
}

/// The form of an error of a token endpoint (RFC 6749, section 5.2, and the form of Smartsheet).
#[derive(Deserialize)]
struct TokenError {
    #[serde(default)]
    error: Option<serde_json::Value>,
    #[serde(default, rename = "errorCode")]
    error_code: Option<u64>,
}

/// Returns whether requests for a code use PKCE. Box and Smartsheet do not document it.
pub fn has_pkce(provider: Provider) -> bool {
    !matches!(provider, Provider::Box | Provider::Smartsheet)
}

/// Returns the URL of the page where a person permits the access. `verifier` is the secret of PKCE: 43 to
/// 128 letters and digits.
pub fn authorize_url(
    settings: &ProviderSettings,
    redirect_uri: &str,
    state: &str,
    verifier: &str,
) -> String {
    let mut query = Serializer::new(String::new());
    query.append_pair("response_type", "code").append_pair("client_id", &settings.client_id);
    query.append_pair("redirect_uri", redirect_uri).append_pair("state", state);
    if !settings.scopes.is_empty() {
        query.append_pair("scope", &settings.scopes);
    }
    if has_pkce(settings.provider) {
        let challenge = URL_SAFE_NO_PAD.encode(crypto::sha256(verifier.as_bytes()));
        query.append_pair("code_challenge", &challenge);
        query.append_pair("code_challenge_method", "S256");
    }
    let further: &[(&str, &str)] = match settings.provider {
        Provider::Dropbox => &[("token_access_type", "offline")],
        // Google sends a refresh token only after the page for consent.
        Provider::GoogleDrive => &[("access_type", "offline"), ("prompt", "consent")],
        Provider::OneDrive => &[("response_mode", "query"), ("prompt", "select_account")],
        Provider::Box | Provider::Smartsheet => &[],
    };
    query.extend_pairs(further);
    format!("{}?{}", settings.auth_url, query.finish())
}

/// Exchanges the code of the redirect for tokens.
///
/// # Errors
/// `Unauthorized` if the code is not valid any more, and those of [`CloudError`] for other failures.
pub fn exchange_code(
    settings: &ProviderSettings,
    client: &RemoteClient,
    redirect_uri: &str,
    (code, verifier): (&str, &str),
    deadline: Deadline,
) -> CloudResult<Tokens> {
    let mut form = Serializer::new(String::new());
    form.append_pair("grant_type", "authorization_code").append_pair("code", code);
    form.append_pair("redirect_uri", redirect_uri);
    if has_pkce(settings.provider) {
        form.append_pair("code_verifier", verifier);
    }
    request_tokens(settings, client, form, code, deadline)
}

/// Exchanges a refresh token for new tokens. Box, Smartsheet and OneDrive send a new refresh token, and Box
/// accepts the old one only once.
///
/// # Errors
/// `Unauthorized` if the person must permit the access again, and those of [`CloudError`] for other
/// failures, after which the old token may still be valid.
pub fn refresh(
    settings: &ProviderSettings,
    client: &RemoteClient,
    refresh_token: &Secret,
    deadline: Deadline,
) -> CloudResult<Tokens> {
    let token = refresh_token.reveal();
    let mut form = Serializer::new(String::new());
    form.append_pair("grant_type", "refresh_token").append_pair("refresh_token", token);
    if settings.provider == Provider::OneDrive {
        form.append_pair("scope", &settings.scopes);
    }
    request_tokens(settings, client, form, token, deadline)
}

/// Sends a form with the client authentication to the token endpoint. `secret` is the code or the refresh
/// token in the form.
fn request_tokens(
    settings: &ProviderSettings,
    client: &RemoteClient,
    mut form: Serializer<'_, String>,
    secret: &str,
    deadline: Deadline,
) -> CloudResult<Tokens> {
    form.append_pair("client_id", &settings.client_id);
    if settings.provider == Provider::Smartsheet {
        // Smartsheet takes a hash in place of the secret.
        let text = format!("{}|{secret}", settings.client_secret.reveal());
        form.append_pair("hash", &crypto::to_hex(&crypto::sha256(text.as_bytes())));
    } else {
        form.append_pair("client_secret", settings.client_secret.reveal());
    }
    let body = form.finish();
    let response = send_form(client, &settings.token_url, &body, deadline)?;
    if response.status != 200 {
        return Err(classify(&response));
    }
    let tokens: TokenResponse = session::parse_json(&response)?;
    if tokens.access_token.is_empty() {
        return Err(CloudError::Unreadable);
    }
    Ok(Tokens {
        access: tokens.access_token.into(),
        refresh: tokens.refresh_token.filter(|token| !token.is_empty()).map(Secret::from),
        expires_in: tokens.expires_in,
        scopes: tokens.scope.filter(|scopes| !scopes.is_empty()),
    })
}

/// Sends a form to a URL of the settings.
fn send_form(
    client: &RemoteClient,
    url: &str,
    body: &str,
    deadline: Deadline,
) -> CloudResult<RemoteResponse> {
    let headers =
        [("Content-Type", "application/x-www-form-urlencoded"), ("Accept", "application/json")];
    let request = RemoteRequest {
        method: RemoteMethod::Post,
        url,
        headers: &headers,
        body: Some(body.as_bytes()),
        follow_redirects: false,
        accept_cookies: false,
        max_bytes: MAX_TOKEN_BYTES,
    };
    Ok(client.send_to_configured(&request, deadline)?)
}

/// Converts an error of the token endpoint. Box, Dropbox, Google and Microsoft send `invalid_grant` for a
/// token that is not valid any more, Microsoft also `interaction_required`, and Smartsheet a 4xx status
/// with an `errorCode`.
fn classify(response: &RemoteResponse) -> CloudError {
    let status = response.status;
    if status == 429 || status == 503 {
        return CloudError::Busy { retry_after: response.retry_after() };
    }
    let error: Option<TokenError> = serde_json::from_slice(&response.body).ok();
    let (code, number) = error.map_or((None, None), |error| (error.error, error.error_code));
    let code = code.as_ref().and_then(serde_json::Value::as_str).unwrap_or_default();
    match (code, number) {
        ("invalid_grant" | "interaction_required" | "consent_required", _) => {
            CloudError::Unauthorized
        }
        // Codes 4001 to 4004 of Smartsheet are temporary.
        ("", Some(4001..=4004)) => CloudError::Busy { retry_after: None },
        ("", Some(_)) if (400..500).contains(&status) => CloudError::Unauthorized,
        ("", Some(number)) => CloudError::rejected(status, &number.to_string()),
        (code, _) => CloudError::rejected(status, code),
    }
}

/// Revokes the tokens of a connection. OneDrive has no revocation of single tokens, so that nothing is sent
/// to it.
///
/// # Errors
/// Those of [`CloudError`]. The tokens may still be valid then.
pub fn revoke(
    settings: &ProviderSettings,
    client: &RemoteClient,
    (access, refresh): (&Secret, Option<&Secret>),
) -> CloudResult<()> {
    let deadline = Deadline::after(REVOCATION_TIME);
    let token = refresh.unwrap_or(access).reveal();
    let response = match settings.provider {
        Provider::OneDrive => return Ok(()),
        Provider::Box => {
            let mut form = Serializer::new(String::new());
            form.append_pair("client_id", &settings.client_id);
            form.append_pair("client_secret", settings.client_secret.reveal());
            form.append_pair("token", token);
            let url = format!("{}/oauth2/revoke", settings.api_url);
            send_form(client, &url, &form.finish(), deadline)?
        }
        Provider::GoogleDrive => {
            let mut form = Serializer::new(String::new());
            form.append_pair("token", token);
            let url = settings.token_url.replace("/token", "/revoke");
            send_form(client, &url, &form.finish(), deadline)?
        }
        Provider::Dropbox | Provider::Smartsheet => {
            let authorization = format!("Bearer {}", access.reveal());
            let (method, url) = match settings.provider {
                Provider::Dropbox => {
                    (RemoteMethod::Post, format!("{}/2/auth/token/revoke", settings.api_url))
                }
                _ => (RemoteMethod::Delete, settings.token_url.clone()),
            };
            let request = RemoteRequest {
                method,
                url: &url,
                headers: &[("Authorization", &authorization)],
                body: None,
                follow_redirects: false,
                accept_cookies: false,
                max_bytes: MAX_TOKEN_BYTES,
            };
            client.send_to_configured(&request, deadline)?
        }
    };
    match response.status {
        200..300 => Ok(()),
        _ => Err(classify(&response)),
    }
}
