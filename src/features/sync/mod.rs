//! Data sync: spreadsheets at other servers that keep the data of documents up to date.
//!
//! Routes: `/sync/…`, `/user/cloud/connections`. The jobs are stored by the feature
//! [`sync_jobs`](crate::features::sync_jobs).

pub mod http;
mod actions;
mod connected;
mod events;
mod known_table;
mod links;
mod mail;
mod outcome;
mod pages;
mod run;
mod runner;
mod source;
mod source_error;
mod tasks;

pub use mail::MAIL_TASK;
pub use mail::mail_recipient;
pub use mail::send_mail;
pub use runner::SyncRunner;
pub use tasks::resume_jobs;
