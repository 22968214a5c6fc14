//! The tree: documents and folders as nodes, with owner, path, change numbers and the trash.
//!
//! No routes. Tables: `node`, `gone`, `storage_usage`. The contents of documents belong to
//! `documents`. Routes for folders are in `folders`.

mod actions;
mod rules;
mod staging;
mod storage;
mod store;
mod trash;
mod urls;

pub use actions::add_document;
pub use actions::create_folder;
pub use actions::create_folders;
pub use actions::find_deepest_folder;
pub use actions::folder_path;
pub use actions::list_subtree;
pub use actions::list_subtree_folders;
pub use actions::move_folder;
pub use actions::move_node;
pub use actions::parent_path;
pub use actions::touch;
pub use rules::FolderPath;
pub use rules::MAX_TITLE_CHARS;
pub use rules::Node;
pub use rules::NodePlacement;
pub use rules::append_number;
pub use rules::entity_tag;
pub use rules::parse_folder_name;
pub use rules::parse_title;
pub use staging::check_staged;
pub use staging::has_staged;
pub use staging::publish_staged;
pub use staging::remove_staged_batch;
pub use staging::stage_nodes;
pub use storage::NODE_BYTES;
pub use storage::ROW_BYTES;
pub use storage::add_stored_bytes;
pub use storage::set_stored_bytes;
pub use storage::storage_used;
pub use store::changes::count_active;
pub use store::changes::find_last_change_by;
pub use store::changes::list_active;
pub use store::changes::list_changed;
pub use store::changes::list_unchanged_below;
pub use store::changes::next_batch_end;
pub use store::count_owned_nodes;
pub use store::find_node;
pub use store::last_change_number;
pub use store::list_child_folders;
pub use store::list_trashed_child_folders;
pub use store::subtree::is_same_or_descendant;
pub use store::usage::list_wrong_usage;
pub use store::usage::rebuild_usage;
pub use trash::Expunged;
pub use trash::RestoreTarget;
pub use trash::current_entity_tag;
pub use trash::expunge;
pub use trash::find_restore_target;
pub use trash::find_trashed_folder;
pub use trash::find_unused_folder_name;
pub use trash::list_trash_roots;
pub use trash::move_to_trash;
pub use trash::purge_trash;
pub use trash::restore;
pub use urls::folder_api_url;
pub use urls::folder_page_url;
