//! Background tasks: render and remove thumbnails, purge download tokens, thin the history.

use super::actions::download_tokens;
use super::actions::history;
use super::actions::thumbnails;
use crate::app::App;
use chartroom_platform::error::Result;
use chartroom_platform::id::NodeId;
use chartroom_platform::tasks::Task;
use chartroom_platform::time::Timestamp;

/// Name of the task that deletes expired download tokens. It recurs and has no subject.
pub const PURGE_TOKENS: &str = "documents.tokens";
/// Name of the task that thins the version history. It recurs and has no subject.
pub const THIN_HISTORY: &str = "documents.thin_history";

/// Removes the thumbnails of the deleted documents that the payload lists.
///
/// # Errors
/// If a file cannot be removed. The task can safely run again.
pub fn remove_thumbnails(app: &App, task: &Task) -> Result<()> {
    let deleted: Vec<NodeId> = serde_json::from_str(&task.payload)?;
    thumbnails::remove_thumbnails(app, &deleted)
}

/// Renders and stores the thumbnail of a document's current revision, unless it is already stored.
/// Removes the thumbnails of a document that no longer exists. Stores nothing for a document that
/// is too large to render. The subject of the task is the document id.
///
/// # Errors
/// If the document cannot be rendered or the file cannot be written. The task can safely run again.
pub fn render_thumbnail(app: &App, task: &Task) -> Result<()> {
    thumbnails::update_thumbnail(app, &NodeId::from_text(task.subject.as_str()))
}

/// Deletes expired download tokens.
///
/// # Errors
/// If the database cannot be written.
pub fn purge_tokens(app: &App, _: &Task) -> Result<()> {
    app.db.write_with_reserve(download_tokens::purge_expired_tokens)
}

/// Removes the versions that are due for thinning from the history of all documents, and logs their
/// number.
///
/// # Errors
/// If the database cannot be read or written. The task can safely run again.
pub fn thin_history(app: &App, _: &Task) -> Result<()> {
    let removed = history::thin_history_at(app, Timestamp::now())?;
    if removed > 0 {
        tracing::info!(removed, "thinned the version history");
    }
    Ok(())
}
