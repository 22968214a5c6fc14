//! Handlers that create and change documents.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use serde::Serialize;

use super::bodies::ActionBody;
use super::bodies::CreateBody;
use super::bodies::MoveBody;
use super::bodies::PatchBody;
use super::bodies::PutBody;
use super::bodies::RecordBody;
use super::document_target;
use super::parse_flag;
use crate::app::RequestContext;
use crate::features::access;
use crate::features::access::AccessLevel;
use crate::features::access::Ace;
use crate::features::access::Caller;
use crate::features::access::Resource;
use crate::features::access::ShareLinks;
use crate::features::accounts::User;
use crate::features::documents::Document;
use crate::features::documents::actions;
use crate::features::documents::actions::DocumentTarget;
use crate::features::documents::actions::append;
use crate::features::documents::actions::copy;
use crate::features::documents::actions::create;
use crate::features::documents::actions::history;
use crate::features::documents::actions::precompression;
use crate::features::documents::actions::precompression::SaveContext;
use crate::features::documents::actions::save;
use crate::features::documents::actions::trash;
use crate::features::documents::actions::view;
use crate::features::documents::actions::view::DocumentUrls;
use crate::features::documents::actions::view::DocumentView;
use crate::features::documents::actions::view::OptionalFields;
use crate::features::documents::actions::view::Viewer;
use crate::features::documents::content_memory;
use crate::features::documents::history::Channel;
use crate::features::documents::history::reader::StoredVersion;
use crate::features::documents::history::writer::Precompression;
use crate::features::documents::records::RecordLimits;
use crate::features::documents::rules;
use crate::features::documents::urls;
use crate::features::tree;
use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Error;
use chartroom_platform::error::OrNotFound;
use chartroom_platform::error::Result;
use chartroom_platform::http::IdempotencyKey;
use chartroom_platform::http::Json;
use chartroom_platform::http::NoContent;
use chartroom_platform::http::Query;
use chartroom_platform::http::Response;
use chartroom_platform::http::conditional::IfMatch;
use chartroom_platform::http::endpoint::NoBody;
use chartroom_platform::http::endpoint::OptionalJson;
use chartroom_platform::http::endpoint::RawJson;
use chartroom_platform::http::endpoint::RequiredJson;
use chartroom_platform::http::response::Body;
use chartroom_platform::id::AccountId;
use chartroom_platform::id::NodeId;
use chartroom_platform::time::Timestamp;

/// Response of create-document.
#[derive(Serialize, JsonSchema)]
pub struct Created {
    /// API URL of the new document.
    endpoint: String,
    /// Page of the new document.
    document_view: String,
    /// UUID.
    #[schemars(extend("x-placeholder" = "doc"))]
    id: String,
    /// Account id.
    #[schemars(extend("x-placeholder" = "user_id"))]
    owner: String,
}

impl Created {
    /// Creates the response for a document that is kept elsewhere.
    pub fn new(endpoint: String, document_view: String, id: String, owner: String) -> Self {
        Self { endpoint, document_view, id, owner }
    }
}

/// Response of PUT.
#[derive(Serialize, JsonSchema)]
pub struct Saved {
    /// Path of the folder, followed by the title.
    path: String,
    timestamp: Timestamp,
    urls: DocumentUrls,
}

/// Response of PATCH.
#[derive(Serialize, JsonSchema)]
pub struct Patched {
    /// Path of the folder, followed by the title.
    path: String,
    timestamp: Timestamp,
}

/// Response of a move.
#[derive(Serialize, JsonSchema)]
pub struct Moved {
    /// Path of the folder, followed by the title.
    path: String,
    /// Account id.
    owner: String,
    timestamp: Timestamp,
    urls: DocumentUrls,
    /// Access entries that the caller may see.
    acl: Vec<Ace>,
}

/// Query of DELETE.
#[derive(Deserialize, JsonSchema)]
pub struct DeleteQuery {
    /// `1`: deletes the document permanently, without the trash.
    expunge: Option<String>,
}

