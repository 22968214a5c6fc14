//! The state that the HTTP server needs of the application that it serves.

use super::limits::Limits;
use crate::config::Config;
use crate::db::Db;

/// An application that [`server::run`](super::server::run) can serve.
///
/// The handlers reach the rest of the application's state by themselves: the route table closes
/// over it. So this package does not know that state, and the server does not depend on it.
pub trait Application: Send + Sync + 'static {
    /// The resolved settings.
    fn config(&self) -> &Config;

    /// The database, whose snapshots the server shares between handlers.
    fn db(&self) -> &Db;

    /// The rate limits of clients.
    fn limits(&self) -> &Limits;
}
