//! Checks of a data directory's health: what `chartroom doctor` prints, and what it can mend.
//!
//! They work beside a running server. Features add checks of their own to the same list.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use rusqlite::Connection;

use crate::db::FILE;
use crate::db::Tx;
use crate::db::inspect;
use crate::db::lock;
use crate::db::shape;
use crate::db::upgrade;
use crate::error::Error;
use crate::error::Result;
use crate::tasks;
use crate::time::Timestamp;

/// One thing looked at.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Check {
    /// A stable name, such as `database.integrity`.
    pub name: &'static str,
    /// Whether it is as it should be.
    pub ok: bool,
    /// What was found, for a person: empty when there is nothing to say.
    pub detail: String,
}

impl Check {
    /// It is as it should be.
    pub fn fine(name: &'static str, detail: impl Into<String>) -> Self {
        Self { name, ok: true, detail: detail.into() }
    }

    /// All is well if nothing was found; the detail names the first few findings.
    pub fn of(name: &'static str, findings: &[String]) -> Self {
        const SHOWN: usize = 5;
        let mut detail = findings.iter().take(SHOWN).cloned().collect::<Vec<_>>().join("; ");
        if findings.len() > SHOWN {
            detail.push_str(&format!("; and {} more", findings.len() - SHOWN));
        }
        Self { name, ok: findings.is_empty(), detail }
    }

    /// It could not even be looked at.
    pub fn failed(name: &'static str, error: &Error) -> Self {
        Self { name, ok: false, detail: format!("could not be checked: {}", error.full()) }
    }
}

/// A check of a feature: its name, and what looks at the database.
pub type Look = (&'static str, fn(&Tx<'_>) -> Result<Check>);

/// Looks at everything in `dir` that the platform knows, and at what the features do. With `fix`,
/// mends what can be mended without losing anything (indexes are built anew, files closed to others)
/// and looks again.
///
/// # Errors
/// When a restore is running, or mending fails; what cannot be checked is a failed check.
pub fn run(dir: &Path, fix: bool, features: &[Look]) -> Result<Vec<Check>> {
    if !dir.join(FILE).exists() {
        return Ok(vec![Check::fine("database.present", "there is no database yet")]);
    }
    let _open = lock::share(dir)?;
    let checks = look(dir, features);
    if !fix || checks.iter().all(|check| check.ok) {
        return Ok(checks);
    }
    if !permissions(dir).ok {
        close_to_others(dir)?;
    }
    if checks.iter().any(|check| check.name == "database.integrity" && !check.ok)
        && let Ok(connection) = inspect(dir)
        && let Err(error) = connection.execute_batch("reindex")
    {
        // Damage that new indexes do not mend: the second look says so.
        tracing::warn!(%error, "the indexes could not be built anew");
    }
    Ok(look(dir, features))
}

fn look(dir: &Path, features: &[Look]) -> Vec<Check> {
    let mut checks = vec![permissions(dir)];
    match inspect(dir) {
        Ok(connection) => {
            checks.extend(database(&connection));
            checks.push(feature(&connection, ("tasks.dead", dead_tasks)));
            checks.extend(features.iter().map(|it| feature(&connection, *it)));
        }
        Err(error) => checks.push(Check::failed("database.open", &error)),
    }
    checks
}

