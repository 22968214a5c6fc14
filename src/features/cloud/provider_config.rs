//! The settings of the providers.

use chartroom_cloud::Provider;
use chartroom_cloud::ProviderSettings;
use chartroom_platform::config::Config;
use chartroom_platform::config::GoogleScope;

/// Scopes of Dropbox for documents and sources.
const DROPBOX_SCOPES: &str =
    "account_info.read files.metadata.read files.content.read files.content.write sharing.read";
/// Scope of Google Drive for the files that this server creates.
const GOOGLE_FILE_SCOPE: &str = "https://www.googleapis.com/auth/drive.file";
/// Scope of Google Drive for all files.
const GOOGLE_FULL_SCOPE: &str = "https://www.googleapis.com/auth/drive";
/// Scopes of OneDrive. `offline_access` is the permission for a refresh token.
const ONEDRIVE_SCOPES: &str = "offline_access User.Read Files.ReadWrite";
/// Scopes of Smartsheet for sources, documents and folders.
const SMARTSHEET_SCOPES: &str = "READ_SHEETS WRITE_SHEETS ADMIN_WORKSPACES CREATE_SHEETS";

/// Returns the settings of a provider. None if it has no client id, so that nobody can connect it.
pub fn find_settings(config: &Config, provider: Provider) -> Option<ProviderSettings> {
    let tenant = |url: &String| url.replace("{tenant}", &config.onedrive_tenant);
    let settings = match provider {
        Provider::Box => ProviderSettings {
            provider,
            client_id: config.box_client_id.clone(),
            client_secret: config.box_client_secret.clone(),
            auth_url: config.box_auth_url.clone(),
            token_url: config.box_token_url.clone(),
            api_url: config.box_api_url.clone(),
            content_url: config.box_upload_url.clone(),
            // The registration of the client at Box decides about the scopes.
            scopes: String::new(),
        },
        Provider::Dropbox => ProviderSettings {
            provider,
            client_id: config.dropbox_client_id.clone(),
            client_secret: config.dropbox_client_secret.clone(),
            auth_url: config.dropbox_auth_url.clone(),
            token_url: config.dropbox_token_url.clone(),
            api_url: config.dropbox_api_url.clone(),
            content_url: config.dropbox_content_url.clone(),
            scopes: DROPBOX_SCOPES.to_owned(),
        },
        Provider::GoogleDrive => ProviderSettings {
            provider,
            client_id: config.googledrive_client_id.clone(),
            client_secret: config.googledrive_client_secret.clone(),
            auth_url: config.googledrive_auth_url.clone(),
            token_url: config.googledrive_token_url.clone(),
            api_url: config.googledrive_api_url.clone(),
            content_url: config.googledrive_upload_url.clone(),
            scopes: match config.googledrive_scope {
                GoogleScope::File => GOOGLE_FILE_SCOPE.to_owned(),
                GoogleScope::Full => GOOGLE_FULL_SCOPE.to_owned(),
            },
        },
        Provider::OneDrive => ProviderSettings {
            provider,
            client_id: config.onedrive_client_id.clone(),
            client_secret: config.onedrive_client_secret.clone(),
            auth_url: tenant(&config.onedrive_auth_url),
            token_url: tenant(&config.onedrive_token_url),
            api_url: config.onedrive_api_url.clone(),
            content_url: config.onedrive_api_url.clone(),
            scopes: ONEDRIVE_SCOPES.to_owned(),
        },
        Provider::Smartsheet => ProviderSettings {
            provider,
            client_id: config.smartsheet_client_id.clone(),
            client_secret: config.smartsheet_client_secret.clone(),
            auth_url: config.smartsheet_auth_url.clone(),
            token_url: config.smartsheet_token_url.clone(),
            api_url: config.smartsheet_api_url.clone(),
            content_url: config.smartsheet_api_url.clone(),
            scopes: SMARTSHEET_SCOPES.to_owned(),
        },
    };
    (!settings.client_id.is_empty()).then_some(settings)
}
