//! Thumbnail files beside the database, with a limit on their total size.
//!
//! The file name contains a hash of the document's revision. A file of another revision is never
//! shown, so a thumbnail is never older than its document.

use std::fs;
use std::fs::DirEntry;
use std::io::ErrorKind;
use std::path::Path;
use std::path::PathBuf;
use std::time::SystemTime;

use super::image;
use super::render_options::RenderOptions;
use super::store::Document;
use crate::app::App;
use crate::features::portfolio;
use chartroom_platform::crypto;
use chartroom_platform::crypto::Sha256Hash;
use chartroom_platform::error::Result;
use chartroom_platform::id::NodeId;

/// Width of a thumbnail in points. The height depends on the layout of the document.
const WIDTH_POINTS: f64 = 320.0;
/// Pixels per point, for high-density screens.
const PIXELS_PER_POINT: f64 = 2.0;
/// Number of folders that the files are distributed over. Each folder has an equal share of the
/// limit.
const FOLDER_COUNT: u64 = 256;

/// Returns a hash that identifies the thumbnail of a document's current revision with the loaded
/// fonts. `theme` is the fingerprint of the theme of an organization that it is rendered with, if
/// any.
pub fn thumbnail_key(document: &Document, theme: Option<Sha256Hash>) -> Sha256Hash {
    hash_identity(document, portfolio::fonts_fingerprint(), theme)
}

/// Returns the hash of everything that decides how a thumbnail looks: id, revision and time of the
/// document, version of the renderer, `fonts` and `theme` (fingerprints), and size.
fn hash_identity(document: &Document, fonts: &str, theme: Option<Sha256Hash>) -> Sha256Hash {
    // Includes the time, because after the restoration of a backup a revision number occurs again.
    let identity = (
        &document.id,
        document.revision,
        document.updated,
        chartroom_charts::RENDERER_VERSION,
        fonts,
        theme,
        WIDTH_POINTS,
        PIXELS_PER_POINT,
    );
    crypto::sha256(format!("thumbnail {identity:?}").as_bytes())
}

/// Returns the PNG bytes of the thumbnail with this key, if it is stored. Otherwise None. Renders
/// nothing.
pub fn read_thumbnail(app: &App, id: &NodeId, key: &Sha256Hash) -> Result<Option<Vec<u8>>> {
    match fs::read(thumbnail_path(app, id, key)) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Returns the options of a thumbnail, which is a PNG of `WIDTH_POINTS`. The height follows the
/// layout of the document, but is at least 80 and at most 640 points.
///
/// # Errors
/// `Internal` if the style of the document cannot be parsed.
pub fn thumbnail_options(document: &Document) -> Result<RenderOptions> {
    let (width, height) = image::document_size(document, &RenderOptions::default())?;
    // Limits the height for extremely tall or flat layouts.
    let height = (WIDTH_POINTS * height / width).clamp(80.0, 640.0);
    Ok(RenderOptions {
        width: Some(WIDTH_POINTS),
        height: Some(height),
        scale: PIXELS_PER_POINT,
        ..RenderOptions::default()
    })
}

/// Stores the thumbnail with this key and removes the other ones of the document. Stores nothing while little space is free on the disk, because a thumbnail can be rendered again. If
/// the folder then exceeds its share of the limit, also removes the oldest thumbnails of other
/// documents in it.
pub fn store_thumbnail(app: &App, id: &NodeId, key: &Sha256Hash, bytes: &[u8]) -> Result<()> {
    if !app.db.has_free_space() {
        return Ok(());
    }
    let path = thumbnail_path(app, id, key);
    let folder = thumbnail_folder(app, id);
    fs::create_dir_all(&folder)?;
    // Write to a temporary file and rename it, so that no reader gets a partial file. The name is
    // unique because two threads may store the same thumbnail.
    let temporary = path.with_extension(format!("{}.new", NodeId::new()));
    fs::write(&temporary, bytes)?;
    fs::rename(&temporary, &path)?;
    remove_stale_files(&folder, id, &path, app.config.thumbnail_bytes / FOLDER_COUNT)
}

/// Removes all thumbnails of a document. Includes those of all revisions. Succeeds if there are
/// none.
pub fn remove_thumbnails(app: &App, id: &NodeId) -> Result<()> {
    for file in list_files(&thumbnail_folder(app, id))? {
        if belongs_to(&file, id) {
            remove_file_if_exists(&file.path())?;
        }
    }
    Ok(())
}

/// Removes the document's files other than `kept` from a folder, and then the oldest files of other
/// documents until the folder has at most `max_bytes`. Keeps `kept` even if it alone is larger.
fn remove_stale_files(folder: &Path, id: &NodeId, kept: &Path, max_bytes: u64) -> Result<()> {
    let mut others: Vec<(SystemTime, u64, PathBuf)> = Vec::new();
    let mut bytes = fs::metadata(kept).map_or(0, |metadata| metadata.len());
    for file in list_files(folder)? {
        let path = file.path();
        if path == kept {
            continue;
        }
        if belongs_to(&file, id) {
            remove_file_if_exists(&path)?;
            continue;
        }
        // Another thread has removed the file.
        let Ok(metadata) = file.metadata() else { continue };
        bytes += metadata.len();
        others.push((metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH), metadata.len(), path));
    }
    if bytes > max_bytes {
        others.sort_unstable();
    }
    for (_, length, path) in others {
        if bytes <= max_bytes {
            break;
        }
        remove_file_if_exists(&path)?;
        bytes -= length;
    }
    Ok(())
}

