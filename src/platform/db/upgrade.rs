//! Schema upgrades: append-only SQL steps in one transaction, with a snapshot of the database
//! before.
//!
//! A new database gets `schema.sql`. `pragma user_version` holds the schema version. See
//! `upgrades/README.md`.

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

use crate::db::connection;
use crate::db::connection::DATABASE_FILE_NAME;
use crate::db::files;
use crate::db::lock;
use crate::db::restore_epoch;
use crate::db::unusable_data::UnusableData;
use crate::error::Error;
use crate::error::Result;
use crate::time::Timestamp;

/// The schema of a new database.
pub const SCHEMA: &str = include_str!("../../../schema.sql");

/// The SQL files of the upgrade steps.
static STEPS: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/db/upgrades");

/// Version of the first released schema.
const FIRST_VERSION: i64 = 1;

/// Maximum time that opening waits while other processes have a database of an old version open.
const MAX_UPGRADE_WAIT: Duration = Duration::from_secs(5);

/// One upgrade step: the SQL that upgrades version `to - 1` to version `to`.
#[derive(Debug, Clone)]
struct UpgradeStep {
    to: i64,
    name: String,
    sql: String,
}

/// The schema of new databases and the steps for old ones.
struct UpgradePlan {
    schema: String,
    steps: Vec<UpgradeStep>,
}

/// The schema version of a database and the possible upgrades and rollbacks.
#[derive(Debug, serde::Serialize)]
pub struct SchemaStatus {
    /// Schema version of the database, 0 if there is no database.
    pub version: i64,
    /// Schema version of this program.
    pub current: i64,
    /// Names of the steps that have not run yet, in order. Empty if there is no database or if it
    /// is newer than this program.
    pub pending: Vec<String>,
    /// Snapshots taken before earlier upgrades, newest last.
    pub snapshots: Vec<PathBuf>,
}

/// Result of a rollback.
#[derive(Debug, serde::Serialize)]
pub struct RollbackReport {
    /// Schema version before the rollback.
    pub from: i64,
    /// Schema version after the rollback.
    pub to: i64,
    /// Snapshot that has replaced the database.
    pub snapshot: PathBuf,
    /// Directory with the replaced database.
    pub kept: PathBuf,
}

/// Returns the schema status of the database of `dir`, with version 0 if there is none.
///
/// Changes no data, takes no lock and works while a server runs.
pub fn status(dir: &Path) -> Result<SchemaStatus> {
    let plan = UpgradePlan::built_in()?;
    let version = read_version(dir)?;
    let pending = plan.pending_steps(version).map(|step| step.name.clone()).collect();
    Ok(SchemaStatus {
        version,
        current: plan.current_version(),
        pending,
        snapshots: list_snapshots(dir)?,
    })
}

/// Creates or upgrades the database of `dir` and returns the names of the executed steps, which are
/// none for a new or current database.
///
/// `dry_run` rolls back all steps at the end, to test whether the upgrade would succeed. It does
/// not create a database. Without it, a snapshot of the old database is taken before the steps.
///
/// # Errors
/// `Conflict` if the database must be created or upgraded while another process has it open for
/// more than 2 s. [`UnusableData`] if the database is newer than this program, the file is not a
/// database or a step fails. An existing database stays unchanged in these cases, but the snapshot
/// remains.
pub fn upgrade(dir: &Path, dry_run: bool) -> Result<Vec<String>> {
    let plan = UpgradePlan::built_in()?;
    if read_version(dir)? == plan.current_version() {
        return Ok(Vec::new());
    }
    let _lock = lock::lock_exclusive(dir)?;
    plan.upgrade(dir, dry_run, Timestamp::now())
}

/// Replaces the database by a copy of the newest snapshot of an older schema version, and deletes the
/// search index, which the next server builds again. The new database gets a new `Db::restore_epoch`.
///
/// The new database does not contain changes since the upgrade. The replaced database and the
/// snapshot are kept.
///
/// # Errors
/// `Conflict` if another process has the database open for more than 2 s, `NotFound` if there is no
/// snapshot of an older version.
pub fn rollback(dir: &Path) -> Result<RollbackReport> {
    let _lock = lock::lock_exclusive(dir)?;
    let from = read_version(dir)?;
    let older = list_snapshots(dir)?
        .into_iter()
        .rev()
        .find(|path| parse_snapshot_version(path).is_some_and(|version| version < from));
    let snapshot = older.ok_or(Error::NotFound("snapshot of an older version"))?;
    let temporary = files::TemporaryDir::new(dir)?;
    let copy = temporary.path().join(DATABASE_FILE_NAME);
    files::copy_database(&connection::open(&snapshot)?, &copy)?;
    restore_epoch::begin_new_epoch(&copy)?;
    let kept = files::replace_database(dir, &copy, Timestamp::now())?;
    Ok(RollbackReport { from, to: read_version(dir)?, snapshot, kept })
}