/// Handles `POST /create-document`: creates a document from a chart kind or a template for a
/// signed-in user, and returns its id and URLs. A repeated request with the same idempotency key
/// gets the first response again.
pub fn create(
    request: &RequestContext,
    caller: &User,
    (key, Json(body)): (IdempotencyKey, Json<CreateBody>),
) -> Result<RawJson<Created>> {
    let (new_document, caller) =
        (Arc::new(body.validate(Channel::from_request(request, true))?), caller.clone());
    let check_access = {
        let (new_document, caller) = (new_document.clone(), caller.clone());
        move |tx: &Tx<'_>| create::check_may_create(tx, &caller, &new_document)
    };
    let (account, base_url) = (caller.id.to_string(), request.app.config.base_url.clone());
    let response = request.write_idempotent(&key, &account, check_access, move |tx| {
        let document = create::create_document(tx, &caller, &new_document)?;
        let created = Created {
            endpoint: urls::endpoint_url(&base_url, &document.owner, &document.id),
            document_view: urls::page_url(&base_url, &document.owner, &document.id),
            id: document.id.to_string(),
            owner: document.owner.to_string(),
        };
        Ok(with_entity_tag(tx.restore_epoch, &created, &document)?.response)
    });
    response.map(RawJson::new)
}

/// The document in the path of a request, which the caller may change.
pub struct WritableDocument {
    /// The caller.
    pub caller: Caller,
    /// Document of the request.
    pub(super) target: DocumentTarget,
    /// Content before the request.
    pub(super) document: Document,
}

impl WritableDocument {
    /// Identifies the caller and finds the document in the path, which the caller must be able to
    /// change and which must not be in the trash.
    ///
    /// # Errors
    /// The errors of [`Caller::from_request`] and of `find_writable`.
    pub fn from_request(request: &RequestContext) -> Result<Self> {
        // Both read the database. The snapshot must end before the body is parsed, because there
        // are fewer readers than threads.
        request.app.db.read_in_one_snapshot(|| {
            let caller = Caller::from_request(request)?;
            let target = document_target(request, &caller)?;
            let document =
                request.app.db.read(|tx| actions::find_writable(tx, &caller, &target))?;
            Ok(Self { caller, target, document })
        })
    }
}

/// Checks that the caller may read the document in the path.
///
/// # Errors
/// The errors of `check_access`.
pub fn check_readable(request: &RequestContext, caller: &Caller) -> Result<()> {
    let target = document_target(request, caller)?;
    request.app.db.read(|tx| actions::check_access(tx, caller, &target, AccessLevel::Read))
}

/// Checks that the caller may change the document in the path. Ignores `If-Match`.
///
/// # Errors
/// The errors of `check_access`.
pub fn check_writable(request: &RequestContext, caller: &Caller) -> Result<()> {
    let target = document_target(request, caller)?;
    request.app.db.read(|tx| actions::check_access(tx, caller, &target, AccessLevel::Write))
}

/// Handles `PUT /users/{user_id}/documents/{doc}`: replaces the writable fields and all records.
/// Fields absent from the body are reset, except those that `PutBody` names.
pub fn put(
    request: &RequestContext,
    writable: &WritableDocument,
    RequiredJson(body): RequiredJson<PutBody>,
) -> Result<RawJson<Saved>> {
    // Validate and split into chunks before the write transaction, because writers wait for it.
    let replacement = body.validate(request.app.config.max_records)?;
    let base_url = request.app.config.base_url.clone();
    let context = SaveContext::new(&writable.caller, writable.target.clone());
    let save = move |tx: &WriteTx<'_>, context: &SaveContext, precompression: &Precompression| {
        let SaveContext { caller, target, .. } = context;
        let document = save::replace_document(tx, caller, target, &replacement, precompression)?;
        document
            .map(|document| Ok((saved_document(tx, &base_url, &document)?, document)))
            .transpose()
    };
    let (saved, document) =
        precompression::write_with_precompression(request.app, None, context, save)?;
    with_entity_tag(request.app.db.restore_epoch(), &saved, &document)
}

/// Handles `PATCH /users/{user_id}/documents/{doc}`: moves the document to another folder or owner,
/// renames it, or both. Fields absent from the body stay.
pub fn patch(
    request: &RequestContext,
    caller: &Caller,
    Json(body): Json<PatchBody>,
) -> Result<RawJson<Patched>> {
    let move_request = body.validate()?;
    let context = SaveContext::new(caller, document_target(request, caller)?);
    let save = move |tx: &WriteTx<'_>, context: &SaveContext, precompression: &Precompression| {
        let SaveContext { caller, target, .. } = context;
        let document = save::move_document(tx, caller, target, &move_request, precompression)?;
        let Some(document) = document else { return Ok(None) };
        let folder = tree::folder_path(tx, document.parent.as_ref())?;
        Ok(Some((folder.join(&document.title), document)))
    };
    let (path, document) =
        precompression::write_with_precompression(request.app, None, context, save)?;
    let patched = Patched { path, timestamp: document.updated };
    with_entity_tag(request.app.db.restore_epoch(), &patched, &document)
}

