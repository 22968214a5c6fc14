//! Recurring work: refresh of connections without use, expired requests.

use std::time::Duration;

use super::actions;
use super::tokens;
use crate::app::App;
use chartroom_platform::error::Result;
use chartroom_platform::remote::Deadline;
use chartroom_platform::remote::MAX_REMOTE_TIME;
use chartroom_platform::tasks::Task;
use chartroom_platform::time::Timestamp;

/// Name of the task that refreshes connections without use.
pub const KEEP_ALIVE_TASK: &str = "cloud.keep-alive";
/// Name of the task that deletes expired requests for access.
pub const PURGE_TASK: &str = "cloud.purge-expired";

/// Time without a refresh after which the tokens are refreshed. The refresh tokens of Box expire after 60
/// days, those of OneDrive after 90, those of Google after 6 months.
const MAX_UNUSED_TIME: Duration = Duration::from_hours(24 * 30);
/// Maximum number of connections that one run of the task refreshes. The next run continues.
const MAX_REFRESHED: u32 = 200;

/// Runs the task [`KEEP_ALIVE_TASK`]. A provider that fails keeps no other connection from its refresh.
pub fn refresh_unused(app: &App, _: &Task) -> Result<()> {
    let before = Timestamp::now().saturating_sub(MAX_UNUSED_TIME);
    let unused = app.db.read(|tx| actions::list_unused(tx, before, MAX_REFRESHED))?;
    for connection in unused {
        let deadline = Deadline::after(MAX_REMOTE_TIME);
        // The access token has expired long ago, so that the session begins with a refresh.
        let result = tokens::with_session(app, &connection, deadline, |_| Ok(()));
        if let Err(failure) = result {
            let (id, provider) = (&connection.id, connection.provider.as_str());
            tracing::info!(?failure, %id, provider, "an unused connection was not refreshed");
        }
    }
    Ok(())
}

/// Runs the task [`PURGE_TASK`].
pub fn purge_expired(app: &App, _: &Task) -> Result<()> {
    app.db.write_with_reserve(actions::delete_expired_states)
}
