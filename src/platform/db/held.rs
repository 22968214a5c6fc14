//! The snapshot that a thread holds for all reads of one piece of work, and for the next piece when
//! nothing was written in between: beginning and ending one costs as much as a small read.

use std::cell::Cell;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering;
use std::time::Duration;
use std::time::Instant;

use super::connection;
use super::connection::Reader;
use super::tx::Tx;
use crate::error::Result;
use crate::time::Timestamp;

thread_local! {
    /// Whether the thread's next read is to be held.
    static WANTED: Cell<bool> = const { Cell::new(false) };
    static HELD: RefCell<Option<Rc<Snapshot>>> = const { RefCell::new(None) };
}

/// Longest time that a snapshot, or what was worked out of one, serves one piece of work after
/// another. Other processes' writes are not counted here, and show after this time at the latest.
const LONGEST: Duration = Duration::from_millis(20);

/// A reader inside a transaction, and the database that it reads.
struct Snapshot {
    database: u64,
    reader: Reader,
    /// How many commits there were, at least, when it began.
    commits: u64,
    since: Instant,
    /// When it began, by the clock.
    now: Timestamp,
    /// Of the state that it shows.
    number: u64,
}

/// A state of a database, as one of the thread's snapshots saw it.
#[derive(Clone, Copy)]
struct State {
    database: u64,
    commits: u64,
    since: Instant,
    number: u64,
}

thread_local! {
    static STATE: Cell<Option<State>> = const { Cell::new(None) };
}

impl State {
    /// The number of the state that a snapshot shows which begins now, after `commits` commits: the
    /// one before when nothing was committed since, else a number that nothing else has.
    fn number(database: u64, commits: u64) -> u64 {
        static NUMBERS: AtomicU64 = AtomicU64::new(1);
        let same = |it: &Self| {
            (it.database, it.commits) == (database, commits) && it.since.elapsed() < LONGEST
        };
        let state = STATE.get().filter(same).unwrap_or_else(|| Self {
            database,
            commits,
            since: Instant::now(),
            number: NUMBERS.fetch_add(1, Ordering::Relaxed),
        });
        STATE.set(Some(state));
        state.number
    }
}

impl Drop for Snapshot {
    fn drop(&mut self) {
        connection::end(&self.reader);
    }
}

/// While this lives, the thread's reads share the snapshot of the first of them. It ends when this
/// is dropped, also by a panic.
pub(super) struct Sharing {
    /// Whether it was wanted before, by a caller further out.
    before: bool,
    /// Whether the snapshot stays for the thread's next piece of work.
    stays: bool,
}

impl Sharing {
    /// Begins a piece of work, after `commits` commits. A snapshot that stayed is taken up when it
    /// shows them all.
    pub(super) fn begin(commits: u64) -> Self {
        let before = WANTED.replace(true);
        let is_current = |it: &Rc<Snapshot>| it.commits == commits && it.since.elapsed() < LONGEST;
        if !before && HELD.with_borrow(|held| held.as_ref().is_some_and(|it| !is_current(it))) {
            let_go();
        }
        Self { before, stays: false }
    }

    /// Ends a piece of work, and keeps its snapshot for one that waits already.
    pub(super) fn stay(mut self) {
        self.stays = true;
    }
}

impl Drop for Sharing {
    fn drop(&mut self) {
        WANTED.set(self.before);
        if !self.before && !self.stays {
            let_go();
        }
    }
}

/// Lets the thread's snapshot go. A read that is under way still has it to its end.
pub(super) fn let_go() {
    HELD.take();
}

/// Calls `work` with the thread's snapshot of a database. When it holds none, `reader` gives a
/// connection, whose snapshot is kept if that is wanted and ends after `work` if
/// not; `commits` have been made so far.
pub(super) fn read<T>(
    database: u64,
    commits: u64,
    reader: impl FnOnce() -> Result<Reader>,
    work: impl FnOnce(&Tx<'_>) -> Result<T>,
) -> Result<T> {
    let held = HELD.with_borrow(Option::clone).filter(|it| it.database == database);
    let snapshot = match held {
        Some(snapshot) => snapshot,
        None => {
            let reader = reader()?;
            connection::begin(&reader)?;
            let (since, now) = (Instant::now(), Timestamp::now());
            let number = State::number(database, commits);
            let snapshot = Rc::new(Snapshot { database, reader, commits, since, now, number });
            if WANTED.get() {
                HELD.set(Some(snapshot.clone()));
            }
            snapshot
        }
    };
    work(&Tx::of_state(&snapshot.reader, snapshot.now, snapshot.number))
}

#[cfg(test)]
mod tests {
    use crate::db::Db;

    fn count(db: &Db) -> i64 {
        db.read(|tx| tx.one("select count(*) from meta", [], |row| row.get(0))).unwrap()
    }

    fn add(db: &Db, key: &'static str) {
        let sql = "insert into meta (key, value) values (?1, 'x')";
        db.write(move |tx| tx.execute(sql, [key])).unwrap();
    }

    #[test]
    fn reads_share_one_snapshot_until_a_write_of_their_own() {
        let dir = tempfile::tempdir().unwrap();
        let db = Db::open(dir.path()).unwrap();
        let before = count(&db);
        db.read_once(|| {
            assert_eq!(count(&db), before);
            let other = db.clone();
            std::thread::spawn(move || add(&other, "theirs")).join().unwrap();
            assert_eq!(count(&db), before, "another's write is not in the snapshot");
            add(&db, "own");
            assert_eq!(count(&db), before + 2, "after one's own write everything is");
        });
        assert_eq!(count(&db), before + 2);
    }

    #[test]
    fn a_snapshot_that_stays_shows_every_answered_write() {
        let dir = tempfile::tempdir().unwrap();
        let db = Db::open(dir.path()).unwrap();
        let seen = |more: bool| db.read_in_turn(|| count(&db), || more);
        let before = seen(true);
        assert_eq!(seen(true), before);
        let other = db.clone();
        std::thread::spawn(move || add(&other, "theirs")).join().unwrap();
        assert_eq!(seen(true), before + 1, "an answered write is not in the old snapshot");
        add(&db, "own");
        assert_eq!(seen(false), before + 2);
        db.checkpoint().unwrap();
    }

    #[test]
    fn a_panic_ends_the_snapshot() {
        let dir = tempfile::tempdir().unwrap();
        let db = Db::open(dir.path()).unwrap();
        let before = count(&db);
        let work = std::panic::AssertUnwindSafe(|| {
            db.read_once(|| {
                count(&db);
                panic!("on purpose");
            })
        });
        std::panic::catch_unwind(work).unwrap_err();
        add(&db, "later");
        assert_eq!(count(&db), before + 1);
    }
}
