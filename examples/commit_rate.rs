//! Durable writes per second: group commit against one transaction for each request.
//!
//! `cargo run --release --example commit_rate [DIR]`: a row of 4 KiB and its index entry, committed
//! with `synchronous=FULL` on the disk of DIR (default: here), by 1, 8 and 64 writers at once. The
//! two ways take turns, so that both meet the same disk, and so does `control`, which is the first
//! way again on a file of its own: what it differs by is chance. Ends with the price of a point read.

use std::path::Path;
use std::path::PathBuf;
use std::sync::atomic::AtomicI64;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;
use std::time::Instant;

use chartroom_platform::db::Db;
use chartroom_platform::error::Result;
use rusqlite::Connection;
use rusqlite::TransactionBehavior;

/// How long a way runs before it is the next one's turn, and how often, with one writer.
const ALONE: (Duration, usize) = (Duration::from_millis(500), 12);

/// The same with several writers: those who find the file locked sleep for seconds, and must get
/// their turn within that of their way.
const TOGETHER: (Duration, usize) = (Duration::from_secs(2), 3);

const TABLE: &str = "create table row (id integer primary key, subject text, body text) strict";
const INDEX: &str = "create index row_subject on row (subject)";
const INSERT: &str = "insert into row (id, subject, body) values (?1, ?2, ?3)";

/// A way of writing one row durably.
type Write<'a> = &'a (dyn Fn(i64) -> Result<()> + Sync);

fn main() -> Result<()> {
    let parent = std::env::args().nth(1).map_or_else(|| PathBuf::from("."), PathBuf::from);
    let (ours, theirs) = (tempfile::tempdir_in(&parent)?, tempfile::tempdir_in(&parent)?);
    let db = Db::open(ours.path())?;
    db.write(|tx| {
        tx.execute(TABLE, [])?;
        tx.execute(INDEX, [])
    })?;
    let pools =
        [naive(&theirs.path().join("naive.db"))?, naive(&theirs.path().join("control.db"))?];
    let next = AtomicI64::new(0);
    let body = "x".repeat(4096);
    let grouped = |id| {
        let body = body.clone();
        db.write(move |tx| tx.execute(INSERT, (id, subject(id), &body)).map(|_| ()))
    };
    let alone = |pool: &r2d2::Pool<Pooled>, id| {
        let mut connection = pool.get().expect("there are as many connections as writers");
        let tx = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        tx.prepare_cached(INSERT)?.execute((id, subject(id), &body))?;
        Ok(tx.commit()?)
    };
    let ways: [(&str, Write<'_>); 3] = [
        ("single", &|id| alone(&pools[0], id)),
        ("control", &|id| alone(&pools[1], id)),
        ("grouped", &grouped),
    ];
    println!(
        "writers  way      writes/s     p50 ms     p99 ms     max ms  rate to 1st   p99 to 1st"
    );
    for writers in [1, 8, 64] {
        let mut runs = [Run::default(), Run::default(), Run::default()];
        let (turn, turns) = if writers == 1 { ALONE } else { TOGETHER };
        for _ in 0..turns {
            for (run, (_, write)) in runs.iter_mut().zip(ways) {
                run.turn(writers, turn, write, &next);
            }
        }
        for (run, (way, _)) in runs.iter().zip(ways) {
            run.print(writers, way, &runs[0]);
        }
    }
    read(&db)
}

/// Eight rows share a subject.
fn subject(id: i64) -> String {
    format!("subject-{}", id / 8)
}

/// The way of most programs: a pool of connections, each request its own transaction.
fn naive(path: &Path) -> Result<r2d2::Pool<Pooled>> {
    let connection = Connection::open(path)?;
    connection.pragma_update(None, "page_size", 8192)?;
    connection.pragma_update(None, "journal_mode", "wal")?;
    connection.execute_batch(&format!("{TABLE}; {INDEX};"))?;
    let pool = r2d2::Pool::builder().max_size(64).test_on_check_out(false);
    Ok(pool.build(Pooled(path.to_owned())).expect("connections open"))
}

struct Pooled(PathBuf);

impl r2d2::ManageConnection for Pooled {
    type Connection = Connection;
    type Error = rusqlite::Error;

    fn connect(&self) -> rusqlite::Result<Connection> {
        let connection = Connection::open(&self.0)?;
        connection.busy_timeout(Duration::from_secs(30))?;
        connection.pragma_update(None, "synchronous", "full")?;
        Ok(connection)
    }

    fn is_valid(&self, _: &mut Connection) -> rusqlite::Result<()> {
        Ok(())
    }

    fn has_broken(&self, _: &mut Connection) -> bool {
        false
    }
}

/// Measurements of one way to commit.
#[derive(Default)]
struct Run {
    latencies: Vec<Duration>,
    time: Duration,
}

impl Run {
    fn turn(&mut self, writers: usize, length: Duration, write: Write<'_>, next: &AtomicI64) {
        let began = Instant::now();
        thread::scope(|scope| {
            let threads: Vec<_> = (0..writers)
                .map(|_| {
                    scope.spawn(|| {
                        let mut latencies = Vec::new();
                        while began.elapsed() < length {
                            let id = next.fetch_add(1, Ordering::Relaxed);
                            let asked = Instant::now();
                            write(id).expect("the write succeeds");
                            latencies.push(asked.elapsed());
                        }
                        latencies
                    })
                })
                .collect();
            for thread in threads {
                self.latencies.extend(thread.join().expect("no writer panics"));
            }
        });
        self.time += began.elapsed();
        self.latencies.sort_unstable();
    }

    fn rate(&self) -> f64 {
        self.latencies.len() as f64 / self.time.as_secs_f64()
    }

    /// The latency that this share of the writes stayed within.
    fn at(&self, share: f64) -> Duration {
        let last = self.latencies.len() - 1;
        self.latencies[(last as f64 * share) as usize]
    }

    fn print(&self, writers: usize, way: &str, first: &Self) {
        let [p50, p99, max] = [0.5, 0.99, 1.0].map(|share| self.at(share).as_secs_f64() * 1e3);
        let (rate, times) = (self.rate(), self.rate() / first.rate());
        let late = p99 / (first.at(0.99).as_secs_f64() * 1e3);
        println!(
            "{writers:>7}  {way:<7} {rate:>9.0} {p50:>10.2} {p99:>10.2} {max:>10.1} \
             {times:>10.2} x {late:>10.3} x"
        );
    }
}

/// The price of a read transaction with one row found by its key.
fn read(db: &Db) -> Result<()> {
    const READS: i64 = 200_000;
    let last: i64 = db.read(|tx| tx.one("select max(id) from row", [], |row| row.get(0)))?;
    let began = Instant::now();
    for number in 0..READS {
        let id = number * 7919 % last;
        let sql = "select subject from row where id = ?1";
        db.read(|tx| tx.find(sql, [id], |row| row.get::<_, String>(0)))?;
    }
    let each = began.elapsed().as_secs_f64() * 1e6 / READS as f64;
    println!("a point read in its own snapshot: {each:.1} us");
    Ok(())
}
