//! Handlers of folders at a provider.

use chartroom_cloud::Entry;
use chartroom_cloud::EntryKind;
use chartroom_cloud::Folder;
use chartroom_cloud::ROOT_FOLDER;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::Serialize;

use super::cursor::Cursor;
use super::documents;
use super::file_names;
use super::place::Place;
use super::shown_files;
use crate::app::RequestContext;
use crate::features::accounts::User;
use crate::features::cloud;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::http::Json;
use chartroom_platform::http::NoContent;
use chartroom_platform::http::Query;

/// Maximum length of the name of a folder in characters.
const MAX_NAME_CHARS: usize = 200;

/// Query of the lists of folders.
#[derive(Deserialize, JsonSchema)]
pub struct FolderQuery {
    /// `1`: also list files that are no documents.
    files: Option<String>,
}

/// A folder at a provider.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ExternalFolder")]
pub struct FolderView {
    /// Id; `root` for the root folder.
    id: String,
    /// Name. Empty for the root folder.
    title: String,
    /// Id of the folder that contains it. Absent for the root folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    parent_id: Option<String>,
}

/// A part of the list of a folder.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ExternalFolderList")]
pub struct FolderList {
    folder: FolderView,
    results: Vec<EntryView>,
    /// Text for `…/folders/continue/{cursor}`, valid for 24 hours. Absent on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    cursor: Option<String>,
}

/// An entry of a list.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ExternalEntry")]
pub struct EntryView {
    /// `folder`, `document` or `file`: name of the field that holds the object.
    #[serde(rename = "type")]
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    folder: Option<EntryObject>,
    #[serde(skip_serializing_if = "Option::is_none")]
    document: Option<EntryObject>,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<EntryObject>,
    urls: EntryUrls,
}

/// The object of an entry.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ExternalEntryObject")]
pub struct EntryObject {
    id: String,
    title: String,
    /// Time of the last change in RFC 3339. Absent where the provider does not tell it.
    #[serde(skip_serializing_if = "Option::is_none")]
    modified: Option<String>,
    /// Bytes. Absent for folders, and where the provider does not tell it.
    #[serde(skip_serializing_if = "Option::is_none")]
    size: Option<u64>,
    /// Documents only: revision of the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    revision: Option<String>,
    /// Files only: whether the file can be a source of data.
    #[serde(skip_serializing_if = "Option::is_none")]
    is_spreadsheet: Option<bool>,
    /// Files only: address for `POST /sync/create`.
    #[serde(skip_serializing_if = "Option::is_none")]
    sync_url: Option<String>,
}

/// Addresses of an entry.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ExternalEntryUrls")]
pub struct EntryUrls {
    /// Documents only: page for browsers.
    #[serde(skip_serializing_if = "Option::is_none")]
    view: Option<String>,
    /// Address in the API. Absent for files that are no documents.
    #[serde(skip_serializing_if = "Option::is_none")]
    endpoint: Option<String>,
    /// Documents only.
    #[serde(skip_serializing_if = "Option::is_none")]
    thumbnail: Option<String>,
}

/// Request body of `POST …/folders`.
#[derive(Deserialize, JsonSchema)]
pub struct NewFolderBody {
    /// Name, 1 to 200 characters.
    title: String,
    /// Folder that contains it; the root when absent.
    parent_id: Option<String>,
}

impl FolderView {
    /// Builds the view of a folder.
    fn new(folder: &Folder) -> Self {
        Self {
            id: cloud::encode_id(&folder.id),
            title: folder.name.clone(),
            parent_id: folder.parent_id.as_deref().map(cloud::encode_id),
        }
    }
}

impl EntryView {
    /// Builds the view of an entry. None for a file that is no document, unless `has_files` is true.
    fn new(place: &Place<'_>, entry: Entry, has_files: bool) -> Option<Self> {
        let mut object = EntryObject {
            id: cloud::encode_id(&entry.id),
            title: entry.name.clone(),
            modified: entry.modified,
            size: entry.size,
            revision: None,
            is_spreadsheet: None,
            sync_url: None,
        };
        let mut view = Self {
            kind: "folder",
            folder: None,
            document: None,
            file: None,
            urls: EntryUrls { view: None, endpoint: None, thumbnail: None },
        };
        if entry.kind == EntryKind::Folder {
            view.urls.endpoint = Some(format!("{}/folders/{}", place.endpoint(), object.id));
            view.folder = Some(object);
        } else if let Some(title) = file_names::title_of(&entry.name) {
            shown_files::note(place, &entry.id);
            let urls = documents::file_urls(place, &entry.id, entry.revision.as_deref());
            view.kind = "document";
            view.urls.view = Some(urls.document_view);
            view.urls.endpoint = Some(urls.endpoint);
            view.urls.thumbnail = Some(urls.thumbnail);
            title.clone_into(&mut object.title);
            object.revision = entry.revision;
            view.document = Some(object);
        } else if has_files {
            view.kind = "file";
            object.is_spreadsheet = Some(entry.is_spreadsheet);
            object.sync_url = Some(cloud::source_address(&place.connection, &entry.id));
            view.file = Some(object);
        } else {
            return None;
        }
        Some(view)
    }
}

