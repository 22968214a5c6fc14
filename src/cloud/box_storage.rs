//! The client of Box.
//!
//! The revision of a file is its `etag`, which also changes when the file is renamed or moved. Files and
//! folders have separate ids, so that the id of one is unknown as the id of the other.

use chartroom_platform::remote::MAX_DOWNLOAD_BYTES;
use chartroom_platform::remote::RemoteBody;
use chartroom_platform::remote::RemoteMethod;
use chartroom_platform::remote::RemoteResponse;
use percent_encoding::AsciiSet;
use percent_encoding::NON_ALPHANUMERIC;
use percent_encoding::percent_decode_str;
use percent_encoding::utf8_percent_encode;
use serde::Deserialize;
use serde_json::Number;
use serde_json::json;

use super::boundary::find_boundary;
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
use super::session;
use super::session::ApiRequest;
use super::session::Session;

/// Characters of a parameter that stay as they are.
const PLAIN: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.');
/// Fields of a file or folder that this module reads.
const FIELDS: &str = "id,type,name,size,modified_at,etag,parent";
/// Maximum number of entries of a page.
const PAGE_ENTRIES: u32 = 500;
/// Id of the root folder at Box.
const ROOT_ID: &str = "0";
/// Maximum number of further attempts for a file that Box is still storing, or that changes meanwhile.
const MAX_REPETITIONS: u32 = 3;
/// Name of the header with a shared link.
const LINK_HEADER: &str = "BoxApi";
/// Name of the password of a shared link and its equals sign, in the header and in links of users.
const LINK_PASSWORD: &str = "shared_link_password=";

/// The form of an account.
#[derive(Deserialize)]
struct User {
    id: String,
    login: String,
}

/// The form of a file or folder.
#[derive(Deserialize)]
struct Item {
    id: String,
    #[serde(rename = "type")]
    kind: String,
    name: String,
    /// Bytes. Box writes large sizes of folders with an exponent.
    #[serde(default)]
    size: Option<Number>,
    #[serde(default)]
    modified_at: Option<String>,
    #[serde(default)]
    etag: Option<String>,
    #[serde(default)]
    parent: Option<Parent>,
}

/// The form of the folder around a file or folder.
#[derive(Deserialize)]
struct Parent {
    id: String,
}

/// The form of a list: a part of a folder, or the result of an upload.
#[derive(Deserialize)]
struct Items {
    entries: Vec<Item>,
    #[serde(default)]
    next_marker: Option<String>,
}

/// The form of an error.
#[derive(Deserialize)]
struct BoxError {
    #[serde(default)]
    code: Option<String>,
}

impl Item {
    /// Returns the id of the folder around it.
    fn parent_id(&self) -> Option<String> {
        self.parent.as_ref().map(|parent| match parent.id.as_str() {
            ROOT_ID => ROOT_FOLDER.to_owned(),
            id => id.to_owned(),
        })
    }

    /// Converts a file. `WrongType` for another type, `Unreadable` without a revision.
    fn into_file(self) -> CloudResult<StoredFile> {
        if self.kind != "file" {
            return Err(NOT_A_FILE);
        }
        let folder_id = self.parent_id();
        let size = self.size.as_ref().and_then(Number::as_u64);
        let (Some(revision), Some(size)) = (self.etag, size) else {
            return Err(CloudError::Unreadable);
        };
        let (id, name, modified) = (self.id, self.name, self.modified_at);
        Ok(StoredFile { id, name, revision, size, modified, folder_id })
    }

    /// Converts an entry of a list. None for other types, such as links to web pages.
    fn into_entry(self) -> Option<Entry> {
        let kind = match self.kind.as_str() {
            "file" => EntryKind::File,
            "folder" => EntryKind::Folder,
            _ => return None,
        };
        let is_file = kind == EntryKind::File;
        Some(Entry {
            kind,
            is_spreadsheet: is_file && model::has_table_extension(&self.name),
            id: self.id,
            name: self.name,
            size: self.size.as_ref().and_then(Number::as_u64).filter(|_| is_file),
            modified: self.modified_at,
            revision: self.etag.filter(|_| is_file),
        })
    }
}

/// Returns the URL of a folder.
fn folder_url(session: &Session<'_>, id: &str) -> CloudResult<String> {
    let id = if id == ROOT_FOLDER { ROOT_ID } else { check_id(id)? };
    Ok(format!("{}/2.0/folders/{id}", session.settings.api_url))
}

/// Returns the URL of a file.
fn file_url(session: &Session<'_>, id: &str) -> CloudResult<String> {
    Ok(format!("{}/2.0/files/{}", session.settings.api_url, check_id(id)?))
}

