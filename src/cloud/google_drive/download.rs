//! Downloads of contents and exports of native spreadsheets.

use chartroom_platform::crypto;
use chartroom_platform::remote::MAX_DOWNLOAD_BYTES;
use chartroom_platform::remote::RemoteBody;
use chartroom_platform::remote::RemoteResponse;

use super::super::error::CloudError;
use super::super::error::CloudResult;
use super::super::error::NOT_A_FILE;
use super::super::model::Fetched;
use super::super::model::SourceFile;
use super::super::session::ApiRequest;
use super::super::session::Session;
use super::file_ref::FileRef;
use super::messages;
use super::messages::DriveFile;
use super::messages::NativeType;
use super::requests;
use super::requests::Resolved;

/// Maximum number of attempts to get a content of the same revision as the metadata.
const MAX_ATTEMPTS: usize = 3;

/// Message for native documents other than spreadsheets.
pub(super) const NOT_A_TABLE: CloudError =
    CloudError::WrongType("this Google document is no spreadsheet");

/// Returns a file with its content. The content has the checksum of the metadata, so that both are of the
/// same revision. Without a checksum, the revision is the same before and after the download.
///
/// # Errors
/// `TooLarge` beyond `max_bytes`, `WrongType` for files without content, `Unreadable` if the content is
/// another one at each attempt.
pub(super) fn read(
    session: &Session<'_>,
    file: FileRef<'_>,
    max_bytes: u64,
) -> CloudResult<(Resolved, RemoteBody)> {
    let found = requests::resolve(session, file)?;
    read_found(session, file, found, max_bytes)
}

/// Returns a file with its content as [`read`]. `found` is the result of [`requests::resolve`].
///
/// # Errors
/// As for [`read`].
fn read_found(
    session: &Session<'_>,
    file: FileRef<'_>,
    mut found: Resolved,
    max_bytes: u64,
) -> CloudResult<(Resolved, RemoteBody)> {
    for _ in 0..MAX_ATTEMPTS {
        check_content(&found.content, max_bytes)?;
        let content = found.content.as_ref();
        let segments = ["drive", "v3", "files", content.id];
        let parameters = [("alt", "media"), ("supportsAllDrives", "true")];
        let url = requests::api_url(session, &segments, &parameters);
        let bytes = requests::get_content(session, &url, content, max_bytes)?;
        let checksum = found.content.sha256_checksum.as_deref();
        if checksum.is_some_and(|checksum| has_checksum(&bytes, checksum)) {
            return Ok((found, bytes));
        }
        let newer = requests::resolve(session, file)?;
        if checksum.is_none() && newer.content.revision() == found.content.revision() {
            return Ok((found, bytes));
        }
        found = newer;
    }
    Err(CloudError::Unreadable)
}

/// Checks that a file has a content within the limit.
///
/// # Errors
/// `WrongType` for a folder or a native document, `TooLarge` above the limit.
fn check_content(file: &DriveFile, max_bytes: u64) -> CloudResult<()> {
    match file.native_type() {
        Some(NativeType::Folder) => Err(NOT_A_FILE),
        Some(NativeType::Spreadsheet | NativeType::Other) => {
            Err(CloudError::WrongType("this Google document has no content to download"))
        }
        None if file.bytes().is_some_and(|bytes| bytes > max_bytes) => Err(CloudError::TooLarge),
        None => Ok(()),
    }
}

/// Returns whether the SHA-256 of a content is the given one in hexadecimal digits.
fn has_checksum(bytes: &[u8], checksum: &str) -> bool {
    crypto::to_hex(&crypto::sha256(bytes)).eq_ignore_ascii_case(checksum)
}

