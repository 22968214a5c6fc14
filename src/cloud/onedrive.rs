//! OneDrive and SharePoint with Microsoft Graph v1.0.
//!
//! Ids of items are unique only within a drive, so that ids in this API are `{drive id}/{item id}`.
//! The revision is the `cTag`, which changes with the content. The `eTag` also changes without a visible
//! reason, because SharePoint touches items after uploads. But only the `eTag` can be a precondition.

mod item;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chartroom_platform::remote::MAX_DOWNLOAD_BYTES;
use chartroom_platform::remote::RemoteBody;
use chartroom_platform::remote::RemoteMethod;
use chartroom_platform::remote::RemoteResponse;
use percent_encoding::AsciiSet;
use percent_encoding::NON_ALPHANUMERIC;
use percent_encoding::utf8_percent_encode;
use serde::Deserialize;
use serde_json::Value;
use serde_json::json;

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
use super::model::SourceFile;
use super::model::StoredFile;
use super::session::ApiRequest;
use super::session::MAX_API_BYTES;
use super::session::Session;
use super::session::parse_json;
use item::Item;
use item::SELECT;

/// Characters to encode in segments of paths: all that RFC 3986 does not call unreserved.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Number of entries of a page that this client wants.
const PAGE_ENTRIES: u32 = 200;

/// Number of repetitions of a change if the file got another `eTag`, but still has the `cTag`. Also the
/// number of repetitions of a download if the file changed meanwhile.
const MAX_REPETITIONS: usize = 3;

/// Maximum number of nested errors that [`classify`] reads.
const MAX_NESTED_ERRORS: usize = 8;

/// Header that lets an account use a shared link which it has never opened.
const REDEEM: (&str, &str) = ("Prefer", "redeemSharingLinkIfNecessary");

/// The form of `/me`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Me {
    id: String,
    /// Null for most personal accounts.
    mail: Option<String>,
    user_principal_name: Option<String>,
}

/// The form of a page of a folder.
#[derive(Deserialize)]
struct Children {
    value: Vec<Item>,
    #[serde(rename = "@odata.nextLink")]
    next_link: Option<String>,
}

/// See [`Session::account`].
pub(crate) fn account(session: &Session<'_>) -> CloudResult<Account> {
    let url = format!("{}/me?$select=id,mail,userPrincipalName", base_url(session));
    let me: Me = parse_json(&session.send(&ApiRequest::get(&url), classify)?)?;
    let address = me.mail.filter(|mail| !mail.is_empty()).or(me.user_principal_name);
    Ok(Account { key: me.id, address: address.unwrap_or_default() })
}

/// See [`Session::folder`].
pub(crate) fn folder(session: &Session<'_>, id: &str) -> CloudResult<Folder> {
    let item = read_item(session, id)?;
    require_kind(&item, EntryKind::Folder)?;
    let root = || Folder { id: ROOT_FOLDER.to_owned(), name: String::new(), parent_id: None };
    if id == ROOT_FOLDER {
        return Ok(root());
    }
    let own_id = item.full_id()?;
    let mut parent_id = item.parent_id();
    if item.is_root() || item.is_in_root() {
        let root_id = read_item(session, ROOT_FOLDER)?.full_id()?;
        if own_id == root_id {
            return Ok(root());
        }
        if parent_id.as_ref() == Some(&root_id) {
            parent_id = Some(ROOT_FOLDER.to_owned());
        }
    }
    Ok(Folder { id: own_id, name: item.name.unwrap_or_default(), parent_id })
}

/// See [`Session::list_folder`]. The cursor is the URL of the next page.
pub(crate) fn list_folder(
    session: &Session<'_>,
    id: &str,
    cursor: Option<&str>,
) -> CloudResult<Page> {
    let url = match cursor {
        Some(cursor) => cursor.to_owned(),
        None => {
            let folder = item_url(session, id)?;
            format!("{folder}/children?$top={PAGE_ENTRIES}&$select={SELECT}")
        }
    };
    let response = session.send(&ApiRequest::get(&url), classify).map_err(|error| match error {
        // Graph made the URL itself, so that only its token can be wrong.
        CloudError::Rejected { status: 400, .. } if cursor.is_some() => CloudError::CursorExpired,
        error => error,
    })?;
    let children: Children = parse_json(&response)?;
    let entries: Vec<Entry> = children.value.into_iter().filter_map(Item::into_entry).collect();
    Ok(Page { entries, cursor: children.next_link })
}

