//! Comments: threads pinned to places on a document's canvas, with mentions of people.
//!
//! Routes: `/users/{user_id}/documents/{doc}/comments…`. Tables: `thread`, `comment`, `mention`.
//! Threads belong to the document: they go to the trash, to another owner and for good with it, and a
//! copy begins without any. Who sees the document is decided by `access`; who of them are told to whom,
//! by `people`.

mod actions;
mod content;
pub mod http;
mod mail;
mod people;
mod store;
mod view;

pub use mail::MAIL;
pub use mail::addressee;
pub use mail::send as send_mail;
