//! Handlers of folders and of emptying the trash.

use schemars::JsonSchema;
use serde::Deserialize;
use serde::Serialize;

use super::actions;
use super::actions::FolderRead;
use super::actions::FolderRequest;
use super::actions::change;
use super::actions::change::FolderChange;
use super::actions::copy;
use super::actions::trash;
use super::view;
use super::view::FolderView;
use super::view::Viewer;
use crate::app::RequestContext;
use crate::features::access::Caller;
use crate::features::access::ShareLinks;
use crate::features::accounts::User;
use crate::features::documents::Channel;
use crate::features::tree;
use crate::features::tree::FolderPath;
use chartroom_platform::crypto;
use chartroom_platform::db::Tx;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::http::IdempotencyKey;
use chartroom_platform::http::IfMatch;
use chartroom_platform::http::Json;
use chartroom_platform::http::NoContent;
use chartroom_platform::http::Query;
use chartroom_platform::http::Response;
use chartroom_platform::http::endpoint::NoBody;
use chartroom_platform::http::endpoint::OptionalJson;
use chartroom_platform::http::endpoint::RawJson;
use chartroom_platform::id::NodeId;
use chartroom_platform::time::Timestamp;

/// Maximum number of trashed nodes that one transaction expunges while the trash is emptied.
const EMPTY_TRASH_BATCH_SIZE: u32 = 50;

/// Response body of `GET /users/{user_id}/folders/{path}`.
#[derive(Serialize, JsonSchema)]
pub struct FolderContent {
    #[serde(flatten)]
    folder: FolderView,
    /// Folders directly in the folder that the caller may read, sorted by title.
    folders: Vec<FolderView>,
}

/// Request body of `PUT /users/{user_id}/folders/{path}`.
///
/// Absent fields keep their value. Unknown fields are ignored.
#[derive(Deserialize, JsonSchema)]
pub struct PutFolderBody {
    /// New title, 1 to 255 characters.
    title: Option<String>,
    /// New absolute path: moves the folder. Missing parent folders are created.
    name: Option<String>,
    /// New owner: moves the folder to that account, into the root if `name` is absent. Moving a
    /// folder out of an organization requires the role `brand_manager` or `admin`.
    owner: Option<String>,
}

/// Response body of `PUT /users/{user_id}/folders/{path}`.
#[derive(Serialize, JsonSchema)]
pub struct PutFolderResponse {
    /// Absolute path.
    name: String,
    endpoint: String,
    /// Page for browsers.
    view: String,
    /// Time of the last change of the folder.
    timestamp: Timestamp,
}

/// Request body of `POST /users/{user_id}/folders/{path}`.
#[derive(Deserialize, JsonSchema)]
pub struct FolderActionBody {
    /// `duplicate` or `restore`.
    #[schemars(extend("enum" = ["duplicate", "restore"]))]
    action: String,
}

/// Response body of the action `duplicate`.
#[derive(Serialize, JsonSchema)]
pub struct DuplicateFolderResponse {
    /// Absolute path.
    name: String,
    endpoint: String,
    /// Page for browsers.
    view: String,
}

/// Query of `DELETE /users/{user_id}/folders/{path}`.
#[derive(Deserialize, JsonSchema)]
pub struct DeleteFolderQuery {
    /// `1` expunges the folder permanently instead of moving it to the trash.
    expunge: Option<String>,
}

impl PutFolderBody {
    /// Returns the change that the body requests.
    ///
    /// # Errors
    /// `InvalidFields` naming `title` or `name` if it is invalid.
    fn into_change(self) -> Result<FolderChange> {
        let title = self.title.as_deref().map(tree::parse_folder_name).transpose();
        let path = self.name.as_deref().map(FolderPath::parse).transpose();
        Ok(FolderChange {
            title: title.map_err(|text| Error::invalid_field("title", text))?,
            path: path.map_err(|text| Error::invalid_field("name", text))?,
            owner: self.owner,
        })
    }
}

/// Handles `GET /users/{user_id}/folders`, which reads the root. The response has the root and its
/// subfolders, but no documents.
pub fn root(request: &RequestContext, caller: &Caller, (): ()) -> Result<RawJson<FolderContent>> {
    read_folder(request, caller, &build_request(request, FolderPath::default())?)
}

/// Handles `GET /users/{user_id}/folders/{path}`. The response has the folder and its subfolders,
/// but no documents.
pub fn get(request: &RequestContext, caller: &Caller, (): ()) -> Result<RawJson<FolderContent>> {
    read_folder(request, caller, &request_from_path(request, caller)?)
}

