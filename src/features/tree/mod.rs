//! Where things are: documents and folders as nodes, their owners, paths and the trash.
//!
//! No routes of its own. Tables: `node`, `gone`. What a document holds is `documents`' business; routes that
//! list, rename and move folders build on the same nodes, by the ids of their parents.

mod actions;
mod address;
mod rules;
mod store;
mod trash;

pub use actions::add_document;
pub use actions::add_folder;
pub use actions::deepest_folder;
pub use actions::folder_path;
pub use actions::make_folders;
pub use actions::move_folder;
pub use actions::path;
pub use actions::place;
pub use actions::subtree;
pub use actions::touch;
pub use address::folder_endpoint;
pub use address::folder_view;
pub use rules::FolderPath;
pub use rules::MAX_TITLE;
pub use rules::Node;
pub use rules::Place;
pub use rules::clean_name;
pub use rules::clean_title;
pub use rules::tag;
pub use store::changes::changed;
pub use store::changes::next_changes;
pub use store::changes::present;
pub use store::changes::present_count;
pub use store::changes::unchanged_below;
pub use store::find;
pub use store::folders_in;
pub use store::last_change;
pub use store::owned_count;
pub use store::trashed_folders_in;
pub use trash::Home;
pub use trash::expunge;
pub use trash::free_title;
pub use trash::home;
pub use trash::purge;
pub use trash::restore;
pub use trash::tag_of;
pub use trash::trash;
pub use trash::trashed;
pub use trash::trashed_folder;