/// Downloads a table, unless it still has the revision `known`: the worksheet with the id `gid`, or the whole
/// file. A native spreadsheet may change between the request for its revision and the export. The next
/// download finds another revision then.
///
/// # Errors
/// `WrongType` for files without a table, `TooLarge` beyond the limit of downloads, `NotFound` also without
/// the worksheet.
pub(super) fn fetch(
    session: &Session<'_>,
    file: FileRef<'_>,
    gid: Option<&str>,
    known: Option<&str>,
) -> CloudResult<Fetched> {
    let found = requests::resolve(session, file)?;
    let revision = found.content.revision();
    match found.content.native_type() {
        Some(NativeType::Folder) => return Err(NOT_A_FILE),
        Some(NativeType::Other) => return Err(NOT_A_TABLE),
        Some(NativeType::Spreadsheet) | None => {}
    }
    if known.is_some() && known == revision.as_deref() {
        return Ok(Fetched::NotModified);
    }
    if let Some(gid) = gid {
        // The ids of worksheets exist only in the editors, which open Excel files too.
        let bytes =
            export_by_link(session, found.content.as_ref(), &[("format", "csv"), ("gid", gid)])?;
        return Ok(Fetched::File(source(bytes, Some("text/csv"), revision)));
    }
    if found.content.native_type() == Some(NativeType::Spreadsheet) {
        let bytes = export(session, found.content.as_ref())?;
        let file = source(bytes, Some(messages::XLSX), revision);
        return Ok(Fetched::File(SourceFile { renumbers_sheets: true, ..file }));
    }
    let (found, bytes) = read_found(session, file, found, MAX_DOWNLOAD_BYTES)?;
    let media_type = Some(found.content.media_type()).filter(|name| messages::is_table_type(name));
    let revision = found.content.revision();
    Ok(Fetched::File(source(bytes, media_type, revision)))
}

/// Returns a downloaded source.
fn source(bytes: RemoteBody, media_type: Option<&str>, revision: Option<String>) -> SourceFile {
    let media_type = media_type.map(str::to_owned);
    SourceFile {
        bytes,
        media_type,
        revision,
        renumbers_sheets: false,
        sheet: None,
        has_fixed_headers: false,
    }
}

/// Exports a native spreadsheet. The API exports at most 10 MB, the editors more.
///
/// # Errors
/// `TooLarge` beyond the limit of downloads.
fn export(session: &Session<'_>, file: FileRef<'_>) -> CloudResult<RemoteBody> {
    let segments = ["drive", "v3", "files", file.id, "export"];
    // Without `alt`, some versions of the API refuse the export.
    let parameters = [("mimeType", messages::XLSX), ("alt", "media")];
    let url = requests::api_url(session, &segments, &parameters);
    match requests::get_content(session, &url, file, MAX_DOWNLOAD_BYTES) {
        Err(CloudError::TooLarge) => export_by_link(session, file, &[("format", "xlsx")]),
        result => result,
    }
}

/// Exports a spreadsheet with the editors, as the links of people do. They redirect to another host, which gets
/// no token.
///
/// # Errors
/// `NotFound` without the worksheet, `TooLarge` beyond the limit of downloads.
fn export_by_link(
    session: &Session<'_>,
    file: FileRef<'_>,
    parameters: &[(&str, &str)],
) -> CloudResult<RemoteBody> {
    let base = &session.settings.link_url;
    let mut parameters = parameters.to_vec();
    parameters.extend(file.key.map(|key| ("resourcekey", key)));
    let url = requests::build_url(base, &["spreadsheets", "d", file.id, "export"], &parameters);
    let request = ApiRequest {
        follow_redirects: true,
        max_bytes: MAX_DOWNLOAD_BYTES,
        ..ApiRequest::get(&url)
    };
    let response = session.send(&request, classify_link)?;
    match response.status {
        200 => Ok(response.body),
        _ => Err(CloudError::Unreadable),
    }
}

/// Converts an error of the editors, which is a web page.
fn classify_link(response: &RemoteResponse) -> CloudError {
    match response.status {
        // The editors respond with 400 without the worksheet.
        400 | 404 | 410 => CloudError::NotFound,
        401 => CloudError::Unauthorized,
        403 => CloudError::Forbidden,
        429 | 503 => CloudError::Busy { retry_after: response.retry_after() },
        status => CloudError::rejected(status, ""),
    }
}
