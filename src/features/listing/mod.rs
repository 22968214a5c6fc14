//! Listings: the content of folders and of the trash, recent documents, and full-text search.
//!
//! Routes: `/users/{user_id}/list…`, `/users/{user_id}/recent`, `GET /users/{user_id}/trash`,
//! `/search`. No tables.
//!
//! A page starts as a list of node ids with the caller's access to each node. [`load_entries`]
//! turns it into entries with one SQL statement, so the cost does not depend on the number of
//! stored documents.

pub mod http;
mod actions;
mod card;
mod entries;
mod index_check;
mod index;
mod indexer;
mod search;
mod page;
mod store;
mod team_folders;

pub use actions::ListRequest;
pub use actions::RecentRequest;
pub use actions::count_trash;
pub use actions::list_folder;
pub use actions::list_recent;
pub use actions::list_trash;
pub use card::Card;
pub use card::DisplayTime;
pub use card::display_title;
pub use entries::ListingEntry;
pub use entries::ListingOwner;
pub use entries::load_entries;
pub use index_check::check_index;
pub use index_check::reindex;
pub use indexer::Indexer;
pub use indexer::REINDEX_TASK;
pub use indexer::run_reindex_task;
pub use page::Listing;
pub use search::search_nodes;
