//! Google Drive: version 3 of the API for everything but updates of contents, which need the conditional
//! requests of version 2.
//!
//! Shortcuts keep their own id, name and folder, so that renaming or deleting one does not change its
//! target. Their content, size and revision are those of the target.
//!
//! Names are not unique in a folder. The functions that create or rename search for the name before, so
//! that two requests at the same time can still produce two entries with one name.

mod download;
mod file_ref;
pub(super) mod links;
mod messages;
mod requests;
mod update;

use chartroom_platform::remote::RemoteBody;

use serde_json::json;
use url::Url;

use super::error::CloudError;
use super::error::CloudResult;
use super::error::NOT_A_FILE;
use super::error::NOT_A_FOLDER;
use super::model::Account;
use super::model::Entry;
use super::model::EntryKind;
use super::model::Fetched;
use super::model::Folder;
use super::model::Page;
use super::model::ROOT_FOLDER;
use super::model::StoredFile;
use super::model::has_table_extension;
use super::session::Session;
use file_ref::FileRef;
use messages::About;
use messages::DriveFile;
use messages::FileList;
use messages::NativeType;

/// Maximum number of entries of a page.
const PAGE_SIZE: &str = "1000";
/// Maximum number of pages of a search for a name. Google returns pages with few entries only for large
/// searches.
const MAX_NAME_PAGES: usize = 20;

/// Returns the account. The address is empty if it is not visible.
pub(crate) fn account(session: &Session<'_>) -> CloudResult<Account> {
    let url = requests::api_url(
        session,
        &["drive", "v3", "about"],
        &[("fields", "user(permissionId,emailAddress)")],
    );
    let About { user } = requests::get_json(session, &url, None)?;
    match user.permission_id.is_empty() {
        true => Err(CloudError::Unreadable),
        false => Ok(Account { key: user.permission_id, address: user.email_address }),
    }
}

/// Returns a folder. Sends a second request for the id of the root folder, which Google does not mark.
pub(crate) fn folder(session: &Session<'_>, id: &str) -> CloudResult<Folder> {
    let file = requests::find(session, FileRef::new(id))?;
    if !file.is_folder() {
        return Err(NOT_A_FOLDER);
    }
    let root = || Folder { id: ROOT_FOLDER.to_owned(), name: String::new(), parent_id: None };
    if id == ROOT_FOLDER {
        return Ok(root());
    }
    let root_id = requests::find(session, FileRef::new(ROOT_FOLDER))?.id;
    if file.id == root_id {
        return Ok(root());
    }
    let parent_id = file.parent().map(|parent| match parent == root_id {
        true => ROOT_FOLDER.to_owned(),
        false => parent.to_owned(),
    });
    Ok(Folder { id: id.to_owned(), name: file.name, parent_id })
}

/// Lists a folder. Native documents other than spreadsheets are left out, because they have no content.
///
/// The cursor contains the folder, because that of a shortcut is known only after the first page.
pub(crate) fn list_folder(
    session: &Session<'_>,
    id: &str,
    cursor: Option<&str>,
) -> CloudResult<Page> {
    if let Some(cursor) = cursor {
        let (folder, key, token): (String, Option<String>, String) =
            serde_json::from_str(cursor).map_err(|_| CloudError::CursorExpired)?;
        let folder = FileRef { id: &folder, key: key.as_deref() };
        return list_page(session, folder, Some(&token));
    }
    let page = list_page(session, FileRef::new(id), None)?;
    if !page.entries.is_empty() || page.cursor.is_some() || id == ROOT_FOLDER {
        return Ok(page);
    }
    // The query has no results also for files, shortcuts and folders in the trash.
    let file = requests::find(session, FileRef::new(id))?;
    match file.target()? {
        _ if !file.is_folder() => Err(NOT_A_FOLDER),
        Some(target) => {
            requests::find(session, target)?;
            list_page(session, target, None)
        }
        None => Ok(page),
    }
}

