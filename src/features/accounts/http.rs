//! Bodies and handlers of `/user/tokens`, `/user/sessions` and `/user/notifications`, and the
//! handler of `DELETE /session`.

use hyper::header::SET_COOKIE;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::Serialize;

use super::ApiToken;
use super::NewApiToken;
use super::Session;
use super::SessionMethod;
use super::TokenScope;
use super::User;
use super::actions;
use super::credentials;
use super::notifications;
use super::notifications::NotificationChoices;
use super::notifications::NotificationPatch;
use super::sessions;
use crate::app::RequestContext;
use chartroom_platform::crypto::Sha256Hash;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::http::IdempotencyKey;
use chartroom_platform::http::Json;
use chartroom_platform::http::NoContent;
use chartroom_platform::http::Response;
use chartroom_platform::http::endpoint::NoBody;
use chartroom_platform::http::endpoint::RawJson;
use chartroom_platform::id::SessionId;
use chartroom_platform::id::TokenId;
use chartroom_platform::time::Timestamp;

/// An API token without its secret.
#[derive(Serialize, JsonSchema)]
pub struct TokenEntry {
    /// Token id, which is not the secret.
    id: TokenId,
    /// Name that the owner gave to the token.
    name: String,
    /// First characters of the secret.
    hint: String,
    /// Time of creation.
    created: Timestamp,
    /// Time from which the token is invalid. Absent if it does not expire.
    #[serde(skip_serializing_if = "Option::is_none")]
    expires_at: Option<Timestamp>,
    /// Time of the last request with the token, precise to five minutes. Null before the first one.
    last_used: Option<Timestamp>,
    /// The requests that the token permits.
    scope: TokenScope,
}

impl TokenEntry {
    /// Converts a stored token to its form in responses.
    fn from_token(token: ApiToken) -> Self {
        Self {
            id: token.id,
            name: token.name,
            hint: token.hint,
            created: token.created,
            expires_at: token.expires,
            last_used: token.last_used,
            scope: token.scope,
        }
    }
}

/// Request body of `POST /user/tokens`.
#[derive(Deserialize, JsonSchema)]
pub struct NewToken {
    /// Name of the token.
    name: String,
    /// Time from which the token is invalid (RFC 3339). If absent, the token does not expire.
    expires_at: Option<String>,
    /// The requests that the token permits: `full` (default) for everything that its user may do, `read`
    /// for requests that change nothing, `write` for these and changes of documents and folders, or `scim`
    /// for user provisioning only.
    #[schemars(with = "Option<TokenScope>")]
    scope: Option<String>,
}

/// A new API token. This response is the only one that contains the secret.
#[derive(Serialize, JsonSchema)]
pub struct CreatedToken {
    #[serde(flatten)]
    entry: TokenEntry,
    /// Secret, for `Authorization: Bearer`.
    token: String,
}

/// Handles `GET /user/tokens`: returns the API tokens of the caller, expired ones included, newest
/// first.
pub fn list_tokens(
    request: &RequestContext,
    caller: &User,
    (): (),
) -> Result<Json<Vec<TokenEntry>>> {
    let tokens = sessions::list_tokens(request, &caller.id)?;
    Ok(Json(tokens.into_iter().map(TokenEntry::from_token).collect()))
}

/// Handles `POST /user/tokens`: creates an API token and returns its secret. No other request
/// returns the secret, except a repetition with the same idempotency key.
pub fn create_token(
    request: &RequestContext,
    caller: &User,
    (key, Json(body)): (IdempotencyKey, Json<NewToken>),
) -> Result<RawJson<CreatedToken>> {
    let expires = body.expires_at.as_deref().map(parse_expiry).transpose()?;
    let scope = TokenScope::parse(body.scope.as_deref())?;
    let (caller_id, user) = (caller.id.to_string(), caller.id.clone());
    // Every user may create tokens of their own.
    let response = request.write_idempotent(
        &key,
        &caller_id,
        |_| Ok(()),
        move |tx| {
            let new = NewApiToken { name: &body.name, expires, scope };
            let (token, secret) = actions::create_token(tx, &user, &new)?;
            Response::json(&CreatedToken { entry: TokenEntry::from_token(token), token: secret })
        },
    );
    response.map(RawJson::new)
}

