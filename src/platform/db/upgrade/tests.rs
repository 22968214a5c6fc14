//! Upgrades with example steps: all steps or none, a snapshot before, and the rollback.

use super::*;

const SCHEMA_1: &str = "create table meta (key text primary key, value text not null) strict;
    create table thing (id integer primary key, name text) strict;
    insert into thing values (1, 'kept');";

fn step(to: i64, sql: &str) -> UpgradeStep {
    UpgradeStep { to, name: format!("{to:04}_step"), sql: sql.to_owned() }
}

fn plan(steps: Vec<UpgradeStep>) -> UpgradePlan {
    UpgradePlan { schema: SCHEMA_1.to_owned(), steps }
}

fn names(dir: &Path) -> Vec<String> {
    let connection = connection::open(&dir.join(DATABASE_FILE_NAME)).unwrap();
    let mut statement = connection.prepare("select name from thing order by id").unwrap();
    let names = statement.query_map([], |row| row.get(0)).unwrap();
    names.map(|name| name.unwrap()).collect()
}

/// Returns a directory with a database of version 1.
fn dir_with_version_1() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    plan(Vec::new()).upgrade(dir.path(), false, Timestamp(0)).unwrap();
    assert_eq!(read_version(dir.path()).unwrap(), 1);
    dir
}

#[test]
fn steps_run_in_order_after_a_snapshot_and_can_be_rolled_back() {
    let dir = dir_with_version_1();
    let plan = plan(vec![
        step(2, "alter table thing add column extra text;"),
        step(3, "insert into thing (id, name, extra) values (2, 'new', 'x');"),
    ]);
    let executed = plan.upgrade(dir.path(), false, Timestamp(0)).unwrap();
    assert_eq!(executed, ["0002_step", "0003_step"]);
    assert_eq!(read_version(dir.path()).unwrap(), 3);
    assert_eq!(names(dir.path()), ["kept", "new"]);
    assert_eq!(list_snapshots(dir.path()).unwrap().len(), 1);

    let report = rollback(dir.path()).unwrap();
    assert_eq!((report.from, report.to), (3, 1));
    assert_eq!(names(dir.path()), ["kept"]);
    assert!(report.kept.join(DATABASE_FILE_NAME).exists());
    assert!(matches!(rollback(dir.path()), Err(Error::NotFound(_))));
}

#[test]
fn a_failing_step_rolls_back_all_steps() {
    let dir = dir_with_version_1();
    let plan = plan(vec![
        step(2, "insert into thing values (2, 'half');"),
        step(3, "insert into thing values (3, 'half'); insert into nothing values (1);"),
    ]);
    let error = plan.upgrade(dir.path(), false, Timestamp(0)).unwrap_err();
    assert!(crate::db::unusable_data_message(&error).unwrap().contains("0003_step"));
    assert_eq!(read_version(dir.path()).unwrap(), 1);
    assert_eq!(names(dir.path()), ["kept"]);
    assert_eq!(list_snapshots(dir.path()).unwrap().len(), 1);
}

#[test]
fn a_dry_run_and_a_foreign_key_violation_change_nothing() {
    let dir = dir_with_version_1();
    let good = plan(vec![step(2, "insert into thing values (2, 'dry');")]);
    assert_eq!(good.upgrade(dir.path(), true, Timestamp(0)).unwrap(), ["0002_step"]);
    let bad = plan(vec![step(
        2,
        "create table child (id integer references thing (id)) strict;
         insert into child values (77);",
    )]);
    assert!(bad.upgrade(dir.path(), false, Timestamp(0)).is_err());
    assert_eq!(read_version(dir.path()).unwrap(), 1);
    assert_eq!(names(dir.path()), ["kept"]);
}

#[test]
fn a_newer_database_is_rejected() {
    let dir = dir_with_version_1();
    connection::open(&dir.path().join(DATABASE_FILE_NAME))
        .unwrap()
        .pragma_update(None, "user_version", 99)
        .unwrap();
    let error = plan(Vec::new()).upgrade(dir.path(), false, Timestamp(0)).unwrap_err();
    assert!(crate::db::unusable_data_message(&error).unwrap().contains("version 99"));
}

#[test]
fn built_in_steps_are_numbered_without_gaps() {
    let plan = UpgradePlan::built_in().unwrap();
    for (index, step) in plan.steps.iter().enumerate() {
        assert_eq!(step.to, FIRST_VERSION + 1 + i64::try_from(index).unwrap(), "{}", step.name);
        assert!(!step.sql.trim().is_empty(), "{} is empty", step.name);
    }
}
