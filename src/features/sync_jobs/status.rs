//! The state of a job as documents and lists show it.

use std::collections::HashMap;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;

use super::job::SyncJob;
use super::store;
use crate::features::access::AccessLevel;
use chartroom_platform::db::Tx;
use chartroom_platform::error::Result;
use chartroom_platform::id::NodeId;
use chartroom_platform::messages;
use chartroom_platform::time::Timestamp;

/// Minimum delay of a run from which a job is late.
const MIN_LATENESS: Duration = Duration::from_hours(1);

/// State of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum JobStatus {
    /// The job has not run yet.
    Waiting,
    /// The last run was successful.
    Ok,
    /// A run is overdue by more than two intervals, and by more than an hour.
    Late,
    /// The last run failed.
    Failing,
    /// The creator has no access any more, or the document is in the trash.
    Stopped,
}

/// The sync job of a document, as its representation shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DocumentSync {
    pub status: JobStatus,
    /// Time of the last successful download.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub downloaded_at: Option<Timestamp>,
    /// Time of the next run or of the next attempt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_download_at: Option<Timestamp>,
    /// Reason of the last failure. Only with write access, because it can contain names of worksheets,
    /// columns and servers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

impl DocumentSync {
    /// Returns the state as callers with this access see it.
    pub fn visible_to(self, level: AccessLevel) -> Self {
        Self { error: self.error.filter(|_| level == AccessLevel::Write), ..self }
    }
}

impl SyncJob {
    /// Returns the state at a time.
    pub fn status(&self, now: Timestamp) -> JobStatus {
        let is_late = || {
            // The steps of a schedule are at most a year.
            let interval = Duration::try_from_secs_f64(2.0 * self.interval_sec).unwrap_or_default();
            let lateness = interval.max(MIN_LATENESS);
            self.run.next_at.is_some_and(|next| next.saturating_add(lateness) < now)
        };
        match (&self.run.error, self.run.downloaded_at) {
            (Some(_), _) if self.run.is_stopped => JobStatus::Stopped,
            (Some(_), _) => JobStatus::Failing,
            _ if is_late() => JobStatus::Late,
            (None, None) => JobStatus::Waiting,
            (None, Some(_)) => JobStatus::Ok,
        }
    }

    /// Returns the state as documents show it, in the language of the request.
    pub fn document_sync(&self, now: Timestamp) -> DocumentSync {
        DocumentSync {
            status: self.status(now),
            downloaded_at: self.run.downloaded_at,
            next_download_at: self.run.next_at,
            error: self.run.error.as_deref().map(|error| messages::translate(error).into_owned()),
        }
    }
}

/// Returns the states of the jobs of documents. Those without a job are left out.
pub fn list_document_syncs(
    tx: &Tx<'_>,
    documents: &[&NodeId],
) -> Result<HashMap<NodeId, DocumentSync>> {
    let jobs = store::list_jobs(tx, documents)?;
    Ok(jobs.into_iter().map(|job| (job.document.clone(), job.document_sync(tx.now))).collect())
}

/// Returns the state of the job of a document. None if it has none.
pub fn find_document_sync(tx: &Tx<'_>, document: &NodeId) -> Result<Option<DocumentSync>> {
    Ok(store::find_job(tx, document)?.map(|job| job.document_sync(tx.now)))
}
