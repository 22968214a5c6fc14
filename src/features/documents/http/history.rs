//! Handlers of the version history of a document.

use schemars::JsonSchema;
use serde::Deserialize;
use serde::Serialize;

use super::MayBeTooLarge;
use super::document_target;
use super::write::Saved;
use super::write::saved_document;
use super::write::with_entity_tag;
use crate::app::RequestContext;
use crate::features::access::AccessLevel;
use crate::features::access::Caller;
use crate::features::documents::actions;
use crate::features::documents::actions::DocumentTarget;
use crate::features::documents::actions::history;
use crate::features::documents::actions::precompression;
use crate::features::documents::actions::precompression::SaveContext;
use crate::features::documents::actions::save;
use crate::features::documents::actions::save::RestoredContent;
use crate::features::documents::actions::view;
use crate::features::documents::actions::view::DocumentView;
use crate::features::documents::actions::view::OptionalFields;
use crate::features::documents::actions::view::Viewer;
use crate::features::documents::content_memory;
use crate::features::documents::history::AuthoredVersion;
use crate::features::documents::history::Channel;
use crate::features::documents::history::diff::Difference;
use crate::features::documents::history::writer::Precompression;
use crate::features::documents::records::Records;
use crate::features::tree;
use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::http::IdempotencyKey;
use chartroom_platform::http::Json;
use chartroom_platform::http::Page;
use chartroom_platform::http::Query;
use chartroom_platform::http::Response;
use chartroom_platform::http::endpoint::RawJson;
use chartroom_platform::http::idempotency::IdempotentRequest;
use chartroom_platform::id::AccountId;
use chartroom_platform::json_field::deserialize_nullable;
use chartroom_platform::time::Timestamp;

/// Query of the list of versions.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "HistoryQuery")]
pub struct PageQuery {
    /// Number of versions to skip; 0 when absent.
    offset: Option<u32>,
    /// Maximum number of versions in the response, at most 100; 10 when absent.
    limit: Option<u32>,
}

/// The versions of a document, newest first.
#[derive(Serialize, JsonSchema)]
pub struct History {
    /// Number of versions before this page.
    offset: u32,
    /// Maximum number of versions on this page.
    limit: u32,
    /// Number of versions on all pages.
    count: i64,
    results: Vec<VersionView>,
}

/// Metadata of a version.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Version")]
pub struct VersionView {
    /// Number of the version, from 1. Numbers of removed old versions are missing.
    history_version: i64,
    /// Time of the last save. Saves by one author within a minute are one version.
    saved_at: Timestamp,
    /// Account that saved the version; null for a guest with a link.
    author: Option<Author>,
    channel: Channel,
    /// Title of the document in this version.
    title: String,
    /// Name of the version, if any. Named versions are kept permanently.
    name: Option<String>,
    record_count: i64,
}

/// Account that saved a version.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "VersionAuthor")]
pub struct Author {
    /// Account id.
    id: AccountId,
    /// Null if the account no longer exists.
    name: Option<String>,
}

impl VersionView {
    /// Builds the view of a version. The author is None for a guest, and has no name if the account
    /// no longer exists.
    fn new(version: AuthoredVersion) -> Self {
        let AuthoredVersion { entry, author_name } = version;
        let is_guest = entry.author.as_str().is_empty();
        Self {
            history_version: entry.number,
            saved_at: entry.saved,
            author: (!is_guest).then_some(Author { id: entry.author, name: author_name }),
            channel: entry.channel,
            title: entry.title,
            name: entry.name,
            record_count: entry.record_count,
        }
    }
}

/// Query of a comparison.
#[derive(Deserialize, JsonSchema)]
pub struct DiffQuery {
    /// Number of the version to compare with; the previous one when absent.
    against: Option<i64>,
}

/// Request body of `PATCH …/history/{n}`.
#[derive(Deserialize, JsonSchema)]
pub struct NameBody {
    /// 1 to 500 characters; null removes the name.
    #[serde(default, deserialize_with = "deserialize_nullable")]
    #[schemars(with = "Option<String>", required, extend("type" = ["string", "null"]))]
    name: Option<Option<String>>,
}

impl NameBody {
    /// Validates the body and returns the name. `None` removes it.
    ///
    /// # Errors
    /// `InvalidFields` about `name` if it is absent, blank or too long.
    fn validate(self) -> Result<Option<String>> {
        let name = self
            .name
            .ok_or_else(|| Error::invalid_field("name", "is required; null removes it"))?;
        let name = name.as_deref().map(tree::parse_title).transpose();
        match name.map_err(|message| Error::invalid_field("name", message))? {
            Some(name) if name.trim().is_empty() => {
                Err(Error::invalid_field("name", "must not be empty; null removes it"))
            }
            other => Ok(other),
        }
    }
}

