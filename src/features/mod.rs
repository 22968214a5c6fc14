//! The features of the service, one module each, in reading order.
//!
//! A feature may use only the features above it, and only through their `mod.rs`.

pub mod audit;
pub mod accounts;
pub mod tree;
pub mod portfolio;
pub mod orgs;
pub mod access;
pub mod tables;
pub mod table_reader;
pub mod cloud;
pub mod sync_jobs;
pub mod documents;
pub mod folders;
pub mod listing;
pub mod stars;
pub mod sharing;
pub mod comments;
pub mod presence;
pub mod casting;
pub mod sync;
pub mod external;
pub mod people;
pub mod sso;
pub mod scim;
pub mod org_pages;
pub mod me;
pub mod account_pages;
pub mod pages;
