//! Handlers of documents at a provider.

use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use chartroom_cloud::Provider;
use chartroom_cloud::ROOT_FOLDER;
use chartroom_cloud::StoredFile;
use hyper::header::ETAG;
use hyper::header::IF_MATCH;
use hyper::header::IF_NONE_MATCH;
use percent_encoding::NON_ALPHANUMERIC;
use percent_encoding::utf8_percent_encode;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::Serialize;
use serde_json::Map;
use serde_json::Value;
use serde_json::json;
use serde_json::value::RawValue;

use super::file_names;
use super::place::Place;
use super::stored;
use crate::app::RequestContext;
use crate::features::accounts::User;
use crate::features::cloud;
use crate::features::documents;
use crate::features::documents::Channel;
use crate::features::documents::CreateBody;
use crate::features::documents::Created;
use crate::features::documents::DocumentFile;
use crate::features::documents::FileChanges;
use crate::features::documents::NewDocument;
use crate::features::tree;
use chartroom_platform::error::CloudProblemKind;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::http::IdempotencyKey;
use chartroom_platform::http::Json;
use chartroom_platform::http::Response;
use chartroom_platform::http::conditional;
use chartroom_platform::http::endpoint::RawJson;
use chartroom_platform::http::endpoint::RequiredJson;
use chartroom_platform::id::ConnectionId;
use chartroom_platform::remote::Deadline;
use chartroom_platform::time::Timestamp;

pub use super::place::check_connection;

/// Number of attempts of a save without a revision, if the file changes meanwhile.
const MAX_ATTEMPTS: u32 = 8;

/// Request body of `POST …/documents`. Either `widget` or `template` is required.
#[derive(Deserialize, JsonSchema)]
pub struct NewFileBody {
    /// Id or slug of a chart kind.
    widget: Option<String>,
    /// Id of a document of this server to copy the content from.
    template: Option<String>,
    /// Folder at the provider; the root when absent.
    folder_id: Option<String>,
    /// Title; that of the sample or of the template when absent. At most 500 characters.
    title: Option<String>,
    /// `width`, `height` and `margin` (`top`, `right`, `bottom`, `left`) in points.
    #[schemars(with = "Option<Map<String, Value>>")]
    layout: Option<Box<RawValue>>,
}

/// Response of a request that creates a file.
#[derive(Serialize, JsonSchema)]
pub struct CreatedFile {
    /// Id of the file.
    id: String,
    /// Address in the API.
    endpoint: String,
    /// Page for browsers.
    document_view: String,
}

/// Addresses of a document at a provider.
#[derive(Serialize, JsonSchema)]
pub struct FileUrls {
    /// Address in the API.
    pub endpoint: String,
    /// Page for browsers.
    pub document_view: String,
    /// Image of this revision.
    pub thumbnail: String,
}

/// Response of `PUT …/documents/{id}`.
#[derive(Serialize, JsonSchema)]
pub struct SavedFile {
    id: String,
    timestamp: Timestamp,
    /// Revision of the file, which changes with its content.
    revision: String,
    urls: FileUrls,
}

/// Request body of `POST …/documents/{id}/rename`.
#[derive(Deserialize, JsonSchema)]
pub struct RenameBody {
    /// New name of the file, without its end. At most 500 characters.
    title: String,
    /// Revision that the file must still have.
    revision: Option<String>,
}

/// Response of `POST …/documents/{id}/rename`.
#[derive(Serialize, JsonSchema)]
pub struct RenamedFile {
    /// Id of the file, which changes where the provider cannot rename.
    id: String,
    title: String,
    timestamp: Timestamp,
}

/// A document at a provider.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ExternalDocument")]
pub struct FileView {
    id: String,
    /// `box`, `dropbox`, `googledrive`, `onedrive` or `smartsheet`.
    provider: String,
    connection_id: String,
    /// Folder that contains the file. Absent where the provider does not tell it.
    folder_id: Option<String>,
    /// Revision of the file, which changes with its content.
    revision: String,
    /// Account id of the owner of the connection.
    owner: String,
    owner_name: String,
    /// Time of the last change. Absent where the provider does not tell it.
    updated: Option<String>,
    /// Always `w`.
    mode: String,
    urls: FileUrls,
    /// UUID or slug of the chart kind.
    plugin_id: String,
    title: String,
    settings: Map<String, Value>,
    data: Vec<Map<String, Value>>,
    theme: String,
    custom_theme: Option<Map<String, Value>>,
    style: Option<Map<String, Value>>,
    svg: Option<String>,
    #[serde(rename = "isPublic")]
    is_public: bool,
    version: Option<u64>,
}

