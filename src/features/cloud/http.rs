//! Bodies and handlers of the connections.

use chartroom_cloud::Provider;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::Serialize;

use super::actions;
use super::connection::Connection;
use super::provider_config;
use crate::app::RequestContext;
use crate::features::accounts::User;
use chartroom_platform::error::Result;
use chartroom_platform::http::Json;
use chartroom_platform::http::NoContent;
use chartroom_platform::id::ConnectionId;

/// A provider of cloud storage.
#[derive(Serialize, JsonSchema)]
pub struct SyncProvider {
    /// `box`, `dropbox`, `googledrive`, `onedrive` or `smartsheet`.
    name: &'static str,
    /// Use of the provider.
    description: String,
    /// `none`: the caller has no connection. `partial`, `full`: extent of the access.
    #[schemars(extend("enum" = ["none", "partial", "full"]))]
    access: &'static str,
    /// Address that begins the connection of an account, for a browser that is signed in. Absent if the
    /// operator has not set up the provider.
    #[serde(skip_serializing_if = "Option::is_none")]
    auth_url: Option<String>,
    /// Connections of the caller.
    #[serde(skip_serializing_if = "Option::is_none")]
    connections: Option<Vec<ConnectionView>>,
}

/// A connection to an account of a provider.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "CloudConnection")]
pub struct ConnectionView {
    id: ConnectionId,
    /// `box`, `dropbox`, `googledrive`, `onedrive` or `smartsheet`.
    provider: &'static str,
    /// Name that the user can change.
    title: String,
    /// Address of the account at the provider.
    email_address: String,
    /// The same as `email_address`.
    email: String,
    /// Permissions that the user has granted, separated by spaces. Absent if the provider does not tell
    /// them.
    #[serde(skip_serializing_if = "Option::is_none")]
    scopes: Option<String>,
    /// `active`, or `needs_reauth` if the user must permit the access again.
    #[schemars(extend("enum" = ["active", "needs_reauth"]))]
    state: &'static str,
    urls: ConnectionUrls,
}

/// Addresses of a connection.
#[derive(Serialize, JsonSchema)]
pub struct ConnectionUrls {
    /// Address in the API.
    endpoint: String,
    /// Root folder of the account.
    folders: String,
    /// Address that permits the access again, for a browser that is signed in. Absent if the operator has
    /// not set up the provider.
    #[serde(skip_serializing_if = "Option::is_none")]
    auth: Option<String>,
}

/// Body of a request that renames a connection.
#[derive(Deserialize, JsonSchema)]
pub struct TitleBody {
    /// New title, 1 to 200 characters.
    title: String,
}

/// Returns the address that begins a connection. None if the operator has not set up the provider.
fn auth_url(request: &RequestContext, provider: Provider) -> Option<String> {
    let config = &request.app.config;
    provider_config::find_settings(config, provider)?;
    Some(format!("{}/cloud/oauth/{}/start", config.base_url, provider.as_str()))
}

impl ConnectionView {
    /// Builds the view of a connection.
    fn new(request: &RequestContext, connection: Connection) -> Self {
        let base_url = &request.app.config.base_url;
        let provider = connection.provider;
        let endpoint = format!("{base_url}/api/v1/cloud/{}/{}", provider.as_str(), connection.id);
        Self {
            urls: ConnectionUrls {
                folders: format!("{endpoint}/folders"),
                endpoint,
                auth: auth_url(request, provider),
            },
            id: connection.id,
            provider: provider.as_str(),
            title: connection.title,
            email_address: connection.email.clone(),
            email: connection.email,
            scopes: connection.scopes,
            state: if connection.needs_reauth { "needs_reauth" } else { "active" },
        }
    }
}

