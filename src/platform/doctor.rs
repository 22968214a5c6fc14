//! Health checks of a data directory for `chartroom doctor`, and repairs that lose no data.
//!
//! The checks also work while a server is running. Features add their own checks.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use rusqlite::Connection;

use crate::db::DATABASE_FILE_NAME;
use crate::db::Tx;
use crate::db::lock;
use crate::db::open_any_version;
use crate::db::schema;
use crate::db::upgrade;
use crate::error::Error;
use crate::error::Result;
use crate::tasks;
use crate::time::Timestamp;

/// The result of one check.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct CheckResult {
    /// Stable name, such as `database.integrity`.
    pub name: &'static str,
    /// Whether the check passed.
    pub ok: bool,
    /// Findings as text for the operator. Can be empty.
    pub detail: String,
}

impl CheckResult {
    /// Creates the result of a check that passed.
    pub fn passed(name: &'static str, detail: impl Into<String>) -> Self {
        Self { name, ok: true, detail: detail.into() }
    }

    /// Creates a result from the problems found. The check passed if there are none.
    ///
    /// The detail contains the first five problems and the number of the others.
    pub fn from_findings(name: &'static str, findings: &[String]) -> Self {
        const MAX_SHOWN: usize = 5;
        let mut detail = findings.iter().take(MAX_SHOWN).cloned().collect::<Vec<_>>().join("; ");
        if findings.len() > MAX_SHOWN {
            detail.push_str(&format!("; and {} more", findings.len() - MAX_SHOWN));
        }
        Self { name, ok: findings.is_empty(), detail }
    }

    /// Creates the result of a check that could not run because of an error.
    pub fn not_checked(name: &'static str, error: &Error) -> Self {
        Self {
            name,
            ok: false,
            detail: format!("could not be checked: {}", error.operator_message()),
        }
    }
}

/// A check of a feature: its name and the function that performs it.
pub type FeatureCheck = (&'static str, fn(&Tx<'_>) -> Result<CheckResult>);

/// Runs the checks of the platform and of the features on the data directory `dir`. Without a
/// database the result is a single check, which passed.
///
/// With `fix` and a failed check, also makes the repairs that lose no data, and then runs all
/// checks again. If their checks failed, the repairs rebuild the database indexes and restrict the
/// permissions of the directory and its files.
///
/// # Errors
/// If a restore or an upgrade does not end within 10 s, or if changing the permissions fails. A
/// check that cannot run is a failed check, not an error.
pub fn run_checks(dir: &Path, fix: bool, features: &[FeatureCheck]) -> Result<Vec<CheckResult>> {
    if !dir.join(DATABASE_FILE_NAME).exists() {
        return Ok(vec![CheckResult::passed("database.present", "there is no database yet")]);
    }
    let _open = lock::lock_shared(dir)?;
    let checks = check_all(dir, features);
    if !fix || checks.iter().all(|check| check.ok) {
        return Ok(checks);
    }
    if !check_permissions(dir).ok {
        restrict_permissions(dir)?;
    }
    if checks.iter().any(|check| check.name == "database.integrity" && !check.ok)
        && let Ok(connection) = open_any_version(dir)
        && let Err(error) = connection.execute_batch("reindex")
    {
        // The damage is not limited to indexes. The second run of the checks reports it.
        tracing::warn!(%error, "cannot rebuild the indexes");
    }
    Ok(check_all(dir, features))
}

/// Runs the checks of the permissions, of the database, of tasks and of the features. If the
/// database cannot be opened, the failed check `database.open` replaces all except that of the
/// permissions.
fn check_all(dir: &Path, features: &[FeatureCheck]) -> Vec<CheckResult> {
    let mut checks = vec![check_permissions(dir)];
    match open_any_version(dir) {
        Ok(connection) => {
            checks.extend(check_database(&connection));
            checks.push(run_feature_check(&connection, ("tasks.dead", check_dead_tasks)));
            checks.extend(features.iter().map(|check| run_feature_check(&connection, *check)));
        }
        Err(error) => checks.push(CheckResult::not_checked("database.open", &error)),
    }
    checks
}