/// Creates or upgrades the database of `dir` if necessary and returns a shared lock on `dir`.
///
/// # Errors
/// As for [`upgrade`], but `Conflict` only if other processes have a database of another version
/// open for more than 5 s, or if a restore or an upgrade does not end within 10 s.
pub(super) fn prepare_and_lock(dir: &Path) -> Result<lock::SharedLock> {
    let plan = UpgradePlan::built_in()?;
    let start = Instant::now();
    loop {
        let shared_lock = lock::lock_shared(dir)?;
        if read_version(dir)? == plan.current_version() {
            return Ok(shared_lock);
        }
        drop(shared_lock);
        if let Some(_lock) = lock::try_lock_exclusive(dir)? {
            plan.upgrade(dir, false, Timestamp::now())?;
        } else if start.elapsed() > MAX_UPGRADE_WAIT {
            return Err(Error::Conflict(format!(
                "{} is in use by another version of the program; stop that program first",
                dir.display()
            )));
        } else {
            thread::sleep(Duration::from_millis(20));
        }
    }
}

impl UpgradePlan {
    /// Returns the plan that is compiled into the program, with the steps in order. Ignores files
    /// without the suffix `.sql`.
    ///
    /// # Errors
    /// `Internal` if the name of a step does not start with a number.
    fn built_in() -> Result<Self> {
        let mut steps = Vec::new();
        for file in STEPS.files() {
            let name = file.path().to_string_lossy().into_owned();
            let Some(stem) = name.strip_suffix(".sql") else { continue };
            let number = stem.split('_').next().unwrap_or_default().parse();
            let to = number.map_err(|_| {
                Error::internal(format!(
                    "the file name of upgrade {name} does not start with a number"
                ))
            })?;
            let sql = file.contents_utf8().unwrap_or_default().to_owned();
            steps.push(UpgradeStep { to, name: stem.to_owned(), sql });
        }
        steps.sort_by_key(|step| step.to);
        Ok(Self { schema: SCHEMA.to_owned(), steps })
    }

    /// Returns the schema version of this program.
    fn current_version(&self) -> i64 {
        self.steps.last().map_or(FIRST_VERSION, |step| step.to)
    }

    /// Returns the steps that a database of `version` needs, in order. There are none for version
    /// 0, because a new database gets the current schema.
    fn pending_steps(&self, version: i64) -> impl Iterator<Item = &UpgradeStep> {
        self.steps.iter().filter(move |step| version >= FIRST_VERSION && step.to > version)
    }

    /// Creates the database or runs the pending steps after taking a snapshot, and returns the names
    /// of the steps. See the function `upgrade`. The caller must hold the exclusive lock of `dir`.
    fn upgrade(&self, dir: &Path, dry_run: bool, now: Timestamp) -> Result<Vec<String>> {
        let version = read_version(dir)?;
        if version > self.current_version() {
            return Err(UnusableData::error(format!(
                "the database has schema version {version}, but this program supports versions up to {}; \
                 install the newer program or restore an older backup",
                self.current_version()
            )));
        }
        if version == 0 {
            return self.create_database(dir, dry_run);
        }
        let steps: Vec<&UpgradeStep> = self.pending_steps(version).collect();
        if steps.is_empty() {
            return Ok(Vec::new());
        }
        let connection = connection::open(&dir.join(DATABASE_FILE_NAME))?;
        if !dry_run {
            create_snapshot(&connection, dir, version, now)?;
        }
        run_steps(&connection, &steps, dry_run)?;
        Ok(steps.into_iter().map(|step| step.name.clone()).collect())
    }

    /// Creates a new database with the current schema in one transaction. With `dry_run` it does
    /// nothing. Returns an empty list, because no upgrade step runs.
    ///
    /// Uses an existing empty file. The file stays after an error.
    fn create_database(&self, dir: &Path, dry_run: bool) -> Result<Vec<String>> {
        if dry_run {
            return Ok(Vec::new());
        }
        let path = dir.join(DATABASE_FILE_NAME);
        if !path.exists() {
            files::create_private_file(&path)?;
        }
        let connection = connection::open(&path)?;
        // With 8 KiB instead of 4 KiB, commits are faster and a chunk of records fits on one page.
        connection.pragma_update(None, "page_size", 8192)?;
        connection.pragma_update_and_check(None, "journal_mode", "wal", |_| Ok(()))?;
        connection.execute_batch("begin immediate")?;
        let id = uuid::Uuid::new_v4().to_string();
        let created = connection
            .execute_batch(&self.schema)
            .and_then(|()| {
                let sql = "insert into meta (key, value) values ('database_id', ?1)";
                connection.execute(sql, [id])
            })
            .and_then(|_| connection.pragma_update(None, "user_version", self.current_version()));
        created.map_err(|error| {
            UnusableData::error(format!(
                "the database {} cannot be created: {error}",
                path.display()
            ))
        })?;
        connection.execute_batch("commit")?;
        connection.close().map_err(|(_, error)| error)?;
        files::sync_dir(dir)?;
        Ok(Vec::new())
    }
}

