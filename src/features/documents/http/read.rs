//! Handlers that return documents as JSON and as rendered images.

use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hyper::header::CACHE_CONTROL;
use schemars::JsonSchema;
use serde::Deserialize;

use super::MayBeTooLarge;
use super::document_target;
use super::download_tokens::download_url;
use super::image_response::IMAGE_CACHE_CONTROL;
use super::image_response::build_image_response;
use super::image_response::build_not_modified_response;
use super::image_response::parse_text_mode;
use super::image_response::text_mode_for_own_fonts;
use super::parse_flag;
use crate::app::App;
use crate::app::RenderedImage;
use crate::app::RequestContext;
use crate::features::access::Caller;
use crate::features::documents::Document;
use crate::features::documents::actions;
use crate::features::documents::actions::DocumentTarget;
use crate::features::documents::actions::download_tokens;
use crate::features::documents::actions::download_tokens::TokenRequest;
use crate::features::documents::actions::history;
use crate::features::documents::actions::images;
use crate::features::documents::actions::thumbnails;
use crate::features::documents::actions::view;
use crate::features::documents::actions::view::DocumentView;
use crate::features::documents::actions::view::DownloadUrl;
use crate::features::documents::actions::view::OptionalFields;
use crate::features::documents::actions::view::Viewer;
use crate::features::documents::background;
use crate::features::documents::document_theme;
use crate::features::documents::download_token::OutputFormat;
use crate::features::documents::history::reader::StoredVersion;
use crate::features::documents::image;
use crate::features::documents::image::RenderInput;
use crate::features::documents::render_options::RenderOptions;
use crate::features::orgs::themes;
use crate::features::orgs::themes::LoadedTheme;
use crate::features::orgs::themes::OrgTheme;
use chartroom_charts::svg::TextMode;
use chartroom_platform::crypto;
use chartroom_platform::crypto::Sha256Hash;
use chartroom_platform::db::Tx;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::http::Query;
use chartroom_platform::http::Response;
use chartroom_platform::http::conditional;
use chartroom_platform::http::endpoint::RawJson;

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
    /// organization, else `letters`. HTML supports all three, a PNG none.
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
    /// organization, else `letters`. HTML supports all three, a PNG none.
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

/// A requested image.
struct ImageRequest {
    /// Identifies the image in the cache and in its entity tag.
    key: Sha256Hash,
    options: RenderOptions,
    format: OutputFormat,
    /// Theme of an organization that the image uses. For an older version, only one that the
    /// options name.
    org_theme: Option<OrgTheme>,
    /// Whether browsers save the image instead of showing it.
    download: bool,
}

/// Result of looking up a requested image.
enum ImageLookup {
    /// The client has the current image.
    NotModified {
        document: Document,
        /// None if the policy of the built-in pages is sufficient.
        content_security_policy: Option<String>,
    },
    /// The image is in the cache.
    Cached(Arc<RenderedImage>, Document),
    /// The current document must be rendered.
    Current(RenderInput),
    /// An older version must be decoded and rendered.
    OlderVersion(StoredVersion),
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
        let older_number = version.as_ref().map(StoredVersion::number);
        let (org_theme, fingerprint) = match options.theme.is_none() && version.is_some() {
            // The theme of the version is compressed with its content.
            true => (None, Some(themes::fingerprint_account(tx, &document.owner)?)),
            false => {
                let theme = document_theme::find_image_theme(tx, caller, &document, &options)?;
                let fingerprint = theme.as_ref().map(OrgTheme::fingerprint);
                (theme, fingerprint)
            }
        };
        if query.text.is_none() && org_theme.as_ref().is_some_and(OrgTheme::has_fonts) {
            options.text = text_mode_for_own_fonts(format);
        }
        let extension = format.extension();
        let key = image::cache_key(&document, older_number, extension, &options, fingerprint);
        let image = ImageRequest { key, options: options.clone(), format, org_theme, download };
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
        let org_theme = document_theme::find_document_theme(tx, &document)?;
        let fingerprint = org_theme.as_ref().map(OrgTheme::fingerprint);
        let key = image::cache_key(&document, None, format.extension(), &options, fingerprint);
        let image = ImageRequest { key, options, format, org_theme, download: false };
        Ok((look_up_image(request, tx, document, None, &image)?, image))
    })?;
    lookup.into_response(request.app, &image)
}

