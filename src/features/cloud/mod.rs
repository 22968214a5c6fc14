//! Connections of users to their accounts at providers of cloud storage.
//!
//! Routes: `/cloud/oauth/{provider}/…`, `/sync/providers`, `/sync/connections`,
//! `/user/cloud/connections`, `POST /cloud/{provider}/{connection}/rename` and
//! `DELETE /cloud/{provider}/{connection}`. Tables: `cloud_connection`, `cloud_state`.
//!
//! The package [`chartroom_cloud`] has the requests to the providers. This feature keeps the tokens: they are
//! encrypted in the database, and leave this server only to their provider. One request at a time uses a
//! connection, so that no two refresh its tokens at once.

pub mod http;
pub mod oauth;
mod actions;
mod check;
mod connection;
mod failure;
mod item_ids;
mod provider_config;
mod revocation;
mod store;
mod tasks;
mod tokens;

pub use actions::CONNECTED_TASK;
pub use actions::check_provider;
pub use actions::delete_connection;
pub use actions::delete_connections;
pub use actions::find_connection;
pub use actions::list_connections;
pub use actions::rename_connection;
pub use check::CheckStep;
pub use check::StepResult;
pub use check::check_settings;
pub use connection::Connection;
pub use failure::CloudFailure;
pub use failure::CloudOutcome;
pub use item_ids::decode as decode_id;
pub use item_ids::encode as encode_id;
pub use item_ids::is_source_address;
pub use item_ids::parse_source_address;
pub use item_ids::source_address;
pub use provider_config::find_settings;
pub use revocation::REVOKE_TASK;
pub use revocation::revoke_tokens;
pub use tasks::KEEP_ALIVE_TASK;
pub use tasks::PURGE_TASK;
pub use tasks::purge_expired;
pub use tasks::refresh_unused;
pub use tokens::with_session;
