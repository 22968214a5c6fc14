//! Handlers that return documents as JSON and as rendered images.

use hyper::header::CACHE_CONTROL;
use schemars::JsonSchema;
use serde::Deserialize;

use super::MayBeTooLarge;
use super::document_target;
use super::download_tokens::download_url;
use super::image_request::ImageRequest;
use super::image_request::client_has_current;
use super::image_request::entity_tag_text;
use super::image_request::look_up_image;
use super::image_response::IMAGE_CACHE_CONTROL;
use super::image_response::parse_text_mode;
use super::parse_flag;
use crate::app::RequestContext;
use crate::features::access::Caller;
use crate::features::documents::Document;
use crate::features::documents::actions;
use crate::features::documents::actions::DocumentTarget;
use crate::features::documents::actions::download_tokens;
use crate::features::documents::actions::download_tokens::TokenRequest;
use crate::features::documents::actions::history;
use crate::features::documents::actions::thumbnails;
use crate::features::documents::actions::view;
use crate::features::documents::actions::view::DocumentView;
use crate::features::documents::actions::view::DownloadUrl;
use crate::features::documents::actions::view::OptionalFields;
use crate::features::documents::actions::view::Viewer;
use crate::features::documents::background;
use crate::features::documents::document_theme;
use crate::features::documents::download_token::OutputFormat;
use crate::features::documents::history::Channel;
use crate::features::documents::history::reader::StoredVersion;
use crate::features::documents::render_options::RenderOptions;
use chartroom_platform::db::Tx;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::http::Query;
use chartroom_platform::http::Response;
use chartroom_platform::http::conditional::IfMatch;
use chartroom_platform::http::endpoint::RawJson;
use chartroom_platform::id::NodeId;

/// Query of `GET /users/{user_id}/documents/{doc}`.
#[derive(Deserialize, JsonSchema)]
pub struct GetQuery {
    /// `png` or `svg`: adds a URL that downloads the image without credentials for one hour.
    include_download_url: Option<String>,
    /// `1`: adds the background to the response, and the image at that URL has no background.
    transparent: Option<String>,
}

/// Query of the rendered images of a document.
#[derive(Deserialize, JsonSchema)]
pub struct ImageQuery {
    /// Download token, instead of credentials.
    token: Option<String>,
    /// Points, 40 to 4,096, rounded to whole points; the size of the document when absent.
    width: Option<f64>,
    /// Points, 40 to 4,096, rounded to whole points; the size of the document when absent.
    height: Option<f64>,
    /// Pixels per point of a PNG, 0.5 to 4, rounded to hundredths; 2 when absent.
    scale: Option<f64>,
    /// `1`: no background.
    transparent: Option<String>,
    /// Theme instead of the document's theme: a built-in name, or `{org id}/{name}` for a theme of an
    /// organization of the caller.
    theme: Option<String>,
    /// Number of a version; the newest when absent.
    history_version: Option<i64>,
    /// How an SVG represents text: `letters` (text elements), `outlines` (paths, for programs
    /// without the fonts) or `embedded` (text elements and the required part of the fonts in a
    /// `<style>`). When absent: `embedded` with `download` and if the theme has fonts of an
    /// organization, else `letters`. HTML supports all three, a PNG or PDF none. A PDF always
    /// embeds its fonts.
    text: Option<String>,
    /// `1`: adds a file name, so that browsers save the image.
    download: Option<String>,
}

