//! The current user as one object, including organizations, and the avatars of all accounts.
//!
//! Routes: `/user`, `POST /session`, `/users/{user_id}/avatar.svg`. No tables: this module combines
//! `accounts` and `orgs`.

pub mod http;
mod avatar;
