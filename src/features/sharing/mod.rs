//! Sharing documents and folders: with users, teams, e-mail addresses, and by link.
//!
//! Routes: `/share`, `/users/{user_id}/shares`, `…/foreign-folders…`, `…/foreign-documents…`,
//! `…/visible-folders`; the page `/s/{token}`. No tables: `access` stores the entries and decides
//! on access.

mod actions;
mod events;
mod foreign;
pub mod http;
mod links;
mod mail;
pub mod pages;
mod redeem;
mod register;
mod rules;
mod shares;
mod store;
mod tasks;
mod visible;

pub use foreign::list_foreign;
pub use mail::MAIL_TASK;
pub use mail::mail_recipient;
pub use mail::send_mail;
pub use tasks::accept_pending_invitations;