/// Handles `GET /users/{user_id}/documents/{doc}`: returns the document as JSON, on request with
/// its background and with a URL that downloads the image without credentials.
pub fn get(
    request: &RequestContext,
    caller: &Caller,
    (Query(query), _): (Query<GetQuery>, MayBeTooLarge),
) -> Result<RawJson<DocumentView>> {
    let target = document_target(request, caller)?;
    let transparent = parse_flag("transparent", query.transparent.as_deref())?;
    let format = match query.include_download_url.as_deref() {
        None => None,
        Some("png") => Some(OutputFormat::Png),
        Some("svg") => Some(OutputFormat::Svg),
        Some(_) => return Err(Error::invalid_field("include_download_url", "must be png or svg")),
    };
    let response = request.app.db.read(|tx| {
        let (document, level) = actions::find_readable(tx, caller, &target)?;
        let mut fields = OptionalFields::default();
        if transparent {
            fields.background = Some(background::build_background(tx, &document)?);
        }
        if let Some(format) = format {
            let token_request =
                TokenRequest { format: Some(format), transparent, ..TokenRequest::default() };
            let grant = download_tokens::create_grant(tx, caller, &document, token_request);
            let mut url = download_url(request.app, &document, &grant, format);
            if format == OutputFormat::Svg {
                // A downloaded file is often opened on a computer without the fonts.
                url = url.replacen('?', "?text=embedded&", 1);
            }
            fields.download = Some(DownloadUrl { url, expires: grant.expires });
        }
        view::document_response(tx, request.app, &document, Viewer { caller, level }, &fields)
    })?;
    Ok(RawJson::new(response))
}

/// Query of the rendered images of a version.
#[derive(Deserialize, JsonSchema)]
pub struct VersionImageQuery {
    /// Points, 40 to 4,096, rounded to whole points; the size of the document when absent.
    width: Option<f64>,
    /// Points, 40 to 4,096, rounded to whole points; the size of the document when absent.
    height: Option<f64>,
    /// Pixels per point of a PNG, 0.5 to 4, rounded to hundredths; 2 when absent.
    scale: Option<f64>,
    /// `1`: no background.
    transparent: Option<String>,
    /// Theme instead of the document's theme: a built-in name, or `{org id}/{name}` for a theme of an
    /// organization of the caller.
    theme: Option<String>,
    /// How an SVG represents text: `letters` (text elements), `outlines` (paths, for programs
    /// without the fonts) or `embedded` (text elements and the required part of the fonts in a
    /// `<style>`). When absent: `embedded` with `download` and if the theme has fonts of an
    /// organization, else `letters`. HTML supports all three, a PNG or PDF none. A PDF always
    /// embeds its fonts.
    text: Option<String>,
    /// `1`: adds a file name, so that browsers save the image.
    download: Option<String>,
}

impl From<VersionImageQuery> for ImageQuery {
    /// Returns the same query without `token` and `history_version`.
    fn from(query: VersionImageQuery) -> Self {
        let VersionImageQuery { width, height, scale, transparent, theme, text, download } = query;
        Self {
            token: None,
            history_version: None,
            width,
            height,
            scale,
            transparent,
            theme,
            text,
            download,
        }
    }
}

/// Handles `GET /users/{user_id}/documents/{doc}/history/{n}.svg`: renders version `n` as SVG, for
/// a caller with access to the history.
pub fn version_svg(
    request: &RequestContext,
    caller: &Caller,
    (Query(query), _): (Query<VersionImageQuery>, MayBeTooLarge),
) -> Result<Response> {
    respond_with_image(request, caller, query.into(), OutputFormat::Svg, Some(request.param("n")?))
}

/// Handles `GET /users/{user_id}/documents/{doc}/history/{n}.png`: renders version `n` as PNG, for
/// a caller with access to the history.
pub fn version_png(
    request: &RequestContext,
    caller: &Caller,
    (Query(query), _): (Query<VersionImageQuery>, MayBeTooLarge),
) -> Result<Response> {
    respond_with_image(request, caller, query.into(), OutputFormat::Png, Some(request.param("n")?))
}

/// Handles `GET /users/{user_id}/documents/{doc}/history/{n}.pdf`: renders version `n` as PDF, for
/// a caller with access to the history.
pub fn version_pdf(
    request: &RequestContext,
    caller: &Caller,
    (Query(query), _): (Query<VersionImageQuery>, MayBeTooLarge),
) -> Result<Response> {
    respond_with_image(request, caller, query.into(), OutputFormat::Pdf, Some(request.param("n")?))
}

