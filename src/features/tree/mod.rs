//! Where things are: documents and folders as nodes, their owners, paths and the trash.
//!
//! No routes of its own. Tables: `node`, `gone`. What a document holds is `documents`' business; routes that
//! list, rename and move folders build on the same nodes, by the ids of their parents.

mod actions;
mod address;
mod rules;
mod store;

pub use actions::add_document;
pub use actions::deepest_folder;
pub use actions::expunge;
pub use actions::folder_path;
pub use actions::make_folders;
pub use actions::path;
pub use actions::place;
pub use actions::restore;
pub use actions::touch;
pub use actions::trash;
pub use address::folder_endpoint;
pub use address::folder_view;
pub use rules::FolderPath;
pub use rules::MAX_TITLE;
pub use rules::Node;
pub use rules::Place;
pub use rules::clean_title;
pub use store::changes::changed;
pub use store::changes::next_changes;
pub use store::changes::present;
pub use store::changes::present_count;
pub use store::changes::unchanged_below;
pub use store::find;
pub use store::last_change;
pub use store::owned_count;
