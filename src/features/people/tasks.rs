//! The task that deletes expired invites and confirmations.

use super::invites;
use super::seats;
use crate::app::App;
use chartroom_platform::error::Result;
use chartroom_platform::tasks::Task;

/// Name of the task that deletes expired invites and confirmations.
pub const PURGE_TASK: &str = "people.purge";

/// Runs the task [`PURGE_TASK`].
pub fn purge_expired(app: &App, _: &Task) -> Result<()> {
    app.db.write_with_reserve(|tx| {
        seats::delete_expired_confirmations(tx)?;
        invites::delete_expired(tx)
    })
}
