//! The queue: joins, retries, gives up, survives a crash, and loses nothing enqueued meanwhile.

use std::sync::atomic::AtomicUsize;
use std::time::Instant;

use super::*;
use crate::db::Db;

/// The state of a test's application: nothing but the database.
struct App {
    db: Db,
}

fn app() -> (tempfile::TempDir, Arc<App>) {
    let dir = tempfile::tempdir().unwrap();
    let db = Db::open(dir.path()).unwrap();
    (dir, Arc::new(App { db }))
}

fn add(db: &Db, name: &'static str, subject: &'static str, payload: &'static str) {
    db.write(move |tx| enqueue(tx, name, subject, payload, tx.now)).unwrap();
}

fn counted(app: &App) -> (i64, i64) {
    app.db.read(counts).unwrap()
}

fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let began = Instant::now();
    while !holds() {
        assert!(began.elapsed() < Duration::from_secs(20), "waited in vain: {what}");
        thread::sleep(Duration::from_millis(2));
    }
}

#[test]
fn a_waiting_task_is_joined_and_the_earlier_time_counts() {
    let (_dir, app) = app();
    let put = |payload: &'static str, seconds| {
        app.db
            .write(move |tx| {
                let at = tx.now.after(Duration::from_secs(seconds));
                enqueue(tx, "t", "s", payload, at)
            })
            .unwrap();
    };
    put("1", 3600);
    assert_eq!(app.db.read(|tx| due(tx, 9)).unwrap(), []);
    put("2", 0);
    put("3", 60);
    let due = app.db.read(|tx| due(tx, 9)).unwrap();
    assert_eq!((due.len(), due[0].payload.as_str()), (1, "3"));
    add(&app.db, "t", "other", "");
    assert_eq!(counted(&app), (2, 0));
}

#[test]
fn a_write_that_fails_leaves_no_task() {
    let (_dir, app) = app();
    let failed: Result<()> = app.db.write(|tx| {
        enqueue(tx, "t", "s", "", tx.now)?;
        Err(Error::Forbidden("no".to_owned()))
    });
    assert!(failed.is_err());
    assert_eq!(counted(&app), (0, 0));
}

#[test]
fn what_was_enqueued_before_the_start_and_after_it_runs_once() {
    static RAN: Mutex<Vec<String>> = Mutex::new(Vec::new());
    let (_dir, app) = app();
    add(&app.db, "t", "before", "b");
    let note: Handler<App> = |_, task| {
        lock(&RAN).push(format!("{} {}", task.subject, task.payload));
        Ok(())
    };
    let runner = Runner::start(app.clone(), app.db.clone(), &[("t", note)], &[]).unwrap();
    until("the first", || counted(&app) == (0, 0));
    let began = Instant::now();
    add(&app.db, "t", "after", "a");
    until("the second", || counted(&app) == (0, 0));
    assert!(began.elapsed() < BEAT, "it waited for the beat instead of the bell");
    runner.stop();
    add(&app.db, "t", "stopped", "");
    thread::sleep(Duration::from_millis(50));
    assert_eq!(*lock(&RAN), ["before b", "after a"]);
    assert_eq!(counted(&app), (1, 0));
}

