//! Handlers of `/cast/{token}/…` for screens. The token is the only credential.

use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::Deserialize;
use serde::Serialize;
use serde_json::Value;

use super::actions;
use super::rules::CastSession;
use crate::app::RequestContext;
use crate::features::documents::Document;
use crate::features::documents::OutputFormat;
use crate::features::documents::RenderOptions;
use crate::features::documents::http::MayBeTooLarge;
use crate::features::documents::http::read;
use crate::features::documents::screen_render;
use crate::features::portfolio;
use crate::features::portfolio::FavoritesAndRatings;
use crate::features::portfolio::Plugin;
use crate::features::sync_jobs;
use chartroom_platform::assets;
use chartroom_platform::crypto;
use chartroom_platform::db::Tx;
use chartroom_platform::error::Error;
use chartroom_platform::error::OrNotFound;
use chartroom_platform::error::Result;
use chartroom_platform::http::Json;
use chartroom_platform::http::NoContent;
use chartroom_platform::http::Query;
use chartroom_platform::http::Response;
use chartroom_platform::http::endpoint::RawJson;
use chartroom_platform::http::event_hub;
use chartroom_platform::id::NodeId;
use chartroom_platform::time::Timestamp;

/// Files of the receiver page.
pub(super) const RECEIVER_FILES: [&str; 3] = ["cast/cast.html", "cast/cast.js", "cast/cast.css"];

/// Identifies the program version and its receiver files. A receiver page from another build
/// reloads itself.
pub(super) static SERVER_BUILD: LazyLock<String> = LazyLock::new(|| {
    let files = RECEIVER_FILES.iter().filter_map(|path| assets::embedded_file(path)).flatten();
    let hash = crypto::content_hash_tag(&files.copied().collect::<Vec<u8>>());
    format!("{}-{hash}", env!("CARGO_PKG_VERSION"))
});

/// Minimum and maximum side of a screen in CSS pixels.
const SIDE_RANGE: (f64, f64) = (40.0, 8192.0);
/// Minimum and maximum of device pixels per CSS pixel.
const DENSITY_RANGE: (f64, f64) = (0.25, 8.0);
/// Maximum side of the PNG in pixels: one less than the renderer allows, because of rounding.
const MAX_PNG_SIDE: f64 = 8191.0;

/// State of a session and the document that its screen should show.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "CastCheck")]
pub struct CheckView {
    valid: bool,
    /// Document of the session. This field and all below are present only if `valid` is true.
    #[serde(skip_serializing_if = "Option::is_none")]
    document_id: Option<NodeId>,
    /// Time of the document's last change.
    #[serde(skip_serializing_if = "Option::is_none")]
    last_modified: Option<Timestamp>,
    /// Number of changes of the document.
    #[serde(skip_serializing_if = "Option::is_none")]
    revision: Option<i64>,
    /// Changes with every change of the image: of the document, its theme, or a file of the theme.
    #[serde(skip_serializing_if = "Option::is_none")]
    image_version: Option<String>,
    /// Title of the document.
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    device_name: Option<String>,
    /// Background colour of the image, `#rrggbb`.
    #[serde(skip_serializing_if = "Option::is_none")]
    background: Option<String>,
    /// Time of the last successful download, if a source keeps the data of the document up to date.
    #[serde(skip_serializing_if = "Option::is_none")]
    data_from: Option<Timestamp>,
    /// Whether the source of the data does not work at present.
    #[serde(skip_serializing_if = "Option::is_none")]
    source_fails: Option<bool>,
    /// Identifies the server build. A receiver page from another build should reload itself.
    server: &'static str,
}

impl CheckView {
    /// Returns the state of an unknown or ended session: `valid` is false, and only the server
    /// build is given.
    fn invalid() -> Self {
        Self {
            valid: false,
            document_id: None,
            last_modified: None,
            revision: None,
            image_version: None,
            title: None,
            device_name: None,
            background: None,
            data_from: None,
            source_fails: None,
            server: &SERVER_BUILD,
        }
    }

    /// Returns the state of an active session with title, revision and background color of its
    /// document `head`. Does not check that the session is active.
    pub(super) fn new(tx: &Tx<'_>, session: &CastSession, head: &Document) -> Result<Self> {
        let sync = sync_jobs::find_document_sync(tx, &session.document)?;
        Ok(Self {
            valid: true,
            document_id: Some(session.document.clone()),
            last_modified: Some(head.updated),
            revision: Some(head.revision),
            image_version: Some(format!("{:x}", actions::image_version(tx, session)?)),
            title: Some(head.title.clone()),
            device_name: Some(session.device_name.clone()),
            background: Some(screen_render::background_color(tx, head)?),
            data_from: sync.as_ref().and_then(|sync| sync.downloaded_at),
            source_fails: sync.map(|sync| sync.error.is_some()),
            ..Self::invalid()
        })
    }
}

