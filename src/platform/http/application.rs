//! The interface between the HTTP server and the application that it serves.

use std::sync::Arc;

use super::event_hub::EventHub;
use super::problem::ErrorPage;
use super::rate_limits::RateLimits;
use super::route::Route;
use crate::config::Config;
use crate::db::Db;
use crate::memory_use::MemoryUse;

/// An application that [`server::run`](super::server::run) can serve.
///
/// The trait contains only the state that the server itself needs. The handlers reach all other
/// state of the application because the closures in the route table capture it. So this package
/// does not depend on the application.
pub trait Application: Send + Sync + 'static {
    /// Returns the resolved settings.
    fn config(&self) -> &Config;

    /// Returns the database. The server shares its snapshots between handlers.
    fn db(&self) -> &Db;

    /// Returns the rate limits of clients.
    fn rate_limits(&self) -> &RateLimits;

    /// Returns the open event streams. The server limits them to a part of its connections.
    fn event_hub(&self) -> &EventHub;

    /// Returns the counters of the memory of all requests, which the server shares with the budgets of
    /// the application.
    fn memory_use(&self) -> &Arc<MemoryUse>;
}

/// An application with its routes, ready to be served.
pub struct Service {
    /// State that the server itself needs.
    pub app: Arc<dyn Application>,
    /// All routes. Their handlers capture the application's state.
    pub routes: Vec<Route>,
    /// Renders an error as a page for a browser. If None, every error is a problem document.
    pub error_page: Option<ErrorPage>,
}
