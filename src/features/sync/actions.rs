//! Reading sources and setting up sync jobs.

use url::Url;

use super::events;
use super::links;
use super::outcome::Limits;
use super::source;
use super::source::Download;
use super::source::SourceFile;
use super::source_error::SourceError;
use super::source_error::SourceResult;
use crate::app::App;
use crate::features::access;
use crate::features::access::Caller;
use crate::features::accounts::User;
use crate::features::cloud;
use crate::features::documents;
use crate::features::documents::Document;
use crate::features::sync_jobs;
use crate::features::sync_jobs::NewSyncJob;
use crate::features::sync_jobs::Schedule;
use crate::features::sync_jobs::SyncJob;
use crate::features::table_reader;
use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Error;
use chartroom_platform::error::OrNotFound;
use chartroom_platform::error::Result;
use chartroom_platform::id::NodeId;
use chartroom_platform::remote::Deadline;
use chartroom_platform::remote::MAX_REMOTE_TIME;
use chartroom_platform::remote::MAX_URL_BYTES;
use chartroom_platform::remote::RemoteClient;

/// Maximum size of the settings of a job in bytes.
const MAX_SETTINGS_BYTES: usize = 64 << 10;
/// Maximum length of the name or the id of a worksheet in bytes.
const MAX_SHEET_BYTES: usize = 1024;

/// Checks the address of a source, and returns it without white space around it. Does not download it.
///
/// # Errors
/// As [`table_reader::parse_table_url`], except that the scheme may be that of files of a connected account.
pub fn check_url(url: &str) -> Result<String> {
    let url = url.trim();
    let is_of_account = Url::parse(url).is_ok_and(|url| cloud::is_source_address(&url));
    if !is_of_account || url.len() > MAX_URL_BYTES {
        table_reader::parse_table_url(url)?;
    }
    Ok(url.to_owned())
}

/// Downloads the file of a source for a request.
///
/// # Errors
/// The outer error is one of this server, or `RemoteTimeout`; the inner one is that of the source.
pub fn load_source(
    app: &App,
    user: &User,
    url: &str,
    deadline: Deadline,
) -> Result<SourceResult<SourceFile>> {
    let client = RemoteClient::for_user_urls(&app.config, MAX_REMOTE_TIME)?;
    match source::download(app, &client, (&user.id, url), None, deadline)? {
        Ok(Download::File(file)) => Ok(Ok(*file)),
        // Without an entity tag, no source responds so.
        Ok(Download::NotModified) => Ok(Err(SourceError::new(502, "the source sent no file"))),
        Err(SourceError { code: 504, .. }) => Err(Error::RemoteTimeout),
        Err(error) => Ok(Err(error)),
    }
}

/// Returns the error of a request that needs the file of a source.
pub fn source_error(error: SourceError) -> Error {
    let SourceError { code, message, retry_after, .. } = error;
    match code {
        401 | 403 => Error::Forbidden(message),
        404 => Error::NotFound("file at this address"),
        413 => Error::TooLarge(message),
        415 => Error::UnsupportedMediaType(message),
        400 | 422 => Error::invalid_field("url", message),
        504 => Error::RemoteTimeout,
        _ => Error::RemoteRefused(match retry_after {
            Some(seconds) => format!("{message}; try again in {seconds} seconds"),
            None => message,
        }),
    }
}

/// Checks the fields of a new job and the access of its creator, and stores it. Its first run starts
/// soon after.
///
/// # Errors
/// `InvalidFields` for a field that breaks a rule, and for a file in an account that the user has not
/// connected. `NotFound`, `Forbidden`, `PaymentRequired` or `Conflict` if the user may not change the
/// document or it is in the trash. `Conflict` if the user has too many jobs.
pub fn create_job(
    tx: &WriteTx<'_>,
    app: &App,
    caller: &Caller,
    user: &User,
    job: NewSyncJob,
) -> Result<()> {
    let NewSyncJob { interval_sec, time_of_day, day_of_week, .. } = &job;
    // Fails before the access check if a field is invalid, because nothing about the document follows.
    let created = tx.now.0.div_euclid(1000);
    Schedule::new(*interval_sec, time_of_day.as_deref(), *day_of_week, created)?;
    check_texts(&job)?;
    access::check_storage_allowed(tx, &user.id)?;
    check_connection(tx, user, &job.url)?;
    let document = find_own_document(tx, caller, user, &job.document)?;
    access::check_storage_allowed(tx, &document.owner)?;
    let replaced = sync_jobs::find_job(tx, &job.document)?;
    let max_jobs = app.config.max_sync_jobs;
    if replaced.is_none() && sync_jobs::count_jobs_of(tx, &user.id)? >= max_jobs {
        return Err(Error::Conflict(format!("you have {max_jobs} sources already")));
    }
    sync_jobs::put_job(tx, &job)?;
    let stored = sync_jobs::find_job(tx, &job.document)?.or_not_found("sync job")?;
    let (next_at, _) = Limits::from_config(&app.config).next_run(&stored, tx.now)?;
    sync_jobs::reschedule(tx, &stored, next_at, stored.run.due)?;
    events::record_new_source(tx, &document, replaced.as_ref(), &stored)
}

