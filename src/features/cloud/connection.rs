//! A connection, and the extent of its access.

use chartroom_cloud::Provider;
use chartroom_cloud::ProviderSettings;
use chartroom_platform::id::AccountId;
use chartroom_platform::id::ConnectionId;
use chartroom_platform::time::Timestamp;

/// A connection of a user to their account at a provider.
#[derive(Debug, Clone)]
pub struct Connection {
    pub id: ConnectionId,
    pub user: AccountId,
    pub provider: Provider,
    /// Id of the account at the provider.
    pub account_key: String,
    /// Email address of the account at the provider.
    pub email: String,
    pub title: String,
    /// Scopes that the user has granted, separated by spaces. None if the provider does not tell them.
    pub scopes: Option<String>,
    /// Access token and refresh token, encrypted.
    pub tokens: Vec<u8>,
    /// Time at which the access token expires.
    pub access_expires: Timestamp,
    /// Whether the user must permit the access again.
    pub needs_reauth: bool,
}

impl Connection {
    /// Returns whether the connection may do everything that this server can do with the provider.
    pub fn has_full_access(&self, settings: &ProviderSettings) -> bool {
        if self.needs_reauth {
            return false;
        }
        if settings.provider == Provider::GoogleDrive && settings.scopes.ends_with("drive.file") {
            return false;
        }
        let Some(granted) = &self.scopes else { return true };
        let is_granted = |wanted: &str| {
            // A refresh token proves this permission, and Microsoft does not list it. It lists the others
            // with the host of the API in front.
            wanted == "offline_access"
                || granted
                    .split_whitespace()
                    .any(|scope| scope.rsplit('/').next() == wanted.rsplit('/').next())
        };
        settings.scopes.split_whitespace().all(is_granted)
    }
}
