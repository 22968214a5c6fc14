//! Handlers of `/cast/sessions…` and `/cast/pair…`.

use schemars::JsonSchema;
use serde::Deserialize;
use serde::Serialize;

use super::actions;
use super::actions::CastRequest;
use super::actions::CreatedSession;
use super::pairing;
use super::pairing::PairingCode;
use super::rules;
use super::rules::CastSession;
use crate::app::App;
use crate::app::RequestContext;
use crate::features::accounts::User;
use chartroom_platform::crypto;
use chartroom_platform::db::Tx;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::http::IdempotencyKey;
use chartroom_platform::http::Json;
use chartroom_platform::http::NoContent;
use chartroom_platform::http::Response;
use chartroom_platform::http::endpoint::RawJson;
use chartroom_platform::id::CastId;
use chartroom_platform::id::NodeId;
use chartroom_platform::qr;
use chartroom_platform::time::Timestamp;

/// Request body of `POST /cast/sessions`.
#[derive(Deserialize, JsonSchema)]
pub struct CastBody {
    /// UUID of a document that the caller owns. Required.
    document_id: Option<String>,
    /// Name of the screen, 1 to 100 characters. Required.
    device_name: Option<String>,
    /// Code that a waiting screen shows. The screen then opens the document automatically.
    code: Option<String>,
}

/// Response body of `POST /cast/sessions`.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "CastCreated")]
pub struct CreatedSessionView {
    id: CastId,
    /// Secret token: anyone who has it can read the document.
    token: String,
    /// Receiver page for the screen. The address ends in the token.
    cast_url: String,
    /// Expiry time without further activity of the screen.
    expires_at: Timestamp,
}

/// An active session.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "CastSession")]
pub struct SessionView {
    id: CastId,
    document_id: NodeId,
    device_name: String,
    created_at: Timestamp,
    /// Time of the last activity of the screen, accurate to five minutes.
    last_activity_at: Timestamp,
    expires_at: Timestamp,
    cast_url: String,
    /// `updated` of the document version that the screen shows. Absent until the screen reports it.
    #[serde(skip_serializing_if = "Option::is_none")]
    last_drawn: Option<Timestamp>,
}

impl SessionView {
    /// Builds the view of a session. If the screen has an open stream, its last activity is `now`,
    /// from which the expiry counts too. `cast_url` is empty if the server key has changed since
    /// the session was created.
    fn new(app: &App, session: CastSession, now: Timestamp) -> Self {
        let is_open = app.event_hub.has_stream(session.id.as_str());
        let last_activity = if is_open { now } else { session.last_activity };
        let token = rules::session_token(&app.server_key, &session.id);
        // If the server key has changed since, the screen still works, but its address is unknown.
        let is_known = crypto::sha256(token.as_bytes()) == session.token_hash;
        Self {
            document_id: session.document,
            device_name: session.device_name,
            created_at: session.created,
            last_activity_at: last_activity,
            expires_at: last_activity.saturating_add(rules::IDLE_TIMEOUT),
            cast_url: match is_known {
                true => rules::cast_url(&app.config.base_url, &token),
                false => String::new(),
            },
            last_drawn: session.drawn,
            id: session.id,
        }
    }
}

/// Handles `POST /cast/sessions`: creates a session. With a code, assigns the session to the screen
/// that shows it. A repeated request with the same idempotency key gets the first response again.
///
/// Wrong codes of the caller are counted. After too many of them, requests of the caller are
/// refused with `TooManyRequests`, even without a code or with a known idempotency key.
pub fn create(
    request: &RequestContext,
    caller: &User,
    (key, Json(body)): (IdempotencyKey, Json<CastBody>),
) -> Result<RawJson<CreatedSessionView>> {
    let required = |name, value: Option<String>| {
        value.ok_or_else(|| Error::invalid_field(name, "is required"))
    };
    let cast = CastRequest {
        document: NodeId::from_text(required("document_id", body.document_id)?),
        device_name: required("device_name", body.device_name)?,
        code: body.code,
    };
    let (app, user) = (request.app.clone(), caller.clone());
    let check_access = {
        let (user, document) = (user.clone(), cast.document.clone());
        move |tx: &Tx<'_>| actions::require_document_owner(tx, &user, &document)
    };
    let response = limit_code_guesses(request, caller, || {
        request.write_idempotent(&key, caller.id.as_str(), check_access, move |tx| {
            let created = actions::create_session(tx, &app, &user, &cast)?;
            Response::json(&CreatedSessionView::new(&app, created))
        })
    });
    response.map(RawJson::new)
}

impl CreatedSessionView {
    /// Builds the response for a new session, with its token in plain text and the address of its
    /// receiver page.
    fn new(app: &App, created: CreatedSession) -> Self {
        Self {
            id: created.id,
            cast_url: rules::cast_url(&app.config.base_url, &created.token),
            token: created.token,
            expires_at: created.expires,
        }
    }
}

