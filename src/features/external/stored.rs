//! Reading and writing documents at a provider.

use std::time::Duration;

use chartroom_cloud::CloudError;
use chartroom_cloud::Entry;
use chartroom_cloud::EntryKind;
use chartroom_cloud::Session;
use chartroom_cloud::StoredFile;

use super::file_names;
use super::place::Place;
use super::shown_files;
use crate::app::App;
use crate::features::cloud;
use crate::features::cloud::CloudFailure;
use crate::features::documents::DocumentFile;
use chartroom_platform::error::CloudProblem;
use chartroom_platform::error::CloudProblemKind;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::http::idempotency;
use chartroom_platform::memory_budget::Reservation;
use chartroom_platform::memory_budget::ReserveError;
use chartroom_platform::time::Timestamp;

/// Kind of object of a missing document.
const DOCUMENT: &str = "document";
/// Number of names that a new document tries.
const MAX_NAMES: u32 = 20;
/// Maximum number of pages of a folder in which a repeated request looks for its file.
const MAX_PAGES: usize = 10;
/// Maximum age of a file that a repeated request can have created. An hour more than responses are
/// stored, because the clock of the provider may differ.
const MAX_MARK_AGE: Duration = idempotency::RETENTION.saturating_add(Duration::from_hours(1));
/// Memory for the work with a file, as a multiple of its size: the response of the provider, the parsed file,
/// and the new text.
const MEMORY_FACTOR: u64 = 3;
/// Size of a file in bytes from which memory is reserved.
const MIN_RESERVED_BYTES: usize = 1 << 20;
/// Longest wait for memory.
const MAX_MEMORY_WAIT: Duration = Duration::from_secs(5);

/// A document that was read, with its part of the memory budget.
pub struct OpenDocument<'a> {
    pub file: StoredFile,
    pub document: DocumentFile,
    /// Releases the memory when the document is dropped.
    _memory: Option<Reservation<'a>>,
}

impl OpenDocument<'_> {
    /// Returns the file and the document, without their part of the memory budget.
    pub fn into_parts(self) -> (StoredFile, DocumentFile) {
        (self.file, self.document)
    }
}

/// Reserves memory for the work with a file of `bytes` bytes. None for a small one. Call it when the content
/// has arrived, so that nobody waits for a slow provider with memory that others need.
///
/// # Errors
/// `Busy` if other requests do not release memory in time.
pub fn reserve<'a>(app: &'a App, bytes: usize) -> Result<Option<Reservation<'a>>> {
    if bytes < MIN_RESERVED_BYTES {
        return Ok(None);
    }
    let needed = (bytes as u64).saturating_mul(MEMORY_FACTOR);
    match app.work_memory.reserve(needed, MAX_MEMORY_WAIT) {
        Ok(reserved) => Ok(Some(reserved)),
        // The operator permits documents above the budget.
        Err(ReserveError::ExceedsTotal) => Ok(None),
        Err(ReserveError::Timeout) => Err(Error::Busy),
    }
}

/// Reads a document.
///
/// # Errors
/// Those of the provider. `Cloud` with the kind `Unreadable` if the file is no document of this version.
/// `Busy` if there is no memory for it.
pub fn read<'a>(place: &Place<'a>, id: &str) -> Result<OpenDocument<'a>> {
    let max_bytes = place.app.config.max_document_bytes as u64;
    let found = place.run(DOCUMENT, |session| session.read_file(id, max_bytes));
    let (file, bytes) = note_shown(place, id, found)?;
    let memory = reserve(place.app, bytes.len())?;
    let document = DocumentFile::parse(&bytes).map_err(unreadable)?;
    Ok(OpenDocument { file, document, _memory: memory })
}

/// Returns a file without its content.
///
/// # Errors
/// Those of the provider.
pub fn find_file(place: &Place<'_>, id: &str) -> Result<StoredFile> {
    note_shown(place, id, place.run(DOCUMENT, |session| session.file(id)))
}

/// Notes whether the provider has shown a file. Returns `found` unchanged.
fn note_shown<T>(place: &Place<'_>, id: &str, found: Result<T>) -> Result<T> {
    match &found {
        Ok(_) => shown_files::note(place, id),
        Err(_) => shown_files::forget(place, id),
    }
    found
}

/// Returns the error for a file that is no document.
fn unreadable(error: Error) -> Error {
    match error {
        Error::Invalid(message) => Error::Cloud(Box::new(CloudProblem {
            kind: CloudProblemKind::Unreadable,
            message,
            revision: None,
            retry_after: None,
        })),
        error => error,
    }
}

