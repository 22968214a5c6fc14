//! Tests of duplicates and deletions of large folders, for which the server needs several
//! transactions.

use std::io::Write;
use std::net::TcpStream;
use std::ops::RangeInclusive;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;
use std::time::Instant;

use chartroom_platform::config::Config;
use rusqlite::Connection;
use serde_json::Value;
use serde_json::json;

use super::FolderFixture;
use super::subfolder_names;
use crate::server_process::ServerProcess;
use crate::server_process::test_users;
use crate::test_server::Response;

/// Number of documents in a large folder. The copy takes several transactions.
const DOCUMENT_COUNT: usize = 600;

/// Maximum time until a background task has run.
const MAX_TASK_TIME: Duration = Duration::from_secs(30);

/// Counts the nodes of unfinished copies.
const COUNT_STAGED: &str = "select count(*) from node where trash_root like 'copy:%'";

/// Returns a fixture in which `/Work/Sales` of Ann contains many documents, a third of them in each
/// of two folders.
fn create_fixture() -> FolderFixture {
    let fixture = FolderFixture::new();
    for number in 0..DOCUMENT_COUNT {
        let folder = ["/Work/Sales", "/Work/Sales/A", "/Work/Sales/A/B"][number % 3];
        let body = json!({ "widget": "bar", "folder": folder });
        assert_eq!(fixture.request("Ann", "POST", "/create-document", body).status, 200);
    }
    fixture
}

/// Returns the path of the large folder for any caller.
fn sales_path(fixture: &FolderFixture) -> String {
    format!("/users/{}/folders/Work/Sales", fixture.user_id("Ann"))
}

/// Duplicates the large folder as a user.
fn duplicate(fixture: &FolderFixture, name: &str) -> Response {
    fixture.request(name, "POST", &sales_path(fixture), json!({ "action": "duplicate" }))
}

/// Returns the number in the first column of the first row.
fn query_number(fixture: &FolderFixture, sql: &str) -> i64 {
    fixture.server.app.db.read(|tx| tx.one(sql, [], |row| row.get(0))).unwrap()
}

/// Waits until the server has staged some nodes of a copy.
fn wait_for_staged(fixture: &FolderFixture) {
    let start = Instant::now();
    while query_number(fixture, COUNT_STAGED) < 3 {
        assert!(start.elapsed() < MAX_TASK_TIME, "nothing is staged");
    }
}

/// Panics unless no node of an unfinished copy is left and the sizes are correct.
fn check_nothing_staged(fixture: &FolderFixture) {
    assert_eq!(query_number(fixture, COUNT_STAGED), 0);
    fixture.check_tree_invariants();
    let difference =
        "select (select sum(stored_bytes) from node) - (select sum(bytes) from storage_usage)";
    assert_eq!(query_number(fixture, difference), 0);
}

#[test]
fn copy_of_a_large_folder_appears_at_once_and_lets_others_write() {
    let fixture = create_fixture();
    let bens = fixture.create_document("Ben", "me", "/", "Own");
    let count_documents = |folder: &str| {
        let listed = fixture.get_json("Ann", &format!("/users/me/folders/Work/{folder}"));
        listed["document_count"].as_u64().unwrap()
    };
    let is_done = AtomicBool::new(false);
    let copy = thread::scope(|scope| {
        let reader = scope.spawn(|| {
            while !is_done.load(Ordering::Relaxed) {
                let folders = fixture.get_json("Ann", "/users/me/folders/Work");
                if subfolder_names(&folders).contains(&"/Work/Sales 2") {
                    assert_eq!(count_documents("Sales%202"), count_documents("Sales"));
                }
                let trash = fixture.get_json("Ann", "/users/me/trash");
                assert_eq!(trash["results"], json!([]));
            }
        });
        let copy = scope.spawn(|| duplicate(&fixture, "Ann"));
        wait_for_staged(&fixture);
        let renamed = fixture.request("Ben", "PATCH", &bens, json!({ "title": "Renamed" }));
        let staged = query_number(&fixture, COUNT_STAGED);
        assert_eq!(renamed.status, 200, "{}", renamed.text);
        assert!((1..DOCUMENT_COUNT as i64).contains(&staged), "the write waited for the copy");
        let copy = copy.join().unwrap();
        is_done.store(true, Ordering::Relaxed);
        reader.join().unwrap();
        copy
    });
    assert_eq!(copy.status, 200, "{}", copy.text);
    assert_eq!(copy.json()["name"], "/Work/Sales 2");
    for folder in ["", "/A", "/A/B"] {
        let (original, copy) = (format!("Sales{folder}"), format!("Sales%202{folder}"));
        assert_eq!(count_documents(&copy), count_documents(&original), "{folder}");
    }
    let owned = "select count(*) from node where type = 'document' and deleted is null";
    assert_eq!(query_number(&fixture, owned), 2 * DOCUMENT_COUNT as i64 + 1);
    check_nothing_staged(&fixture);
}

