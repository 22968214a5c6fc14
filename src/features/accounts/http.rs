//! Bodies and handlers of `/user/tokens` and of ending a session.

use hyper::header::SET_COOKIE;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::Serialize;

use super::User;
use super::actions;
use super::credentials;
use super::store;
use crate::app::RequestContext;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::http::IdempotencyKey;
use chartroom_platform::http::Json;
use chartroom_platform::http::NoContent;
use chartroom_platform::http::Response;
use chartroom_platform::http::endpoint::Bare;
use chartroom_platform::http::endpoint::Raw;
use chartroom_platform::id::TokenId;
use chartroom_platform::time::Timestamp;

/// An API token without its secret.
#[derive(Serialize, JsonSchema)]
pub struct TokenEntry {
    /// The token's id, which is not the token.
    id: TokenId,
    /// What its owner called it.
    name: String,
    /// Its first characters.
    hint: String,
    /// When it was made.
    created: Timestamp,
    /// From when on it is refused; absent when it does not expire.
    #[serde(skip_serializing_if = "Option::is_none")]
    expires_at: Option<Timestamp>,
}

impl TokenEntry {
    fn of(token: store::Token) -> Self {
        Self {
            id: token.id,
            name: token.name,
            hint: token.hint,
            created: token.created,
            expires_at: token.expires,
        }
    }
}

/// `POST /user/tokens`.
#[derive(Deserialize, JsonSchema)]
pub struct NewToken {
    /// What to call it.
    name: String,
    /// From when on it is refused (RFC 3339); absent: it does not expire.
    expires_at: Option<String>,
}

/// A new API token. The secret is shown this once.
#[derive(Serialize, JsonSchema)]
pub struct MadeToken {
    #[serde(flatten)]
    entry: TokenEntry,
    /// The secret, for `Authorization: Bearer`.
    token: String,
}

/// `GET /user/tokens`.
pub fn list_tokens(
    request: &RequestContext,
    caller: &User,
    (): (),
) -> Result<Json<Vec<TokenEntry>>> {
    let tokens = request.app.db.read(|tx| store::tokens(tx, &caller.id))?;
    Ok(Json(tokens.into_iter().map(TokenEntry::of).collect()))
}

/// `POST /user/tokens`.
pub fn make_token(
    request: &RequestContext,
    caller: &User,
    (key, Json(body)): (IdempotencyKey, Json<NewToken>),
) -> Result<Raw<MadeToken>> {
    let expires = body.expires_at.as_deref().map(expiry).transpose()?;
    let (who, user) = (caller.id.to_string(), caller.id.clone());
    let response = request.write_once(&key, &who, move |tx| {
        let (token, secret) = actions::make_token(tx, &user, &body.name, expires)?;
        Response::json(&MadeToken { entry: TokenEntry::of(token), token: secret })
    });
    response.map(Raw::new)
}

fn expiry(text: &str) -> Result<Timestamp> {
    let time: jiff::Timestamp = text
        .parse()
        .map_err(|_| Error::field("expires_at", "is not a time such as 2027-01-31T12:00:00Z"))?;
    Ok(Timestamp(time.as_millisecond()))
}

/// `DELETE /user/tokens/{id}`.
pub fn delete_token(request: &RequestContext, caller: &User, (): ()) -> Result<NoContent> {
    let (user, id) = (caller.id.clone(), request.param::<TokenId>("id")?);
    let removed = request.app.db.write(move |tx| store::delete_token(tx, &user, &id))?;
    if removed { Ok(NoContent) } else { Err(Error::NotFound("token")) }
}

/// `DELETE /session`: ends the session of the request's cookie and removes the cookie.
pub fn end_session(request: &RequestContext, _: &User, (): ()) -> Result<Bare> {
    Response::no_content().and(SET_COOKIE, &credentials::sign_out(request)?).map(Bare)
}