/// Runs `create` unless the caller entered too many wrong codes. If it fails with `InvalidFields`
/// naming `code`, counts a wrong code of the caller. Success and other errors count nothing.
///
/// # Errors
/// The errors of `create`; `TooManyRequests` after too many wrong codes.
pub(super) fn limit_code_guesses<T>(
    request: &RequestContext,
    caller: &User,
    create: impl FnOnce() -> Result<T>,
) -> Result<T> {
    // The attempt counts as wrong before it is checked. Otherwise many concurrent requests could
    // try codes before the first one is counted.
    request.app.rate_limits.begin_pairing_attempt(caller.id.as_str())?;
    let created = create();
    let is_wrong = matches!(
        &created,
        Err(Error::InvalidFields(fields)) if fields.iter().any(|field| field.field == "code")
    );
    if !is_wrong {
        request.app.rate_limits.undo_pairing_attempt(caller.id.as_str());
    }
    created
}

/// Handles `GET /cast/sessions/{documentId}`: lists the sessions of the document that have not
/// ended, oldest first. The caller must own the document.
pub fn list(request: &RequestContext, caller: &User, (): ()) -> Result<Json<Vec<SessionView>>> {
    let document: NodeId = request.param("documentId")?;
    let app = &request.app;
    let (sessions, now) =
        app.db.read(|tx| Ok((actions::list_active_sessions(tx, caller, &document)?, tx.now)))?;
    Ok(Json(sessions.into_iter().map(|session| SessionView::new(app, session, now)).collect()))
}

/// Handles `DELETE /cast/sessions/{sessionId}`: revokes the session, so that its screen stops
/// showing the document. Returns `NotFound` for a session that has ended already.
pub fn revoke(request: &RequestContext, caller: &User, (): ()) -> Result<NoContent> {
    let (id, caller): (CastId, User) = (request.param("sessionId")?, caller.clone());
    request.app.db.write_with_reserve(move |tx| actions::revoke_session(tx, &caller, &id))?;
    Ok(NoContent)
}

/// Response body of `POST /cast/pair`.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "CastCode")]
pub struct CodeView {
    /// Code to display: eight letters with a hyphen.
    code: String,
    /// Token with which the screen polls. Never display it.
    poll_token: String,
    expires_at: Timestamp,
    /// Page where a user chooses the chart for the screen.
    url: String,
    /// `url` as a QR code (SVG).
    qr: String,
}

/// Handles `POST /cast/pair`: creates a code and a poll token for a screen, without sign-in. Limits
/// the number of requests per client address.
///
/// If there are too many valid codes, deletes the oldest code of the client with the most codes, so
/// that one client cannot prevent screens elsewhere from getting one.
///
/// A repeated request with the same idempotency key gets the first response again.
pub fn create_pairing(request: &RequestContext, key: IdempotencyKey) -> Result<RawJson<CodeView>> {
    let (limits, ip) = (&request.app.rate_limits, request.client_ip);
    limits.count_pairing_code(ip)?;
    let client = ip.to_string();
    // A repeated request stores no code and needs no slot.
    let idempotent = request.idempotent(&key, &client);
    if let Some(response) = request.app.db.read(|tx| idempotent.stored_response(tx))? {
        return Ok(RawJson::new(response));
    }
    let pairing_code = PairingCode::generate()?;
    let hash = pairing_code.hash(request.app);
    if let Some(evicted) = limits.reserve_pairing_code(ip, hash, rules::CODE_LIFETIME)? {
        request.app.db.write(move |tx| pairing::delete_code(tx, &evicted))?;
    }
    let app = request.app.clone();
    // Everyone may request a code.
    let response = request.write_idempotent(
        &key,
        &client,
        |_| Ok(()),
        move |tx| {
            let expires_at = pairing::store_code(tx, &app, &pairing_code)?;
            let url = format!("{}/pair/{}", app.config.base_url, pairing_code.code);
            Response::json(&CodeView {
                code: rules::format_code(&pairing_code.code),
                poll_token: pairing_code.poll_token.clone(),
                expires_at,
                qr: qr::render_svg(&url)?,
                url,
            })
        },
    );
    if response.is_err() {
        limits.release_pairing_code(ip, &hash);
    }
    response.map(RawJson::new)
}

/// Response body of `GET /cast/pair/{poll_token}`.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "CastPairing")]
pub struct PairingView {
    /// Whether a user has entered the code.
    paired: bool,
    expires_at: Timestamp,
    /// Token of the session, once paired.
    #[serde(skip_serializing_if = "Option::is_none")]
    token: Option<String>,
    /// Receiver page of the session, once paired.
    #[serde(skip_serializing_if = "Option::is_none")]
    cast_url: Option<String>,
}

/// Handles `GET /cast/pair/{poll_token}`: returns the token of the session once a user has entered
/// the code. Before that, returns `paired: false` without waiting. After the code has expired,
/// returns `NotFound`, even if it was entered.
pub fn poll_pairing(request: &RequestContext, (): ()) -> Result<Json<PairingView>> {
    let poll: String = request.param("poll_token")?;
    let pairing::PairingState { expires: expires_at, token } =
        request.app.db.read(|tx| pairing::poll(tx, request.app, &poll))?;
    let base_url = &request.app.config.base_url;
    Ok(Json(PairingView {
        paired: token.is_some(),
        expires_at,
        cast_url: token.as_deref().map(|token| rules::cast_url(base_url, token)),
        token,
    }))
}