#[test]
fn a_task_enqueued_while_it_runs_runs_again_and_never_beside_itself() {
    static RUNNING: AtomicUsize = AtomicUsize::new(0);
    static RAN: AtomicUsize = AtomicUsize::new(0);
    static MOST: AtomicUsize = AtomicUsize::new(0);
    let (_dir, app) = app();
    let slow: Handler<App> = |app, _| {
        MOST.fetch_max(RUNNING.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
        if RAN.fetch_add(1, Ordering::SeqCst) == 0 {
            add(&app.db, "t", "s", "again");
        }
        thread::sleep(Duration::from_millis(60));
        RUNNING.fetch_sub(1, Ordering::SeqCst);
        Ok(())
    };
    let _runner = Runner::start(app.clone(), app.db.clone(), &[("t", slow)], &[]).unwrap();
    add(&app.db, "t", "s", "first");
    until("both runs", || RAN.load(Ordering::SeqCst) == 2 && counted(&app) == (0, 0));
    assert_eq!(MOST.load(Ordering::SeqCst), 1);
}

#[test]
fn no_more_run_at_once_than_allowed() {
    static RUNNING: AtomicUsize = AtomicUsize::new(0);
    static MOST: AtomicUsize = AtomicUsize::new(0);
    let (_dir, app) = app();
    let slow: Handler<App> = |_, _| {
        MOST.fetch_max(RUNNING.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
        thread::sleep(Duration::from_millis(30));
        RUNNING.fetch_sub(1, Ordering::SeqCst);
        Ok(())
    };
    for subject in ["a", "b", "c", "d", "e", "f"] {
        add(&app.db, "t", subject, "");
    }
    let _runner = Runner::start(app.clone(), app.db.clone(), &[("t", slow)], &[]).unwrap();
    until("all", || counted(&app) == (0, 0));
    assert_eq!(MOST.load(Ordering::SeqCst), AT_ONCE);
}

#[test]
fn a_failing_a_panicking_and_an_unknown_task_wait_for_another_attempt() {
    let (_dir, app) = app();
    let fails: Handler<App> = |_, _| Err(Error::internal("out of luck"));
    let panics: Handler<App> = |_, _| panic!("out of order");
    let _runner =
        Runner::start(app.clone(), app.db.clone(), &[("fails", fails), ("panics", panics)], &[])
            .unwrap();
    for name in ["fails", "panics", "unknown"] {
        add(&app.db, name, "s", "");
    }
    let sql = "select error, run_at >= created + 5000 from task where attempts = 1 order by name";
    let found = || {
        let read = |row: &rusqlite::Row<'_>| Ok((row.get::<_, String>(0)?, row.get::<_, bool>(1)?));
        app.db.read(|tx| tx.all(sql, [], read)).unwrap()
    };
    until("three failures", || found().len() == 3);
    let texts = found();
    assert_eq!(texts[0], ("out of luck".to_owned(), true));
    assert_eq!(texts[1], ("panicked: out of order".to_owned(), true));
    assert_eq!(texts[2], ("this program has no such task".to_owned(), true));
}

#[test]
fn the_last_failure_gives_a_task_up_and_a_new_one_starts_afresh() {
    let (_dir, app) = app();
    add(&app.db, "t", "s", "");
    for attempt in 1..=ATTEMPTS {
        let sql = "select id, name, subject, payload, attempts from task";
        let task = app
            .db
            .read(|tx| {
                tx.one(sql, [], |row| {
                    Ok(Task {
                        id: row.get(0)?,
                        name: row.get(1)?,
                        subject: row.get(2)?,
                        payload: row.get(3)?,
                        attempts: row.get(4)?,
                    })
                })
            })
            .unwrap();
        app.db.write(move |tx| put_off(tx, &task, "no luck", 0, None)).unwrap();
        assert_eq!(counted(&app), if attempt < ATTEMPTS { (1, 0) } else { (0, 1) });
    }
    add(&app.db, "t", "s", "");
    assert_eq!(counted(&app), (1, 1));
}

#[test]
fn what_was_given_up_is_tried_again_or_dropped() {
    let (_dir, app) = app();
    let give_up = |subject: &'static str| {
        add(&app.db, "t", subject, "");
        let sql = "update task set dead = 1, attempts = 8, error = 'no luck' where subject = ?1";
        app.db.write(move |tx| tx.execute(sql, [subject])).unwrap();
    };
    let failures = || app.db.read(failed).unwrap();
    give_up("a");
    give_up("b");
    // Waits besides.
    add(&app.db, "t", "b", "");
    let all = failures();
    let told = |it: &Failed| (it.subject.clone(), it.attempts, it.error.clone(), it.given_up);
    let told: Vec<_> = all.iter().map(told).collect();
    let want = |subject: &str| (subject.to_owned(), 8, "no luck".to_owned(), true);
    assert_eq!(told, [want("a"), want("b")]);
    app.db.write(move |tx| all.iter().try_for_each(|it| retry(tx, it))).unwrap();
    assert_eq!((failures(), counted(&app)), (vec![], (2, 0)));
    give_up("c");
    let all = failures();
    app.db.write(move |tx| discard(tx, &all[0])).unwrap();
    assert_eq!((failures(), counted(&app)), (vec![], (2, 0)));
}

#[test]
fn pauses_grow_from_five_seconds_to_an_hour() {
    let seconds: Vec<u64> = (1..=8).map(|failures| pause(failures, 0).as_secs()).collect();
    assert_eq!(seconds, [5, 15, 45, 135, 405, 1215, 3600, 3600]);
    assert_eq!(pause(1, 255), Duration::from_secs(6));
    assert_eq!(pause(9, 255), LONGEST_PAUSE);
}

#[test]
fn a_task_that_recurs_runs_again_whether_it_succeeds_or_fails() {
    static RAN: AtomicUsize = AtomicUsize::new(0);
    static FAILED: AtomicUsize = AtomicUsize::new(0);
    let (_dir, app) = app();
    let runs: Handler<App> = |_, _| {
        RAN.fetch_add(1, Ordering::SeqCst);
        Ok(())
    };
    let fails: Handler<App> = |_, _| {
        FAILED.fetch_add(1, Ordering::SeqCst);
        Err(Error::internal("no luck"))
    };
    let (soon, later) = (Duration::from_millis(1), Duration::from_secs(86_400));
    let handlers = [("soon", runs), ("later", runs), ("fails", fails)];
    let recurring = [("soon", soon), ("later", later), ("fails", later)];
    let runner = Runner::start(app.clone(), app.db.clone(), &handlers, &recurring).unwrap();
    until("three runs", || RAN.load(Ordering::SeqCst) > 3 && FAILED.load(Ordering::SeqCst) > 0);
    runner.stop();
    assert_eq!(counted(&app), (3, 0));
    let task = |name: &'static str| {
        let sql = "select id, name, subject, payload, attempts from task where name = ?1";
        let read = |row: &rusqlite::Row<'_>| {
            Ok(Task {
                id: row.get(0)?,
                name: row.get(1)?,
                subject: row.get(2)?,
                payload: row.get(3)?,
                attempts: row.get(4)?,
            })
        };
        app.db.read(|tx| tx.one(sql, [name], read)).unwrap()
    };
    let last = Task { attempts: ATTEMPTS, ..task("fails") };
    app.db.write(move |tx| put_off(tx, &last, "no luck", 0, Some(later))).unwrap();
    assert_eq!(counted(&app), (3, 0), "it was given up");
    let waits = "select count(*) from task where run_at > ?1 + 86000000 and attempts = 0";
    let waits = |tx: &Tx<'_>| tx.one(waits, [tx.now], |row| row.get::<_, i64>(0));
    assert_eq!(app.db.read(waits).unwrap(), 1);
}
