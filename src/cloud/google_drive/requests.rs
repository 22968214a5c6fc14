//! Requests for the metadata of files.

use chartroom_platform::remote::RemoteBody;
use chartroom_platform::remote::RemoteMethod;
use chartroom_platform::remote::RemoteResponse;
use form_urlencoded::Serializer;
use percent_encoding::NON_ALPHANUMERIC;
use percent_encoding::utf8_percent_encode;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::super::error::CloudError;
use super::super::error::CloudResult;
use super::super::session;
use super::super::session::ApiRequest;
use super::super::session::Session;
use super::file_ref::FileRef;
use super::messages;
use super::messages::DriveFile;

/// Fields of version 3 that [`DriveFile`] has.
pub(super) const FILE_FIELDS: &str = "id,name,mimeType,size,modifiedTime,version,headRevisionId,\
    parents,trashed,resourceKey,sha256Checksum,\
    shortcutDetails(targetId,targetMimeType,targetResourceKey)";

/// Header with the keys of files that are shared by a link.
const RESOURCE_KEYS: &str = "X-Goog-Drive-Resource-Keys";

/// Maximum length of an id in bytes. Those of Google have less than 100.
const MAX_ID_BYTES: usize = 512;

/// A file and the file with its content, which are different for a shortcut.
pub(super) struct Resolved {
    /// The file of the request.
    pub(super) own: DriveFile,
    /// The target of the shortcut, or the same file.
    pub(super) content: DriveFile,
}

/// Checks that an id can be that of a file, so that it does not lead to another path.
///
/// # Errors
/// `NotFound` for other texts.
pub(super) fn check_id(id: &str) -> CloudResult<()> {
    let is_dots = id.bytes().all(|byte| byte == b'.');
    match is_dots || id.len() > MAX_ID_BYTES {
        true => Err(CloudError::NotFound),
        false => Ok(()),
    }
}

/// Returns the URL of a path at the API host.
pub(super) fn api_url(
    session: &Session<'_>,
    segments: &[&str],
    parameters: &[(&str, &str)],
) -> String {
    build_url(&session.settings.api_url, segments, parameters)
}

/// Returns the URL of a path at the host for contents.
pub(super) fn content_url(
    session: &Session<'_>,
    segments: &[&str],
    parameters: &[(&str, &str)],
) -> String {
    build_url(&session.settings.content_url, segments, parameters)
}

/// Returns the URL of a path with parameters.
pub(super) fn build_url(base: &str, segments: &[&str], parameters: &[(&str, &str)]) -> String {
    let mut url = base.to_owned();
    for segment in segments {
        url.push('/');
        url.extend(utf8_percent_encode(segment, NON_ALPHANUMERIC));
    }
    let query = Serializer::new(String::new()).extend_pairs(parameters).finish();
    format!("{url}?{query}")
}

/// Escapes a text within the quotes of a query.
pub(super) fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace('\'', "\\'")
}

/// Sends a GET request and parses the response. The resource key of `file` is sent with it.
///
/// # Errors
/// Those of [`messages::classify`], `Unreadable` for a response in another form.
pub(super) fn get_json<T: DeserializeOwned>(
    session: &Session<'_>,
    url: &str,
    file: Option<FileRef<'_>>,
) -> CloudResult<T> {
    let key = file.and_then(|file| file.header());
    let headers: Vec<_> = key.iter().map(|key| (RESOURCE_KEYS, key.as_str())).collect();
    let request = ApiRequest { headers: &headers, ..ApiRequest::get(url) };
    session::parse_json(&session.send(&request, messages::classify)?)
}

/// Downloads a content. Follows redirects, without the token at other hosts.
///
/// # Errors
/// Those of [`messages::classify`], `Unreadable` for a status other than 200.
pub(super) fn get_content(
    session: &Session<'_>,
    url: &str,
    file: FileRef<'_>,
    max_bytes: u64,
) -> CloudResult<RemoteBody> {
    let key = file.header();
    let headers: Vec<_> = key.iter().map(|key| (RESOURCE_KEYS, key.as_str())).collect();
    let request =
        ApiRequest { headers: &headers, follow_redirects: true, max_bytes, ..ApiRequest::get(url) };
    let response = session.send(&request, messages::classify)?;
    match response.status {
        200 => Ok(response.body),
        _ => Err(CloudError::Unreadable),
    }
}

