//! The replacement of the font files of a data directory by those of a backup.
//!
//! [`prepare`](FontReplacement::prepare) does everything that can fail for lack of rights or space,
//! before the database is replaced. Otherwise a failure would leave a new database with old fonts.

use std::fs;
use std::fs::File;
use std::io;
use std::io::ErrorKind;
use std::path::Path;
use std::path::PathBuf;

use super::fonts;
use super::fonts::FontFiles;
use super::fonts::error_at;
use crate::crypto;
use crate::db::files;
use crate::error::Error;
use crate::error::Result;
use crate::font_files::FOLDER;
use crate::font_files::is_font_name;

/// Folder in the temporary directory with copies of the replaced files.
const COPIES: &str = "replaced-fonts";

/// A prepared replacement of the fonts.
pub struct FontReplacement {
    /// Folder of the fonts in the data directory.
    present: PathBuf,
    /// Temporary directory with the folder of the new fonts.
    from: PathBuf,
    method: Method,
}

/// A method of the replacement.
enum Method {
    /// The present files are the same.
    Unchanged,
    /// Move the present folder away and the new one to its place.
    MoveFolder,
    /// Move each file into the present folder, which cannot be moved itself.
    MoveFiles(StagedFiles),
}

/// Copies of the new files in the present folder. Removes those that are still there on drop.
#[derive(Default)]
struct StagedFiles {
    /// Temporary path and path of each file.
    paths: Vec<(PathBuf, PathBuf)>,
}

impl FontReplacement {
    /// Prepares the replacement of the fonts in the data directory `dir` by those in the temporary
    /// directory `from`, which is in `dir`. Changes no font.
    ///
    /// # Errors
    /// `Internal` with the path if the present folder cannot be replaced, for example because it is
    /// read-only.
    pub fn prepare(dir: &Path, from: &Path, fonts: &FontFiles) -> Result<Self> {
        let present = dir.join(FOLDER);
        let has_same_fonts =
            fonts::describe_all(dir).is_ok_and(|found| list_loaded(&found).eq(list_loaded(fonts)));
        let method = if has_same_fonts {
            Method::Unchanged
        } else if can_move(&present, from)? {
            Method::MoveFolder
        } else {
            copy_present_files(&present, &from.join(COPIES))?;
            Method::MoveFiles(StagedFiles::create(&present, &from.join(FOLDER), fonts)?)
        };
        Ok(Self { present, from: from.to_owned(), method })
    }

    /// Replaces the fonts. Moves the present folder, or copies of its fonts, into `kept`.
    ///
    /// # Errors
    /// `Internal` with the path of the file or folder that cannot be moved.
    pub fn apply(self, kept: &Path) -> Result<()> {
        let Self { present, from, method } = self;
        let kept_fonts = kept.join(FOLDER);
        let result = match method {
            Method::Unchanged => return Ok(()),
            Method::MoveFolder => move_folder(&present, &from.join(FOLDER), &kept_fonts),
            Method::MoveFiles(staged) => {
                rename(&from.join(COPIES), &kept_fonts).and_then(|()| staged.move_into(&present))
            }
        };
        result.map_err(|error| {
            Error::internal(format!("the database is restored, but not the fonts: {error}"))
        })?;
        files::sync_dir(kept)?;
        files::sync_dir(files::parent_dir(&present))
    }
}

impl StagedFiles {
    /// Copies the files in the folder `fresh` to temporary names in the folder `present`.
    fn create(present: &Path, fresh: &Path, fonts: &FontFiles) -> Result<Self> {
        let mut staged = Self::default();
        let id = crypto::random_base62(12)?;
        for (index, name) in fonts.keys().enumerate() {
            // The server does not load a file without the extension of a font.
            let temporary = present.join(format!(".temporary-{id}-{index}"));
            staged.paths.push((temporary.clone(), present.join(name)));
            File::open(fresh.join(name))
                .map_err(Error::from)
                .and_then(|file| fonts::write_copy(file, &temporary))
                .map_err(|error| error_at(present, error))?;
        }
        Ok(staged)
    }

    /// Gives the files their names. Other fonts in the folder `present` stay, because other programs
    /// may use a folder that is linked or mounted.
    fn move_into(mut self, present: &Path) -> io::Result<()> {
        for (temporary, path) in std::mem::take(&mut self.paths) {
            rename(&temporary, &path)?;
        }
        File::open(present)?.sync_all()
    }
}

impl Drop for StagedFiles {
    fn drop(&mut self) {
        for (temporary, _) in &self.paths {
            match fs::remove_file(temporary) {
                Err(error) if error.kind() != ErrorKind::NotFound => {
                    tracing::warn!(%error, path = %temporary.display(), "a temporary file cannot be removed");
                }
                _ => {}
            }
        }
    }
}

/// Returns the files that the server loads. A backup of an older version can contain others.
fn list_loaded(fonts: &FontFiles) -> impl Iterator<Item = (&String, &fonts::FontFile)> {
    fonts.iter().filter(|(name, _)| is_font_name(Path::new(name)))
}

/// Returns whether the folder of the fonts can be moved or is absent. Not if it is a mount point, and
/// not if it is a link to a folder, because a relative link leads nowhere from another directory.
fn can_move(present: &Path, from: &Path) -> Result<bool> {
    let metadata = match fs::symlink_metadata(present) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(true),
        metadata => metadata.map_err(|error| error_at(present, error.into()))?,
    };
    if !metadata.is_dir() {
        return Ok(!present.is_dir());
    }
    // The system refuses to replace a folder with content, but only after it has checked that the
    // other folder can be moved.
    let occupied = from.join("occupied");
    files::create_private_dir(&occupied.join("content"))?;
    match fs::rename(present, &occupied) {
        Ok(()) => Err(Error::internal(format!("{} was moved", present.display()))),
        Err(error) => {
            Ok(matches!(error.kind(), ErrorKind::DirectoryNotEmpty | ErrorKind::AlreadyExists))
        }
    }
}

/// Copies the fonts in the folder `present` into the new folder `to`.
fn copy_present_files(present: &Path, to: &Path) -> Result<()> {
    files::create_private_dir(to)?;
    for path in list_font_paths(present).map_err(|error| error_at(present, error.into()))? {
        let file = File::open(&path).map_err(Error::from);
        file.and_then(|file| {
            fonts::write_copy(file, &to.join(path.file_name().unwrap_or_default()))
        })
        .map_err(|error| error_at(&path, error))?;
    }
    Ok(())
}

/// Returns the paths of the font files in a folder.
fn list_font_paths(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let paths = fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path()));
    let is_font = |path: &io::Result<PathBuf>| {
        path.as_ref().map_or(true, |path| is_font_name(path) && path.is_file())
    };
    paths.filter(is_font).collect()
}

/// Moves the folder `present` to `kept` if it exists, and `fresh` to its place if that exists.
fn move_folder(present: &Path, fresh: &Path, kept: &Path) -> io::Result<()> {
    if fs::symlink_metadata(present).is_ok() {
        rename(present, kept)?;
    }
    if fresh.exists() { rename(fresh, present) } else { Ok(()) }
}

/// Renames a file or a folder.
///
/// # Errors
/// The error of the system with the path.
fn rename(from: &Path, to: &Path) -> io::Result<()> {
    fs::rename(from, to).map_err(|error| io_error_at(from, &error))
}

/// Adds a path to an error of the system.
fn io_error_at(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}
