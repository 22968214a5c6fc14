//! Handlers of `/share` and of the lists of shares.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use super::actions;
use super::foreign;
use super::rules::ShareFields;
use super::rules::ShareTarget;
use super::shares;
use super::shares::ShareList;
use super::visible;
use super::visible::VisibleFolders;
use crate::app::RequestContext;
use crate::features::access::Ace;
use crate::features::accounts::User;
use crate::features::listing::Listing;
use crate::features::listing::http::PageQuery;
use crate::features::tree::FolderPath;
use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::http::IdempotencyKey;
use chartroom_platform::http::Json;
use chartroom_platform::http::NoContent;
use chartroom_platform::http::Page;
use chartroom_platform::http::Query;
use chartroom_platform::http::Response;
use chartroom_platform::http::endpoint::RawJson;
use chartroom_platform::json_field::deserialize_nullable;

/// The shared node and the recipient, which is at most one of `user_id`, `email`, `team` and
/// `link`. Unknown fields are ignored.
#[derive(Deserialize, JsonSchema)]
pub struct ShareBody {
    /// User or organization that owns the document or folder. Required.
    owner: Option<String>,
    /// UUID of the document. Exactly one of `document` and `folder` is required.
    document: Option<String>,
    /// Absolute path of the folder.
    folder: Option<String>,
    /// `r` (read) or `w` (read and write). New shares default to `r`.
    #[schemars(extend("enum" = ["r", "w", null]))]
    mode: Option<String>,
    /// User to share with.
    user_id: Option<String>,
    /// E-mail address to share with. Without an account, the address gets an invitation.
    email: Option<String>,
    /// Team of the owner's organization to share with.
    team: Option<String>,
    /// Existing link or its token, to change or revoke it.
    link: Option<String>,
    /// Expiry time (RFC 3339). Null removes it.
    #[serde(default, deserialize_with = "deserialize_nullable")]
    expires_at: Option<Option<String>>,
    /// PATCH only: replaces the token of a link, which invalidates the current link, or sends an
    /// invitation again.
    #[serde(default)]
    rotate: bool,
}

impl From<ShareBody> for ShareFields {
    /// Moves the fields unchanged.
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

/// Handles `POST /share`: shares a node, or changes the share with the same recipient. Returns the
/// access entry. A repeated request with the same idempotency key gets the stored response.
pub fn share(
    request: &RequestContext,
    caller: &User,
    (key, Json(body)): (IdempotencyKey, Json<ShareBody>),
) -> Result<RawJson<Ace>> {
    let share_request = Arc::new(ShareFields::from(body).into_request()?);
    let account = caller.id.as_str();
    let response = request.app.write_counting_mails(account, |counted| {
        let (app, caller) = (request.app.clone(), caller.clone());
        let share_request = share_request.clone();
        let check_access = {
            let (caller, share_request) = (caller.clone(), share_request.clone());
            move |tx: &Tx<'_>| actions::check_may_share(tx, &caller, &share_request)
        };
        request.write_idempotent(&key, account, check_access, move |tx| {
            Response::json(&actions::share_node(tx, &app, counted, &caller, &share_request)?)
        })
    });
    response.map(RawJson::new)
}

/// Handles `PATCH /share`: changes an existing share. Returns the changed access entry.
pub fn change(
    request: &RequestContext,
    caller: &User,
    Json(body): Json<ShareBody>,
) -> Result<Json<Ace>> {
    let share_request = Arc::new(ShareFields::from(body).into_request()?);
    let change = |counted| {
        let (app, caller) = (request.app.clone(), caller.clone());
        let share_request = share_request.clone();
        let change = move |tx: &WriteTx<'_>| {
            actions::change_share(tx, &app, counted, &caller, &share_request)
        };
        request.app.db.write(change)
    };
    request.app.write_counting_mails(caller.id.as_str(), change).map(Json)
}

