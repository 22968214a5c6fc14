//! Files that are attached to sheets.

use chartroom_platform::remote::MAX_DOWNLOAD_BYTES;
use chartroom_platform::remote::RemoteBody;

use super::delete;
use super::get;
use super::ids::Id;
use super::multipart;
use super::post;
use super::responses::Attachment;
use super::responses::NumberedPage;
use crate::error::CloudError;
use crate::error::CloudResult;
use crate::model;
use crate::model::Entry;
use crate::model::EntryKind;
use crate::model::Fetched;
use crate::model::Page;
use crate::model::SourceFile;
use crate::model::StoredFile;
use crate::session::Session;

/// Maximum size of an attachment in bytes.
const MAX_ATTACHMENT_BYTES: u64 = 30 << 20;
/// Number of entries that a page should have.
const PAGE_SIZE: u32 = 100;
/// Maximum number of pages in which to look for a name.
const MAX_PAGES: u64 = 100;

/// Lists the files that are attached to a sheet, its rows and its comments. Links are no files.
pub(super) fn list_attachments(
    session: &Session<'_>,
    sheet: u64,
    cursor: Option<&str>,
) -> CloudResult<Page> {
    let number = match cursor {
        None => 1,
        Some(cursor) => cursor.parse().map_err(|_| CloudError::CursorExpired)?,
    };
    let (files, next) = list_page(session, sheet, number)?;
    let entries = files.into_iter().map(|file| Entry {
        kind: EntryKind::File,
        id: Id::Attachment { sheet, attachment: file.id }.to_string(),
        size: Some(file.size_in_kb.saturating_mul(1024)),
        modified: file.created_at,
        revision: Some(file.id.to_string()),
        is_spreadsheet: model::has_table_extension(&file.name),
        name: file.name,
    });
    Ok(Page { entries: entries.collect(), cursor: next.map(|number| number.to_string()) })
}

/// Returns the files of a page of the list of attachments, and the number of the next page.
fn list_page(
    session: &Session<'_>,
    sheet: u64,
    number: u64,
) -> CloudResult<(Vec<Attachment>, Option<u64>)> {
    let path = format!("sheets/{sheet}/attachments?page={number}&pageSize={PAGE_SIZE}");
    let page: NumberedPage<Attachment> = get(session, &path)?;
    // A number that is too large gives the last page again.
    if page.page_number != number {
        return Ok((Vec::new(), None));
    }
    let is_file = |attachment: &Attachment| attachment.attachment_type == "FILE";
    let files = page.data.into_iter().filter(is_file).collect();
    Ok((files, (page.total_pages > number).then_some(number.saturating_add(1))))
}

/// Returns whether another file of a sheet than `except` has a name.
fn has_name(
    session: &Session<'_>,
    sheet: u64,
    name: &str,
    except: Option<u64>,
) -> CloudResult<bool> {
    let mut next = Some(1);
    while let Some(number) = next.filter(|number| *number <= MAX_PAGES) {
        let (files, following) = list_page(session, sheet, number)?;
        if files.iter().any(|file| file.name == name && Some(file.id) != except) {
            return Ok(true);
        }
        next = following;
    }
    Ok(false)
}

/// Returns the ids of a sheet and of a version of a file.
fn parse_file(id: &str) -> CloudResult<(u64, u64)> {
    match Id::parse(id)? {
        Id::Attachment { sheet, attachment } => Ok((sheet, attachment)),
        _ => Err(CloudError::WrongType("the id is that of a folder or sheet, not of a file")),
    }
}

/// Returns the versions of a file, the newest first, at least one, but only those of the first page.
fn list_versions(
    session: &Session<'_>,
    (sheet, attachment): (u64, u64),
) -> CloudResult<Vec<Attachment>> {
    let path = format!("sheets/{sheet}/attachments/{attachment}/versions?page=1&pageSize=10");
    let page: NumberedPage<Attachment> = get(session, &path)?;
    match page.data.is_empty() {
        true => Ok(vec![get(session, &format!("sheets/{sheet}/attachments/{attachment}"))?]),
        false => Ok(page.data),
    }
}

/// Returns the newest version of a file.
///
/// # Errors
/// `RevisionConflict` if it is not `revision`. `WrongType` for a link.
fn find_newest(
    session: &Session<'_>,
    ids: (u64, u64),
    revision: Option<&str>,
) -> CloudResult<Attachment> {
    let newest = list_versions(session, ids)?.into_iter().next().ok_or(CloudError::Unreadable)?;
    if newest.attachment_type != "FILE" {
        return Err(CloudError::WrongType("the attachment is a link, not a file"));
    }
    match revision {
        Some(revision) if revision != newest.id.to_string() => Err(CloudError::RevisionConflict),
        _ => Ok(newest),
    }
}

/// Returns a file. `attachment` is the id by which the caller knows it.
fn describe((sheet, attachment): (u64, u64), newest: &Attachment, size: u64) -> StoredFile {
    StoredFile {
        id: Id::Attachment { sheet, attachment }.to_string(),
        name: newest.name.clone(),
        revision: newest.id.to_string(),
        size,
        modified: newest.created_at.clone(),
        folder_id: Some(Id::Sheet(sheet).to_string()),
    }
}

/// Returns the number of bytes. `usize` has at most 64 bits.
fn size_of(bytes: &[u8]) -> u64 {
    u64::try_from(bytes.len()).unwrap_or(u64::MAX)
}

/// Uploads a file to a path below that of the sheet.
fn upload(session: &Session<'_>, path: &str, name: &str, bytes: &[u8]) -> CloudResult<Attachment> {
    if size_of(bytes) > MAX_ATTACHMENT_BYTES {
        return Err(CloudError::TooLarge);
    }
    let form = multipart::build(name, bytes);
    post(session, path, &form.content_type, &form.body)
}

