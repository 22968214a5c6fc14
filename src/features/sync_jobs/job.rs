//! A sync job as it is stored.

use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;
use chartroom_platform::id::NodeId;
use chartroom_platform::time::Timestamp;

use super::schedule::Schedule;

/// A new job of a document.
#[derive(Debug, Clone)]
pub struct NewSyncJob {
    pub document: NodeId,
    /// The user with the access that the runs have.
    pub creator: AccountId,
    /// Address of the source.
    pub url: String,
    /// Settings of the chart as a JSON object, which each run sets.
    pub settings: Option<String>,
    pub sheet_name: Option<String>,
    pub sheet_id: Option<String>,
    /// Seconds between two runs, as the client gave them.
    pub interval_sec: f64,
    /// `HH:MM` in UTC.
    pub time_of_day: Option<String>,
    /// Sunday is 0.
    pub day_of_week: Option<i64>,
    /// Time shown as that of the next run. None if the job does not run by itself.
    pub next_at: Option<Timestamp>,
}

/// A stored job.
#[derive(Debug, Clone)]
pub struct SyncJob {
    pub document: NodeId,
    /// Different for each job, so that a run of a replaced job stores nothing.
    pub id: String,
    /// The user with the access that the runs have. None after the account was deleted.
    pub creator: Option<AccountId>,
    pub url: String,
    /// Settings of the chart as a JSON object.
    pub settings: Option<String>,
    pub sheet_name: Option<String>,
    pub sheet_id: Option<String>,
    pub interval_sec: f64,
    pub time_of_day: Option<String>,
    pub day_of_week: Option<i64>,
    pub created: Timestamp,
    /// Result of the last run, and the time of the next one.
    pub run: RunRecord,
}

/// A job that is due.
#[derive(Debug)]
pub struct DueJob {
    pub document: NodeId,
    /// Address of the source.
    pub url: String,
    pub creator: Option<AccountId>,
}

/// Result of the last run of a job, and the time of the next one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunRecord {
    /// Time shown as that of the next run.
    pub next_at: Option<Timestamp>,
    /// Time from which a thread runs the job: `next_at` and an offset that spreads the load.
    pub due: Option<Timestamp>,
    /// Time of the last successful download.
    pub downloaded_at: Option<Timestamp>,
    /// Reason of the last failure. None after a success.
    pub error: Option<String>,
    /// Whether the job waits for a change of access or of the document, not of the source.
    pub is_stopped: bool,
    /// Number of failures in a row.
    pub failures: i64,
    /// Time of the mail about the present failures. None if there was none.
    pub told: Option<Timestamp>,
    /// Time of the last mail about failures.
    pub mailed: Option<Timestamp>,
    /// Entity tag of the last download, for conditional requests.
    pub etag: Option<String>,
    /// Revision of the document after the last download. With another one, the document may have other
    /// data than the source, so that the entity tag counts no more.
    pub revision: Option<i64>,
    /// Mapping of the columns in the last run, as JSON.
    pub mapping: Option<String>,
    /// Name of the worksheet that the last run read. None for a file without worksheets.
    pub found_sheet: Option<String>,
    /// Whether the file had no other visible worksheet.
    pub is_only_sheet: bool,
}

impl SyncJob {
    /// Returns the schedule.
    ///
    /// # Errors
    /// `InvalidFields` if the stored values break a rule.
    pub fn schedule(&self) -> Result<Schedule> {
        Schedule::new(
            self.interval_sec,
            self.time_of_day.as_deref(),
            self.day_of_week,
            self.created.0.div_euclid(1000),
        )
    }
}
