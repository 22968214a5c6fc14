//! Backups: creates, verifies and restores them. A server may run during the creation.
//!
//! A backup is one zstd-compressed tar file of `manifest.json`, `server.key`, `chartroom.db` and the
//! folder `fonts`, which `tar --zstd -x` can extract. It contains secrets, so its mode is 0600.
//! [`create`] verifies every backup by extracting it.

mod entries;
mod font_replacement;
mod fonts;

use std::collections::BTreeMap;
use std::fs;
use std::fs::File;
use std::io::ErrorKind;
use std::io::Read;
use std::path::Path;
use std::path::PathBuf;

use rusqlite::Connection;

use self::entries::build_header;
use self::entries::hash_file;
use self::font_replacement::FontReplacement;
use self::fonts::FontFiles;
use crate::db::connection;
use crate::db::connection::DATABASE_FILE_NAME;
use crate::db::files;
use crate::db::lock;
use crate::db::restore_epoch;
use crate::db::unusable_data::UnusableData;
use crate::db::upgrade;
use crate::error::Error;
use crate::error::Result;
use crate::time::Timestamp;

/// Format version of a backup file. The program reads this version and older ones. Version 1 has no
/// fonts.
const FORMAT_VERSION: u32 = 2;

/// Compression level, the default of zstd. A database of JSON shrinks to a fifth at about 100 MB/s.
const COMPRESSION_LEVEL: i32 = 3;

/// Name of the manifest in a backup file.
const MANIFEST_NAME: &str = "manifest.json";
/// Name of the server key in the data directory and in a backup file.
const KEY_NAME: &str = "server.key";

/// Description of a backup, the first entry of its file.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub struct Manifest {
    /// Format version of the file, currently 2.
    pub format: u32,
    /// Version of the program that created the backup.
    pub program: String,
    /// Time of creation, RFC 3339.
    pub created: String,
    /// Id of the database.
    pub database_id: String,
    /// Schema version of the database.
    pub schema_version: i64,
    /// Length of the database file in bytes.
    pub database_bytes: u64,
    /// SHA-256 of the database file, lower-case hexadecimal.
    pub database_sha256: String,
    /// Number of rows by table.
    pub rows: BTreeMap<String, i64>,
    /// Font files of the data directory by name. None before format version 2.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fonts: Option<FontFiles>,
}

/// A backup file.
#[derive(Debug, Clone, serde::Serialize)]
pub struct Backup {
    /// Path of the file.
    pub path: PathBuf,
    /// Length of the file in bytes.
    pub bytes: u64,
    /// Manifest of the backup.
    pub manifest: Manifest,
}

/// Result of a restore.
#[derive(Debug, serde::Serialize)]
pub struct RestoreReport {
    /// Manifest of the restored backup.
    pub manifest: Manifest,
    /// Directory with the old database, key and fonts. None if there were none.
    pub kept: Option<PathBuf>,
}

/// Creates a backup of the database and, if present, the server key and the font files in `dir`.
///
/// The default for `to` is `backups/chartroom-<time>.tar.zst` in `dir`. The directory of another
/// `to` must exist. The file gets this name only after [`verify`] has succeeded. Other processes
/// can read and write the database meanwhile.
///
/// # Errors
/// `NotFound` if there is no database. `Conflict` if the target file exists, or if a restore or an
/// upgrade does not end within 10 s. [`UnusableData`] if the database is damaged. `Internal` if the
/// server key exists but cannot be read.
pub fn create(dir: &Path, to: Option<&Path>) -> Result<Backup> {
    let database = dir.join(DATABASE_FILE_NAME);
    if !database.exists() {
        return Err(Error::NotFound("database to back up"));
    }
    let now = Timestamp::now();
    let path = match to {
        Some(path) => path.to_owned(),
        None => {
            files::create_private_dir(&backup_dir(dir))?;
            backup_dir(dir).join(format!("chartroom-{}.tar.zst", files::format_file_timestamp(now)))
        }
    };
    if path.exists() {
        return Err(Error::Conflict(format!("{} already exists", path.display())));
    }
    let _lock = lock::lock_shared(dir)?;
    let parent = files::parent_dir(&path);
    let temporary = files::TemporaryDir::new(parent)?;
    let copy = temporary.path().join(DATABASE_FILE_NAME);
    files::copy_database(&connection::open(&database)?, &copy)?;
    let fonts = fonts::copy(dir, temporary.path())?;
    let manifest = build_manifest(&copy, now, fonts)?;
    let archive = temporary.path().join("archive");
    write_archive(&manifest, &read_key(dir)?, &copy, &archive)?;
    verify(&archive)?;
    // Unlike a rename, a hard link never replaces another backup.
    fs::hard_link(&archive, &path)?;
    files::sync_dir(parent)?;
    Ok(Backup { bytes: fs::metadata(&path)?.len(), path, manifest })
}

