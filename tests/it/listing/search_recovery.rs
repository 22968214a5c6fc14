//! Tests that the search index survives kills and that the server rebuilds it after damage.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::Output;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;
use std::time::Instant;

use serde_json::Value;
use serde_json::json;

use crate::client::Client;
use crate::server_process::ServerProcess;

/// Returns the check of the index in the report of `doctor`.
fn check_index(server: &ServerProcess) -> Value {
    let output: Output = server.run_command(&["doctor"]);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let checks = report["checks"].as_array().unwrap();
    checks.iter().find(|check| check["name"] == "search.index").unwrap().clone()
}

/// Calls [`check_index`] until the check succeeds or a minute has passed, because a started server
/// repairs the index in the background. Returns the last result.
fn wait_for_intact_index(server: &ServerProcess) -> Value {
    let started = Instant::now();
    loop {
        let check = check_index(server);
        if check["ok"] == true || started.elapsed() > Duration::from_secs(60) {
            return check;
        }
    }
}

/// Creates a document with a title and returns its path.
fn create_document(client: &Client<'_>, title: &str) -> String {
    let created =
        client.post("/api/v1/create-document", json!({ "widget": "bar" })).expect(200).json();
    let endpoint = created["endpoint"].as_str().unwrap();
    let path = endpoint[endpoint.find("/api/v1/").unwrap()..].to_owned();
    client.patch(&path, json!({ "title": title })).expect(200);
    path
}

/// Waits until a search has `expected` matches. Panics after a minute.
///
/// A search waits only briefly for the index, which may be slow on a busy machine.
fn wait_for_matches(server: &ServerProcess, text: &str, expected: u64) {
    let started = Instant::now();
    loop {
        let found = count_matches(server, text);
        if found == expected {
            return;
        }
        assert!(started.elapsed() < Duration::from_secs(60), "{text}: {found} matches");
        thread::sleep(Duration::from_millis(50));
    }
}

/// Returns the number of matches of a search once there is an index.
fn count_matches(server: &ServerProcess, text: &str) -> u64 {
    let started = Instant::now();
    loop {
        let response = server.ann().get(&format!("/api/v1/search?query={text}"));
        if response.status == 200 {
            return response.json()["count"].as_u64().unwrap();
        }
        assert_eq!(response.status, 503, "{response}");
        assert!(started.elapsed() < Duration::from_secs(60), "no index in a minute");
        thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn index_matches_the_database_after_kills_during_writes() {
    let mut server = ServerProcess::new();
    create_document(&server.ann(), "Anchor");
    for round in 0..3 {
        let stop = AtomicBool::new(false);
        thread::scope(|scope| {
            for writer in 0..3 {
                let (server, stop) = (&server, &stop);
                scope.spawn(move || {
                    // A request without a response does not matter here.
                    let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                        for number in 0.. {
                            if stop.load(Ordering::SeqCst) {
                                return;
                            }
                            let path = create_document(
                                &server.ann(),
                                &format!("Buoy {round} {writer} {number}"),
                            );
                            match number % 4 {
                                0 => drop(server.ann().delete(&path)),
                                1 => drop(server.ann().delete(&format!("{path}?expunge=1"))),
                                _ => {}
                            }
                        }
                    }));
                });
            }
            thread::sleep(Duration::from_millis(400 + 130 * round));
            server.signal("KILL");
            stop.store(true, Ordering::SeqCst);
        });
        server.kill();
        server.start();
        let check = wait_for_intact_index(&server);
        assert_eq!(check["ok"], true, "{check}");
        wait_for_matches(&server, "anchor", 1);
    }
    let buoys = count_matches(&server, "buoy");
    let list = server.ann().get("/api/v1/users/me/list?match=buoy").expect(200).json();
    assert!(buoys > 0);
    assert_eq!(list["count"], buoys);
    assert_eq!(server.stop(), Some(0));
    let check = check_index(&server);
    assert_eq!(check["ok"], true, "{check}");
}

/// Removes a file with this extension, and the list of files. Without the list, the check of the
/// index skips the missing file.
fn remove_with_list(dir: &Path, extension: &str) {
    let paths = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path());
    let mut paths = paths.filter(|path| path.extension().is_some_and(|found| found == extension));
    fs::remove_file(paths.next().unwrap()).unwrap();
    fs::remove_file(dir.join(".managed.json")).unwrap();
}

/// Flips bits in all files of the index except its lists and locks. Does not shorten a file, which
/// would end a process that has mapped it.
fn flip_bytes(dir: &Path) {
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension != "json" && extension != "lock") {
            let mut bytes = fs::read(&path).unwrap();
            bytes.iter_mut().for_each(|byte| *byte ^= 0x55);
            fs::OpenOptions::new().write(true).open(&path).unwrap().write_all(&bytes).unwrap();
        }
    }
}

