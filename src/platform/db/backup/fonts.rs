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
use crate::font_files::FOLDER;
use crate::font_files::is_font_name;

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
/// the backup has no effect. Returns their names and hashes.
///
/// Leaves out every file that the server does not load as a font or that cannot be read, with a
/// warning in the log, because no such file may prevent a backup of the database.
///
/// # Errors
/// `Internal` if the folder or the content of a file cannot be read. `DiskFull` if the copy does not
/// fit.
pub fn copy(dir: &Path, to: &Path) -> Result<FontFiles> {
    let (from, to) = (dir.join(FOLDER), to.join(FOLDER));
    let mut found = FontFiles::new();
    let entries = match fs::read_dir(&from) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(found),
        Err(error) if error.kind() == ErrorKind::NotADirectory => {
            tracing::warn!(path = %from.display(), "the backup has no fonts, because this is no folder");
            return Ok(found);
        }
        entries => entries.map_err(|error| error_at(&from, error.into()))?,
    };
    files::create_private_dir(&to)?;
    for entry in entries {
        let path = entry.map_err(|error| error_at(&from, error.into()))?.path();
        let skip = |reason: &str| {
            tracing::warn!(path = %path.display(), reason, "the backup does not contain a file of the fonts");
        };
        // Follows a link to a font of the system.
        if !is_font_name(&path) || !path.is_file() {
            skip("the server does not load it as a font");
            continue;
        }
        let Some(name) = path.file_name().and_then(|name| name.to_str()) else {
            skip("its name is not Unicode");
            continue;
        };
        match File::open(&path) {
            Ok(file) => write_copy(file, &to.join(name)).map_err(|error| error_at(&path, error))?,
            Err(error) => {
                skip(&error.to_string());
                continue;
            }
        }
        found.insert(name.to_owned(), describe(&to.join(name))?);
    }
    Ok(found)
}

/// Writes the content of a file to the new file `to` and flushes it to the disk.
pub(super) fn write_copy(mut content: impl Read, to: &Path) -> Result<()> {
    let mut copy = files::LargeFile::create(to)?;
    std::io::copy(&mut content, &mut copy)?;
    copy.finish()
}

/// Adds a path to an error. A full disk stays that.
pub(super) fn error_at(path: &Path, error: Error) -> Error {
    match error {
        Error::Internal(cause) => Error::internal(format!("{}: {cause}", path.display())),
        other => other,
    }
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

/// Returns the file name of an entry of a backup file if it is a font file. Accepts every name that
/// [`copy`] accepts.
pub fn parse_entry_name(entry: &str) -> Option<&str> {
    let name = entry.strip_prefix(FOLDER)?.strip_prefix('/')?;
    // Anything else could leave the folder. A backslash is a character like any other on Linux.
    (!matches!(name, "" | "." | "..") && !name.contains(['/', '\0'])).then_some(name)
}

/// Writes the content of an entry to the font file `name` in `dir`.
pub fn extract(content: &mut impl Read, dir: &Path, name: &str) -> std::io::Result<()> {
    let to_io_error = |error: Error| match error {
        Error::DiskFull => ErrorKind::StorageFull.into(),
        other => std::io::Error::other(other.to_string()),
    };
    let folder = dir.join(FOLDER);
    files::create_private_dir(&folder).map_err(to_io_error)?;
    let mut file = files::LargeFile::create(&folder.join(name)).map_err(to_io_error)?;
    std::io::copy(content, &mut file)?;
    file.finish().map_err(to_io_error)
}

/// Returns names and hashes of the files in the folder of the fonts in `dir`, without subfolders and
/// without names that are not Unicode.
pub fn describe_all(dir: &Path) -> Result<FontFiles> {
    let mut found = FontFiles::new();
    let entries = match fs::read_dir(dir.join(FOLDER)) {
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Ok(found);
        }
        entries => entries?,
    };
    for entry in entries {
        let path = entry?.path();
        if path.is_file()
            && let Some(name) = path.file_name().and_then(|name| name.to_str())
        {
            found.insert(name.to_owned(), describe(&path)?);
        }
    }
    Ok(found)
}

/// Returns length and hash of a file.
fn describe(path: &Path) -> Result<FontFile> {
    Ok(FontFile { bytes: fs::metadata(path)?.len(), sha256: entries::hash_file(path)? })
}
