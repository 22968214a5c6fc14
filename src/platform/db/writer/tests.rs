//! Group commit: a failing job fails alone, a failing commit fails all jobs, and no job deadlocks.

use super::*;
use crate::db::DATABASE_FILE_NAME;
use crate::db::Db;

const INSERT: &str = "insert into meta (key, value) values (?1, 'x')";

fn open() -> (tempfile::TempDir, Db) {
    let dir = tempfile::tempdir().unwrap();
    let db = Db::open(dir.path()).unwrap();
    (dir, db)
}

fn count(db: &Db, like: &'static str) -> i64 {
    db.read(|tx| tx.one("select count(*) from meta where key like ?1", [like], |row| row.get(0)))
        .unwrap()
}

fn add(db: &Db, key: String) -> Result<()> {
    db.write(move |tx| tx.execute(INSERT, [&key]).map(|_| ()))
}

/// Starts a write that runs until the returned sender sends a message.
///
/// Writes that start meanwhile wait and share the next transaction.
fn start_blocking_write<'scope>(
    scope: &'scope thread::Scope<'scope, '_>,
    db: &'scope Db,
) -> crossbeam_channel::Sender<()> {
    let (release, released) = crossbeam_channel::bounded(0);
    let (started, running) = crossbeam_channel::bounded(0);
    scope.spawn(move || {
        let work = move |_: &WriteTx<'_>| {
            started.send(()).unwrap();
            released.recv().map_err(|_| Error::Busy)
        };
        db.write(work).unwrap();
    });
    running.recv().unwrap();
    release
}

/// Waits until the writer thread has received one job and `jobs - 1` further ones are in its queue.
/// Panics after a minute.
fn wait_for_waiting_jobs(db: &Db, jobs: usize) {
    let start = Instant::now();
    let writer = &db.inner.writer;
    while !writer.shared.is_thread_waiting.load(Ordering::SeqCst)
        || writer.messages.len() < jobs - 1
    {
        assert!(start.elapsed() < Duration::from_secs(60), "{jobs} jobs do not wait");
        thread::yield_now();
    }
}

#[test]
fn a_failing_or_panicking_write_undoes_only_its_own_changes() {
    let (_dir, db) = open();
    thread::scope(|scope| {
        for thread in 0..16 {
            let db = &db;
            scope.spawn(move || {
                for n in 0..20 {
                    let key = format!("{thread}-{n}");
                    let result = db.write(move |tx| {
                        tx.execute(INSERT, [&key])?;
                        match n % 4 {
                            0 => Err(Error::Forbidden("not this one".to_owned())),
                            1 => panic!("this one neither"),
                            _ => Ok(()),
                        }
                    });
                    match n % 4 {
                        0 => assert!(matches!(result, Err(Error::Forbidden(_)))),
                        1 => assert!(matches!(result, Err(Error::Internal(_)))),
                        _ => result.unwrap(),
                    }
                }
            });
        }
    });
    assert_eq!(count(&db, "%-%"), 160);
}