#[test]
fn damaged_index_is_rebuilt() {
    let mut server = ServerProcess::new();
    create_document(&server.ann(), "Anchor");
    wait_for_matches(&server, "anchor", 1);
    let dir = server.data_dir().join("index");
    let replace_in_meta = |from: &str, to: &str| {
        let meta = dir.join("meta.json");
        let text = fs::read_to_string(&meta).unwrap();
        assert!(text.contains(from), "{text}");
        fs::write(&meta, text.replace(from, to)).unwrap();
    };
    let damages: [(&str, &dyn Fn()); 11] = [
        ("removed", &|| fs::remove_dir_all(&dir).unwrap()),
        ("of a later database", &|| replace_in_meta("\\\"cursor\\\":", "\\\"cursor\\\":99999")),
        ("of another version", &|| replace_in_meta("\\\"version\\\":", "\\\"version\\\":9")),
        ("of another database", &|| {
            replace_in_meta("\\\"database\\\":\\\"", "\\\"database\\\":\\\"x")
        }),
        ("without a list and terms", &|| remove_with_list(&dir, "term")),
        ("without a list and positions", &|| remove_with_list(&dir, "pos")),
        ("without a list and documents", &|| remove_with_list(&dir, "store")),
        ("without a list", &|| fs::remove_file(dir.join(".managed.json")).unwrap()),
        ("a file", &|| {
            fs::remove_dir_all(&dir).unwrap();
            fs::write(&dir, "no directory").unwrap();
        }),
        ("no JSON", &|| fs::write(dir.join("meta.json"), "{").unwrap()),
        ("flipped bytes", &|| flip_bytes(&dir)),
    ];
    for (name, damage) in damages {
        assert_eq!(server.stop(), Some(0));
        damage();
        if name != "removed" {
            assert_eq!(check_index(&server)["ok"], false, "{name}");
        }
        server.start();
        wait_for_matches(&server, "anchor", 1);
        server.wait_until_ready();
        assert_eq!(server.run_json(&["reindex"])["ok"], true, "{name}");
        let check = wait_for_intact_index(&server);
        assert_eq!(check["ok"], true, "{name}: {check}");
    }
}

#[test]
fn index_that_is_damaged_while_the_server_runs_is_rebuilt() {
    let server = ServerProcess::new();
    create_document(&server.ann(), "Anchor");
    wait_for_matches(&server, "anchor", 1);
    let dir = server.data_dir().join("index");
    let damages: [(&str, &dyn Fn()); 4] = [
        ("removed", &|| fs::remove_dir_all(&dir).unwrap()),
        ("no JSON", &|| fs::write(dir.join("meta.json"), "{").unwrap()),
        ("without a list and terms", &|| remove_with_list(&dir, "term")),
        ("flipped bytes", &|| flip_bytes(&dir)),
    ];
    for (number, (name, damage)) in damages.into_iter().enumerate() {
        damage();
        create_document(&server.ann(), &format!("Buoy{number}"));
        wait_for_matches(&server, &format!("buoy{number}"), 1);
        wait_for_matches(&server, "anchor", 1);
        server.wait_until_ready();
        assert_eq!(server.run_json(&["reindex"])["ok"], true, "{name}");
        let check = wait_for_intact_index(&server);
        assert_eq!(check["ok"], true, "{name}: {check}");
    }
}

#[test]
fn differences_between_index_and_database_are_found_and_repaired() {
    let mut server = ServerProcess::new();
    create_document(&server.ann(), "Anchor");
    wait_for_matches(&server, "anchor", 1);
    assert_eq!(server.stop(), Some(0));
    let database = rusqlite::Connection::open(server.data_dir().join("chartroom.db")).unwrap();
    database
        .execute_batch(
            "insert into node (id, type, owner, title, title_key, created, updated, updated_by,
                 revision, change)
             select 'secret-folder', 'folder', owner, 'Chain', 'chain', 0, 0, owner, 1, change
             from node where title = 'Anchor'",
        )
        .unwrap();
    let check = check_index(&server);
    assert_eq!(
        (&check["ok"], &check["detail"]),
        (&json!(false), &json!("secret-folder is not in the index"))
    );
    let repair = server.run_command(&["doctor", "--fix"]);
    assert!(repair.status.success(), "{}", String::from_utf8_lossy(&repair.stdout));
    database.execute_batch("delete from node where id = 'secret-folder'").unwrap();
    let check = check_index(&server);
    assert_eq!(
        (&check["ok"], &check["detail"]),
        (&json!(false), &json!("secret-folder is in the index but not in the database"))
    );
    drop(database);
    // The server detects it too.
    server.start();
    let started = Instant::now();
    while count_matches(&server, "chain") > 0 {
        assert!(started.elapsed() < Duration::from_secs(60), "the index was not repaired");
        thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn reindex_works_with_and_without_a_running_server() {
    let mut server = ServerProcess::new();
    create_document(&server.ann(), "Anchor");
    let report = server.run_json(&["reindex"]);
    assert_eq!(
        (&report["ok"], &report["detail"]),
        (&json!(true), &json!("1 documents and folders"))
    );
    wait_for_matches(&server, "anchor", 1);
    assert_eq!(server.stop(), Some(0));
    assert_eq!(server.run_json(&["reindex"])["ok"], true);
    assert_eq!(check_index(&server)["ok"], true);
    server.start();
    create_document(&server.ann(), "Anchor too");
    wait_for_matches(&server, "anchor", 2);
}
