//! Backups: one file each, made beside a running server, proven by restoring it.
//!
//! The file is a zstd-compressed tar of `manifest.json`, `server.key` and `chartroom.db`, so that
//! `tar --zstd -x` opens it too. It holds secrets: only its owner can read it.

use std::collections::BTreeMap;
use std::fs;
use std::fs::File;
use std::io::Read;
use std::io::Write;
use std::path::Path;
use std::path::PathBuf;

use rusqlite::Connection;
use sha2::Digest;
use sha2::Sha256;

use crate::db::Attention;
use crate::db::FILE;
use crate::db::connection;
use crate::db::files;
use crate::db::lock;
use crate::db::upgrade;
use crate::error::Error;
use crate::error::Result;
use crate::time::Timestamp;

/// The layout of a backup file. A program reads its own and older ones.
const FORMAT: u32 = 1;

/// zstd's own default: a database of JSON shrinks about five times, at some 100 MB/s.
const LEVEL: i32 = 3;

const MANIFEST: &str = "manifest.json";
const KEY: &str = "server.key";

/// What a backup says of itself; the first entry of the file.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub struct Manifest {
    /// The layout of the file, 1 so far.
    pub format: u32,
    /// The program's version that made it.
    pub program: String,
    /// When it was made, RFC 3339.
    pub created: String,
    /// Which database it is of.
    pub database_id: String,
    /// The database's schema version.
    pub schema_version: i64,
    /// Length of the database file in bytes.
    pub database_bytes: u64,
    /// SHA-256 of the database file, lower-case hexadecimal.
    pub database_sha256: String,
    /// Rows of each table.
    pub rows: BTreeMap<String, i64>,
}

/// A backup file.
#[derive(Debug, Clone, serde::Serialize)]
pub struct Backup {
    /// Where it is.
    pub path: PathBuf,
    /// Its length in bytes.
    pub bytes: u64,
    /// What it says of itself.
    pub manifest: Manifest,
}

/// What a restore did.
#[derive(Debug, serde::Serialize)]
pub struct Restored {
    /// What was restored.
    pub manifest: Manifest,
    /// Where the old database and key are kept, if there were any.
    pub kept: Option<PathBuf>,
}

/// Makes a backup of `dir`, proves it by [`verify`], and only then gives it its name: `to`, or
/// `backups/chartroom-<time>.tar.zst` in `dir`. Reading and writing go on meanwhile.
///
/// # Errors
/// `NotFound` without a database, `Conflict` when `to` exists.
pub fn create(dir: &Path, to: Option<&Path>) -> Result<Backup> {
    let database = dir.join(FILE);
    if !database.exists() {
        return Err(Error::NotFound("database to back up"));
    }
    let now = Timestamp::now();
    let path = match to {
        Some(path) => path.to_owned(),
        None => {
            files::private_dir(&folder(dir))?;
            folder(dir).join(format!("chartroom-{}.tar.zst", files::stamp(now)))
        }
    };
    if path.exists() {
        return Err(Error::Conflict(format!("{} exists already", path.display())));
    }
    let _open = lock::share(dir)?;
    let parent = files::parent(&path);
    let scratch = files::Scratch::new(parent)?;
    let copy = scratch.path().join(FILE);
    files::copy_database(&connection::open(&database)?, &copy)?;
    let manifest = describe(&copy, now)?;
    let packed = scratch.path().join("packed");
    pack(&manifest, &fs::read(dir.join(KEY)).unwrap_or_default(), &copy, &packed)?;
    verify(&packed)?;
    // Unlike a rename this never replaces another backup.
    fs::hard_link(&packed, &path)?;
    files::sync_dir(parent)?;
    Ok(Backup { bytes: fs::metadata(&path)?.len(), path, manifest })
}

/// Restores a backup into a temporary directory beside it and checks everything: hash, integrity,
/// references, row counts.
///
/// # Errors
/// [`Attention`](super::Attention) with what is wrong.
pub fn verify(file: &Path) -> Result<Manifest> {
    let scratch = files::Scratch::new(files::parent(file))?;
    unpack(file, scratch.path())
}

/// Puts the backup in the place of what is in `dir`, which may be empty or absent.
///
/// # Errors
/// `Conflict` when the database is in use; [`Attention`](super::Attention) when the backup is
/// damaged or of a newer version. Then nothing is changed.
pub fn restore(dir: &Path, file: &Path) -> Result<Restored> {
    files::private_dir(dir)?;
    let _alone = lock::alone(dir)?;
    let scratch = files::Scratch::new(dir)?;
    let manifest = unpack(file, scratch.path())?;
    let current = upgrade::status(scratch.path())?.current;
    if manifest.schema_version > current {
        return Err(Attention::error(format!(
            "the backup has version {}, but this program knows only {current}",
            manifest.schema_version
        )));
    }
    let had_any = dir.join(FILE).exists();
    let kept = files::replace_database(dir, &scratch.path().join(FILE), Timestamp::now())?;
    let (key, old) = (scratch.path().join(KEY), dir.join(KEY));
    if key.exists() {
        if old.exists() {
            fs::hard_link(&old, kept.join(KEY))?;
            files::sync_dir(&kept)?;
        }
        fs::rename(&key, &old)?;
        files::sync_dir(dir)?;
    }
    if !had_any && fs::read_dir(&kept)?.next().is_none() {
        fs::remove_dir(&kept)?;
        return Ok(Restored { manifest, kept: None });
    }
    Ok(Restored { manifest, kept: Some(kept) })
}