/// Handles `POST /users/{user_id}/documents/{doc}/move`: moves the document to another folder or
/// owner.
pub fn move_document(
    request: &RequestContext,
    caller: &Caller,
    Json(body): Json<MoveBody>,
) -> Result<RawJson<Moved>> {
    let (move_request, target, caller) =
        (body.validate()?, document_target(request, caller)?, caller.clone());
    let app = request.app.clone();
    let (moved, document) = request.app.db.write(move |tx| {
        // A title is absent, so the content of the document rarely changes. Compressing it within
        // the transaction is acceptable.
        let document = save::move_document(
            tx,
            &caller,
            &target,
            &move_request,
            &Precompression::InTransaction,
        )?
        .or_not_found("document")?;
        let Saved { path, timestamp, urls } = saved_document(tx, &app.config.base_url, &document)?;
        let owner = document.owner.to_string();
        let links = ShareLinks { base_url: &app.config.base_url, key: &app.server_key };
        // The move may have changed the caller's access.
        let resource = Resource {
            node: Some(&document.id),
            owner: &document.owner,
            is_public: document.is_public,
            in_trash: false,
        };
        let level = access::access_level(tx, &caller, &resource)?;
        let acl = access::build_acl(tx, links, &caller, level, &document.id)?;
        Ok((Moved { path, owner, timestamp, urls, acl }, document))
    })?;
    with_entity_tag(request.app.db.restore_epoch(), &moved, &document)
}

/// Handles `DELETE /users/{user_id}/documents/{doc}`: moves the document into the trash, or deletes
/// it permanently with `expunge`.
pub fn delete(
    request: &RequestContext,
    caller: &Caller,
    Query(query): Query<DeleteQuery>,
) -> Result<NoBody> {
    let expunge = parse_flag("expunge", query.expunge.as_deref())?;
    let (target, caller) = (document_target(request, caller)?, caller.clone());
    if expunge {
        request
            .app
            .db
            .write_with_reserve(move |tx| trash::expunge_document(tx, &caller, &target))?;
        return Ok(NoBody(Response::no_content()));
    }
    let tag =
        request.app.db.write_with_reserve(move |tx| trash::trash_document(tx, &caller, &target))?;
    Response::no_content().with_etag(&tag).map(NoBody)
}

/// Handles `POST /users/{user_id}/documents/{doc}/add-record`: appends the record in the body to
/// the document, once for each idempotency key. Requires write access.
pub fn add_record(
    request: &RequestContext,
    caller: &Caller,
    (key, RequiredJson(body)): (IdempotencyKey, RequiredJson<RecordBody>),
) -> Result<NoContent> {
    let config = &request.app.config;
    let limits =
        RecordLimits { max_records: config.max_records, max_bytes: config.max_document_bytes };
    let (record, target, caller) =
        (body.validate()?, document_target(request, caller)?, caller.clone());
    let check_access = access_check(&caller, &target, AccessLevel::Write);
    request.write_idempotent(&key, &caller.identity_key(), check_access, move |tx| {
        append::add_record(tx, &caller, &target, &record, limits)?;
        Ok(Response::no_content())
    })?;
    Ok(NoContent)
}

/// Returns a function that checks the caller's access to a document before a stored response is
/// sent again.
fn access_check(
    caller: &Caller,
    target: &DocumentTarget,
    needed: AccessLevel,
) -> impl Fn(&Tx<'_>) -> Result<()> + Send + use<> {
    let (caller, target) = (caller.clone(), target.clone());
    move |tx: &Tx<'_>| actions::check_access(tx, &caller, &target, needed)
}

