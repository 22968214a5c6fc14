//! Read snapshots that several reads of one thread share.
//!
//! A thread shares a snapshot between the reads of one piece of work, and keeps it for the next
//! piece if no commit happened in between. Beginning and ending a transaction costs as much as a
//! small read.

use std::cell::Cell;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering;
use std::time::Duration;
use std::time::Instant;

use super::connection;
use super::connection::PooledReader;
use super::tx::Tx;
use crate::error::Result;
use crate::time::Timestamp;

thread_local! {
    /// Whether the next read of this thread stores its snapshot in `SHARED`.
    static IS_SHARING: Cell<bool> = const { Cell::new(false) };
    /// The snapshot that the reads of this thread share.
    static SHARED: RefCell<Option<Rc<Snapshot>>> = const { RefCell::new(None) };
}

/// Maximum age of a snapshot, or of values computed from it, when a new piece of work starts.
///
/// The commit counter does not include writes of other processes. Those are visible after this time
/// at the latest.
pub(super) const MAX_SNAPSHOT_AGE: Duration = Duration::from_millis(20);

/// A pooled reader with an open read transaction.
pub(super) struct Snapshot {
    reader: PooledReader,
    /// Beginning of the transaction by the system clock.
    now: Timestamp,
    content: SeenContent,
}

/// The content of a database that this thread has seen.
#[derive(Clone, Copy)]
struct SeenContent {
    /// Instance number of the [`Db`](super::Db).
    database: u64,
    /// Number of commits that it contains at least.
    commits: u64,
    /// The time when `number` was assigned, for its age.
    since: Instant,
    /// Number of the content, see [`Tx::snapshot_number`].
    number: u64,
}

thread_local! {
    /// The content of the last snapshot of this thread.
    static LAST_SEEN: Cell<Option<SeenContent>> = const { Cell::new(None) };
}

impl SeenContent {
    /// Returns whether this is the content of a database after `commits` commits, and its number is
    /// younger than `MAX_SNAPSHOT_AGE`.
    fn is_current(&self, database: u64, commits: u64) -> bool {
        (self.database, self.commits) == (database, commits)
            && self.since.elapsed() < MAX_SNAPSHOT_AGE
    }

    /// Returns the content of a snapshot that begins now, after `commits` commits.
    ///
    /// It has the number of the last snapshot of this thread if that is current. Otherwise it has a
    /// new unique number.
    fn of_new_snapshot(database: u64, commits: u64) -> Self {
        static NUMBERS: AtomicU64 = AtomicU64::new(1);
        let last = LAST_SEEN.get().filter(|content| content.is_current(database, commits));
        let content = last.unwrap_or_else(|| Self {
            database,
            commits,
            since: Instant::now(),
            number: NUMBERS.fetch_add(1, Ordering::Relaxed),
        });
        LAST_SEEN.set(Some(content));
        content
    }
}

impl Snapshot {
    /// Returns a transaction object for the read transaction that this snapshot has already begun,
    /// with the snapshot number set.
    pub(super) fn begin_tx<'a>(&'a self, restore_epoch: &'a str) -> Tx<'a> {
        let mut tx = Tx::new(&self.reader, self.now, restore_epoch);
        tx.snapshot_number = Some(self.content.number);
        tx
    }
}

impl Drop for Snapshot {
    /// Ends the read transaction. The connection then returns to its pool.
    fn drop(&mut self) {
        connection::end_read(&self.reader);
    }
}

/// A guard that makes the reads of this thread share one snapshot.
///
/// Dropping the outermost guard of the thread ends the snapshot, also during a panic.
pub(super) struct SharingGuard {
    /// Whether an outer guard already shares a snapshot.
    was_sharing: bool,
    /// Whether the snapshot stays open for the next piece of work of this thread.
    retains_snapshot: bool,
}

impl SharingGuard {
    /// Starts sharing. `database` is the instance number of the database and `commits` its current
    /// number of commits.
    ///
    /// Within another guard, the reads share its snapshot. Otherwise this releases a retained
    /// snapshot unless its content is current.
    pub(super) fn begin(database: u64, commits: u64) -> Self {
        let was_sharing = IS_SHARING.replace(true);
        let is_outdated = |snapshot: &Rc<Snapshot>| !snapshot.content.is_current(database, commits);
        if !was_sharing && SHARED.with_borrow(|shared| shared.as_ref().is_some_and(is_outdated)) {
            release_snapshot();
        }
        Self { was_sharing, retains_snapshot: false }
    }

    /// Ends the piece of work but keeps its snapshot open for the next one. Within another guard
    /// this is the same as dropping the guard.
    pub(super) fn finish_retaining(mut self) {
        self.retains_snapshot = true;
    }
}

impl Drop for SharingGuard {
    /// Releases the shared snapshot if this is the outermost guard and does not retain it. An inner
    /// guard changes nothing.
    fn drop(&mut self) {
        IS_SHARING.set(self.was_sharing);
        if !self.was_sharing && !self.retains_snapshot {
            release_snapshot();
        }
    }
}

