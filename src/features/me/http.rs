//! Bodies and handlers of `/user` and of avatars, and the handler of `POST /session`.

use hyper::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, SET_COOKIE};
use schemars::JsonSchema;
use serde::Deserialize;
use serde::Serialize;
use serde_json::Value;

use super::avatar;
use super::avatar_upload;
use crate::app::App;
use crate::app::RequestContext;
use crate::features::accounts;
use crate::features::accounts::Profile;
use crate::features::accounts::User;
use crate::features::accounts::UserChanges;
use crate::features::orgs;
use crate::features::orgs::Layout;
use crate::features::orgs::assets::http::FileBody;
use crate::features::orgs::http::OrgEntry;
use crate::features::orgs::http::StorageUsage;
use crate::features::people;
use chartroom_platform::crypto;
use chartroom_platform::db::Tx;
use chartroom_platform::error::Error;
use chartroom_platform::error::OrNotFound;
use chartroom_platform::error::Result;
use chartroom_platform::http::Json;
use chartroom_platform::http::NoContent;
use chartroom_platform::http::Response;
use chartroom_platform::http::conditional;
use chartroom_platform::http::endpoint::RawJson;
use chartroom_platform::id::AccountId;
use chartroom_platform::json_field::deserialize_nullable;
use chartroom_platform::language::Language;

/// Media type of avatars.
const AVATAR_TYPE: &str = "image/svg+xml";
/// Content security policy of an avatar that a browser opens as a page: it shows only its own image.
const AVATAR_POLICY: &str = "default-src 'none'; img-src data:; frame-ancestors 'none'; sandbox";

/// The current user.
#[derive(Serialize, JsonSchema)]
pub struct CurrentUser {
    #[schemars(extend("x-placeholder" = "user_id"))]
    id: AccountId,
    /// URL of the avatar on this server, or of the picture at the identity provider if the user has
    /// uploaded none.
    avatar_url: String,
    /// Whether an organization has disabled document storage for this user.
    disable_document_storage: bool,
    email: String,
    /// Whether the user is a member of an organization that is not suspended.
    is_premium: bool,
    /// Whether an organization manages the account.
    managed: bool,
    name: String,
    orgs: Vec<OrgEntry>,
    username: String,
    /// Layout of new documents, or null.
    default_layout: Option<Value>,
    /// Language of the pages: `en` or `de`. Null if the browser decides.
    language: Option<&'static str>,
    /// Whether the user operates the server.
    operator: bool,
    #[serde(flatten)]
    storage: StorageUsage,
}

impl CurrentUser {
    /// Builds the representation from the profile, and reads the organizations of the user.
    ///
    /// # Errors
    /// Errors of the database, or `Internal` if the stored default layout is not valid JSON.
    fn new(tx: &Tx<'_>, user: Profile, app: &App) -> Result<Self> {
        let base_url = &app.config.base_url;
        let memberships = orgs::list_memberships(tx, &user.id)?;
        let disable_document_storage = orgs::is_storage_forbidden(tx, &user.id)?;
        let managed = people::managing_org(tx, &user.id)?.is_some();
        let layout = user.default_layout.as_deref().map(serde_json::from_str).transpose()?;
        Ok(Self {
            storage: StorageUsage::load(tx, app, &user.id)?,
            avatar_url: people::managed::find_picture_url(tx, &user.id)?
                .unwrap_or_else(|| accounts::avatar_url(base_url, &user.id)),
            id: user.id,
            disable_document_storage,
            managed,
            is_premium: memberships.iter().any(|membership| !membership.org.suspended),
            email: user.email,
            name: user.name,
            orgs: memberships
                .into_iter()
                .map(|membership| OrgEntry::from_membership(membership, base_url))
                .collect(),
            username: user.username,
            default_layout: layout,
            language: user.language.map(Language::tag),
            operator: user.operator,
        })
    }

    /// Reads the user `id` in a transaction of its own and builds the representation. `NotFound` if
    /// there is no such user.
    fn load(request: &RequestContext, id: &AccountId) -> Result<Self> {
        request.app.db.read(|tx| Self::new(tx, accounts::load_profile(tx, id)?, request.app))
    }
}

/// Body of `POST /session`.
#[derive(Deserialize, JsonSchema)]
pub struct Credentials {
    /// E-mail address, username or account id.
    email: String,
    password: String,
    /// Code of the app or recovery code, for an account with a second factor. Ignored for other
    /// accounts.
    code: Option<String>,
}

/// Body of `PATCH /user`. An absent field keeps the stored value. Unknown fields are ignored.
#[derive(Deserialize, JsonSchema)]
pub struct UserPatch {
    /// Full name.
    name: Option<String>,
    /// New password of 10 to 1024 characters.
    password: Option<String>,
    /// Current password, required with a new one.
    current_password: Option<String>,
    /// Layout of new documents. Null removes it.
    #[serde(default, deserialize_with = "deserialize_nullable")]
    default_layout: Option<Option<Layout>>,
    /// Language of the pages: `en` or `de`. Null lets the browser decide.
    #[serde(default, deserialize_with = "deserialize_nullable")]
    language: Option<Option<String>>,
}

