//! One run of a sync job: download, mapping, and the result with the time of the next run.

use serde_json::json;
use serde_json::value::RawValue;

use super::known_table::KnownTable;
use super::mail;
use super::mail::MailKind;
use super::outcome;
use super::outcome::Failure;
use super::outcome::FailureKind;
use super::outcome::Limits;
use super::outcome::StoredFile;
use super::source;
use super::source::Download;
use super::source::SourceFile;
use super::source_error::SourceError;
use super::source_error::SourceResult;
use crate::app::App;
use crate::features::access;
use crate::features::access::Caller;
use crate::features::accounts;
use crate::features::documents;
use crate::features::documents::Document;
use crate::features::sync_jobs;
use crate::features::sync_jobs::RunRecord;
use crate::features::sync_jobs::SyncJob;
use crate::features::table_reader::HeadingRow;
use crate::features::table_reader::KnownSheet;
use crate::features::table_reader::ReadOptions;
use chartroom_platform::crypto;
use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;
use chartroom_platform::id::NodeId;
use chartroom_platform::remote::Deadline;
use chartroom_platform::remote::RemoteClient;

/// Level of the compression of prepared data.
const COMPRESSION_LEVEL: i32 = 3;
/// Maximum size of prepared data after decompression in bytes.
const MAX_PREPARED_BYTES: usize = 128 << 20;

/// Reason of a failure without access.
const NO_ACCESS: &str = "the person that set up the source may not change the chart any more";

/// Why a run failed.
enum RunError {
    /// The source has no table, or none that fits.
    Source(SourceError),
    /// The creator has no access.
    Stopped(String),
    /// The document is in the trash or hidden from the creator, who gets no mail about it.
    Silent(String),
    /// The job was replaced or deleted during the run.
    Replaced,
    /// This server failed.
    Server(Error),
}

/// Result of a part of a run.
type RunResult<T> = std::result::Result<T, RunError>;

impl From<Error> for RunError {
    fn from(error: Error) -> Self {
        Self::Server(error)
    }
}

impl From<SourceError> for RunError {
    fn from(error: SourceError) -> Self {
        Self::Source(error)
    }
}

/// A job with what it needs to run.
struct ReadyJob {
    job: SyncJob,
    /// The account that set up the source.
    creator: AccountId,
    caller: Caller,
    document: Document,
}

/// Runs the job of a document and stores the result. Returns the code of the error of the source, if it
/// failed. Does nothing if the document has no job.
///
/// # Errors
/// If this server fails. A failure of the source is part of the result.
pub fn run_job(
    app: &App,
    client: &RemoteClient,
    document: &NodeId,
    deadline: Deadline,
) -> Result<Option<u16>> {
    let Some(job) = app.db.read(|tx| sync_jobs::find_job(tx, document))? else { return Ok(None) };
    let failure = match run(app, client, &job, deadline) {
        Ok(()) | Err(RunError::Replaced) => return Ok(None),
        Err(failure) => failure,
    };
    let mut code = None;
    let failure = match failure {
        RunError::Source(error) => {
            code = Some(error.code);
            let kind = match error.code {
                // The job works again when the user has connected the account again.
                401 => FailureKind::Stopped,
                _ if error.is_transient() => FailureKind::Transient,
                _ => FailureKind::Final,
            };
            Failure { message: error.message, kind, retry_after: error.retry_after }
        }
        RunError::Stopped(message) => {
            Failure { message, kind: FailureKind::Stopped, retry_after: None }
        }
        RunError::Silent(message) => {
            Failure { message, kind: FailureKind::Silent, retry_after: None }
        }
        RunError::Replaced => return Ok(None),
        RunError::Server(error) => {
            let (error, id) = (error.operator_message(), &job.document);
            tracing::warn!(error, document = %id, "a sync job failed");
            let message = "this server could not process the file".to_owned();
            Failure { message, kind: FailureKind::Transient, retry_after: None }
        }
    };
    let limits = Limits::from_config(&app.config);
    let [seed] = crypto::random_bytes::<1>()?;
    app.db.write(move |tx| {
        record(tx, &job, outcome::failed_run(&job, &failure, tx.now, seed, limits)?)
    })?;
    Ok(code)
}

