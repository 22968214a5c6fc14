//! Handlers that make and change documents.

use schemars::JsonSchema;
use serde::Deserialize;
use serde::Serialize;

use super::bodies::ActionBody;
use super::bodies::CreateBody;
use super::bodies::DataBody;
use super::bodies::MoveBody;
use super::bodies::ParsedData;
use super::bodies::PatchBody;
use super::bodies::PutBody;
use super::bodies::RecordBody;
use super::flag;
use super::saving;
use super::target;
use crate::app::RequestContext;
use crate::features::access;
use crate::features::access::Ace;
use crate::features::access::Caller;
use crate::features::access::Level;
use crate::features::access::Links;
use crate::features::access::Resource;
use crate::features::accounts::User;
use crate::features::documents::actions;
use crate::features::documents::actions::bin;
use crate::features::documents::actions::copy;
use crate::features::documents::actions::create;
use crate::features::documents::actions::history;
use crate::features::documents::actions::save;
use crate::features::documents::actions::save::Limits;
use crate::features::documents::actions::save::NewData;
use crate::features::documents::address;
use crate::features::documents::csv;
use crate::features::documents::history::Channel;
use crate::features::documents::history::keep::Prepared;
use crate::features::documents::history::read::Stored;
use crate::features::documents::rules;
use crate::features::documents::store;
use crate::features::documents::store::Head;
use crate::features::documents::view;
use crate::features::documents::view::DocumentUrls;
use crate::features::documents::view::DocumentView;
use crate::features::documents::view::Extras;
use crate::features::portfolio;
use crate::features::tree;
use chartroom_platform::db::Tx;
use chartroom_platform::error::Error;
use chartroom_platform::error::Found;
use chartroom_platform::error::Result;
use chartroom_platform::http::IdempotencyKey;
use chartroom_platform::http::Json;
use chartroom_platform::http::NoContent;
use chartroom_platform::http::Query;
use chartroom_platform::http::Response;
use chartroom_platform::http::endpoint::Bare;
use chartroom_platform::http::endpoint::Given;
use chartroom_platform::http::endpoint::Perhaps;
use chartroom_platform::http::endpoint::Raw;
use chartroom_platform::time::Timestamp;

/// Answer of create-document.
#[derive(Serialize, JsonSchema)]
pub struct Created {
    /// API address of the new document.
    endpoint: String,
    /// Its page.
    document_view: String,
    /// UUID.
    #[schemars(extend("x-placeholder" = "doc"))]
    id: String,
    /// Account id.
    #[schemars(extend("x-placeholder" = "user_id"))]
    owner: String,
}

/// Answer of PUT.
#[derive(Serialize, JsonSchema)]
pub struct Saved {
    /// Folder and title.
    path: String,
    timestamp: Timestamp,
    urls: DocumentUrls,
}

/// Answer of PATCH.
#[derive(Serialize, JsonSchema)]
pub struct Patched {
    /// Folder and title.
    path: String,
    timestamp: Timestamp,
}

/// Answer of a move.
#[derive(Serialize, JsonSchema)]
pub struct Moved {
    /// Folder and title.
    path: String,
    /// Account id.
    owner: String,
    timestamp: Timestamp,
    urls: DocumentUrls,
    /// Access entries.
    acl: Vec<Ace>,
}

/// Query of DELETE.
#[derive(Deserialize, JsonSchema)]
pub struct DeleteQuery {
    /// `1`: gone for good, not into the trash.
    expunge: Option<String>,
}

/// `POST /create-document`.
pub fn create(
    request: &RequestContext,
    caller: &User,
    (key, Json(body)): (IdempotencyKey, Json<CreateBody>),
) -> Result<Raw<Created>> {
    let (wanted, caller) = (body.read(Channel::of(request, true))?, caller.clone());
    let (who, base_url) = (caller.id.to_string(), request.app.config.base_url.clone());
    let response = request.write_once(&key, &who, move |tx| {
        let head = create::create(tx, &caller, &wanted)?;
        let created = Created {
            endpoint: address::endpoint(&base_url, &head.owner, &head.id),
            document_view: address::view(&base_url, &head.owner, &head.id),
            id: head.id.to_string(),
            owner: head.owner.to_string(),
        };
        Ok(tagged(&created, &head)?.response)
    });
    response.map(Raw::new)
}

