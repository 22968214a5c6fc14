//! Requests to Dropbox, and the look-up of metadata.

use chartroom_platform::remote::RemoteBody;
use chartroom_platform::remote::RemoteMethod;
use chartroom_platform::remote::RemoteResponse;
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::json;

use super::messages;
use super::messages::ExportMetadata;
use super::messages::ExportResult;
use super::messages::Metadata;
use crate::error::CloudError;
use crate::error::CloudResult;
use crate::error::NOT_A_FILE;
use crate::error::NOT_A_FOLDER;
use crate::model::ROOT_FOLDER;
use crate::session;
use crate::session::ApiRequest;
use crate::session::Session;

/// Maximum size of an upload in bytes. Larger files need an upload session.
const MAX_UPLOAD_BYTES: usize = 150 << 20;
/// Minimum limit for the response to a download in bytes, so that an error fits into it.
const MIN_CONTENT_BYTES: u64 = 64 << 10;
/// Maximum size of an id in bytes.
const MAX_ID_BYTES: usize = 255;

/// Sends an argument to a route of the API host.
///
/// # Errors
/// Those of [`messages::classify`] and of [`Session::send`]. `Unreadable` for a response in another form.
pub(super) fn call<T: DeserializeOwned>(
    session: &Session<'_>,
    route: &str,
    argument: &Value,
) -> CloudResult<T> {
    let url = format!("{}/2/{route}", session.settings.api_url);
    let body = argument.to_string();
    let request = ApiRequest {
        headers: &[("Content-Type", "application/json")],
        body: Some(body.as_bytes()),
        ..ApiRequest::new(RemoteMethod::Post, &url)
    };
    session::parse_json(&session.send(&request, messages::classify)?)
}

/// Sends an argument to a route of the content host. The response may have `max_bytes` bytes.
///
/// # Errors
/// Those of [`messages::classify`] and of [`Session::send`].
fn send_content(
    session: &Session<'_>,
    route: &str,
    headers: &[(&str, &str)],
    body: Option<&[u8]>,
    max_bytes: u64,
) -> CloudResult<RemoteResponse> {
    let url = format!("{}/2/{route}", session.settings.content_url);
    let request =
        ApiRequest { headers, body, max_bytes, ..ApiRequest::new(RemoteMethod::Post, &url) };
    session.send(&request, messages::classify)
}

/// Uploads a file with the other arguments of the route. Dropbox compares its content with a hash.
///
/// # Errors
/// `TooLarge` beyond the limit of this route, and those of [`send_content`].
pub(super) fn upload(
    session: &Session<'_>,
    mut argument: Value,
    bytes: &[u8],
) -> CloudResult<Metadata> {
    if bytes.len() > MAX_UPLOAD_BYTES {
        return Err(CloudError::TooLarge);
    }
    argument["content_hash"] = messages::content_hash(bytes).into();
    let argument = messages::encode_header(&argument);
    let headers =
        [("Dropbox-API-Arg", argument.as_str()), ("Content-Type", "application/octet-stream")];
    let response =
        send_content(session, "files/upload", &headers, Some(bytes), session::MAX_API_BYTES)?;
    session::parse_json(&response)
}

/// Downloads a file with its metadata. None if it has the revision `known`.
///
/// # Errors
/// `TooLarge` beyond `max_bytes`, `Unreadable` for an incomplete response, and those of [`send_content`].
pub(super) fn download(
    session: &Session<'_>,
    route: &str,
    argument: &Value,
    known: Option<&str>,
    max_bytes: u64,
) -> CloudResult<Option<(Metadata, RemoteBody)>> {
    // The entity tag of a file is its revision.
    let tag = known.filter(|known| messages::is_revision(known)).map(|rev| format!("W/\"{rev}\""));
    let response = send_download(session, route, argument, tag.as_deref(), max_bytes)?;
    if response.status == 304 && tag.is_some() {
        return Ok(None);
    }
    let metadata: Metadata = parse_result(&response)?;
    let bytes = check_content(response, metadata.size, max_bytes)?;
    Ok(Some((metadata, bytes)))
}

/// Downloads a document of another program as xlsx.
///
/// # Errors
/// Those of [`download`].
pub(super) fn export(
    session: &Session<'_>,
    id: &str,
    max_bytes: u64,
) -> CloudResult<(ExportMetadata, RemoteBody)> {
    let argument = json!({"path": check_id(id)?, "export_format": "xlsx"});
    let response = send_download(session, "files/export", &argument, None, max_bytes)?;
    let metadata = parse_result::<ExportResult>(&response)?.export_metadata;
    let bytes = check_content(response, Some(metadata.size), max_bytes)?;
    Ok((metadata, bytes))
}

