//! Handlers of `/cast/{token}/…`: what a screen asks. Its token is all that counts.

use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::Deserialize;
use serde::Serialize;
use serde_json::Value;

use super::actions;
use super::rules::Session;
use super::store;
use crate::app::RequestContext;
use crate::features::documents::Format;
use crate::features::documents::Head;
use crate::features::documents::Options;
use crate::features::documents::http::read;
use crate::features::documents::lent;
use crate::features::portfolio;
use crate::features::portfolio::Opinions;
use crate::features::portfolio::Plugin;
use chartroom_platform::assets;
use chartroom_platform::crypto;
use chartroom_platform::db::Tx;
use chartroom_platform::error::Error;
use chartroom_platform::error::Found;
use chartroom_platform::error::Result;
use chartroom_platform::http::Json;
use chartroom_platform::http::NoContent;
use chartroom_platform::http::Query;
use chartroom_platform::http::Response;
use chartroom_platform::http::endpoint::Raw;
use chartroom_platform::http::streams;
use chartroom_platform::id::NodeId;
use chartroom_platform::time::Timestamp;

/// The files of the receiver's page.
pub(super) const FILES: [&str; 3] = ["cast/cast.html", "cast/cast.js", "cast/cast.css"];

/// Names the program and the receiver's files in it: a page of another one loads itself again.
pub(super) static SERVER: LazyLock<String> = LazyLock::new(|| {
    let files = FILES.iter().filter_map(|it| assets::file(it)).flatten();
    let hash = crypto::tag(&files.copied().collect::<Vec<u8>>());
    format!("{}-{hash}", env!("CARGO_PKG_VERSION"))
});

/// Smallest and longest side of a screen in pixels of a page.
const SIDES: (f64, f64) = (40.0, 8192.0);
/// Fewest and most pixels of a screen for each of a page.
const DENSITIES: (f64, f64) = (0.25, 8.0);
/// Most pixels of a side of the PNG: one less than it may have, for the rounding.
const MAX_PIXELS: f64 = 8191.0;

/// Whether a session holds, and what its screen should show.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "CastCheck")]
pub struct CheckView {
    valid: bool,
    /// This and all below only when it is valid.
    #[serde(skip_serializing_if = "Option::is_none")]
    document_id: Option<NodeId>,
    /// When the document was last changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    last_modified: Option<Timestamp>,
    /// Counts the document's changes.
    #[serde(skip_serializing_if = "Option::is_none")]
    revision: Option<i64>,
    /// The document's.
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    device_name: Option<String>,
    /// The colour behind the picture, `#rrggbb`.
    #[serde(skip_serializing_if = "Option::is_none")]
    background: Option<String>,
    /// Names the server's program: when it is another, a receiver page should load itself again.
    server: &'static str,
}

impl CheckView {
    fn over() -> Self {
        Self {
            valid: false,
            document_id: None,
            last_modified: None,
            revision: None,
            title: None,
            device_name: None,
            background: None,
            server: &SERVER,
        }
    }

    /// What the screen of a session that is not over should show.
    pub(super) fn of(session: &Session, head: &Head) -> Result<Self> {
        Ok(Self {
            valid: true,
            document_id: Some(session.document.clone()),
            last_modified: Some(head.updated),
            revision: Some(head.revision),
            title: Some(head.title.clone()),
            device_name: Some(session.device_name.clone()),
            background: Some(lent::ground(head)?),
            ..Self::over()
        })
    }
}

/// The document of a session.
fn head(tx: &Tx<'_>, session: &Session) -> Result<Head> {
    lent::find(tx, &session.document)?.found("document")
}

