//! Bodies and handlers of `/user`, of beginning a session, and of avatars.

use hyper::header::{CACHE_CONTROL, SET_COOKIE};
use schemars::JsonSchema;
use serde::Deserialize;
use serde::Serialize;
use serde_json::Value;

use super::avatar;
use crate::app::RequestContext;
use crate::features::accounts;
use crate::features::accounts::Change;
use crate::features::accounts::Profile;
use crate::features::accounts::User;
use crate::features::orgs;
use crate::features::orgs::Layout;
use crate::features::orgs::http::OrgEntry;
use chartroom_platform::crypto;
use chartroom_platform::db::Tx;
use chartroom_platform::error::Error;
use chartroom_platform::error::Found;
use chartroom_platform::error::Result;
use chartroom_platform::field::given;
use chartroom_platform::http::Json;
use chartroom_platform::http::Response;
use chartroom_platform::http::endpoint::Raw;
use chartroom_platform::id::AccountId;

/// The current user.
#[derive(Serialize, JsonSchema)]
pub struct CurrentUser {
    #[schemars(extend("x-placeholder" = "user_id"))]
    id: AccountId,
    avatar_url: String,
    /// Whether documents cannot be stored here, by a rule of an organization.
    disable_document_storage: bool,
    email: String,
    /// Whether an organization's plan gives access to everything.
    is_premium: bool,
    /// Whether an organization keeps the account.
    managed: bool,
    name: String,
    orgs: Vec<OrgEntry>,
    username: String,
    /// Layout of new documents, or null.
    default_layout: Option<Value>,
    /// Whether the user runs the server.
    operator: bool,
}

impl CurrentUser {
    fn of(tx: &Tx<'_>, user: Profile, base_url: &str) -> Result<Self> {
        let memberships = orgs::memberships(tx, &user.id)?;
        let disable_document_storage = orgs::forbids_storage(tx, &user.id)?;
        let layout = user.default_layout.as_deref().map(serde_json::from_str).transpose()?;
        Ok(Self {
            avatar_url: accounts::avatar_url(base_url, &user.id),
            id: user.id,
            disable_document_storage,
            // No organization can keep accounts yet.
            managed: false,
            is_premium: memberships.iter().any(|it| !it.org.suspended),
            email: user.email,
            name: user.name,
            orgs: memberships.into_iter().map(|it| OrgEntry::of(it, base_url)).collect(),
            username: user.username,
            default_layout: layout,
            operator: user.operator,
        })
    }

    fn read(request: &RequestContext, id: &AccountId) -> Result<Self> {
        request
            .app
            .db
            .read(|tx| Self::of(tx, accounts::profile(tx, id)?, &request.app.config.base_url))
    }
}

/// `POST /session`.
#[derive(Deserialize, JsonSchema)]
pub struct Credentials {
    /// The e-mail address, the username or the id.
    email: String,
    password: String,
}

/// `PATCH /user`. What is absent stays; other keys are ignored.
#[derive(Deserialize, JsonSchema)]
pub struct UserPatch {
    /// The full name.
    name: Option<String>,
    /// A new password of 10 to 1024 characters.
    password: Option<String>,
    /// The present password, needed with a new one.
    current_password: Option<String>,
    /// Layout of new documents; null takes it away.
    #[serde(default, deserialize_with = "given")]
    default_layout: Option<Option<Layout>>,
}

/// `GET /user`.
pub fn get(request: &RequestContext, caller: &User, (): ()) -> Result<Json<CurrentUser>> {
    Ok(Json(CurrentUser::read(request, &caller.id)?))
}

/// `PATCH /user`.
pub fn patch(
    request: &RequestContext,
    caller: &User,
    Json(body): Json<UserPatch>,
) -> Result<Json<CurrentUser>> {
    let default_layout = match body.default_layout {
        Some(Some(layout)) => {
            layout.check("default_layout")?;
            Some(Some(serde_json::to_string(&layout)?))
        }
        Some(None) => Some(None),
        None => None,
    };
    if let Some(name) = &body.name {
        accounts::name_rule(name)?;
    }
    let password = match body.password {
        Some(new) => Some(accounts::check_password_change(
            request,
            caller,
            body.current_password.as_deref(),
            &new,
        )?),
        None => None,
    };
    let change = Change { name: body.name, default_layout, ..Change::default() };
    let (user, session) = (caller.clone(), accounts::session_of(request));
    request.app.db.write(move |tx| {
        accounts::change_own(tx, &user, change.clone(), password.as_ref(), session)?;
        Ok(())
    })?;
    Ok(Json(CurrentUser::read(request, &caller.id)?))
}

/// `POST /session`: sets the session cookie.
pub fn sign_in(
    request: &RequestContext,
    Json(body): Json<Credentials>,
) -> Result<Raw<CurrentUser>> {
    let signed_in = accounts::sign_in(request, body.email.trim(), &body.password)?;
    let user = CurrentUser::read(request, &signed_in.user.id)?;
    Ok(Raw::new(Response::json(&user)?.and(SET_COOKIE, &signed_in.cookie)?))
}

/// `GET /users/{user_id}/avatar.svg`. Other people are found by their ids only: who guesses
/// addresses learns nothing here. Of organizations, members see the avatar.
pub fn avatar(request: &RequestContext, caller: &User, (): ()) -> Result<Response> {
    let text: String = request.param("user_id")?;
    let (id, name) = request.app.db.read(|tx| {
        let id = accounts::resolve(tx, Some(caller), &text)?;
        if id == caller.id {
            return Ok((id, caller.name.clone()));
        }
        if id.as_str() != text {
            return Err(Error::NotFound("account"));
        }
        match accounts::profile(tx, &id) {
            Ok(user) => Ok((id, user.name)),
            Err(Error::NotFound(_)) => {
                orgs::role(tx, &id, &caller.id)?.found("account")?;
                Ok((id, orgs::find(tx, &text)?.name))
            }
            Err(error) => Err(error),
        }
    })?;
    let picture = avatar::draw(&id, &name);
    let tag = crypto::checksum62(&picture, 16);
    Response::bytes("image/svg+xml", picture)
        .with(CACHE_CONTROL, "private, max-age=3600")?
        .tagged(&tag)
}
