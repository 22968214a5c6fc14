//! The connection in the path of a request, and work with it.

use chartroom_cloud::CloudResult;
use chartroom_cloud::Provider;
use chartroom_cloud::Session;

use crate::app::App;
use crate::app::RequestContext;
use crate::features::accounts::User;
use crate::features::cloud;
use crate::features::cloud::CloudFailure;
use crate::features::cloud::Connection;
use chartroom_platform::error::Result;
use chartroom_platform::remote::Deadline;
use chartroom_platform::remote::MAX_REMOTE_TIME;

/// A connection and the deadline of the request that uses it.
pub struct Place<'a> {
    pub app: &'a App,
    pub connection: Connection,
    pub deadline: Deadline,
}

/// Checks that the connection in the path belongs to the caller, for a request with a body.
///
/// # Errors
/// `NotFound` unless the user has this connection. `Forbidden` if the organization permits no documents.
pub fn check_connection(request: &RequestContext, caller: &User) -> Result<()> {
    Place::of_path(request, caller).map(|_| ())
}

impl<'a> Place<'a> {
    /// Returns the connection in the path of a request.
    ///
    /// # Errors
    /// `NotFound` unless it is a connection of the caller to the provider in the path. `Forbidden` if the
    /// organization of the caller permits no documents.
    pub fn of_path(request: &RequestContext<'a>, caller: &User) -> Result<Self> {
        let (provider, id) = (request.param::<String>("provider")?, request.param("connection")?);
        let find = |tx: &chartroom_platform::db::Tx<'_>| {
            cloud::check_provider(tx, &caller.id, &provider, &id)
        };
        let connection = request.app.db.read(find)?;
        Ok(Self::new(request, connection))
    }

    /// Returns a connection for the work of a request.
    pub fn new(request: &RequestContext<'a>, connection: Connection) -> Self {
        let deadline = Deadline::since(request.received_at, MAX_REMOTE_TIME);
        Self { app: request.app, connection, deadline }
    }

    /// Checks that the connection has not ended, for a response that needs no request to the provider.
    ///
    /// # Errors
    /// `Cloud` with the kind `ReconnectRequired` if the user must permit the access again.
    pub fn require_access(&self) -> Result<()> {
        match self.connection.needs_reauth {
            true => Err(CloudFailure::ReconnectRequired.into_error(self.provider(), "document")),
            false => Ok(()),
        }
    }

    /// Returns the provider.
    pub fn provider(&self) -> Provider {
        self.connection.provider
    }

    /// Does work at the provider. `object` is the kind of object that a 404 names.
    ///
    /// # Errors
    /// Those of the work, in terms of the API.
    pub fn run<T>(
        &self,
        object: &'static str,
        work: impl Fn(&Session<'_>) -> CloudResult<T>,
    ) -> Result<T> {
        cloud::with_session(self.app, &self.connection, self.deadline, work)
            .map_err(|failure| failure.into_error(self.provider(), object))
    }

    /// Returns the address of the connection in the API.
    pub fn endpoint(&self) -> String {
        let base_url = &self.app.config.base_url;
        format!("{base_url}/api/v1/cloud/{}/{}", self.provider().as_str(), self.connection.id)
    }
}
