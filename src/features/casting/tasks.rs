//! Background task that deletes expired sessions and codes.

use super::actions;
use crate::app::App;
use chartroom_platform::error::Result;
use chartroom_platform::tasks::Task;

/// Name of the task that deletes expired sessions and codes.
pub const PURGE_TASK: &str = "casting.purge";

/// Deletes sessions that were revoked or inactive for too long, and expired codes.
///
/// # Errors
/// If the database fails. A retry is safe.
pub fn purge_expired(app: &App, _: &Task) -> Result<()> {
    app.db.write_with_reserve(actions::purge_expired)
}