/// Opens the session of the path's token, gives what `read` finds, and notes that its screen was
/// heard of, now and then.
fn heard<T>(
    request: &RequestContext,
    read: impl FnOnce(&Tx<'_>, &Session) -> Result<T>,
) -> Result<(Session, T)> {
    let token: String = request.param("token")?;
    let (session, found, is_due) = request.app.db.read(|tx| {
        let session = actions::open(tx, &token)?;
        let found = read(tx, &session)?;
        let is_due = session.is_due(tx.now);
        Ok((session, found, is_due))
    })?;
    if is_due {
        let ids = [session.id.clone()];
        request.app.db.write(move |tx| store::touch(tx, &ids))?;
    }
    Ok((session, found))
}

/// `GET /cast/{token}/check`.
pub fn check(request: &RequestContext, (): ()) -> Result<Json<CheckView>> {
    match heard(request, |tx, session| CheckView::of(session, &head(tx, session)?)) {
        Ok((_, view)) => Ok(Json(view)),
        Err(Error::SignIn(_)) => Ok(Json(CheckView::over())),
        Err(other) => Err(other),
    }
}

/// What a screen shows, to be drawn by itself.
#[derive(JsonSchema)]
#[schemars(rename = "CastDocument")]
#[expect(dead_code, reason = "describes the answer, which is written as text")]
pub struct ContentView {
    document: ContentDocument,
    plugin: Plugin,
}

/// A document as screens get it.
#[derive(JsonSchema)]
#[schemars(rename = "CastContent")]
#[expect(dead_code, reason = "describes the answer, which is written as text")]
pub struct ContentDocument {
    id: NodeId,
    title: String,
    updated: Timestamp,
    /// Name of a theme.
    theme: String,
    data: Vec<serde_json::Map<String, Value>>,
    settings: serde_json::Map<String, Value>,
    style: Option<serde_json::Map<String, Value>>,
    #[serde(rename = "customTheme")]
    custom_theme: Option<serde_json::Map<String, Value>>,
}

/// `GET /cast/{token}/document`.
pub fn document(request: &RequestContext, (): ()) -> Result<Raw<ContentView>> {
    let base_url = &request.app.config.base_url;
    let (_, text) = heard(request, |tx, session| {
        let head = head(tx, session)?;
        let kind = portfolio::find(&head.kind).found("chart kind")?;
        let plugin = portfolio::plugin(base_url, kind, &Opinions::read(tx, None)?);
        let mut text = br#"{"document":"#.to_vec();
        text.extend(lent::content(tx, &head)?);
        text.extend_from_slice(br#","plugin":"#);
        serde_json::to_writer(&mut text, &plugin)?;
        text.push(b'}');
        Ok(text)
    })?;
    Ok(Raw::new(Response::bytes("application/json", text)))
}

/// The place for a picture on a screen.
#[derive(Deserialize, JsonSchema)]
pub struct ScreenQuery {
    /// Width of the place in pixels of the page, 40 to 8,192. The document's own size when either
    /// side is absent.
    width: Option<f64>,
    /// Its height, likewise.
    height: Option<f64>,
    /// Pixels of the screen for each of the page, 0.25 to 8; 1 when absent. A PNG has at most 8,192
    /// pixels a side.
    density: Option<f64>,
}

impl ScreenQuery {
    fn options(&self, head: &Head, format: Format) -> Result<Options> {
        let density = self.density.unwrap_or(1.0);
        let given = [("width", self.width, SIDES), ("height", self.height, SIDES)];
        for (name, value, (least, most)) in
            given.into_iter().chain([("density", self.density, DENSITIES)])
        {
            if value.is_some_and(|it| !(least..=most).contains(&it)) {
                return Err(Error::field(name, format!("must be from {least} to {most}")));
            }
        }
        let size = match (self.width, self.height) {
            (Some(width), Some(height)) => (width, height),
            _ => lent::size(head)?,
        };
        let options = lent::fitted(head, size, density)?;
        let longest = options.width.unwrap_or(0.0).max(options.height.unwrap_or(0.0));
        Ok(match format {
            Format::Png => Options { scale: options.scale.min(MAX_PIXELS / longest), ..options },
            // It has no pixels: pictures that are the same are kept once.
            _ => Options { scale: 1.0, ..options },
        })
    }
}

/// `GET /cast/{token}/document.svg`.
pub fn svg(request: &RequestContext, Query(query): Query<ScreenQuery>) -> Result<Response> {
    drawn(request, &query, Format::Svg)
}

/// `GET /cast/{token}/document.png`.
pub fn png(request: &RequestContext, Query(query): Query<ScreenQuery>) -> Result<Response> {
    drawn(request, &query, Format::Png)
}

fn drawn(request: &RequestContext, query: &ScreenQuery, format: Format) -> Result<Response> {
    let token: String = request.param("token")?;
    read::lent(request, format, |tx| {
        let head = head(tx, &actions::open(tx, &token)?)?;
        let options = query.options(&head, format)?;
        Ok((head, options))
    })
}

/// `GET /cast/{token}/events`: `hello` with what the screen should show, `updated` with the same when
/// that has changed, `revoked` or `expired` at the end, and `beat` now and then.
pub fn events(request: &RequestContext, (): ()) -> Result<Response> {
    let (session, view) =
        heard(request, |tx, session| CheckView::of(session, &head(tx, session)?))?;
    let first = streams::event("hello", &serde_json::to_string(&view)?);
    request.app.streams.open(session.id.as_str(), session.revision, first)
}

/// What a screen shows.
#[derive(Deserialize, JsonSchema)]
pub struct SeenBody {
    /// `revision` of what was drawn.
    revision: i64,
}

/// `POST /cast/{token}/seen`.
pub fn seen(request: &RequestContext, Json(body): Json<SeenBody>) -> Result<NoContent> {
    let (session, ()) = heard(request, |_, session| match body.revision {
        revision if revision > session.revision => {
            Err(Error::field("revision", "is not one that the document has had yet"))
        }
        _ => Ok(()),
    })?;
    // An older one is not noted: the screen draws the newest next.
    if body.revision == session.revision && session.drawn != Some(session.updated) {
        let (id, updated) = (session.id, session.updated);
        request.app.db.write(move |tx| store::note_drawn(tx, &id, updated))?;
    }
    Ok(NoContent)
}
