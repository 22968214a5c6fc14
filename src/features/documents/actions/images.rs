//! Rendered images of documents: load the input, render it and cache the result.

use std::sync::Arc;

use crate::app::App;
use crate::app::RenderedImage;
use crate::features::documents::download_token::OutputFormat;
use crate::features::documents::image;
use crate::features::documents::image::RenderInput;
use crate::features::documents::image::RenderOptions;
use crate::features::documents::store::Document;
use chartroom_charts::svg::TextMode;
use chartroom_platform::crypto::Sha256Hash;
use chartroom_platform::db::Tx;
use chartroom_platform::error::Result;

/// Reads the records of a document for rendering. The function that calls it must have checked
/// access.
pub fn load_render_input(tx: &Tx<'_>, document: Document) -> Result<RenderInput> {
    image::load_render_input(tx, document)
}

/// Renders a document and caches the image under `key` if that saves time. Returns the image and
/// the document.
///
/// Call it without an open transaction.
///
/// # Errors
/// The errors of [`image::render_document`].
pub fn render_and_cache(
    app: &App,
    input: RenderInput,
    key: Sha256Hash,
    options: &RenderOptions,
    format: OutputFormat,
) -> Result<(Arc<RenderedImage>, Document)> {
    let image = Arc::new(image::render_document(&input, options, format)?);
    // An SVG with text elements is rendered faster than it is found in the cache.
    if format == OutputFormat::Png || options.text == TextMode::Outlines {
        app.rendered_images.insert(key, image.clone());
    }
    Ok((image, input.document))
}