#[test]
fn copy_of_few_documents_with_large_styles_takes_several_transactions() {
    const COUNT: i64 = 24;
    let fixture = FolderFixture::new();
    for number in 0..COUNT {
        let title = format!("Large {number}");
        let document = fixture.create_document("Ann", "me", "/Work/Sales", &title);
        // The copies share records with their source, but not the style.
        let body = json!({ "title": title, "style": { "note": "x".repeat(3 << 20) } });
        fixture.request_ok("Ann", "PUT", &document, body);
    }
    let sources = query_number(&fixture, "select max(rowid) from node");
    let copy = duplicate(&fixture, "Ann");
    assert_eq!(copy.status, 200, "{}", copy.text);
    let copied = fixture.get_json("Ann", "/users/me/folders/Work/Sales%202");
    assert_eq!(copied["document_count"], COUNT);
    // All nodes of a transaction have the same time of creation.
    let steps = format!(
        "select count(distinct created) from node where type = 'document' and rowid > {sources}"
    );
    assert_eq!(query_number(&fixture, &steps), 3, "11 documents of 3 MiB exceed a step of 32 MiB");
    check_nothing_staged(&fixture);
}

#[test]
fn copy_fails_and_leaves_nothing_if_the_folder_or_the_access_changes_meanwhile() {
    let fixture = create_fixture();
    fixture.share_folder("Sales", fixture.user_id("Ben"), "r");
    let sales = sales_path(&fixture);
    let nodes = query_number(&fixture, "select count(*) from node");
    let moved = json!({ "name": "/Elsewhere" });
    let changes: [(&str, u16, &dyn Fn()); 3] = [
        ("a subfolder moves away", 409, &|| {
            fixture.request_ok("Ann", "PUT", "/users/me/folders/Work/Sales/A/B", moved.clone());
        }),
        ("the share ends", 404, &|| {
            fixture.server.execute_sql("delete from access_entry");
        }),
        ("the folder moves to the trash", 404, &|| {
            fixture.request_ok("Ann", "DELETE", &sales, Value::Null);
        }),
    ];
    for (change, status, apply) in changes {
        let name = if change == "the share ends" { "Ben" } else { "Ann" };
        let response = thread::scope(|scope| {
            let copy = scope.spawn(|| duplicate(&fixture, name));
            wait_for_staged(&fixture);
            apply();
            copy.join().unwrap()
        });
        assert_eq!(response.status, status, "{change}: {}", response.text);
        check_nothing_staged(&fixture);
        assert_eq!(query_number(&fixture, "select count(*) from node"), nodes, "{change}");
    }
}

#[test]
fn copy_that_exceeds_the_storage_limit_leaves_nothing() {
    const LIMIT: u64 = 1 << 20;
    let fixture = FolderFixture::with_config(Config { max_user_bytes: LIMIT, ..Config::default() });
    let used = "select sum(bytes) from storage_usage";
    loop {
        let body = json!({ "widget": "bar", "folder": "/Work/Sales" });
        assert_eq!(fixture.request("Ann", "POST", "/create-document", body).status, 200);
        if query_number(&fixture, used).unsigned_abs() > LIMIT * 6 / 10 {
            break;
        }
    }
    assert!(query_number(&fixture, "select count(*) from document") > 150);
    let before = query_number(&fixture, used);
    let refused = duplicate(&fixture, "Ann");
    assert_eq!(refused.status, 507, "{}", refused.text);
    check_nothing_staged(&fixture);
    assert_eq!(query_number(&fixture, used), before);
}

