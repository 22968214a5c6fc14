//! What the service does, one folder a part of the interface, in the order to read in.
//! A part may use only those above it, and only through its door (`mod.rs`).

pub mod accounts;
pub mod tree;
pub mod orgs;
pub mod access;
pub mod portfolio;
pub mod documents;
pub mod folders;
pub mod listing;
pub mod sharing;
pub mod comments;
pub mod casting;
pub mod me;
pub mod pages;