/// Handles `GET /users/{user_id}/documents/{doc}.svg`: renders the document as SVG, for a caller
/// with read access or a download token.
pub fn svg(
    request: &RequestContext,
    caller: &Caller,
    (Query(query), _): (Query<ImageQuery>, MayBeTooLarge),
) -> Result<Response> {
    respond_with_image(request, caller, query, OutputFormat::Svg, None)
}

/// Handles `GET /users/{user_id}/documents/{doc}.png`: renders the document as PNG, for a caller
/// with read access or a download token.
pub fn png(
    request: &RequestContext,
    caller: &Caller,
    (Query(query), _): (Query<ImageQuery>, MayBeTooLarge),
) -> Result<Response> {
    respond_with_image(request, caller, query, OutputFormat::Png, None)
}

/// Handles `GET /users/{user_id}/documents/{doc}.html`: renders the document as a self-contained
/// HTML page with chart and table, for a caller with read access or a download token.
pub fn html(
    request: &RequestContext,
    caller: &Caller,
    (Query(query), _): (Query<ImageQuery>, MayBeTooLarge),
) -> Result<Response> {
    respond_with_image(request, caller, query, OutputFormat::Html, None)
}

/// Handles `GET /users/{user_id}/documents/{doc}.pdf`: renders the document as a PDF page with vector
/// shapes and selectable text, for a caller with read access or a download token.
pub fn pdf(
    request: &RequestContext,
    caller: &Caller,
    (Query(query), _): (Query<ImageQuery>, MayBeTooLarge),
) -> Result<Response> {
    respond_with_image(request, caller, query, OutputFormat::Pdf, None)
}

/// Handles `GET /embed/{doc}`: renders a document as an HTML page for frames of other sites.
///
/// The address has no owner, so that it stays valid when the document moves to another account.
pub fn embed(
    request: &RequestContext,
    caller: &Caller,
    (Query(query), _): (Query<ImageQuery>, MayBeTooLarge),
) -> Result<Response> {
    let id: NodeId = request.param("doc")?;
    let owner = request.app.db.read(|tx| actions::find_owner(tx, &id))?;
    let target = DocumentTarget {
        // Without an owner the response is the same as for a hidden document.
        user: owner.map(|id| id.to_string()).unwrap_or_default(),
        id,
        if_match: IfMatch::from_request(request),
        channel: Channel::from_request(request, caller.user.is_some()),
    };
    // Download tokens expire, so they give no access to a permanent address.
    let query = ImageQuery { token: None, ..query };
    respond_with_target(request, caller, target, query, (OutputFormat::Html, None))
}

/// Responds with the rendered document, or with its version `number` or `history_version`. The
/// response is `304 Not Modified` if the client has the image.
///
/// The caller needs a download token or read access, for an older version also access to the
/// history.
fn respond_with_image(
    request: &RequestContext,
    caller: &Caller,
    query: ImageQuery,
    format: OutputFormat,
    number: Option<i64>,
) -> Result<Response> {
    let target = document_target(request, caller)?;
    respond_with_target(request, caller, target, query, (format, number))
}

/// Responds as [`respond_with_image`] with the document `target`, in this format and version.
fn respond_with_target(
    request: &RequestContext,
    caller: &Caller,
    target: DocumentTarget,
    query: ImageQuery,
    (format, number): (OutputFormat, Option<i64>),
) -> Result<Response> {
    let download = parse_flag("download", query.download.as_deref())?;
    let options = RenderOptions {
        width: query.width,
        height: query.height,
        scale: query.scale.unwrap_or(RenderOptions::default().scale),
        transparent: parse_flag("transparent", query.transparent.as_deref())?,
        theme: query.theme.clone(),
        interactive: false,
        text: parse_text_mode(query.text.as_deref(), format, download)?,
    };
    let mut options = options.normalize(format)?;
    let (lookup, image) = request.app.db.read(|tx| {
        let document = match &query.token {
            Some(token) => {
                let (document, grant) = download_tokens::authorize_download(
                    tx,
                    &request.app.server_key,
                    &target,
                    token,
                    format,
                )?;
                options.transparent |= grant.transparent;
                document
            }
            None => actions::find_readable(tx, caller, &target)?.0,
        };
        let version = find_older_version(tx, caller, &target, &document, &query, number)?;
        let mut image = ImageRequest::new(options.clone(), format, download);
        image.set_theme(tx, caller, &document, version.is_some(), query.text.is_none())?;
        image.set_key(&document, version.as_ref().map(StoredVersion::number));
        Ok((look_up_image(request, tx, document, version, &image)?, image))
    })?;
    lookup.into_response(request.app, &image)
}

