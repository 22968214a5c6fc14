//! The runner with made-up steps: all or nothing, a snapshot before, and back again.

use super::*;

const ONE: &str = "create table meta (key text primary key, value text not null) strict;
    create table thing (id integer primary key, name text) strict;
    insert into thing values (1, 'kept');";

fn step(to: i64, sql: &str) -> Step {
    Step { to, name: format!("{to:04}_step"), sql: sql.to_owned() }
}

fn plan(steps: Vec<Step>) -> Plan {
    Plan { schema: ONE.to_owned(), steps }
}

fn names(dir: &Path) -> Vec<String> {
    let connection = connection::open(&dir.join(FILE)).unwrap();
    let mut statement = connection.prepare("select name from thing order by id").unwrap();
    let names = statement.query_map([], |row| row.get(0)).unwrap();
    names.map(|it| it.unwrap()).collect()
}

/// A directory with a database of version 1.
fn old() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    plan(Vec::new()).up(dir.path(), false, Timestamp(0)).unwrap();
    assert_eq!(version(dir.path()).unwrap(), 1);
    dir
}

#[test]
fn steps_run_in_order_after_a_snapshot_and_can_be_rolled_back() {
    let dir = old();
    let plan = plan(vec![
        step(2, "alter table thing add column extra text;"),
        step(3, "insert into thing (id, name, extra) values (2, 'new', 'x');"),
    ]);
    let ran = plan.up(dir.path(), false, Timestamp(0)).unwrap();
    assert_eq!(ran, ["0002_step", "0003_step"]);
    assert_eq!(version(dir.path()).unwrap(), 3);
    assert_eq!(names(dir.path()), ["kept", "new"]);
    assert_eq!(snapshots(dir.path()).unwrap().len(), 1);

    let back = rollback(dir.path()).unwrap();
    assert_eq!((back.from, back.to), (3, 1));
    assert_eq!(names(dir.path()), ["kept"]);
    assert!(back.kept.join(FILE).exists());
    assert!(matches!(rollback(dir.path()), Err(Error::NotFound(_))));
}

#[test]
fn a_step_that_fails_in_the_middle_changes_nothing() {
    let dir = old();
    let plan = plan(vec![
        step(2, "insert into thing values (2, 'half');"),
        step(3, "insert into thing values (3, 'half'); insert into nothing values (1);"),
    ]);
    let error = plan.up(dir.path(), false, Timestamp(0)).unwrap_err();
    assert!(crate::db::attention(&error).unwrap().contains("0003_step"));
    assert_eq!(version(dir.path()).unwrap(), 1);
    assert_eq!(names(dir.path()), ["kept"]);
    assert_eq!(snapshots(dir.path()).unwrap().len(), 1);
}

#[test]
fn a_dry_run_and_a_dangling_reference_change_nothing() {
    let dir = old();
    let good = plan(vec![step(2, "insert into thing values (2, 'dry');")]);
    assert_eq!(good.up(dir.path(), true, Timestamp(0)).unwrap(), ["0002_step"]);
    let bad = plan(vec![step(
        2,
        "create table child (id integer references thing (id)) strict;
         insert into child values (77);",
    )]);
    assert!(bad.up(dir.path(), false, Timestamp(0)).is_err());
    assert_eq!(version(dir.path()).unwrap(), 1);
    assert_eq!(names(dir.path()), ["kept"]);
}

#[test]
fn a_newer_database_is_refused() {
    let dir = old();
    connection::open(&dir.path().join(FILE))
        .unwrap()
        .pragma_update(None, "user_version", 99)
        .unwrap();
    let error = plan(Vec::new()).up(dir.path(), false, Timestamp(0)).unwrap_err();
    assert!(crate::db::attention(&error).unwrap().contains("version 99"));
}

#[test]
fn the_built_in_steps_are_numbered_without_a_gap() {
    let plan = Plan::product().unwrap();
    for (at, step) in plan.steps.iter().enumerate() {
        assert_eq!(step.to, FIRST + 1 + i64::try_from(at).unwrap(), "{}", step.name);
        assert!(!step.sql.trim().is_empty(), "{} is empty", step.name);
    }
}
