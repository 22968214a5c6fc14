//! Requests to the API of a provider with an access token.

use std::thread;
use std::time::Duration;

use chartroom_platform::config::Secret;
use chartroom_platform::remote::Deadline;
use chartroom_platform::remote::RemoteBody;
use chartroom_platform::remote::RemoteClient;
use chartroom_platform::remote::RemoteMethod;
use chartroom_platform::remote::RemoteRequest;
use chartroom_platform::remote::RemoteResponse;
use serde::de::DeserializeOwned;

use super::error::CloudError;
use super::error::CloudResult;
use super::settings::ProviderSettings;

/// Maximum size of a response of an API in bytes. Contents of files have their own limits.
pub(crate) const MAX_API_BYTES: u64 = 8 << 20;

/// Time before the second attempt if the provider names none.
const DEFAULT_PAUSE: Duration = Duration::from_secs(1);
/// Longest time that a request waits for its second attempt.
const MAX_PAUSE: Duration = Duration::from_secs(10);

/// Access to one account at a provider for one request of a user or one run of a job.
pub struct Session<'a> {
    /// The provider.
    pub settings: &'a ProviderSettings,
    /// Client. Its restrictions apply to URLs in responses, but not to those of the settings.
    pub client: &'a RemoteClient,
    /// Access token.
    pub access_token: &'a Secret,
    /// End of the work.
    pub deadline: Deadline,
}

/// A request to a provider.
#[derive(Clone)]
pub(crate) struct ApiRequest<'a> {
    pub(crate) method: RemoteMethod,
    /// Absolute URL at the API or the content host of the settings.
    pub(crate) url: &'a str,
    /// Headers besides `Authorization`.
    pub(crate) headers: &'a [(&'a str, &'a str)],
    pub(crate) body: Option<&'a [u8]>,
    /// Whether to follow redirects. The token does not go to another host.
    pub(crate) follow_redirects: bool,
    /// Maximum size of the response in bytes.
    pub(crate) max_bytes: u64,
}

impl<'a> ApiRequest<'a> {
    /// Returns a request without body for a small response.
    pub(crate) fn new(method: RemoteMethod, url: &'a str) -> Self {
        Self {
            method,
            url,
            headers: &[],
            body: None,
            follow_redirects: false,
            max_bytes: MAX_API_BYTES,
        }
    }

    /// Returns a `GET` request for a small response.
    pub(crate) fn get(url: &'a str) -> Self {
        Self::new(RemoteMethod::Get, url)
    }
}

impl Session<'_> {
    /// Sends a request with the access token. Returns responses with a status below 400, but no redirects without
    /// an address. `classify` converts others to errors. Sends the request a second time if the provider is busy, and if the time
    /// that it wants to have passes well before the deadline.
    ///
    /// # Errors
    /// Those of `classify`. `Timeout`, `TooLarge` and `Unreachable` if there is no response, and
    /// `Unreadable` for a URL at another host, which would receive the token.
    pub(crate) fn send(
        &self,
        request: &ApiRequest<'_>,
        classify: fn(&RemoteResponse) -> CloudError,
    ) -> CloudResult<RemoteResponse> {
        if !self.settings.may_receive_token(request.url) {
            return Err(CloudError::Unreadable);
        }
        let first = self.send_once(request, classify);
        let Err(CloudError::Busy { retry_after }) = first else { return first };
        match self.wait_for_repetition(retry_after) {
            true => self.send_once(request, classify),
            false => first,
        }
    }

    /// Waits for the seconds that the provider wants, or [`DEFAULT_PAUSE`], before a request is sent again.
    /// Returns false at once if this takes longer than [`MAX_PAUSE`] or half of the time until the deadline.
    pub(crate) fn wait_for_repetition(&self, retry_after: Option<u64>) -> bool {
        let pause = retry_after.map_or(DEFAULT_PAUSE, Duration::from_secs);
        // A provider can send any number, and `pause * 2` would panic for the largest ones.
        let has_time =
            self.deadline.remaining().is_some_and(|remaining| pause.saturating_mul(2) < remaining);
        if pause > MAX_PAUSE || !has_time {
            return false;
        }
        thread::sleep(pause);
        true
    }

    /// Sends a request with the access token once.
    fn send_once(
        &self,
        request: &ApiRequest<'_>,
        classify: fn(&RemoteResponse) -> CloudError,
    ) -> CloudResult<RemoteResponse> {
        let authorization = format!("Bearer {}", self.access_token.reveal());
        let mut headers = vec![("Authorization", authorization.as_str())];
        headers.extend(request.headers);
        let request = RemoteRequest {
            method: request.method,
            url: request.url,
            headers: &headers,
            body: request.body,
            follow_redirects: request.follow_redirects,
            accept_cookies: false,
            max_bytes: request.max_bytes,
        };
        let response = self.client.send_to_configured(&request, self.deadline)?;
        match response.status {
            200..300 | 304 => Ok(response),
            300..400 if response.header("location").is_some() => Ok(response),
            _ => Err(match (classify(&response), response.retry_after()) {
                // Some providers limit requests with another status than 429.
                (CloudError::Rejected { status: 400..500, .. }, retry_after @ Some(_)) => {
                    CloudError::Busy { retry_after }
                }
                (error, _) => error,
            }),
        }
    }

    /// Downloads a file from a URL of a response, without the token. The URL passes the checks of URLs of
    /// users.
    ///
    /// # Errors
    /// `NotFound`, `Busy` or `Rejected` for a status other than 200. `Timeout`, `TooLarge` and `Unreachable`
    /// if there is no response.
    pub(crate) fn download(&self, url: &str, max_bytes: u64) -> CloudResult<RemoteBody> {
        let response = self.client.send(&RemoteRequest::get(url, max_bytes), self.deadline)?;
        match response.status {
            200 => Ok(response.body),
            404 | 410 => Err(CloudError::NotFound),
            429 | 503 => Err(CloudError::Busy { retry_after: response.retry_after() }),
            status => Err(CloudError::rejected(status, "")),
        }
    }
}

/// Parses a response in JSON.
///
/// # Errors
/// `Unreadable` for a response in another form.
pub(crate) fn parse_json<T: DeserializeOwned>(response: &RemoteResponse) -> CloudResult<T> {
    serde_json::from_slice(&response.body).map_err(|_| CloudError::Unreadable)
}