/// Renders the document authorized by `find`, using the options that `find` returns. The response
/// is `304 Not Modified` if the client has the image.
///
/// For features with their own access rules, such as cast screens.
///
/// # Errors
/// The errors of `find`. `InvalidFields` about `scale` if a PNG would have too many pixels.
/// `NotFound` if the chart kind does not exist.
pub fn render_for_screen(
    request: &RequestContext,
    format: OutputFormat,
    find: impl FnOnce(&Tx<'_>) -> Result<(Document, RenderOptions)>,
) -> Result<Response> {
    let (lookup, image) = request.app.db.read(|tx| {
        let (document, options) = find(tx)?;
        let image = ImageRequest::for_screen(tx, &document, options, format)?;
        Ok((look_up_image(request, tx, document, None, &image)?, image))
    })?;
    lookup.into_response(request.app, &image)
}

/// Returns the requested version, or `None` if it is the newest one.
///
/// `number` comes from the path and has priority over `history_version` of the query. It requires
/// access to the history even if it is the newest one.
///
/// # Errors
/// The errors of [`history::load_version`] for `number`. `InvalidFields` about `history_version` if
/// there is no such version, or if it is an older one and the caller may not read the history or
/// the query has a token.
fn find_older_version(
    tx: &Tx<'_>,
    caller: &Caller,
    target: &DocumentTarget,
    document: &Document,
    query: &ImageQuery,
    number: Option<i64>,
) -> Result<Option<StoredVersion>> {
    let is_newest = |number: i64| number == document.history_version;
    match (number, query.history_version) {
        (Some(number), _) => {
            let version = history::load_version(tx, caller, target, number)?.2;
            Ok((!is_newest(number)).then_some(version))
        }
        (None, requested) if query.token.is_none() => {
            history::find_requested_version(tx, caller, target, document, requested)
        }
        // A token grants access to the current document only.
        (None, Some(requested)) if !is_newest(requested) => Err(history::unknown_version_error()),
        (None, _) => Ok(None),
    }
}

/// Handles `GET /users/{user_id}/documents/{doc}/thumbnail.png`, for a caller with read access.
/// Renders and stores the thumbnail if no current one is stored. Returns 304 if the client has it.
pub fn thumbnail(request: &RequestContext, caller: &Caller, _: MayBeTooLarge) -> Result<Response> {
    let (app, target) = (request.app, document_target(request, caller)?);
    let (source, tag) = app.db.read(|tx| {
        let document = thumbnails::find_document(tx, caller, &target)?;
        let theme = document_theme::find_document_theme(tx, &document)?;
        let tag = entity_tag_text(tx.restore_epoch, &thumbnails::key(&document, theme.as_ref()));
        if client_has_current(request, &tag) {
            return Ok((None, tag));
        }
        Ok((Some(thumbnails::find_thumbnail(tx, app, document, theme.as_ref())?), tag))
    })?;
    let (response, is_complete) = match source {
        None => (Response::not_modified("image/png"), true),
        Some(source) => {
            let (bytes, is_complete) = thumbnails::load_or_render_thumbnail(app, source)?;
            (Response::bytes("image/png", bytes), is_complete)
        }
    };
    let response = if is_complete { response.with_etag(&tag)? } else { response };
    response.with_header(CACHE_CONTROL, IMAGE_CACHE_CONTROL)
}
