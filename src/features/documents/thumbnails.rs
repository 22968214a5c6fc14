//! Thumbnails as files beside the database, bounded in bytes.
//!
//! A file's name tells of which state of the document it is. One of another state is as good as
//! none: nobody is ever shown a picture that is older than the document.

use std::fs;
use std::fs::DirEntry;
use std::io::ErrorKind;
use std::path::Path;
use std::path::PathBuf;
use std::time::SystemTime;

use super::download::Format;
use super::picture;
use super::picture::Options;
use super::picture::Source;
use super::store;
use super::store::Head;
use crate::app::App;
use chartroom_platform::crypto;
use chartroom_platform::crypto::Hash;
use chartroom_platform::error::Result;
use chartroom_platform::id::NodeId;

/// Width in points; the height follows from the document's layout.
const WIDTH: f64 = 320.0;
/// Pixels a point: sharp on today's screens.
const SCALE: f64 = 2.0;
/// Folders over which the files are spread; each has its part of the bytes.
const FOLDERS: u64 = 256;

/// What tells the thumbnails of two states of a document, or of two documents, apart.
pub fn key(head: &Head) -> Hash {
    // The time too: after going back to a backup the same revision comes a second time.
    let state =
        (&head.id, head.revision, head.updated, chartroom_charts::RENDERER_VERSION, WIDTH, SCALE);
    crypto::sha256(format!("thumbnail {state:?}").as_bytes())
}

/// The thumbnail of this state of a document, if it is there.
pub fn stored(app: &App, head: &Head) -> Result<Option<Vec<u8>>> {
    match fs::read(path(app, head)) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Draws a thumbnail, as PNG.
pub fn draw(source: &Source) -> Result<Vec<u8>> {
    let (width, height) = picture::size(&source.head, &Options::default())?;
    // A very tall or flat layout still gives a picture of sane size.
    let height = (WIDTH * height / width).clamp(80.0, 640.0);
    let options =
        Options { width: Some(WIDTH), height: Some(height), scale: SCALE, ..Options::default() };
    Ok(picture::draw(source, &options, Format::Png)?.bytes)
}

/// Stores a thumbnail in place of those of the document's other states.
pub fn keep(app: &App, head: &Head, bytes: &[u8]) -> Result<()> {
    let path = path(app, head);
    let folder = folder(app, &head.id);
    fs::create_dir_all(&folder)?;
    // Written aside and renamed, so that nobody reads half a picture; two may be at it at once.
    let aside = path.with_extension(format!("{}.new", NodeId::new()));
    fs::write(&aside, bytes)?;
    fs::rename(&aside, &path)?;
    sweep(&folder, &head.id, &path, app.config.thumbnail_bytes / FOLDERS)?;
    // It may have gone meanwhile, and its pictures have been removed before this one came.
    match app.db.read(|tx| store::find(tx, &head.id))? {
        Some(_) => Ok(()),
        None => remove(app, &head.id),
    }
}

/// Removes the thumbnails of a document.
pub fn remove(app: &App, id: &NodeId) -> Result<()> {
    for file in files(&folder(app, id))? {
        if is_of(&file, id) {
            remove_file(&file.path())?;
        }
    }
    Ok(())
}

/// Removes the other thumbnails of a document from a folder, and the oldest ones beyond `most` bytes.
fn sweep(folder: &Path, id: &NodeId, kept: &Path, most: u64) -> Result<()> {
    let mut others: Vec<(SystemTime, u64, PathBuf)> = Vec::new();
    let mut bytes = fs::metadata(kept).map_or(0, |it| it.len());
    for file in files(folder)? {
        let path = file.path();
        if path == kept {
            continue;
        }
        if is_of(&file, id) {
            remove_file(&path)?;
            continue;
        }
        // Gone already when there is nothing to be known about it.
        let Ok(about) = file.metadata() else { continue };
        bytes += about.len();
        others.push((about.modified().unwrap_or(SystemTime::UNIX_EPOCH), about.len(), path));
    }
    if bytes > most {
        others.sort_unstable();
    }
    for (_, length, path) in others {
        if bytes <= most {
            break;
        }
        remove_file(&path)?;
        bytes -= length;
    }
    Ok(())
}

fn files(folder: &Path) -> Result<Vec<DirEntry>> {
    match fs::read_dir(folder) {
        Ok(files) => Ok(files.collect::<std::io::Result<_>>()?),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(error.into()),
    }
}

fn is_of(file: &DirEntry, id: &NodeId) -> bool {
    file.file_name().to_str().is_some_and(|it| it.starts_with(id.as_str()))
}

fn remove_file(path: &Path) -> Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error.into()),
        _ => Ok(()),
    }
}

fn folder(app: &App, id: &NodeId) -> PathBuf {
    let number = u64::from(crypto::sha256(id.as_str().as_bytes())[0]) % FOLDERS;
    app.config.data_dir.join("thumbnails").join(format!("{number:02x}"))
}

fn path(app: &App, head: &Head) -> PathBuf {
    // Ids of documents that exist are UUIDs made here, so they are plain parts of file names.
    let state: String = key(head).iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    folder(app, &head.id).join(format!("{}-{state}.png", head.id))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    /// A file of so many bytes, written so many seconds after the first.
    fn file(folder: &Path, name: &str, bytes: usize, second: u64) -> PathBuf {
        let path = folder.join(name);
        fs::write(&path, vec![0; bytes]).unwrap();
        let time = SystemTime::UNIX_EPOCH + Duration::from_secs(second);
        fs::File::options().write(true).open(&path).unwrap().set_modified(time).unwrap();
        path
    }

    fn names(folder: &Path) -> Vec<String> {
        let files = files(folder).unwrap();
        let mut names: Vec<String> =
            files.iter().map(|it| it.file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_folder_keeps_one_thumbnail_a_document_and_the_newest_of_all() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path();
        file(folder, "a-1.png", 10, 1);
        let kept = file(folder, "a-2.png", 10, 2);
        file(folder, "b-1.png", 10, 3);
        file(folder, "c-1.png", 10, 5);
        file(folder, "d-1.png", 10, 4);
        sweep(folder, &NodeId::from_text("a"), &kept, 30).unwrap();
        assert_eq!(names(folder), ["a-2.png", "c-1.png", "d-1.png"]);
        // The one that was just written stays, whatever the bound.
        sweep(folder, &NodeId::from_text("a"), &kept, 5).unwrap();
        assert_eq!(names(folder), ["a-2.png"]);
    }
}