#[test]
fn repeated_request_with_a_key_copies_a_large_folder_once() {
    let fixture = create_fixture();
    let token = &fixture.users.iter().find(|user| user.0 == "Ann").unwrap().2;
    let headers = [
        ("authorization", token.as_str()),
        ("content-type", "application/json"),
        ("idempotency-key", "once"),
    ];
    let path = format!("/api/v1{}", sales_path(&fixture));
    let body = json!({ "action": "duplicate" }).to_string();
    let send = || fixture.server.send("POST", &path, &headers, &body);
    let responses = thread::scope(|scope| {
        let other = scope.spawn(send);
        [send(), other.join().unwrap(), send()]
    });
    for response in &responses {
        assert_eq!((response.status, &response.text), (200, &responses[0].text));
    }
    let nodes = query_number(&fixture, "select count(*) from document");
    assert_eq!(nodes, 2 * DOCUMENT_COUNT as i64);
    check_nothing_staged(&fixture);
}

/// Sends a request of Ann to duplicate a folder without waiting for the response.
fn send_duplicate(server: &ServerProcess, folder: &str) -> TcpStream {
    let mut stream = TcpStream::connect(server.base_url.strip_prefix("http://").unwrap()).unwrap();
    let (token, body) = (&test_users()[0].token, json!({ "action": "duplicate" }).to_string());
    write!(
        stream,
        "POST {folder} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .unwrap();
    stream
}

/// Waits until a query returns a number in the expected range.
fn wait_for_number(database: &Connection, sql: &str, expected: RangeInclusive<i64>) {
    let start = Instant::now();
    while !expected.contains(&database.query_row(sql, [], |row| row.get(0)).unwrap()) {
        assert!(start.elapsed() < MAX_TASK_TIME, "{sql}");
    }
}

#[test]
fn interrupted_copy_is_hidden_and_removed_by_a_task() {
    let mut server = ServerProcess::new();
    for _ in 0..DOCUMENT_COUNT {
        let body = json!({ "widget": "bar", "folder": "/Sales" });
        server.ann().post("/api/v1/create-document", body).expect(200);
    }
    let read_state = |server: &ServerProcess| {
        let ann = server.ann();
        let folders = ann.get(&format!("/api/v1/users/{}/folders", ann.id)).expect(200).json();
        let used = ann.get("/api/v1/user").expect(200).json()["storage_used_bytes"].clone();
        let entries = folders["folders"].as_array().unwrap().clone().into_iter();
        let names = entries.map(|entry| (entry["name"].clone(), entry["document_count"].clone()));
        (names.collect::<Vec<_>>(), used)
    };
    let (folders, used) = read_state(&server);
    let stream =
        send_duplicate(&server, &format!("/api/v1/users/{}/folders/Sales", test_users()[0].id));
    let database = Connection::open(server.data_dir().join("chartroom.db")).unwrap();
    wait_for_number(&database, COUNT_STAGED, 3..=i64::MAX);
    server.kill();
    drop(stream);
    assert!(database.query_row(COUNT_STAGED, [], |row| row.get::<_, i64>(0)).unwrap() > 2);
    let checks = server.run_json(&["doctor"]);
    assert_eq!(checks["ok"], true, "{checks}");
    server.start();
    assert_eq!(read_state(&server).0, folders);
    server.kill();
    // The task runs ten minutes after the start of the copy.
    database.execute_batch("update task set run_at = 0 where name = 'folders.staged'").unwrap();
    server.start();
    wait_for_number(&database, COUNT_STAGED, 0..=0);
    assert_eq!(read_state(&server), (folders, used));
    let checks = server.run_json(&["doctor"]);
    assert_eq!(checks["ok"], true, "{checks}");
}

#[test]
fn large_folder_is_deleted_permanently_in_steps_that_let_others_write() {
    let fixture = create_fixture();
    let bens = fixture.create_document("Ben", "me", "/", "Own");
    let count = "select count(*) from node where type = 'document'";
    assert_eq!(query_number(&fixture, count), DOCUMENT_COUNT as i64 + 1);
    let path = format!("{}?expunge=1", sales_path(&fixture));
    let deleted = thread::scope(|scope| {
        let deletion = scope.spawn(|| fixture.request("Ann", "DELETE", &path, Value::Null));
        wait_for_staged(&fixture);
        let folders = fixture.get_json("Ann", "/users/me/folders/Work");
        assert!(!subfolder_names(&folders).contains(&"/Work/Sales"), "{folders}");
        let renamed = fixture.request("Ben", "PATCH", &bens, json!({ "title": "Renamed" }));
        assert_eq!(renamed.status, 200, "{}", renamed.text);
        deletion.join().unwrap()
    });
    assert_eq!(deleted.status, 204, "{}", deleted.text);
    assert_eq!(query_number(&fixture, count), 1, "all documents are deleted before the response");
    check_nothing_staged(&fixture);
}
