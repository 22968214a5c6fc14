//! Folders as the interface shows them: addressed by path, made, changed, copied, thrown away.
//!
//! No tables of its own: where things are is `tree`'s, what documents hold is `documents`'.

mod store;
mod view;

pub use view::FolderUrls;
pub use view::FolderView;
pub use view::Viewer;
pub use view::hidden_in;
pub use view::urls;
