//! Sharing: with users, teams, addresses and by link; what others share with one, and what a link
//! opens.
//!
//! Routes: `/share`; the page of what is shared. Tables: none of its own, the entries are
//! `access`'s. Who may do what because of an entry is decided there.

mod actions;
pub mod http;
mod mail;
mod open;
mod rules;
mod store;

pub use mail::MAIL;
pub use mail::send as send_mail;
