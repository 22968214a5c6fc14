//! The task that deletes expired requests, assertions and codes.

use super::sign_in;
use crate::app::App;
use chartroom_platform::error::Result;
use chartroom_platform::tasks::Task;

/// Name of the task that deletes expired requests, assertions and codes.
pub const PURGE_TASK: &str = "sso.purge-expired";

/// Runs the task [`PURGE_TASK`].
pub fn purge_expired(app: &App, _: &Task) -> Result<()> {
    app.db.write_with_reserve(sign_in::delete_expired)
}
