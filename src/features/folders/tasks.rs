//! Background tasks: purging the trash, and removing staged nodes.

use super::actions::copy;
use super::actions::trash;
use crate::app::App;
use chartroom_platform::error::Result;
use chartroom_platform::id::NodeId;
use chartroom_platform::tasks::Task;

/// Name of the task that expunges nodes after their retention time in the trash.
pub const PURGE_TRASH_TASK: &str = "folders.purge";
/// Maximum number of trashed nodes that one transaction expunges, not counting their descendants.
const BATCH_SIZE: u32 = 50;

/// Expunges all nodes that were in the trash longer than `trash_retention`. Runs transactions until
/// no node is due.
///
/// # Errors
/// If the database fails. A retry is safe.
pub fn purge_trash(app: &App, _: &Task) -> Result<()> {
    let retention = app.config.trash_retention;
    loop {
        match app
            .db
            .write_with_reserve(move |tx| trash::purge_trash_batch(tx, retention, BATCH_SIZE))?
        {
            Some(batch) => {
                batch.staged.iter().for_each(|id| copy::discard_staged(&app.db, id));
                tracing::info!(documents = batch.documents, "purged the trash");
            }
            None => return Ok(()),
        }
    }
}

/// Removes the staged nodes of an interrupted copy or deletion. Does nothing if a copy was
/// published. The subject of the task is the node at the top.
///
/// # Errors
/// If the database fails. A retry is safe.
pub fn remove_staged(app: &App, task: &Task) -> Result<()> {
    copy::remove_staged(&app.db, &NodeId::from_text(task.subject.as_str()))
}