/// Returns the id, or `NotFound` for a text that is no id of Box: a number.
fn check_id(id: &str) -> CloudResult<&str> {
    let is_id = (1..=32).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_digit());
    if is_id { Ok(id) } else { Err(CloudError::NotFound) }
}

/// Returns the account. See [`Session::account`].
pub(crate) fn account(session: &Session<'_>) -> CloudResult<Account> {
    let url = format!("{}/2.0/users/me?fields=id,login", session.settings.api_url);
    let user: User = session::parse_json(&session.send(&ApiRequest::get(&url), classify)?)?;
    Ok(Account { key: user.id, address: user.login })
}

/// Returns a folder. See [`Session::folder`].
pub(crate) fn folder(session: &Session<'_>, id: &str) -> CloudResult<Folder> {
    let url = format!("{}?fields={FIELDS}", folder_url(session, id)?);
    let item: Item = session::parse_json(&session.send(&ApiRequest::get(&url), classify)?)?;
    if item.id == ROOT_ID {
        return Ok(Folder { id: ROOT_FOLDER.to_owned(), name: String::new(), parent_id: None });
    }
    let parent_id = item.parent_id();
    Ok(Folder { id: item.id, name: item.name, parent_id })
}

/// Lists a folder. See [`Session::list_folder`]. The cursor is the marker of the next page.
pub(crate) fn list_folder(
    session: &Session<'_>,
    id: &str,
    cursor: Option<&str>,
) -> CloudResult<Page> {
    let folder = folder_url(session, id)?;
    let mut url = format!("{folder}/items?usemarker=true&limit={PAGE_ENTRIES}&fields={FIELDS}");
    if let Some(marker) = cursor {
        url.push_str("&marker=");
        url.extend(utf8_percent_encode(marker, PLAIN));
    }
    let response = session.send(&ApiRequest::get(&url), classify).map_err(|error| match error {
        CloudError::Rejected { status: 400, .. } if cursor.is_some() => CloudError::CursorExpired,
        error => error,
    })?;
    let items: Items = session::parse_json(&response)?;
    let entries = items.entries.into_iter().filter_map(Item::into_entry).collect();
    Ok(Page { entries, cursor: items.next_marker.filter(|marker| !marker.is_empty()) })
}

/// Creates a folder. See [`Session::create_folder`].
pub(crate) fn create_folder(
    session: &Session<'_>,
    parent_id: &str,
    name: &str,
) -> CloudResult<Folder> {
    let parent = if parent_id == ROOT_FOLDER { ROOT_ID } else { check_id(parent_id)? };
    let url = format!("{}/2.0/folders?fields={FIELDS}", session.settings.api_url);
    let body = json!({ "name": name, "parent": { "id": parent } }).to_string();
    let request = ApiRequest {
        headers: &[("Content-Type", "application/json")],
        body: Some(body.as_bytes()),
        ..ApiRequest::new(RemoteMethod::Post, &url)
    };
    let item: Item = session::parse_json(&session.send(&request, classify)?)?;
    Ok(Folder { id: item.id, name: item.name, parent_id: Some(parent_id.to_owned()) })
}

/// Deletes a folder. See [`Session::delete_folder`].
pub(crate) fn delete_folder(session: &Session<'_>, id: &str) -> CloudResult<()> {
    if id == ROOT_FOLDER || id == ROOT_ID {
        return Err(CloudError::Forbidden);
    }
    let url = format!("{}?recursive=true", folder_url(session, id)?);
    session.send(&ApiRequest::new(RemoteMethod::Delete, &url), classify).map(drop)
}

/// Creates a file. See [`Session::create_file`].
pub(crate) fn create_file(
    session: &Session<'_>,
    folder_id: &str,
    name: &str,
    bytes: &[u8],
) -> CloudResult<StoredFile> {
    let parent = if folder_id == ROOT_FOLDER { ROOT_ID } else { check_id(folder_id)? };
    let attributes = json!({ "name": name, "parent": { "id": parent } }).to_string();
    let url = format!("{}/api/2.0/files/content?fields={FIELDS}", session.settings.content_url);
    upload(session, &url, &attributes, bytes, None)
}

/// Replaces the content of a file. See [`Session::update_file`].
pub(crate) fn update_file(
    session: &Session<'_>,
    id: &str,
    bytes: &[u8],
    revision: Option<&str>,
) -> CloudResult<StoredFile> {
    // An upload without a name would take that of the part.
    let current = file(session, id)?;
    let attributes = json!({ "name": current.name }).to_string();
    let content_url = &session.settings.content_url;
    let url = format!("{content_url}/api/2.0/files/{}/content?fields={FIELDS}", check_id(id)?);
    upload(session, &url, &attributes, bytes, revision)
}

