//! From any released schema to today's: append-only steps, a snapshot before, one transaction.
//!
//! A fresh database gets `schema.sql`; `pragma user_version` counts. See `upgrades/README.md`.

use std::fs;
use std::path::Path;
use std::path::PathBuf;
use std::thread;
use std::time::Duration;
use std::time::Instant;

use include_dir::Dir;
use include_dir::include_dir;
use rusqlite::Connection;
use rusqlite::OptionalExtension;

use crate::db::Attention;
use crate::db::FILE;
use crate::db::connection;
use crate::db::files;
use crate::db::lock;
use crate::error::Error;
use crate::error::Result;
use crate::time::Timestamp;

/// The schema of a fresh database.
pub const SCHEMA: &str = include_str!("../../../schema.sql");

static STEPS: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/db/upgrades");

/// The first released schema.
const FIRST: i64 = 1;

/// How long opening waits while others have an old database open.
const PATIENCE: Duration = Duration::from_secs(5);

/// One step: the SQL that brings version `to - 1` to version `to`.
#[derive(Debug, Clone)]
struct Step {
    to: i64,
    name: String,
    sql: String,
}

/// The way to today's schema.
struct Plan {
    schema: String,
    steps: Vec<Step>,
}

/// Where a database stands.
#[derive(Debug, serde::Serialize)]
pub struct Status {
    /// The database's version; 0 when there is none yet.
    pub version: i64,
    /// The version that this program works with.
    pub current: i64,
    /// Names of the steps still to run, in order.
    pub pending: Vec<String>,
    /// Snapshots taken before earlier upgrades, newest last.
    pub snapshots: Vec<PathBuf>,
}

/// What a rollback did.
#[derive(Debug, serde::Serialize)]
pub struct RolledBack {
    /// The version before.
    pub from: i64,
    /// The version now.
    pub to: i64,
    /// The snapshot that is the database now.
    pub snapshot: PathBuf,
    /// Where the replaced database is kept.
    pub kept: PathBuf,
}

/// Where the database of `dir` stands. Works beside a server, changes nothing.
pub fn status(dir: &Path) -> Result<Status> {
    let plan = Plan::product()?;
    let version = version(dir)?;
    let pending = plan.pending(version).map(|step| step.name.clone()).collect();
    Ok(Status { version, current: plan.current(), pending, snapshots: snapshots(dir)? })
}

/// Makes or upgrades the database of `dir`; returns the names of the steps that ran. With
/// `dry_run` all is undone at the end: it only tells whether the upgrade would work.
///
/// # Errors
/// `Conflict` when there is something to do while a process has the database open, [`Attention`]
/// when it is newer than this program or a step fails. Then nothing is changed.
pub fn up(dir: &Path, dry_run: bool) -> Result<Vec<String>> {
    let plan = Plan::product()?;
    if version(dir)? == plan.current() {
        return Ok(Vec::new());
    }
    let _alone = lock::alone(dir)?;
    plan.up(dir, dry_run, Timestamp::now())
}

/// Puts the newest snapshot of an older version back. What was written since the upgrade is lost
/// from the database, but kept beside it.
///
/// # Errors
/// `Conflict` when the database is in use, `NotFound` when there is no such snapshot.
pub fn rollback(dir: &Path) -> Result<RolledBack> {
    let _alone = lock::alone(dir)?;
    let from = version(dir)?;
    let older = snapshots(dir)?
        .into_iter()
        .rev()
        .find(|path| version_in_name(path).is_some_and(|version| version < from));
    let snapshot = older.ok_or(Error::NotFound("snapshot of an older version"))?;
    let scratch = files::Scratch::new(dir)?;
    let copy = scratch.path().join(FILE);
    files::copy_database(&connection::open(&snapshot)?, &copy)?;
    let kept = files::replace_database(dir, &copy, Timestamp::now())?;
    Ok(RolledBack { from, to: version(dir)?, snapshot, kept })
}

