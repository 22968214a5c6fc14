//! The result of a run of a sync job, and the time of the next run. Pure functions of time.

use std::time::Duration;

use super::mail::MailKind;
use crate::features::sync_jobs::RunRecord;
use crate::features::sync_jobs::SyncJob;
use chartroom_platform::config::Config;
use chartroom_platform::crypto;
use chartroom_platform::error::Result;
use chartroom_platform::id::NodeId;
use chartroom_platform::time::Timestamp;

/// Delay of the first repetition after a transient failure, which doubles with each failure.
const FIRST_RETRY: Duration = Duration::from_secs(60);
/// Maximum delay of a repetition.
const MAX_RETRY: Duration = Duration::from_hours(6);
/// Maximum delay that a source may ask for.
const MAX_RETRY_AFTER: Duration = Duration::from_hours(24);
/// Number of repetitions of a job that does not run by itself.
const MAX_RETRIES_WITHOUT_SCHEDULE: i64 = 5;
/// Number of failures in a row after which a job with a source that needs a change runs at most once a day.
const MAX_FAILURES: i64 = 10;
/// Minimum time between two runs of a job after `MAX_FAILURES` failures.
const LONG_PAUSE: Duration = Duration::from_hours(24);
/// Number of failures in a row after which the creator gets a mail.
const FAILURES_BEFORE_MAIL: i64 = 3;
/// Minimum time until the next run after which the creator gets a mail at the first failure, because a source with a
/// weekly schedule would otherwise fail for weeks before the mail.
const MIN_WAIT_FOR_MAIL: Duration = Duration::from_hours(1);
/// Minimum time between two mails about failures of a job.
const MAIL_INTERVAL: Duration = Duration::from_hours(24);
/// Settings that the time of the next run depends on.
#[derive(Clone, Copy)]
pub struct Limits {
    /// Seconds.
    min_interval: i64,
    /// Seconds.
    spread: i64,
}

impl Limits {
    /// Reads the settings.
    pub fn from_config(config: &Config) -> Self {
        let seconds = |time: Duration| i64::try_from(time.as_secs()).unwrap_or(i64::MAX);
        Self {
            min_interval: seconds(config.sync_min_interval),
            spread: seconds(config.sync_spread),
        }
    }

    /// Returns the maximum time in seconds by which runs with the same schedule are spread.
    pub fn spread_seconds(self) -> i64 {
        self.spread
    }

    /// Returns the first time of a run of a job after `time`, and the time from which a thread runs it.
    /// The second is later by an offset that depends only on the document, so that jobs with the same
    /// schedule do not start together. Both are None if the job does not run by itself.
    ///
    /// # Errors
    /// If the stored schedule is invalid.
    pub fn next_run(
        self,
        job: &SyncJob,
        time: Timestamp,
    ) -> Result<(Option<Timestamp>, Option<Timestamp>)> {
        let schedule = job.schedule()?;
        let after = time.0.div_euclid(1000);
        let Some(slot) = schedule.next_slot(after, self.min_interval) else {
            return Ok((None, None));
        };
        let step = schedule.step(self.min_interval).unwrap_or_default();
        let range = self.spread.min(step / 20).max(1);
        let offset = offset_of(&job.document).rem_euclid(range);
        let at = |seconds: i64| Some(Timestamp(seconds.saturating_mul(1000)));
        Ok((at(slot), at(slot + offset)))
    }
}

/// Returns a number that depends only on the id of a document.
fn offset_of(document: &NodeId) -> i64 {
    let hash = crypto::sha256(document.as_str().as_bytes());
    hash.iter().take(4).fold(0, |sum, byte| sum * 256 + i64::from(*byte))
}

/// Returns the delay of a repetition after this number of failures in a row, with a part of up to 20 %
/// more or less that depends on `seed`.
fn retry_delay(failures: i64, seed: u8) -> Duration {
    let doublings = u32::try_from(failures - 1).unwrap_or(u32::MAX).min(16);
    let delay = FIRST_RETRY.saturating_mul(1 << doublings).min(MAX_RETRY);
    delay.mul_f64(0.8 + 0.4 * f64::from(seed) / 255.0)
}

/// A failure of a run.
#[derive(Debug, Clone)]
pub struct Failure {
    /// Reason for people.
    pub message: String,
    pub kind: FailureKind,
    /// Seconds for which the source wants no request.
    pub retry_after: Option<u64>,
}

/// Kind of a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureKind {
    /// The source may work again soon.
    Transient,
    /// The source needs a change.
    Final,
    /// The creator has no access.
    Stopped,
    /// As `Stopped`, but the creator gets no mail, because the document is in the trash or hidden from
    /// them.
    Silent,
}