/// Returns the entries of a folder in no particular order. A missing folder has none.
fn list_files(folder: &Path) -> Result<Vec<DirEntry>> {
    match fs::read_dir(folder) {
        Ok(files) => Ok(files.collect::<std::io::Result<_>>()?),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(error.into()),
    }
}

/// Returns true if a file name starts with the document id: a thumbnail of any revision, or a
/// temporary file of one.
fn belongs_to(file: &DirEntry, id: &NodeId) -> bool {
    file.file_name().to_str().is_some_and(|name| name.starts_with(id.as_str()))
}

/// Removes a file. Succeeds if it does not exist.
fn remove_file_if_exists(path: &Path) -> Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error.into()),
        _ => Ok(()),
    }
}

/// Returns the folder for the thumbnails of a document. It may not exist. Thumbnails of several
/// documents share it.
fn thumbnail_folder(app: &App, id: &NodeId) -> PathBuf {
    let number = u64::from(crypto::sha256(id.as_str().as_bytes())[0]) % FOLDER_COUNT;
    app.config.data_dir.join("thumbnails").join(format!("{number:02x}"))
}

/// Returns the path of the PNG file for a thumbnail key. The file may not exist.
///
/// The key covers the revision, the time of the last update, the version of the renderer, the fonts
/// and the theme.
fn thumbnail_path(app: &App, id: &NodeId, key: &Sha256Hash) -> PathBuf {
    // Document ids are UUIDs that this server generates, so they are safe in file names.
    let key_prefix = crypto::to_hex(&key[..8]);
    thumbnail_folder(app, id).join(format!("{id}-{key_prefix}.png"))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use chartroom_platform::time::Timestamp;

    /// Creates a file of `bytes` bytes with a modification time of `second`.
    fn file(folder: &Path, name: &str, bytes: usize, second: u64) -> PathBuf {
        let path = folder.join(name);
        fs::write(&path, vec![0; bytes]).unwrap();
        let time = SystemTime::UNIX_EPOCH + Duration::from_secs(second);
        fs::File::options().write(true).open(&path).unwrap().set_modified(time).unwrap();
        path
    }

    fn names(folder: &Path) -> Vec<String> {
        let files = list_files(folder).unwrap();
        let mut names: Vec<String> =
            files.iter().map(|file| file.file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_folder_keeps_one_thumbnail_per_document_and_the_newest_ones() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path();
        file(folder, "a-1.png", 10, 1);
        let kept = file(folder, "a-2.png", 10, 2);
        file(folder, "b-1.png", 10, 3);
        file(folder, "c-1.png", 10, 5);
        file(folder, "d-1.png", 10, 4);
        remove_stale_files(folder, &NodeId::from_text("a"), &kept, 30).unwrap();
        assert_eq!(names(folder), ["a-2.png", "c-1.png", "d-1.png"]);
        // The file just written stays even if it exceeds the limit.
        remove_stale_files(folder, &NodeId::from_text("a"), &kept, 5).unwrap();
        assert_eq!(names(folder), ["a-2.png"]);
    }

    #[test]
    fn other_fonts_themes_and_revisions_have_other_keys() {
        let document = Document::empty(Timestamp(0));
        let newer = Document { revision: document.revision + 1, ..document.clone() };
        let key = hash_identity(&document, "", None);
        assert_eq!(key, hash_identity(&document.clone(), "", None));
        assert_ne!(key, hash_identity(&newer, "", None));
        assert_ne!(key, hash_identity(&document, "a", None));
        assert_ne!(key, hash_identity(&document, "", Some([1; 32])));
        assert_eq!(
            thumbnail_key(&document, None),
            hash_identity(&document, portfolio::fonts_fingerprint(), None)
        );
    }
}