/// Returns the addresses of a file. That of the thumbnail has its revision, if it is known, so that the
/// thumbnail is found without a request to the provider.
pub fn file_urls(place: &Place<'_>, id: &str, revision: Option<&str>) -> FileUrls {
    let (base_url, id) = (&place.app.config.base_url, cloud::encode_id(id));
    let (provider, connection) = (place.provider().as_str(), &place.connection.id);
    let endpoint = format!("{}/documents/{id}", place.endpoint());
    let revision = revision.map(|revision| utf8_percent_encode(revision, NON_ALPHANUMERIC));
    let query = revision.map(|revision| format!("?revision={revision}")).unwrap_or_default();
    FileUrls {
        document_view: format!("{base_url}/c/{provider}/{connection}/{id}"),
        thumbnail: format!("{endpoint}/thumbnail.png{query}"),
        endpoint,
    }
}

/// Returns the path of the page of a folder, which must be encoded. Without one, that of the root folder.
pub fn folder_page_path(place: &Place<'_>, folder: Option<&str>) -> String {
    let (provider, connection) = (place.provider().as_str(), &place.connection.id);
    let folder = folder.map(|id| format!("#folder={id}")).unwrap_or_default();
    format!("/c/{provider}/{connection}{folder}")
}

/// Returns the response of a request that created or replaced a file.
pub fn created_file(place: &Place<'_>, file: &StoredFile) -> CreatedFile {
    let FileUrls { endpoint, document_view, .. } = file_urls(place, &file.id, None);
    CreatedFile { id: cloud::encode_id(&file.id), endpoint, document_view }
}

/// Returns the entity tag of a revision, in base64 because revisions may contain quotes. This alphabet has no
/// hyphen, with which the suffix of an encoding begins.
fn entity_tag(revision: &str) -> String {
    format!("\"{}\"", STANDARD_NO_PAD.encode(revision))
}

/// Returns the revision in the header `If-Match`, or else in the body.
///
/// # Errors
/// `InvalidFields` about `If-Match` if it is no entity tag of this server.
fn expected_revision(request: &RequestContext, of_body: Option<String>) -> Result<Option<String>> {
    let Some(header) = request.header(&IF_MATCH) else { return Ok(of_body) };
    if header.trim() == "*" {
        return Ok(of_body);
    }
    let text = conditional::extract_opaque_tag(header.trim());
    (STANDARD_NO_PAD.decode(text).ok())
        .and_then(|bytes| String::from_utf8(bytes).ok())
        .map(Some)
        .ok_or_else(|| Error::invalid_field("If-Match", "must be the entity tag of the document"))
}

/// Returns the id of the folder in a request body. The root without one.
///
/// # Errors
/// `NotFound` for a text that is no id.
fn folder_of(id: Option<&str>) -> Result<String> {
    match id {
        None | Some("") => Ok(ROOT_FOLDER.to_owned()),
        Some(id) => cloud::decode_id(id, "folder"),
    }
}

/// Handles `POST /cloud/{provider}/{connection}/documents`: creates a document from a chart kind or a
/// template. A repeated request with the same idempotency key gets the first response again.
pub fn create(
    request: &RequestContext,
    caller: &User,
    (key, Json(body)): (IdempotencyKey, Json<NewFileBody>),
) -> Result<RawJson<CreatedFile>> {
    let place = Place::of_path(request, caller)?;
    let folder = folder_of(body.folder_id.as_deref())?;
    let content = CreateBody::of_content(body.widget, body.template, body.layout);
    let title = body.title;
    let response = run_once(request, (caller, &key), place.deadline, |mark| {
        let new = content.validate(Channel::from_request(request, true))?;
        let file = create_file(&place, caller, (new, title), (&folder, mark))?;
        Ok(created_file(&place, &file))
    })?;
    Ok(RawJson::new(response))
}

