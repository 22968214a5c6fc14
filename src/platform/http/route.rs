//! One row of the route table.

use super::endpoint::Operation;
use super::request::Request;
use super::response::Response;
use crate::config::Config;
use crate::error::Result;

/// Which threads run a handler, so that slow work does not starve quick work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pool {
    /// Short reads.
    Read,
    /// Writes: many threads, since each waits for the disk.
    Write,
    /// Drawing and other computing.
    Draw,
    /// Waits for remote sources.
    Remote,
}

/// What the OpenAPI document says of credentials.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Security {
    /// None are needed.
    Open,
    /// The handler looks for them itself (a token, a public document, a caller).
    Optional,
    /// A signed-in caller.
    Signed,
}

/// What runs for a route.
pub type Handler = Box<dyn Fn(&Request) -> Result<Response> + Send + Sync>;

/// One route. `H` is the type of its handler: the server runs [`Handler`]s; a route table may have
/// handlers that still lack the state of the application, see [`Route::map_handler`].
pub struct Route<H = Handler> {
    /// `GET`, `PUT` and so on. HEAD and OPTIONS need no rows.
    pub method: &'static str,
    /// The path: literals, `{name}`, `{name}.suffix`, and `{*name}` for the rest.
    pub path: &'static str,
    /// Which threads run it.
    pub pool: Pool,
    /// Most bytes of its body; `None` is the configured default for JSON bodies.
    pub body_limit: Option<BodyLimit>,
    /// Who may call it.
    pub security: Security,
    /// Whether scripts of other sites may read its answers (CORS): only where no credentials count
    /// but those in the address.
    pub any_site: bool,
    /// What runs.
    pub handler: H,
    /// Describes parameters, body and answer.
    pub describe: fn(&mut Operation<'_>),
    /// One sentence for the OpenAPI document; none keeps the route out of it (pages, health).
    pub summary: Option<&'static str>,
}

impl<H> Route<H> {
    /// Returns the same route with another handler.
    pub fn map_handler<T>(self, map: impl FnOnce(H) -> T) -> Route<T> {
        let Self { method, path, pool, body_limit, security, any_site, describe, summary, .. } =
            self;
        let handler = map(self.handler);
        Route { method, path, pool, body_limit, security, any_site, handler, describe, summary }
    }

    /// Most bytes of its body.
    pub fn body_bytes(&self, config: &Config) -> usize {
        match self.body_limit {
            None => config.max_body_bytes,
            Some(BodyLimit::Document) => config.max_document_bytes,
            Some(BodyLimit::Bytes(bytes)) => bytes,
        }
    }
}

/// A limit other than the default for JSON bodies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BodyLimit {
    /// The configured limit of documents.
    Document,
    /// This many bytes.
    Bytes(usize),
}
