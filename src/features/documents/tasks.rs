//! Thumbnails drawn in the background, since lists show many of them at once.

use std::time::Duration;

use super::picture;
use super::store;
use super::store::tokens;
use super::thumbnails;
use crate::app::App;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Result;
use chartroom_platform::id::NodeId;
use chartroom_platform::tasks as queue;
use chartroom_platform::tasks::Task;

/// Name of the task that draws a thumbnail; its subject is the document's id.
pub const THUMBNAIL: &str = "documents.thumbnail";
/// Name of the task that removes the thumbnails of documents that are gone.
pub const FORGET: &str = "documents.forget";
/// Name of the task that forgets download tokens that have expired.
pub const PURGE_TOKENS: &str = "documents.tokens";

/// How long after a save in the middle of an editing session: the saves meanwhile are drawn as one.
const PAUSE: Duration = Duration::from_secs(5);

/// Has the thumbnail drawn after this transaction.
pub fn enqueue_thumbnail(tx: &WriteTx<'_>, id: &NodeId) -> Result<()> {
    queue::enqueue(tx, THUMBNAIL, id.as_str(), "{}", tx.now)
}

/// Has the thumbnail drawn some seconds after this transaction, once for all the saves till then.
pub fn enqueue_thumbnail_later(tx: &WriteTx<'_>, id: &NodeId) -> Result<()> {
    queue::enqueue(tx, THUMBNAIL, id.as_str(), "{}", tx.now.after(PAUSE))
}

/// Has the thumbnails of documents that are gone removed after this transaction.
pub fn forget(tx: &WriteTx<'_>, gone: &[NodeId]) -> Result<()> {
    let Some(first) = gone.first() else { return Ok(()) };
    queue::enqueue(tx, FORGET, first.as_str(), &serde_json::to_string(gone)?, tx.now)
}

/// Runs what [`forget`] enqueued.
///
/// # Errors
/// When a file cannot be removed; trying again does no harm.
pub fn remove_thumbnails(app: &App, task: &Task) -> Result<()> {
    let gone: Vec<NodeId> = serde_json::from_str(&task.payload)?;
    gone.iter().try_for_each(|id| thumbnails::remove(app, id))
}

/// Draws the thumbnail of a document; removes it when the document is gone.
///
/// # Errors
/// When it cannot be drawn or written; trying again does no harm.
pub fn make_thumbnail(app: &App, task: &Task) -> Result<()> {
    let id = &NodeId::from_text(task.subject.as_str());
    let Some(head) = app.db.read(|tx| store::find(tx, id))? else {
        return thumbnails::remove(app, id);
    };
    if thumbnails::stored(app, &head)?.is_some() {
        return Ok(());
    }
    let source = app.db.read(|tx| match store::find(tx, id)? {
        Some(head) => Ok(Some(picture::load(tx, head)?)),
        None => Ok(None),
    })?;
    let Some(source) = source else { return thumbnails::remove(app, id) };
    thumbnails::keep(app, &source.head, &thumbnails::draw(&source)?)
}

/// Forgets download tokens that have expired.
///
/// # Errors
/// When the database cannot be written.
pub fn purge_tokens(app: &App, _: &Task) -> Result<()> {
    app.db.write(tokens::purge)
}