#[test]
fn a_failing_commit_fails_all_its_writes_and_stores_nothing() {
    let (dir, db) = open();
    let path = dir.path().join(DATABASE_FILE_NAME);
    let connection = WriteConnection::open(&path, DbOptions::default()).unwrap();
    let hook: Option<fn() -> bool> = Some(|| true);
    connection.connection.commit_hook(hook).unwrap();
    let (sender, messages) = crossbeam_channel::bounded(8);
    let checkpointer = Checkpointer::start(&path, DbOptions::default()).unwrap();
    let signals = Arc::new(CommitSignals::default());
    let commits = Arc::new(AtomicU64::new(0));
    let core = WriterCore {
        commits: commits.clone(),
        connection,
        messages: messages.clone(),
        signals: signals.clone(),
        checkpointer,
        space: DiskSpace::new(dir.path(), 0, Arc::default(), false),
    };
    let (core, is_thread_waiting) = (Mutex::new(Some(core)), AtomicBool::new(false));
    let shared = Shared { core, is_thread_waiting, commits };
    let mut results = Vec::new();
    for n in 0..3 {
        let (response, result) = tokio::sync::oneshot::channel();
        results.push(result);
        let work = move |tx: &WriteTx<'_>| {
            tx.notify_after_commit();
            let inserted = tx.execute(INSERT, [format!("lost-{n}")]);
            inserted.map(|_| Box::new(()) as Box<_>)
        };
        let job = Job::new(Box::new(work), response, false);
        assert!(sender.send(Message::Job(job)).is_ok());
    }
    drop(sender);
    thread::spawn(move || shared.run(&messages)).join().unwrap();
    let results: Vec<_> =
        results.into_iter().filter_map(|result| result.blocking_recv().ok()).collect();
    assert_eq!(results.len(), 3);
    assert!(results.iter().all(|result| matches!(result, Err(Error::Internal(_)))));
    assert_eq!((count(&db, "lost-%"), signals.requested.count()), (0, 0));
    add(&db, "after".to_owned()).unwrap();
}

/// Lets the database file grow by two more pages at most. SQLite reports the same error if the file
/// may not grow as if the disk is full.
fn limit_size(db: &Db) {
    let pages: i64 = db.read(|tx| tx.one("pragma page_count", [], |row| row.get(0))).unwrap();
    let limit = move |tx: &WriteTx<'_>| {
        tx.one(&format!("pragma max_page_count = {}", pages + 2), [], |row| row.get::<_, i64>(0))
    };
    db.write(limit).unwrap();
}

#[test]
fn a_full_disk_fails_only_the_write_that_does_not_fit() {
    let (_dir, db) = open();
    limit_size(&db);
    let large = || {
        db.write(|tx| tx.execute("insert into meta values ('large', zeroblob(99999) || '')", []))
    };
    let refused = large();
    assert!(matches!(refused, Err(Error::DiskFull)), "{refused:?}");
    add(&db, "small".to_owned()).unwrap();
    assert_eq!((count(&db, "small"), count(&db, "large")), (1, 0));
}

#[test]
fn a_large_failing_write_undoes_only_its_own_changes() {
    let (_dir, db) = open();
    // The write changes many times more than its savepoint keeps in memory.
    let fill = "with recursive n (i) as (select 1 union all select i + 1 from n where i < 20000)
        insert into meta select 'large-' || i, hex(randomblob(200)) from n";
    db.write(move |tx| tx.execute(fill, [])).unwrap();
    let seen = || {
        let sql = "select count(*), count(distinct value), min(length(value)) from meta
            where key like 'large-%'";
        db.read(|tx| tx.one(sql, [], |row| <(i64, i64, i64)>::try_from(row))).unwrap()
    };
    let before = seen();
    assert_eq!(before, (20_000, 20_000, 400));
    thread::scope(|scope| {
        let db = &db;
        let first = start_blocking_write(scope, db);
        let failing = scope.spawn(move || {
            db.write(|tx| {
                let sql = "update meta set value = 'lost' where key like 'large-%' and ?1 < 9";
                for step in 0..3 {
                    tx.execute(sql, [step])?;
                }
                Err::<(), _>(Error::Forbidden("not this one".to_owned()))
            })
        });
        let others: Vec<_> =
            (0..8).map(|n| scope.spawn(move || add(db, format!("small-{n}")))).collect();
        wait_for_waiting_jobs(db, 9);
        first.send(()).unwrap();
        let failed = failing.join().unwrap();
        assert!(matches!(failed, Err(Error::Forbidden(_))), "{failed:?}");
        others.into_iter().for_each(|thread| thread.join().unwrap().unwrap());
    });
    assert_eq!(seen(), before);
    assert_eq!(count(&db, "small-%"), 8);
}

