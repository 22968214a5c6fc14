//! Bodies and handlers of `/share`, of the ledger and of what others share with one.

use schemars::JsonSchema;
use serde::Deserialize;

use super::actions;
use super::foreign;
use super::ledger;
use super::ledger::Ledger;
use super::rules::Fields;
use super::rules::Thing;
use super::visible;
use super::visible::VisibleFolders;
use crate::app::RequestContext;
use crate::features::access::Ace;
use crate::features::accounts::User;
use crate::features::listing::Listing;
use crate::features::listing::http::PageQuery;
use crate::features::tree::FolderPath;
use chartroom_platform::db::Tx;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::field::given;
use chartroom_platform::http::IdempotencyKey;
use chartroom_platform::http::Json;
use chartroom_platform::http::NoContent;
use chartroom_platform::http::Page;
use chartroom_platform::http::Query;
use chartroom_platform::http::Response;
use chartroom_platform::http::endpoint::Raw;

/// What is shared and with whom: at most one of `user_id`, `email`, `team` and `link`. Other keys are
/// ignored.
#[derive(Deserialize, JsonSchema)]
pub struct ShareBody {
    /// User or organization whose it is. Required.
    owner: Option<String>,
    /// UUID; use `document` or `folder`.
    document: Option<String>,
    /// Absolute path.
    folder: Option<String>,
    /// `r` or `w`. When sharing, `r` if absent.
    #[schemars(extend("enum" = ["r", "w", null]))]
    mode: Option<String>,
    /// Share with this user.
    user_id: Option<String>,
    /// Share with whoever has this address: a user, or somebody who gets an invitation.
    email: Option<String>,
    /// Share with a team of the owner's organization.
    team: Option<String>,
    /// An existing link, or its token: to change or to revoke it.
    link: Option<String>,
    /// From when on it opens nothing (RFC 3339); null for never.
    #[serde(default, deserialize_with = "given")]
    expires_at: Option<Option<String>>,
    /// PATCH only: gives a link another token, so that the present one is dead; sends an invitation
    /// again.
    #[serde(default)]
    rotate: bool,
}

impl From<ShareBody> for Fields {
    fn from(body: ShareBody) -> Self {
        Self {
            owner: body.owner,
            document: body.document,
            folder: body.folder,
            mode: body.mode,
            user_id: body.user_id,
            email: body.email,
            team: body.team,
            link: body.link,
            expires_at: body.expires_at,
            rotate: body.rotate,
        }
    }
}

/// `POST /share`.
pub fn share(
    request: &RequestContext,
    caller: &User,
    (key, Json(body)): (IdempotencyKey, Json<ShareBody>),
) -> Result<Raw<Ace>> {
    let (app, who, caller) = (request.app.clone(), caller.id.to_string(), caller.clone());
    let wish = Fields::from(body).read()?;
    let response = request.write_once(&key, &who, move |tx| {
        Response::json(&actions::share(tx, &app, &caller, &wish)?)
    });
    response.map(Raw::new)
}

/// `PATCH /share`.
pub fn change(
    request: &RequestContext,
    caller: &User,
    Json(body): Json<ShareBody>,
) -> Result<Json<Ace>> {
    let (app, caller) = (request.app.clone(), caller.clone());
    let wish = Fields::from(body).read()?;
    request.app.db.write(move |tx| actions::change(tx, &app, &caller, &wish)).map(Json)
}

/// `DELETE /share`.
pub fn revoke(
    request: &RequestContext,
    caller: &User,
    Json(body): Json<ShareBody>,
) -> Result<NoContent> {
    let caller = caller.clone();
    let wish = Fields::from(body).read()?;
    request.app.db.write(move |tx| actions::revoke(tx, &caller, &wish))?;
    Ok(NoContent)
}

/// `GET /users/{user_id}/shares`.
pub fn ledger(
    request: &RequestContext,
    caller: &User,
    Query(query): Query<PageQuery>,
) -> Result<Raw<Ledger>> {
    let user: String = request.param("user_id")?;
    let page = query.page();
    request.app.db.read(|tx| ledger::list(tx, &request.app, caller, &user, page))?.response(request)
}

/// `GET /users/{user_id}/foreign-folders`.
pub fn foreign_folders(
    request: &RequestContext,
    caller: &User,
    Query(query): Query<PageQuery>,
) -> Result<Raw<Listing>> {
    foreign(request, caller, true, query.page())
}

/// `GET /users/{user_id}/foreign-documents`.
pub fn foreign_documents(
    request: &RequestContext,
    caller: &User,
    Query(query): Query<PageQuery>,
) -> Result<Raw<Listing>> {
    foreign(request, caller, false, query.page())
}

fn foreign(
    request: &RequestContext,
    caller: &User,
    folders: bool,
    page: Page,
) -> Result<Raw<Listing>> {
    let user: String = request.param("user_id")?;
    let base_url = &request.app.config.base_url;
    let list = |tx: &Tx<'_>| foreign::list(tx, base_url, caller, &user, folders, page);
    request.app.db.read(list)?.response(request)
}

/// `DELETE /users/{user_id}/foreign-folders/{owner}/{path}`.
pub fn leave_folder(request: &RequestContext, caller: &User, (): ()) -> Result<NoContent> {
    let path: String = request.param("path")?;
    // What cannot be a path is no folder's.
    let path = FolderPath::parse(&format!("/{path}")).map_err(|_| Error::NotFound("folder"))?;
    leave(request, caller, Thing::Folder(path))
}

/// `DELETE /users/{user_id}/foreign-documents/{owner}/{doc}`.
pub fn leave_document(request: &RequestContext, caller: &User, (): ()) -> Result<NoContent> {
    let thing = Thing::Document(request.param("doc")?);
    leave(request, caller, thing)
}

fn leave(request: &RequestContext, caller: &User, thing: Thing) -> Result<NoContent> {
    let (user, owner): (String, String) = (request.param("user_id")?, request.param("owner")?);
    let caller = caller.clone();
    request.app.db.write(move |tx| foreign::leave(tx, &caller, &user, &owner, &thing))?;
    Ok(NoContent)
}

/// `GET /users/{user_id}/visible-folders`.
pub fn visible_folders(
    request: &RequestContext,
    caller: &User,
    (): (),
) -> Result<Json<Vec<VisibleFolders>>> {
    let user: String = request.param("user_id")?;
    request.app.db.read(|tx| visible::visible(tx, caller, &user)).map(Json)
}