/// Parses the RFC 3339 time in `expires_at`. It may be in the past.
///
/// # Errors
/// `InvalidFields` for `expires_at`.
fn parse_expiry(text: &str) -> Result<Timestamp> {
    Timestamp::parse_rfc3339(text).ok_or_else(|| {
        Error::invalid_field("expires_at", "must be a time such as 2027-01-31T12:00:00Z")
    })
}

/// Handles `DELETE /user/tokens/{id}`: deletes an API token of the caller, or fails with
/// `NotFound`.
pub fn delete_token(request: &RequestContext, caller: &User, (): ()) -> Result<NoContent> {
    let (user, id) = (caller.id.clone(), request.param::<TokenId>("id")?);
    request.app.db.write_with_reserve(move |tx| actions::delete_token(tx, &user, &id))?;
    Ok(NoContent)
}

/// Handles `DELETE /session`: deletes the session of the request and removes its cookie.
pub fn end_session(request: &RequestContext, _: &User, (): ()) -> Result<NoBody> {
    Response::no_content().append_header(SET_COOKIE, &credentials::sign_out(request)?).map(NoBody)
}

/// A browser session of the caller.
#[derive(Serialize, JsonSchema)]
pub struct SessionEntry {
    /// Session id, which is not the value of the cookie.
    id: SessionId,
    /// Time of the sign-in.
    created: Timestamp,
    /// Time of the last request, precise to five minutes.
    last_used: Timestamp,
    /// Time from which the session is invalid: 30 days after the last use, at most 90 days after
    /// the sign-in.
    expires_at: Timestamp,
    /// How the user signed in.
    method: SessionMethod,
    /// `User-Agent` of the browser that signed in.
    user_agent: String,
    /// Address of the client that signed in. Null if it is unknown.
    ip_address: Option<String>,
    /// Whether this is the session of the request.
    current: bool,
}

impl SessionEntry {
    /// Converts a session to its form in responses. `current` is the hash of the session of the
    /// request.
    fn from_session(session: Session, current: Option<&Sha256Hash>) -> Self {
        Self {
            id: session.id,
            created: session.created,
            last_used: session.last_used,
            expires_at: session.expires,
            method: session.method,
            user_agent: session.user_agent,
            ip_address: Some(session.ip_address).filter(|address| !address.is_empty()),
            current: current == Some(&session.hash),
        }
    }
}

/// Handles `GET /user/sessions`: returns the browser sessions of the caller, newest first.
pub fn list_sessions(
    request: &RequestContext,
    caller: &User,
    (): (),
) -> Result<Json<Vec<SessionEntry>>> {
    let current = credentials::session_hash(request);
    let sessions = sessions::list_sessions(request, &caller.id)?.into_iter();
    let entry = |session| SessionEntry::from_session(session, current.as_ref());
    Ok(Json(sessions.map(entry).collect()))
}

/// Handles `DELETE /user/sessions/{id}`: ends a session of the caller, or fails with `NotFound`.
pub fn delete_session(request: &RequestContext, caller: &User, (): ()) -> Result<NoContent> {
    let (user, id) = (caller.id.clone(), request.param::<SessionId>("id")?);
    request.app.db.write_with_reserve(move |tx| sessions::end_session(tx, &user, &id))?;
    Ok(NoContent)
}

/// Handles `DELETE /user/sessions`: ends all sessions of the caller except that of the request.
pub fn delete_other_sessions(request: &RequestContext, caller: &User, (): ()) -> Result<NoContent> {
    let (user, kept) = (caller.id.clone(), credentials::session_hash(request));
    request
        .app
        .db
        .write_with_reserve(move |tx| sessions::end_sessions(tx, &user, kept.as_ref()))?;
    Ok(NoContent)
}

/// Handles `GET /user/notifications`: returns the mails about actions of other people that the
/// caller gets.
pub fn get_notifications(
    request: &RequestContext,
    caller: &User,
    (): (),
) -> Result<Json<NotificationChoices>> {
    Ok(Json(request.app.db.read(|tx| notifications::find_choices(tx, &caller.id))?))
}

/// Handles `PATCH /user/notifications`: switches mails on or off, and returns all choices.
pub fn patch_notifications(
    request: &RequestContext,
    caller: &User,
    Json(patch): Json<NotificationPatch>,
) -> Result<Json<NotificationChoices>> {
    let user = caller.id.clone();
    let write = request
        .app
        .db
        .write_with_reserve(move |tx| notifications::change_choices(tx, &user, patch));
    Ok(Json(write?))
}
