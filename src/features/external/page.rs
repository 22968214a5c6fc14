//! The pages of documents at a provider: the charts in a folder, and the editor of one chart.

use askama::Template;

use super::documents;
use super::place::Place;
use super::stored;
use crate::app::RequestContext;
use crate::features::accounts::User;
use crate::features::accounts::form::Problem;
use crate::features::accounts::page_parts;
use crate::features::cloud;
use crate::features::documents::InlineChart;
use crate::features::documents::render_draft_inline;
use crate::features::portfolio;
use chartroom_platform::error::Result;
use chartroom_platform::http::Response;

/// The page of the folders of a connection. Scripts load the list, because providers can be slow.
#[derive(Template)]
#[template(path = "external-folder.html")]
struct FolderPage {
    user_name: String,
    /// Account id of the signed-in user.
    user: String,
    /// Name of the provider.
    provider: &'static str,
    /// Name of the provider in the API.
    provider_id: &'static str,
    /// Id of the connection.
    connection: String,
    /// Title of the connection.
    title: String,
    /// Address of the account at the provider.
    email: String,
    /// Path that permits the access again. Empty unless the connection has ended.
    renew: String,
}

/// The page of a document at a provider.
#[derive(Template)]
#[template(path = "external-chart.html")]
struct ExternalPage {
    user_name: String,
    /// Account id of the signed-in user.
    user: String,
    /// Id of the document in the scripts.
    id: String,
    title: String,
    /// Title of the chart kind.
    kind: &'static str,
    /// Name of the provider.
    provider: &'static str,
    /// Title of the connection.
    connection: String,
    /// Path of the page of the folder.
    folder: String,
    /// Name of the file.
    file_name: String,
    /// Time of the last change in RFC 3339. Empty if the provider does not tell it.
    modified: String,
    /// Path in the API.
    endpoint: String,
    rendered: InlineChart,
    /// Width and height in points.
    size: (f64, f64),
}

/// Handles `GET /c/{provider}/{connection}`.
///
/// # Errors
/// `NotFound` unless the connection belongs to the caller.
pub fn folder_page(request: &RequestContext, caller: &User, (): ()) -> Result<Response> {
    let place = Place::of_path(request, caller)?;
    let provider = place.provider();
    let renew = match place.connection.needs_reauth {
        true => format!("/cloud/oauth/{}/start?next={}", provider.as_str(), request.path),
        false => String::new(),
    };
    let page = FolderPage {
        user_name: caller.name.clone(),
        user: caller.id.to_string(),
        provider: provider.title(),
        provider_id: provider.as_str(),
        connection: place.connection.id.to_string(),
        title: place.connection.title,
        email: place.connection.email,
        renew,
    };
    page_parts::render_with_problem(&page, &Problem::default())
}

/// Handles `GET /c/{provider}/{connection}/{id}`.
///
/// # Errors
/// `NotFound` unless the connection belongs to the caller. Those of the provider.
pub fn page(request: &RequestContext, caller: &User, (): ()) -> Result<Response> {
    let place = Place::of_path(request, caller)?;
    let id = cloud::decode_id(&request.param::<String>("id")?, "document")?;
    // Without the memory for the file, because the render reserves its own.
    let (file, document) = stored::read(&place, &id)?.into_parts();
    let title = document.title();
    let kind = portfolio::find_kind(&document.kind());
    let endpoint = documents::file_urls(&place, &file.id, None).endpoint;
    let base_url = &request.app.config.base_url;
    let folder = file.folder_id.as_deref().map(cloud::encode_id);
    let (mut rendered, size) = render_draft_inline(request.app, &caller.id, document.to_draft()?)?;
    rendered.mark_image();
    let page = ExternalPage {
        user_name: caller.name.clone(),
        user: caller.id.to_string(),
        id: format!("{}-{}", place.connection.id, cloud::encode_id(&file.id)),
        title: if title.trim().is_empty() { file.name.clone() } else { title },
        kind: kind.map(|kind| kind.localized().title.as_str()).unwrap_or_default(),
        provider: place.provider().title(),
        connection: place.connection.title.clone(),
        folder: documents::folder_page_path(&place, folder.as_deref()),
        file_name: file.name.clone(),
        modified: file.modified.clone().unwrap_or_default(),
        endpoint: endpoint.strip_prefix(base_url).unwrap_or(&endpoint).to_owned(),
        rendered,
        size,
    };
    page_parts::render_with_problem(&page, &Problem::default())
}