/// `PUT /users/{user_id}/documents/{doc}`.
pub fn put(
    request: &RequestContext,
    caller: &Caller,
    Given(body): Given<PutBody>,
) -> Result<Raw<Saved>> {
    // Checked and cut into chunks before it waits for its turn to write.
    let with = body.read(request.app.config.max_records)?;
    let (target, caller) = (target(request, caller)?, caller.clone());
    let base_url = request.app.config.base_url.clone();
    let (for_read, manner) = ((caller.clone(), target.clone()), save::manner(&caller, &target));
    let (saved, head) = saving(
        request,
        move |tx, prepared| {
            let head = save::replace(tx, &caller, &target, &with, prepared)?;
            head.map(|head| Ok((saved(tx, &base_url, &head)?, head))).transpose()
        },
        |tx| save::replaced(tx, &for_read.0, &for_read.1, manner.clone()),
    )?;
    tagged(&saved, &head)
}

/// `PUT /users/{user_id}/documents/{doc}/data`: other records, all else stays.
pub fn put_data(request: &RequestContext, caller: &Caller, body: DataBody) -> Result<Raw<Saved>> {
    let (target, caller) = (target(request, caller)?, caller.clone());
    let (records, settings) = match body.parse(request.app.config.max_records)? {
        ParsedData::Records(records) => (records, None),
        ParsedData::Table(table) => {
            let (head, _) = request.app.db.read(|tx| actions::readable(tx, &caller, &target))?;
            let columns = &portfolio::find(&head.kind).found("chart kind")?.columns;
            let mapped = table.records(columns)?;
            let settings = csv::settings_with(&head.settings, columns, &mapped.repeated)?;
            (mapped.records, settings)
        }
    };
    let most = request.app.config.max_document_bytes;
    if usize::try_from(records.bytes).is_ok_and(|bytes| bytes > most) {
        return Err(Error::TooLarge(format!("data would be larger than {most} bytes")));
    }
    let base_url = request.app.config.base_url.clone();
    let with = NewData { settings, data: records };
    let (for_read, manner) = ((caller.clone(), target.clone()), save::manner(&caller, &target));
    let (saved, head) = saving(
        request,
        move |tx, prepared| {
            let head = save::replace_data(tx, &caller, &target, &with, prepared)?;
            head.map(|head| Ok((saved(tx, &base_url, &head)?, head))).transpose()
        },
        |tx| save::replaced(tx, &for_read.0, &for_read.1, manner.clone()),
    )?;
    tagged(&saved, &head)
}

/// `PATCH /users/{user_id}/documents/{doc}`.
pub fn patch(
    request: &RequestContext,
    caller: &Caller,
    Json(body): Json<PatchBody>,
) -> Result<Raw<Patched>> {
    let (to, target, caller) = (body.read()?, target(request, caller)?, caller.clone());
    let (for_read, manner) = ((caller.clone(), target.clone()), save::manner(&caller, &target));
    let (path, head) = saving(
        request,
        move |tx, prepared| {
            let Some(head) = save::relocate(tx, &caller, &target, &to, prepared)? else {
                return Ok(None);
            };
            let folder = tree::folder_path(tx, head.parent.as_ref())?;
            Ok(Some((folder.join(&head.title), head)))
        },
        |tx| save::replaced(tx, &for_read.0, &for_read.1, manner.clone()),
    )?;
    tagged(&Patched { path, timestamp: head.updated }, &head)
}

/// `POST /users/{user_id}/documents/{doc}/move`.
pub fn relocate(
    request: &RequestContext,
    caller: &Caller,
    Json(body): Json<MoveBody>,
) -> Result<Raw<Moved>> {
    let (to, target, caller) = (body.read()?, target(request, caller)?, caller.clone());
    let app = request.app.clone();
    let (moved, head) = request.app.db.write(move |tx| {
        // Without a title, no content changes.
        let head =
            save::relocate(tx, &caller, &target, &to, &Prepared::Never)?.found("document")?;
        let Saved { path, timestamp, urls } = saved(tx, &app.config.base_url, &head)?;
        let owner = head.owner.to_string();
        let links = Links { base_url: &app.config.base_url, key: &app.key };
        // He may have moved it out of his own reach.
        let resource = Resource {
            node: Some(&head.id),
            owner: &head.owner,
            is_public: head.is_public,
            in_trash: false,
        };
        let level = access::level(tx, &caller, &resource)?;
        let acl = access::acl(tx, links, &caller, level, &head.id)?;
        Ok((Moved { path, owner, timestamp, urls, acl }, head))
    })?;
    tagged(&moved, &head)
}

