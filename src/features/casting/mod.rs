//! Casting: shows a document on a second screen, which a token authenticates and which follows
//! every change.
//!
//! Routes: `/cast/sessions…` for the document's owner, `/cast/pair…` and `/cast/{token}/…` for
//! screens; the pages `/cast/receiver`, `/cast/{token}`, `/pair` and `/pair/{code}`. Tables:
//! `cast_session`, `cast_pairing`.
//!
//! A screen's token acts with the access of the session's creator. If the creator loses that
//! access, the token stops working.

mod actions;
pub mod http;
mod pairing;
pub mod pages;
mod rules;
pub mod screen;
mod store;
mod tasks;
mod screen_notifier;

pub use actions::revoke_sessions_of_user;
pub use screen_notifier::start_notifier;
pub use tasks::PURGE_TASK;
pub use tasks::purge_expired;
