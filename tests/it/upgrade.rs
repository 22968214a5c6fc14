//! Databases of every released version become today's schema, and keep their rows.
//!
//! `old/NNNN.sql` is a whole database of version NNNN as SQL: its schema, as `schema.sql` was when
//! that version was released, and some rows.

use std::fs;
use std::path::Path;

use chartroom::features::documents;
use chartroom_platform::db::DATABASE_FILE_NAME;
use chartroom_platform::db::Db;
use chartroom_platform::db::schema;
use chartroom_platform::db::upgrade;
use chartroom_platform::doctor;
use rusqlite::Connection;

/// The dumps: version and SQL, oldest first.
fn old() -> Vec<(i64, String)> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/old");
    let mut found: Vec<(i64, String)> = fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| {
            let version = path.file_stem().unwrap().to_str().unwrap().parse().unwrap();
            (version, fs::read_to_string(path).unwrap())
        })
        .collect();
    found.sort();
    found
}

/// A directory with a database made from a dump.
fn make(version: i64, sql: &str) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let connection = Connection::open(dir.path().join(DATABASE_FILE_NAME)).unwrap();
    connection.pragma_update(None, "foreign_keys", false).unwrap();
    connection.execute_batch(sql).unwrap();
    connection.pragma_update(None, "journal_mode", "wal").unwrap();
    connection.pragma_update(None, "user_version", version).unwrap();
    dir
}

#[test]
fn every_old_database_becomes_todays_schema_and_keeps_its_rows() {
    let expected = schema::describe_sql(upgrade::SCHEMA).unwrap();
    let old = old();
    assert_eq!(old.first().map(|it| it.0), Some(1), "the first released schema is missing");
    for (version, sql) in old {
        let dir = make(version, &sql);
        let db = Db::open(dir.path()).unwrap();
        let connection = Connection::open(dir.path().join(DATABASE_FILE_NAME)).unwrap();
        let found = schema::describe(&connection).unwrap();
        let differences = schema::differences(&expected, &found);
        assert!(differences.is_empty(), "from version {version}: {differences:#?}");
        let status = upgrade::status(dir.path()).unwrap();
        assert_eq!((status.version, status.pending.len()), (status.current, 0));
        let people = "select count(*) from account";
        let people: i64 = db.read(|tx| tx.one(people, [], |row| row.get(0))).unwrap();
        assert!(people > 0, "the rows of version {version} are gone");
        let bad: Vec<_> = doctor::run_checks(dir.path(), false, &[documents::HISTORY_CHECK])
            .unwrap()
            .into_iter()
            .filter(|check| !check.ok && check.name != "files.permissions")
            .collect();
        assert!(bad.is_empty(), "from version {version}: {bad:?}");
    }
}

#[test]
fn a_fresh_database_has_the_schema_and_an_id_of_its_own() {
    let (one, two) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let id = |dir: &Path| {
        let sql = "select value from meta where key = 'database_id'";
        Db::open(dir).unwrap().read(|tx| tx.one(sql, [], |row| row.get::<_, String>(0))).unwrap()
    };
    let first = id(one.path());
    assert_eq!(first, id(one.path()), "kept when it is opened again");
    assert_ne!(first, id(two.path()));
    let connection = Connection::open(one.path().join(DATABASE_FILE_NAME)).unwrap();
    let page: i64 = connection.query_row("pragma page_size", [], |row| row.get(0)).unwrap();
    assert_eq!(page, 8192);
    let found = schema::describe(&connection).unwrap();
    assert_eq!(found, schema::describe_sql(upgrade::SCHEMA).unwrap());
}

#[test]
fn many_may_make_a_database_at_once() {
    let dir = tempfile::tempdir().unwrap();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| drop(Db::open(dir.path()).unwrap()));
        }
    });
    assert!(
        doctor::run_checks(dir.path(), false, &[documents::HISTORY_CHECK])
            .unwrap()
            .iter()
            .any(|it| it.name == "database.id")
    );
}