/// Releases the snapshot of this thread. A running read keeps it until its end.
pub(super) fn release_snapshot() {
    SHARED.take();
}

/// Returns the shared snapshot of this thread, or a new one with a reader from `take_reader`.
///
/// A new snapshot is kept if a [`SharingGuard`] exists, and ends with the returned reference
/// otherwise. `database` is the instance number of the database and `commits` the current number of
/// commits. Does not check the age of the shared snapshot.
pub(super) fn take_snapshot(
    database: u64,
    commits: u64,
    take_reader: impl FnOnce() -> Result<PooledReader>,
) -> Result<Rc<Snapshot>> {
    let shared =
        SHARED.with_borrow(Option::clone).filter(|snapshot| snapshot.content.database == database);
    if let Some(snapshot) = shared {
        return Ok(snapshot);
    }
    let reader = take_reader()?;
    // Before the transaction begins, so that the content is not older than its number.
    let content = SeenContent::of_new_snapshot(database, commits);
    connection::begin_read(&reader)?;
    let snapshot = Rc::new(Snapshot { reader, now: Timestamp::now(), content });
    if IS_SHARING.get() {
        SHARED.set(Some(snapshot.clone()));
    }
    Ok(snapshot)
}

#[cfg(test)]
mod tests {
    use super::MAX_SNAPSHOT_AGE;
    use crate::db::Db;
    use crate::db::Tx;
    use crate::error::Result;

    fn read_count(tx: &Tx<'_>) -> Result<i64> {
        tx.one("select count(*) from meta", [], |row| row.get(0))
    }

    fn count(db: &Db) -> i64 {
        db.read(read_count).unwrap()
    }

    fn add(db: &Db, key: &'static str) {
        let sql = "insert into meta (key, value) values (?1, 'x')";
        db.write(move |tx| tx.execute(sql, [key])).unwrap();
    }

    #[test]
    fn reads_share_one_snapshot_until_the_thread_writes() {
        let dir = tempfile::tempdir().unwrap();
        let db = Db::open(dir.path()).unwrap();
        let before = count(&db);
        db.read_in_one_snapshot(|| {
            assert_eq!(count(&db), before);
            let other = db.clone();
            std::thread::spawn(move || add(&other, "theirs")).join().unwrap();
            assert_eq!(
                count(&db),
                before,
                "the snapshot must not contain the write of another thread"
            );
            add(&db, "own");
            assert_eq!(count(&db), before + 2, "a read after the own write must see all writes");
        });
        assert_eq!(count(&db), before + 2);
    }

    #[test]
    fn a_retained_snapshot_is_not_reused_after_a_commit() {
        let dir = tempfile::tempdir().unwrap();
        let db = Db::open(dir.path()).unwrap();
        let seen = |more: bool| db.read_with_shared_snapshot(|| count(&db), || more);
        let before = seen(true);
        assert_eq!(seen(true), before);
        let other = db.clone();
        std::thread::spawn(move || add(&other, "theirs")).join().unwrap();
        assert_eq!(seen(true), before + 1, "a finished write of another thread must be visible");
        add(&db, "own");
        assert_eq!(seen(false), before + 2);
        db.checkpoint().unwrap();
    }

    /// Two instances do not see each other's commit counters, like two processes.
    #[test]
    fn writes_of_another_process_are_visible_after_it_has_waited_for_the_server() {
        let dir = tempfile::tempdir().unwrap();
        let _server = crate::db::lock::lock_as_server(dir.path()).unwrap();
        let (db, other) = (Db::open(dir.path()).unwrap(), Db::open(dir.path()).unwrap());
        let seen = |more: bool| {
            let count = || db.read(|tx| tx.memoize("count", b"", || read_count(tx))).unwrap();
            *db.read_with_shared_snapshot(count, || more)
        };
        let before = seen(true);
        add(&other, "one");
        other.wait_until_server_sees_commits();
        assert_eq!(seen(false), before + 1, "a retained snapshot was too old");
        std::thread::sleep(MAX_SNAPSHOT_AGE / 2);
        seen(true);
        add(&other, "two");
        other.wait_until_server_sees_commits();
        assert_eq!(seen(false), before + 2, "a snapshot with an earlier number was too old");
    }

    #[test]
    fn a_panic_ends_the_snapshot() {
        let dir = tempfile::tempdir().unwrap();
        let db = Db::open(dir.path()).unwrap();
        let before = count(&db);
        let work = std::panic::AssertUnwindSafe(|| {
            db.read_in_one_snapshot(|| {
                count(&db);
                panic!("on purpose");
            })
        });
        std::panic::catch_unwind(work).unwrap_err();
        add(&db, "later");
        assert_eq!(count(&db), before + 1);
    }
}
