//! Thumbnails: find the stored file, or render and store it.

use hyper::body::Bytes;

use crate::app::App;
use crate::app::RenderedImage;
use crate::features::access::Caller;
use crate::features::documents::actions::DocumentTarget;
use crate::features::documents::actions::find_readable;
use crate::features::documents::actions::images;
use crate::features::documents::document_theme;
use crate::features::documents::download_token::OutputFormat;
use crate::features::documents::image;
use crate::features::documents::image::RenderInput;
use crate::features::documents::store;
use crate::features::documents::store::Document;
use crate::features::documents::thumbnails;
use crate::features::orgs::themes::LoadedTheme;
use crate::features::orgs::themes::OrgTheme;
use chartroom_platform::crypto::Sha256Hash;
use chartroom_platform::db::Tx;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::id::NodeId;

/// Source of the bytes of a thumbnail.
pub enum ThumbnailSource {
    /// PNG bytes of the stored file. It shows the current revision.
    Stored(Vec<u8>),
    /// Document to render, because no file of its current revision is stored.
    Missing(Box<RenderInput>),
}

/// Returns the document, if the caller may read it.
///
/// # Errors
/// The errors of [`find_readable`].
pub fn find_document(tx: &Tx<'_>, caller: &Caller, target: &DocumentTarget) -> Result<Document> {
    Ok(find_readable(tx, caller, target)?.0)
}

/// Returns a hash that identifies the thumbnail of a document's current revision. `theme` is the
/// theme of an organization that it is rendered with, if any.
pub fn key(document: &Document, theme: Option<&OrgTheme>) -> Sha256Hash {
    thumbnails::thumbnail_key(document, theme.map(OrgTheme::fingerprint))
}

/// Reads the stored thumbnail file of the document's current revision and of its `theme`, as in
/// [`key`]. If there is none, returns the document with its records to render. Renders nothing and
/// does not check access.
pub fn find_thumbnail(
    tx: &Tx<'_>,
    app: &App,
    document: Document,
    theme: Option<&OrgTheme>,
) -> Result<ThumbnailSource> {
    Ok(match thumbnails::read_thumbnail(app, &document.id, &key(&document, theme))? {
        Some(bytes) => ThumbnailSource::Stored(bytes),
        None => {
            let input = image::load_render_input_with_theme(tx, document, theme)?;
            ThumbnailSource::Missing(Box::new(input))
        }
    })
}

/// Returns the key of the thumbnail that `input` gives.
fn input_key(input: &RenderInput) -> Sha256Hash {
    let theme = input.org_theme.as_ref().map(LoadedTheme::fingerprint);
    thumbnails::thumbnail_key(&input.document, theme)
}

/// Returns the PNG bytes of a thumbnail, and whether the thumbnail is complete. Renders and stores it
/// if no file is stored. Concurrent calls for the same revision render it once.
///
/// Call it without an open transaction. A file that cannot be stored is only logged, because the
/// caller can still show the rendered bytes.
///
/// # Errors
/// The errors of [`images::render`] and [`images::find_or_render`].
pub fn load_or_render_thumbnail(app: &App, source: ThumbnailSource) -> Result<(Bytes, bool)> {
    let input = match source {
        ThumbnailSource::Stored(bytes) => return Ok((bytes.into(), true)),
        ThumbnailSource::Missing(input) => input,
    };
    let image = images::find_or_render(app, input_key(&input), || {
        let image = render(app, &input)?;
        if let Err(error) = store_thumbnail(app, &input, &image) {
            tracing::warn!(error = %error.operator_message(), "cannot store a thumbnail");
        }
        Ok(image)
    })?;
    Ok((image.bytes.clone(), !image.is_incomplete))
}

/// Renders and stores the thumbnail of a document's current revision, unless it is stored already.
/// Removes the thumbnails of a document that no longer exists. A document that is too large to
/// render has no thumbnail.
///
/// # Errors
/// If the document cannot be rendered or the file cannot be written.
pub fn update_thumbnail(app: &App, id: &NodeId) -> Result<()> {
    let source = app.db.read(|tx| match store::find_document(tx, id)? {
        Some(document) => {
            let theme = document_theme::find_document_theme(tx, &document)?;
            find_thumbnail(tx, app, document, theme.as_ref()).map(Some)
        }
        None => Ok(None),
    })?;
    match source {
        None => thumbnails::remove_thumbnails(app, id),
        Some(ThumbnailSource::Stored(_)) => Ok(()),
        Some(ThumbnailSource::Missing(input)) => match render(app, &input) {
            Ok(image) => store_thumbnail(app, &input, &image),
            // Another attempt would fail too.
            Err(Error::TooLarge(_)) => Ok(()),
            Err(error) => Err(error),
        },
    }
}

/// Renders a thumbnail as PNG within the memory budget of the server. Does not store it.
fn render(app: &App, input: &RenderInput) -> Result<RenderedImage> {
    let options = thumbnails::thumbnail_options(&input.document)?;
    images::render(app, input, &options, OutputFormat::Png)
}

/// Stores a thumbnail file unless it is incomplete, and removes it again if the document was deleted
/// in the meantime.
fn store_thumbnail(app: &App, input: &RenderInput, image: &RenderedImage) -> Result<()> {
    if image.is_incomplete {
        return Ok(());
    }
    let document = &input.document;
    thumbnails::store_thumbnail(app, &document.id, &input_key(input), &image.bytes)?;
    // The removal task may have run before the file was written.
    match app.db.read(|tx| store::find_document(tx, &document.id))? {
        Some(_) => Ok(()),
        None => thumbnails::remove_thumbnails(app, &document.id),
    }
}

/// Removes the thumbnail files of the documents with these ids. Stops at the first error.
///
/// # Errors
/// If a file cannot be removed.
pub fn remove_thumbnails(app: &App, deleted: &[NodeId]) -> Result<()> {
    deleted.iter().try_for_each(|id| thumbnails::remove_thumbnails(app, id))
}
