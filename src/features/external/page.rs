//! The page of a document at a provider. It shows the chart; the editor works only with documents of this
//! server.

use askama::Template;

use super::documents;
use super::place::Place;
use super::preview;
use super::stored;
use crate::app::RequestContext;
use crate::features::accounts::User;
use crate::features::accounts::form::Problem;
use crate::features::accounts::page_parts;
use crate::features::cloud;
use chartroom_platform::error::Result;
use chartroom_platform::http::Response;

/// The page of a document at a provider.
#[derive(Template)]
#[template(path = "external-chart.html")]
struct ExternalPage {
    user_name: String,
    title: String,
    /// Name of the provider.
    provider: &'static str,
    /// Title of the connection.
    connection: String,
    /// Name of the file.
    file_name: String,
    /// Time of the last change in RFC 3339. Empty if the provider does not tell it.
    modified: String,
    /// Path of the image, which needs no credentials for a while.
    image: String,
    /// Path in the API.
    endpoint: String,
}

/// Handles `GET /c/{provider}/{connection}/{id}`.
///
/// # Errors
/// `NotFound` unless the connection belongs to the caller. Those of the provider.
pub fn page(request: &RequestContext, caller: &User, (): ()) -> Result<Response> {
    let place = Place::of_path(request, caller)?;
    let id = cloud::decode_id(&request.param::<String>("id")?, "document")?;
    let opened = stored::read(&place, &id)?;
    let (file, title) = (opened.file, opened.document.title());
    let base_url = &request.app.config.base_url;
    let to_path = |url: String| url.strip_prefix(base_url).map_or(url.clone(), str::to_owned);
    let endpoint = to_path(documents::file_urls(&place, &file.id).endpoint);
    let (image, _) = preview::svg_url(request, caller, &place.connection.id, &file.id)?;
    let page = ExternalPage {
        user_name: caller.name.clone(),
        title: if title.is_empty() { file.name.clone() } else { title },
        provider: place.provider().title(),
        connection: place.connection.title.clone(),
        file_name: file.name,
        modified: file.modified.unwrap_or_default(),
        image: to_path(image),
        endpoint,
    };
    page_parts::render_with_problem(&page, &Problem::default())
}