/// Runs the checks of the platform on an open database, except that of tasks. A check that cannot
/// run is a failed check.
fn check_database(connection: &Connection) -> Vec<CheckResult> {
    type DatabaseCheck = fn(&Connection) -> Result<CheckResult>;
    let checks: [(&'static str, DatabaseCheck); 5] = [
        ("database.integrity", check_integrity),
        ("database.references", check_references),
        ("database.schema", check_schema),
        ("database.id", check_database_id),
        ("documents.records", check_records),
    ];
    checks
        .map(|(name, check)| {
            check(connection).unwrap_or_else(|error| CheckResult::not_checked(name, &error))
        })
        .into()
}

/// Runs a check in its own read transaction. A check that returns an error is a failed check.
fn run_feature_check(connection: &Connection, (name, check): FeatureCheck) -> CheckResult {
    let result = connection.unchecked_transaction().map_err(Error::from);
    let result = result.and_then(|snapshot| check(&Tx::new(&snapshot, Timestamp::now(), "")));
    result.unwrap_or_else(|error| CheckResult::not_checked(name, &error))
}

/// Checks the integrity of the database with `pragma integrity_check`.
fn check_integrity(connection: &Connection) -> Result<CheckResult> {
    let mut findings =
        query_texts(connection, "select integrity_check from pragma_integrity_check")?;
    findings.retain(|text| text != "ok");
    Ok(CheckResult::from_findings("database.integrity", &findings))
}

/// Checks that the row to which each foreign key refers exists.
fn check_references(connection: &Connection) -> Result<CheckResult> {
    let sql = "select \"table\" || ' row ' || ifnull(rowid, '?') || ' refers to a missing row of ' \
               || parent from pragma_foreign_key_check";
    Ok(CheckResult::from_findings("database.references", &query_texts(connection, sql)?))
}

/// Checks that the schema is that of a new database. The findings are the lines of
/// `schema::differences`.
fn check_schema(connection: &Connection) -> Result<CheckResult> {
    let expected = schema::describe_sql(upgrade::SCHEMA)?;
    let found = schema::describe(connection)?;
    Ok(CheckResult::from_findings("database.schema", &schema::differences(&expected, &found)))
}

/// Checks that the database has an id, which becomes the detail.
fn check_database_id(connection: &Connection) -> Result<CheckResult> {
    let ids = query_texts(connection, "select value from meta where key = 'database_id'")?;
    Ok(match ids.first() {
        Some(id) => CheckResult::passed("database.id", id),
        None => CheckResult::from_findings("database.id", &["the database has no id".to_owned()]),
    })
}

/// Checks that the chunks of each content are contiguous and belong to a document, and that each
/// document has as many records and bytes as its content.
fn check_records(connection: &Connection) -> Result<CheckResult> {
    let sql = "
        with own as (
            select content, first, count, octet_length(body) as bytes,
                   ifnull(sum(count) over (
                       partition by content order by first
                       rows between unbounded preceding and 1 preceding), 0) as expected
            from chunk
        ), total as (
            select content, sum(count) as records, sum(bytes) + count(*) - 1 as bytes,
                   sum(first <> expected or count < 1) as gaps
            from own group by content
        )
        select 'document ' || document.id || ': '
               || ifnull(total.records, 0) || ' records in ' || ifnull(total.bytes, 0)
               || ' bytes, expected ' || record_count || ' in ' || data_bytes
               || ', ' || ifnull(total.gaps, 0) || ' chunks at a wrong position'
        from document left join total on total.content = document.content
        where ifnull(total.records, 0) <> record_count
           or ifnull(total.bytes, 0) <> data_bytes
           or ifnull(total.gaps, 0) <> 0
        union all
        select 'content ' || content || ': ' || records || ' records in ' || bytes
               || ' bytes without a document'
        from total where content not in (select content from document)
        order by 1";
    Ok(CheckResult::from_findings("documents.records", &query_texts(connection, sql)?))
}

/// Checks that there is no task that the server has given up after too many attempts.
fn check_dead_tasks(tx: &Tx<'_>) -> Result<CheckResult> {
    let dead = tasks::list_failed(tx)?.into_iter().filter(|task| task.given_up);
    let findings = dead.map(|task| {
        let (age, attempts) = (task.created.format_age(tx.now), task.attempts);
        format!(
            "{} of {}, {age} old, given up after {attempts} attempts: {}",
            task.name, task.subject, task.error
        )
    });
    Ok(CheckResult::from_findings("tasks.dead", &findings.collect::<Vec<_>>()))
}

/// Returns the first column of all rows of a query without parameters.
fn query_texts(connection: &Connection, sql: &str) -> Result<Vec<String>> {
    let mut statement = connection.prepare(sql)?;
    let rows = statement.query_map([], |row| row.get(0))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Files that contain secrets. `-wal` contains changes that are not yet in the database file.
const SECRET_FILES: [&str; 4] =
    [DATABASE_FILE_NAME, "chartroom.db-wal", "chartroom.db-shm", "server.key"];

/// Checks that group and other users have no permissions on the data directory and on its files
/// with secrets. Missing files pass.
fn check_permissions(dir: &Path) -> CheckResult {
    let mut findings = Vec::new();
    for name in std::iter::once("").chain(SECRET_FILES) {
        let path = dir.join(name);
        if let Ok(metadata) = fs::metadata(&path)
            && metadata.permissions().mode() & 0o077 != 0
        {
            findings.push(format!("{} is accessible to other users", path.display()));
        }
    }
    CheckResult::from_findings("files.permissions", &findings)
}

/// Removes the permissions of group and other users from the directory and the files with secrets.
/// Skips missing files.
fn restrict_permissions(dir: &Path) -> Result<()> {
    for name in std::iter::once("").chain(SECRET_FILES) {
        let path = dir.join(name);
        if let Ok(metadata) = fs::metadata(&path) {
            let mode = metadata.permissions().mode() & 0o700;
            fs::set_permissions(&path, fs::Permissions::from_mode(mode))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::Db;

    fn open() -> (tempfile::TempDir, Db) {
        let dir = tempfile::tempdir().unwrap();
        fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o700)).unwrap();
        let db = Db::open(dir.path()).unwrap();
        (dir, db)
    }

    fn list_failed_checks(dir: &Path) -> Vec<&'static str> {
        let checks = run_checks(dir, false, &[]).unwrap();
        checks.into_iter().filter(|check| !check.ok).map(|check| check.name).collect()
    }

    /// Changes the database without any check.
    fn tamper(dir: &Path, sql: &str) {
        let connection = Connection::open(dir.join(DATABASE_FILE_NAME)).unwrap();
        connection.execute_batch("pragma foreign_keys = off").unwrap();
        connection.execute_batch(sql).unwrap();
    }

    #[test]
    fn an_empty_directory_and_a_new_database_pass_all_checks() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(list_failed_checks(dir.path()), Vec::<&str>::new());
        let (dir, _db) = open();
        assert_eq!(run_checks(dir.path(), false, &[]).unwrap().len(), 7);
        assert_eq!(list_failed_checks(dir.path()), Vec::<&str>::new());
        tamper(dir.path(), "create table _litestream_seq (id integer primary key, seq integer)");
        assert_eq!(list_failed_checks(dir.path()), Vec::<&str>::new());
    }

    #[test]
    fn schema_reference_and_id_damage_is_reported() {
        let (dir, _db) = open();
        tamper(dir.path(), "create index extra on task (created)");
        assert_eq!(list_failed_checks(dir.path()), ["database.schema"]);
        tamper(
            dir.path(),
            "drop index extra;
             insert into api_token (hash, id, user_id, name, hint, created)
             values (x'00', 'x', 'nobody', '', '', 0)",
        );
        assert_eq!(list_failed_checks(dir.path()), ["database.references"]);
        tamper(dir.path(), "delete from api_token; delete from meta");
        assert_eq!(list_failed_checks(dir.path()), ["database.id"]);
    }

    #[test]
    fn chunks_that_do_not_match_their_document_are_reported() {
        let (dir, _db) = open();
        tamper(
            dir.path(),
            "insert into account values ('1', 'user', 0);
             insert into node values ('d', 'document', '1', null, 'T', 't', 0, 0, '1', null, null, null, 1, 1, 0);
             insert into node values ('e', 'document', '1', null, 'T', 't', 0, 0, '1', null, null, null, 1, 1, 0);
             insert into document (id, content, kind, settings, theme, is_public, schema_version,
                 record_count, data_bytes, history_version)
             values ('d', 'c', 'k', '{}', 'light', 0, 1, 3, 7, 1),
                 ('e', 'c', 'k', '{}', 'light', 0, 1, 3, 7, 1);
             insert into chunk values ('c', 0, 2, '10,20'), ('c', 2, 1, '3');",
        );
        assert_eq!(list_failed_checks(dir.path()), Vec::<&str>::new());
        for (damage, repair) in [
            (
                "update chunk set first = 3 where first = 2",
                "update chunk set first = 2 where first = 3",
            ),
            ("update document set record_count = 4", "update document set record_count = 3"),
            ("update document set data_bytes = 8", "update document set data_bytes = 7"),
            ("delete from chunk where first = 2", "insert into chunk values ('c', 2, 1, '3')"),
            (
                "update document set data_bytes = 9 where id = 'e'",
                "update document set data_bytes = 7 where id = 'e'",
            ),
            (
                "insert into chunk values ('gone', 0, 1, '3')",
                "delete from chunk where content = 'gone'",
            ),
            (
                "update chunk set body = '4€' where first = 2",
                "update chunk set body = '3' where first = 2",
            ),
        ] {
            tamper(dir.path(), damage);
            assert_eq!(list_failed_checks(dir.path()), ["documents.records"], "{damage}");
            tamper(dir.path(), repair);
            assert_eq!(list_failed_checks(dir.path()), Vec::<&str>::new(), "{repair}");
        }
    }

    #[test]
    fn file_permissions_and_a_broken_index_are_repaired() {
        let (dir, db) = open();
        drop(db);
        tamper(
            dir.path(),
            "insert into account values ('1', 'user', 0);
             insert into node values ('d', 'document', '1', null, 'T', 't', 0, 0, '1', null, null, null, 1, 1, 0);
             pragma writable_schema = on;
             update sqlite_schema set sql = replace(sql, 'parent, type', 'type, parent')
             where name = 'node_parent';",
        );
        tamper(
            dir.path(),
            "insert into node values ('e', 'document', '1', 'd', 'T', 't', 0, 0, '1', null, null, null, 1, 2, 0)",
        );
        fs::set_permissions(dir.path().join(DATABASE_FILE_NAME), fs::Permissions::from_mode(0o644))
            .unwrap();
        let bad = list_failed_checks(dir.path());
        assert!(
            bad.contains(&"files.permissions") && bad.contains(&"database.integrity"),
            "{bad:?}"
        );
        let after = run_checks(dir.path(), true, &[]).unwrap();
        let bad: Vec<_> = after.iter().filter(|check| !check.ok).map(|check| check.name).collect();
        assert_eq!(bad, ["database.schema"], "the changed definition remains");
    }
}
