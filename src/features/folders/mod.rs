//! Folders in the API: addressed by path; created, moved, copied, trashed and expunged.
//!
//! Routes: `/users/{user_id}/folders…`, `DELETE /users/{user_id}/trash`. No tables: `tree` stores
//! the position of nodes, `documents` stores their content.

pub mod http;
mod actions;
mod store;
mod tasks;
mod view;

pub use actions::copy::REMOVE_STAGED_TASK;
pub use tasks::PURGE_TRASH_TASK;
pub use tasks::purge_trash;
pub use tasks::remove_staged;
