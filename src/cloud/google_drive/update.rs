//! Uploads of contents.

use chartroom_platform::remote::RemoteMethod;
use serde_json::Value;

use super::super::boundary::find_boundary;
use super::super::error::CloudError;
use super::super::error::CloudResult;
use super::super::error::NOT_A_FILE;
use super::super::model::StoredFile;
use super::super::session;
use super::super::session::Session;
use super::file_ref::FileRef;
use super::messages;
use super::messages::DriveFile;
use super::messages::LegacyFile;
use super::messages::NativeType;
use super::requests;

/// Fields of version 2 that [`LegacyFile`] has.
const LEGACY_FIELDS: &str = "id,title,etag,mimeType,fileSize,modifiedDate,version,headRevisionId,\
    parents(id),labels(trashed),resourceKey,\
    shortcutDetails(targetId,targetMimeType,targetResourceKey)";

/// Maximum number of attempts to update a file. The entity tag changes also with the metadata, for example
/// with the time of the last view, so that a conflict of it is often none of the content.
const MAX_ATTEMPTS: usize = 3;

/// Creates a file with metadata and content in one request.
///
/// # Errors
/// Those of [`messages::classify_creation`].
pub(super) fn upload(
    session: &Session<'_>,
    metadata: &Value,
    (media_type, bytes): (&str, &[u8]),
    parent: FileRef<'_>,
) -> CloudResult<DriveFile> {
    let metadata = metadata.to_string();
    let boundary = find_boundary(&[metadata.as_bytes(), bytes]);
    let mut body = Vec::with_capacity(bytes.len().saturating_add(metadata.len() + 400));
    let head = format!(
        "--{boundary}\r\nContent-Type: application/json; charset=UTF-8\r\n\r\n{metadata}\r\n\
         --{boundary}\r\nContent-Type: {media_type}\r\n\r\n"
    );
    body.extend_from_slice(head.as_bytes());
    body.extend_from_slice(bytes);
    body.extend_from_slice(format!("\r\n--{boundary}--\r\n").as_bytes());
    let parameters = [
        ("uploadType", "multipart"),
        ("fields", requests::FILE_FIELDS),
        ("supportsAllDrives", "true"),
    ];
    let url = requests::content_url(session, &["upload", "drive", "v3", "files"], &parameters);
    let content_type = format!("multipart/related; boundary={boundary}");
    let response = requests::send_body(
        session,
        (RemoteMethod::Post, &url),
        (&content_type, &body),
        &[],
        parent,
        messages::classify_creation,
    )?;
    session::parse_json(&response)
}

/// Replaces the content of a file or of the target of a shortcut.
///
/// # Errors
/// `RevisionConflict` if the file has another revision than the given one. `WrongType` for a folder and for
/// native documents, which an upload would replace with another format.
pub(super) fn replace_content(
    session: &Session<'_>,
    id: &str,
    bytes: &[u8],
    revision: Option<&str>,
) -> CloudResult<StoredFile> {
    let (own, tag) = find_legacy(session, FileRef::new(id))?;
    let target = own.target()?;
    let file = target.unwrap_or(own.as_ref());
    let mut found = match target {
        Some(target) => find_legacy(session, target)?,
        None => (own.clone(), tag),
    };
    for attempt in 0..MAX_ATTEMPTS {
        if attempt > 0 {
            found = find_legacy(session, file)?;
        }
        let tag = check_replaceable(&found, revision)?;
        match put_content(session, file, bytes, (&found.0, tag)) {
            Err(CloudError::RevisionConflict) => {}
            result => {
                let content = result?;
                let own = if target.is_some() { &own } else { &content };
                return super::stored_file(own, &content);
            }
        }
    }
    Err(CloudError::RevisionConflict)
}

/// Checks that the content of a file can be replaced. Returns the entity tag for the condition. None
/// without `revision`.
///
/// # Errors
/// As for [`replace_content`]. `Unreadable` without a usable entity tag.
fn check_replaceable<'a>(
    (file, tag): &'a (DriveFile, Option<String>),
    revision: Option<&str>,
) -> CloudResult<Option<&'a str>> {
    // A shortcut cannot have a shortcut as its target.
    if file.target()?.is_some() {
        return Err(CloudError::NotFound);
    }
    match file.native_type() {
        None => {}
        Some(NativeType::Folder) => return Err(NOT_A_FILE),
        Some(_) => return Err(CloudError::WrongType("this file has no content to replace")),
    }
    let Some(revision) = revision else { return Ok(None) };
    if file.revision().as_deref() != Some(revision) {
        return Err(CloudError::RevisionConflict);
    }
    // Without a condition, the upload could overwrite another change.
    let is_usable =
        |tag: &&str| !tag.is_empty() && tag.bytes().all(|byte| (b' '..=b'~').contains(&byte));
    tag.as_deref().filter(is_usable).map(Some).ok_or(CloudError::Unreadable)
}

/// Returns a file of version 2 with its entity tag.
///
/// # Errors
/// `NotFound` for a file in the trash, and those of [`requests::get_json`].
fn find_legacy(
    session: &Session<'_>,
    file: FileRef<'_>,
) -> CloudResult<(DriveFile, Option<String>)> {
    requests::check_id(file.id)?;
    let parameters = [("fields", LEGACY_FIELDS), ("supportsAllDrives", "true")];
    let url = requests::api_url(session, &["drive", "v2", "files", file.id], &parameters);
    let mut found: LegacyFile = requests::get_json(session, &url, Some(file))?;
    let tag = found.etag.take();
    let mut found = found.into_file();
    found.set_key(file.key);
    match (found.trashed, found.id.is_empty()) {
        (true, _) => Err(CloudError::NotFound),
        (_, true) => Err(CloudError::Unreadable),
        _ => Ok((found, tag)),
    }
}

/// Uploads the content of a file, with an entity tag only if the file still has it.
///
/// # Errors
/// `RevisionConflict` for another entity tag, and those of [`messages::classify`].
fn put_content(
    session: &Session<'_>,
    file: FileRef<'_>,
    bytes: &[u8],
    (known, tag): (&DriveFile, Option<&str>),
) -> CloudResult<DriveFile> {
    let parameters =
        [("uploadType", "media"), ("fields", LEGACY_FIELDS), ("supportsAllDrives", "true")];
    let segments = ["upload", "drive", "v2", "files", file.id];
    let url = requests::content_url(session, &segments, &parameters);
    let headers: Vec<_> = tag.iter().map(|tag| ("If-Match", *tag)).collect();
    let response = requests::send_body(
        session,
        (RemoteMethod::Put, &url),
        (messages::media_type_of(&known.name), bytes),
        &headers,
        file,
        messages::classify,
    )?;
    let file: LegacyFile = session::parse_json(&response)?;
    Ok(file.into_file())
}