/// Sends a file with its attributes, which must come first.
fn upload(
    session: &Session<'_>,
    url: &str,
    attributes: &str,
    bytes: &[u8],
    revision: Option<&str>,
) -> CloudResult<StoredFile> {
    let boundary = find_boundary(&[attributes.as_bytes(), bytes]);
    let head = format!(
        "--{boundary}\r\nContent-Disposition: form-data; name=\"attributes\"\r\n\r\n{attributes}\r\n\
         --{boundary}\r\nContent-Disposition: form-data; name=\"file\"; filename=\"file\"\r\n\
         Content-Type: application/octet-stream\r\n\r\n"
    );
    let end = format!("\r\n--{boundary}--\r\n");
    let body = [head.as_bytes(), bytes, end.as_bytes()].concat();
    let content_type = format!("multipart/form-data; boundary={boundary}");
    let mut headers = vec![("Content-Type", content_type.as_str())];
    headers.extend(precondition(revision)?);
    let request = ApiRequest {
        headers: &headers,
        body: Some(&body),
        ..ApiRequest::new(RemoteMethod::Post, url)
    };
    let items: Items = session::parse_json(&session.send(&request, classify)?)?;
    items.entries.into_iter().next().ok_or(CloudError::Unreadable)?.into_file()
}

/// Returns the header that demands a revision.
///
/// # Errors
/// `RevisionConflict` for a text that is no revision of Box: a number.
fn precondition(revision: Option<&str>) -> CloudResult<Option<(&str, &str)>> {
    let is_revision = |text: &str| {
        (1..=20).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
    };
    match revision {
        None => Ok(None),
        Some(revision) if is_revision(revision) => Ok(Some(("If-Match", revision))),
        Some(_) => Err(CloudError::RevisionConflict),
    }
}

/// Returns a file. See [`Session::file`].
pub(crate) fn file(session: &Session<'_>, id: &str) -> CloudResult<StoredFile> {
    let url = format!("{}?fields={FIELDS}", file_url(session, id)?);
    let item: Item = session::parse_json(&session.send(&ApiRequest::get(&url), classify)?)?;
    item.into_file()
}

/// Returns a file with its content. See [`Session::read_file`]. The file is read again after the download,
/// so that both are of the same revision.
pub(crate) fn read_file(
    session: &Session<'_>,
    id: &str,
    max_bytes: u64,
) -> CloudResult<(StoredFile, RemoteBody)> {
    let mut known = file(session, id)?;
    for _ in 0..=MAX_REPETITIONS {
        if known.size > max_bytes {
            return Err(CloudError::TooLarge);
        }
        let bytes = download(session, id, &[], max_bytes)?;
        let current = file(session, id)?;
        let is_whole = u64::try_from(bytes.len()).is_ok_and(|length| length == current.size);
        if current.revision == known.revision && is_whole {
            return Ok((current, bytes));
        }
        known = current;
    }
    Err(CloudError::RevisionConflict)
}

/// Downloads the content of a file. Box redirects to another host, which must not receive the token, or says
/// that it is still storing the file.
fn download(
    session: &Session<'_>,
    id: &str,
    headers: &[(&str, &str)],
    max_bytes: u64,
) -> CloudResult<RemoteBody> {
    let url = format!("{}/content", file_url(session, id)?);
    for attempt in 0..=MAX_REPETITIONS {
        let request = ApiRequest { headers, max_bytes, ..ApiRequest::get(&url) };
        let response = session.send(&request, classify)?;
        match response.status {
            200 => return Ok(response.body),
            202 => {}
            _ => {
                let location = response.header("location").ok_or(CloudError::Unreadable)?;
                return session.download(location, max_bytes);
            }
        }
        let retry_after = response.retry_after();
        if attempt == MAX_REPETITIONS || !session.wait_for_repetition(retry_after) {
            return Err(CloudError::Busy { retry_after });
        }
    }
    Err(CloudError::Busy { retry_after: None })
}

/// Renames a file. See [`Session::rename_file`].
pub(crate) fn rename_file(
    session: &Session<'_>,
    id: &str,
    name: &str,
    revision: Option<&str>,
) -> CloudResult<StoredFile> {
    let url = format!("{}?fields={FIELDS}", file_url(session, id)?);
    let body = json!({ "name": name }).to_string();
    let mut headers = vec![("Content-Type", "application/json")];
    headers.extend(precondition(revision)?);
    let request = ApiRequest {
        headers: &headers,
        body: Some(body.as_bytes()),
        ..ApiRequest::new(RemoteMethod::Put, &url)
    };
    let item: Item = session::parse_json(&session.send(&request, classify)?)?;
    item.into_file()
}