/// Returns the result of a run at `now` that failed, and the mail about it. `seed` is a random number for
/// the time of a repetition.
///
/// # Errors
/// If the stored schedule is invalid.
pub fn failed_run(
    job: &SyncJob,
    failure: &Failure,
    now: Timestamp,
    seed: u8,
    limits: Limits,
) -> Result<(RunRecord, Option<MailKind>)> {
    let failures = job.run.failures + 1;
    let wanted = Duration::from_secs(failure.retry_after.unwrap_or_default()).min(MAX_RETRY_AFTER);
    // The schedule continues during an outage, so that the data are up to date soon after it.
    let pause = match failure.kind {
        FailureKind::Final if failures >= MAX_FAILURES => LONG_PAUSE,
        _ => wanted,
    };
    let (mut next_at, mut due) = limits.next_run(job, now.saturating_add(pause))?;
    let repeats = failure.kind == FailureKind::Transient
        && (next_at.is_some() || failures <= MAX_RETRIES_WITHOUT_SCHEDULE);
    if repeats {
        let delay = retry_delay(failures, seed).max(wanted);
        let retry = now.saturating_add(delay);
        if next_at.is_none_or(|next| retry < next) {
            (next_at, due) = (Some(retry), Some(retry));
        }
    }
    let is_quiet = job.run.mailed.is_some_and(|mailed| mailed.saturating_add(MAIL_INTERVAL) > now);
    let is_silent = failure.kind == FailureKind::Silent;
    let is_late = next_at.is_some_and(|next| next > now.saturating_add(MIN_WAIT_FOR_MAIL));
    let is_due = failures >= FAILURES_BEFORE_MAIL || is_late;
    let must_tell = is_due && job.run.told.is_none() && !is_quiet && !is_silent;
    let record = RunRecord {
        error: Some(failure.message.clone()),
        is_stopped: is_silent || failure.kind == FailureKind::Stopped,
        failures,
        told: if must_tell { Some(now) } else { job.run.told },
        mailed: if must_tell { Some(now) } else { job.run.mailed },
        next_at,
        due,
        ..job.run.clone()
    };
    Ok((record, must_tell.then_some(MailKind::Failing)))
}

/// A file that a run has stored in the document.
#[derive(Debug, Clone)]
pub struct StoredFile {
    /// Entity tag of the download.
    pub etag: Option<String>,
    /// Revision of the document with its data.
    pub revision: i64,
    /// Mapping of its columns as JSON.
    pub mapping: String,
    /// Name of the worksheet. None if the file has none.
    pub sheet: Option<String>,
    /// Whether the file has no other visible worksheet.
    pub is_only_sheet: bool,
}

/// Returns the result of a successful run at `now`, and the mail about it. `file` is None if the source
/// has not changed.
///
/// # Errors
/// If the stored schedule is invalid.
pub fn successful_run(
    job: &SyncJob,
    file: Option<StoredFile>,
    now: Timestamp,
    limits: Limits,
) -> Result<(RunRecord, Option<MailKind>)> {
    let (next_at, due) = limits.next_run(job, now)?;
    let mut record = RunRecord {
        downloaded_at: Some(now),
        error: None,
        is_stopped: false,
        failures: 0,
        told: None,
        next_at,
        due,
        ..job.run.clone()
    };
    if let Some(StoredFile { etag, revision, mapping, sheet, is_only_sheet }) = file {
        (record.etag, record.revision, record.mapping) = (etag, Some(revision), Some(mapping));
        (record.found_sheet, record.is_only_sheet) = (sheet, is_only_sheet);
    }
    Ok((record, job.run.told.is_some().then_some(MailKind::Recovered)))
}

/// Returns the times of the next run of a job if its stored time is later by an interval or more, and
/// no failure explains it: a failure delays a run by at most `LONG_PAUSE` and an interval.
pub fn find_earlier_run(
    job: &SyncJob,
    limits: Limits,
    now: Timestamp,
) -> Option<(Option<Timestamp>, Option<Timestamp>)> {
    let (next_at, due) = limits.next_run(job, now).ok()?;
    let (stored, expected) = (job.run.next_at?, next_at?);
    let step = job.schedule().ok()?.step(limits.min_interval)?;
    let step = Duration::from_secs(u64::try_from(step).unwrap_or_default());
    let delay = if job.run.failures == 0 { step } else { LONG_PAUSE + step * 2 };
    (stored >= expected.saturating_add(delay)).then_some((next_at, due))
}

#[cfg(test)]
mod tests;
