//! The client of Dropbox.
//!
//! Ids are those of Dropbox with their prefix `id:`. They stay the same when a file is renamed. Some routes
//! accept no ids, so that the client looks up paths for them.

mod messages;
mod requests;

use chartroom_platform::remote::MAX_DOWNLOAD_BYTES;
use chartroom_platform::remote::RemoteBody;
use percent_encoding::percent_decode_str;
use serde_json::Value;
use serde_json::json;
use url::Url;

use super::error::CloudError;
use super::error::CloudResult;
use super::error::NOT_A_FILE;
use super::model;
use super::model::Account;
use super::model::Entry;
use super::model::EntryKind;
use super::model::Fetched;
use super::model::Folder;
use super::model::Page;
use super::model::ROOT_FOLDER;
use super::model::SourceFile;
use super::model::StoredFile;
use super::session::Session;
use messages::AccountResult;
use messages::ListResult;
use messages::Metadata;
use messages::NO_DOWNLOAD;
use messages::WriteResult;
use requests::call;
use requests::check_id;
use requests::download;
use requests::file_metadata;
use requests::find_parent;
use requests::folder_metadata;
use requests::upload;

/// Maximum number of entries of a page. A page of so many entries with long names fits into
/// [`super::session::MAX_API_BYTES`].
const PAGE_ENTRIES: u32 = 500;

/// Returns the account. See [`Session::account`].
pub(crate) fn account(session: &Session<'_>) -> CloudResult<Account> {
    let account: AccountResult = call(session, "users/get_current_account", &Value::Null)?;
    Ok(Account { key: account.account_id, address: account.email })
}

/// Returns a folder. See [`Session::folder`]. Dropbox has no metadata of the root folder.
pub(crate) fn folder(session: &Session<'_>, id: &str) -> CloudResult<Folder> {
    if id == ROOT_FOLDER {
        return Ok(Folder { id: ROOT_FOLDER.to_owned(), name: String::new(), parent_id: None });
    }
    let metadata = folder_metadata(session, id)?;
    let parent_id = find_parent(session, &metadata);
    convert_folder(metadata, parent_id)
}

/// Lists a folder. See [`Session::list_folder`]. Dropbox does not sort.
pub(crate) fn list_folder(
    session: &Session<'_>,
    id: &str,
    cursor: Option<&str>,
) -> CloudResult<Page> {
    let list: ListResult = match cursor {
        Some(cursor) => {
            let result = call(session, "files/list_folder/continue", &json!({"cursor": cursor}));
            // Dropbox sends a plain text for a cursor that it cannot read.
            result.map_err(|error| match error {
                CloudError::Rejected { status: 400, .. } => CloudError::CursorExpired,
                error => error,
            })?
        }
        None => {
            let path = if id == ROOT_FOLDER { "" } else { check_id(id)? };
            let argument = json!({"path": path, "limit": PAGE_ENTRIES});
            call(session, "files/list_folder", &argument)?
        }
    };
    if list.has_more && list.cursor.is_empty() {
        return Err(CloudError::Unreadable);
    }
    let entries = list.entries.into_iter().filter_map(convert_entry).collect();
    Ok(Page { entries, cursor: list.has_more.then_some(list.cursor) })
}

/// Creates a folder. See [`Session::create_folder`].
pub(crate) fn create_folder(
    session: &Session<'_>,
    parent_id: &str,
    name: &str,
) -> CloudResult<Folder> {
    check_name(name)?;
    // This route accepts paths only. Dropbox would create a parent folder that was deleted since.
    let parent_path = match parent_id {
        ROOT_FOLDER => String::new(),
        id => folder_metadata(session, id)?.into_path()?,
    };
    let argument = json!({"path": format!("{parent_path}/{name}"), "autorename": false});
    let result: WriteResult = call(session, "files/create_folder_v2", &argument)?;
    convert_folder(result.metadata, Some(parent_id.to_owned()))
}

