//! Background task that deletes old events.

use super::actions;
use crate::app::App;
use chartroom_platform::error::Result;
use chartroom_platform::tasks::Task;

/// Name of the task that deletes events after their retention time.
pub const PURGE_TASK: &str = "audit.purge";

/// Maximum number of events that one transaction deletes, because other writers wait for it.
const BATCH_SIZE: u32 = 500;

/// Deletes all events that are older than the retention time. Runs transactions until none is left.
///
/// # Errors
/// If the database fails. A retry is safe.
pub fn purge_expired(app: &App, _: &Task) -> Result<()> {
    while app.db.write_with_reserve(|tx| actions::purge_batch(tx, BATCH_SIZE))? > 0 {}
    Ok(())
}