/// Extracts a backup into a temporary directory beside it and checks hash, integrity, foreign keys
/// and row counts of its database, and the hashes of its fonts. Does not check the server key.
///
/// # Errors
/// [`UnusableData`] with the first failed check.
pub fn verify(file: &Path) -> Result<Manifest> {
    let temporary = files::TemporaryDir::new(files::parent_dir(file))?;
    extract_and_verify(file, temporary.path())
}

/// Replaces the database, the server key and the fonts in `dir` by those of a backup, and deletes the
/// search index, which the next server builds again. The restored database gets a new
/// [`Db::restore_epoch`].
///
/// `dir` may be empty or absent. The replaced files are kept in a new directory in `dir`. A backup
/// without a key leaves the key in `dir` in place, and a backup of format version 1 the fonts.
///
/// # Errors
/// `Conflict` if the database is in use. [`UnusableData`] if the backup is damaged or from a newer
/// version. Database, key and index stay unchanged in these cases.
///
/// [`Db::restore_epoch`]: super::Db::restore_epoch
pub fn restore(dir: &Path, file: &Path) -> Result<RestoreReport> {
    files::create_private_dir(dir)?;
    let _lock = lock::lock_exclusive(dir)?;
    let temporary = files::TemporaryDir::new(dir)?;
    let manifest = extract_and_verify(file, temporary.path())?;
    let current = upgrade::status(temporary.path())?.current;
    if manifest.schema_version > current {
        return Err(UnusableData::error(format!(
            "the backup has schema version {}, but this program supports versions up to {current}",
            manifest.schema_version
        )));
    }
    let had_database = dir.join(DATABASE_FILE_NAME).exists();
    let fresh = temporary.path().join(DATABASE_FILE_NAME);
    restore_epoch::begin_new_epoch(&fresh)?;
    let prepare = |fonts| FontReplacement::prepare(dir, temporary.path(), fonts);
    let fonts = manifest.fonts.as_ref().map(prepare).transpose()?;
    let kept = files::replace_database(dir, &fresh, Timestamp::now())?;
    let (key, old) = (temporary.path().join(KEY_NAME), dir.join(KEY_NAME));
    if key.exists() {
        if old.exists() {
            fs::hard_link(&old, kept.join(KEY_NAME))?;
            files::sync_dir(&kept)?;
        }
        fs::rename(&key, &old)?;
        files::sync_dir(dir)?;
    }
    if let Some(fonts) = fonts {
        fonts.apply(&kept)?;
    }
    if !had_database && fs::read_dir(&kept)?.next().is_none() {
        fs::remove_dir(&kept)?;
        return Ok(RestoreReport { manifest, kept: None });
    }
    Ok(RestoreReport { manifest, kept: Some(kept) })
}

/// Returns the backups named `chartroom-*.tar.zst` in the backup directory of `dir`, oldest first.
///
/// Reads only their manifests, so a backup in the list can be damaged. Logs and skips files without
/// a valid manifest.
pub fn list(dir: &Path) -> Result<Vec<Backup>> {
    let folder = backup_dir(dir);
    if !folder.exists() {
        return Ok(Vec::new());
    }
    let mut backups = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if !name.starts_with("chartroom-") || !name.ends_with(".tar.zst") {
            continue;
        }
        match read_archive_manifest(&path) {
            Ok(manifest) => {
                backups.push(Backup { bytes: fs::metadata(&path)?.len(), path, manifest });
            }
            Err(error) => {
                tracing::warn!(%error, path = %path.display(), "the file is not a complete backup")
            }
        }
    }
    backups.sort_by(|left, right| left.manifest.created.cmp(&right.manifest.created));
    Ok(backups)
}