/// Requests a page of a folder.
fn list_page(session: &Session<'_>, folder: FileRef<'_>, token: Option<&str>) -> CloudResult<Page> {
    requests::check_id(folder.id)?;
    let query = format!("'{}' in parents and trashed = false", requests::escape(folder.id));
    let fields = format!("nextPageToken,files({})", requests::FILE_FIELDS);
    let mut parameters = vec![
        ("q", query.as_str()),
        ("fields", &fields),
        ("orderBy", "folder,name_natural"),
        ("pageSize", PAGE_SIZE),
        ("supportsAllDrives", "true"),
        ("includeItemsFromAllDrives", "true"),
    ];
    parameters.extend(token.map(|token| ("pageToken", token)));
    let url = requests::api_url(session, &["drive", "v3", "files"], &parameters);
    let list: FileList = requests::get_json(session, &url, Some(folder))?;
    let next = list.next_page_token.filter(|token| !token.is_empty());
    let cursor = next.map(|token| json!([folder.id, folder.key, token]).to_string());
    Ok(Page { entries: list.files.into_iter().filter_map(entry).collect(), cursor })
}

/// Converts a file in a list. Returns None for files without content and without id.
fn entry(file: DriveFile) -> Option<Entry> {
    let native = file.native_type();
    if file.id.is_empty() || matches!(native, Some(NativeType::Other)) {
        return None;
    }
    let is_folder = native == Some(NativeType::Folder);
    let is_shortcut = file.shortcut_details.is_some();
    Some(Entry {
        kind: if is_folder { EntryKind::Folder } else { EntryKind::File },
        size: file.bytes().filter(|_| native.is_none() && !is_shortcut),
        // The list has no revision of the targets of shortcuts.
        revision: file.revision().filter(|_| !is_folder && !is_shortcut),
        is_spreadsheet: !is_folder
            && (native == Some(NativeType::Spreadsheet)
                || has_table_extension(&file.name)
                || messages::is_table_type(file.media_type())),
        id: file.id,
        name: file.name,
        modified: file.modified_time,
    })
}

/// Creates a folder.
pub(crate) fn create_folder(
    session: &Session<'_>,
    parent_id: &str,
    name: &str,
) -> CloudResult<Folder> {
    let parent = requests::resolve(session, FileRef::new(parent_id))?;
    check_name(session, &parent.content, name, None)?;
    let metadata =
        json!({"name": name, "mimeType": messages::FOLDER, "parents": [parent.content.id]});
    let created = requests::create(session, &metadata, parent.content.as_ref())?;
    Ok(Folder { id: created.id, name: created.name, parent_id: Some(parent_id.to_owned()) })
}

/// Moves a folder with its content to the trash. Of a shortcut to a folder, moves only the shortcut.
pub(crate) fn delete_folder(session: &Session<'_>, id: &str) -> CloudResult<()> {
    let file = requests::find(session, FileRef::new(id))?;
    if !file.is_folder() {
        return Err(NOT_A_FOLDER);
    }
    // The root folder has no parent, but this is also true for shared folders. Google refuses the request.
    requests::patch(session, &file, &json!({"trashed": true})).map(drop)
}

/// Creates a file.
pub(crate) fn create_file(
    session: &Session<'_>,
    folder_id: &str,
    name: &str,
    bytes: &[u8],
) -> CloudResult<StoredFile> {
    let parent = requests::resolve(session, FileRef::new(folder_id))?;
    check_name(session, &parent.content, name, None)?;
    let media_type = messages::media_type_of(name);
    let metadata = json!({"name": name, "mimeType": media_type, "parents": [parent.content.id]});
    let content = (media_type, bytes);
    let created = update::upload(session, &metadata, content, parent.content.as_ref())?;
    let mut stored = stored_file(&created, &created)?;
    stored.folder_id = Some(folder_id.to_owned());
    Ok(stored)
}

/// Checks that a folder has no other entry with a name. Upper and lower case are different, as in Drive.
///
/// # Errors
/// `WrongType` for a file in place of the folder, `NameConflict` for an entry with this name.
fn check_name(
    session: &Session<'_>,
    folder: &DriveFile,
    name: &str,
    except: Option<&str>,
) -> CloudResult<()> {
    if !folder.is_folder() {
        return Err(NOT_A_FOLDER);
    }
    let (id, escaped) = (requests::escape(&folder.id), requests::escape(name));
    let query = format!("'{id}' in parents and name = '{escaped}' and trashed = false");
    let mut token: Option<String> = None;
    for _ in 0..MAX_NAME_PAGES {
        let mut parameters = vec![
            ("q", query.as_str()),
            ("fields", "nextPageToken,files(id,name)"),
            ("pageSize", "100"),
            ("supportsAllDrives", "true"),
            ("includeItemsFromAllDrives", "true"),
        ];
        parameters.extend(token.as_deref().map(|token| ("pageToken", token)));
        let url = requests::api_url(session, &["drive", "v3", "files"], &parameters);
        let list: FileList = requests::get_json(session, &url, Some(folder.as_ref()))?;
        // The comparison of the query ignores the case.
        if list.files.iter().any(|file| file.name == name && Some(file.id.as_str()) != except) {
            return Err(CloudError::NameConflict);
        }
        token = list.next_page_token.filter(|token| !token.is_empty());
        if token.is_none() {
            break;
        }
    }
    Ok(())
}

