//! Kills a real process at random moments while many write: no answered write may be lost.
//!
//! `CHARTROOM_KILL_ROUNDS` says how often (5 when it is not set).

use std::io::BufRead;
use std::io::BufReader;
use std::io::Write;
use std::os::unix::net::UnixListener;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::path::PathBuf;
use std::process::Child;
use std::process::Command;
use std::process::Stdio;
use std::thread;
use std::time::Duration;
use std::time::Instant;

use chartroom::platform::db::Db;
use chartroom::platform::doctor;

use crate::rows;

/// Clients that write at once.
const CLIENTS: usize = 8;

/// Where the process that is killed finds its data directory; unset in an ordinary test run.
const DIR: &str = "CHARTROOM_KILLED_DIR";

/// What is killed: started on a data directory, it takes writes from many clients.
trait Target: Sync {
    /// Starts the process; it need not be ready yet.
    fn start(&self, dir: &Path) -> Child;
    /// Waits until the process takes writes, and returns a client: it adds a record to the
    /// document of that name and returns the record's number once the write is answered. None
    /// means that no answer came.
    fn client(&self, dir: &Path) -> Box<dyn FnMut(&str) -> Option<i64>>;
}

/// This test program itself, as a small server of its own on a Unix socket.
struct Engine;

impl Engine {
    fn socket(dir: &Path) -> PathBuf {
        dir.join("socket")
    }
}

impl Target for Engine {
    fn start(&self, dir: &Path) -> Child {
        let _ = std::fs::remove_file(Self::socket(dir));
        Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "durability::is_killed", "--nocapture"])
            .env(DIR, dir)
            .stdout(Stdio::null())
            .spawn()
            .unwrap()
    }

    fn client(&self, dir: &Path) -> Box<dyn FnMut(&str) -> Option<i64>> {
        let began = Instant::now();
        let stream = loop {
            match UnixStream::connect(Self::socket(dir)) {
                Ok(stream) => break stream,
                Err(error) if began.elapsed() > Duration::from_secs(20) => panic!("{error}"),
                Err(_) => thread::sleep(Duration::from_millis(5)),
            }
        };
        let mut answers = BufReader::new(stream.try_clone().unwrap());
        let mut requests = stream;
        Box::new(move |document| {
            requests.write_all(format!("{document}\n").as_bytes()).ok()?;
            let mut line = String::new();
            answers.read_line(&mut line).ok()?;
            // Half a line is no answer.
            line.strip_suffix('\n')?.parse().ok()
        })
    }
}

/// Not a test of its own: the process that is killed.
#[test]
fn is_killed() {
    let Ok(dir) = std::env::var(DIR) else { return };
    let dir = Path::new(&dir);
    let db = Db::open(dir).unwrap();
    let listener = UnixListener::bind(Engine::socket(dir)).unwrap();
    for stream in listener.incoming() {
        let (db, mut answers) = (db.clone(), stream.unwrap());
        thread::spawn(move || {
            for line in BufReader::new(answers.try_clone().unwrap()).lines() {
                let Ok(document) = line else { return };
                let Ok(number) = rows::write(&db, &document) else { return };
                if answers.write_all(format!("{number}\n").as_bytes()).is_err() {
                    return;
                }
            }
        });
    }
}

/// Starts, writes from all clients, kills after `life`; adds what was answered to `answered`.
fn round(target: &impl Target, dir: &Path, life: Duration, answered: &mut [i64; CLIENTS]) {
    let mut child = target.start(dir);
    let mut ready = target.client(dir);
    thread::scope(|scope| {
        for (client, count) in answered.iter_mut().enumerate() {
            scope.spawn(move || {
                let mut write = target.client(dir);
                let document = format!("document-{client}");
                while let Some(number) = write(&document) {
                    assert!(number >= *count, "an answered write was overwritten");
                    *count = number + 1;
                }
            });
        }
        // Killed while it works, not while it starts.
        ready("warm").unwrap();
        thread::sleep(life);
        // SIGKILL: the process gets no chance to do anything more.
        child.kill().unwrap();
    });
    child.wait().unwrap();
}

/// The rounds, each followed by a look at what is there.
fn kill_again_and_again(target: &impl Target) {
    let rounds =
        std::env::var("CHARTROOM_KILL_ROUNDS").ok().and_then(|it| it.parse().ok()).unwrap_or(5);
    let dir = tempfile::tempdir().unwrap();
    let mut answered = [0; CLIENTS];
    for number in 1..=rounds {
        let before: i64 = answered.iter().sum();
        let life = Duration::from_micros(rand::random_range(0..300_000));
        round(target, dir.path(), life, &mut answered);
        let all: i64 = answered.iter().sum();
        println!("round {number}: killed after {life:?} and {} answers", all - before);
        let db = Db::open(dir.path()).unwrap();
        for (client, count) in answered.iter().enumerate() {
            let document = format!("document-{client}");
            let found = db.read(|tx| rows::count(tx, &document)).unwrap();
            assert!(found >= *count, "round {number}: {document} has {found} of {count} records");
        }
        drop(db);
        let bad: Vec<_> = doctor::run(dir.path(), false)
            .unwrap()
            .into_iter()
            .filter(|check| !check.ok && check.name != "files.permissions")
            .collect();
        assert!(bad.is_empty(), "round {number}: {bad:?}");
    }
    assert!(answered.iter().all(|count| *count > 0), "some client never got an answer");
}

#[test]
fn no_answered_write_is_lost_when_the_process_is_killed() {
    kill_again_and_again(&Engine);
}
