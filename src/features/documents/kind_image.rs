//! Images of the samples of chart kinds in a theme of an organization.

use std::sync::Arc;

use super::actions::images;
use super::actions::sample;
use super::download_token::OutputFormat;
use super::image::RenderInput;
use super::render_options::RenderOptions;
use super::store::Document;
use crate::app::App;
use crate::app::RenderedImage;
use crate::features::orgs::themes::LoadedTheme;
use crate::features::portfolio;
use crate::features::portfolio::KindInfo;
use chartroom_charts::svg::TextMode;
use chartroom_platform::crypto;
use chartroom_platform::crypto::Sha256Hash;
use chartroom_platform::error::OrNotFound;
use chartroom_platform::error::Result;
use chartroom_platform::time::Timestamp;

/// Returns a hash of everything that determines the image of a sample.
pub fn kind_image_key(kind: &str, theme: &LoadedTheme) -> Sha256Hash {
    let text = format!(
        "sample {kind} {} {} {:?}",
        chartroom_charts::RENDERER_VERSION,
        portfolio::fonts_fingerprint(),
        theme.fingerprint()
    );
    crypto::sha256(text.as_bytes())
}

/// Renders the sample of a chart kind in a theme as an SVG that contains its fonts, so that a page
/// can show it as an image. Uses the limits of memory and time of other images. Does not use the
/// cache.
///
/// Call it without an open transaction, because it may wait for other renders.
///
/// # Errors
/// `NotFound` if the chart kind does not exist. The errors of other renders.
pub fn render_kind_image(app: &App, kind: &str, theme: LoadedTheme) -> Result<RenderedImage> {
    let input = build_input(portfolio::find_kind(kind).or_not_found("chart kind")?, theme)?;
    let options = RenderOptions { text: TextMode::Embedded, ..RenderOptions::default() };
    images::render(app, &input, &options, OutputFormat::Svg)
}

/// Does the same as [`render_kind_image`] with the cache of images.
///
/// # Errors
/// As [`render_kind_image`].
pub fn find_kind_image(app: &App, kind: &str, theme: LoadedTheme) -> Result<Arc<RenderedImage>> {
    let key = kind_image_key(kind, &theme);
    images::find_or_render(app, key, || render_kind_image(app, kind, theme))
}

/// Returns the sample of a chart kind as a document that is not stored.
fn build_input(kind: &'static KindInfo, theme: LoadedTheme) -> Result<RenderInput> {
    let sample = sample::kind_sample(kind)?;
    Ok(RenderInput {
        data: sample.records.to_json(),
        org_theme: Some(theme),
        document: Document {
            kind: kind.id.clone(),
            title: kind.sample().title.clone(),
            settings: sample.settings.clone(),
            style: Some(sample.style.clone()),
            record_count: sample.records.count,
            ..Document::empty(Timestamp(0))
        },
    })
}