/// Sends a request for a content of at most `max_bytes` bytes that has not the entity tag `tag`.
///
/// # Errors
/// Those of [`send_content`].
fn send_download(
    session: &Session<'_>,
    route: &str,
    argument: &Value,
    tag: Option<&str>,
    max_bytes: u64,
) -> CloudResult<RemoteResponse> {
    let argument = messages::encode_header(argument);
    let mut headers = vec![("Dropbox-API-Arg", argument.as_str())];
    if let Some(tag) = tag {
        headers.push(("If-None-Match", tag));
    }
    send_content(session, route, &headers, None, max_bytes.max(MIN_CONTENT_BYTES))
}

/// Parses the result in the header of a download.
///
/// # Errors
/// `Unreadable` without the header or for a result in another form.
fn parse_result<T: DeserializeOwned>(response: &RemoteResponse) -> CloudResult<T> {
    let text = response.header("dropbox-api-result").ok_or(CloudError::Unreadable)?;
    serde_json::from_str(text).map_err(|_| CloudError::Unreadable)
}

/// Returns the content of a download, which must have the size of its metadata.
///
/// # Errors
/// `TooLarge` beyond `max_bytes`, `Unreadable` for another size or status.
fn check_content(
    response: RemoteResponse,
    size: Option<u64>,
    max_bytes: u64,
) -> CloudResult<RemoteBody> {
    let length = u64::try_from(response.body.len()).unwrap_or(u64::MAX);
    if length > max_bytes {
        return Err(CloudError::TooLarge);
    }
    if response.status != 200 || size != Some(length) {
        return Err(CloudError::Unreadable);
    }
    Ok(response.body)
}

/// Returns the metadata of a file or folder by its id or its path.
///
/// # Errors
/// `NotFound` also for a path that Dropbox does not accept, and those of [`call`].
fn metadata(session: &Session<'_>, path: &str) -> CloudResult<Metadata> {
    let result = call(session, "files/get_metadata", &json!({"path": path}));
    result.map_err(|error| match error {
        CloudError::Rejected { status: 409, code } if code == "path/malformed_path" => {
            CloudError::NotFound
        }
        error => error,
    })
}

/// Returns the metadata of a file.
///
/// # Errors
/// `WrongType` for a folder, and those of [`metadata`].
pub(super) fn file_metadata(session: &Session<'_>, id: &str) -> CloudResult<Metadata> {
    if id == ROOT_FOLDER {
        return Err(NOT_A_FILE);
    }
    let metadata = metadata(session, check_id(id)?)?;
    match metadata.tag.as_deref() {
        Some("file") => Ok(metadata),
        Some("folder") => Err(NOT_A_FILE),
        _ => Err(CloudError::Unreadable),
    }
}

/// Returns the metadata of a folder other than the root.
///
/// # Errors
/// `WrongType` for a file, and those of [`metadata`].
pub(super) fn folder_metadata(session: &Session<'_>, id: &str) -> CloudResult<Metadata> {
    let metadata = metadata(session, check_id(id)?)?;
    match metadata.tag.as_deref() {
        Some("folder") => Ok(metadata),
        Some("file") => Err(NOT_A_FOLDER),
        _ => Err(CloudError::Unreadable),
    }
}

/// Looks up the id of the folder that contains a file or folder. Returns None for objects that are not in
/// the tree of the account, and if the lookup fails, because the main request has succeeded.
pub(super) fn find_parent(session: &Session<'_>, child: &Metadata) -> Option<String> {
    let (parent, _) = child.path_lower.as_deref()?.rsplit_once('/')?;
    match parent {
        "" => Some(ROOT_FOLDER.to_owned()),
        path => metadata(session, path).ok()?.id,
    }
}

/// Returns the id, or `NotFound` for a text that is no id of Dropbox. A path, a revision or a path below
/// an id could name an object that the caller did not check.
pub(super) fn check_id(id: &str) -> CloudResult<&str> {
    let is_id = |id: &str| {
        id.len() <= MAX_ID_BYTES
            && id.strip_prefix("id:").is_some_and(|rest| !rest.is_empty() && !rest.contains('/'))
    };
    if is_id(id) { Ok(id) } else { Err(CloudError::NotFound) }
}
