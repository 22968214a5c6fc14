//! The current user as one object, including organizations, and the avatars of all accounts.
//!
//! Routes: `/user`, `/user/avatar`, `POST /session`, `/users/{user_id}/avatar.svg`. Table: `avatar`.
//! The rest of the module combines `accounts` and `orgs`.

pub mod avatar_upload;
pub mod http;
mod avatar;
mod store;
