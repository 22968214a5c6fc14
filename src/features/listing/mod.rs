//! Listings: what is in a folder, in the trash, found by a search or shared by others.
//!
//! Routes: `/users/{user_id}/list…`, `/users/{user_id}/recent`, `/users/{user_id}/trash`
//! (reading it), `/search`. Tables: none
//! of its own. A page is the ids of its entries in their order, with what the caller may do with
//! each; [`entries`] makes the entries of them in one statement, whatever the number of documents.

pub mod http;
mod actions;
mod card;
mod entries;
mod health;
mod index;
mod indexer;
mod search;
mod page;
mod store;
mod teams;

pub use actions::Wish;
pub use actions::list;
pub use actions::recent;
pub use actions::trash;
pub use card::Card;
pub use card::Stamp;
pub use card::shown_title;
pub use entries::Entry;
pub use entries::Person;
pub use entries::entries;
pub use health::check as check_index;
pub use health::reindex;
pub use indexer::Indexer;
pub use indexer::REINDEX;
pub use indexer::reindex_in_server;
pub use page::Listing;
pub use search::find;
pub use search::search;