/// `DELETE /users/{user_id}/documents/{doc}`.
pub fn delete(
    request: &RequestContext,
    caller: &Caller,
    Query(query): Query<DeleteQuery>,
) -> Result<Bare> {
    let expunge = flag("expunge", query.expunge.as_deref())?;
    let (target, caller) = (target(request, caller)?, caller.clone());
    if expunge {
        request.app.db.write(move |tx| bin::expunge(tx, &caller, &target))?;
        return Ok(Bare(Response::no_content()));
    }
    let tag = request.app.db.write(move |tx| bin::delete(tx, &caller, &target))?;
    Response::no_content().tagged(&tag).map(Bare)
}

/// `POST /users/{user_id}/documents/{doc}/add-record`.
pub fn add_record(
    request: &RequestContext,
    caller: &Caller,
    (key, Given(body)): (IdempotencyKey, Given<RecordBody>),
) -> Result<NoContent> {
    let config = &request.app.config;
    let limits = Limits { records: config.max_records, bytes: config.max_document_bytes };
    let (record, target, caller) = (body.read()?, target(request, caller)?, caller.clone());
    request.write_once(&key, &caller.scope(), move |tx| {
        save::add_record(tx, &caller, &target, &record, limits)?;
        Ok(Response::no_content())
    })?;
    Ok(NoContent)
}

/// `POST /users/{user_id}/documents/{doc}`: what `action` says.
pub fn act(
    request: &RequestContext,
    caller: &Caller,
    (key, Json(body)): (IdempotencyKey, Json<ActionBody>),
) -> Result<Perhaps<DocumentView>> {
    let (target, caller, who) = (target(request, caller)?, caller.clone(), caller.scope());
    let response = match body.action.as_str() {
        "close" => request.write_once(&key, &who, move |tx| {
            save::close(tx, &caller, &target)?;
            Ok(Response::no_content())
        }),
        "restore" => request.write_once(&key, &who, move |tx| {
            let tag = bin::restore(tx, &caller, &target)?;
            Response::no_content().tagged(&tag)
        }),
        "fork" | "duplicate" => {
            // Read and unpacked before it waits for its turn to write.
            let version = match body.history_version {
                None => None,
                Some(_) => request.app.db.read(|tx| {
                    let (head, _) = actions::readable(tx, &caller, &target)?;
                    history::asked(tx, &caller, &target, &head, body.history_version)
                })?,
            };
            let version = version.map(Stored::open).transpose()?;
            let app = request.app.clone();
            request.write_once(&key, &who, move |tx| {
                let copy = copy::fork(tx, &caller, &target, version.as_ref())?;
                store::note_copy(tx, &copy.id, &target.id, &body.action)?;
                view::response(tx, &app, &copy, (&caller, Level::Write), &Extras::default())
            })
        }
        _ => Err(Error::field("action", "must be close, fork, duplicate or restore")),
    };
    response.map(Perhaps::new)
}

/// The answer to a save.
pub(super) fn saved(tx: &Tx<'_>, base_url: &str, head: &Head) -> Result<Saved> {
    let folder = tree::folder_path(tx, head.parent.as_ref())?;
    Ok(Saved {
        path: folder.join(&head.title),
        timestamp: head.updated,
        urls: view::urls(base_url, &head.owner, &head.id, &folder),
    })
}

/// An answer with the entity tag that the document now has.
pub(super) fn tagged<T: Serialize + JsonSchema>(answer: &T, head: &Head) -> Result<Raw<T>> {
    Ok(Raw::new(Response::json(answer)?.tagged(&rules::tag(head))?))
}