/// Creates the file of a document in a folder. A name that is taken gets a number, unless a file with
/// such a name has `mark`: then an earlier attempt of this request has created it, and its response was
/// lost.
///
/// # Errors
/// Those of the provider. `TooLarge` for a document above the limit of this server.
pub fn create(
    place: &Place<'_>,
    folder: &str,
    document: &DocumentFile,
    mark: Option<&str>,
) -> Result<StoredFile> {
    let bytes = checked_bytes(place, document)?;
    let title = document.title();
    for number in 1..=MAX_NAMES {
        let name = file_names::name_for(&title, number);
        let created = place.run("folder", |session| session.create_file(folder, &name, &bytes));
        match created {
            Err(Error::FieldConflict(_)) if number < MAX_NAMES => {
                // The first conflict looks at all names.
                if let Some(mark) = mark.filter(|_| number == 1)
                    && let Some(found) = find_created(place, folder, &title, mark)?
                {
                    return Ok(found);
                }
            }
            created => return created,
        }
    }
    Err(Error::field_conflict("title", "the folder has many documents with this title"))
}

/// Returns the file with a name for this title in a folder if it has this creation mark. Reads only files
/// that a repeated request can have created, because each costs a download.
///
/// # Errors
/// Those of the provider, also of a file that it does not show at present: it may have the mark.
fn find_created(
    place: &Place<'_>,
    folder: &str,
    title: &str,
    mark: &str,
) -> Result<Option<StoredFile>> {
    let names: Vec<String> =
        (1..=MAX_NAMES).map(|number| file_names::name_for(title, number)).collect();
    let oldest = Timestamp::now().saturating_sub(MAX_MARK_AGE);
    let is_candidate = |entry: &Entry| {
        let modified = entry.modified.as_deref().and_then(Timestamp::parse_rfc3339);
        entry.kind == EntryKind::File
            && names.contains(&entry.name)
            && modified.is_none_or(|modified| modified >= oldest)
    };
    let mut cursor = None;
    for _ in 0..MAX_PAGES {
        let list = |session: &Session<'_>| session.list_folder(folder, cursor.as_deref());
        let page = place.run("folder", list)?;
        for entry in page.entries.iter().filter(|entry| is_candidate(entry)) {
            match read(place, &entry.id) {
                Ok(found) if found.document.creation_mark().as_deref() == Some(mark) => {
                    return Ok(Some(found.file));
                }
                Ok(_) | Err(Error::NotFound(_) | Error::TooLarge(_)) => {}
                Err(Error::Cloud(problem)) if problem.kind == CloudProblemKind::Unreadable => {}
                Err(error) => return Err(error),
            }
        }
        cursor = page.cursor;
        if cursor.is_none() {
            break;
        }
    }
    Ok(None)
}

/// Replaces the content of a file. With `revision`, only if the file still has it.
///
/// # Errors
/// Those of the provider. A conflict has the current revision.
pub fn update(
    place: &Place<'_>,
    id: &str,
    document: &DocumentFile,
    revision: Option<&str>,
) -> Result<StoredFile> {
    let bytes = checked_bytes(place, document)?;
    let work = |session: &chartroom_cloud::Session<'_>| session.update_file(id, &bytes, revision);
    cloud::with_session(place.app, &place.connection, place.deadline, work)
        .map_err(|failure| conflict_or_error(place, id, failure))
}

/// Renames the file of a document.
///
/// # Errors
/// Those of the provider. A conflict of revisions has the current one.
pub fn rename(
    place: &Place<'_>,
    id: &str,
    title: &str,
    revision: Option<&str>,
) -> Result<StoredFile> {
    let name = file_names::name_for(title, 1);
    let work = |session: &chartroom_cloud::Session<'_>| session.rename_file(id, &name, revision);
    cloud::with_session(place.app, &place.connection, place.deadline, work)
        .map_err(|failure| conflict_or_error(place, id, failure))
}

/// Returns the error of a failed change of a file. Asks for the current revision after a conflict.
fn conflict_or_error(place: &Place<'_>, id: &str, failure: CloudFailure) -> Error {
    let is_conflict = matches!(failure, CloudFailure::Provider(CloudError::RevisionConflict));
    let mut error = failure.into_error(place.provider(), DOCUMENT);
    if is_conflict
        && let Error::Cloud(problem) = &mut error
        && let Ok(current) = find_file(place, id)
    {
        problem.revision = Some(current.revision);
    }
    error
}

/// Returns the text of a document.
///
/// # Errors
/// `TooLarge` above the limit of this server.
fn checked_bytes(place: &Place<'_>, document: &DocumentFile) -> Result<Vec<u8>> {
    let bytes = document.to_bytes()?;
    let max = place.app.config.max_document_bytes;
    match bytes.len() > max {
        true => Err(Error::TooLarge(format!("the document has more than {max} bytes"))),
        false => Ok(bytes),
    }
}
