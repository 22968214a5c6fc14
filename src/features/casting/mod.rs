//! Casting: a document on a second screen, opened by a token and told of every change.
//!
//! Routes: `/cast/sessions…` for the document's owner, `/cast/pair…` and `/cast/{token}/…` for screens;
//! the pages `/cast/receiver`, `/cast/{token}`, `/pair` and `/pair/{code}`. Tables: `cast_session`,
//! `cast_pairing`. A screen's token lends its maker's access: it opens nothing once he has lost it.

mod actions;
pub mod http;
mod pairing;
pub mod pages;
mod qr;
mod rules;
pub mod screen;
mod store;
mod tasks;
mod watcher;

pub use tasks::PURGE;
pub use tasks::purge;
pub use watcher::Watcher;
