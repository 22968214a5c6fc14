//! The font files of a data directory in a backup.

use std::collections::BTreeMap;
use std::fs;
use std::fs::File;
use std::io::ErrorKind;
use std::io::Read;
use std::io::Write;
use std::path::Path;

use super::entries;
use crate::db::files;
use crate::error::Error;
use crate::error::Result;

/// Folder of the font files in the data directory and in a backup file.
const FOLDER: &str = "fonts";

/// Length and hash of a font file.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct FontFile {
    /// Length in bytes.
    pub bytes: u64,
    /// SHA-256, lower-case hexadecimal.
    pub sha256: String,
}

/// Font files by name.
pub type FontFiles = BTreeMap<String, FontFile>;

/// Copies the font files of the data directory `dir` into the directory `to`, so that a change during
/// the backup has no effect. Returns their names and hashes. Subfolders are left out, because the
/// server does not use them.
///
/// # Errors
/// `Invalid` for a name that is not Unicode. `Internal` if a file cannot be copied.
pub fn copy(dir: &Path, to: &Path) -> Result<FontFiles> {
    let (from, to) = (dir.join(FOLDER), to.join(FOLDER));
    let mut found = FontFiles::new();
    let entries = match fs::read_dir(&from) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(found),
        entries => entries?,
    };
    files::create_private_dir(&to)?;
    for entry in entries {
        let path = entry?.path();
        // Follows a link to a font of the system.
        if !path.is_file() {
            continue;
        }
        let name = path.file_name().unwrap_or_default().to_str().ok_or_else(|| {
            Error::Invalid(format!("the name of {} is not Unicode", path.display()))
        })?;
        let mut copy = files::LargeFile::create(&to.join(name))?;
        std::io::copy(&mut File::open(&path)?, &mut copy)?;
        copy.finish()?;
        found.insert(name.to_owned(), describe(&to.join(name))?);
    }
    Ok(found)
}

/// Appends the copied files in `from` to a backup file.
pub fn append<W: Write>(tar: &mut tar::Builder<W>, from: &Path, fonts: &FontFiles) -> Result<()> {
    for (name, font) in fonts {
        let mut file = File::open(from.join(FOLDER).join(name))?;
        let mut header = entries::build_header(font.bytes);
        tar.append_data(&mut header, format!("{FOLDER}/{name}"), &mut file)?;
    }
    Ok(())
}

/// Returns the file name of an entry of a backup file if it is a font file.
pub fn parse_entry_name(entry: &str) -> Option<&str> {
    let name = entry.strip_prefix(FOLDER)?.strip_prefix('/')?;
    // Anything else could leave the folder.
    (!matches!(name, "" | "." | "..") && !name.contains(['/', '\\', '\0'])).then_some(name)
}

/// Writes the content of an entry to the font file `name` in `dir`.
pub fn extract(content: &mut impl Read, dir: &Path, name: &str) -> std::io::Result<()> {
    let to_io_error = |error: Error| std::io::Error::other(error.to_string());
    let folder = dir.join(FOLDER);
    files::create_private_dir(&folder).map_err(to_io_error)?;
    let mut file = files::LargeFile::create(&folder.join(name)).map_err(to_io_error)?;
    std::io::copy(content, &mut file)?;
    file.finish().map_err(to_io_error)
}

/// Returns names and hashes of the font files in `dir`, without subfolders.
pub fn describe_all(dir: &Path) -> Result<FontFiles> {
    let mut found = FontFiles::new();
    match fs::read_dir(dir.join(FOLDER)) {
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        entries => {
            for entry in entries? {
                let path = entry?.path();
                if path.is_file() {
                    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                    found.insert(name, describe(&path)?);
                }
            }
        }
    }
    Ok(found)
}

/// Moves the extracted font files in `from` into the data directory `dir`, and the present folder
/// into `kept`. Does nothing if both have the same files.
///
/// # Errors
/// `Internal` if a folder cannot be moved, for example because it is a mount point.
pub fn replace(dir: &Path, from: &Path, kept: &Path, fonts: &FontFiles) -> Result<()> {
    if describe_all(dir)? == *fonts {
        return Ok(());
    }
    let (fresh, present) = (from.join(FOLDER), dir.join(FOLDER));
    let to_error = |error: std::io::Error| {
        let text = format!("the database is restored, but not {}: {error}", present.display());
        Error::internal(text)
    };
    if fs::symlink_metadata(&present).is_ok() {
        fs::rename(&present, kept.join(FOLDER)).map_err(to_error)?;
        files::sync_dir(kept)?;
    }
    if !fonts.is_empty() {
        fs::rename(&fresh, &present).map_err(to_error)?;
    }
    files::sync_dir(dir)
}

/// Returns length and hash of a file.
fn describe(path: &Path) -> Result<FontFile> {
    Ok(FontFile { bytes: fs::metadata(path)?.len(), sha256: entries::hash_file(path)? })
}
