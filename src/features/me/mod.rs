//! The current user as one object, with what he belongs to, and everybody's avatars.
//!
//! Routes: `/user`, `/session` (beginning one), `/users/{user_id}/avatar.svg`. No tables: it joins
//! what `accounts` and `orgs` know.

pub mod http;
mod avatar;
