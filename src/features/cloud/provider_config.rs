//! The settings of the providers.

use chartroom_cloud::Provider;
use chartroom_cloud::ProviderSettings;
use chartroom_platform::config::Config;
use chartroom_platform::config::GoogleScope;
use chartroom_platform::config::Secret;

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

/// The settings of one provider in the configuration.
struct Named<'a> {
    client: (&'a String, &'a Secret),
    auth_url: &'a str,
    token_url: &'a str,
    api_url: &'a str,
    content_url: &'a str,
    link_url: &'a str,
    scopes: &'a str,
}

/// Returns the settings of a provider. None if it has no client id, so that nobody can connect it.
pub fn find_settings(config: &Config, provider: Provider) -> Option<ProviderSettings> {
    let named = named_settings(config, provider);
    let (client_id, client_secret) = named.client;
    if client_id.is_empty() {
        return None;
    }
    let with_tenant = |url: &str| match provider {
        Provider::OneDrive => url.replace("{tenant}", &config.onedrive_tenant),
        _ => url.to_owned(),
    };
    Some(ProviderSettings {
        provider,
        client_id: client_id.clone(),
        client_secret: client_secret.clone(),
        auth_url: with_tenant(named.auth_url),
        token_url: with_tenant(named.token_url),
        api_url: named.api_url.to_owned(),
        content_url: named.content_url.to_owned(),
        link_url: named.link_url.to_owned(),
        scopes: named.scopes.to_owned(),
    })
}

/// Returns the settings of a provider in the configuration.
fn named_settings(config: &Config, provider: Provider) -> Named<'_> {
    match provider {
        Provider::Box => Named {
            client: (&config.box_client_id, &config.box_client_secret),
            auth_url: &config.box_auth_url,
            token_url: &config.box_token_url,
            api_url: &config.box_api_url,
            content_url: &config.box_upload_url,
            link_url: "",
            // The registration of the client at Box decides about the scopes.
            scopes: "",
        },
        Provider::Dropbox => Named {
            client: (&config.dropbox_client_id, &config.dropbox_client_secret),
            auth_url: &config.dropbox_auth_url,
            token_url: &config.dropbox_token_url,
            api_url: &config.dropbox_api_url,
            content_url: &config.dropbox_content_url,
            link_url: "",
            scopes: DROPBOX_SCOPES,
        },
        Provider::GoogleDrive => Named {
            client: (&config.googledrive_client_id, &config.googledrive_client_secret),
            auth_url: &config.googledrive_auth_url,
            token_url: &config.googledrive_token_url,
            api_url: &config.googledrive_api_url,
            content_url: &config.googledrive_upload_url,
            link_url: &config.googledrive_link_url,
            scopes: match config.googledrive_scope {
                GoogleScope::File => GOOGLE_FILE_SCOPE,
                GoogleScope::Full => GOOGLE_FULL_SCOPE,
            },
        },
        Provider::OneDrive => Named {
            client: (&config.onedrive_client_id, &config.onedrive_client_secret),
            auth_url: &config.onedrive_auth_url,
            token_url: &config.onedrive_token_url,
            api_url: &config.onedrive_api_url,
            content_url: &config.onedrive_api_url,
            link_url: "",
            scopes: ONEDRIVE_SCOPES,
        },
        Provider::Smartsheet => Named {
            client: (&config.smartsheet_client_id, &config.smartsheet_client_secret),
            auth_url: &config.smartsheet_auth_url,
            token_url: &config.smartsheet_token_url,
            api_url: &config.smartsheet_api_url,
            content_url: &config.smartsheet_api_url,
            link_url: "",
            scopes: SMARTSHEET_SCOPES,
        },
    }
}
