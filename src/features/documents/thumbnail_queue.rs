//! Enqueues the background tasks that render and remove thumbnails.

use std::time::Duration;

use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Result;
use chartroom_platform::id::NodeId;
use chartroom_platform::tasks as queue;

/// Name of the task that renders the thumbnail of a document. Its subject is the document id.
pub const RENDER_THUMBNAIL: &str = "documents.thumbnail";
/// Name of the task that removes the thumbnails of deleted documents. Its payload is the list of
/// ids.
pub const REMOVE_THUMBNAILS: &str = "documents.forget";

/// Delay after a save within an editing session, so that several saves cause only one rendering.
const THUMBNAIL_DELAY: Duration = Duration::from_secs(5);

/// Enqueues the rendering of a document's thumbnail as soon as this transaction is committed.
pub fn enqueue_thumbnail(tx: &WriteTx<'_>, id: &NodeId) -> Result<()> {
    queue::enqueue(tx, RENDER_THUMBNAIL, id.as_str(), "{}", tx.now)
}

/// Enqueues the rendering of a document's thumbnail in a few seconds. Further saves until then are
/// covered by the same task. A task that already waits keeps its earlier time.
pub fn enqueue_delayed_thumbnail(tx: &WriteTx<'_>, id: &NodeId) -> Result<()> {
    queue::enqueue(tx, RENDER_THUMBNAIL, id.as_str(), "{}", tx.now.saturating_add(THUMBNAIL_DELAY))
}

/// Enqueues the removal of the thumbnails of deleted documents. Does nothing if `deleted` is empty.
/// The task runs after the commit of this transaction.
pub fn enqueue_thumbnail_removal(tx: &WriteTx<'_>, deleted: &[NodeId]) -> Result<()> {
    let Some(first) = deleted.first() else { return Ok(()) };
    queue::enqueue(tx, REMOVE_THUMBNAILS, first.as_str(), &serde_json::to_string(deleted)?, tx.now)
}
