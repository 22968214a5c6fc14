//! Thumbnails: drawn in the background, kept as files, since lists show many of them at once.

use std::fs;
use std::io::ErrorKind;
use std::path::PathBuf;

use super::picture;
use super::picture::Options;
use super::store;
use crate::platform::App;
use crate::platform::db::WriteTx;
use crate::platform::error::Result;
use crate::platform::id::NodeId;
use crate::platform::tasks as queue;
use crate::platform::tasks::Task;

/// Name of the task that draws a thumbnail; its subject is the document's id.
pub const THUMBNAIL: &str = "documents.thumbnail";
/// Name of the task that removes the thumbnails of documents that are gone.
pub const FORGET: &str = "documents.forget";
/// Name of the task that gives copies of documents the thumbnails of their originals.
pub const COPY: &str = "documents.copy_thumbnails";
/// Width of a thumbnail in points; its height follows from the document's layout.
const WIDTH: f64 = 320.0;

/// Has the thumbnail drawn after this transaction.
pub fn enqueue_thumbnail(tx: &WriteTx<'_>, id: &NodeId) -> Result<()> {
    queue::enqueue(tx, THUMBNAIL, id.as_str(), "{}", tx.now)
}

/// Has the thumbnails of documents that are gone removed after this transaction.
pub fn forget(tx: &WriteTx<'_>, gone: &[NodeId]) -> Result<()> {
    let Some(first) = gone.first() else { return Ok(()) };
    queue::enqueue(tx, FORGET, first.as_str(), &serde_json::to_string(gone)?, tx.now)
}

/// Has copies take over the thumbnails of their originals after this transaction: pairs of an
/// original and its copy.
pub fn copy_thumbnails(tx: &WriteTx<'_>, copies: &[(NodeId, NodeId)]) -> Result<()> {
    let Some((_, first)) = copies.first() else { return Ok(()) };
    queue::enqueue(tx, COPY, first.as_str(), &serde_json::to_string(copies)?, tx.now)
}

/// Runs what [`forget`] enqueued.
///
/// # Errors
/// When a file cannot be removed; trying again does no harm.
pub fn remove_thumbnails(app: &App, task: &Task) -> Result<()> {
    let gone: Vec<NodeId> = serde_json::from_str(&task.payload)?;
    gone.iter().try_for_each(|id| remove(app, id))
}

/// Runs what [`copy_thumbnails`] enqueued. A copy whose original has no thumbnail goes without: it is
/// drawn when somebody wants to see it.
///
/// # Errors
/// When a file cannot be written; trying again does no harm.
pub fn take_over_thumbnails(app: &App, task: &Task) -> Result<()> {
    let copies: Vec<(NodeId, NodeId)> = serde_json::from_str(&task.payload)?;
    for (original, copy) in &copies {
        if let Some(bytes) = stored(app, original)?
            && stored(app, copy)?.is_none()
        {
            keep(app, copy, &bytes)?;
        }
    }
    Ok(())
}

/// Draws the thumbnail of a document; removes it when the document is gone.
///
/// # Errors
/// When it cannot be drawn or written; trying again does no harm.
pub fn make_thumbnail(app: &App, task: &Task) -> Result<()> {
    let id = &NodeId::from_text(task.subject.as_str());
    let Some(bytes) = draw(app, id)? else { return remove(app, id) };
    keep(app, id, &bytes)
}

fn keep(app: &App, id: &NodeId, bytes: &[u8]) -> Result<()> {
    let path = path(app, id);
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    // Written aside and renamed, so that nobody reads half a picture.
    let aside = path.with_extension("new");
    fs::write(&aside, bytes)?;
    fs::rename(&aside, &path)?;
    // It may have gone meanwhile, and its picture have been removed before this one came.
    match app.db.read(|tx| store::find(tx, id))? {
        Some(_) => Ok(()),
        None => remove(app, id),
    }
}

/// The stored thumbnail, if it has been drawn.
pub fn stored(app: &App, id: &NodeId) -> Result<Option<Vec<u8>>> {
    match fs::read(path(app, id)) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Draws a thumbnail now; none when there is no such document.
pub fn draw(app: &App, id: &NodeId) -> Result<Option<Vec<u8>>> {
    let source = app.db.read(|tx| match store::find(tx, id)? {
        Some(head) => Ok(Some(picture::load(tx, head)?)),
        None => Ok(None),
    })?;
    let Some(source) = source else { return Ok(None) };
    let (width, height) = picture::size(&source.head, &Options::default())?;
    // A very tall or flat layout still gives a picture of sane size.
    let height = (WIDTH * height / width).clamp(80.0, 640.0);
    let options =
        Options { width: Some(WIDTH), height: Some(height), scale: 1.0, ..Options::default() };
    Ok(Some(picture::png(&source, &options)?))
}

fn remove(app: &App, id: &NodeId) -> Result<()> {
    match fs::remove_file(path(app, id)) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error.into()),
        _ => Ok(()),
    }
}

fn path(app: &App, id: &NodeId) -> PathBuf {
    // Ids of documents that exist are UUIDs made here, so they are plain file names.
    app.config.data_dir.join("thumbnails").join(format!("{id}.png"))
}