/// Lists a folder from a position on.
fn list(
    place: &Place<'_>,
    folder: &Folder,
    position: Option<&str>,
    has_files: bool,
) -> Result<Json<FolderList>> {
    let page = place.run("folder", |session| session.list_folder(&folder.id, position))?;
    let seal = |position: String| {
        Cursor::new(position, folder, has_files).seal(&place.app.server_key, &place.connection)
    };
    let views = page.entries.into_iter();
    Ok(Json(FolderList {
        folder: FolderView::new(folder),
        results: views.filter_map(|entry| EntryView::new(place, entry, has_files)).collect(),
        cursor: page.cursor.map(seal).transpose()?,
    }))
}

/// Returns whether the query asks for all files.
///
/// # Errors
/// `InvalidFields` about `files`.
fn wants_files(query: &FolderQuery) -> Result<bool> {
    match query.files.as_deref() {
        None | Some("0" | "false") => Ok(false),
        Some("1" | "true" | "") => Ok(true),
        Some(_) => Err(Error::invalid_field("files", "must be 1 or 0")),
    }
}

/// Handles `GET /cloud/{provider}/{connection}/folders`: lists the root folder.
pub fn list_root(
    request: &RequestContext,
    caller: &User,
    Query(query): Query<FolderQuery>,
) -> Result<Json<FolderList>> {
    let place = Place::of_path(request, caller)?;
    let root = Folder { id: ROOT_FOLDER.to_owned(), name: String::new(), parent_id: None };
    list(&place, &root, None, wants_files(&query)?)
}

/// Handles `GET /cloud/{provider}/{connection}/folders/{id}`: lists a folder.
pub fn list_folder(
    request: &RequestContext,
    caller: &User,
    Query(query): Query<FolderQuery>,
) -> Result<Json<FolderList>> {
    let place = Place::of_path(request, caller)?;
    let id = cloud::decode_id(&request.param::<String>("id")?, "folder")?;
    let has_files = wants_files(&query)?;
    let folder = place.run("folder", |session| session.folder(&id))?;
    list(&place, &folder, None, has_files)
}

/// Handles `GET /cloud/{provider}/{connection}/folders/continue/{cursor}`: lists the next part of a folder.
pub fn continue_list(request: &RequestContext, caller: &User, (): ()) -> Result<Json<FolderList>> {
    let place = Place::of_path(request, caller)?;
    let text: String = request.param("cursor")?;
    let cursor = Cursor::open(&request.app.server_key, &place.connection, &text)?;
    let Cursor { position, folder, name, parent, has_files, .. } = cursor;
    let folder = Folder { id: folder, name, parent_id: parent };
    list(&place, &folder, Some(&position), has_files)
}

/// Handles `POST /cloud/{provider}/{connection}/folders`: creates a folder.
pub fn create(
    request: &RequestContext,
    caller: &User,
    Json(body): Json<NewFolderBody>,
) -> Result<Json<FolderView>> {
    let place = Place::of_path(request, caller)?;
    let name = body.title.trim();
    if name.is_empty() {
        return Err(Error::invalid_field("title", "must not be empty"));
    }
    if name.chars().count() > MAX_NAME_CHARS
        || name.chars().any(|char| char.is_control() || char == '/' || char == '\\')
    {
        let message = "must have at most 200 characters, without slashes";
        return Err(Error::invalid_field("title", message));
    }
    let parent = match body.parent_id.as_deref() {
        None | Some("") => ROOT_FOLDER.to_owned(),
        Some(id) => cloud::decode_id(id, "folder")?,
    };
    let folder = place.run("folder", |session| session.create_folder(&parent, name))?;
    Ok(Json(FolderView::new(&folder)))
}

/// Handles `DELETE /cloud/{provider}/{connection}/folders/{id}`: deletes a folder with its content, to the
/// trash of the provider if it has one.
pub fn delete(request: &RequestContext, caller: &User, (): ()) -> Result<NoContent> {
    let place = Place::of_path(request, caller)?;
    let id = cloud::decode_id(&request.param::<String>("id")?, "folder")?;
    if id == ROOT_FOLDER {
        return Err(Error::Invalid("the root folder cannot be deleted".to_owned()));
    }
    place.run("folder", |session| session.delete_folder(&id))?;
    Ok(NoContent)
}
