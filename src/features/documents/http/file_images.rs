//! Images of documents that are files at a provider. This server does not store them, and caches their
//! thumbnails by revision.

use std::time::Duration;
use std::time::Instant;

use super::image_request::client_has_current;
use super::image_request::entity_tag_text;
use super::image_response::build_image_response;
use super::image_response::build_not_modified_response;
use super::image_response::text_mode_for_own_fonts;
use crate::app::App;
use crate::app::RequestContext;
use crate::features::documents::actions::images;
use crate::features::documents::download_token::OutputFormat;
use crate::features::documents::draft::Draft;
use crate::features::documents::render_options::RenderOptions;
use crate::features::documents::thumbnails;
use crate::features::orgs::themes;
use crate::features::orgs::themes::LoadedTheme;
use crate::features::portfolio;
use chartroom_platform::crypto;
use chartroom_platform::crypto::Sha256Hash;
use chartroom_platform::error::CloudProblem;
use chartroom_platform::error::CloudProblemKind;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::http::Response;
use chartroom_platform::id::AccountId;
use chartroom_platform::id::ConnectionId;

/// Time without another attempt to render a thumbnail of a revision that this server cannot read.
const UNREADABLE_PAUSE: Duration = Duration::from_hours(1);

/// A file at one revision.
#[derive(Debug, Clone, Copy)]
pub struct FileRevision<'a> {
    /// Connection through which the user reads the file.
    pub connection: &'a ConnectionId,
    /// Id of the file at the provider.
    pub file: &'a str,
    pub revision: &'a str,
}

impl FileRevision<'_> {
    /// Returns the cache key of the thumbnail. `themes` is a hash of the themes that the user may use.
    fn thumbnail_key(&self, themes: &Sha256Hash) -> Sha256Hash {
        let Self { connection, file, revision } = self;
        let (version, fonts) = (chartroom_charts::RENDERER_VERSION, portfolio::fonts_fingerprint());
        let text = format!("file {connection} {file:?} {revision:?} {version} {fonts} {themes:?}");
        crypto::sha256(text.as_bytes())
    }
}

/// Renders a file with the themes that `user` may use. Invalid settings are warnings, as in a stored document.
///
/// # Errors
/// `InvalidFields` about an invalid field of the document, and the errors of other renders.
pub fn render_file_response(
    app: &App,
    user: &AccountId,
    draft: Draft,
    options: RenderOptions,
    format: OutputFormat,
) -> Result<Response> {
    let mut options = options.normalize(format)?;
    let (input, _) = images::load_tolerant_input(app, user, draft)?;
    if input.org_theme.as_ref().is_some_and(LoadedTheme::has_fonts) {
        options.text = text_mode_for_own_fonts(format);
    }
    let image = images::render(app, &input, &options, format)?;
    build_image_response(&image, &input.document.title, format, false)
}

/// Responds with the thumbnail of a file as PNG. `known` has the revision that the client knows. If its
/// thumbnail is neither in the cache nor in that of the client, calls `read`, which returns the newest revision
/// and its content, and caches the thumbnail of that revision. The caller must have checked that `user` may see
/// the file now.
///
/// # Errors
/// Those of `read` and of [`render_file_response`]. An error about the content of the file has the kind
/// `Unreadable`, and is remembered with its revision for `UNREADABLE_PAUSE`.
pub fn file_thumbnail(
    request: &RequestContext,
    user: &AccountId,
    known: FileRevision<'_>,
    read: impl FnOnce() -> Result<(String, Draft)>,
) -> Result<Response> {
    let (app, format) = (request.app, OutputFormat::Png);
    let themes = app.db.read(|tx| themes::fingerprint_account(tx, user))?;
    let mut key = known.thumbnail_key(&themes);
    let tag_of = |key: &Sha256Hash| entity_tag_text(app.db.restore_epoch(), key);
    if client_has_current(request, &tag_of(&key)) {
        return build_not_modified_response(None, "", format, false)?.with_etag(&tag_of(&key));
    }
    let image = match app.rendered_images.get(&key) {
        Some(image) => image,
        None => {
            check_readable(app, &key)?;
            let rendered = read().and_then(|(revision, draft)| {
                key = FileRevision { revision: &revision, ..known }.thumbnail_key(&themes);
                images::find_or_render(app, key, || {
                    let (input, _) = images::load_tolerant_input(app, user, draft)?;
                    let options = thumbnails::thumbnail_options(&input.document)?;
                    images::render(app, &input, &options.normalize(format)?, format)
                })
            });
            rendered.map_err(|error| remember_unreadable(app, key, error))?
        }
    };
    let response = build_image_response(&image, "", format, false)?;
    // The tag stands for the complete image.
    if image.is_incomplete { Ok(response) } else { response.with_etag(&tag_of(&key)) }
}

/// Checks that no attempt to render the thumbnail with this key has failed a short time ago.
///
/// # Errors
/// `Cloud` with the kind `Unreadable` and the message of that attempt.
fn check_readable(app: &App, key: &Sha256Hash) -> Result<()> {
    match app.unreadable_files.get(key) {
        Some((tried, message)) if tried.elapsed() < UNREADABLE_PAUSE => Err(unreadable(message)),
        _ => Ok(()),
    }
}

/// Remembers an error about the content of a file, which another attempt would give again, and returns it with
/// the kind `Unreadable`. Returns other errors unchanged.
fn remember_unreadable(app: &App, key: Sha256Hash, error: Error) -> Error {
    let message = match error {
        Error::Invalid(_) | Error::InvalidFields(_) | Error::TooLarge(_) => error.to_string(),
        Error::Cloud(problem) if problem.kind == CloudProblemKind::Unreadable => problem.message,
        error => return error,
    };
    app.unreadable_files.insert(key, (Instant::now(), message.clone()));
    unreadable(message)
}

/// Returns the error for a file that is no document that this server can render.
fn unreadable(message: String) -> Error {
    let kind = CloudProblemKind::Unreadable;
    Error::Cloud(Box::new(CloudProblem { kind, message, revision: None, retry_after: None }))
}
