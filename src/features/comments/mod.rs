//! Comments: threads at positions on a document's canvas, with mentions of users.
//!
//! Routes: `/users/{user_id}/documents/{doc}/comments…`. Tables: `thread`, `comment`, `mention`.
//!
//! Threads belong to the document: they are trashed, transferred and expunged with it. A copy
//! starts without threads. `access` decides who may read the comments; `team_members` decides which
//! team members the caller may see.

mod actions;
mod content;
pub mod http;
mod mail;
mod store;
mod team_members;
mod thread;
mod view;

pub use mail::MAIL_TASK;
pub use mail::mail_recipient;
pub use mail::send_mail;