/// Runs all steps in one transaction and checks the foreign keys before the commit. `dry_run`
/// replaces the commit by a rollback.
///
/// Leaves foreign keys disabled on the connection.
///
/// # Errors
/// [`UnusableData`] if a step fails or breaks foreign keys. The transaction then stays open, so the
/// caller must close the connection.
fn run_steps(connection: &Connection, steps: &[&UpgradeStep], dry_run: bool) -> Result<()> {
    // A step may rebuild a table that other tables refer to, so the check follows after all steps.
    connection.pragma_update(None, "foreign_keys", false)?;
    connection.execute_batch("begin immediate")?;
    for step in steps {
        let result = connection
            .execute_batch(&step.sql)
            .and_then(|()| connection.pragma_update(None, "user_version", step.to));
        // On an error the caller closes the connection, which rolls back the transaction.
        result.map_err(|error| {
            UnusableData::error(format!(
                "upgrade {} failed and was rolled back: {error}",
                step.name
            ))
        })?;
    }
    let broken: Option<String> =
        connection.query_row("pragma foreign_key_check", [], |row| row.get(0)).optional()?;
    if let Some(table) = broken {
        return Err(UnusableData::error(format!(
            "the upgrade was rolled back because it breaks foreign keys of the table {table}"
        )));
    }
    Ok(connection.execute_batch(if dry_run { "rollback" } else { "commit" })?)
}

/// Returns the schema version of the database in `dir`, or 0 if there is none or it is still empty.
///
/// # Errors
/// [`UnusableData`] if the file is not a valid database.
fn read_version(dir: &Path) -> Result<i64> {
    let path = dir.join(DATABASE_FILE_NAME);
    if !path.exists() {
        return Ok(0);
    }
    let version = connection::open(&path)
        .and_then(|connection| connection.query_row("pragma user_version", [], |row| row.get(0)));
    version.map_err(|error| match error.sqlite_error_code() {
        Some(rusqlite::ErrorCode::NotADatabase | rusqlite::ErrorCode::DatabaseCorrupt) => {
            UnusableData::error(format!("{} is not a valid database: {error}", path.display()))
        }
        _ => error.into(),
    })
}

/// Copies the database to `snapshots/<version>-<time>.db` in `dir`, flushes the file and returns
/// its path. `version` is the schema version of the database.
fn create_snapshot(
    connection: &Connection,
    dir: &Path,
    version: i64,
    now: Timestamp,
) -> Result<PathBuf> {
    let folder = dir.join("snapshots");
    files::create_private_dir(&folder)?;
    let name = format!("{version:04}-{}.db", files::format_file_timestamp(now));
    let temporary = files::TemporaryDir::new(&folder)?;
    let copy = temporary.path().join(&name);
    files::copy_database(connection, &copy)?;
    let path = folder.join(name);
    fs::rename(copy, &path)?;
    files::sync_dir(&folder)?;
    Ok(path)
}

/// Returns the paths of the snapshots of `dir`, oldest first by the times in their names. Skips
/// other files. Empty if there is no snapshot directory.
fn list_snapshots(dir: &Path) -> Result<Vec<PathBuf>> {
    let folder = dir.join("snapshots");
    if !folder.exists() {
        return Ok(Vec::new());
    }
    let mut snapshots = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if parse_snapshot_version(&path).is_some() {
            snapshots.push(path);
        }
    }
    // Sort by time, because a rollback and a second upgrade leave two snapshots of one version.
    snapshots.sort_by_key(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        name.split_once('-').map(|(version, time)| (time.to_owned(), version.to_owned()))
    });
    Ok(snapshots)
}

/// Returns the schema version in a file name like `0003-<time>.db`, or None for other files. Does not
/// check the time or open the file.
fn parse_snapshot_version(path: &Path) -> Option<i64> {
    let name = path.file_name()?.to_str()?.strip_suffix(".db")?;
    name.split_once('-')?.0.parse().ok()
}

#[cfg(test)]
mod tests;
