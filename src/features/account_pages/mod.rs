//! The pages of the own account: profile, password, second factor and sessions, API tokens, cloud
//! storage, notifications.
//!
//! Routes: `/account` and the paths below it. No tables.
//!
//! The pages work without scripts, like those of organizations: a form is sent to a path below its
//! page, and the server redirects to the page with a notice, or shows the form with its errors.

pub mod connections;
pub mod notifications;
pub mod profile;
pub mod second_factor;
pub mod security;
pub mod tokens;
mod devices;
mod frame;
