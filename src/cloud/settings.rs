//! How this server reaches a provider.

use chartroom_platform::config::Secret;
use url::Url;

use super::provider::Provider;

/// The registration of this server at a provider, and the addresses of the provider. URLs have no slash
/// at the end.
#[derive(Debug, Clone)]
pub struct ProviderSettings {
    pub provider: Provider,
    /// Client id of the registration.
    pub client_id: String,
    /// Client secret of the registration.
    pub client_secret: Secret,
    /// URL of the page where people permit the access, complete.
    pub auth_url: String,
    /// URL of the token endpoint, complete.
    pub token_url: String,
    /// Scheme and host of the API.
    pub api_url: String,
    /// Scheme and host for the content of files: the content host of Dropbox and the upload hosts of Box
    /// and Google. The same as `api_url` for the other providers.
    pub content_url: String,
    /// Scheme and host of Google's editors, which export spreadsheets that the API does not export. Empty for
    /// the other providers.
    pub link_url: String,
    /// Scopes to request, separated by spaces. Empty if the registration decides about them.
    pub scopes: String,
}

impl ProviderSettings {
    /// Returns whether a URL has scheme, host and port of the API, of the content of files or of the
    /// editors. Only such a URL may receive a token.
    pub fn may_receive_token(&self, url: &str) -> bool {
        let origin = |text: &str| Url::parse(text).ok().map(|url| url.origin());
        let Some(wanted) = origin(url) else { return false };
        wanted.is_tuple()
            && [&self.api_url, &self.content_url, &self.link_url]
                .into_iter()
                .any(|own| origin(own).as_ref() == Some(&wanted))
    }
}
