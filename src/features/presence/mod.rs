//! Presence: shows people who have a document open to each other, and notifies them of its changes.
//!
//! Route: `/users/{user_id}/documents/{doc}/presence`, an event stream. Tables: none. The open streams
//! are the only state, so that presence ends with the process.
//!
//! Only signed-in callers may open a stream. A guest with a link has no account to show. A caller who
//! may read the document only because it is public gets its changes, but neither sees people nor is
//! seen by them, because publishing a document does not publish the names of its readers.

pub mod http;
mod notifier;
mod people;
mod watcher;

pub use notifier::request_check;
pub use notifier::start_notifier;
pub use watcher::is_presence_subject;
