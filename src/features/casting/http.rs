//! Handlers of `/cast/sessions…` and `/cast/pair…`: screens as their owners and as those that wait.

use schemars::JsonSchema;
use serde::Deserialize;
use serde::Serialize;

use super::actions;
use super::actions::Made;
use super::actions::Wish;
use super::pairing;
use super::qr;
use super::rules;
use super::rules::Session;
use crate::app::App;
use crate::app::RequestContext;
use crate::features::accounts::User;
use chartroom_platform::crypto;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::http::IdempotencyKey;
use chartroom_platform::http::Json;
use chartroom_platform::http::NoContent;
use chartroom_platform::http::Response;
use chartroom_platform::http::endpoint::Raw;
use chartroom_platform::id::CastId;
use chartroom_platform::id::NodeId;
use chartroom_platform::time::Timestamp;

/// A session to be made.
#[derive(Deserialize, JsonSchema)]
pub struct CastBody {
    /// UUID of a document of one's own. Required.
    document_id: Option<String>,
    /// What to call the screen; at most 100 characters. Required.
    device_name: Option<String>,
    /// The code that the screen shows, which then goes on to the document by itself.
    code: Option<String>,
}

/// A session that was just made.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "CastCreated")]
pub struct MadeView {
    id: CastId,
    /// Opens the document to whoever has it.
    token: String,
    /// The page for the screen; ends in the token.
    cast_url: String,
    /// Later while something is heard of the screen.
    expires_at: Timestamp,
}

/// A session.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "CastSession")]
pub struct SessionView {
    id: CastId,
    document_id: NodeId,
    device_name: String,
    created_at: Timestamp,
    /// When the screen was last heard of, to five minutes.
    last_activity_at: Timestamp,
    expires_at: Timestamp,
    cast_url: String,
    /// `updated` of the document as the screen shows it, once it has told.
    #[serde(skip_serializing_if = "Option::is_none")]
    last_drawn: Option<Timestamp>,
}

impl SessionView {
    fn of(app: &App, session: Session, now: Timestamp) -> Self {
        let is_open = app.streams.is_open(session.id.as_str());
        let heard = if is_open { now } else { session.last_activity };
        let token = rules::token(&app.key, &session.id);
        // The key may be another since then: the screen still works, its address is not known.
        let is_known = crypto::sha256(token.as_bytes()) == session.token_hash;
        Self {
            document_id: session.document,
            device_name: session.device_name,
            created_at: session.created,
            last_activity_at: heard,
            expires_at: heard.after(rules::IDLE),
            cast_url: match is_known {
                true => rules::cast_url(&app.config.base_url, &token),
                false => String::new(),
            },
            last_drawn: session.drawn,
            id: session.id,
        }
    }
}

/// `POST /cast/sessions`.
pub fn create(
    request: &RequestContext,
    caller: &User,
    (key, Json(body)): (IdempotencyKey, Json<CastBody>),
) -> Result<Raw<MadeView>> {
    let needed =
        |name, value: Option<String>| value.ok_or_else(|| Error::field(name, "is required"));
    let wish = Wish {
        document: NodeId::from_text(needed("document_id", body.document_id)?),
        device_name: needed("device_name", body.device_name)?,
        code: body.code,
    };
    let (app, user) = (request.app.clone(), caller.clone());
    let response = guarded(request, caller, || {
        request.write_once(&key, caller.id.as_str(), move |tx| {
            let made = actions::create(tx, &app, &user, &wish)?;
            Response::json(&MadeView::of(&app, made))
        })
    });
    response.map(Raw::new)
}

impl MadeView {
    fn of(app: &App, made: Made) -> Self {
        Self {
            id: made.id,
            cast_url: rules::cast_url(&app.config.base_url, &made.token),
            token: made.token,
            expires_at: made.expires,
        }
    }
}

/// Runs what makes a session, unless the caller entered too many wrong codes; counts one that is
/// wrong.
pub(super) fn guarded<T>(
    request: &RequestContext,
    caller: &User,
    make: impl FnOnce() -> Result<T>,
) -> Result<T> {
    request.app.limits.may_enter(caller.id.as_str())?;
    let made = make();
    if let Err(Error::Fields(fields)) = &made
        && fields.iter().any(|it| it.field == "code")
    {
        request.app.limits.entered_wrong(caller.id.as_str());
    }
    made
}

/// `GET /cast/sessions/{documentId}`.
pub fn list(request: &RequestContext, caller: &User, (): ()) -> Result<Json<Vec<SessionView>>> {
    let document: NodeId = request.param("documentId")?;
    let app = &request.app;
    let (sessions, now) = app.db.read(|tx| Ok((actions::list(tx, caller, &document)?, tx.now)))?;
    Ok(Json(sessions.into_iter().map(|it| SessionView::of(app, it, now)).collect()))
}

/// `DELETE /cast/sessions/{sessionId}`.
pub fn revoke(request: &RequestContext, caller: &User, (): ()) -> Result<NoContent> {
    let (id, caller): (CastId, User) = (request.param("sessionId")?, caller.clone());
    request.app.db.write(move |tx| actions::revoke(tx, &caller, &id))?;
    Ok(NoContent)
}

/// A screen that begins to wait.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "CastCode")]
pub struct CodeView {
    /// To be shown: eight letters with a hyphen between.
    code: String,
    /// What the screen asks with; never to be shown.
    poll_token: String,
    expires_at: Timestamp,
    /// The page at which somebody chooses what the screen shows.
    url: String,
    /// That address as a QR code, an SVG.
    qr: String,
}

/// `POST /cast/pair`.
pub fn begin_pairing(request: &RequestContext, key: IdempotencyKey) -> Result<Raw<CodeView>> {
    request.app.limits.code(request.peer)?;
    let app = request.app.clone();
    let response = request.write_once(&key, &request.peer.to_string(), move |tx| {
        let waiting = pairing::begin(tx, &app)?;
        let url = format!("{}/pair/{}", app.config.base_url, waiting.code);
        Response::json(&CodeView {
            code: rules::spelled(&waiting.code),
            poll_token: waiting.poll_token,
            expires_at: waiting.expires,
            qr: qr::svg(&url)?,
            url,
        })
    });
    response.map(Raw::new)
}

/// How far a pairing is.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "CastPairing")]
pub struct PairingView {
    /// Whether somebody has entered the code.
    paired: bool,
    expires_at: Timestamp,
    /// Of the session, once paired.
    #[serde(skip_serializing_if = "Option::is_none")]
    token: Option<String>,
    /// The page to go on to, once paired.
    #[serde(skip_serializing_if = "Option::is_none")]
    cast_url: Option<String>,
}

/// `GET /cast/pair/{poll_token}`.
pub fn poll_pairing(request: &RequestContext, (): ()) -> Result<Json<PairingView>> {
    let poll: String = request.param("poll_token")?;
    let (expires_at, token) = request.app.db.read(|tx| pairing::poll(tx, &request.app, &poll))?;
    let base_url = &request.app.config.base_url;
    Ok(Json(PairingView {
        paired: token.is_some(),
        expires_at,
        cast_url: token.as_deref().map(|it| rules::cast_url(base_url, it)),
        token,
    }))
}