/// Deletes a folder. See [`Session::delete_folder`].
pub(crate) fn delete_folder(session: &Session<'_>, id: &str) -> CloudResult<()> {
    if id == ROOT_FOLDER {
        return Err(CloudError::Forbidden);
    }
    folder_metadata(session, id)?;
    call::<WriteResult>(session, "files/delete_v2", &json!({"path": id})).map(drop)
}

/// Creates a file. See [`Session::create_file`].
pub(crate) fn create_file(
    session: &Session<'_>,
    folder_id: &str,
    name: &str,
    bytes: &[u8],
) -> CloudResult<StoredFile> {
    check_name(name)?;
    let folder = if folder_id == ROOT_FOLDER { "" } else { check_id(folder_id)? };
    // Without `strict_conflict`, Dropbox returns an existing file with the same content.
    let argument = json!({
        "path": format!("{folder}/{name}"),
        "mode": {".tag": "add"},
        "autorename": false,
        "strict_conflict": true,
    });
    match upload(session, argument, bytes) {
        Ok(metadata) => convert_file(metadata, Some(folder_id.to_owned())),
        // The errors of uploads do not tell a missing folder from a wrong path.
        Err(error @ (CloudError::NameConflict | CloudError::Rejected { status: 409, .. }))
            if folder_id != ROOT_FOLDER =>
        {
            folder_metadata(session, folder_id)?;
            Err(error)
        }
        Err(error) => Err(error),
    }
}

/// Replaces the content of a file. See [`Session::update_file`].
pub(crate) fn update_file(
    session: &Session<'_>,
    id: &str,
    bytes: &[u8],
    revision: Option<&str>,
) -> CloudResult<StoredFile> {
    let argument = match revision {
        Some(revision) if messages::is_revision(revision) => json!({
            "path": check_id(id)?,
            "mode": {".tag": "update", "update": revision},
            "autorename": false,
            // Otherwise a new file with the same content or a deleted file is no conflict.
            "strict_conflict": true,
        }),
        // Dropbox rejects a revision in another form as a wrong argument.
        Some(_) => {
            file_metadata(session, id)?;
            return Err(CloudError::RevisionConflict);
        }
        None => {
            // Dropbox may create a deleted file again.
            file_metadata(session, id)?;
            json!({"path": id, "mode": {".tag": "overwrite"}, "autorename": false})
        }
    };
    let metadata = match upload(session, argument, bytes) {
        Ok(metadata) => metadata,
        Err(error @ (CloudError::NameConflict | CloudError::Rejected { status: 409, .. })) => {
            explain_update(session, id, bytes, revision, error)?
        }
        Err(error) => return Err(error),
    };
    let folder_id = find_parent(session, &metadata);
    convert_file(metadata, folder_id)
}

/// Looks up why an update failed, because the errors of uploads do not tell a missing file or a folder
/// from a wrong path. Returns the metadata if the file has the given revision and content already, because
/// `strict_conflict` may also refuse that.
///
/// # Errors
/// `RevisionConflict` for another revision, those of [`file_metadata`], otherwise `error`.
fn explain_update(
    session: &Session<'_>,
    id: &str,
    bytes: &[u8],
    revision: Option<&str>,
    error: CloudError,
) -> CloudResult<Metadata> {
    let metadata = file_metadata(session, id)?;
    let has_content = metadata.content_hash.as_deref() == Some(&messages::content_hash(bytes));
    match error {
        CloudError::NameConflict if metadata.rev.as_deref() == revision && has_content => {
            Ok(metadata)
        }
        CloudError::NameConflict => Err(CloudError::RevisionConflict),
        error => Err(error),
    }
}

/// Returns a file. See [`Session::file`].
pub(crate) fn file(session: &Session<'_>, id: &str) -> CloudResult<StoredFile> {
    let metadata = file_metadata(session, id)?;
    let folder_id = find_parent(session, &metadata);
    convert_file(metadata, folder_id)
}

