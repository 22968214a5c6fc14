//! The preview of a theme: samples of chart kinds, rendered in a theme that does not need to be
//! stored.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use super::theme_form;
use crate::app::App;
use crate::features::accounts::form;
use crate::features::documents;
use crate::features::orgs::Org;
use crate::features::orgs::themes;
use crate::features::portfolio;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;

/// Chart kinds of the preview.
const KINDS: [&str; 6] = ["grouped-column", "line", "stacked-column", "donut", "bar", "scatter"];

/// The preview of a theme.
#[derive(Default)]
pub struct Preview {
    /// Images, in the order of the page. Empty if the theme cannot be rendered.
    pub images: Vec<PreviewImage>,
    /// Problems of the theme that do not prevent saving, as sentences.
    pub warnings: Vec<String>,
    /// Why there are no images, as a sentence. Otherwise empty.
    pub problem: String,
}

/// An image of the preview.
pub struct PreviewImage {
    /// Name of the chart kind.
    pub title: &'static str,
    /// Data URI of an SVG.
    pub uri: String,
}

/// Renders the preview of a theme and finds its warnings. Stores nothing. `is_stored` uses the cache
/// of images, which is useless for a theme that is being edited.
///
/// Call it without an open transaction, because it may wait for other renders. A preview that the
/// server cannot render at the moment has a problem instead of images.
///
/// # Errors
/// `Internal` if the database cannot be read.
pub fn render(app: &App, org: &Org, content: &Value, is_stored: bool) -> Result<Preview> {
    match render_all(app, org, content, is_stored) {
        Err(error @ (Error::Busy | Error::TooLarge(_))) => {
            let problem = form::sentence(&error.to_string());
            Ok(Preview { problem, ..Preview::default() })
        }
        other => other,
    }
}

/// Renders the preview of a theme like [`render`].
///
/// # Errors
/// The errors of a render.
fn render_all(app: &App, org: &Org, content: &Value, is_stored: bool) -> Result<Preview> {
    let theme = themes::load_theme(app, org, content)?;
    let found = themes::find_loaded_warnings(app, &theme)?;
    let mut images = Vec::new();
    for slug in KINDS {
        let Some(kind) = portfolio::find_kind(slug) else { continue };
        let bytes = match is_stored {
            true => documents::find_kind_image(app, slug, theme.clone())?.bytes.clone(),
            false => documents::render_kind_image(app, slug, theme.clone())?.bytes,
        };
        let uri = format!("data:image/svg+xml;base64,{}", STANDARD.encode(&bytes));
        images.push(PreviewImage { title: &kind.localized().title, uri });
    }
    let others = found.others.iter().map(|warning| theme_form::describe_warning(warning));
    let warnings = others.chain(found.contrast.iter().map(theme_form::describe_contrast)).collect();
    Ok(Preview { images, warnings, problem: String::new() })
}