/// Removes all except the newest `keep` backups of [`list`] and returns the paths of the removed
/// files. Keeps the newest backup even if `keep` is 0.
pub fn prune(dir: &Path, keep: usize) -> Result<Vec<PathBuf>> {
    let all = list(dir)?;
    let surplus = all.len().saturating_sub(keep.max(1));
    let mut removed = Vec::new();
    for backup in all.into_iter().take(surplus) {
        fs::remove_file(&backup.path)?;
        removed.push(backup.path);
    }
    Ok(removed)
}

/// Returns the content of the server key file in `dir`, or an empty vector if there is none.
fn read_key(dir: &Path) -> Result<Vec<u8>> {
    match fs::read(dir.join(KEY_NAME)) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Vec::new()),
        key => Ok(key?),
    }
}

/// Returns the default directory for backups.
fn backup_dir(dir: &Path) -> PathBuf {
    dir.join("backups")
}

/// Builds the manifest of a database file, which it reads completely for the hash. `now` becomes the
/// time of creation.
fn build_manifest(database: &Path, now: Timestamp, fonts: FontFiles) -> Result<Manifest> {
    let connection = connection::open(database)?;
    let id = "select value from meta where key = 'database_id'";
    Ok(Manifest {
        format: FORMAT_VERSION,
        program: env!("CARGO_PKG_VERSION").to_owned(),
        created: now.to_string(),
        database_id: connection.query_row(id, [], |row| row.get(0))?,
        schema_version: connection.query_row("pragma user_version", [], |row| row.get(0))?,
        database_bytes: fs::metadata(database)?.len(),
        database_sha256: hash_file(database)?,
        rows: count_rows(&connection)?,
        fonts: Some(fonts),
    })
}

/// Returns the number of rows of each table by its name, including tables of SQLite itself.
fn count_rows(connection: &Connection) -> Result<BTreeMap<String, i64>> {
    let mut tables =
        connection.prepare("select name from sqlite_schema where type = 'table' order by name")?;
    let names: Vec<String> =
        tables.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
    let mut rows = BTreeMap::new();
    for name in names {
        let quoted = name.replace('"', "\"\"");
        let sql = format!("select count(*) from \"{quoted}\"");
        rows.insert(name, connection.query_row(&sql, [], |row| row.get(0))?);
    }
    Ok(rows)
}

/// Writes a backup to the new file `to` and flushes it to the disk. An empty `key` is left out. The
/// fonts of the manifest are beside the copied database.
fn write_archive(manifest: &Manifest, key: &[u8], database: &Path, to: &Path) -> Result<()> {
    let mut tar =
        tar::Builder::new(zstd::Encoder::new(files::LargeFile::create(to)?, COMPRESSION_LEVEL)?);
    let text = serde_json::to_vec_pretty(manifest)?;
    for (name, bytes) in [(MANIFEST_NAME, text.as_slice()), (KEY_NAME, key)] {
        // The key is empty if no server has ever used the directory.
        if !bytes.is_empty() {
            tar.append_data(&mut build_header(bytes.len() as u64), name, bytes)?;
        }
    }
    let mut content = File::open(database)?;
    tar.append_data(
        &mut build_header(content.metadata()?.len()),
        DATABASE_FILE_NAME,
        &mut content,
    )?;
    if let Some(fonts) = &manifest.fonts {
        fonts::append(&mut tar, files::parent_dir(database), fonts)?;
    }
    tar.into_inner()?.finish()?.finish()
}