/// See [`Session::create_folder`].
pub(crate) fn create_folder(
    session: &Session<'_>,
    parent_id: &str,
    name: &str,
) -> CloudResult<Folder> {
    let url = format!("{}/children", item_url(session, parent_id)?);
    let body = json!({
        "name": clean_name(name),
        "folder": {},
        "@microsoft.graph.conflictBehavior": "fail",
    });
    let body = body.to_string();
    let request = ApiRequest {
        headers: &[("Content-Type", "application/json")],
        body: Some(body.as_bytes()),
        ..ApiRequest::new(RemoteMethod::Post, &url)
    };
    let item: Item = parse_json(&session.send(&request, classify)?)?;
    let id = item.full_id()?;
    Ok(Folder { id, name: item.name.unwrap_or_default(), parent_id: Some(parent_id.to_owned()) })
}

/// See [`Session::delete_folder`]. The root folder cannot be deleted.
pub(crate) fn delete_folder(session: &Session<'_>, id: &str) -> CloudResult<()> {
    let item = read_item(session, id)?;
    require_kind(&item, EntryKind::Folder)?;
    if id == ROOT_FOLDER || item.is_root() {
        return Err(CloudError::Forbidden);
    }
    let url = item_url(session, id)?;
    session.send(&ApiRequest::new(RemoteMethod::Delete, &url), classify).map(drop)
}

/// See [`Session::create_file`].
pub(crate) fn create_file(
    session: &Session<'_>,
    folder_id: &str,
    name: &str,
    bytes: &[u8],
) -> CloudResult<StoredFile> {
    let folder = item_url(session, folder_id)?;
    let name = clean_name(name);
    let name = utf8_percent_encode(&name, ENCODED);
    let url = format!("{folder}:/{name}:/content?@microsoft.graph.conflictBehavior=fail");
    let request = ApiRequest {
        headers: &[("Content-Type", "application/octet-stream")],
        body: Some(bytes),
        ..ApiRequest::new(RemoteMethod::Put, &url)
    };
    let item: Item = parse_json(&session.send(&request, classify)?)?;
    Ok(StoredFile { folder_id: Some(folder_id.to_owned()), ..item.into_file()? })
}

/// See [`Session::update_file`].
pub(crate) fn update_file(
    session: &Session<'_>,
    id: &str,
    bytes: &[u8],
    revision: Option<&str>,
) -> CloudResult<StoredFile> {
    let url = format!("{}/content", item_url(session, id)?);
    let request = ApiRequest { body: Some(bytes), ..ApiRequest::new(RemoteMethod::Put, &url) };
    change_file(session, id, &request, "application/octet-stream", revision)
}

/// See [`Session::file`].
pub(crate) fn file(session: &Session<'_>, id: &str) -> CloudResult<StoredFile> {
    read_item(session, id)?.into_file()
}

/// See [`Session::read_file`]. Graph cannot download a revision, so that the file is read again after the
/// download.
pub(crate) fn read_file(
    session: &Session<'_>,
    id: &str,
    max_bytes: u64,
) -> CloudResult<(StoredFile, RemoteBody)> {
    let url = format!("{}/content", item_url(session, id)?);
    let mut known = file(session, id)?;
    for _ in 0..=MAX_REPETITIONS {
        if known.size > max_bytes {
            return Err(CloudError::TooLarge);
        }
        let bytes = download_content(session, &url, &[], max_bytes)?;
        let current = file(session, id)?;
        if current.revision == known.revision {
            return Ok((current, bytes));
        }
        known = current;
    }
    Err(CloudError::RevisionConflict)
}

/// See [`Session::rename_file`].
pub(crate) fn rename_file(
    session: &Session<'_>,
    id: &str,
    name: &str,
    revision: Option<&str>,
) -> CloudResult<StoredFile> {
    let url = item_url(session, id)?;
    let body = json!({"name": clean_name(name)}).to_string();
    let request =
        ApiRequest { body: Some(body.as_bytes()), ..ApiRequest::new(RemoteMethod::Patch, &url) };
    change_file(session, id, &request, "application/json", revision)
}

