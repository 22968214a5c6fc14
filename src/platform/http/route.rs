//! The definition of a route: method, path, handler and their properties.

use super::endpoint::Operation;
use super::request::Request;
use super::response::Response;
use crate::config::Config;
use crate::error::Result;

/// The thread pool that runs a handler. Separate pools keep slow work from delaying fast work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pool {
    /// Short reads. The handler runs with a shared database snapshot.
    Read,
    /// Writes. The pool has many threads, because each one waits for the disk.
    Write,
    /// Rendering and other computation, with one thread per core.
    Render,
}

/// The credentials of an operation as the OpenAPI document describes them.
///
/// This is documentation only. The handler checks the credentials.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Security {
    /// No credentials are needed.
    Open,
    /// Credentials are needed in some cases, for example not for a public document.
    Optional,
    /// The caller must be signed in.
    Required,
}

/// The handler of a route, including the application state that it captures.
pub type Handler = Box<dyn Fn(&Request) -> Result<Response> + Send + Sync>;

/// A route.
///
/// `H` is the type of the handler. The server runs [`Handler`]s. A route table can contain handlers
/// that still need the application's state as an argument, see [`Route::map_handler`].
pub struct Route<H = Handler> {
    /// Method, such as `GET`. HEAD and OPTIONS need no routes.
    pub method: &'static str,
    /// Path pattern: literals, `{name}`, `{name}.suffix`, and `{*name}` for the rest of the path.
    pub path: &'static str,
    /// Thread pool that runs the handler.
    pub pool: Pool,
    /// Maximum size of the request body. None means the configured default for JSON bodies.
    pub body_limit: Option<BodyLimit>,
    /// Credentials, as the OpenAPI document describes them.
    pub security: Security,
    /// Whether scripts of every origin may read the responses (CORS).
    ///
    /// Must be false unless the handler ignores all credentials outside the URL.
    pub allow_any_origin: bool,
    /// Function that handles a request.
    pub handler: H,
    /// Adds parameters, request body and responses to the OpenAPI operation.
    pub describe: fn(&mut Operation<'_>),
    /// Summary in the OpenAPI document. If None, the document omits the route (pages, health).
    pub summary: Option<&'static str>,
}

impl<H> Route<H> {
    /// Returns the route with its handler replaced by `map(handler)`.
    pub fn map_handler<T>(self, map: impl FnOnce(H) -> T) -> Route<T> {
        let Self {
            method,
            path,
            pool,
            body_limit,
            security,
            allow_any_origin,
            describe,
            summary,
            ..
        } = self;
        let handler = map(self.handler);
        Route {
            method,
            path,
            pool,
            body_limit,
            security,
            allow_any_origin,
            handler,
            describe,
            summary,
        }
    }

    /// Returns the maximum size of the request body in bytes.
    pub fn max_body_bytes(&self, config: &Config) -> usize {
        match self.body_limit {
            None => config.max_body_bytes,
            Some(BodyLimit::Document) => config.max_document_bytes,
            Some(BodyLimit::Bytes(bytes)) => bytes,
        }
    }
}

/// A maximum body size other than the default for JSON bodies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BodyLimit {
    /// The configured maximum size of a document.
    Document,
    /// A fixed number of bytes.
    Bytes(usize),
}
