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
use crate::features::accounts::User;
use crate::platform::App;
use crate::platform::crypto;
use crate::platform::error::Error;
use crate::platform::error::Result;
use crate::platform::http::Call;
use crate::platform::http::IdempotencyKey;
use crate::platform::http::Json;
use crate::platform::http::NoContent;
use crate::platform::http::Reply;
use crate::platform::http::endpoint::Raw;
use crate::platform::id::CastId;
use crate::platform::id::NodeId;
use crate::platform::time::Timestamp;

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
    call: &Call,
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
    let (app, user) = (call.app.clone(), caller.clone());
    let reply = guarded(call, caller, || {
        key.write(call, caller.id.as_str(), move |tx| {
            let made = actions::create(tx, &app, &user, &wish)?;
            Reply::json(&MadeView::of(&app, made))
        })
    });
    reply.map(Raw::new)
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
    call: &Call,
    caller: &User,
    make: impl FnOnce() -> Result<T>,
) -> Result<T> {
    call.app.limits.may_enter(caller.id.as_str())?;
    let made = make();
    if let Err(Error::Fields(fields)) = &made
        && fields.iter().any(|it| it.field == "code")
    {
        call.app.limits.entered_wrong(caller.id.as_str());
    }
    made
}

/// `GET /cast/sessions/{documentId}`.
pub fn list(call: &Call, caller: &User, (): ()) -> Result<Json<Vec<SessionView>>> {
    let document: NodeId = call.param("documentId")?;
    let app = &call.app;
    let (sessions, now) = app.db.read(|tx| Ok((actions::list(tx, caller, &document)?, tx.now)))?;
    Ok(Json(sessions.into_iter().map(|it| SessionView::of(app, it, now)).collect()))
}

/// `DELETE /cast/sessions/{sessionId}`.
pub fn revoke(call: &Call, caller: &User, (): ()) -> Result<NoContent> {
    let (id, caller): (CastId, User) = (call.param("sessionId")?, caller.clone());
    call.app.db.write(move |tx| actions::revoke(tx, &caller, &id))?;
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
pub fn begin_pairing(call: &Call, key: IdempotencyKey) -> Result<Raw<CodeView>> {
    call.app.limits.code(call.peer)?;
    let app = call.app.clone();
    let reply = key.write(call, &call.peer.to_string(), move |tx| {
        let waiting = pairing::begin(tx, &app)?;
        let url = format!("{}/pair/{}", app.config.base_url, waiting.code);
        Reply::json(&CodeView {
            code: rules::spelled(&waiting.code),
            poll_token: waiting.poll_token,
            expires_at: waiting.expires,
            qr: qr::svg(&url)?,
            url,
        })
    });
    reply.map(Raw::new)
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
pub fn poll_pairing(call: &Call, (): ()) -> Result<Json<PairingView>> {
    let poll: String = call.param("poll_token")?;
    let (expires_at, token) = call.app.db.read(|tx| pairing::poll(tx, &call.app, &poll))?;
    let base_url = &call.app.config.base_url;
    Ok(Json(PairingView {
        paired: token.is_some(),
        expires_at,
        cast_url: token.as_deref().map(|it| rules::cast_url(base_url, it)),
        token,
    }))
}