/// Returns a document that the user may change without a share link. The runs of a job have the rights of its
/// creator, and a share link gives no rights to an account.
///
/// # Errors
/// As [`documents::find_synced_document`]. `Forbidden` if only the share link of the request permits changes.
fn find_own_document(
    tx: &Tx<'_>,
    caller: &Caller,
    user: &User,
    document: &NodeId,
) -> Result<Document> {
    let found = documents::find_synced_document(tx, &Caller::of_user(user), document);
    match found {
        Err(Error::NotFound(_) | Error::Forbidden(_))
            if documents::find_synced_document(tx, caller, document).is_ok() =>
        {
            let message = "a source needs the access of your account, not that of a share link; ask \
                           the owner to share the chart with you";
            Err(Error::Forbidden(message.to_owned()))
        }
        found => found,
    }
}

/// Checks that a source in a connected account is in one of the user: the runs have the rights of the user who
/// sets up the job, also if this user repeats the job of another person.
///
/// # Errors
/// `InvalidFields` for `url`.
fn check_connection(tx: &Tx<'_>, user: &User, url: &str) -> Result<()> {
    let Some((id, _)) = cloud::parse_source_address(url) else { return Ok(()) };
    match cloud::find_connection(tx, &user.id, &id) {
        Ok(connection) if links::find_provider(url) == Some(connection.provider) => Ok(()),
        Ok(_) | Err(Error::NotFound(_)) => {
            let message = "belongs to a connection of another person, or to one that was removed; \
                           choose a file of an account that you have connected";
            Err(Error::invalid_field("url", message))
        }
        Err(error) => Err(error),
    }
}

/// Checks the lengths of the texts of a job.
///
/// # Errors
/// `InvalidFields` for the texts that are too long.
fn check_texts(job: &NewSyncJob) -> Result<()> {
    let check = |field: &str, text: Option<&String>, max: usize| match text {
        Some(text) if text.len() > max => {
            Err(Error::invalid_field(field, format!("must have at most {max} bytes")))
        }
        _ => Ok(()),
    };
    check("document_settings", job.settings.as_ref(), MAX_SETTINGS_BYTES)?;
    check("sheet_name", job.sheet_name.as_ref(), MAX_SHEET_BYTES)?;
    check("sheet_id", job.sheet_id.as_ref(), MAX_SHEET_BYTES)
}

/// Returns the job of a document that the caller may change, with the compressed data of its last run.
///
/// # Errors
/// `NotFound` if the document has no job. Otherwise as [`documents::find_synced_document`], also for a
/// document in the trash.
pub fn find_job(
    tx: &Tx<'_>,
    caller: &Caller,
    document: &NodeId,
) -> Result<(SyncJob, Option<Vec<u8>>)> {
    documents::find_changeable_document(tx, caller, document)?;
    let job = sync_jobs::find_job(tx, document)?.or_not_found("sync job")?;
    Ok((job, sync_jobs::find_prepared_data(tx, document)?))
}

/// Returns whether the caller may change a document without a share link.
pub fn has_own_access(tx: &Tx<'_>, caller: &Caller, document: &NodeId) -> bool {
    caller.user.as_ref().is_some_and(|user| {
        documents::find_changeable_document(tx, &Caller::of_user(user), document).is_ok()
    })
}

/// Deletes the job of a document that the caller may change.
///
/// # Errors
/// As [`find_job`].
pub fn delete_job(tx: &WriteTx<'_>, caller: &Caller, document: &NodeId) -> Result<()> {
    let document = documents::find_changeable_document(tx, caller, document)?;
    let job = sync_jobs::find_job(tx, &document.id)?.or_not_found("sync job")?;
    sync_jobs::delete_job(tx, &document.id)?;
    events::record_removed_source(tx, &document, &job)
}

/// Returns the deadline of a request that reaches a source.
pub fn deadline_of(received_at: std::time::Instant) -> Deadline {
    Deadline::since(received_at, MAX_REMOTE_TIME)
}