/// Returns a file with its content. See [`Session::read_file`].
pub(crate) fn read_file(
    session: &Session<'_>,
    id: &str,
    max_bytes: u64,
) -> CloudResult<(StoredFile, RemoteBody)> {
    let argument = json!({"path": check_id(id)?});
    let Some((metadata, bytes)) = download(session, "files/download", &argument, None, max_bytes)?
    else {
        return Err(CloudError::Unreadable);
    };
    let folder_id = find_parent(session, &metadata);
    Ok((convert_file(metadata, folder_id)?, bytes))
}

/// Renames a file. See [`Session::rename_file`]. Dropbox has no precondition for it, so that a change
/// between the check of the revision and the renaming is not noticed. It refuses a new name that differs
/// only in case.
pub(crate) fn rename_file(
    session: &Session<'_>,
    id: &str,
    name: &str,
    revision: Option<&str>,
) -> CloudResult<StoredFile> {
    check_name(name)?;
    let metadata = file_metadata(session, id)?;
    if revision.is_some() && metadata.rev.as_deref() != revision {
        return Err(CloudError::RevisionConflict);
    }
    let folder_id = find_parent(session, &metadata);
    if metadata.name == name {
        return convert_file(metadata, folder_id);
    }
    let path = metadata.into_path()?;
    let (parent, _) = path.rsplit_once('/').ok_or(CloudError::Unreadable)?;
    let argument =
        json!({"from_path": id, "to_path": format!("{parent}/{name}"), "autorename": false});
    let result: WriteResult = call(session, "files/move_v2", &argument)?;
    convert_file(result.metadata, folder_id)
}

/// Downloads a spreadsheet. See [`Session::fetch_source`]. Sheets of Google at Dropbox are exported.
pub(crate) fn fetch_source(
    session: &Session<'_>,
    id: &str,
    known: Option<&str>,
) -> CloudResult<Fetched> {
    match fetch(session, "files/download", &json!({"path": check_id(id)?}), known) {
        Err(error) if error == NO_DOWNLOAD => fetch_export(session, id, known),
        result => result,
    }
}

/// Downloads a document of another program as xlsx, unless its export has the hash `known`. The revision of
/// the file in Dropbox may stay the same when the other program changes its content.
///
/// # Errors
/// `WrongType` for a document without such an export, and those of [`requests::export`].
fn fetch_export(session: &Session<'_>, id: &str, known: Option<&str>) -> CloudResult<Fetched> {
    if !file_metadata(session, id)?.has_sheet_export() {
        return Err(NO_DOWNLOAD);
    }
    let (metadata, bytes) = requests::export(session, id, MAX_DOWNLOAD_BYTES)?;
    let revision = metadata.export_hash;
    Ok(new_source(bytes, revision, known))
}

/// Downloads the spreadsheet of a shared link. See [`Session::fetch_link`].
pub(crate) fn fetch_link(
    session: &Session<'_>,
    link: &str,
    known: Option<&str>,
) -> CloudResult<Fetched> {
    match find_own_path(link)? {
        Some(path) => fetch(session, "files/download", &json!({"path": path}), known),
        None => fetch(session, "sharing/get_shared_link_file", &json!({"url": link}), known),
    }
}

/// Returns the path of the file that its owner sees at this address, which is no shared link:
/// `/preview/Folder/a.csv`, `/home/Folder?preview=a.csv` or `/work/Folder?preview=a.csv`. None for
/// other addresses.
///
/// # Errors
/// [`NOT_A_FILE`] for the address of a folder, which has no `preview`.
fn find_own_path(link: &str) -> CloudResult<Option<String>> {
    let Ok(url) = Url::parse(link) else { return Ok(None) };
    let Ok(path) = percent_decode_str(url.path()).decode_utf8() else { return Ok(None) };
    if let Some(path) = path.strip_prefix("/preview/") {
        return Ok(Some(format!("/{path}")));
    }
    let folder = path.strip_prefix("/home").or(path.strip_prefix("/work"));
    let is_folder = |rest: &&str| rest.is_empty() || rest.starts_with('/');
    let Some(folder) = folder.filter(is_folder) else { return Ok(None) };
    let preview = url.query_pairs().find(|(name, _)| name == "preview");
    let (_, name) = preview.ok_or(NOT_A_FILE)?;
    Ok(Some(format!("{}/{name}", folder.trim_end_matches('/'))))
}