/// Determines how to provide an image: the client has it, the cache has it, or it must be rendered.
/// Then returns `version` or else loads the records of the current document. Renders nothing. The
/// caller must have checked access.
fn look_up_image(
    request: &RequestContext,
    tx: &Tx<'_>,
    document: Document,
    version: Option<StoredVersion>,
    image: &ImageRequest,
) -> Result<ImageLookup> {
    let tag = entity_tag_text(tx.restore_epoch, &image.key);
    Ok(if client_has_current(request, &tag) && image.has_known_headers(version.is_some()) {
        let content_security_policy = match image.format {
            OutputFormat::Html => {
                Some(image::page_policy(&document, &image.options, image.org_theme.as_ref())?)
            }
            OutputFormat::Svg | OutputFormat::Png => None,
        };
        ImageLookup::NotModified { document, content_security_policy }
    } else if let Some(image) = request.app.rendered_images.get(&image.key) {
        ImageLookup::Cached(image, document)
    } else if let Some(version) = version {
        ImageLookup::OlderVersion(version)
    } else {
        let org_theme = image.org_theme.as_ref();
        ImageLookup::Current(images::load_render_input(tx, document, org_theme)?)
    })
}

impl ImageRequest {
    /// Reads the theme of an organization for an image of an older version: that of the options, or
    /// that of `document`, which has the content of the version.
    fn load_version_theme(&self, app: &App, document: &Document) -> Result<Option<LoadedTheme>> {
        app.db.read(|tx| {
            let theme = match (&self.options.theme, &self.org_theme) {
                (Some(_), theme) => theme.clone(),
                (None, _) => document_theme::find_document_theme(tx, document)?,
            };
            theme.map(|theme| theme.load(tx)).transpose()
        })
    }

    /// Returns whether the headers of the image are known without rendering it. `is_older` means
    /// that the image shows an older version.
    ///
    /// The content security policy of embedded fonts contains their hash. The policy of a page
    /// depends on the theme, and the name of a file on the title. Older versions store both in
    /// compressed form.
    fn has_known_headers(&self, is_older: bool) -> bool {
        let embeds_fonts =
            self.format != OutputFormat::Png && self.options.text == TextMode::Embedded;
        let needs_content = self.format == OutputFormat::Html || self.download;
        !(embeds_fonts || is_older && needs_content)
    }
}

impl ImageLookup {
    /// Renders the image if necessary and builds the response. Call it without an open transaction.
    fn into_response(self, app: &App, request: &ImageRequest) -> Result<Response> {
        let &ImageRequest { key, ref options, format, download, .. } = request;
        let tag = entity_tag_text(app.db.restore_epoch(), &key);
        let (image, document) = match self {
            Self::NotModified { document, content_security_policy } => {
                let policy = content_security_policy.as_deref();
                return build_not_modified_response(policy, &document.title, format, download)?
                    .with_etag(&tag);
            }
            Self::Cached(image, document) => (image, document),
            Self::OlderVersion(version) => {
                let mut input = RenderInput::from(version.decode()?);
                input.org_theme = request.load_version_theme(app, &input.document)?;
                images::render_and_cache(app, input, key, options, format)?
            }
            Self::Current(input) => images::render_and_cache(app, input, key, options, format)?,
        };
        let response = build_image_response(&image, &document.title, format, download)?;
        // The tag stands for the complete image.
        if image.is_incomplete { Ok(response) } else { response.with_etag(&tag) }
    }
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

/// Returns true if `If-None-Match` contains the entity tag `tag` (given without quotes).
fn client_has_current(request: &RequestContext, tag: &str) -> bool {
    conditional::find_matching_tag(&request.headers, &format!("\"{tag}\"")).is_some()
}

/// Returns the text of an entity tag, without quotes: the first 128 bits of a hash in base64url,
/// then a hyphen and the restore epoch of the database unless that is empty.
fn entity_tag_text(restore_epoch: &str, key: &crypto::Sha256Hash) -> String {
    let separator = if restore_epoch.is_empty() { "" } else { "-" };
    [&URL_SAFE_NO_PAD.encode(&key[..16]), separator, restore_epoch].concat()
}