/// Replaces the content of a file. With `revision`, only if the file still has it.
pub(crate) fn update_file(
    session: &Session<'_>,
    id: &str,
    bytes: &[u8],
    revision: Option<&str>,
) -> CloudResult<StoredFile> {
    update::replace_content(session, id, bytes, revision)
}

/// Returns a file. The size of a native spreadsheet is that at Google, not that of its export.
pub(crate) fn file(session: &Session<'_>, id: &str) -> CloudResult<StoredFile> {
    let file = requests::resolve(session, FileRef::new(id))?;
    stored_file(&file.own, &file.content)
}

/// Returns a file with its content.
pub(crate) fn read_file(
    session: &Session<'_>,
    id: &str,
    max_bytes: u64,
) -> CloudResult<(StoredFile, RemoteBody)> {
    let (file, bytes) = download::read(session, FileRef::new(id), max_bytes)?;
    let mut stored = stored_file(&file.own, &file.content)?;
    stored.size = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
    Ok((stored, bytes))
}

/// Renames a file. Checks the revision before, because version 3 has no conditional requests; a change of
/// the content at the same time is not lost.
pub(crate) fn rename_file(
    session: &Session<'_>,
    id: &str,
    name: &str,
    revision: Option<&str>,
) -> CloudResult<StoredFile> {
    let file = requests::resolve(session, FileRef::new(id))?;
    let stored = stored_file(&file.own, &file.content)?;
    if revision.is_some_and(|revision| revision != stored.revision) {
        return Err(CloudError::RevisionConflict);
    }
    if let Some(parent) = file.own.parent() {
        let parent = DriveFile::folder_with_id(parent);
        check_name(session, &parent, name, Some(&file.own.id))?;
    }
    let renamed = requests::patch(session, &file.own, &json!({"name": name}))?;
    match file.own.shortcut_details {
        Some(_) => stored_file(&renamed, &file.content),
        None => stored_file(&renamed, &renamed),
    }
}

/// Downloads a file, or exports a native spreadsheet.
pub(crate) fn fetch_source(
    session: &Session<'_>,
    id: &str,
    known: Option<&str>,
) -> CloudResult<Fetched> {
    download::fetch(session, FileRef::new(id), None, known)
}

/// Downloads the file of a shared link, or the worksheet that the link names.
pub(crate) fn fetch_link(
    session: &Session<'_>,
    link: &str,
    known: Option<&str>,
) -> CloudResult<Fetched> {
    let (id, key) = links::parse(link)?;
    let gid = Url::parse(link).ok().as_ref().and_then(links::find_worksheet_id);
    download::fetch(session, FileRef { id: &id, key: key.as_deref() }, gid.as_deref(), known)
}

/// Converts a file. `own` is the file or the shortcut with the id of the request, `content` the file with
/// the content.
///
/// # Errors
/// `WrongType` for a folder and for native documents other than spreadsheets. `Unreadable` without id or
/// revision.
fn stored_file(own: &DriveFile, content: &DriveFile) -> CloudResult<StoredFile> {
    match content.native_type() {
        Some(NativeType::Folder) => return Err(NOT_A_FILE),
        Some(NativeType::Other) => return Err(download::NOT_A_TABLE),
        Some(NativeType::Spreadsheet) | None => {}
    }
    let revision = content.revision().ok_or(CloudError::Unreadable)?;
    if own.id.is_empty() {
        return Err(CloudError::Unreadable);
    }
    Ok(StoredFile {
        id: own.id.clone(),
        name: own.name.clone(),
        revision,
        size: content.bytes().unwrap_or_default(),
        modified: content.modified_time.clone(),
        folder_id: own.parent().map(str::to_owned),
    })
}