/// Handles `POST /create-document`: creates a document on this server, or at a provider if the body names
/// one.
pub fn create_anywhere(
    request: &RequestContext,
    caller: &User,
    (key, Json(body)): (IdempotencyKey, Json<CreateBody>),
) -> Result<RawJson<Created>> {
    let Some(external) = body.external_place()? else {
        return documents::create_on_request(request, caller, (key, Json(body)));
    };
    if Provider::from_name(&external.provider).is_none() {
        let names = Provider::ALL.map(Provider::as_str).join(" ");
        let message = format!("must be one of {names}");
        return Err(Error::invalid_field("provider", message));
    }
    let id = ConnectionId::from_text(external.connection.as_str());
    let provider = external.provider.as_str();
    let found = request.app.db.read(|tx| cloud::check_provider(tx, &caller.id, provider, &id));
    let connection = found.map_err(|error| match error {
        Error::NotFound(_) => {
            let text = format!("you have no connection {:?} to {provider}", external.connection);
            Error::invalid_field("connection_id", text)
        }
        error => error,
    })?;
    let place = Place::new(request, connection);
    let folder = folder_of(external.folder.as_deref())?;
    let response = run_once(request, (caller, &key), place.deadline, |mark| {
        let new = body.validate(Channel::from_request(request, true))?;
        let file = create_file(&place, caller, (new, None), (&folder, mark))?;
        let FileUrls { endpoint, document_view, .. } = file_urls(&place, &file.id, None);
        let id = cloud::encode_id(&file.id);
        Ok(Created::new(endpoint, document_view, id, caller.id.to_string()))
    })?;
    Ok(RawJson::new(response))
}

/// Returns whether a body of `POST /create-document` names no provider, so that the handler does not wait
/// for another server. May be false for such a body if it has escaped characters.
pub fn is_for_this_server(body: &[u8]) -> bool {
    let text = std::str::from_utf8(body).unwrap_or_default();
    !text.contains("\"provider\"") && !text.contains('\\')
}

/// Creates the file of a new document. `mark` identifies the repetitions of the request, which find a file that
/// an earlier one has created.
fn create_file(
    place: &Place<'_>,
    caller: &User,
    (new, title): (NewDocument, Option<String>),
    (folder, mark): (&str, Option<&str>),
) -> Result<StoredFile> {
    let title = title.as_deref().map(tree::parse_title).transpose();
    let title = title.map_err(|message| Error::invalid_field("title", message))?;
    let mut file = (place.app.db)
        .read(|tx| DocumentFile::create(tx, caller, &new.content, new.layout.as_deref()))?;
    if let Some(title) = title.filter(|title| !title.is_empty()) {
        file.set_title(&title)?;
    }
    if let Some(mark) = mark {
        file.set_creation_mark(mark)?;
    }
    stored::create(place, folder, &file, mark)
}

/// Does work at a provider once for an idempotency key, and returns its result as JSON. The response is
/// stored after the success of the provider. A request with the key of another one waits for its end.
/// `work` gets a text that only repetitions with the same content have.
fn run_once<T: Serialize>(
    request: &RequestContext,
    (caller, key): (&User, &IdempotencyKey),
    deadline: Deadline,
    work: impl FnOnce(Option<&str>) -> Result<T>,
) -> Result<Response> {
    let idempotent = request.idempotent(key, caller.id.as_str());
    let wait = deadline.remaining().unwrap_or_default();
    let claim = |id: String| request.app.create_claims.claim(&id, wait).ok_or(Error::RemoteTimeout);
    let _claim = idempotent.id().map(claim).transpose()?;
    if let Some(response) = request.app.db.read(|tx| idempotent.stored_response(tx))? {
        return Ok(response);
    }
    let created = work(idempotent.content_id().as_deref())?;
    let stored = Response::json(&created)?;
    request.app.db.write_with_reserve(move |tx| idempotent.store_response(tx, &stored))?;
    Response::json(&created)
}