/// The backups in `dir`'s own folder, oldest first; files that are none are left out.
pub fn list(dir: &Path) -> Result<Vec<Backup>> {
    let folder = folder(dir);
    if !folder.exists() {
        return Ok(Vec::new());
    }
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if !name.starts_with("chartroom-") || !name.ends_with(".tar.zst") {
            continue;
        }
        match manifest(&path) {
            Ok(manifest) => {
                found.push(Backup { bytes: fs::metadata(&path)?.len(), path, manifest });
            }
            Err(error) => tracing::warn!(%error, path = %path.display(), "not a whole backup"),
        }
    }
    found.sort_by(|one, other| one.manifest.created.cmp(&other.manifest.created));
    Ok(found)
}

/// Removes all but the newest `keep` backups from `dir`'s own folder; returns what it removed.
/// One always stays.
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

fn folder(dir: &Path) -> PathBuf {
    dir.join("backups")
}

fn describe(database: &Path, now: Timestamp) -> Result<Manifest> {
    let connection = connection::open(database)?;
    let id = "select value from meta where key = 'database_id'";
    Ok(Manifest {
        format: FORMAT,
        program: env!("CARGO_PKG_VERSION").to_owned(),
        created: now.to_string(),
        database_id: connection.query_row(id, [], |row| row.get(0))?,
        schema_version: connection.query_row("pragma user_version", [], |row| row.get(0))?,
        database_bytes: fs::metadata(database)?.len(),
        database_sha256: sha256(database)?,
        rows: rows(&connection)?,
    })
}

fn rows(connection: &Connection) -> Result<BTreeMap<String, i64>> {
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

fn sha256(path: &Path) -> Result<String> {
    let mut file = File::open(path)?;
    let mut hash = Sha256::new();
    let mut buffer = vec![0; 1 << 16];
    loop {
        let length = file.read(&mut buffer)?;
        if length == 0 {
            let bytes: [u8; 32] = hash.finalize().into();
            return Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect());
        }
        hash.update(&buffer[..length]);
    }
}

/// Writes the file; it is on the disk when this returns.
fn pack(manifest: &Manifest, key: &[u8], database: &Path, to: &Path) -> Result<()> {
    let mut tar = tar::Builder::new(zstd::Encoder::new(files::new_file(to)?, LEVEL)?);
    let text = serde_json::to_vec_pretty(manifest)?;
    for (name, bytes) in [(MANIFEST, text.as_slice()), (KEY, key)] {
        // A database that was never served has no key.
        if !bytes.is_empty() {
            tar.append_data(&mut header(bytes.len() as u64), name, bytes)?;
        }
    }
    let mut database = File::open(database)?;
    tar.append_data(&mut header(database.metadata()?.len()), FILE, &mut database)?;
    let mut file = tar.into_inner()?.finish()?;
    file.flush()?;
    Ok(file.sync_all()?)
}

fn header(length: u64) -> tar::Header {
    let mut header = tar::Header::new_gnu();
    header.set_size(length);
    header.set_mode(0o600);
    header
}

/// Writes the entries into `dir`, and checks that they are what the manifest says.
fn unpack(file: &Path, dir: &Path) -> Result<Manifest> {
    let mut tar = tar::Archive::new(zstd::Decoder::new(File::open(file)?)?);
    let broken = |error: std::io::Error| match error.kind() {
        std::io::ErrorKind::StorageFull => error.into(),
        _ => damaged(file, &error.to_string()),
    };
    let mut manifest = None;
    for entry in tar.entries().map_err(broken)? {
        let mut entry = entry.map_err(broken)?;
        let name = entry.path().map_err(broken)?.to_string_lossy().into_owned();
        match name.as_str() {
            MANIFEST => manifest = Some(read_manifest(file, &mut entry)?),
            KEY | FILE => {
                let mut to = files::new_file(&dir.join(&name))?;
                std::io::copy(&mut entry, &mut to).map_err(broken)?;
                to.sync_all()?;
            }
            other => return Err(damaged(file, &format!("unknown entry {other}"))),
        }
    }
    let manifest = manifest.ok_or_else(|| damaged(file, "it has no manifest"))?;
    check(file, &manifest, &dir.join(FILE))?;
    Ok(manifest)
}

fn check(file: &Path, manifest: &Manifest, database: &Path) -> Result<()> {
    if !database.exists() || sha256(database)? != manifest.database_sha256 {
        return Err(damaged(file, "the database in it is not the one it was made with"));
    }
    let connection = connection::open(database)?;
    let said: String = connection.query_row("pragma integrity_check", [], |row| row.get(0))?;
    if said != "ok" {
        return Err(damaged(file, &said));
    }
    if connection.prepare("pragma foreign_key_check")?.exists([])? {
        return Err(damaged(file, "it has references to nothing"));
    }
    if rows(&connection)? != manifest.rows {
        return Err(damaged(file, "it has other counts of rows than it says"));
    }
    Ok(())
}

/// Only the manifest, without unpacking the rest.
fn manifest(file: &Path) -> Result<Manifest> {
    let mut tar = tar::Archive::new(zstd::Decoder::new(File::open(file)?)?);
    match tar.entries()?.next() {
        Some(Ok(mut entry)) if entry.path()?.as_ref() == Path::new(MANIFEST) => {
            read_manifest(file, &mut entry)
        }
        _ => Err(damaged(file, "it does not begin with a manifest")),
    }
}

fn read_manifest(file: &Path, from: &mut impl Read) -> Result<Manifest> {
    let manifest: Manifest =
        serde_json::from_reader(from).map_err(|error| damaged(file, &error.to_string()))?;
    if manifest.format > FORMAT {
        return Err(Attention::error(format!(
            "{} was made by a newer program ({})",
            file.display(),
            manifest.program
        )));
    }
    Ok(manifest)
}

fn damaged(file: &Path, reason: &str) -> Error {
    Attention::error(format!("{} is not a whole backup: {reason}", file.display()))
}

#[cfg(test)]
mod tests;
