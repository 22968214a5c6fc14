//! Images of documents at a provider.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use serde::Serialize;

use super::place::Place;
use super::shown_files;
use super::stored;
use crate::app::RequestContext;
use crate::features::access;
use crate::features::accounts;
use crate::features::accounts::User;
use crate::features::cloud;
use crate::features::documents;
use crate::features::documents::FileRevision;
use crate::features::documents::OutputFormat;
use crate::features::documents::RenderOptions;
use chartroom_platform::crypto;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::http::Json;
use chartroom_platform::http::Query;
use chartroom_platform::http::Response;
use chartroom_platform::id::AccountId;
use chartroom_platform::id::ConnectionId;
use chartroom_platform::time::Timestamp;

/// Time for which the URL of a preview is valid.
const LIFETIME: Duration = Duration::from_mins(15);
/// Maximum length of a token in bytes.
const MAX_TOKEN_BYTES: usize = 4 << 10;

/// Query or body of a request for a preview.
#[derive(Deserialize, JsonSchema)]
pub struct PreviewRequest {
    /// `png` (the default) or `svg`.
    #[serde(rename = "type")]
    #[schemars(extend("enum" = ["png", "svg", null]))]
    kind: Option<String>,
}

/// Query of a thumbnail.
#[derive(Deserialize, JsonSchema)]
pub struct ThumbnailQuery {
    /// Revision of the file, as in the lists of folders. A thumbnail of this revision that was rendered before
    /// needs no request to the provider within a minute after the list. The newest one when absent.
    revision: Option<String>,
}

/// The URL of a preview.
#[derive(Serialize, JsonSchema)]
pub struct PreviewUrl {
    /// URL that needs no credentials.
    url: String,
    /// Time until which it is valid.
    expires_at: Timestamp,
}

/// Content of the token in the URL.
#[derive(Serialize, Deserialize)]
struct Preview {
    user: AccountId,
    connection: ConnectionId,
    /// Id of the file at the provider.
    file: String,
    is_svg: bool,
    expires: i64,
}

/// Handles `POST …/documents/{id}/request-preview`.
pub fn request_by_body(
    request: &RequestContext,
    caller: &User,
    Json(body): Json<PreviewRequest>,
) -> Result<Json<PreviewUrl>> {
    create_url(request, caller, body)
}

/// Handles `GET …/documents/{id}/request-preview`.
pub fn request_by_query(
    request: &RequestContext,
    caller: &User,
    Query(query): Query<PreviewRequest>,
) -> Result<Json<PreviewUrl>> {
    create_url(request, caller, query)
}

/// Returns a URL for the image of a document. Whether the document exists shows when it is used.
fn create_url(
    request: &RequestContext,
    caller: &User,
    wanted: PreviewRequest,
) -> Result<Json<PreviewUrl>> {
    let place = Place::of_path(request, caller)?;
    let file = cloud::decode_id(&request.param::<String>("id")?, "document")?;
    let is_svg = match wanted.kind.as_deref() {
        None | Some("png") => false,
        Some("svg") => true,
        Some(_) => return Err(Error::invalid_field("type", "must be png or svg")),
    };
    let (url, expires_at) = build_url(request, caller, &place.connection.id, file, is_svg)?;
    Ok(Json(PreviewUrl { url, expires_at }))
}

/// Returns a URL for the image of a document, and the time until which it is valid.
fn build_url(
    request: &RequestContext,
    caller: &User,
    connection: &ConnectionId,
    file: String,
    is_svg: bool,
) -> Result<(String, Timestamp)> {
    let expires = Timestamp::now().saturating_add(LIFETIME);
    let preview = Preview {
        user: caller.id.clone(),
        connection: connection.clone(),
        file,
        is_svg,
        expires: expires.0,
    };
    let token = crypto::seal_json(&preview_key(request), &preview)?;
    let base_url = &request.app.config.base_url;
    Ok((format!("{base_url}/api/v1/cloud-preview/{token}"), expires))
}

/// Returns the key that encrypts the tokens of previews.
fn preview_key(request: &RequestContext) -> [u8; 32] {
    request.app.server_key.sign("cloud preview", b"")
}

/// Handles `GET /cloud-preview/{token}`: renders a document at a provider, for everybody with the URL.
///
/// # Errors
/// `NotFound` for a token that was changed or has expired, and if its user or connection does not exist any
/// more. `Forbidden` if an organization of the user permits no documents.
pub fn image(request: &RequestContext, (): ()) -> Result<Response> {
    let unknown = || Error::NotFound("preview");
    let token: String = request.param("token")?;
    let preview: Preview = Some(token)
        .filter(|token| token.len() <= MAX_TOKEN_BYTES)
        .and_then(|token| crypto::open_json(&preview_key(request), &token))
        .ok_or_else(unknown)?;
    if Timestamp(preview.expires) < Timestamp::now() {
        return Err(unknown());
    }
    let (user, connection) = request.app.db.read(|tx| {
        let profile = accounts::load_profile(tx, &preview.user)?;
        let connection = cloud::find_connection(tx, &preview.user, &preview.connection)?;
        Ok((profile, connection))
    })?;
    if user.disabled {
        return Err(unknown());
    }
    // The organization may have forbidden documents since the URL was made.
    request.app.db.read(|tx| access::check_storage_allowed(tx, &preview.user))?;
    let format = if preview.is_svg { OutputFormat::Svg } else { OutputFormat::Png };
    let place = Place::new(request, connection);
    // Without the memory for the file, because the render reserves its own.
    let (_, document) = stored::read(&place, &preview.file)?.into_parts();
    let options = RenderOptions::default();
    documents::render_file_response(place.app, &preview.user, document.to_draft()?, options, format)
}

/// Handles `GET …/documents/{id}/thumbnail.png`. Reads the file only if the thumbnail of its revision is not in
/// the cache. Asks the provider whether the account may still see the file, unless it has just shown it.
///
/// # Errors
/// `Cloud` if the connection has ended. `NotFound` if the account may not see the file any more.
pub fn thumbnail(
    request: &RequestContext,
    caller: &User,
    Query(query): Query<ThumbnailQuery>,
) -> Result<Response> {
    let place = Place::of_path(request, caller)?;
    let file = cloud::decode_id(&request.param::<String>("id")?, "document")?;
    place.require_access()?;
    let revision = match query.revision {
        Some(revision) if shown_files::is_recent(&place, &file) => revision,
        _ => stored::find_file(&place, &file)?.revision,
    };
    let known = FileRevision { connection: &place.connection.id, file: &file, revision: &revision };
    documents::file_thumbnail(request, &caller.id, known, || {
        let (stored, document) = stored::read(&place, &file)?.into_parts();
        Ok((stored.revision, document.to_draft()?))
    })
}
