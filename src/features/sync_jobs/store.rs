//! SQL of the tables `sync_job` and `sync_data`.

use rusqlite::Row;
use rusqlite::named_params;

use super::job::DueJob;
use super::job::NewSyncJob;
use super::job::RunRecord;
use super::job::SyncJob;
use crate::features::tree;
use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;
use chartroom_platform::id::NodeId;
use chartroom_platform::time::Timestamp;

/// The columns that `job_from_row` reads.
const SELECT_JOB: &str = "select document, id, creator, url, settings, sheet_name, sheet_id,
        interval_sec, time_of_day, day_of_week, created, next_at, due, downloaded_at, error,
        is_stopped, failures, told, mailed, etag, revision, mapping, found_sheet, is_only_sheet
 from sync_job";

/// Reads a row of `SELECT_JOB`.
fn job_from_row(row: &Row<'_>) -> rusqlite::Result<SyncJob> {
    Ok(SyncJob {
        document: row.get("document")?,
        id: row.get("id")?,
        creator: row.get("creator")?,
        url: row.get("url")?,
        settings: row.get("settings")?,
        sheet_name: row.get("sheet_name")?,
        sheet_id: row.get("sheet_id")?,
        interval_sec: row.get("interval_sec")?,
        time_of_day: row.get("time_of_day")?,
        day_of_week: row.get("day_of_week")?,
        created: row.get("created")?,
        run: RunRecord {
            next_at: row.get("next_at")?,
            due: row.get("due")?,
            downloaded_at: row.get("downloaded_at")?,
            error: row.get("error")?,
            is_stopped: row.get("is_stopped")?,
            failures: row.get("failures")?,
            told: row.get("told")?,
            mailed: row.get("mailed")?,
            etag: row.get("etag")?,
            revision: row.get("revision")?,
            mapping: row.get("mapping")?,
            found_sheet: row.get("found_sheet")?,
            is_only_sheet: row.get("is_only_sheet")?,
        },
    })
}

/// Inserts the job of a document, which is due now. Replaces an earlier one with its result. Keeps the mapping
/// of the columns and the worksheet if the source stays and works, so that another schedule does not change the
/// chart.
pub fn put_job(tx: &WriteTx<'_>, job: &NewSyncJob) -> Result<()> {
    let has_same_source = |old: &SyncJob| {
        let places = [
            (&old.url, &old.sheet_id, &old.sheet_name),
            (&job.url, &job.sheet_id, &job.sheet_name),
        ];
        places[0] == places[1] && old.run.error.is_none()
    };
    let replaced = find_job(tx, &job.document)?.filter(has_same_source);
    let (mapping, found_sheet, is_only_sheet) = replaced
        .map(|SyncJob { run, .. }| (run.mapping, run.found_sheet, run.is_only_sheet))
        .unwrap_or_default();
    delete_job(tx, &job.document)?;
    tx.execute(
        "insert into sync_job (document, id, creator, url, settings, sheet_name, sheet_id,
                 interval_sec, time_of_day, day_of_week, created, next_at, due, mapping, found_sheet,
                 is_only_sheet)
         values (:document, :id, :creator, :url, :settings, :sheet_name, :sheet_id,
                 :interval_sec, :time_of_day, :day_of_week, :now, :next_at, :now, :mapping, :found_sheet,
                 :is_only_sheet)",
        named_params! {
            ":document": job.document,
            ":id": NodeId::new(),
            ":creator": job.creator,
            ":url": job.url,
            ":settings": job.settings,
            ":sheet_name": job.sheet_name,
            ":sheet_id": job.sheet_id,
            ":interval_sec": job.interval_sec,
            ":time_of_day": job.time_of_day,
            ":day_of_week": job.day_of_week,
            ":next_at": job.next_at,
            ":now": tx.now,
            ":mapping": mapping,
            ":found_sheet": found_sheet,
            ":is_only_sheet": is_only_sheet,
        },
    )?;
    Ok(())
}

/// Deletes the job of a document with its prepared data. Returns false if it has none.
pub fn delete_job(tx: &WriteTx<'_>, document: &NodeId) -> Result<bool> {
    tree::add_stored_bytes(tx, document, -measure_prepared_data(tx, document)?)?;
    let sql = "delete from sync_job where document = :document";
    Ok(tx.execute(sql, named_params! { ":document": document })? > 0)
}

/// Returns the job of a document. None if it has none.
pub fn find_job(tx: &Tx<'_>, document: &NodeId) -> Result<Option<SyncJob>> {
    tx.find(
        &format!("{SELECT_JOB} where document = :document"),
        named_params! { ":document": document },
        job_from_row,
    )
}

/// Returns the jobs of documents.
pub fn list_jobs(tx: &Tx<'_>, documents: &[&NodeId]) -> Result<Vec<SyncJob>> {
    let ids: Vec<&str> = documents.iter().map(|id| id.as_str()).collect();
    tx.all(
        &format!("{SELECT_JOB} where document in (select value from json_each(:documents))"),
        named_params! { ":documents": serde_json::to_string(&ids)? },
        job_from_row,
    )
}

/// Returns whether a document has the job with this id, so that a run may store its result.
pub fn is_current(tx: &Tx<'_>, document: &NodeId, id: &str) -> Result<bool> {
    tx.one(
        "select exists (select 1 from sync_job where document = :document and id = :id)",
        named_params! { ":document": document, ":id": id },
        |row| row.get(0),
    )
}

