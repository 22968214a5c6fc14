//! Backups of the real program while a client writes.

use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;
use std::time::Instant;

use chartroom_platform::db::DATABASE_FILE_NAME;
use rusqlite::Connection;
use serde_json::json;

use crate::server_process;
use crate::server_process::ServerProcess;

/// Number of backups.
const BACKUPS: usize = 3;
/// Number of large documents. Together they have more bytes than the file is flushed at once.
const LARGE_DOCUMENTS: usize = 16;
/// Number of records of a large document, each of about 1 KiB.
const RECORDS: usize = 2_000;

/// A flag that is set on drop, also by a failing test.
struct StopOnDrop<'a>(&'a AtomicBool);

impl Drop for StopOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

/// Returns the number in the title of the document that the writer changes.
fn read_counter(database: &Path) -> u64 {
    let connection = Connection::open(database).unwrap();
    let sql = "select title from node where title like 'Change %'";
    let title: String = connection.query_row(sql, [], |row| row.get(0)).unwrap();
    title["Change ".len()..].parse().unwrap()
}

/// Restores a backup and returns the number in it, see [`read_counter`].
fn restore_counter(backup: &str) -> u64 {
    let restored = tempfile::tempdir().unwrap();
    let dir = restored.path().join("data");
    let output = server_process::run_program(&dir, &[], &["backup", "restore", backup], "");
    server_process::parse_json_output(&output);
    read_counter(&dir.join(DATABASE_FILE_NAME))
}

#[test]
fn every_backup_under_load_is_a_state_between_its_start_and_its_end() {
    let server = ServerProcess::new();
    let create = || {
        let created = server.ann().post("/api/v1/create-document", json!({ "widget": "bar" }));
        let id = created.expect(200).json()["id"].as_str().unwrap().to_owned();
        format!("/api/v1/users/{}/documents/{id}", server.ann().id)
    };
    for number in 0..LARGE_DOCUMENTS {
        let records: Vec<_> = (0..RECORDS)
            .map(|row| json!({ "label": format!("{number} {row} {}", "x".repeat(1000)), "value": row }))
            .collect();
        server.ann().put(&format!("{}/data", create()), records).expect(200);
    }
    let document = create();
    let (sent, acknowledged) = (AtomicU64::new(0), AtomicU64::new(0));
    let change = || {
        let number = sent.fetch_add(1, Ordering::SeqCst) + 1;
        let body = json!({ "title": format!("Change {number}") });
        server.ann().patch(&document, body).expect(200);
        acknowledged.store(number, Ordering::SeqCst);
    };
    change();
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        let writer = scope.spawn(|| {
            let mut longest = Duration::ZERO;
            while !stop.load(Ordering::SeqCst) {
                let started = Instant::now();
                change();
                longest = longest.max(started.elapsed());
            }
            longest
        });
        let stop_on_drop = StopOnDrop(&stop);
        for _ in 0..BACKUPS {
            let before = acknowledged.load(Ordering::SeqCst);
            let target = server.data_dir().join(format!("backup-{before}.tar.zst"));
            let target = target.to_str().unwrap();
            server.run_json(&["backup", "create", target]);
            let after = sent.load(Ordering::SeqCst);
            let found = restore_counter(target);
            assert!(before <= found && found <= after, "{before} <= {found} <= {after}");
            assert!(before < after, "the client wrote nothing during the backup");
        }
        drop(stop_on_drop);
        println!("longest write: {:?}", writer.join().unwrap());
    });
}