#[test]
fn changes_that_are_only_tried_out_are_undone() {
    let (_dir, db) = open();
    let tried = db.write(|tx| {
        tx.execute(INSERT, ["job before"])?;
        let tried = tx.try_out(|| {
            tx.execute(INSERT, ["job tried"])?;
            tx.one("select count(*) from meta where key like 'job %'", [], |row| {
                row.get::<_, i64>(0)
            })
        });
        tx.execute(INSERT, ["job after"])?;
        let failed = tx.try_out(|| {
            tx.execute(INSERT, ["job failed"])?;
            Err::<(), _>(Error::Busy)
        });
        assert!(matches!(failed, Err(Error::Busy)));
        tried
    });
    assert_eq!(tried.unwrap(), 2);
    assert_eq!((count(&db, "job %"), count(&db, "job tried"), count(&db, "job failed")), (2, 0, 0));
}

#[test]
fn a_job_that_runs_again_after_a_failure_is_stored_once() {
    let (_dir, db) = open();
    let runs: [Arc<AtomicU64>; 5] = Default::default();
    let results: Vec<Result<u64>> = thread::scope(|scope| {
        let db = &db;
        let first = start_blocking_write(scope, db);
        // For each job, in the order of arrival: None if it succeeds, Some(true) if it fails after
        // a write, Some(false) if it fails before.
        let fails = [None, Some(false), None, Some(true), None];
        let writes: Vec<_> = (0..5)
            .map(|n| {
                let (ran, fails) = (runs[n].clone(), fails[n]);
                let write = scope.spawn(move || {
                    db.write(move |tx| {
                        let now = ran.fetch_add(1, Ordering::SeqCst) + 1;
                        if fails == Some(false) {
                            return Err(Error::Forbidden("not this one".to_owned()));
                        }
                        tx.notify_after_commit();
                        tx.execute(INSERT, [format!("again-{n}")])?;
                        if fails.is_some() { Err(Error::Busy) } else { Ok(now) }
                    })
                });
                wait_for_waiting_jobs(db, n + 1);
                write
            })
            .collect();
        first.send(()).unwrap();
        writes.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert!(matches!(
        results[..],
        [Ok(2), Err(Error::Forbidden(_)), Ok(2), Err(Error::Busy), Ok(1)]
    ));
    assert_eq!(runs.map(|counter| counter.load(Ordering::SeqCst)), [2, 1, 2, 1, 1]);
    let stored = "select group_concat(key order by key) from meta where key like 'again-%'";
    let stored: String = db.read(|tx| tx.one(stored, [], |row| row.get(0))).unwrap();
    assert_eq!(stored, "again-0,again-2,again-4");
    assert_eq!(db.requested_signal().count(), 1);
}

#[test]
fn waiting_writes_finish_and_writes_after_close_are_refused() {
    let (_dir, db) = open();
    thread::scope(|scope| {
        let db = &db;
        let first = start_blocking_write(scope, db);
        for n in 0..50 {
            scope.spawn(move || add(db, format!("waits-{n}")).unwrap());
        }
        wait_for_waiting_jobs(db, 50);
        first.send(()).unwrap();
    });
    assert_eq!(count(&db, "waits-%"), 50);
    db.close().unwrap();
    assert!(matches!(add(&db, "late".to_owned()), Err(Error::Busy)));
    assert_eq!(count(&db, "waits-%"), 50);
}

#[test]
fn a_write_inside_a_write_fails_instead_of_deadlocking() {
    let (_dir, db) = open();
    let inner = db.clone();
    let result = db.write(move |_| inner.write(|_| Ok(())));
    assert!(matches!(result, Err(Error::Internal(_))));
}

#[test]
fn the_log_is_truncated_above_its_limit_and_on_close() {
    let dir = tempfile::tempdir().unwrap();
    let options = DbOptions { max_wal_bytes: 1 << 20, ..DbOptions::default() };
    let db = Db::open_with(dir.path(), options).unwrap();
    let log = dir.path().join("chartroom.db-wal");
    let length = || std::fs::metadata(&log).map_or(0, |metadata| metadata.len());
    let mut longest = 0;
    for n in 0..600 {
        add(&db, format!("{n}-{}", "x".repeat(8000))).unwrap();
        longest = longest.max(length());
    }
    assert!(longest > 500_000 && longest < 3 << 20, "{longest}");
    db.close().unwrap();
    assert_eq!(length(), 0);
}

/// Opens a database with a reserve and without space for large rows.
fn open_with_reserve() -> (tempfile::TempDir, Db) {
    let dir = tempfile::tempdir().unwrap();
    let options = DbOptions { min_free_bytes: 1, ..DbOptions::default() };
    let db = Db::open_with(dir.path(), options).unwrap();
    db.keep_reserve();
    limit_size(&db);
    (dir, db)
}

/// Returns work that inserts a row too large for the disk, and counts its runs.
fn count_large_writes(
    runs: &Arc<AtomicU64>,
) -> impl Fn(&WriteTx<'_>) -> Result<usize> + Send + 'static {
    let runs = runs.clone();
    move |tx| {
        runs.fetch_add(1, Ordering::SeqCst);
        tx.execute("insert into meta values ('large', zeroblob(99999) || '')", [])
    }
}

#[test]
fn a_full_disk_releases_the_reserve_for_writes_that_may_use_it() {
    let (dir, db) = open_with_reserve();
    let count_files = || std::fs::read_dir(dir.path().join("reserve")).unwrap().count();
    let runs = Arc::new(AtomicU64::new(0));
    assert!(matches!(db.write(count_large_writes(&runs)), Err(Error::DiskFull)));
    assert_eq!((runs.swap(0, Ordering::SeqCst), count_files()), (1, 16));
    assert!(matches!(db.write_with_reserve(count_large_writes(&runs)), Err(Error::DiskFull)));
    assert_eq!((runs.swap(0, Ordering::SeqCst), count_files()), (2, 0), "it runs again");
    assert!(matches!(db.write_with_reserve(count_large_writes(&runs)), Err(Error::DiskFull)));
    assert_eq!(runs.load(Ordering::SeqCst), 1, "nothing is left to release");
    add(&db, "small".to_owned()).unwrap();
}

#[test]
fn a_batch_on_a_full_disk_repeats_only_writes_that_may_use_the_reserve() {
    let (dir, db) = open_with_reserve();
    let (plain, reserved) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
    thread::scope(|scope| {
        let release = start_blocking_write(scope, &db);
        let plain_write = count_large_writes(&plain);
        let reserved_write = count_large_writes(&reserved);
        let first = scope.spawn(|| db.write(plain_write));
        let second = scope.spawn(|| db.write_with_reserve(reserved_write));
        wait_for_waiting_jobs(&db, 2);
        release.send(()).unwrap();
        assert!(matches!(first.join().unwrap(), Err(Error::DiskFull)));
        assert!(matches!(second.join().unwrap(), Err(Error::DiskFull)));
    });
    // If the first of them makes SQLite roll back, the other one does not run in this transaction.
    assert!(plain.load(Ordering::SeqCst) <= 1);
    assert!(reserved.load(Ordering::SeqCst) >= 1);
    assert_eq!(std::fs::read_dir(dir.path().join("reserve")).unwrap().count(), 0);
}

#[test]
fn below_the_minimum_of_free_space_only_plain_writes_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let options = DbOptions { min_free_bytes: u64::MAX / 2, ..DbOptions::default() };
    let db = Db::open_with(dir.path(), options).unwrap();
    let insert = |tx: &WriteTx<'_>| tx.execute(INSERT, ["essential"]).map(drop);
    assert!(matches!(db.write(insert), Err(Error::DiskFull)));
    db.write_with_reserve(insert).unwrap();
    assert_eq!(count(&db, "essential"), 1);
}
