//! Handlers about the versions of a document.

use schemars::JsonSchema;
use serde::Deserialize;
use serde::Serialize;

use super::saving;
use super::target;
use super::write::Saved;
use super::write::saved;
use super::write::tagged;
use crate::app::RequestContext;
use crate::features::access::Caller;
use crate::features::documents::actions::history;
use crate::features::documents::actions::save;
use crate::features::documents::history::Channel;
use crate::features::documents::history::diff;
use crate::features::documents::history::diff::Difference;
use crate::features::documents::history::keep::Save;
use crate::features::documents::history::store::Entry;
use crate::features::documents::records::Records;
use crate::features::documents::view;
use crate::features::documents::view::DocumentView;
use crate::features::documents::view::Extras;
use crate::features::tree;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::field::given;
use chartroom_platform::http::IdempotencyKey;
use chartroom_platform::http::Json;
use chartroom_platform::http::Page;
use chartroom_platform::http::Query;
use chartroom_platform::http::Response;
use chartroom_platform::http::endpoint::Raw;
use chartroom_platform::id::AccountId;
use chartroom_platform::time::Timestamp;

/// Query of the list of versions.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "HistoryQuery")]
pub struct PageQuery {
    /// Versions to leave out at the beginning; 0 when absent.
    offset: Option<u32>,
    /// At most 100; 10 when absent.
    limit: Option<u32>,
}

/// The versions of a document, newest first.
#[derive(Serialize, JsonSchema)]
pub struct History {
    /// Versions before this page.
    offset: u32,
    /// Most versions on this page.
    limit: u32,
    /// Versions on all pages.
    count: i64,
    results: Vec<VersionView>,
}

/// A version without its content.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Version")]
pub struct VersionView {
    /// Its number: counts from 1 in each document, with gaps where versions were thinned out.
    history_version: i64,
    /// When it was saved last: saves of one author within a minute are one version.
    saved_at: Timestamp,
    /// Who saved it; null for a guest with a link.
    author: Option<Author>,
    channel: Channel,
    /// The document's title then.
    title: String,
    /// What it was named; such a version is kept for ever.
    name: Option<String>,
    record_count: i64,
}

/// Who saved a version.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "VersionAuthor")]
pub struct Author {
    /// Account id.
    id: AccountId,
    /// Null when there is no such account any more.
    name: Option<String>,
}

impl VersionView {
    fn new(entry: Entry, author: Option<String>) -> Self {
        let is_guest = entry.author.as_str().is_empty();
        Self {
            history_version: entry.number,
            saved_at: entry.saved,
            author: (!is_guest).then_some(Author { id: entry.author, name: author }),
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
    /// Number of the version to compare with; the one before when absent.
    against: Option<i64>,
}

/// Body of `PATCH …/history/{n}`.
#[derive(Deserialize, JsonSchema)]
pub struct NameBody {
    /// 1 to 500 characters; null takes the name away.
    #[serde(default, deserialize_with = "given")]
    #[schemars(with = "Option<String>", required, extend("type" = ["string", "null"]))]
    name: Option<Option<String>>,
}

impl NameBody {
    /// The checked name; none takes it away.
    fn read(self) -> Result<Option<String>> {
        let name = self.name.ok_or_else(|| Error::field("name", "is required; null removes it"))?;
        let name = name.as_deref().map(tree::clean_title).transpose();
        match name.map_err(|message| Error::field("name", message))? {
            Some(name) if name.trim().is_empty() => {
                Err(Error::field("name", "must not be empty; null removes it"))
            }
            other => Ok(other),
        }
    }
}

/// `GET /users/{user_id}/documents/{doc}/history`.
pub fn list(
    request: &RequestContext,
    caller: &Caller,
    Query(query): Query<PageQuery>,
) -> Result<Raw<History>> {
    let target = target(request, caller)?;
    let page = Page::new(query.offset, query.limit);
    let Page { offset, limit } = page;
    let found = request.app.db.read(|tx| history::list(tx, caller, &target, offset, limit))?;
    let results = found.entries.into_iter().map(|(entry, author)| VersionView::new(entry, author));
    let list = History { offset, limit, count: found.count, results: results.collect() };
    let base_url = &request.app.config.base_url;
    let response =
        page.link(Response::json(&list)?, base_url, request, found.count.unsigned_abs())?;
    Ok(Raw::new(response))
}

/// `GET /users/{user_id}/documents/{doc}/history/{n}`: the document as it was then, at its present
/// place. `updated` and `updated_by` are the version's.
pub fn get(request: &RequestContext, caller: &Caller, (): ()) -> Result<Raw<DocumentView>> {
    let (target, number) = (target(request, caller)?, request.param("n")?);
    let (level, stored) = request.app.db.read(|tx| {
        let (_, level, stored) = history::load(tx, caller, &target, number)?;
        Ok((level, stored))
    })?;
    let version = stored.open()?;
    let extras = Extras { records: Some(version.records), ..Extras::default() };
    let response = request
        .app
        .db
        .read(|tx| view::response(tx, &request.app, &version.head, (caller, level), &extras))?;
    Ok(Raw::new(response))
}

/// `POST /users/{user_id}/documents/{doc}/history/{n}/restore`.
pub fn restore(
    request: &RequestContext,
    caller: &Caller,
    key: IdempotencyKey,
) -> Result<Raw<Saved>> {
    let (target, number) = (target(request, caller)?, request.param("n")?);
    // Asked first: what it was based on has changed if it happened already.
    let once = request.once(&key, &caller.scope());
    if let Some(answer) = request.app.db.read(|tx| once.answered(tx))? {
        return Ok(Raw::new(answer));
    }
    let stored = request.app.db.read(|tx| history::restorable(tx, caller, &target, number))?;
    let version = stored.open()?;
    let with = (version.head, Records::stored(&version.records));
    let base_url = request.app.config.base_url.clone();
    let for_read = (caller.clone(), target.clone());
    let manner = Save { alone: true, ..save::manner(caller, &target) };
    let caller = caller.clone();
    let response = saving(
        request,
        move |tx, prepared| {
            if let Some(answer) = once.answered(tx)? {
                return Ok(Some(answer));
            }
            let Some(head) = save::return_to(tx, &caller, &target, &with, prepared)? else {
                return Ok(None);
            };
            let response = tagged(&saved(tx, &base_url, &head)?, &head)?.response;
            once.keep(tx, &response)?;
            Ok(Some(response))
        },
        |tx| save::replaced(tx, &for_read.0, &for_read.1, manner.clone()),
    )?;
    Ok(Raw::new(response))
}

/// `PATCH /users/{user_id}/documents/{doc}/history/{n}`: names a version.
pub fn name(
    request: &RequestContext,
    caller: &Caller,
    Json(body): Json<NameBody>,
) -> Result<Json<VersionView>> {
    let (target, number) = (target(request, caller)?, request.param("n")?);
    let (name, caller) = (body.read()?, caller.clone());
    let named = request.app.db.write(move |tx| {
        let (entry, author) = history::name(tx, &caller, &target, number, name.as_deref())?;
        Ok(VersionView::new(entry, author))
    })?;
    Ok(Json(named))
}

/// `GET /users/{user_id}/documents/{doc}/history/{n}/diff`.
pub fn diff(
    request: &RequestContext,
    caller: &Caller,
    Query(query): Query<DiffQuery>,
) -> Result<Json<Difference>> {
    let (target, number) = (target(request, caller)?, request.param("n")?);
    let (old, new) =
        request.app.db.read(|tx| history::load_two(tx, caller, &target, number, query.against))?;
    Ok(Json(diff::compare(&old.open()?, &new.open()?)?))
}
