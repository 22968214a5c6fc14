//! Handler that renders the document in a request without storing it.

use hyper::header::ACCEPT;
use schemars::JsonSchema;
use serde::Deserialize;

use super::image_response;
use super::parse_flag;
use crate::app::App;
use crate::app::RequestContext;
use crate::features::access::Caller;
use crate::features::accounts::User;
use crate::features::documents::actions::images;
use crate::features::documents::download_token::OutputFormat;
use crate::features::documents::draft::Draft;
use crate::features::documents::render_options::RenderOptions;
use crate::features::orgs::themes::LoadedTheme;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::http::Json;
use chartroom_platform::http::Query;
use chartroom_platform::http::Response;

/// Query of `POST /render`.
#[derive(Deserialize, JsonSchema)]
pub struct RenderQuery {
    /// `svg`, `png`, `html` or `pdf`; when absent, the first one in `Accept`, else `svg`.
    format: Option<String>,
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
    /// `1`: marks have `data-part`, `data-row` and `data-field` attributes, and a tooltip.
    interactive: Option<String>,
    /// How an SVG represents text: `letters` (text elements, the default unless the theme has fonts
    /// of an organization, which are embedded), `outlines` (paths, for
    /// programs without the fonts) or `embedded` (text elements and the required part of the fonts
    /// in a `<style>`). HTML supports all three, a PNG or PDF none. A PDF always embeds its fonts.
    text: Option<String>,
}

/// Handles `POST /render`: renders the document in the body as SVG, PNG, HTML or PDF and returns
/// the image, for a signed-in user. Stores nothing.
pub fn render(
    request: &RequestContext,
    caller: &User,
    (Query(query), Json(draft)): (Query<RenderQuery>, Json<Draft>),
) -> Result<Response> {
    let format = match query.format.as_deref() {
        None => format_from_accept(request),
        Some(word) => OutputFormat::from_extension(word)
            .ok_or_else(|| Error::invalid_field("format", "must be svg, png, html or pdf"))?,
    };
    let has_text_mode = query.text.is_some();
    let options = RenderOptions {
        width: query.width,
        height: query.height,
        scale: query.scale.unwrap_or(RenderOptions::default().scale),
        transparent: parse_flag("transparent", query.transparent.as_deref())?,
        theme: query.theme,
        interactive: parse_flag("interactive", query.interactive.as_deref())?,
        text: image_response::parse_text_mode(query.text.as_deref(), format, false)?,
    };
    render_with_options(request.app, &Caller::from(caller), draft, options, format, has_text_mode)
}

/// Renders a draft. `has_text_mode` tells whether the client has chosen how an SVG represents text.
fn render_with_options(
    app: &App,
    caller: &Caller,
    draft: Draft,
    options: RenderOptions,
    format: OutputFormat,
    has_text_mode: bool,
) -> Result<Response> {
    let mut options = options.normalize(format)?;
    let theme = images::load_draft_theme(app, caller, &draft, &options)?;
    if !has_text_mode && theme.as_ref().is_some_and(LoadedTheme::has_fonts) {
        options.text = image_response::text_mode_for_own_fonts(format);
    }
    let (image, title) = images::render_draft(app, draft, theme, &options, format)?;
    image_response::build_image_response(&image, &title, format, false)
}

/// Returns the first supported format in the header `Accept`, or SVG if there is none. Ignores
/// quality values and wildcards.
fn format_from_accept(request: &RequestContext) -> OutputFormat {
    let accept =
        request.headers.get(ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let format_of = |word: &str| match word.split(';').next().unwrap_or_default().trim() {
        "image/svg+xml" => Some(OutputFormat::Svg),
        "image/png" => Some(OutputFormat::Png),
        "text/html" => Some(OutputFormat::Html),
        "application/pdf" => Some(OutputFormat::Pdf),
        _ => None,
    };
    accept.split(',').find_map(format_of).unwrap_or(OutputFormat::Svg)
}
