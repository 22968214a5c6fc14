//! The background of a document's theme, for pages that show a transparent image on it.

use super::document_theme;
use super::image;
use super::render_memory;
use super::render_options::RenderOptions;
use super::store::Document;
use chartroom_charts::Scene;
use chartroom_charts::svg;
use chartroom_platform::crypto;
use chartroom_platform::db::Tx;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;

/// Maximum memory of a parsed theme in bytes, if only its background is needed.
const MAX_THEME_MEMORY_BYTES: u64 = 32 << 20;

/// Number of characters of a checksum, about 60 bits.
const CHECKSUM_CHARS: usize = 10;

/// Background of a document's theme, which a transparent image omits.
pub struct Background {
    pub color: String,
    /// SVG image of the document's size, if the background is more than a color.
    pub svg: Option<String>,
}

impl Background {
    /// Returns a text of letters and digits that changes with the background.
    pub fn checksum(&self) -> String {
        let text = format!("{} {}", self.color, self.svg.as_deref().unwrap_or_default());
        crypto::base62_checksum(&text, CHECKSUM_CHARS)
    }
}

/// Builds the background of a document's theme: its color as CSS text, and its background image, if
/// any, as an SVG that covers the size of the document. Does not render the chart.
///
/// # Errors
/// `TooLarge` if the custom theme would take too much memory. `Internal` if it cannot be parsed.
pub fn build_background(tx: &Tx<'_>, document: &Document) -> Result<Background> {
    let custom = document.custom_theme.as_deref().unwrap_or_default();
    if render_memory::estimate_parsed_json(custom.as_bytes()) > MAX_THEME_MEMORY_BYTES {
        return Err(Error::TooLarge("custom_theme has too many values".to_owned()));
    }
    let org_theme = document_theme::find_document_theme(tx, document)?;
    let options = RenderOptions::default();
    let theme = document_theme::resolve_colors(document, &options, org_theme.as_ref())?;
    let color = theme.background_color.to_string();
    let Some(image) = theme.background_image else { return Ok(Background { color, svg: None }) };
    let (width, height) = image::document_size(document, &RenderOptions::default())?;
    let mut scene = Scene::new(width, height, theme.background_color);
    "ground".clone_into(&mut scene.id_prefix);
    image
        .covering_primitives(width, height)
        .into_iter()
        .for_each(|primitive| scene.push(primitive));
    let options = svg::Options { transparent: true, ..svg::Options::default() };
    Ok(Background { color, svg: Some(svg::write(&scene, &options)) })
}
