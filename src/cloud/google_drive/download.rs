//! Downloads of contents and exports of native spreadsheets.

use chartroom_platform::crypto;
use chartroom_platform::remote::MAX_DOWNLOAD_BYTES;

use super::super::error::CloudError;
use super::super::error::CloudResult;
use super::super::error::NOT_A_FILE;
use super::super::model::Fetched;
use super::super::model::SourceFile;
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
) -> CloudResult<(Resolved, Vec<u8>)> {
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
) -> CloudResult<(Resolved, Vec<u8>)> {
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

/// Downloads a table, unless it still has the revision `known`. A native spreadsheet may change between
/// the request for its revision and the export. The next download finds another revision then.
///
/// # Errors
/// `WrongType` for files without a table, `TooLarge` beyond the limit of downloads or of exports.
pub(super) fn fetch(
    session: &Session<'_>,
    file: FileRef<'_>,
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
    if found.content.native_type() == Some(NativeType::Spreadsheet) {
        let bytes = export(session, found.content.as_ref())?;
        return Ok(source(bytes, Some(messages::XLSX), revision));
    }
    let (found, bytes) = read_found(session, file, found, MAX_DOWNLOAD_BYTES)?;
    let media_type = Some(found.content.media_type()).filter(|name| messages::is_table_type(name));
    let revision = found.content.revision();
    Ok(source(bytes, media_type, revision))
}

/// Returns a downloaded source.
fn source(bytes: Vec<u8>, media_type: Option<&str>, revision: Option<String>) -> Fetched {
    let media_type = media_type.map(str::to_owned);
    Fetched::File(SourceFile { bytes, media_type, revision, sheet: None, has_fixed_headers: false })
}

/// Exports a native spreadsheet.
///
/// # Errors
/// `TooLarge` beyond 10 MB, which is the limit of Google.
fn export(session: &Session<'_>, file: FileRef<'_>) -> CloudResult<Vec<u8>> {
    let segments = ["drive", "v3", "files", file.id, "export"];
    // Without `alt`, some versions of the API refuse the export.
    let parameters = [("mimeType", messages::XLSX), ("alt", "media")];
    let url = requests::api_url(session, &segments, &parameters);
    requests::get_content(session, &url, file, MAX_DOWNLOAD_BYTES)
}
