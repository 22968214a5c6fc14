//! Work without a caller: sessions and codes that are over go.

use super::store;
use crate::app::App;
use chartroom_platform::error::Result;
use chartroom_platform::tasks::Task;

/// Name of the task that removes sessions and codes that are over.
pub const PURGE: &str = "casting.purge";

/// Removes sessions and codes that are over.
///
/// # Errors
/// When the database cannot be written.
pub fn purge(app: &App, _: &Task) -> Result<()> {
    app.db.write(store::purge)
}