/// Reads a folder and builds the response of the GET routes. Its entity tag changes with the folder
/// and with everything else in the response.
fn read_folder(
    request: &RequestContext,
    caller: &Caller,
    target: &FolderRequest,
) -> Result<RawJson<FolderContent>> {
    let links = ShareLinks { base_url: &request.app.config.base_url, key: &request.app.server_key };
    let (tag, text) = request.app.db.read(|tx| {
        let FolderRead { node, folder, subfolders } =
            actions::read_folder(tx, Viewer { links, caller }, target)?;
        let tag = match &node {
            Some(node) => actions::entity_tag(tx.restore_epoch, node),
            None => folder.owner.to_string(),
        };
        Ok((tag, serde_json::to_string(&FolderContent { folder, folders: subfolders })?))
    })?;
    // The revision of the folder does not change with its children, so the tag includes a checksum
    // of the response.
    let tag = format!("{tag}+{}", crypto::base62_checksum(&text, 11));
    Ok(RawJson::new(Response::json_text(text).with_etag(&tag)?))
}

/// Checks that the caller may read the folder in the path, or the deepest existing folder above it.
///
/// # Errors
/// The errors of `actions::check_access`. `InvalidFields` naming `path` if it is no valid path.
pub fn check_readable(request: &RequestContext, caller: &Caller) -> Result<()> {
    let path = path_param(request)?.map_err(|text| Error::invalid_field("path", text))?;
    let target = build_request(request, path)?;
    request.app.db.read(|tx| actions::check_access(tx, caller, &target))
}

/// Handles `PUT /users/{user_id}/folders/{path}`: creates the folder, or moves, renames or
/// transfers it. Returns path, addresses and entity tag of the folder.
pub fn put(
    request: &RequestContext,
    caller: &Caller,
    Json(body): Json<PutFolderBody>,
) -> Result<RawJson<PutFolderResponse>> {
    let path = path_param(request)?.map_err(|text| Error::invalid_field("path", text))?;
    let (target, change, caller) =
        (build_request(request, path)?, body.into_change()?, caller.clone());
    let (node, path) =
        request.app.db.write(move |tx| change::put_folder(tx, &caller, &target, &change))?;
    let urls = view::folder_urls(&request.app.config.base_url, &node.owner, &path);
    let name = path.to_string();
    let timestamp = node.updated;
    let body = PutFolderResponse { name, endpoint: urls.endpoint, view: urls.view, timestamp };
    let tag = actions::entity_tag(request.app.db.restore_epoch(), &node);
    Ok(RawJson::new(Response::json(&body)?.with_etag(&tag)?))
}

/// Handles `POST /users/{user_id}/folders/{path}`, which runs the `action` of the body. Any other
/// action than `duplicate` and `restore` is an error.
pub fn post(
    request: &RequestContext,
    caller: &Caller,
    (key, Json(body)): (IdempotencyKey, Json<FolderActionBody>),
) -> Result<OptionalJson<DuplicateFolderResponse>> {
    let (caller, scope) = (caller.clone(), caller.identity_key());
    let response = match body.action.as_str() {
        "restore" => {
            let target = request_from_path(request, &caller)?;
            let check_access = access_check(&caller, &target);
            let restored = request.write_idempotent(&key, &scope, check_access, move |tx| {
                let tag = trash::restore_folder(tx, &caller, &target)?;
                Response::no_content().with_etag(&tag)
            });
            // Sources of restored documents are due.
            request.app.sync_signal.notify();
            restored
        }
        "duplicate" => duplicate(request, caller, (&key, &scope)),
        _ => Err(Error::invalid_field("action", "must be duplicate or restore")),
    };
    response.map(OptionalJson::new)
}

