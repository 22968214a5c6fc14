//! Group commit: who fails fails alone, a failing commit fails all, and nobody waits for ever.

use super::*;
use crate::db::Db;
use crate::db::FILE;

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

/// Has a write at work until a word is sent: what comes meanwhile comes together.
fn at_work<'scope>(
    scope: &'scope thread::Scope<'scope, '_>,
    db: &'scope Db,
) -> crossbeam_channel::Sender<()> {
    let (word, go) = crossbeam_channel::bounded(0);
    let (begun, running) = crossbeam_channel::bounded(0);
    scope.spawn(move || {
        let held = move |_: &WriteTx<'_>| {
            begun.send(()).unwrap();
            go.recv().map_err(|_| Error::Busy)
        };
        db.write(held).unwrap();
    });
    running.recv().unwrap();
    word
}

#[test]
fn a_failing_or_panicking_write_undoes_itself_alone() {
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
fn a_failing_commit_fails_every_write_of_it_and_stores_nothing() {
    let (dir, db) = open();
    let path = dir.path().join(FILE);
    let connection = connection::writer(&path, Options::default()).unwrap();
    let hook: Option<fn() -> bool> = Some(|| true);
    connection.commit_hook(hook).unwrap();
    let (inbox, outbox) = crossbeam_channel::bounded(8);
    let checkpointer = Checkpointer::start(&path, Options::default()).unwrap();
    let (options, bells) = (Options::default(), Arc::new(Bells::default()));
    let commits = Arc::new(AtomicU64::new(0));
    let core = Core {
        commits: commits.clone(),
        connection,
        path,
        options,
        outbox: outbox.clone(),
        bells: bells.clone(),
        checkpointer,
        last: Timestamp(0),
    };
    let work = Shared { core: Mutex::new(Some(core)), claimed: AtomicBool::new(false), commits };
    let mut answers = Vec::new();
    for n in 0..3 {
        let (response, answer) = tokio::sync::oneshot::channel();
        answers.push(answer);
        let work = move |tx: &WriteTx<'_>| {
            tx.ring();
            tx.execute(INSERT, [format!("lost-{n}")]).map(|_| ())
        };
        let job = Write::new(work, response);
        assert!(inbox.send(Message::Job(Box::new(job))).is_ok());
    }
    drop(inbox);
    thread::spawn(move || work.run(&outbox)).join().unwrap();
    let answers: Vec<_> = answers.into_iter().filter_map(|it| it.blocking_recv().ok()).collect();
    assert_eq!(answers.len(), 3);
    assert!(answers.iter().all(|it| matches!(it, Err(Error::Internal(_)))));
    assert_eq!((count(&db, "lost-%"), bells.asked.rings()), (0, 0));
    add(&db, "after".to_owned()).unwrap();
}

#[test]
fn a_full_disk_is_told_and_harms_nothing_else() {
    let (_dir, db) = open();
    // The same answer from SQLite as with a full disk: the file may not grow.
    let pages: i64 = db.read(|tx| tx.one("pragma page_count", [], |row| row.get(0))).unwrap();
    let limit = move |tx: &WriteTx<'_>| {
        tx.one(&format!("pragma max_page_count = {}", pages + 2), [], |row| row.get::<_, i64>(0))
    };
    db.write(limit).unwrap();
    let large = || {
        db.write(|tx| tx.execute("insert into meta values ('large', zeroblob(99999) || '')", []))
    };
    let refused = large();
    assert!(matches!(refused, Err(Error::DiskFull)), "{refused:?}");
    add(&db, "small".to_owned()).unwrap();
    assert_eq!((count(&db, "small"), count(&db, "large")), (1, 0));
}

#[test]
fn a_large_write_that_fails_undoes_itself_alone_too() {
    let (_dir, db) = open();
    // What it changes is many times what its savepoint keeps in memory.
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
        let first = at_work(scope, db);
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
        while db.inner.writer.inbox.len() < 8 {
            thread::yield_now();
        }
        first.send(()).unwrap();
        let failed = failing.join().unwrap();
        assert!(matches!(failed, Err(Error::Forbidden(_))), "{failed:?}");
        others.into_iter().for_each(|it| it.join().unwrap().unwrap());
    });
    assert_eq!(seen(), before);
    assert_eq!(count(&db, "small-%"), 8);
}

#[test]
fn what_runs_again_since_another_failed_is_stored_once() {
    let (_dir, db) = open();
    let runs: [Arc<AtomicU64>; 5] = Default::default();
    let results: Vec<Result<u64>> = thread::scope(|scope| {
        let db = &db;
        let first = at_work(scope, db);
        // One behind the other: which fails, and after it has written?
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
                        tx.ring();
                        tx.execute(INSERT, [format!("again-{n}")])?;
                        if fails.is_some() { Err(Error::Busy) } else { Ok(now) }
                    })
                });
                // The thread has taken the first and waits for the connection.
                while !db.inner.writer.shared.claimed.load(Ordering::SeqCst)
                    || db.inner.writer.inbox.len() < n
                {
                    thread::yield_now();
                }
                write
            })
            .collect();
        first.send(()).unwrap();
        writes.into_iter().map(|it| it.join().unwrap()).collect()
    });
    assert!(matches!(
        results[..],
        [Ok(2), Err(Error::Forbidden(_)), Ok(2), Err(Error::Busy), Ok(1)]
    ));
    assert_eq!(runs.map(|it| it.load(Ordering::SeqCst)), [2, 1, 2, 1, 1]);
    let stored = "select group_concat(key order by key) from meta where key like 'again-%'";
    let stored: String = db.read(|tx| tx.one(stored, [], |row| row.get(0))).unwrap();
    assert_eq!(stored, "again-0,again-2,again-4");
    assert_eq!(db.bell().rings(), 1);
}

#[test]
fn waiting_writes_share_commits_and_stop_ends_them_first() {
    let (_dir, db) = open();
    thread::scope(|scope| {
        let db = &db;
        let first = at_work(scope, db);
        for n in 0..50 {
            scope.spawn(move || add(db, format!("waits-{n}")).unwrap());
        }
        // The thread has taken one of them and waits for the connection.
        while db.inner.writer.inbox.len() < 49 {
            thread::yield_now();
        }
        first.send(()).unwrap();
    });
    assert_eq!(count(&db, "waits-%"), 50);
    db.close().unwrap();
    assert!(matches!(add(&db, "late".to_owned()), Err(Error::Busy)));
    assert_eq!(count(&db, "waits-%"), 50);
}

#[test]
fn a_write_inside_a_write_is_an_error_not_a_standstill() {
    let (_dir, db) = open();
    let inner = db.clone();
    let result = db.write(move |_| inner.write(|_| Ok(())));
    assert!(matches!(result, Err(Error::Internal(_))));
}

#[test]
fn the_log_is_emptied_past_its_limit_and_at_the_end() {
    let dir = tempfile::tempdir().unwrap();
    let options = Options { wal_limit: 1 << 20, ..Options::default() };
    let db = Db::open_with(dir.path(), options).unwrap();
    let log = dir.path().join("chartroom.db-wal");
    let length = || std::fs::metadata(&log).map_or(0, |it| it.len());
    let mut longest = 0;
    for n in 0..600 {
        add(&db, format!("{n}-{}", "x".repeat(8000))).unwrap();
        longest = longest.max(length());
    }
    assert!(longest > 500_000 && longest < 3 << 20, "{longest}");
    db.close().unwrap();
    assert_eq!(length(), 0);
}