/// Loads the document of a session, also from the trash. `NotFound` if it does not exist.
fn load_document(tx: &Tx<'_>, session: &CastSession) -> Result<Document> {
    screen_render::find_document(tx, &session.document)?.or_not_found("document")
}

/// Finds the active session of the `{token}` in the path, runs `read` in the same read transaction,
/// and afterwards stores that the screen is active if the stored time is old enough. Returns the
/// session as it was before that, and the result of `read`.
///
/// # Errors
/// `SignInRequired` if the session does not exist or has ended, or the errors of `read`. Then no
/// activity is stored.
fn with_active_session<T>(
    request: &RequestContext,
    read: impl FnOnce(&Tx<'_>, &CastSession) -> Result<T>,
) -> Result<(CastSession, T)> {
    let token: String = request.param("token")?;
    let (session, found, is_due) = request.app.db.read(|tx| {
        let session = actions::find_active_session(tx, &token)?;
        let found = read(tx, &session)?;
        let is_due = session.is_activity_due(tx.now);
        Ok((session, found, is_due))
    })?;
    if is_due {
        let ids = [session.id.clone()];
        request.app.db.write_with_reserve(move |tx| actions::record_activity(tx, &ids))?;
    }
    Ok((session, found))
}

/// Handles `GET /cast/{token}/check`: returns the state of the session and its document, and counts
/// as activity of the screen. For an unknown or ended session, the response is not an error but
/// says that it is not valid.
pub fn check(request: &RequestContext, (): ()) -> Result<Json<CheckView>> {
    match with_active_session(request, |tx, session| {
        CheckView::new(tx, session, &load_document(tx, session)?)
    }) {
        Ok((_, view)) => Ok(Json(view)),
        Err(Error::SignInRequired(_)) => Ok(Json(CheckView::invalid())),
        Err(other) => Err(other),
    }
}

/// Response body of `GET /cast/{token}/document`, for screens that render the document themselves.
#[derive(JsonSchema)]
#[schemars(rename = "CastDocument")]
#[expect(dead_code, reason = "describes the answer, which is written as text")]
pub struct ContentView {
    document: ContentDocument,
    plugin: Plugin,
}

/// A document for screens.
#[derive(JsonSchema)]
#[schemars(rename = "CastContent")]
#[expect(dead_code, reason = "describes the answer, which is written as text")]
pub struct ContentDocument {
    id: NodeId,
    title: String,
    updated: Timestamp,
    /// Theme name.
    theme: String,
    data: Vec<serde_json::Map<String, Value>>,
    settings: serde_json::Map<String, Value>,
    style: Option<serde_json::Map<String, Value>>,
    #[serde(rename = "customTheme")]
    custom_theme: Option<serde_json::Map<String, Value>>,
}

/// Handles `GET /cast/{token}/document`: returns the document with its records, and its chart kind,
/// for a screen that renders it. Counts as activity of the screen.
pub fn document(request: &RequestContext, (): ()) -> Result<RawJson<ContentView>> {
    let base_url = &request.app.config.base_url;
    let (_, text) = with_active_session(request, |tx, session| {
        let head = load_document(tx, session)?;
        let kind = portfolio::find_kind(&head.kind).or_not_found("chart kind")?;
        let plugin = portfolio::build_plugin(base_url, kind, &FavoritesAndRatings::read(tx, None)?);
        let mut text = br#"{"document":"#.to_vec();
        text.extend(screen_render::document_json(tx, &head)?);
        text.extend_from_slice(br#","plugin":"#);
        serde_json::to_writer(&mut text, &plugin)?;
        text.push(b'}');
        Ok(text)
    })?;
    Ok(RawJson::new(Response::bytes("application/json", text).with_language()?))
}

/// Query of the images for screens.
#[derive(Deserialize, JsonSchema)]
pub struct ScreenQuery {
    /// Available width in CSS pixels, 40 to 8,192. If width or height is absent, the document's own
    /// size is used.
    width: Option<f64>,
    /// Available height in CSS pixels, 40 to 8,192.
    height: Option<f64>,
    /// Device pixels per CSS pixel, 0.25 to 8, 1 by default. A PNG has at most 8,192 pixels per
    /// side.
    density: Option<f64>,
}

impl ScreenQuery {
    /// Returns the render options that fit the document into the screen, or into its own size
    /// unless width and height are both given. The scale of a PNG is its pixels per point.
    ///
    /// Limits the scale of a PNG so that no side has more than [`MAX_PNG_SIDE`] pixels. Other
    /// formats have scale 1.
    ///
    /// # Errors
    /// `InvalidFields` naming the parameter that is out of range.
    fn build_options(&self, head: &Document, format: OutputFormat) -> Result<RenderOptions> {
        let density = self.density.unwrap_or(1.0);
        let given = [("width", self.width, SIDE_RANGE), ("height", self.height, SIDE_RANGE)];
        for (name, value, (min, max)) in
            given.into_iter().chain([("density", self.density, DENSITY_RANGE)])
        {
            if value.is_some_and(|value| !(min..=max).contains(&value)) {
                return Err(Error::invalid_field(name, format!("must be from {min} to {max}")));
            }
        }
        let size = match (self.width, self.height) {
            (Some(width), Some(height)) => (width, height),
            _ => screen_render::document_size(head)?,
        };
        let options = screen_render::options_to_fit(head, size, density)?;
        let longest_side = options.width.unwrap_or(0.0).max(options.height.unwrap_or(0.0));
        Ok(match format {
            OutputFormat::Png => {
                RenderOptions { scale: options.scale.min(MAX_PNG_SIDE / longest_side), ..options }
            }
            // SVG has no pixels. A constant scale lets screens share one cached image.
            _ => RenderOptions { scale: 1.0, ..options },
        })
    }
}

/// Handles `GET /cast/{token}/document.svg`: returns the document as an SVG that fits the screen.
pub fn svg(
    request: &RequestContext,
    (Query(query), _): (Query<ScreenQuery>, MayBeTooLarge),
) -> Result<Response> {
    render(request, &query, OutputFormat::Svg)
}

/// Handles `GET /cast/{token}/document.png`: returns the document as a PNG that fits the screen.
pub fn png(
    request: &RequestContext,
    (Query(query), _): (Query<ScreenQuery>, MayBeTooLarge),
) -> Result<Response> {
    render(request, &query, OutputFormat::Png)
}

/// Renders the document of the active session of the `{token}` in the path to fit the screen. The
/// response is `304 Not Modified` if the screen has the image. Does not store the screen's
/// activity.
fn render(request: &RequestContext, query: &ScreenQuery, format: OutputFormat) -> Result<Response> {
    let token: String = request.param("token")?;
    read::render_for_screen(request, format, |tx| {
        let head = load_document(tx, &actions::find_active_session(tx, &token)?)?;
        let options = query.build_options(&head, format)?;
        Ok((head, options))
    })
}

/// Handles `GET /cast/{token}/events`: opens a stream of server-sent events. Events: `hello` with
/// the current state, `updated` with the new state after a change, `revoked` or `expired` at the
/// end, and periodic `beat`. This function sends only `hello`; the notifier thread sends the
/// others.
pub fn events(request: &RequestContext, (): ()) -> Result<Response> {
    let (session, (view, version)) = with_active_session(request, |tx, session| {
        let view = CheckView::new(tx, session, &load_document(tx, session)?)?;
        Ok((view, actions::image_version(tx, session)?))
    })?;
    let first = event_hub::format_event("hello", &serde_json::to_string(&view)?);
    let CastSession { id, creator, .. } = session;
    request.app.event_hub.open(creator.as_str(), id.as_str(), version, first)
}

/// Request body of `POST /cast/{token}/seen`.
#[derive(Deserialize, JsonSchema)]
pub struct SeenBody {
    /// `revision` of the document that the screen shows.
    revision: i64,
}

/// Handles `POST /cast/{token}/seen`: stores that the screen shows the newest revision of the
/// document, as the time of its last change. An older revision is accepted, but not stored. A newer
/// one is an error. Counts as activity of the screen.
pub fn seen(request: &RequestContext, Json(body): Json<SeenBody>) -> Result<NoContent> {
    let (session, ()) = with_active_session(request, |_, session| match body.revision {
        revision if revision > session.revision => Err(Error::invalid_field(
            "revision",
            "must not be greater than the revision of the document",
        )),
        _ => Ok(()),
    })?;
    // Older revisions are not stored, because the screen loads the newest one next.
    if body.revision == session.revision && session.drawn != Some(session.updated) {
        let (id, updated) = (session.id, session.updated);
        request.app.db.write_with_reserve(move |tx| actions::record_drawn(tx, &id, updated))?;
    }
    Ok(NoContent)
}
