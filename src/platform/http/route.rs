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
    /// Rendering and other computation.
    Render,
    /// Requests that wait for other servers, possibly until a timeout.
    Remote,
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
    /// The caller must send an API token. No other credentials count.
    Token,
}

/// The handler of a route, including the application state that it captures.
pub type Handler = Box<dyn Fn(&Request) -> Result<Response> + Send + Sync>;

/// Checks the credentials, and possibly the access, of a request before its body is read.
pub type AccessCheck = Box<dyn Fn(&Request) -> Result<()> + Send + Sync>;

/// A route.
///
/// `H` is the type of the handler and `C` that of the access check. The server runs [`Handler`]s. A
/// route table can contain functions that still need the application's state as an argument, see
/// [`Route::map`].
pub struct Route<H = Handler, C = AccessCheck> {
    /// Method, such as `GET`. HEAD and OPTIONS need no routes.
    pub method: &'static str,
    /// Path pattern: literals, `{name}`, `{name}.suffix`, and `{*name}` for the rest of the path.
    pub path: &'static str,
    /// Thread pool that runs the handler.
    pub pool: Pool,
    /// Returns by the request body whether the write pool runs the handler instead of `pool`. None if
    /// it never does.
    pub is_write: Option<fn(&[u8]) -> bool>,
    /// Maximum size of the request body. None means the configured default for JSON bodies.
    pub body_limit: Option<BodyLimit>,
    /// Credentials, as the OpenAPI document describes them.
    pub security: Security,
    /// Whether scripts of every origin may read the responses (CORS).
    ///
    /// Must be false unless the handler ignores all credentials outside the URL.
    pub allow_any_origin: bool,
    /// Checks the caller before the server reads a body that is not small. The handler checks
    /// again. None if everybody may send a body.
    pub access_check: Option<C>,
    /// Function that handles a request.
    pub handler: H,
    /// Adds parameters, request body and responses to the OpenAPI operation.
    pub describe: fn(&mut Operation<'_>),
    /// Summary in the OpenAPI document. If None, the document omits the route (pages, health).
    pub summary: Option<&'static str>,
}

impl<H, C> Route<H, C> {
    /// Returns the route with its handler and its access check replaced by the results of the
    /// functions.
    pub fn map<T, U>(
        self,
        map_handler: impl FnOnce(H) -> T,
        map_access_check: impl FnOnce(C) -> U,
    ) -> Route<T, U> {
        Route {
            method: self.method,
            path: self.path,
            pool: self.pool,
            is_write: self.is_write,
            body_limit: self.body_limit,
            security: self.security,
            allow_any_origin: self.allow_any_origin,
            access_check: self.access_check.map(map_access_check),
            handler: map_handler(self.handler),
            describe: self.describe,
            summary: self.summary,
        }
    }

    /// Returns the thread pool that runs the handler for a request with this body.
    pub fn choose_pool(&self, body: &[u8]) -> Pool {
        if self.is_write.is_some_and(|is_write| is_write(body)) { Pool::Write } else { self.pool }
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