/// Downloads a spreadsheet of the account. See [`Session::fetch_source`].
pub(crate) fn fetch_source(
    session: &Session<'_>,
    id: &str,
    known: Option<&str>,
) -> CloudResult<Fetched> {
    fetch(session, file(session, id)?, &[], known)
}

/// Downloads the spreadsheet of a shared link. See [`Session::fetch_link`]. The link may have a password:
/// `#shared_link_password=…`, percent-encoded. It may also be the address at which the account sees its file,
/// `/file/{id}`.
pub(crate) fn fetch_link(
    session: &Session<'_>,
    link: &str,
    known: Option<&str>,
) -> CloudResult<Fetched> {
    let is_visible = |byte: u8| byte.is_ascii_graphic() && byte != b'&';
    let plain = link.split(['?', '#']).next().unwrap_or_default();
    if !plain.bytes().all(is_visible) {
        return Err(CloudError::NotFound);
    }
    if let Some((_, id)) = plain.split_once(".box.com/file/") {
        return fetch_source(session, id.trim_end_matches('/'), known);
    }
    let password = find_password(link)?.map(|password| format!("&{LINK_PASSWORD}{password}"));
    let value = format!("shared_link={plain}{}", password.unwrap_or_default());
    let headers = [(LINK_HEADER, value.as_str())];
    let url = format!("{}/2.0/shared_items?fields={FIELDS}", session.settings.api_url);
    let request = ApiRequest { headers: &headers, ..ApiRequest::get(&url) };
    let item: Item = session::parse_json(&session.send(&request, classify)?)?;
    if item.kind != "file" {
        return Err(CloudError::WrongType("the link leads to a folder, not to a file"));
    }
    fetch(session, item.into_file()?, &headers, known)
}

/// Returns the password of a shared link. It is in the fragment, which no request contains.
///
/// # Errors
/// `WrongLinkPassword` for characters that the header cannot contain.
fn find_password(link: &str) -> CloudResult<Option<String>> {
    let fragment = link.split_once('#').map(|(_, fragment)| fragment);
    let Some(encoded) = fragment.and_then(|text| text.strip_prefix(LINK_PASSWORD)) else {
        return Ok(None);
    };
    let password = percent_decode_str(encoded).decode_utf8_lossy();
    match password.bytes().all(|byte| byte.is_ascii_graphic() || byte == b' ') {
        true => Ok(Some(password.into_owned())),
        false => Err(CloudError::WrongLinkPassword),
    }
}

/// Downloads a file unless it has the revision `known`. The content may be newer than its revision, so that
/// the next download repeats it.
fn fetch(
    session: &Session<'_>,
    file: StoredFile,
    headers: &[(&str, &str)],
    known: Option<&str>,
) -> CloudResult<Fetched> {
    if known == Some(&file.revision) {
        return Ok(Fetched::NotModified);
    }
    if file.size > MAX_DOWNLOAD_BYTES {
        return Err(CloudError::TooLarge);
    }
    let bytes = download(session, &file.id, headers, MAX_DOWNLOAD_BYTES)?;
    Ok(Fetched::File(SourceFile {
        bytes,
        media_type: None,
        revision: Some(file.revision),
        sheet: None,
        renumbers_sheets: false,
        has_fixed_headers: false,
    }))
}

/// Converts an error of Box.
fn classify(response: &RemoteResponse) -> CloudError {
    let error: Option<BoxError> = serde_json::from_slice(&response.body).ok();
    let code = error.and_then(|error| error.code).unwrap_or_default();
    match (response.status, code.as_str()) {
        (401, _) => CloudError::Unauthorized,
        (403, "insufficient_scope") => CloudError::MissingScope,
        (403, "storage_limit_exceeded") => CloudError::Full,
        (403, "access_denied_item_locked") | (423, _) => CloudError::Locked,
        (403, "incorrect_shared_item_password") => CloudError::WrongLinkPassword,
        (403, _) => CloudError::Forbidden,
        (404, _) => CloudError::NotFound,
        (409, "item_name_in_use") => CloudError::NameConflict,
        (409, "operation_blocked_temporary") | (429 | 503, _) => {
            CloudError::Busy { retry_after: response.retry_after() }
        }
        (412, _) => CloudError::RevisionConflict,
        (413, _) => CloudError::TooLarge,
        (status, code) => CloudError::rejected(status, code),
    }
}
