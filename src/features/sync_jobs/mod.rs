//! Sync jobs: which source keeps the data of a document up to date, when, and with what result.
//!
//! Table: `sync_job`, `sync_data`. A document has at most one job. The feature `sync` downloads the
//! sources; documents and lists only show the state of their job.

mod job;
mod schedule;
mod status;
mod store;

pub use job::DueJob;
pub use job::NewSyncJob;
pub use job::RunRecord;
pub use job::SyncJob;
pub use schedule::Schedule;
pub use schedule::TimeOfDay;
pub use status::DocumentSync;
pub use status::JobStatus;
pub use status::find_document_sync;
pub use status::list_document_syncs;
pub use store::count_jobs_of;
pub use store::delete_job;
pub use store::find_job;
pub use store::find_prepared_data;
pub use store::is_current;
pub use store::is_due;
pub use store::list_due_jobs;
pub use store::list_failed_jobs_of;
pub use store::list_scheduled_jobs;
pub use store::next_due;
pub use store::put_job;
pub use store::put_prepared_data;
pub use store::record_run;
pub use store::reschedule;
pub use store::resume_stopped_jobs;