/// See [`Session::fetch_source`].
pub(crate) fn fetch_source(
    session: &Session<'_>,
    id: &str,
    known: Option<&str>,
) -> CloudResult<Fetched> {
    fetch(session, &item_url(session, id)?, &[], known)
}

/// See [`Session::fetch_link`]. The access to the target may last only for one request, so that each
/// request names the link.
pub(crate) fn fetch_link(
    session: &Session<'_>,
    link: &str,
    known: Option<&str>,
) -> CloudResult<Fetched> {
    let link = link.split('#').next().unwrap_or_default();
    let share = URL_SAFE_NO_PAD.encode(link);
    let url = format!("{}/shares/u!{share}/driveItem", base_url(session));
    fetch(session, &url, &[REDEEM], known)
}

/// Downloads the file with the URL of its item. The content may be newer than its revision, so that the
/// next download finds another revision and repeats it.
fn fetch(
    session: &Session<'_>,
    item_url: &str,
    headers: &[(&str, &str)],
    known: Option<&str>,
) -> CloudResult<Fetched> {
    let url = format!("{item_url}?$select={SELECT}");
    let request = ApiRequest { headers, ..ApiRequest::get(&url) };
    let item: Item = parse_json(&session.send(&request, classify)?)?;
    let file = item.into_file()?;
    if known == Some(&file.revision) {
        return Ok(Fetched::NotModified);
    }
    if file.size > MAX_DOWNLOAD_BYTES {
        return Err(CloudError::TooLarge);
    }
    let url = format!("{item_url}/content");
    let bytes = download_content(session, &url, headers, MAX_DOWNLOAD_BYTES)?;
    Ok(Fetched::File(SourceFile {
        bytes,
        // Graph derives the type from the name, so that the reader knows it better.
        media_type: None,
        revision: Some(file.revision),
        sheet: None,
        renumbers_sheets: false,
        has_fixed_headers: false,
    }))
}

/// Downloads a content. Graph redirects to a URL with own credentials at another host, which must not
/// receive the token.
fn download_content(
    session: &Session<'_>,
    url: &str,
    headers: &[(&str, &str)],
    max_bytes: u64,
) -> CloudResult<RemoteBody> {
    let request = ApiRequest { headers, max_bytes, ..ApiRequest::get(url) };
    let response = session.send(&request, classify)?;
    if response.status == 200 {
        return Ok(response.body);
    }
    let location = response.header("location").ok_or(CloudError::Unreadable)?;
    session.download(location, max_bytes)
}

/// Sends a change of a file, with the precondition that the file has `revision` if there is one. `request`
/// needs no headers.
fn change_file(
    session: &Session<'_>,
    id: &str,
    request: &ApiRequest<'_>,
    content_type: &str,
    revision: Option<&str>,
) -> CloudResult<StoredFile> {
    for _ in 0..=MAX_REPETITIONS {
        let item = read_item(session, id)?;
        require_kind(&item, EntryKind::File)?;
        let mut headers = vec![("Content-Type", content_type)];
        if let Some(revision) = revision {
            if item.c_tag.as_deref() != Some(revision) {
                return Err(CloudError::RevisionConflict);
            }
            let e_tag = item.e_tag.as_deref().ok_or(CloudError::Unreadable)?;
            headers.push(("If-Match", e_tag));
        }
        let request = ApiRequest { headers: &headers, ..request.clone() };
        match session.send(&request, classify) {
            Ok(response) => return parse_json::<Item>(&response)?.into_file(),
            Err(CloudError::RevisionConflict) => {}
            Err(error) => return Err(error),
        }
    }
    Err(CloudError::RevisionConflict)
}

/// Reads an item.
fn read_item(session: &Session<'_>, id: &str) -> CloudResult<Item> {
    let url = format!("{}?$select={SELECT}", item_url(session, id)?);
    let request = ApiRequest { max_bytes: MAX_API_BYTES, ..ApiRequest::get(&url) };
    parse_json(&session.send(&request, classify)?)
}

