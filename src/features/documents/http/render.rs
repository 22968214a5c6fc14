//! Drawing what a request brings along, without storing it.

use hyper::header::ACCEPT;
use schemars::JsonSchema;
use serde::Deserialize;

use super::drawn;
use super::flag;
use crate::app::RequestContext;
use crate::features::accounts::User;
use crate::features::documents::download::Format;
use crate::features::documents::draft::Draft;
use crate::features::documents::picture;
use crate::features::documents::picture::Options;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::http::Json;
use chartroom_platform::http::Query;
use chartroom_platform::http::Response;

/// How it is to be drawn.
#[derive(Deserialize, JsonSchema)]
pub struct RenderQuery {
    /// `svg`, `png` or `html`; the one that `Accept` names when absent, else `svg`.
    format: Option<String>,
    /// Points, 40 to 4,096; the document's own when absent.
    width: Option<f64>,
    /// Points, 40 to 4,096; the document's own when absent.
    height: Option<f64>,
    /// Pixels a point of a PNG, 0.5 to 4; 2 when absent.
    scale: Option<f64>,
    /// `1`: without background.
    transparent: Option<String>,
    /// A named theme in place of the document's.
    theme: Option<String>,
    /// `1`: marks carry `data-part`, `data-row` and `data-field`, and a tip.
    interactive: Option<String>,
    /// How an SVG carries its text: `letters`, which is usual; `outlines`, for programs without the
    /// fonts; `embedded`, letters with the part of the fonts that they need, in a `<style>`. A
    /// page knows all three.
    text: Option<String>,
}

/// `POST /render`: draws a document that is not stored.
pub fn render(
    request: &RequestContext,
    _: &User,
    (Query(query), Json(draft)): (Query<RenderQuery>, Json<Draft>),
) -> Result<Response> {
    let format = match query.format.as_deref() {
        None => accepted(request),
        Some(word) => Format::of_suffix(word)
            .ok_or_else(|| Error::field("format", "must be svg, png or html"))?,
    };
    let options = Options {
        width: query.width,
        height: query.height,
        scale: query.scale.unwrap_or(Options::default().scale),
        transparent: flag("transparent", query.transparent.as_deref())?,
        theme: query.theme,
        interactive: flag("interactive", query.interactive.as_deref())?,
        text: drawn::lettering(query.text.as_deref(), format, false)?,
    };
    options.check()?;
    let source = draft.source(request.app.config.max_records)?;
    let picture = picture::draw(&source, &options, format)?;
    drawn::answer(&picture, &source.head.title, format, false)
}

/// The first form that `Accept` names.
fn accepted(request: &RequestContext) -> Format {
    let named = request.headers.get(ACCEPT).and_then(|it| it.to_str().ok()).unwrap_or_default();
    let form = |word: &str| match word.split(';').next().unwrap_or_default().trim() {
        "image/svg+xml" => Some(Format::Svg),
        "image/png" => Some(Format::Png),
        "text/html" => Some(Format::Html),
        _ => None,
    };
    named.split(',').find_map(form).unwrap_or(Format::Svg)
}
