//! Listings: what is in a folder, in the trash, found by a search or shared by others.
//!
//! Route: `/search`. Tables: none of its own. A page is the ids of its entries in their order,
//! with what the caller may do with each; [`entries`] makes the entries of them in one statement,
//! whatever the number of documents.

mod entries;
mod health;
mod index;
mod indexer;
mod search;
mod store;

pub use entries::Entry;
pub use entries::Listing;
pub use entries::Page;
pub use entries::PageQuery;
pub use entries::Person;
pub use entries::entries;
pub use health::check as check_index;
pub use health::reindex;
pub use indexer::Indexer;
pub use indexer::REINDEX;
pub use indexer::reindex_in_server;
pub use search::search;