/// Handles `GET /cloud/{provider}/{connection}/documents/{id}`.
pub fn get(request: &RequestContext, caller: &User, (): ()) -> Result<RawJson<FileView>> {
    let place = Place::of_path(request, caller)?;
    let id = cloud::decode_id(&request.param::<String>("id")?, "document")?;
    // An open page asks regularly, and mostly nothing has changed.
    if let Some(known) = request.header(&IF_NONE_MATCH) {
        let file = stored::find_file(&place, &id)?;
        let tag = entity_tag(&file.revision);
        if conditional::extract_opaque_tag(known.trim()) == tag.trim_matches('"') {
            let response = Response::not_modified("application/json").with_header(ETAG, &tag)?;
            return Ok(RawJson::new(response));
        }
    }
    let opened = stored::read(&place, &id)?;
    let (file, document) = (&opened.file, &opened.document);
    let head = json!({
        "id": cloud::encode_id(&file.id),
        "provider": place.provider().as_str(),
        "connection_id": place.connection.id,
        "folder_id": file.folder_id.as_deref().map(cloud::encode_id),
        "revision": file.revision,
        "owner": caller.id,
        "owner_name": caller.name,
        "updated": file.modified,
        "mode": "w",
        "urls": file_urls(&place, &file.id, Some(&file.revision)),
    });
    let Value::Object(mut head) = head else { return Err(Error::internal("no object")) };
    head.retain(|_, value| !value.is_null());
    let body = document.to_representation(&head)?;
    let response =
        Response::bytes("application/json", body).with_header(ETAG, &entity_tag(&file.revision))?;
    Ok(RawJson::new(response))
}

/// Handles `PUT /cloud/{provider}/{connection}/documents/{id}`: replaces the content of a document. With a
/// revision, only if the file still has it; otherwise the last save wins.
pub fn put(
    request: &RequestContext,
    caller: &User,
    RequiredJson(mut body): RequiredJson<FileChanges>,
) -> Result<RawJson<SavedFile>> {
    let place = Place::of_path(request, caller)?;
    let id = cloud::decode_id(&request.param::<String>("id")?, "document")?;
    let revision = expected_revision(request, body.revision.take())?;
    let max_records = request.app.config.max_records;
    let mut attempt = 1;
    let file = loop {
        let mut opened = stored::read(&place, &id)?;
        opened.document.apply(&body, max_records)?;
        // Without a revision of the client, the one that was just read protects the members that this server
        // does not know; after a change between both, the save is repeated.
        let expected = revision.as_deref().unwrap_or(&opened.file.revision);
        match stored::update(&place, &id, &opened.document, Some(expected)) {
            Err(Error::Cloud(problem))
                if revision.is_none()
                    && problem.kind == CloudProblemKind::RevisionConflict
                    && attempt < MAX_ATTEMPTS =>
            {
                attempt += 1;
            }
            result => break result?,
        }
    };
    let saved = SavedFile {
        id: cloud::encode_id(&file.id),
        timestamp: Timestamp::now(),
        urls: file_urls(&place, &file.id, Some(&file.revision)),
        revision: file.revision,
    };
    let tag = entity_tag(&saved.revision);
    Ok(RawJson::new(Response::json(&saved)?.with_header(ETAG, &tag)?))
}

/// Handles `POST /cloud/{provider}/{connection}/documents/{id}/rename`: renames the file of a document. The
/// title in the document stays.
pub fn rename(
    request: &RequestContext,
    caller: &User,
    Json(body): Json<RenameBody>,
) -> Result<Json<RenamedFile>> {
    let place = Place::of_path(request, caller)?;
    let id = cloud::decode_id(&request.param::<String>("id")?, "document")?;
    let title =
        tree::parse_title(&body.title).map_err(|message| Error::invalid_field("title", message))?;
    if title.trim().is_empty() {
        return Err(Error::invalid_field("title", "must not be empty"));
    }
    let revision = expected_revision(request, body.revision)?;
    let file = stored::rename(&place, &id, &title, revision.as_deref())?;
    Ok(Json(RenamedFile {
        id: cloud::encode_id(&file.id),
        title: file_names::title_of(&file.name).unwrap_or(&file.name).to_owned(),
        timestamp: Timestamp::now(),
    }))
}