/// Returns the number of jobs that a user has created.
pub fn count_jobs_of(tx: &Tx<'_>, creator: &AccountId) -> Result<u32> {
    tx.one(
        "select count(*) from sync_job where creator = :creator",
        named_params! { ":creator": creator },
        |row| row.get(0),
    )
}

/// Returns the jobs that are due, the longest first.
pub fn list_due_jobs(tx: &Tx<'_>) -> Result<Vec<DueJob>> {
    tx.all(
        "select document, url, creator from sync_job where due <= :now order by due",
        named_params! { ":now": tx.now },
        |row| {
            Ok(DueJob {
                document: row.get("document")?,
                url: row.get("url")?,
                creator: row.get("creator")?,
            })
        },
    )
}

/// Returns whether the job of a document is due.
pub fn is_due(tx: &Tx<'_>, document: &NodeId) -> Result<bool> {
    tx.one(
        "select exists (select 1 from sync_job where document = :document and due <= :now)",
        named_params! { ":document": document, ":now": tx.now },
        |row| row.get(0),
    )
}

/// Returns the jobs of a creator that failed last time.
pub fn list_failed_jobs_of(tx: &Tx<'_>, creator: &AccountId) -> Result<Vec<SyncJob>> {
    tx.all(
        &format!("{SELECT_JOB} where creator = :creator and error is not null"),
        named_params! { ":creator": creator },
        job_from_row,
    )
}

/// Returns the time at which the next job is due. None if no job runs by itself.
pub fn next_due(tx: &Tx<'_>) -> Result<Option<Timestamp>> {
    tx.one("select min(due) as due from sync_job where due is not null", [], |row| row.get("due"))
}

/// Returns all jobs that run by themselves.
pub fn list_scheduled_jobs(tx: &Tx<'_>) -> Result<Vec<SyncJob>> {
    tx.all(&format!("{SELECT_JOB} where due is not null"), [], job_from_row)
}

/// Sets the times of the next run of a job. Does nothing if the job was replaced.
pub fn reschedule(
    tx: &WriteTx<'_>,
    job: &SyncJob,
    next_at: Option<Timestamp>,
    due: Option<Timestamp>,
) -> Result<()> {
    tx.execute(
        "update sync_job set next_at = :next_at, due = :due where document = :document and id = :id",
        named_params! {
            ":document": job.document, ":id": job.id, ":next_at": next_at, ":due": due,
        },
    )?;
    Ok(())
}

/// Makes the stopped jobs of documents due now, because the reason of the stop may have disappeared. A run that
/// may not change the document stops the job again.
pub fn resume_stopped_jobs(tx: &WriteTx<'_>, documents: &[NodeId]) -> Result<()> {
    let ids: Vec<&str> = documents.iter().map(NodeId::as_str).collect();
    tx.execute(
        "update sync_job set next_at = :now, due = :now
         where is_stopped = 1 and document in (select value from json_each(:documents))",
        named_params! { ":documents": serde_json::to_string(&ids)?, ":now": tx.now },
    )?;
    Ok(())
}

/// Stores the result of a run. Does nothing if the job was replaced.
pub fn record_run(tx: &WriteTx<'_>, document: &NodeId, id: &str, run: &RunRecord) -> Result<()> {
    tx.execute(
        "update sync_job set downloaded_at = :downloaded_at, error = :error,
                is_stopped = :is_stopped, failures = :failures, told = :told, mailed = :mailed,
                etag = :etag, revision = :revision, mapping = :mapping,
                found_sheet = :found_sheet, is_only_sheet = :is_only_sheet,
                next_at = :next_at, due = :due
         where document = :document and id = :id",
        named_params! {
            ":document": document,
            ":id": id,
            ":downloaded_at": run.downloaded_at,
            ":error": run.error,
            ":is_stopped": run.is_stopped,
            ":failures": run.failures,
            ":told": run.told,
            ":mailed": run.mailed,
            ":etag": run.etag,
            ":revision": run.revision,
            ":mapping": run.mapping,
            ":found_sheet": run.found_sheet,
            ":is_only_sheet": run.is_only_sheet,
            ":next_at": run.next_at,
            ":due": run.due,
        },
    )?;
    Ok(())
}

/// Stores the data that the last successful run prepared, as compressed JSON.
///
/// # Errors
/// `QuotaExceeded` if they exceed the storage limit of the owner of the document.
pub fn put_prepared_data(tx: &WriteTx<'_>, document: &NodeId, body: &[u8]) -> Result<()> {
    let bytes = i64::try_from(body.len()).unwrap_or(i64::MAX);
    tree::add_stored_bytes(tx, document, bytes - measure_prepared_data(tx, document)?)?;
    tx.execute(
        "insert into sync_data (document, body) values (:document, :body)
         on conflict (document) do update set body = excluded.body",
        named_params! { ":document": document, ":body": body },
    )?;
    Ok(())
}

/// Returns the size of the prepared data of a document in bytes. 0 if it has none.
fn measure_prepared_data(tx: &Tx<'_>, document: &NodeId) -> Result<i64> {
    let sql = "select length(body) as bytes from sync_data where document = :document";
    let bytes = tx.find(sql, named_params! { ":document": document }, |row| row.get("bytes"))?;
    Ok(bytes.unwrap_or(0))
}

/// Returns what [`put_prepared_data`] stored. None before the first success.
pub fn find_prepared_data(tx: &Tx<'_>, document: &NodeId) -> Result<Option<Vec<u8>>> {
    tx.find(
        "select body from sync_data where document = :document",
        named_params! { ":document": document },
        |row| row.get("body"),
    )
}
