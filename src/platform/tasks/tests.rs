//! Tests of the task queue: merging, retries, giving up, restarts, and concurrent enqueues.

use std::sync::atomic::AtomicUsize;
use std::time::Instant;

use super::*;
use crate::db::Db;
use crate::db::schema;

/// Application state of the tests. It contains only the database.
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

/// Returns the numbers of waiting tasks and of tasks that were given up.
fn count_tasks(app: &App) -> (i64, i64) {
    let sql = "select count(*) - ifnull(sum(dead), 0), ifnull(sum(dead), 0) from task";
    app.db.read(|tx| tx.one(sql, [], |row| Ok((row.get(0)?, row.get(1)?)))).unwrap()
}

/// Waits until `is_reached` returns true and panics after 20 seconds.
fn wait_until(what: &str, mut is_reached: impl FnMut() -> bool) {
    let began = Instant::now();
    while !is_reached() {
        assert!(began.elapsed() < Duration::from_secs(20), "timed out waiting for {what}");
        thread::sleep(Duration::from_millis(2));
    }
}

#[test]
fn enqueuing_a_waiting_task_again_keeps_the_earlier_time_and_the_newer_payload() {
    let (_dir, app) = app();
    let put = |payload: &'static str, seconds| {
        app.db
            .write(move |tx| {
                let at = tx.now.saturating_add(Duration::from_secs(seconds));
                enqueue(tx, "t", "s", payload, at)
            })
            .unwrap();
    };
    put("1", 3600);
    assert_eq!(app.db.read(|tx| list_due_tasks(tx, "[]", TaskQueue::Local, 9)).unwrap(), []);
    put("2", 0);
    put("3", 60);
    let due = app.db.read(|tx| list_due_tasks(tx, "[]", TaskQueue::Local, 9)).unwrap();
    assert_eq!((due.len(), due[0].payload.as_str()), (1, "3"));
    add(&app.db, "t", "other", "");
    assert_eq!(count_tasks(&app), (2, 0));
}

#[test]
fn a_failed_transaction_enqueues_no_task() {
    let (_dir, app) = app();
    let failed: Result<()> = app.db.write(|tx| {
        enqueue(tx, "t", "s", "", tx.now)?;
        Err(Error::Forbidden("no".to_owned()))
    });
    assert!(failed.is_err());
    assert_eq!(count_tasks(&app), (0, 0));
}

#[test]
fn tasks_enqueued_before_and_after_the_start_run_once() {
    static RAN: Mutex<Vec<String>> = Mutex::new(Vec::new());
    let (_dir, app) = app();
    add(&app.db, "t", "before", "b");
    let note: Handler<App> = |_, task| {
        lock(&RAN).push(format!("{} {}", task.subject, task.payload));
        Ok(())
    };
    let runner =
        TaskRunner::start(app.clone(), app.db.clone(), &[("t", TaskQueue::Local, note)], &[])
            .unwrap();
    wait_until("the first", || count_tasks(&app) == (0, 0));
    let began = Instant::now();
    add(&app.db, "t", "after", "a");
    wait_until("the second", || count_tasks(&app) == (0, 0));
    assert!(began.elapsed() < POLL_INTERVAL, "the commit did not wake the task thread");
    runner.stop();
    add(&app.db, "t", "stopped", "");
    thread::sleep(Duration::from_millis(50));
    assert_eq!(*lock(&RAN), ["before b", "after a"]);
    assert_eq!(count_tasks(&app), (1, 0));
}