/// Stores the result of a run, and enqueues the mail about it. Does nothing if the job was replaced.
fn record(
    tx: &WriteTx<'_>,
    job: &SyncJob,
    (record, mail): (RunRecord, Option<MailKind>),
) -> Result<()> {
    if sync_jobs::is_current(tx, &job.document, &job.id)? {
        sync_jobs::record_run(tx, &job.document, &job.id, &record)?;
        if let Some(kind) = mail {
            mail::enqueue(tx, job, kind)?;
        }
    }
    Ok(())
}

/// Downloads the source of a job and stores its table.
fn run(app: &App, client: &RemoteClient, job: &SyncJob, deadline: Deadline) -> RunResult<()> {
    let ready = app.db.read(|tx| check_access(tx, job))??;
    // Somebody may have restored an older version, or changed the data, since the last download.
    let is_unchanged = job.run.revision == Some(ready.document.revision);
    let etag = job.run.etag.as_deref().filter(|_| is_unchanged);
    let limits = Limits::from_config(&app.config);
    let user = &ready.creator;
    match source::download(app, client, (user, &job.url), etag, deadline)?? {
        Download::NotModified => {
            let job = job.clone();
            app.db.write(move |tx| {
                record(tx, &job, outcome::successful_run(&job, None, tx.now, limits)?)
            })?;
            Ok(())
        }
        Download::File(file) => store_file(app, &ready, &file, (limits, deadline)),
    }
}

/// Loads the creator and the document of a job.
///
/// # Errors
/// `Stopped` or `Silent` if the creator may not change the document now.
fn check_access(tx: &Tx<'_>, job: &SyncJob) -> Result<RunResult<ReadyJob>> {
    let stopped = |message: &str| Ok(Err(RunError::Stopped(message.to_owned())));
    let silent = |message: &str| Ok(Err(RunError::Silent(message.to_owned())));
    let Some(creator) = &job.creator else {
        return silent("the account that set up the source does not exist any more");
    };
    let profile = accounts::load_profile(tx, creator)?;
    if profile.disabled {
        return silent("the account that set up the source is disabled");
    }
    let caller = Caller::of_user(&profile.user());
    let document = match documents::find_synced_document(tx, &caller, &job.document) {
        Ok(document) => document,
        Err(Error::NotFound(_)) => return silent(NO_ACCESS),
        Err(Error::Forbidden(_)) => return stopped(NO_ACCESS),
        Err(Error::Conflict(_)) => return silent("the chart is in the trash"),
        Err(Error::PaymentRequired(_)) => return stopped("the organization is suspended"),
        Err(error) => return Err(error),
    };
    // The download has the rights of the creator, and the chart stores its data.
    let allowed = [creator, &document.owner]
        .into_iter()
        .try_for_each(|account| access::check_storage_allowed(tx, account));
    match allowed {
        Ok(()) => {
            let (job, creator) = (job.clone(), creator.clone());
            Ok(Ok(ReadyJob { job, creator, caller, document }))
        }
        Err(Error::Forbidden(message)) => stopped(&message),
        Err(error) => Err(error),
    }
}

/// Returns the options for reading the worksheet of a job from a file. Unless somebody has chosen it, the first run
/// decides whether the first row has headings.
///
/// # Errors
/// Code 404 if the file is that of another worksheet.
fn read_options<'a>(
    job: &'a SyncJob,
    file: &'a SourceFile,
    known: Option<&KnownTable>,
) -> SourceResult<ReadOptions<'a>> {
    let (sheet_id, sheet) = file.choose(job.sheet_id.as_deref(), job.sheet_name.as_deref())?;
    let known_sheet = job.run.found_sheet.as_deref().map(|name| {
        let was_only = job.run.is_only_sheet && sheet_id.is_some();
        KnownSheet { name, id: sheet_id, was_only }
    });
    // Without a choice, the first worksheet counts.
    let known_sheet = known_sheet.filter(|_| sheet.is_some() || sheet_id.is_some());
    let mut options = file.read_options();
    if options.heading_row == HeadingRow::Detect {
        options.heading_row = known.map_or(HeadingRow::Detect, KnownTable::heading_row);
    }
    let notation = known.map(|known| known.notation).unwrap_or_default();
    let (known_separator, known_date_order) = (notation.separator(), notation.date_order());
    Ok(ReadOptions { sheet, sheet_id, known_sheet, known_separator, known_date_order, ..options })
}

