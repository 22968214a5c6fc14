//! Folders as the interface shows them: addressed by path, made, changed, copied, thrown away.
//!
//! Routes: `/users/{user_id}/folders…`, `DELETE /users/{user_id}/trash`. No tables of its own: where
//! things are is `tree`'s, what documents hold is `documents`'.

pub mod http;
mod actions;
mod store;
mod tasks;
mod view;

pub use tasks::PURGE;
pub use tasks::purge;
pub use view::FolderUrls;
pub use view::FolderView;
pub use view::Viewer;
pub use view::hidden_in;
pub use view::urls;