/// Handles `GET /users/{user_id}/documents/{doc}/history`: returns one page of the versions, newest
/// first, with `Link` headers of the pages beside it. Only for accounts with access of their own.
pub fn list(
    request: &RequestContext,
    caller: &Caller,
    Query(query): Query<PageQuery>,
) -> Result<RawJson<History>> {
    let target = document_target(request, caller)?;
    let page = Page::new(query.offset, query.limit);
    let Page { offset, limit } = page;
    let found =
        request.app.db.read(|tx| history::list_versions(tx, caller, &target, offset, limit))?;
    let results = found.entries.into_iter().map(VersionView::new);
    let list = History { offset, limit, count: found.count, results: results.collect() };
    let base_url = &request.app.config.base_url;
    let response = page.add_link_headers(
        Response::json(&list)?,
        base_url,
        request,
        found.count.unsigned_abs(),
    )?;
    Ok(RawJson::new(response))
}

/// Handles `GET /users/{user_id}/documents/{doc}/history/{n}`: returns version `n` as a document.
///
/// Returns the content of the version with the current owner, folder and access entries. `updated`
/// and `updated_by` are those of the version.
pub fn get(request: &RequestContext, caller: &Caller, (): ()) -> Result<RawJson<DocumentView>> {
    let (target, number) = (document_target(request, caller)?, request.param("n")?);
    let (level, stored) = request.app.db.read(|tx| {
        let (_, level, stored) = history::load_version(tx, caller, &target, number)?;
        Ok((level, stored))
    })?;
    let version = stored.decode()?;
    let fields = OptionalFields { records: Some(version.records), ..OptionalFields::default() };
    let response = request.app.db.read(|tx| {
        view::document_response(
            tx,
            request.app,
            &version.document,
            Viewer { caller, level },
            &fields,
        )
    })?;
    Ok(RawJson::new(response))
}

/// Handles `POST /users/{user_id}/documents/{doc}/history/{n}/restore`: saves the content of the
/// version as a new, newest version. A repeated request with the same idempotency key gets the
/// first response again.
pub fn restore(
    request: &RequestContext,
    caller: &Caller,
    key: IdempotencyKey,
) -> Result<RawJson<Saved>> {
    let (target, number) = (document_target(request, caller)?, request.param("n")?);
    // Check this before `If-Match`: a restoration that has already run changed the entity tag.
    let idempotent = request.idempotent(&key, &caller.identity_key());
    let found = request.app.db.read(|tx| find_stored_response(tx, &idempotent, caller, &target))?;
    if let Some(response) = found {
        return Ok(RawJson::new(response));
    }
    let memory = content_memory::reserve(request.app, request.app.config.max_document_bytes)?;
    let stored =
        request.app.db.read(|tx| history::load_restorable_version(tx, caller, &target, number))?;
    let version = stored.decode()?;
    let records = Records::from_joined(&version.records);
    let content = RestoredContent { document: version.document, records };
    let base_url = request.app.config.base_url.clone();
    let save = move |tx: &WriteTx<'_>, context: &SaveContext, precompression: &Precompression| {
        let SaveContext { caller, target, .. } = context;
        if let Some(response) = find_stored_response(tx, &idempotent, caller, target)? {
            return Ok(Some(response));
        }
        let document = save::restore_version(tx, caller, target, &content, precompression)?;
        let Some(document) = document else { return Ok(None) };
        let saved = saved_document(tx, &base_url, &document)?;
        let response = with_entity_tag(tx.restore_epoch, &saved, &document)?.response;
        idempotent.store_response(tx, &response)?;
        Ok(Some(response))
    };
    let context = SaveContext::starting_version(caller, target);
    let response =
        precompression::write_with_precompression(request.app, memory.as_ref(), context, save)?;
    Ok(RawJson::new(response))
}

/// Returns the stored response if this restoration has already run with this idempotency key, after
/// a check that the caller still has write access. None if it has not run.
fn find_stored_response(
    tx: &Tx<'_>,
    idempotent: &IdempotentRequest,
    caller: &Caller,
    target: &DocumentTarget,
) -> Result<Option<Response>> {
    let found = idempotent.stored_response(tx)?;
    if found.is_some() {
        actions::check_access(tx, caller, target, AccessLevel::Write)?;
    }
    Ok(found)
}

/// Handles `PATCH /users/{user_id}/documents/{doc}/history/{n}`: sets the name of a version, or
/// removes it if the body has null, and returns the version. Requires write access.
pub fn set_name(
    request: &RequestContext,
    caller: &Caller,
    Json(body): Json<NameBody>,
) -> Result<Json<VersionView>> {
    let (target, number) = (document_target(request, caller)?, request.param("n")?);
    let (name, caller) = (body.validate()?, caller.clone());
    let named = request.app.db.write(move |tx| {
        history::set_version_name(tx, &caller, &target, number, name.as_deref())
    })?;
    Ok(Json(VersionView::new(named)))
}

/// Handles `GET /users/{user_id}/documents/{doc}/history/{n}/diff`: returns the changes from the
/// version `against`, else the previous one, to version `n`.
pub fn diff(
    request: &RequestContext,
    caller: &Caller,
    (Query(query), _): (Query<DiffQuery>, MayBeTooLarge),
) -> Result<Json<Difference>> {
    let (target, number) = (document_target(request, caller)?, request.param("n")?);
    let (old, new) = request
        .app
        .db
        .read(|tx| history::load_two_versions(tx, caller, &target, number, query.against))?;
    Ok(Json(history::compare_versions(&old.decode()?, &new.decode()?)?))
}
