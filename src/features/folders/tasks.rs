//! Work without a caller: what was in the trash long enough goes for good.

use crate::app::App;
use crate::features::documents;
use crate::features::tree;
use chartroom_platform::error::Result;
use chartroom_platform::tasks::Task;

/// Name of the task that purges the trash.
pub const PURGE: &str = "folders.purge";
/// Most things that one transaction removes, what they took along apart.
const BATCH: u32 = 50;

/// Removes what is in the trash for longer than it is kept.
///
/// # Errors
/// When the database fails; trying again does no harm.
pub fn purge(app: &App, _: &Task) -> Result<()> {
    let keep = app.config.trash_retention;
    loop {
        let gone = app.db.write(move |tx| {
            let gone = tree::purge(tx, tx.now.before(keep), BATCH)?;
            documents::forget(tx, gone.as_deref().unwrap_or_default())?;
            Ok(gone)
        })?;
        match gone {
            Some(gone) => tracing::info!(documents = gone.len(), "purged the trash"),
            None => return Ok(()),
        }
    }
}