/// Converts an error about the content of a file.
fn content_error(file: &SourceFile, error: Error) -> RunError {
    match file.describe_error(error) {
        Ok(error) => RunError::Source(error),
        Err(Error::RemoteTimeout) => {
            let message = "the file arrived too late to be read in time";
            RunError::Source(SourceError::new(504, message))
        }
        Err(error) => RunError::Server(error),
    }
}

/// Reads the table of a file, maps it, and stores it with the result of the run.
fn store_file(
    app: &App,
    ready: &ReadyJob,
    file: &SourceFile,
    (limits, deadline): (Limits, Deadline),
) -> RunResult<()> {
    let ReadyJob { job, caller, document, .. } = ready;
    let in_content = |error| content_error(file, error);
    let known = job.run.mapping.as_deref().map(KnownTable::parse).transpose()?;
    let options = read_options(job, file, known.as_ref())?;
    let table = documents::read_synced_table(app, document, &file.bytes, &options, deadline)
        .map_err(in_content)?;
    let notation = known.as_ref().map(|known| known.notation).unwrap_or_default();
    let kept = known.map(|known| known.columns).unwrap_or_default();
    let mapped = documents::map_synced_table(
        app,
        document,
        &table,
        file.bytes.len(),
        (&kept, job.settings.clone()),
    )
    .map_err(in_content)?;
    let prepared = prepared_data(job, &mapped)?;
    let known = KnownTable {
        columns: mapped.kept.clone(),
        has_headings: mapped.has_headings,
        notation: notation.after(mapped.separator, mapped.date_order),
    };
    let mapping = known.to_json()?;
    let (job, etag, sheet) = (job.clone(), file.etag.clone(), mapped.sheet.clone());
    let is_only_sheet = mapped.is_only_sheet;
    let stored = StoredFile { etag, revision: 0, mapping, sheet, is_only_sheet };
    let finish = move |tx: &WriteTx<'_>, saved: &Document| {
        if !sync_jobs::is_current(tx, &job.document, &job.id)? {
            return Err(REPLACED);
        }
        let file = StoredFile { revision: saved.revision, ..stored.clone() };
        record(tx, &job, outcome::successful_run(&job, Some(file), tx.now, limits)?)?;
        sync_jobs::put_prepared_data(tx, &job.document, &prepared)
    };
    let saved = documents::save_synced_table(app, caller, &document.id, mapped, finish);
    saved.map_err(|error| match error {
        Error::NotFound(REPLACED_OBJECT) => RunError::Replaced,
        Error::QuotaExceeded(message) => RunError::Source(SourceError::new(413, message)),
        // Between the check and the save.
        Error::NotFound(_) | Error::Conflict(_) => RunError::Silent(NO_ACCESS.to_owned()),
        Error::Forbidden(_) => RunError::Stopped(NO_ACCESS.to_owned()),
        error => RunError::Server(error),
    })
}

/// Text of [`REPLACED`].
const REPLACED_OBJECT: &str = "sync job of this run";
/// Error that undoes a save because the job was replaced during the run.
const REPLACED: Error = Error::NotFound(REPLACED_OBJECT);

/// Returns the compressed JSON of `prepared_data`.
fn prepared_data(job: &SyncJob, table: &documents::SyncedTable<'_>) -> Result<Vec<u8>> {
    let records = String::from_utf8(table.records_json())
        .map_err(|_| Error::internal("records are not UTF-8"))?;
    let records = RawValue::from_string(records)?;
    let json = json!({
        "sheet_name": table.sheet.as_ref().or(job.sheet_name.as_ref()),
        "sheet_id": job.sheet_id,
        "columns": table.columns,
    });
    let mut text = json.to_string();
    text.pop();
    text.push_str(",\"data\":");
    text.push_str(records.get());
    text.push('}');
    Ok(zstd::bulk::compress(text.as_bytes(), COMPRESSION_LEVEL)?)
}

/// Returns the JSON that [`prepared_data`] compressed, as text: its values would take several times the
/// memory.
///
/// # Errors
/// If it is damaged.
pub fn read_prepared_data(body: &[u8]) -> Result<Box<RawValue>> {
    let text = String::from_utf8(zstd::bulk::decompress(body, MAX_PREPARED_BYTES)?)
        .map_err(|_| Error::internal("the prepared data of a sync job are damaged"))?;
    Ok(RawValue::from_string(text)?)
}