/// Handles `GET /sync/providers`: the providers, in the order of the API, with the connections of the
/// caller.
pub fn providers(
    request: &RequestContext,
    caller: &User,
    (): (),
) -> Result<Json<Vec<SyncProvider>>> {
    let all = request.app.db.read(|tx| actions::list_connections(tx, &caller.id))?;
    let view = |provider: Provider| {
        let settings = provider_config::find_settings(&request.app.config, provider);
        let own: Vec<&Connection> =
            all.iter().filter(|connection| connection.provider == provider).collect();
        let access = match &settings {
            None => "none",
            Some(_) if own.is_empty() => "none",
            Some(settings) if own.iter().any(|one| one.has_full_access(settings)) => "full",
            Some(_) => "partial",
        };
        SyncProvider {
            name: provider.as_str(),
            description: describe_provider(provider, settings.is_some()),
            access,
            auth_url: auth_url(request, provider),
            connections: (!own.is_empty()).then(|| {
                own.into_iter().map(|one| ConnectionView::new(request, one.clone())).collect()
            }),
        }
    };
    Ok(Json(Provider::ALL.map(view).into()))
}

/// Returns the sentence about the use of a provider.
fn describe_provider(provider: Provider, is_set_up: bool) -> String {
    let title = provider.title();
    if is_set_up {
        return format!("{title}: documents, and spreadsheets as sources of data");
    }
    match provider {
        Provider::Box => format!(
            "{title}: the operator of this server has not set it up; direct links to shared files work"
        ),
        Provider::Dropbox | Provider::GoogleDrive => format!(
            "{title}: the operator of this server has not set it up; links that everybody may open work"
        ),
        Provider::OneDrive => format!(
            "{title}: the operator of this server has not set it up; links of SharePoint that everybody \
             may open work"
        ),
        Provider::Smartsheet => {
            format!("{title}: the operator of this server has not set it up")
        }
    }
}

/// Handles `GET /sync/connections` and `GET /user/cloud/connections`: the connections of the caller.
pub fn connections(
    request: &RequestContext,
    caller: &User,
    (): (),
) -> Result<Json<Vec<ConnectionView>>> {
    let all = request.app.db.read(|tx| actions::list_connections(tx, &caller.id))?;
    Ok(Json(all.into_iter().map(|one| ConnectionView::new(request, one)).collect()))
}

/// Handles `DELETE /sync/connections/{connectionId}`: deletes a connection of the caller.
pub fn delete(request: &RequestContext, caller: &User, (): ()) -> Result<NoContent> {
    let (id, user) = (request.param::<ConnectionId>("connectionId")?, caller.id.clone());
    request.app.db.write_with_reserve(move |tx| actions::delete_connection(tx, &user, &id))?;
    Ok(NoContent)
}

/// Handles `DELETE /cloud/{provider}/{connection}`: deletes a connection of the caller.
pub fn delete_of_provider(request: &RequestContext, caller: &User, (): ()) -> Result<NoContent> {
    let id = find_in_path(request, caller)?.id;
    let user = caller.id.clone();
    request.app.db.write_with_reserve(move |tx| actions::delete_connection(tx, &user, &id))?;
    Ok(NoContent)
}

/// Handles `POST /cloud/{provider}/{connection}/rename`: renames a connection of the caller.
pub fn rename(
    request: &RequestContext,
    caller: &User,
    Json(body): Json<TitleBody>,
) -> Result<Json<ConnectionView>> {
    let id = find_in_path(request, caller)?.id;
    let user = caller.id.clone();
    let renamed =
        request.app.db.write(move |tx| actions::rename_connection(tx, &user, &id, &body.title))?;
    Ok(Json(ConnectionView::new(request, renamed)))
}

/// Returns the connection in the path, which belongs to the caller.
///
/// # Errors
/// `NotFound` for any other connection and for another provider.
fn find_in_path(request: &RequestContext, caller: &User) -> Result<Connection> {
    let (provider, id) = (request.param::<String>("provider")?, request.param("connection")?);
    request.app.db.read(|tx| actions::find_of_provider(tx, &caller.id, &provider, &id))
}