/// Makes the database of `dir` ready to open and takes a place among its users.
pub(super) fn ready(dir: &Path) -> Result<lock::Use> {
    let plan = Plan::product()?;
    let began = Instant::now();
    loop {
        let held = lock::share(dir)?;
        if version(dir)? == plan.current() {
            return Ok(held);
        }
        drop(held);
        if let Some(_alone) = lock::alone_now(dir)? {
            plan.up(dir, false, Timestamp::now())?;
        } else if began.elapsed() > PATIENCE {
            return Err(Error::Conflict(format!(
                "{} is open in a program of another version: stop that first",
                dir.display()
            )));
        } else {
            thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Plan {
    /// The plan that is built in.
    fn product() -> Result<Self> {
        let mut steps = Vec::new();
        for file in STEPS.files() {
            let name = file.path().to_string_lossy().into_owned();
            let Some(stem) = name.strip_suffix(".sql") else { continue };
            let number = stem.split('_').next().unwrap_or_default().parse();
            let to = number.map_err(|_| Error::internal(format!("upgrade {name}: no number")))?;
            let sql = file.contents_utf8().unwrap_or_default().to_owned();
            steps.push(Step { to, name: stem.to_owned(), sql });
        }
        steps.sort_by_key(|step| step.to);
        Ok(Self { schema: SCHEMA.to_owned(), steps })
    }

    /// Today's version.
    fn current(&self) -> i64 {
        self.steps.last().map_or(FIRST, |step| step.to)
    }

    fn pending(&self, version: i64) -> impl Iterator<Item = &Step> {
        // A fresh database gets today's schema, not the steps.
        self.steps.iter().filter(move |step| version >= FIRST && step.to > version)
    }

    /// The caller holds the directory alone.
    fn up(&self, dir: &Path, dry_run: bool, now: Timestamp) -> Result<Vec<String>> {
        let version = version(dir)?;
        if version > self.current() {
            return Err(Attention::error(format!(
                "the database has version {version}, but this program knows only {}: \
                 install the newer program, or restore an older backup",
                self.current()
            )));
        }
        if version == 0 {
            return self.create(dir, dry_run);
        }
        let steps: Vec<&Step> = self.pending(version).collect();
        if steps.is_empty() {
            return Ok(Vec::new());
        }
        let connection = connection::open(&dir.join(FILE))?;
        if !dry_run {
            snapshot(&connection, dir, version, now)?;
        }
        run(&connection, &steps, dry_run)?;
        Ok(steps.into_iter().map(|step| step.name.clone()).collect())
    }

    /// A fresh database, in one transaction.
    fn create(&self, dir: &Path, dry_run: bool) -> Result<Vec<String>> {
        if dry_run {
            return Ok(Vec::new());
        }
        let path = dir.join(FILE);
        if !path.exists() {
            files::new_file(&path)?;
        }
        let connection = connection::open(&path)?;
        // Commits are faster than with 4 KiB pages, and a chunk of records stays on one page.
        connection.pragma_update(None, "page_size", 8192)?;
        connection.pragma_update_and_check(None, "journal_mode", "wal", |_| Ok(()))?;
        connection.execute_batch("begin immediate")?;
        let id = uuid::Uuid::new_v4().to_string();
        let made = connection
            .execute_batch(&self.schema)
            .and_then(|()| {
                let sql = "insert into meta (key, value) values ('database_id', ?1)";
                connection.execute(sql, [id])
            })
            .and_then(|_| connection.pragma_update(None, "user_version", self.current()));
        made.map_err(|error| {
            Attention::error(format!("{} cannot be made a database: {error}", path.display()))
        })?;
        connection.execute_batch("commit")?;
        connection.close().map_err(|(_, error)| error)?;
        files::sync_dir(dir)?;
        Ok(Vec::new())
    }
}

/// All steps in one transaction.
fn run(connection: &Connection, steps: &[&Step], dry_run: bool) -> Result<()> {
    // So that a step may rebuild a table that others refer to. The check below makes up for it.
    connection.pragma_update(None, "foreign_keys", false)?;
    connection.execute_batch("begin immediate")?;
    for step in steps {
        let ran = connection
            .execute_batch(&step.sql)
            .and_then(|()| connection.pragma_update(None, "user_version", step.to));
        // Leaving the function closes the connection, which undoes the transaction.
        ran.map_err(|error| {
            Attention::error(format!("upgrade {} failed, nothing is changed: {error}", step.name))
        })?;
    }
    let broken: Option<String> =
        connection.query_row("pragma foreign_key_check", [], |row| row.get(0)).optional()?;
    if let Some(table) = broken {
        return Err(Attention::error(format!(
            "the upgrade left references from {table} to nothing, so nothing is changed"
        )));
    }
    Ok(connection.execute_batch(if dry_run { "rollback" } else { "commit" })?)
}

/// The version of the database in `dir`; 0 when there is none.
fn version(dir: &Path) -> Result<i64> {
    let path = dir.join(FILE);
    if !path.exists() {
        return Ok(0);
    }
    let version = connection::open(&path)
        .and_then(|it| it.query_row("pragma user_version", [], |row| row.get(0)));
    version.map_err(|error| match error.sqlite_error_code() {
        Some(rusqlite::ErrorCode::NotADatabase | rusqlite::ErrorCode::DatabaseCorrupt) => {
            Attention::error(format!("{} is not a database: {error}", path.display()))
        }
        _ => error.into(),
    })
}

/// Copies the database to `snapshots/<version>-<time>.db`.
fn snapshot(connection: &Connection, dir: &Path, version: i64, now: Timestamp) -> Result<PathBuf> {
    let folder = dir.join("snapshots");
    files::private_dir(&folder)?;
    let name = format!("{version:04}-{}.db", files::stamp(now));
    let scratch = files::Scratch::new(&folder)?;
    let copy = scratch.path().join(&name);
    files::copy_database(connection, &copy)?;
    let path = folder.join(name);
    fs::rename(copy, &path)?;
    files::sync_dir(&folder)?;
    Ok(path)
}

/// All snapshots in `dir`, oldest first.
fn snapshots(dir: &Path) -> Result<Vec<PathBuf>> {
    let folder = dir.join("snapshots");
    if !folder.exists() {
        return Ok(Vec::new());
    }
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if version_in_name(&path).is_some() {
            found.push(path);
        }
    }
    // By time first: a rollback and a second upgrade leave two of one version.
    found.sort_by_key(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        name.split_once('-').map(|(version, time)| (time.to_owned(), version.to_owned()))
    });
    Ok(found)
}

fn version_in_name(path: &Path) -> Option<i64> {
    let name = path.file_name()?.to_str()?.strip_suffix(".db")?;
    name.split_once('-')?.0.parse().ok()
}

#[cfg(test)]
mod tests;
