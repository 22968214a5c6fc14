//! Sharing: with users, teams, addresses and by link; what others share with one, and what a link
//! opens.
//!
//! Routes: `/share`, `/users/{user_id}/shares`, `…/foreign-folders…`, `…/foreign-documents…`,
//! `…/visible-folders`; the page `/s/{token}`. Tables: none of its own, the entries are `access`'s.
//! Who may do what because of an entry is decided there.

mod actions;
mod foreign;
pub mod http;
mod ledger;
mod mail;
mod open;
pub mod pages;
mod rules;
mod store;
mod visible;

pub use foreign::list as list_foreign;
pub use mail::MAIL;
pub use mail::addressee;
pub use mail::send as send_mail;
pub use open::claim;