/// Handles `DELETE /share`: revokes the share of the node with the recipient that the body names.
/// Access through shares of folders above stays. Works on a full disk.
///
/// # Errors
/// `InvalidFields` if the fields of the body do not fit together. The errors of
/// `actions::revoke_share`, such as `NotFound` if the node is not shared with this recipient.
pub fn revoke(
    request: &RequestContext,
    caller: &User,
    Json(body): Json<ShareBody>,
) -> Result<NoContent> {
    let caller = caller.clone();
    let share_request = ShareFields::from(body).into_request()?;
    request
        .app
        .db
        .write_with_reserve(move |tx| actions::revoke_share(tx, &caller, &share_request))?;
    Ok(NoContent)
}

/// Handles `GET /users/{user_id}/shares`: a page of the access entries on nodes of the account, and
/// of the entries that the account created on nodes of other accounts. Not the nodes that others
/// have shared with the account.
///
/// The account must be the caller's own or an organization that the caller administers.
///
/// # Errors
/// `NotFound` for any other account.
pub fn list_granted_shares(
    request: &RequestContext,
    caller: &User,
    Query(query): Query<PageQuery>,
) -> Result<RawJson<ShareList>> {
    let user: String = request.param("user_id")?;
    let page = query.page();
    request
        .app
        .db
        .read(|tx| shares::list_granted_shares(tx, request.app, caller, &user, page))?
        .response(request)
}

/// Handles `GET /users/{user_id}/foreign-folders`: the folders that others share with the caller.
pub fn foreign_folders(
    request: &RequestContext,
    caller: &User,
    Query(query): Query<PageQuery>,
) -> Result<RawJson<Listing>> {
    list_foreign(request, caller, true, query.page())
}

/// Handles `GET /users/{user_id}/foreign-documents`: the documents that others share with the
/// caller.
pub fn foreign_documents(
    request: &RequestContext,
    caller: &User,
    Query(query): Query<PageQuery>,
) -> Result<RawJson<Listing>> {
    list_foreign(request, caller, false, query.page())
}

/// Lists the folders (or documents, if `folders` is false) that others share with the caller.
fn list_foreign(
    request: &RequestContext,
    caller: &User,
    folders: bool,
    page: Page,
) -> Result<RawJson<Listing>> {
    let user: String = request.param("user_id")?;
    let base_url = &request.app.config.base_url;
    let list = |tx: &Tx<'_>| foreign::list_foreign(tx, base_url, caller, &user, folders, page);
    request.app.db.read(list)?.response(request)
}

/// Handles `DELETE /users/{user_id}/foreign-folders/{owner}/{path}`, see `foreign::leave_share`.
pub fn leave_folder(request: &RequestContext, caller: &User, (): ()) -> Result<NoContent> {
    let path: String = request.param("path")?;
    // An invalid path cannot name an existing folder.
    let path = FolderPath::parse(&format!("/{path}")).map_err(|_| Error::NotFound("folder"))?;
    leave(request, caller, ShareTarget::Folder(path))
}

/// Handles `DELETE /users/{user_id}/foreign-documents/{owner}/{doc}`, see `foreign::leave_share`.
pub fn leave_document(request: &RequestContext, caller: &User, (): ()) -> Result<NoContent> {
    let target = ShareTarget::Document(request.param("doc")?);
    leave(request, caller, target)
}

/// Removes a shared node from the caller's list, as [`foreign::leave_share`] does.
fn leave(request: &RequestContext, caller: &User, target: ShareTarget) -> Result<NoContent> {
    let (user, owner): (String, String) = (request.param("user_id")?, request.param("owner")?);
    let caller = caller.clone();
    request.app.db.write(move |tx| foreign::leave_share(tx, &caller, &user, &owner, &target))?;
    Ok(NoContent)
}

/// Handles `GET /users/{user_id}/visible-folders`: all folders that the caller may read, grouped by
/// owner.
pub fn visible_folders(
    request: &RequestContext,
    caller: &User,
    (): (),
) -> Result<Json<Vec<VisibleFolders>>> {
    let user: String = request.param("user_id")?;
    request.app.db.read(|tx| visible::list_visible_folders(tx, caller, &user)).map(Json)
}