/// Returns `WrongType` for an item of another type.
fn require_kind(item: &Item, kind: EntryKind) -> CloudResult<()> {
    match kind {
        _ if item.kind() == Some(kind) => Ok(()),
        EntryKind::Folder => Err(NOT_A_FOLDER),
        EntryKind::File => Err(NOT_A_FILE),
    }
}

/// Returns the URL of the API.
fn base_url(session: &Session<'_>) -> String {
    format!("{}/v1.0", session.settings.api_url)
}

/// Returns the URL of an item. `NotFound` for a text that cannot be an id.
fn item_url(session: &Session<'_>, id: &str) -> CloudResult<String> {
    let base = base_url(session);
    if id == ROOT_FOLDER {
        return Ok(format!("{base}/me/drive/root"));
    }
    let (drive, item) = id.split_once('/').ok_or(CloudError::NotFound)?;
    // A segment of dots would name another resource.
    if [drive, item].iter().any(|part| matches!(*part, "" | "." | "..")) {
        return Err(CloudError::NotFound);
    }
    let encode = |text| utf8_percent_encode(text, ENCODED);
    Ok(format!("{base}/drives/{}/items/{}", encode(drive), encode(item)))
}

/// Returns the name with `_` in place of the characters that OneDrive and SharePoint refuse.
fn clean_name(name: &str) -> String {
    let is_refused = |character: char| character.is_control() || "\"*:<>?/\\|".contains(character);
    let mut name: String =
        name.trim().chars().map(|char| if is_refused(char) { '_' } else { char }).collect();
    if name.is_empty() || name.ends_with('.') {
        name.pop();
        name.push('_');
    }
    name
}

/// Converts an error of Graph. The most specific code that this function knows decides, which is the
/// innermost one.
fn classify(response: &RemoteResponse) -> CloudError {
    let status = response.status;
    match status {
        401 => return CloudError::Unauthorized,
        412 => return CloudError::RevisionConflict,
        423 => return CloudError::Locked,
        429 | 503 | 509 => return CloudError::Busy { retry_after: response.retry_after() },
        507 => return CloudError::Full,
        _ => {}
    }
    let body: Value = serde_json::from_slice(&response.body).unwrap_or_default();
    let codes = read_codes(&body);
    if let Some(error) = codes.iter().rev().find_map(|code| classify_code(code)) {
        return error;
    }
    match status {
        403 => CloudError::Forbidden,
        404 => CloudError::NotFound,
        410 => CloudError::CursorExpired,
        413 => CloudError::TooLarge,
        _ => CloudError::rejected(status, codes.first().copied().unwrap_or_default()),
    }
}

/// Returns the codes of an error from the outermost to the innermost one.
fn read_codes(body: &Value) -> Vec<&str> {
    let mut codes = Vec::new();
    let mut error = body.get("error");
    while let Some(current) = error.filter(|_| codes.len() < MAX_NESTED_ERRORS) {
        let Some(code) = current.get("code").and_then(Value::as_str) else { break };
        codes.push(code);
        error = current.get("innerError").or_else(|| current.get("innererror"));
    }
    codes
}

/// Returns the error for a code. None for a code that says less than the status.
fn classify_code(code: &str) -> Option<CloudError> {
    Some(match code {
        "InvalidAuthenticationToken" | "unauthenticated" => CloudError::Unauthorized,
        "Authorization_RequestDenied" => CloudError::MissingScope,
        "accessDenied" | "malwareDetected" | "virusSuspicious" => CloudError::Forbidden,
        "itemNotFound" | "invalidResourceId" => CloudError::NotFound,
        "nameAlreadyExists" => CloudError::NameConflict,
        "resourceModified" => CloudError::RevisionConflict,
        "resyncRequired" => CloudError::CursorExpired,
        "resourceLocked" | "resourceCheckedOut" => CloudError::Locked,
        "quotaLimitReached" | "insufficientStorage" => CloudError::Full,
        "activityLimitReached" | "serviceNotAvailable" => CloudError::Busy { retry_after: None },
        _ => return None,
    })
}
