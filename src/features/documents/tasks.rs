//! Thumbnails: drawn in the background, kept as files, since lists show many of them at once.

use std::fs;
use std::io::ErrorKind;
use std::path::PathBuf;

use super::picture;
use super::picture::Options;
use super::store;
use super::store::tokens;
use crate::platform::App;
use crate::platform::db::WriteTx;
use crate::platform::error::Result;
use crate::platform::id::NodeId;
use crate::platform::tasks as queue;
use crate::platform::tasks::Task;

/// Name of the task that draws a thumbnail; its subject is the document's id.
pub const THUMBNAIL: &str = "documents.thumbnail";
/// Name of the task that forgets download tokens that have expired.
pub const PURGE_TOKENS: &str = "documents.tokens";
/// Width of a thumbnail in points; its height follows from the document's layout.
const WIDTH: f64 = 320.0;

/// Has the thumbnail drawn after this transaction.
pub fn enqueue_thumbnail(tx: &WriteTx<'_>, id: &NodeId) -> Result<()> {
    queue::enqueue(tx, THUMBNAIL, id.as_str(), "{}", tx.now)
}

/// Draws the thumbnail of a document; removes it when the document is gone.
///
/// # Errors
/// When it cannot be drawn or written; trying again does no harm.
pub fn make_thumbnail(app: &App, task: &Task) -> Result<()> {
    let id = &NodeId::from_text(task.subject.as_str());
    let Some(bytes) = draw(app, id)? else { return remove(app, id) };
    let path = path(app, id);
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    // Written aside and renamed, so that nobody reads half a picture.
    let aside = path.with_extension("new");
    fs::write(&aside, bytes)?;
    Ok(fs::rename(&aside, &path)?)
}

/// Forgets download tokens that have expired.
///
/// # Errors
/// When the database cannot be written.
pub fn purge_tokens(app: &App, _: &Task) -> Result<()> {
    app.db.write(tokens::purge)
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
