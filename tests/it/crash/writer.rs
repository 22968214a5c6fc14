//! The program that the crash test records: several writers on the storage engine.
//!
//! Arguments: the data directory, the file of acknowledgments, writes per writer, `full` or `off`.
//! Each acknowledged write adds a line `<document> <number>` to that file. A refused write adds
//! `!`.

#[path = "../storage_rows.rs"]
mod storage_rows;

use std::fs::File;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;
use std::thread;

use chartroom_platform::db::Db;
use chartroom_platform::db::DbOptions;
use chartroom_platform::error::Error;

/// Number of concurrent writers, enough that they share commits.
const WRITER_COUNT: usize = 4;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, dir, acknowledgments, writes, synchronous] = arguments.as_slice() else {
        panic!("expected: DIR ACKNOWLEDGMENTS WRITES full|off");
    };
    let writes: usize = writes.parse().expect("a number of writes");
    // A short log is checkpointed often.
    let durable = synchronous == "full";
    let options = DbOptions { max_wal_bytes: 400 << 10, durable, ..DbOptions::default() };
    let acknowledgments =
        OpenOptions::new().append(true).create(true).open(acknowledgments).expect("a file");
    // Two runs, so that the recording includes a clean stop and a start on old data.
    for _ in 0..2 {
        let db = match Db::open_with(Path::new(dir), options) {
            Ok(db) => db,
            Err(error) => panic!("cannot open: {}", error.operator_message()),
        };
        thread::scope(|scope| {
            for writer in 0..WRITER_COUNT {
                let (db, acknowledgments) = (&db, &acknowledgments);
                scope.spawn(move || {
                    append_records(db, acknowledgments, &format!("document-{writer}"), writes / 2)
                });
            }
        });
        // This fails when the disk is full. Then there is no clean stop.
        let _ = db.close();
    }
}

/// Appends records to a document and writes a line for each acknowledged or refused write.
fn append_records(db: &Db, mut acknowledgments: &File, document: &str, writes: usize) {
    for _ in 0..writes {
        let line = match storage_rows::write_record(db, document) {
            Ok(number) => format!("{document} {number}\n"),
            Err(Error::DiskFull) => "! full\n".to_owned(),
            Err(error) => format!("! {}\n", error.operator_message()),
        };
        // One call, so that lines of different writers do not mix.
        acknowledgments
            .write_all(line.as_bytes())
            .expect("the file of acknowledgments is writable");
    }
}
