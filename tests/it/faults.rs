//! Tests of failing and slow disk operations: each operation of a scenario fails or is delayed once,
//! and a failed flush stops all writes until the next start.
//!
//! A shim between the server and the C library lets the operation fail or wait (see `crash/shim.c`).
//! `CHARTROOM_FAULT_POINTS` sets the number of operations per kind of fault (default 6, spread over
//! the first 100). With more than 100 they are the first ones.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::OnceLock;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;
use std::time::Instant;

use chartroom::features::documents;
use chartroom_platform::db::Db;
use chartroom_platform::doctor;
use rusqlite::Connection;
use serde_json::json;

use crate::client::Client;
use crate::client::Response;
use crate::crash::program;
use crate::server_process::Launch;
use crate::server_process::PASSWORD;
use crate::server_process::ServerProcess;
use crate::storage_rows;

/// Returns the path of the server with the shim. The first call builds it.
fn server_program() -> &'static Path {
    static BUILT: OnceLock<(tempfile::TempDir, PathBuf)> = OnceLock::new();
    let (_, path) = BUILT.get_or_init(|| {
        let dir = tempfile::tempdir().unwrap();
        let path = program::build("fault_server", dir.path());
        (dir, path)
    });
    path
}

/// A server with the shim.
struct FaultyServer {
    server: ServerProcess,
    /// Directory with the marker files of the shim.
    markers: tempfile::TempDir,
}

impl FaultyServer {
    /// Prepares a server in which the operation `fault`, such as `eio:3`, fails. With
    /// `needs_arming`, only operations after [`Self::arm`] count.
    fn prepare(fault: &str, needs_arming: bool) -> Self {
        let markers = tempfile::tempdir().unwrap();
        let mut server = ServerProcess::prepare(&[("log", "info")], Launch::default());
        let mut environment = vec![
            ("SHIM_DIR", server.data_dir().to_owned()),
            ("SHIM_FAULT", fault.into()),
            ("SHIM_FIRED", markers.path().join("fired")),
            ("SHIM_QUOTA", markers.path().join("quota")),
        ];
        if needs_arming {
            environment.push(("SHIM_ARMED", markers.path().join("armed")));
        }
        let to_text = |(name, path): (&str, PathBuf)| {
            (name.to_owned(), path.into_os_string().into_string().unwrap())
        };
        server.set_launch(Launch {
            program: Some(server_program().to_owned()),
            environment: environment.into_iter().map(to_text).collect(),
            ..Launch::default()
        });
        Self { server, markers }
    }

    /// Lets the following operations count.
    fn arm(&self) {
        fs::write(self.markers.path().join("armed"), "").unwrap();
    }

    /// Exceeds the quota of the data directory, or ends that.
    fn exceed_quota(&self, is_exceeded: bool) {
        let marker = self.markers.path().join("quota");
        if is_exceeded { fs::write(marker, "") } else { fs::remove_file(marker) }.unwrap();
    }