/// Handles `GET /user`: the signed-in user with their organizations and storage.
pub fn get(request: &RequestContext, caller: &User, (): ()) -> Result<Json<CurrentUser>> {
    Ok(Json(CurrentUser::load(request, &caller.id)?))
}

/// Handles `PATCH /user`: changes name, password, default layout or language. A new password ends the
/// caller's other sessions.
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
        accounts::parse_name(name)?;
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
    let language = match &body.language {
        Some(tag) => Some(accounts::parse_language(tag.as_deref())?),
        None => None,
    };
    let change =
        UserChanges { name: body.name, default_layout, language, ..UserChanges::default() };
    let (user, session) = (caller.clone(), accounts::session_hash(request));
    request.app.db.write_with_reserve(move |tx| {
        accounts::update_own_account(tx, &user, change.clone(), password.as_ref(), session)?;
        Ok(())
    })?;
    Ok(Json(CurrentUser::load(request, &caller.id)?))
}

/// Handles `POST /session`: sets the session cookie. Returns the user, like `GET /user`.
pub fn sign_in(
    request: &RequestContext,
    Json(body): Json<Credentials>,
) -> Result<RawJson<CurrentUser>> {
    let (name, code) = (body.email.trim(), body.code.as_deref());
    let signed_in = accounts::sign_in(request, name, &body.password, code)?;
    let user = CurrentUser::load(request, &signed_in.user.id)?;
    Ok(RawJson::new(Response::json(&user)?.append_header(SET_COOKIE, &signed_in.cookie)?))
}

/// Handles `PUT /user/avatar`: stores the body, an image file, as the avatar of the caller.
pub fn put_avatar(
    request: &RequestContext,
    caller: &User,
    FileBody(file): FileBody,
) -> Result<NoContent> {
    avatar_upload::set_avatar(request.app, &caller.id, "body", &file)?;
    Ok(NoContent)
}

/// Handles `DELETE /user/avatar`: removes the avatar of the caller, who gets the initials again.
pub fn delete_avatar(request: &RequestContext, caller: &User, (): ()) -> Result<NoContent> {
    avatar_upload::remove_avatar(request.app, &caller.id)?;
    Ok(NoContent)
}

/// Handles `GET /users/{user_id}/avatar.svg`.
///
/// Other users can be named by account id only. Otherwise callers could test which usernames and
/// addresses exist. Avatars of organizations are visible to members only. Returns an SVG image that
/// clients must revalidate, so that a new avatar is visible immediately.
pub fn avatar(request: &RequestContext, caller: &User, (): ()) -> Result<Response> {
    let text: String = request.param("user_id")?;
    let is_current = |tag: &str| {
        let tag = format!("\"{tag}\"");
        conditional::find_matching_tag(&request.headers, &tag).is_some()
    };
    let (uploaded, id, name) = request.app.db.read(|tx| {
        let (id, name) = find_avatar_owner(tx, caller, &text)?;
        Ok::<_, Error>((avatar_upload::find_avatar(tx, &id, is_current)?, id, name))
    })?;
    let (tag, svg) = match uploaded {
        Some((tag, png)) => (tag, png.map(|png| avatar::embed_image(&png))),
        None => {
            let svg = avatar::render_avatar(&id, &name);
            (crypto::base62_checksum(&svg, 16), Some(svg))
        }
    };
    let response = match svg {
        Some(svg) => Response::bytes(AVATAR_TYPE, svg),
        None => Response::not_modified(AVATAR_TYPE),
    };
    response
        .with_header(CACHE_CONTROL, "private, no-cache")?
        .with_header(CONTENT_SECURITY_POLICY, AVATAR_POLICY)?
        .with_etag(&tag)
}

/// Returns the id and the name of the account that a path names, if the caller may see its avatar.
///
/// # Errors
/// `NotFound` if the caller may not see it, or there is no such account.
fn find_avatar_owner(tx: &Tx<'_>, caller: &User, text: &str) -> Result<(AccountId, String)> {
    let id = accounts::resolve_account(tx, Some(caller), text)?;
    if id == caller.id {
        return Ok((id, caller.name.clone()));
    }
    if id.as_str() != text {
        return Err(Error::NotFound("account"));
    }
    match accounts::load_profile(tx, &id) {
        Ok(user) => Ok((id, user.name)),
        Err(Error::NotFound(_)) => {
            orgs::find_role(tx, &id, &caller.id)?.or_not_found("account")?;
            Ok((id, orgs::find_org(tx, text)?.name))
        }
        Err(error) => Err(error),
    }
}
