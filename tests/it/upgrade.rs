//! Tests that databases of every released version upgrade to the current schema and keep their
//! rows.
//!
//! `released_schemas/NNNN.sql` is a dump of a database of version NNNN: the `schema.sql` of that
//! release, and some rows.

use std::fs;
use std::path::Path;

use chartroom::features::documents;
use chartroom_platform::db::DATABASE_FILE_NAME;
use chartroom_platform::db::Db;
use chartroom_platform::db::schema;
use chartroom_platform::db::upgrade;
use chartroom_platform::doctor;
use rusqlite::Connection;

/// Returns the dumps as version and SQL, oldest first.
fn read_released_dumps() -> Vec<(i64, String)> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/released_schemas");
    let mut dumps: Vec<(i64, String)> = fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| {
            let version = path.file_stem().unwrap().to_str().unwrap().parse().unwrap();
            (version, fs::read_to_string(path).unwrap())
        })
        .collect();
    dumps.sort();
    dumps
}

/// Creates a directory with a database from a dump.
fn create_database(version: i64, sql: &str) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let connection = Connection::open(dir.path().join(DATABASE_FILE_NAME)).unwrap();
    connection.pragma_update(None, "foreign_keys", false).unwrap();
    connection.execute_batch(sql).unwrap();
    connection.pragma_update(None, "journal_mode", "wal").unwrap();
    connection.pragma_update(None, "user_version", version).unwrap();
    dir
}

#[test]
fn every_released_schema_upgrades_to_the_current_one_and_keeps_its_rows() {
    let expected = schema::describe_sql(upgrade::SCHEMA).unwrap();
    let dumps = read_released_dumps();
    assert_eq!(dumps.first().map(|dump| dump.0), Some(1), "the first released schema is missing");
    for (version, sql) in dumps {
        let dir = create_database(version, &sql);
        let db = Db::open(dir.path()).unwrap();
        let connection = Connection::open(dir.path().join(DATABASE_FILE_NAME)).unwrap();
        let schema = schema::describe(&connection).unwrap();
        let differences = schema::differences(&expected, &schema);
        assert!(differences.is_empty(), "from version {version}: {differences:#?}");
        let status = upgrade::status(dir.path()).unwrap();
        assert_eq!((status.version, status.pending.len()), (status.current, 0));
        let sql = "select count(*) from account";
        let account_count: i64 = db.read(|tx| tx.one(sql, [], |row| row.get(0))).unwrap();
        assert!(account_count > 0, "the rows of version {version} are missing");
        check_records(&connection, version);
        // Older dumps have no sessions.
        if version >= 3 {
            check_sessions(&connection, version);
        }
        let failed_checks: Vec<_> = doctor::run_checks(
            dir.path(),
            false,
            &[documents::HISTORY_CHECK, documents::STORAGE_CHECK],
        )
        .unwrap()
        .into_iter()
        .filter(|check| !check.ok && check.name != "files.permissions")
        .collect();
        assert!(failed_checks.is_empty(), "from version {version}: {failed_checks:?}");
    }
}

/// Panics unless the upgraded document `d` has the records of the dump, and the deletion of a document
/// deletes its records if no copy has them.
fn check_records(connection: &Connection, version: i64) {
    let records = "select group_concat(body) from document join chunk using (content)
                   where document.id = 'd' order by first";
    let records: String = connection.query_row(records, [], |row| row.get(0)).unwrap();
    assert_eq!(records, "10,20,3", "version {version}");
    let transaction = connection.unchecked_transaction().unwrap();
    transaction.execute_batch("delete from document where id = 'd'").unwrap();
    let without_records =
        "select count(*) from document where content not in (select content from chunk)";
    let document_count: i64 = transaction.query_row(without_records, [], |row| row.get(0)).unwrap();
    assert_eq!(document_count, 0, "version {version}");
    transaction.execute_batch("delete from document").unwrap();
    let count = "select count(*) from chunk";
    let chunk_count: i64 = transaction.query_row(count, [], |row| row.get(0)).unwrap();
    assert_eq!(chunk_count, 0, "version {version}");
}

/// Panics unless the upgraded sessions have public ids, and the lifetimes of present sessions.
fn check_sessions(connection: &Connection, version: i64) {
    let sql = "select id, created, last_used, expires, method, user_agent
               from session order by created limit 1";
    let session = connection.query_row(sql, [], |row| {
        let times = (row.get::<_, i64>(1)?, row.get::<_, i64>(2)?, row.get::<_, i64>(3)?);
        Ok((row.get::<_, String>(0)?, times, row.get::<_, String>(4)?, row.get::<_, String>(5)?))
    });
    let (id, times, method, user_agent) = session.unwrap();
    assert!(has_uuid_format(&id), "version {version}: {id}");
    let expected_times = (1000, 9_999_999_999_999 - 30 * 86_400_000, 1000 + 90 * 86_400_000);
    assert_eq!(times, expected_times, "version {version}");
    assert_eq!((method.as_str(), user_agent.as_str()), ("password", "Firefox"));
    let sql = "select count(*) from api_token where last_used is null";
    let unused_count: i64 = connection.query_row(sql, [], |row| row.get(0)).unwrap();
    assert_eq!(unused_count, 1, "version {version}");
}

/// Returns whether a text consists of groups of 8, 4, 4, 4 and 12 hexadecimal digits.
fn has_uuid_format(text: &str) -> bool {
    let groups: Vec<&str> = text.split('-').collect();
    groups.iter().map(|group| group.len()).eq([8, 4, 4, 4, 12])
        && groups.iter().all(|group| group.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

#[test]
fn new_database_has_the_current_schema_and_a_unique_id() {
    let (first_dir, second_dir) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let database_id = |dir: &Path| {
        let sql = "select value from meta where key = 'database_id'";
        Db::open(dir).unwrap().read(|tx| tx.one(sql, [], |row| row.get::<_, String>(0))).unwrap()
    };
    let first_id = database_id(first_dir.path());
    assert_eq!(
        first_id,
        database_id(first_dir.path()),
        "the id stays when the database is opened again"
    );
    assert_ne!(first_id, database_id(second_dir.path()));
    let connection = Connection::open(first_dir.path().join(DATABASE_FILE_NAME)).unwrap();
    let page_bytes: i64 = connection.query_row("pragma page_size", [], |row| row.get(0)).unwrap();
    assert_eq!(page_bytes, 8192);
    let schema = schema::describe(&connection).unwrap();
    assert_eq!(schema, schema::describe_sql(upgrade::SCHEMA).unwrap());
}

#[test]
fn database_can_be_created_concurrently() {
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
            .any(|check| check.name == "database.id")
    );
}