/// Handles `POST /users/{user_id}/documents/{doc}`: runs the `action` of the body. `close` ends an
/// editing session, `restore` takes the document out of the trash, `fork` and `duplicate` copy it.
/// The response contains the copy, and is empty for `close` and `restore`, which restores no
/// version.
pub fn run_action(
    request: &RequestContext,
    caller: &Caller,
    (key, Json(body)): (IdempotencyKey, Json<ActionBody>),
) -> Result<OptionalJson<DocumentView>> {
    let (target, caller, scope) =
        (document_target(request, caller)?, caller.clone(), caller.identity_key());
    let needed = match body.action.as_str() {
        "restore" => AccessLevel::Write,
        _ => AccessLevel::Read,
    };
    let check_access = access_check(&caller, &target, needed);
    let response = match body.action.as_str() {
        "close" => request.write_idempotent(&key, &scope, check_access, move |tx| {
            save::end_editing_session(tx, &caller, &target)?;
            Ok(Response::no_content())
        }),
        "restore" => {
            let restored = request.write_idempotent(&key, &scope, check_access, move |tx| {
                let tag = trash::restore_document(tx, &caller, &target)?;
                Response::no_content().with_etag(&tag)
            });
            // A source of the document is due.
            request.app.sync_signal.notify();
            restored
        }
        "fork" | "duplicate" => return fork(request, &caller, &target, &key, body),
        _ => Err(Error::invalid_field("action", "must be close, fork, duplicate or restore")),
    };
    response.map(OptionalJson::new)
}

/// The stored response to a request that has made a copy. The document itself could be large, so that
/// repeated requests would fill the disk.
#[derive(Serialize, Deserialize)]
struct CopyId {
    id: NodeId,
}

/// Copies a document, or the older version that `body` names, for a signed-in caller with read
/// access, and returns the copy. A repeated request with the same idempotency key copies nothing
/// and returns the first copy as it is now.
fn fork(
    request: &RequestContext,
    caller: &Caller,
    target: &DocumentTarget,
    key: &IdempotencyKey,
    body: ActionBody,
) -> Result<OptionalJson<DocumentView>> {
    let app = request.app;
    let content_bytes = match body.history_version {
        None => {
            let (document, _) = app.db.read(|tx| actions::find_readable(tx, caller, target))?;
            usize::try_from(document.content_bytes()).unwrap_or(usize::MAX)
        }
        Some(_) => app.config.max_document_bytes,
    };
    let _memory = content_memory::reserve(app, content_bytes)?;
    // Read and decode before the write transaction, because writers wait for it.
    let version = match body.history_version {
        None => None,
        Some(_) => app.db.read(|tx| {
            let (document, _) = actions::find_readable(tx, caller, target)?;
            let version = body.history_version;
            history::find_requested_version(tx, caller, target, &document, version)
        })?,
    };
    let version = version.map(StoredVersion::decode).transpose()?;
    let check_access = access_check(caller, target, AccessLevel::Read);
    let (author, original) = (caller.clone(), target.clone());
    let response =
        request.write_idempotent(key, &caller.identity_key(), check_access, move |tx| {
            let action = body.action.as_str();
            let copy = copy::fork_document(tx, &author, &original, version.as_ref(), action)?;
            Response::json(&CopyId { id: copy.id })
        })?;
    let Body::Bytes(stored) = &response.body else {
        return Err(Error::internal("the response of a copy has no body"));
    };
    let CopyId { id } = serde_json::from_slice(stored)?;
    let owner_or_caller = caller.account_id().map_or_else(String::new, AccountId::to_string);
    let copy = DocumentTarget {
        user: owner_or_caller,
        id,
        if_match: IfMatch::default(),
        ..target.clone()
    };
    let response = app.db.read(|tx| {
        let (document, level) = actions::find_readable(tx, caller, &copy)?;
        let viewer = Viewer { caller, level };
        view::document_response(tx, app, &document, viewer, &OptionalFields::default())
    })?;
    Ok(OptionalJson::new(response))
}

/// Builds the response body of a save: path, time and URLs of `document`, which is stored already.
/// Saves nothing.
pub(super) fn saved_document(tx: &Tx<'_>, base_url: &str, document: &Document) -> Result<Saved> {
    let folder = tree::folder_path(tx, document.parent.as_ref())?;
    Ok(Saved {
        path: folder.join(&document.title),
        timestamp: document.updated,
        urls: view::document_urls(base_url, &document.owner, &document.id, &folder),
    })
}

/// Builds a JSON response with the current entity tag of the document. `restore_epoch` is that of
/// the database.
pub(super) fn with_entity_tag<T: Serialize + JsonSchema>(
    restore_epoch: &str,
    body: &T,
    document: &Document,
) -> Result<RawJson<T>> {
    let tag = rules::entity_tag(restore_epoch, document);
    Ok(RawJson::new(Response::json(body)?.with_etag(&tag)?))
}