/// Sends a request with a body.
///
/// # Errors
/// Those of `classify`.
pub(super) fn send_body(
    session: &Session<'_>,
    (method, url): (RemoteMethod, &str),
    (media_type, body): (&str, &[u8]),
    further: &[(&str, &str)],
    file: FileRef<'_>,
    classify: fn(&RemoteResponse) -> CloudError,
) -> CloudResult<RemoteResponse> {
    let key = file.header();
    let mut headers = vec![("Content-Type", media_type)];
    headers.extend(further);
    headers.extend(key.iter().map(|key| (RESOURCE_KEYS, key.as_str())));
    let request =
        ApiRequest { headers: &headers, body: Some(body), ..ApiRequest::new(method, url) };
    session.send(&request, classify)
}

/// Returns a file or shortcut that is not in the trash.
///
/// # Errors
/// `NotFound` for a file in the trash, and those of [`get_json`].
pub(super) fn find(session: &Session<'_>, file: FileRef<'_>) -> CloudResult<DriveFile> {
    check_id(file.id)?;
    let parameters = [("fields", FILE_FIELDS), ("supportsAllDrives", "true")];
    let url = api_url(session, &["drive", "v3", "files", file.id], &parameters);
    let mut found: DriveFile = get_json(session, &url, Some(file))?;
    found.set_key(file.key);
    match (found.trashed, found.id.is_empty()) {
        (true, _) => Err(CloudError::NotFound),
        (_, true) => Err(CloudError::Unreadable),
        _ => Ok(found),
    }
}

/// Returns a file, and the target if it is a shortcut. A shortcut cannot have a shortcut as its target.
///
/// # Errors
/// As for [`find`].
pub(super) fn resolve(session: &Session<'_>, file: FileRef<'_>) -> CloudResult<Resolved> {
    let own = find(session, file)?;
    let content = match own.target()? {
        Some(target) => find(session, target)?,
        None => return Ok(Resolved { content: own.clone(), own }),
    };
    match content.target()? {
        Some(_) => Err(CloudError::NotFound),
        None => Ok(Resolved { own, content }),
    }
}

/// Creates an entry without content.
///
/// # Errors
/// Those of [`messages::classify_creation`].
pub(super) fn create(
    session: &Session<'_>,
    metadata: &Value,
    parent: FileRef<'_>,
) -> CloudResult<DriveFile> {
    let parameters = [("fields", FILE_FIELDS), ("supportsAllDrives", "true")];
    let url = api_url(session, &["drive", "v3", "files"], &parameters);
    let body = metadata.to_string();
    let response = send_body(
        session,
        (RemoteMethod::Post, &url),
        ("application/json; charset=UTF-8", body.as_bytes()),
        &[],
        parent,
        messages::classify_creation,
    )?;
    let file: DriveFile = session::parse_json(&response)?;
    if file.id.is_empty() { Err(CloudError::Unreadable) } else { Ok(file) }
}

/// Changes metadata of a file.
///
/// # Errors
/// Those of [`messages::classify`].
pub(super) fn patch(
    session: &Session<'_>,
    file: &DriveFile,
    metadata: &Value,
) -> CloudResult<DriveFile> {
    let parameters = [("fields", FILE_FIELDS), ("supportsAllDrives", "true")];
    let url = api_url(session, &["drive", "v3", "files", &file.id], &parameters);
    let body = metadata.to_string();
    let response = send_body(
        session,
        (RemoteMethod::Patch, &url),
        ("application/json; charset=UTF-8", body.as_bytes()),
        &[],
        file.as_ref(),
        messages::classify,
    )?;
    session::parse_json(&response)
}