/// All checks of an open database.
fn database(connection: &Connection) -> Vec<Check> {
    type Look = fn(&Connection) -> Result<Check>;
    let looks: [(&'static str, Look); 5] = [
        ("database.integrity", integrity),
        ("database.references", references),
        ("database.schema", schema),
        ("database.id", database_id),
        ("documents.records", records),
    ];
    looks.map(|(name, look)| look(connection).unwrap_or_else(|e| Check::failed(name, &e))).into()
}

fn feature(connection: &Connection, (name, look): Look) -> Check {
    let looked = connection.unchecked_transaction().map_err(Error::from);
    let looked = looked.and_then(|snapshot| look(&Tx::new(&snapshot, Timestamp::now())));
    looked.unwrap_or_else(|error| Check::failed(name, &error))
}

fn integrity(connection: &Connection) -> Result<Check> {
    let mut found = texts(connection, "select integrity_check from pragma_integrity_check")?;
    found.retain(|it| it != "ok");
    Ok(Check::of("database.integrity", &found))
}

fn references(connection: &Connection) -> Result<Check> {
    let sql = "select \"table\" || ' row ' || ifnull(rowid, '?') || ' refers to nothing in ' \
               || parent from pragma_foreign_key_check";
    Ok(Check::of("database.references", &texts(connection, sql)?))
}

fn schema(connection: &Connection) -> Result<Check> {
    let expected = shape::of_sql(upgrade::SCHEMA)?;
    let found = shape::of(connection)?;
    Ok(Check::of("database.schema", &shape::differences(&expected, &found)))
}

fn database_id(connection: &Connection) -> Result<Check> {
    let ids = texts(connection, "select value from meta where key = 'database_id'")?;
    Ok(match ids.first() {
        Some(id) => Check::fine("database.id", id),
        None => Check::of("database.id", &["the database has no id".to_owned()]),
    })
}

/// The chunks of each document follow each other without a gap and hold what the document says.
fn records(connection: &Connection) -> Result<Check> {
    let sql = "
        with own as (
            select document, first, count, octet_length(body) as bytes,
                   ifnull(sum(count) over (
                       partition by document order by first
                       rows between unbounded preceding and 1 preceding), 0) as expected
            from chunk
        ), total as (
            select document, sum(count) as records, sum(bytes) + count(*) - 1 as bytes,
                   sum(first <> expected or count < 1) as gaps
            from own group by document
        )
        select 'document ' || document.id || ': '
               || ifnull(total.records, 0) || ' records in ' || ifnull(total.bytes, 0)
               || ' bytes where it says ' || record_count || ' in ' || data_bytes
               || ', ' || ifnull(total.gaps, 0) || ' chunks out of place'
        from document left join total on total.document = document.id
        where ifnull(total.records, 0) <> record_count
           or ifnull(total.bytes, 0) <> data_bytes
           or ifnull(total.gaps, 0) <> 0
        order by document.id";
    Ok(Check::of("documents.records", &texts(connection, sql)?))
}

fn dead_tasks(tx: &Tx<'_>) -> Result<Check> {
    let dead = tasks::failed(tx)?.into_iter().filter(|it| it.given_up);
    let told = dead.map(|it| {
        let (age, tries) = (it.created.age_at(tx.now), it.attempts);
        format!(
            "{} of {}, {age} old, given up after {tries} tries: {}",
            it.name, it.subject, it.error
        )
    });
    Ok(Check::of("tasks.dead", &told.collect::<Vec<_>>()))
}

fn texts(connection: &Connection, sql: &str) -> Result<Vec<String>> {
    let mut statement = connection.prepare(sql)?;
    let rows = statement.query_map([], |row| row.get(0))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// The files that hold secrets; `-wal` holds what is not yet in the database file.
const SECRET: [&str; 4] = [FILE, "chartroom.db-wal", "chartroom.db-shm", "server.key"];

fn permissions(dir: &Path) -> Check {
    let mut found = Vec::new();
    for name in std::iter::once("").chain(SECRET) {
        let path = dir.join(name);
        if let Ok(metadata) = fs::metadata(&path)
            && metadata.permissions().mode() & 0o077 != 0
        {
            found.push(format!("others can read {}", path.display()));
        }
    }
    Check::of("files.permissions", &found)
}

fn close_to_others(dir: &Path) -> Result<()> {
    for name in std::iter::once("").chain(SECRET) {
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

    fn failed(dir: &Path) -> Vec<&'static str> {
        let checks = run(dir, false, &[]).unwrap();
        checks.into_iter().filter(|check| !check.ok).map(|check| check.name).collect()
    }

    /// Changes the database behind everybody's back.
    fn tamper(dir: &Path, sql: &str) {
        let connection = Connection::open(dir.join(FILE)).unwrap();
        connection.execute_batch("pragma foreign_keys = off").unwrap();
        connection.execute_batch(sql).unwrap();
    }

    #[test]
    fn a_fresh_directory_and_a_fresh_database_are_fine() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(failed(dir.path()), Vec::<&str>::new());
        let (dir, _db) = open();
        assert_eq!(run(dir.path(), false, &[]).unwrap().len(), 7);
        assert_eq!(failed(dir.path()), Vec::<&str>::new());
        tamper(dir.path(), "create table _litestream_seq (id integer primary key, seq integer)");
        assert_eq!(failed(dir.path()), Vec::<&str>::new());
    }

    #[test]
    fn each_kind_of_harm_is_found() {
        let (dir, _db) = open();
        tamper(dir.path(), "create index extra on task (created)");
        assert_eq!(failed(dir.path()), ["database.schema"]);
        tamper(
            dir.path(),
            "drop index extra; insert into session values (x'00', 'nobody', 0, 0, '')",
        );
        assert_eq!(failed(dir.path()), ["database.references"]);
        tamper(dir.path(), "delete from session; delete from meta");
        assert_eq!(failed(dir.path()), ["database.id"]);
    }

    #[test]
    fn records_that_do_not_add_up_are_found() {
        let (dir, _db) = open();
        tamper(
            dir.path(),
            "insert into account values ('1', 'user', 0);
             insert into node values ('d', 'document', '1', null, 'T', 't', 0, 0, '1', null, null, null, 1, 1);
             insert into document (id, kind, settings, theme, is_public, schema_version,
                 record_count, data_bytes, history_version)
             values ('d', 'k', '{}', 'light', 0, 1, 3, 7, 1);
             insert into chunk values ('d', 0, 2, '10,20'), ('d', 2, 1, '3');",
        );
        assert_eq!(failed(dir.path()), Vec::<&str>::new());
        for (harm, mend) in [
            (
                "update chunk set first = 3 where first = 2",
                "update chunk set first = 2 where first = 3",
            ),
            ("update document set record_count = 4", "update document set record_count = 3"),
            ("update document set data_bytes = 8", "update document set data_bytes = 7"),
            ("delete from chunk where first = 2", "insert into chunk values ('d', 2, 1, '3')"),
            (
                "update chunk set body = '4€' where first = 2",
                "update chunk set body = '3' where first = 2",
            ),
        ] {
            tamper(dir.path(), harm);
            assert_eq!(failed(dir.path()), ["documents.records"], "{harm}");
            tamper(dir.path(), mend);
            assert_eq!(failed(dir.path()), Vec::<&str>::new(), "{mend}");
        }
    }

    #[test]
    fn readable_files_and_a_broken_index_are_mended() {
        let (dir, db) = open();
        drop(db);
        tamper(
            dir.path(),
            "insert into account values ('1', 'user', 0);
             insert into node values ('d', 'document', '1', null, 'T', 't', 0, 0, '1', null, null, null, 1, 1);
             pragma writable_schema = on;
             update sqlite_schema set sql = replace(sql, 'parent, type', 'type, parent')
             where name = 'node_parent';",
        );
        tamper(
            dir.path(),
            "insert into node values ('e', 'document', '1', 'd', 'T', 't', 0, 0, '1', null, null, null, 1, 2)",
        );
        fs::set_permissions(dir.path().join(FILE), fs::Permissions::from_mode(0o644)).unwrap();
        let bad = failed(dir.path());
        assert!(
            bad.contains(&"files.permissions") && bad.contains(&"database.integrity"),
            "{bad:?}"
        );
        let after = run(dir.path(), true, &[]).unwrap();
        let bad: Vec<_> = after.iter().filter(|it| !it.ok).map(|it| it.name).collect();
        assert_eq!(bad, ["database.schema"], "the tampered definition stays");
    }
}