/// Attaches a file to a sheet. Looks for the name first, because Smartsheet permits equal names.
pub(in super::super) fn create_file(
    session: &Session<'_>,
    folder_id: &str,
    name: &str,
    bytes: &[u8],
) -> CloudResult<StoredFile> {
    let Id::Sheet(sheet) = Id::parse(folder_id)? else {
        return Err(CloudError::WrongType("files are attachments of sheets; choose a sheet"));
    };
    if has_name(session, sheet, name, None)? {
        return Err(CloudError::NameConflict);
    }
    let added = upload(session, &format!("sheets/{sheet}/attachments"), name, bytes)?;
    Ok(describe((sheet, added.id), &added, size_of(bytes)))
}

/// Adds a version to a file. With `revision`, compares it with the newest version before the upload and
/// with the version below the new one after it. If they differ, it deletes the new version again.
pub(in super::super) fn update_file(
    session: &Session<'_>,
    id: &str,
    bytes: &[u8],
    revision: Option<&str>,
) -> CloudResult<StoredFile> {
    let (sheet, attachment) = parse_file(id)?;
    let newest = find_newest(session, (sheet, attachment), revision)?;
    let path = format!("sheets/{sheet}/attachments/{attachment}/versions");
    let added = upload(session, &path, &newest.name, bytes)?;
    if revision.is_some() {
        let versions = list_versions(session, (sheet, added.id))?;
        let mut below = versions.iter().skip_while(|version| version.id != added.id).skip(1);
        if below.next().is_some_and(|version| version.id != newest.id) {
            delete(session, &format!("sheets/{sheet}/attachments/{}", added.id))?;
            return Err(CloudError::RevisionConflict);
        }
    }
    Ok(describe((sheet, attachment), &added, size_of(bytes)))
}

/// Returns a file. Its size is that of Smartsheet, which is rounded to 1,024 bytes.
pub(in super::super) fn file(session: &Session<'_>, id: &str) -> CloudResult<StoredFile> {
    let ids = parse_file(id)?;
    let newest = find_newest(session, ids, None)?;
    Ok(describe(ids, &newest, newest.size_in_kb.saturating_mul(1024)))
}

/// Returns a file with its content.
pub(in super::super) fn read_file(
    session: &Session<'_>,
    id: &str,
    max_bytes: u64,
) -> CloudResult<(StoredFile, RemoteBody)> {
    let ids = parse_file(id)?;
    let newest = find_newest(session, ids, None)?;
    let bytes = download(session, ids.0, &newest, max_bytes)?;
    Ok((describe(ids, &newest, size_of(&bytes)), bytes))
}

/// Downloads a version of a file from its short-lived URL, which receives no token.
fn download(
    session: &Session<'_>,
    sheet: u64,
    version: &Attachment,
    max_bytes: u64,
) -> CloudResult<RemoteBody> {
    // The rounded size is less than 1,024 bytes larger than the real one.
    if version.size_in_kb.saturating_sub(1).saturating_mul(1024) > max_bytes {
        return Err(CloudError::TooLarge);
    }
    let path = format!("sheets/{sheet}/attachments/{}", version.id);
    let version: Attachment = get(session, &path)?;
    session.download(&version.url.ok_or(CloudError::Unreadable)?, max_bytes)
}

/// Attaches the content under the new name and deletes the old file, because Smartsheet cannot rename a
/// file. So the id changes, and the older versions are lost. The old file stays if it was changed
/// meanwhile.
pub(in super::super) fn rename_file(
    session: &Session<'_>,
    id: &str,
    name: &str,
    revision: Option<&str>,
) -> CloudResult<StoredFile> {
    let (sheet, attachment) = parse_file(id)?;
    let newest = find_newest(session, (sheet, attachment), revision)?;
    if newest.parent_type != "SHEET" {
        return Err(CloudError::WrongType("files of rows and comments cannot be renamed"));
    }
    if has_name(session, sheet, name, Some(newest.id))? {
        return Err(CloudError::NameConflict);
    }
    let bytes = download(session, sheet, &newest, MAX_ATTACHMENT_BYTES)?;
    if newest.name == name {
        return Ok(describe((sheet, attachment), &newest, size_of(&bytes)));
    }
    let added = upload(session, &format!("sheets/{sheet}/attachments"), name, &bytes)?;
    let path = format!("sheets/{sheet}/attachments/{}", newest.id);
    let current = find_newest(session, (sheet, newest.id), Some(&newest.id.to_string()));
    if let Err(error) = current {
        // After a failed deletion of the old file, the new one must stay: the old one may be deleted.
        delete(session, &format!("sheets/{sheet}/attachments/{}", added.id))?;
        return Err(error);
    }
    delete(session, &format!("{path}/versions"))?;
    Ok(describe((sheet, added.id), &added, size_of(&bytes)))
}

/// Downloads a file as a source of data.
pub(super) fn fetch_attachment(
    session: &Session<'_>,
    (sheet, attachment): (u64, u64),
    known: Option<&str>,
) -> CloudResult<Fetched> {
    let newest = find_newest(session, (sheet, attachment), None)?;
    let revision = newest.id.to_string();
    if known == Some(revision.as_str()) {
        return Ok(Fetched::NotModified);
    }
    Ok(Fetched::File(SourceFile {
        bytes: download(session, sheet, &newest, MAX_DOWNLOAD_BYTES)?,
        media_type: None,
        revision: Some(revision),
        sheet: None,
        renumbers_sheets: false,
        has_fixed_headers: false,
    }))
}