#[test]
fn a_task_enqueued_while_it_runs_runs_again_afterwards() {
    static RUNNING: AtomicUsize = AtomicUsize::new(0);
    static RAN: AtomicUsize = AtomicUsize::new(0);
    static MAX_RUNNING: AtomicUsize = AtomicUsize::new(0);
    let (_dir, app) = app();
    let slow: Handler<App> = |app, _| {
        MAX_RUNNING.fetch_max(RUNNING.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
        if RAN.fetch_add(1, Ordering::SeqCst) == 0 {
            add(&app.db, "t", "s", "again");
        }
        thread::sleep(Duration::from_millis(60));
        RUNNING.fetch_sub(1, Ordering::SeqCst);
        Ok(())
    };
    let _runner =
        TaskRunner::start(app.clone(), app.db.clone(), &[("t", TaskQueue::Local, slow)], &[])
            .unwrap();
    add(&app.db, "t", "s", "first");
    wait_until("both runs", || RAN.load(Ordering::SeqCst) == 2 && count_tasks(&app) == (0, 0));
    assert_eq!(MAX_RUNNING.load(Ordering::SeqCst), 1);
}

#[test]
fn concurrent_tasks_are_limited() {
    static RUNNING: AtomicUsize = AtomicUsize::new(0);
    static MAX_RUNNING: AtomicUsize = AtomicUsize::new(0);
    let (_dir, app) = app();
    let slow: Handler<App> = |_, _| {
        MAX_RUNNING.fetch_max(RUNNING.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
        thread::sleep(Duration::from_millis(30));
        RUNNING.fetch_sub(1, Ordering::SeqCst);
        Ok(())
    };
    for subject in ["a", "b", "c", "d", "e", "f"] {
        add(&app.db, "t", subject, "");
    }
    let _runner =
        TaskRunner::start(app.clone(), app.db.clone(), &[("t", TaskQueue::Local, slow)], &[])
            .unwrap();
    wait_until("all", || count_tasks(&app) == (0, 0));
    assert_eq!(MAX_RUNNING.load(Ordering::SeqCst), LOCAL_THREADS);
}

#[test]
fn remote_tasks_that_hang_delay_no_local_task() {
    static RAN: AtomicUsize = AtomicUsize::new(0);
    static HANGING: AtomicUsize = AtomicUsize::new(0);
    static RELEASED: AtomicBool = AtomicBool::new(false);
    let (_dir, app) = app();
    let hangs: Handler<App> = |_, _| {
        HANGING.fetch_add(1, Ordering::SeqCst);
        wait_until("the release", || RELEASED.load(Ordering::SeqCst));
        Ok(())
    };
    let runs: Handler<App> = |_, _| {
        RAN.fetch_add(1, Ordering::SeqCst);
        Ok(())
    };
    let subjects = ["a", "b", "c", "d", "e", "f"];
    subjects.iter().for_each(|subject| add(&app.db, "hangs", subject, ""));
    let kinds = [("hangs", TaskQueue::Remote, hangs), ("runs", TaskQueue::Local, runs)];
    let _runner = TaskRunner::start(app.clone(), app.db.clone(), &kinds, &[]).unwrap();
    wait_until("hanging tasks", || HANGING.load(Ordering::SeqCst) == REMOTE_THREADS);
    subjects.iter().for_each(|subject| add(&app.db, "runs", subject, ""));
    wait_until("the local tasks", || RAN.load(Ordering::SeqCst) == subjects.len());
    assert_eq!(HANGING.load(Ordering::SeqCst), REMOTE_THREADS);
    RELEASED.store(true, Ordering::SeqCst);
    wait_until("all tasks", || count_tasks(&app) == (0, 0));
}

#[test]
fn looking_for_remote_tasks_reads_no_local_ones() {
    let plan = schema::explain(LIST_REMOTE).unwrap();
    assert_eq!(plan[0], "SEARCH task USING INDEX task_subject (name=?)", "{plan:?}");
}

#[test]
fn failing_panicking_and_unknown_tasks_are_retried() {
    let (_dir, app) = app();
    let fails: Handler<App> = |_, _| Err(Error::internal("out of luck"));
    let panics: Handler<App> = |_, _| panic!("out of order");
    let _runner = TaskRunner::start(
        app.clone(),
        app.db.clone(),
        &[("fails", TaskQueue::Local, fails), ("panics", TaskQueue::Remote, panics)],
        &[],
    )
    .unwrap();
    for name in ["fails", "panics", "unknown"] {
        add(&app.db, name, "s", "");
    }
    let sql = "select error, run_at >= created + 5000 from task where attempts = 1 order by name";
    let found = || {
        let read = |row: &rusqlite::Row<'_>| Ok((row.get::<_, String>(0)?, row.get::<_, bool>(1)?));
        app.db.read(|tx| tx.all(sql, [], read)).unwrap()
    };
    wait_until("three failures", || found().len() == 3);
    let texts = found();
    assert_eq!(texts[0], ("out of luck".to_owned(), true));
    assert_eq!(texts[1], ("panicked: out of order".to_owned(), true));
    assert_eq!(texts[2], ("no handler is registered for this task".to_owned(), true));
}

#[test]
fn a_task_is_given_up_after_the_last_attempt_and_can_be_enqueued_again() {
    let (_dir, app) = app();
    add(&app.db, "t", "s", "");
    for attempt in 1..=MAX_ATTEMPTS {
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
        app.db.write(move |tx| record_failure(tx, &task, "no luck", 0, None)).unwrap();
        assert_eq!(count_tasks(&app), if attempt < MAX_ATTEMPTS { (1, 0) } else { (0, 1) });
    }
    add(&app.db, "t", "s", "");
    assert_eq!(count_tasks(&app), (1, 1));
}

#[test]
fn a_task_that_was_given_up_can_be_retried_or_discarded() {
    let (_dir, app) = app();
    let give_up = |subject: &'static str| {
        add(&app.db, "t", subject, "");
        let sql = "update task set dead = 1, attempts = 8, error = 'no luck' where subject = ?1";
        app.db.write(move |tx| tx.execute(sql, [subject])).unwrap();
    };
    let failures = || app.db.read(list_failed).unwrap();
    give_up("a");
    give_up("b");
    // A second task with the same name and subject waits.
    add(&app.db, "t", "b", "");
    let all = failures();
    let summary = |task: &FailedTask| {
        (task.subject.clone(), task.attempts, task.error.clone(), task.given_up)
    };
    let summaries: Vec<_> = all.iter().map(summary).collect();
    let want = |subject: &str| (subject.to_owned(), 8, "no luck".to_owned(), true);
    assert_eq!(summaries, [want("a"), want("b")]);
    app.db.write(move |tx| all.iter().try_for_each(|task| retry(tx, task))).unwrap();
    assert_eq!((failures(), count_tasks(&app)), (vec![], (2, 0)));
    give_up("c");
    let all = failures();
    app.db.write(move |tx| discard(tx, &all[0])).unwrap();
    assert_eq!((failures(), count_tasks(&app)), (vec![], (2, 0)));
}

#[test]
fn retry_delays_grow_from_five_seconds_to_one_hour() {
    let seconds: Vec<u64> =
        (1..=8).map(|failures| compute_retry_delay(failures, 0).as_secs()).collect();
    assert_eq!(seconds, [5, 15, 45, 135, 405, 1215, 3600, 3600]);
    assert_eq!(compute_retry_delay(1, 255), Duration::from_secs(6));
    assert_eq!(compute_retry_delay(9, 255), MAX_RETRY_DELAY);
}

#[test]
fn a_recurring_task_runs_again_after_success_and_after_failure() {
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
    let local = TaskQueue::Local;
    let handlers = [("soon", local, runs), ("later", local, runs), ("fails", local, fails)];
    let recurring = [("soon", soon), ("later", later), ("fails", later)];
    let runner = TaskRunner::start(app.clone(), app.db.clone(), &handlers, &recurring).unwrap();
    wait_until("three runs", || {
        RAN.load(Ordering::SeqCst) > 3 && FAILED.load(Ordering::SeqCst) > 0
    });
    runner.stop();
    assert_eq!(count_tasks(&app), (3, 0));
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
    let last = Task { attempts: MAX_ATTEMPTS, ..task("fails") };
    app.db.write(move |tx| record_failure(tx, &last, "no luck", 0, Some(later))).unwrap();
    assert_eq!(count_tasks(&app), (3, 0), "the recurring task was given up");
    let waits = "select count(*) from task where run_at > ?1 + 86000000 and attempts = 0";
    let waits = |tx: &Tx<'_>| tx.one(waits, [tx.now], |row| row.get::<_, i64>(0));
    assert_eq!(app.db.read(waits).unwrap(), 1);
}