/// Handles the action `duplicate`. `key` identifies the request together with the caller. Stages a
/// large folder in several transactions first, except for a repeated request, which gets the stored
/// response. Finally removes a staged copy that was not published.
fn duplicate(
    request: &RequestContext,
    caller: Caller,
    (key, scope): (&IdempotencyKey, &str),
) -> Result<Response> {
    let db = &request.app.db;
    let target = request_from_path(request, &caller)?;
    let channel = Channel::from_request(request, caller.user.is_some());
    let idempotent = request.idempotent(key, scope);
    let is_repeated = db.read(|tx| Ok(idempotent.stored_response(tx)?.is_some()))?;
    let staged = match is_repeated {
        true => None,
        false => copy::stage_copy(db, &caller, &target, channel)?,
    };
    let copy_id = staged.as_ref().map(|staged| staged.id.clone());
    let base_url = request.app.config.base_url.clone();
    let check_access = access_check(&caller, &target);
    let response = request.write_idempotent(key, scope, check_access, move |tx| {
        let (node, path) = match &staged {
            None => copy::duplicate_folder(tx, &caller, &target, channel)?,
            Some(staged) => copy::publish_copy(tx, &caller, &target, staged)?,
        };
        let urls = view::folder_urls(&base_url, &node.owner, &path);
        let name = path.to_string();
        let body = DuplicateFolderResponse { name, endpoint: urls.endpoint, view: urls.view };
        Response::json(&body)?.with_etag(&actions::entity_tag(tx.restore_epoch, &node))
    });
    if let Some(copy) = copy_id {
        // After a failure, or if a repeated request has published another copy.
        copy::discard_staged(db, &copy);
    }
    response
}

/// Returns a function that checks the caller's access to a folder before a stored response is sent
/// again.
fn access_check(
    caller: &Caller,
    target: &FolderRequest,
) -> impl Fn(&Tx<'_>) -> Result<()> + Send + use<> {
    let (caller, target) = (caller.clone(), target.clone());
    move |tx: &Tx<'_>| actions::check_access(tx, &caller, &target)
}

/// Handles `DELETE /users/{user_id}/folders/{path}`. Moves the folder to the trash and returns its
/// entity tag, or expunges it permanently if `expunge` is `1`, `true` or has no value.
pub fn delete(
    request: &RequestContext,
    caller: &Caller,
    Query(query): Query<DeleteFolderQuery>,
) -> Result<NoBody> {
    let (target, caller) = (request_from_path(request, caller)?, caller.clone());
    match query.expunge.as_deref() {
        None | Some("0" | "false") => {
            let tag = request
                .app
                .db
                .write_with_reserve(move |tx| trash::move_to_trash(tx, &caller, &target))?;
            Response::no_content().with_etag(&tag).map(NoBody)
        }
        Some("" | "1" | "true") => {
            let db = &request.app.db;
            let staged =
                db.write_with_reserve(move |tx| trash::expunge_folder(tx, &caller, &target))?;
            staged.iter().for_each(|id| copy::discard_staged(db, id));
            Ok(NoBody(Response::no_content()))
        }
        Some(_) => Err(Error::invalid_field("expunge", "must be 1 or 0")),
    }
}

/// Handles `DELETE /users/{user_id}/trash`: expunges the trash, except nodes that the caller may
/// not expunge, in several transactions.
pub fn empty_trash(request: &RequestContext, caller: &User, (): ()) -> Result<NoContent> {
    let user: String = request.param("user_id")?;
    let mut after: Option<NodeId> = None;
    // Several small transactions, because one large transaction would block other writers.
    loop {
        let (caller, user) = (caller.clone(), user.clone());
        let batch = request.app.db.write_with_reserve(move |tx| {
            trash::empty_trash_batch(tx, &caller, &user, after.as_ref(), EMPTY_TRASH_BATCH_SIZE)
        })?;
        batch.staged.iter().for_each(|id| copy::discard_staged(&request.app.db, id));
        after = batch.last;
        if after.is_none() {
            return Ok(NoContent);
        }
    }
}

/// Returns the folder path in the `{path}` parameter, or the message (inner `Err`) that says why
/// the text is no folder path.
fn path_param(request: &RequestContext) -> Result<std::result::Result<FolderPath, String>> {
    let path: String = request.param("path")?;
    Ok(FolderPath::parse(&format!("/{path}")))
}

/// Returns the folder request of a route with the given path. Takes the account from `{user_id}`
/// and the precondition from the header `If-Match`.
fn build_request(request: &RequestContext, path: FolderPath) -> Result<FolderRequest> {
    Ok(FolderRequest {
        user: request.param("user_id")?,
        path,
        if_match: IfMatch::from_request(request),
    })
}

/// Returns the folder request of a route that needs an existing folder.
///
/// # Errors
/// `NotFound` if `{path}` is not a valid path, because no such folder can exist. `SignInRequired`
/// instead for an anonymous caller.
fn request_from_path(request: &RequestContext, caller: &Caller) -> Result<FolderRequest> {
    match path_param(request)? {
        Ok(path) => build_request(request, path),
        Err(_) => Err(caller.require_sign_in_if_anonymous(Error::NotFound("folder"))),
    }
}
