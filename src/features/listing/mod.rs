//! Listings: what is in a folder, in the trash, found by a search or shared by others.
//!
//! Routes: `/users/{user_id}/list…`, `/users/{user_id}/trash` (reading it). Tables: none of its own.
//! A page is the ids of its entries in their order, with what the caller may do with each;
//! [`entries`] makes the entries of them in one statement, whatever the number of documents.

pub mod http;
mod actions;
mod entries;
mod page;
mod store;
mod teams;

pub use entries::Entry;
pub use entries::Person;
pub use entries::entries;
pub use page::Listing;
pub use page::Page;