    /// Waits until the recurring tasks that each server starts with have run.
    fn wait_until_recurring_tasks_have_run(&self) {
        let database = Connection::open(self.server.data_dir().join("chartroom.db")).unwrap();
        let sql = "select count(*) > 0 and min(run_at > created) from task";
        let start = Instant::now();
        while !database.query_row::<bool, _, _>(sql, [], |row| row.get(0)).unwrap() {
            assert!(start.elapsed() < Duration::from_secs(60), "the recurring tasks do not run");
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// Returns whether the operation has failed.
    fn has_fired(&self) -> bool {
        self.markers.path().join("fired").exists()
    }
}

/// The result of a scenario.
#[derive(Default)]
struct ScenarioResult {
    has_started: bool,
    has_fired: bool,
    /// Acknowledged number of records by document.
    acknowledged: BTreeMap<String, i64>,
    complaints: Vec<String>,
    /// Requests that failed because of a full or failed disk.
    refused: Vec<String>,
}

impl ScenarioResult {
    /// Adds a complaint if a response reports another problem than a full or failed disk. Returns
    /// whether the request succeeded.
    fn check(&mut self, step: &str, response: &Response) -> bool {
        if matches!(response.status, 503 | 507) {
            self.refused.push(format!("{step}: {response}"));
        }
        if !matches!(response.status, 200 | 204 | 503 | 507) {
            self.complaints.push(format!("{step}: {response}"));
        }
        response.status < 300
    }

    /// Creates a document and returns its path.
    fn create(&mut self, client: &Client<'_>) -> Option<String> {
        let created = client.post("/api/v1/create-document", json!({ "widget": "bar" }));
        if !self.check("create", &created) {
            return None;
        }
        let id = created.json()["id"].as_str().unwrap().to_owned();
        let path = format!("/api/v1/users/{}/documents/{id}", client.id);
        self.acknowledged.insert(id, 0);
        Some(path)
    }

    /// Replaces the records of a document by `count` records, or adds one if None.
    fn write(&mut self, client: &Client<'_>, path: &str, count: Option<usize>) -> bool {
        let record = json!({ "label": "x".repeat(300), "value": 1 });
        let response = match count {
            Some(count) => client.put(&format!("{path}/data"), vec![record; count]),
            None => client.post(&format!("{path}/add-record"), record),
        };
        let is_stored = self.check("write", &response);
        let id = path.rsplit('/').next().unwrap();
        let stored = self.acknowledged.get_mut(id).unwrap();
        if is_stored {
            *stored = count.map_or(*stored + 1, |count| i64::try_from(count).unwrap());
        }
        is_stored
    }
}

/// Starts a server in which `fault` happens, sends requests, and stops it. Returns the
/// acknowledged content and the complaints about responses and the log.
fn run_scenario(faulty: &mut FaultyServer) -> ScenarioResult {
    let mut result = ScenarioResult::default();
    if faulty.server.try_start().is_ok() {
        result.has_started = true;
        let ann = faulty.server.ann();
        let paths = [result.create(&ann), result.create(&ann)];
        for path in paths.iter().flatten() {
            // The first replacement gives all following ones a known number of records.
            if result.write(&ann, path, Some(400)) {
                result.write(&ann, path, None);
                result.write(&ann, path, None);
                result.write(&ann, path, Some(200));
            } else {
                result.acknowledged.remove(path.rsplit('/').next().unwrap());
            }
        }
        let credentials = json!({ "email": "ann@example.org", "password": PASSWORD });
        let session = faulty.server.guest().post("/api/v1/session", credentials);
        result.check("sign-in", &session);
        if let Some(path) = &paths[1] {
            let deleted = ann.delete(&format!("{path}?expunge=1"));
            result.check("delete", &deleted);
            result.acknowledged.remove(path.rsplit('/').next().unwrap());
        }
        if let Some(path) = &paths[0] {
            result.check("image", &ann.get(&format!("{path}.svg")));
            if ann.get(path).status != 200 {
                result.complaints.push("a document cannot be read".to_owned());
            }
        }
        let has_stopped = faulty.server.log().contains("a flush failed");
        if !has_stopped && !can_write_again(&mut result, &ann) {
            result.complaints.push("writes do not work again".to_owned());
        }
        let code = faulty.server.stop();
        if !matches!(code, Some(0 | 1)) {
            result.complaints.push(format!("the server ended with {code:?}"));
        }
    }
    if faulty.server.has_panicked() {
        result.complaints.push(faulty.server.log());
    }
    result.has_fired = faulty.has_fired();
    result
}

/// Opens the data as the next start would, and returns complaints about lost content and damage.
fn check_data(dir: &Path, acknowledged: &BTreeMap<String, i64>) -> Vec<String> {
    let db = match Db::open(dir) {
        Ok(db) => db,
        Err(error) => return vec![error.operator_message()],
    };
    let mut complaints = Vec::new();
    for (document, count) in acknowledged {
        let stored = db.read(|tx| storage_rows::count_records(tx, document)).unwrap();
        // The number of records in a new document is that of the sample.
        if stored < *count {
            complaints.push(format!("{document}: {stored} of {count} records"));
        }
    }
    let features = [documents::HISTORY_CHECK, documents::STORAGE_CHECK];
    let checks = doctor::run_checks(dir, false, &features).unwrap();
    let failed = checks.into_iter().filter(|check| !check.ok && check.name != "files.permissions");
    complaints.extend(failed.map(|check| format!("{}: {}", check.name, check.detail)));
    complaints
}

/// Returns whether a document can be created, at the latest after the server has tested an exceeded
/// quota again, which it does every ten seconds.
fn can_write_again(result: &mut ScenarioResult, ann: &Client<'_>) -> bool {
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(15) {
        if result.create(ann).is_some() {
            return true;
        }
        thread::sleep(Duration::from_millis(200));
    }
    false
}

/// Returns the numbers of the operations that fail.
fn fault_points() -> Vec<usize> {
    let count = std::env::var("CHARTROOM_FAULT_POINTS").ok().and_then(|text| text.parse().ok());
    match count.unwrap_or(6) {
        count if count > 100 => (1..=count).collect(),
        count => (0..count).map(|index| 1 + index * 100 / count).collect(),
    }
}

/// Runs the scenario with a fault and checks the responses and the data.
fn check_scenario(fault: &str) -> ScenarioResult {
    let mut faulty = FaultyServer::prepare(fault, false);
    let mut result = run_scenario(&mut faulty);
    result.complaints.extend(check_data(faulty.server.data_dir(), &result.acknowledged));
    assert!(result.complaints.is_empty(), "{fault}: {:#?}", result.complaints);
    result
}

/// Runs the scenario with each fault of a kind, `concurrency` at once, until one ends before its
/// fault. Returns the number of faults.
fn count_faults(
    kind: &str,
    concurrency: usize,
    check: impl Fn(&str, &ScenarioResult) + Sync,
) -> usize {
    let points = Mutex::new(fault_points().into_iter());
    let fired_count = AtomicUsize::new(0);
    let run_next = || {
        let Some(point) = points.lock().unwrap().next() else { return false };
        let fault = format!("{kind}:{point}");
        let result = check_scenario(&fault);
        check(&fault, &result);
        fired_count.fetch_add(usize::from(result.has_fired), Ordering::SeqCst);
        result.has_fired
    };
    thread::scope(|scope| {
        for _ in 0..concurrency {
            scope.spawn(|| while run_next() {});
        }
    });
    fired_count.into_inner()
}

/// Lets each operation of the scenario fail once, until it passes without a fault.
fn sweep(kind: &str) {
    // A scenario often waits: for the disk, for tasks, and for the next test of an exceeded quota.
    let fired_count = count_faults(kind, 3, |fault, result| {
        assert!(result.has_fired || result.has_started, "{fault}: the server does not start");
    });
    println!("{kind}: {fired_count} operations failed once each");
    assert!(fired_count > 0, "no operation failed");
}

#[test]
fn an_error_of_any_operation_loses_nothing_and_writes_recover() {
    sweep("eio");
}

#[test]
fn a_full_disk_at_any_operation_loses_nothing_and_writes_recover() {
    sweep("enospc");
}

#[test]
fn an_exceeded_quota_at_any_operation_loses_nothing_and_writes_recover() {
    sweep("edquot");
}

#[test]
fn an_exceeded_quota_permits_reading_deleting_signing_in_and_restarting() {
    let mut faulty = FaultyServer::prepare("eio:1000000", true);
    faulty.server.start();
    let mut result = ScenarioResult::default();
    let paths: Vec<String> = (0..3).map(|_| result.create(&faulty.server.ann()).unwrap()).collect();
    for path in &paths {
        assert!(result.write(&faulty.server.ann(), path, Some(400)));
    }
    let reserve = faulty.server.data_dir().join("reserve");
    let count_reserve_files = || fs::read_dir(&reserve).unwrap().count();
    assert_eq!(count_reserve_files(), 16);
    // The results of tasks use the reserve too.
    faulty.wait_until_recurring_tasks_have_run();
    let check = |server: &ServerProcess| {
        let record = json!({ "label": "a", "value": 1 });
        let written = server.ann().post(&format!("{}/add-record", paths[0]), record).expect(507);
        assert_eq!(written.json()["code"], "disk_full");
        server.ann().get(&paths[0]).expect(200);
        let credentials = json!({ "email": "ann@example.org", "password": PASSWORD });
        server.guest().post("/api/v1/session", credentials).expect(200);
    };
    faulty.exceed_quota(true);
    let record = json!({ "label": "a", "value": 1 });
    let written = faulty.server.ann().post(&format!("{}/add-record", paths[0]), record);
    assert_eq!(written.expect(507).json()["code"], "disk_full");
    assert_eq!(count_reserve_files(), 16, "only deletions and sign-ins use the reserve");
    faulty.server.ann().delete(&format!("{}?expunge=1", paths[1])).expect(204);
    assert_eq!(count_reserve_files(), 0);
    // The deleted files of the reserve left room, which is not for new content.
    check(&faulty.server);
    faulty.exceed_quota(false);
    let start = Instant::now();
    while !result.write(&faulty.server.ann(), &paths[0], Some(100)) {
        assert!(start.elapsed() < Duration::from_secs(60), "writes do not recover");
        thread::sleep(Duration::from_millis(200));
    }
    assert_eq!(count_reserve_files(), 16, "the reserve is complete again");
    faulty.exceed_quota(true);
    faulty.server.kill();
    faulty.server.start();
    check(&faulty.server);
    faulty.server.ann().delete(&format!("{}?expunge=1", paths[2])).expect(204);
    faulty.server.stop();
    assert!(result.complaints.is_empty(), "{:#?}", result.complaints);
}

#[test]
fn an_interrupted_operation_loses_nothing() {
    sweep("eintr");
}

#[test]
fn a_short_write_loses_nothing() {
    sweep("short");
}

#[test]
fn a_delay_of_any_operation_refuses_no_request() {
    // Nearly all of the time is the delay, so eight scenarios run at once.
    let delayed_count = count_faults("delay", 8, |fault, result| {
        assert!(result.has_started, "{fault}: the server does not start");
        assert!(result.refused.is_empty(), "{fault}: {:#?}", result.refused);
    });
    println!("delay: {delayed_count} operations took 2 s longer, once each");
    assert!(delayed_count > 0, "no operation was delayed");
}

#[test]
fn documents_are_read_while_a_write_waits_for_the_disk() {
    let mut faulty = FaultyServer::prepare("slow:1", true);
    faulty.server.start();
    let mut result = ScenarioResult::default();
    let path = result.create(&faulty.server.ann()).unwrap();
    faulty.wait_until_recurring_tasks_have_run();
    faulty.arm();
    thread::scope(|scope| {
        let writer = scope.spawn(|| {
            let record = json!({ "label": "a", "value": 1 });
            faulty.server.ann().post(&format!("{path}/add-record"), record).expect(204);
        });
        while !faulty.has_fired() {
            assert!(!writer.is_finished(), "the write was not delayed");
            thread::sleep(Duration::from_millis(5));
        }
        faulty.server.ann().get(&path).expect(200);
        faulty.server.ann().get(&format!("{path}.svg")).expect(200);
        assert!(!writer.is_finished(), "reads waited for the write");
    });
    assert_eq!(faulty.server.stop(), Some(0));
}

#[test]
fn check_of_the_data_detects_lost_records() {
    let mut faulty = FaultyServer::prepare("eio:1000000", false);
    let result = run_scenario(&mut faulty);
    assert!(result.complaints.is_empty() && !result.has_fired, "{:#?}", result.complaints);
    let dir = faulty.server.data_dir();
    assert_eq!(check_data(dir, &result.acknowledged), Vec::<String>::new());
    let database = Connection::open(dir.join("chartroom.db")).unwrap();
    let document = result.acknowledged.iter().find(|(_, count)| **count > 0).unwrap().0;
    let forget = "update document set record_count = record_count - 1 where id = ?1";
    database.execute(forget, [document]).unwrap();
    drop(database);
    let complaints = check_data(dir, &result.acknowledged);
    assert!(complaints.iter().any(|text| text.contains("records")), "{complaints:?}");
}

#[test]
fn after_a_failed_flush_nothing_is_acknowledged_until_a_restart() {
    let mut faulty = FaultyServer::prepare("sync:1", true);
    faulty.server.start();
    let created = faulty.server.ann().post("/api/v1/create-document", json!({ "widget": "bar" }));
    let id = created.expect(200).json()["id"].as_str().unwrap().to_owned();
    let ann = faulty.server.ann();
    let path = format!("/api/v1/users/{}/documents/{id}", ann.id);
    let record = json!({ "label": "a", "value": 1 });
    ann.post(&format!("{path}/add-record"), record.clone()).expect(204);
    let acknowledged = ann.get(&path).json()["data"].as_array().unwrap().len();
    faulty.server.wait_until_ready();
    faulty.arm();
    let refused = ann.post(&format!("{path}/add-record"), record.clone()).expect(503);
    assert_eq!(refused.json()["code"], "storage_failed");
    assert!(faulty.has_fired());
    // The shim lets only one flush fail, so these would succeed if the server tried them.
    for _ in 0..5 {
        ann.post(&format!("{path}/add-record"), record.clone()).expect(503);
        ann.delete(&path).expect(503);
    }
    let credentials = json!({ "email": "ann@example.org", "password": PASSWORD });
    faulty.server.guest().post("/api/v1/session", credentials).expect(503);
    faulty.server.guest().get("/readyz").expect(503);
    faulty.server.guest().get("/livez").expect(200);
    assert_eq!(ann.get(&path).expect(200).json()["data"].as_array().unwrap().len(), acknowledged);
    assert_eq!(faulty.server.stop(), Some(1), "the stop reports the failure");
    faulty.server.set_launch(Launch::default());
    faulty.server.start();
    let ann = faulty.server.ann();
    // The write that the failed flush interrupted may be on the disk.
    let stored = ann.get(&path).expect(200).json()["data"].as_array().unwrap().len();
    assert!((acknowledged..=acknowledged + 1).contains(&stored), "{acknowledged}, {stored}");
    ann.post(&format!("{path}/add-record"), record).expect(204);
    faulty.server.wait_until_ready();
    assert_eq!(faulty.server.stop(), Some(0));
    let acknowledged = BTreeMap::from([(id, i64::try_from(stored).unwrap() + 1)]);
    assert_eq!(check_data(faulty.server.data_dir(), &acknowledged), Vec::<String>::new());
}

#[test]
fn after_another_failed_operation_writes_are_acknowledged() {
    // The control of the test above: a failed write is no failed flush.
    let mut faulty = FaultyServer::prepare("enospc:1", true);
    faulty.server.start();
    let ann = faulty.server.ann();
    faulty.arm();
    let statuses: Vec<u16> = (0..5)
        .map(|_| ann.post("/api/v1/create-document", json!({ "widget": "bar" })).status)
        .collect();
    assert!(faulty.has_fired());
    assert!(statuses.iter().filter(|status| **status == 200).count() >= 4, "{statuses:?}");
    faulty.server.wait_until_ready();
    assert_eq!(faulty.server.stop(), Some(0));
}