/// Extracts the database and, if present, the server key and the fonts of a backup into `dir`, which
/// must exist and contain none of them. Verifies hash, integrity, foreign keys and row counts of the
/// database and the hashes of the fonts, but not the key.
///
/// # Errors
/// [`UnusableData`] if the backup is damaged or has a newer format. The extracted files then stay
/// in `dir`.
fn extract_and_verify(file: &Path, dir: &Path) -> Result<Manifest> {
    let mut tar = tar::Archive::new(zstd::Decoder::new(File::open(file)?)?);
    let to_error = |error: std::io::Error| match error.kind() {
        std::io::ErrorKind::StorageFull => error.into(),
        _ => damaged_backup(file, &error.to_string()),
    };
    let mut manifest = None;
    for entry in tar.entries().map_err(to_error)? {
        let mut entry = entry.map_err(to_error)?;
        let name = entry.path().map_err(to_error)?.to_string_lossy().into_owned();
        match name.as_str() {
            MANIFEST_NAME => manifest = Some(parse_manifest(file, &mut entry)?),
            KEY_NAME | DATABASE_FILE_NAME => {
                let mut file_copy = files::LargeFile::create(&dir.join(&name))?;
                std::io::copy(&mut entry, &mut file_copy).map_err(to_error)?;
                file_copy.finish()?;
            }
            other => match fonts::parse_entry_name(other) {
                Some(font) => fonts::extract(&mut entry, dir, font).map_err(to_error)?,
                None => return Err(damaged_backup(file, &format!("unknown entry {other}"))),
            },
        }
    }
    let manifest = manifest.ok_or_else(|| damaged_backup(file, "it has no manifest"))?;
    verify_database(file, &manifest, &dir.join(DATABASE_FILE_NAME))?;
    if fonts::describe_all(dir)? != manifest.fonts.clone().unwrap_or_default() {
        return Err(damaged_backup(file, "its fonts differ from the manifest"));
    }
    Ok(manifest)
}

/// Checks an extracted database against its manifest: the SHA-256 hash of the file, the integrity
/// check of SQLite, the foreign keys and the row counts, in this order.
///
/// `database` is the extracted file. `file` is the backup, for the error message.
///
/// # Errors
/// [`UnusableData`] with the first failed check.
fn verify_database(file: &Path, manifest: &Manifest, database: &Path) -> Result<()> {
    if !database.exists() || hash_file(database)? != manifest.database_sha256 {
        return Err(damaged_backup(file, "the hash of its database differs from the manifest"));
    }
    let connection = connection::open(database)?;
    let report: String = connection.query_row("pragma integrity_check", [], |row| row.get(0))?;
    if report != "ok" {
        return Err(damaged_backup(file, &report));
    }
    if connection.prepare("pragma foreign_key_check")?.exists([])? {
        return Err(damaged_backup(file, "its database violates foreign keys"));
    }
    if count_rows(&connection)? != manifest.rows {
        return Err(damaged_backup(file, "its row counts differ from the manifest"));
    }
    Ok(())
}

/// Reads only the manifest of a backup file, without verifying the backup.
///
/// # Errors
/// [`UnusableData`] if the first entry is not a valid manifest or has a newer format version.
fn read_archive_manifest(file: &Path) -> Result<Manifest> {
    let mut tar = tar::Archive::new(zstd::Decoder::new(File::open(file)?)?);
    match tar.entries()?.next() {
        Some(Ok(mut entry)) if entry.path()?.as_ref() == Path::new(MANIFEST_NAME) => {
            parse_manifest(file, &mut entry)
        }
        _ => Err(damaged_backup(file, "its first entry is not a manifest")),
    }
}

/// Parses a manifest.
///
/// # Errors
/// [`UnusableData`] if it is invalid or has a newer format version.
fn parse_manifest(file: &Path, reader: &mut impl Read) -> Result<Manifest> {
    let manifest: Manifest = serde_json::from_reader(reader)
        .map_err(|error| damaged_backup(file, &error.to_string()))?;
    if manifest.format > FORMAT_VERSION {
        return Err(UnusableData::error(format!(
            "{} was created by a newer version of the program ({})",
            file.display(),
            manifest.program
        )));
    }
    Ok(manifest)
}

/// Creates the error `UnusableData` for a damaged backup file.
fn damaged_backup(file: &Path, reason: &str) -> Error {
    UnusableData::error(format!("{} is not a complete backup: {reason}", file.display()))
}

#[cfg(test)]
mod tests;