/// Downloads a source, unless it still has the revision `known`.
///
/// # Errors
/// Those of [`download`].
fn fetch(
    session: &Session<'_>,
    route: &str,
    argument: &Value,
    known: Option<&str>,
) -> CloudResult<Fetched> {
    let downloaded = download(session, route, argument, known, MAX_DOWNLOAD_BYTES)?;
    let Some((metadata, bytes)) = downloaded else { return Ok(Fetched::NotModified) };
    Ok(new_source(bytes, metadata.rev, known))
}

/// Returns a source with its revision, or `NotModified` if that is `known`.
fn new_source(bytes: RemoteBody, revision: Option<String>, known: Option<&str>) -> Fetched {
    if revision.is_some() && revision.as_deref() == known {
        return Fetched::NotModified;
    }
    Fetched::File(SourceFile {
        bytes,
        media_type: None,
        revision,
        sheet: None,
        renumbers_sheets: false,
        has_fixed_headers: false,
    })
}

/// Checks that a name is one segment of a path. Dropbox refuses the other names that it forbids.
fn check_name(name: &str) -> CloudResult<()> {
    if name.is_empty() || name == "." || name == ".." || name.contains('/') {
        return Err(CloudError::rejected(400, "path/malformed_path"));
    }
    Ok(())
}

/// Converts metadata to a folder. `Unreadable` without an id.
fn convert_folder(metadata: Metadata, parent_id: Option<String>) -> CloudResult<Folder> {
    let id = metadata.id.ok_or(CloudError::Unreadable)?;
    Ok(Folder { id, name: metadata.name, parent_id })
}

/// Converts metadata to a file. `Unreadable` if a required field is missing.
fn convert_file(metadata: Metadata, folder_id: Option<String>) -> CloudResult<StoredFile> {
    let (Some(id), Some(revision), Some(size)) = (metadata.id, metadata.rev, metadata.size) else {
        return Err(CloudError::Unreadable);
    };
    let (name, modified) = (metadata.name, metadata.server_modified);
    Ok(StoredFile { id, name, revision, size, modified, folder_id })
}

/// Converts metadata to an entry of a list. None for a deleted entry and for unknown types.
fn convert_entry(metadata: Metadata) -> Option<Entry> {
    let kind = match metadata.tag.as_deref()? {
        "file" => EntryKind::File,
        "folder" => EntryKind::Folder,
        _ => return None,
    };
    let is_file = kind == EntryKind::File;
    let has_table = metadata.is_downloadable && model::has_table_extension(&metadata.name);
    let is_spreadsheet = is_file && (has_table || metadata.has_sheet_export());
    Some(Entry {
        kind,
        id: metadata.id?,
        name: metadata.name,
        size: metadata.size.filter(|_| is_file),
        modified: metadata.server_modified,
        revision: metadata.rev.filter(|_| is_file),
        is_spreadsheet,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_of_the_owner_lead_to_files() {
        for (link, path) in [
            (
                "https://www.dropbox.com/preview/Reports/a%201.csv?role=work",
                Some("/Reports/a 1.csv"),
            ),
            ("https://www.dropbox.com/home/Reports?preview=a+1.csv", Some("/Reports/a 1.csv")),
            ("https://www.dropbox.com/work/Reports?preview=a.csv", Some("/Reports/a.csv")),
            ("https://www.dropbox.com/work?preview=a.csv", Some("/a.csv")),
            ("https://www.dropbox.com/workers?preview=a.csv", None),
            ("https://www.dropbox.com/s/abc/a.csv?preview=a.csv", None),
        ] {
            assert_eq!(find_own_path(link).unwrap().as_deref(), path, "{link}");
        }
        for link in
            ["https://www.dropbox.com/work/Reports", "https://www.dropbox.com/home?role=work"]
        {
            assert_eq!(find_own_path(link), Err(NOT_A_FILE), "{link}");
        }
    }
}
