//! Measures durable writes per second: group commit compared with one transaction per request.
//!
//! `cargo run --release --example commit_rate [DIR]` commits rows of 4 KiB with an index entry,
//! with `synchronous=FULL` on the disk of DIR (default: the current directory), by 1, 8 and 64
//! concurrent writers. The methods run alternately, so that all of them meet the same state of the
//! disk. `control` is the first method again on another file, so its difference from the first is
//! noise. At the end, the program prints the time of a point read.

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

/// Duration of a turn of one method, and number of turns, with one writer.
const SINGLE_WRITER_TURNS: (Duration, usize) = (Duration::from_millis(500), 12);

/// Duration of a turn of one method, and number of turns, with several writers. A turn is long
/// because writers that find the file locked sleep for seconds.
const CONCURRENT_WRITER_TURNS: (Duration, usize) = (Duration::from_secs(2), 3);

const CREATE_TABLE_SQL: &str =
    "create table row (id integer primary key, subject text, body text) strict";
const CREATE_INDEX_SQL: &str = "create index row_subject on row (subject)";
const INSERT_SQL: &str = "insert into row (id, subject, body) values (?1, ?2, ?3)";

/// A function that writes the row with this id durably.
type WriteFn<'a> = &'a (dyn Fn(i64) -> Result<()> + Sync);

fn main() -> Result<()> {
    let parent = std::env::args().nth(1).map_or_else(|| PathBuf::from("."), PathBuf::from);
    let (grouped_dir, pooled_dir) =
        (tempfile::tempdir_in(&parent)?, tempfile::tempdir_in(&parent)?);
    let db = Db::open(grouped_dir.path())?;
    db.write(|tx| {
        tx.execute(CREATE_TABLE_SQL, [])?;
        tx.execute(CREATE_INDEX_SQL, [])
    })?;
    let pools = [
        open_connection_pool(&pooled_dir.path().join("naive.db"))?,
        open_connection_pool(&pooled_dir.path().join("control.db"))?,
    ];
    let next_id = AtomicI64::new(0);
    let body = "x".repeat(4096);
    let write_grouped = |id| {
        let body = body.clone();
        db.write(move |tx| tx.execute(INSERT_SQL, (id, subject_of_row(id), &body)).map(|_| ()))
    };
    let write_alone = |pool: &r2d2::Pool<ConnectionManager>, id| {
        let mut connection = pool.get().expect("there are as many connections as writers");
        let tx = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        tx.prepare_cached(INSERT_SQL)?.execute((id, subject_of_row(id), &body))?;
        Ok(tx.commit()?)
    };
    let methods: [(&str, WriteFn<'_>); 3] = [
        ("single", &|id| write_alone(&pools[0], id)),
        ("control", &|id| write_alone(&pools[1], id)),
        ("grouped", &write_grouped),
    ];
    println!(
        "writers  way      writes/s     p50 ms     p99 ms     max ms  rate to 1st   p99 to 1st"
    );
    for writers in [1, 8, 64] {
        let mut measurements =
            [Measurements::default(), Measurements::default(), Measurements::default()];
        let (turn_length, turn_count) =
            if writers == 1 { SINGLE_WRITER_TURNS } else { CONCURRENT_WRITER_TURNS };
        for _ in 0..turn_count {
            for (measured, (_, write)) in measurements.iter_mut().zip(methods) {
                measured.run_turn(writers, turn_length, write, &next_id);
            }
        }
        for (measured, (method, _)) in measurements.iter().zip(methods) {
            measured.print_row(writers, method, &measurements[0]);
        }
    }
    measure_point_reads(&db)
}

/// Returns the subject of a row. Eight rows share a subject.
fn subject_of_row(id: i64) -> String {
    format!("subject-{}", id / 8)
}

/// Creates a database and a pool of connections to it, as most programs do.
fn open_connection_pool(path: &Path) -> Result<r2d2::Pool<ConnectionManager>> {
    let connection = Connection::open(path)?;
    connection.pragma_update(None, "page_size", 8192)?;
    connection.pragma_update(None, "journal_mode", "wal")?;
    connection.execute_batch(&format!("{CREATE_TABLE_SQL}; {CREATE_INDEX_SQL};"))?;
    let pool = r2d2::Pool::builder().max_size(64).test_on_check_out(false);
    Ok(pool.build(ConnectionManager(path.to_owned())).expect("connections open"))
}

/// Opens pooled connections to the database file at this path.
struct ConnectionManager(PathBuf);

impl r2d2::ManageConnection for ConnectionManager {
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

/// Measurements of one commit method.
#[derive(Default)]
struct Measurements {
    /// Latencies of all writes, in ascending order after each turn.
    latencies: Vec<Duration>,
    /// Sum of the durations of all turns.
    total_time: Duration,
}

impl Measurements {
    /// Runs one turn: `writers` threads write for `turn_length` and record each latency.
    fn run_turn(
        &mut self,
        writers: usize,
        turn_length: Duration,
        write: WriteFn<'_>,
        next_id: &AtomicI64,
    ) {
        let started = Instant::now();
        thread::scope(|scope| {
            let threads: Vec<_> = (0..writers)
                .map(|_| {
                    scope.spawn(|| {
                        let mut latencies = Vec::new();
                        while started.elapsed() < turn_length {
                            let id = next_id.fetch_add(1, Ordering::Relaxed);
                            let write_started = Instant::now();
                            write(id).expect("the write succeeds");
                            latencies.push(write_started.elapsed());
                        }
                        latencies
                    })
                })
                .collect();
            for thread in threads {
                self.latencies.extend(thread.join().expect("no writer panics"));
            }
        });
        self.total_time += started.elapsed();
        self.latencies.sort_unstable();
    }

    fn writes_per_second(&self) -> f64 {
        self.latencies.len() as f64 / self.total_time.as_secs_f64()
    }

    /// Returns the latency that a share of the writes (0 to 1) did not exceed.
    fn percentile(&self, share: f64) -> Duration {
        let last = self.latencies.len() - 1;
        self.latencies[(last as f64 * share) as usize]
    }

    /// Prints one line of the table, with rate and p99 relative to `baseline`.
    fn print_row(&self, writers: usize, method: &str, baseline: &Self) {
        let [p50, p99, max] =
            [0.5, 0.99, 1.0].map(|share| self.percentile(share).as_secs_f64() * 1e3);
        let (rate, relative_rate) =
            (self.writes_per_second(), self.writes_per_second() / baseline.writes_per_second());
        let relative_p99 = p99 / (baseline.percentile(0.99).as_secs_f64() * 1e3);
        println!(
            "{writers:>7}  {method:<7} {rate:>9.0} {p50:>10.2} {p99:>10.2} {max:>10.1} \
             {relative_rate:>10.2} x {relative_p99:>10.3} x"
        );
    }
}

/// Prints the time of a read transaction that finds one row by its key.
fn measure_point_reads(db: &Db) -> Result<()> {
    const READS: i64 = 200_000;
    let last_id: i64 = db.read(|tx| tx.one("select max(id) from row", [], |row| row.get(0)))?;
    let started = Instant::now();
    for number in 0..READS {
        let id = number * 7919 % last_id;
        let sql = "select subject from row where id = ?1";
        db.read(|tx| tx.find(sql, [id], |row| row.get::<_, String>(0)))?;
    }
    let microseconds_per_read = started.elapsed().as_secs_f64() * 1e6 / READS as f64;
    println!("a point read in its own snapshot: {microseconds_per_read:.1} us");
    Ok(())
}
