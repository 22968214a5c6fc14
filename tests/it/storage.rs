//! Tests of the storage limits of accounts, and of the minimum of free space on the disk.

use serde_json::Value;
use serde_json::json;

use crate::client::Client;
use crate::server_process::PASSWORD;
use crate::server_process::ServerProcess;

/// Returns the path of a new document of the caller.
fn create_document(client: &Client<'_>) -> String {
    let created = client.post("/api/v1/create-document", json!({ "widget": "bar" })).expect(200);
    format!("/api/v1/users/{}/documents/{}", client.id, created.json()["id"].as_str().unwrap())
}

/// Returns records with about `bytes` bytes of JSON.
fn records_of_size(bytes: usize) -> Value {
    let record = json!({ "label": "x".repeat(1000), "value": 1 });
    Value::Array(vec![record; bytes / 1024])
}

/// Returns the used bytes that the caller sees for their own account.
fn used_bytes(client: &Client<'_>) -> i64 {
    client.get("/api/v1/user").expect(200).json()["storage_used_bytes"].as_i64().unwrap()
}

/// Panics if `doctor` finds a problem.
#[track_caller]
fn check_with_doctor(server: &ServerProcess) {
    let checks = server.run_json(&["doctor"]);
    assert_eq!(checks["ok"], true, "{checks}");
}

#[test]
fn usage_follows_every_change_of_documents_and_their_removal() {
    let server = ServerProcess::new();
    let ann = server.ann();
    assert_eq!(used_bytes(&ann), 0);
    let path = create_document(&ann);
    let small = used_bytes(&ann);
    assert!((1500..20_000).contains(&small), "{small}");
    ann.put(&format!("{path}/data"), records_of_size(300_000)).expect(200);
    let large = used_bytes(&ann);
    assert!((290_000..330_000).contains(&(large - small)), "{small} to {large}");
    ann.post(&format!("{path}/add-record"), json!({ "label": "a", "value": 2 })).expect(204);
    assert!(used_bytes(&ann) > large);
    let position = json!({ "x": 1, "y": 2 });
    let content = json!([{ "type": "text", "text": "c".repeat(5000) }]);
    let before_comment = used_bytes(&ann);
    let thread = ann
        .post(&format!("{path}/comments"), json!({ "position": position, "content": content }))
        .expect(200);
    assert!(used_bytes(&ann) > before_comment + 5000);
    let comment = thread.json()["comments"][0]["id"].as_str().unwrap().to_owned();
    let thread = thread.json()["id"].as_str().unwrap().to_owned();
    let shorter = json!({ "content": [{ "type": "text", "text": "c" }] });
    ann.put(&format!("{path}/comments/{thread}/{comment}"), shorter).expect(200);
    assert!(used_bytes(&ann) < before_comment + 1000);

    let before_fork = used_bytes(&ann);
    ann.post(&path, json!({ "action": "fork" })).expect(200);
    assert!(used_bytes(&ann) > before_fork + 290_000);
    check_with_doctor(&server);
    ann.delete(&path).expect(204);
    assert!(used_bytes(&ann) > 590_000, "the trash counts");
    ann.delete(&format!("/api/v1/users/{}/trash", ann.id)).expect(204);
    let rest = used_bytes(&ann);
    assert!((290_000..350_000).contains(&rest), "{rest}");
    check_with_doctor(&server);
}

#[test]
fn an_account_at_its_limit_can_shrink_but_not_grow() {
    let server = ServerProcess::with_settings(&[("max_user_bytes", "1 MiB")]);
    let ann = server.ann();
    let (first, second) = (create_document(&ann), create_document(&ann));
    ann.put(&format!("{first}/data"), records_of_size(600_000)).expect(200);
    let user = ann.get("/api/v1/user").json();
    assert_eq!(user["storage_limit_bytes"], 1 << 20);
    // Every kind of change that adds data.
    let refused = [
        ann.put(&format!("{second}/data"), records_of_size(600_000)),
        ann.post(&first, json!({ "action": "fork" })),
        ann.post(&first, json!({ "action": "duplicate" })),
        ann.post(
            "/api/v1/create-document",
            json!({ "template": first.rsplit('/').next().unwrap() }),
        ),
    ];
    for response in &refused {
        assert_eq!(response.status, 507, "{response}");
        let problem = response.json();
        assert_eq!(problem["code"], "quota_exceeded", "{response}");
        let detail = problem["detail"].as_str().unwrap();
        assert!(detail.contains("of 1.0 MiB of storage"), "{detail}");
        assert!(detail.starts_with("you use 58"), "{detail}");
    }
    // Another author learns the limit but not the total, which contains hidden documents.
    let document = second.rsplit('/').next().unwrap();
    let entry =
        json!({ "owner": ann.id, "document": document, "email": "ben@example.org", "mode": "w" });
    ann.post("/api/v1/share", entry).expect(200);
    let refused = server.ben().put(&format!("{second}/data"), records_of_size(600_000)).expect(507);
    let detail = refused.json()["detail"].as_str().unwrap().to_owned();
    assert!(detail.starts_with("the owner may use 1.0 MiB of storage, and"), "{detail}");
    assert_eq!(server.ben().get("/api/v1/user").json()["storage_used_bytes"], 0);
    create_document(&server.ben());
    let before = used_bytes(&ann);
    ann.put(&format!("{first}/data"), records_of_size(100_000)).expect(200);
    assert!(used_bytes(&ann) < before);
    ann.delete(&format!("{first}?expunge=1")).expect(204);
    ann.put(&format!("{second}/data"), records_of_size(600_000)).expect(200);
    check_with_doctor(&server);
}

#[test]
fn records_versions_and_comments_count_toward_the_limit() {
    let server = ServerProcess::with_settings(&[("max_user_bytes", "200 KiB")]);
    let ann = server.ann();
    let path = create_document(&ann);
    let record = json!({ "label": "x".repeat(30_000), "value": 1 });
    let content = json!([{ "type": "text", "text": "c".repeat(9_000) }]);
    let thread = json!({ "position": { "x": 1, "y": 2 }, "content": content });
    let statuses: Vec<u16> = (0..10)
        .map(|_| ann.post(&format!("{path}/add-record"), record.clone()).status)
        .chain((0..30).map(|_| ann.post(&format!("{path}/comments"), thread.clone()).status))
        .collect();
    let count = |status: u16| statuses.iter().filter(|other| **other == status).count();
    assert_eq!(count(204), 6, "{statuses:?}");
    assert!((1..4).contains(&count(200)), "{statuses:?}");
    assert_eq!(count(204) + count(200) + count(507), 40, "{statuses:?}");
    assert!(used_bytes(&ann) <= 200 << 10);
    check_with_doctor(&server);
}

#[test]
fn folders_and_transfers_count_for_the_new_owner() {
    let server = ServerProcess::with_settings(&[("max_org_bytes", "300 KiB")]);
    let create = ["org", "create", "--name", "Acme", "--slug", "acme", "--plan", "team"];
    server.run_json(&[&create[..], &["--seats", "3"]].concat());
    server.run_json(&["org", "member", "add", "acme", "ann@example.org", "--role", "admin"]);
    let ann = server.ann();
    let org_bytes = || ann.get("/api/v1/orgs/acme").expect(200).json();
    assert_eq!(org_bytes()["storage_used_bytes"], 0);
    assert_eq!(org_bytes()["storage_limit_bytes"], 300 << 10);
    let folder = json!({ "widget": "bar", "folder": "/a/b" });
    let created = ann.post("/api/v1/create-document", folder).expect(200).json();
    let document =
        format!("/api/v1/users/{}/documents/{}", ann.id, created["id"].as_str().unwrap());
    ann.put(&format!("{document}/data"), records_of_size(200_000)).expect(200);
    let before = used_bytes(&ann);
    let org = org_bytes()["id"].as_str().unwrap().to_owned();
    let path = format!("/api/v1/users/{}/folders/a", ann.id);
    ann.put(&path, json!({ "name": "/a", "owner": org })).expect(200);
    assert_eq!(used_bytes(&ann), 0);
    assert_eq!(org_bytes()["storage_used_bytes"], before);
    check_with_doctor(&server);
    // A second copy does not fit.
    let copy =
        ann.post(&format!("/api/v1/users/{org}/folders/a"), json!({ "action": "duplicate" }));
    assert_eq!(copy.status, 507, "{copy}");
    assert_eq!(org_bytes()["storage_used_bytes"], before);
    check_with_doctor(&server);
}

#[test]
fn doctor_repairs_wrong_sizes() {
    let mut server = ServerProcess::new();
    create_document(&server.ann());
    let right = used_bytes(&server.ann());
    server.kill();
    let database = rusqlite::Connection::open(server.data_dir().join("chartroom.db")).unwrap();
    database
        .execute_batch(
            "update node set stored_bytes = stored_bytes + 1; update storage_usage set bytes = 7",
        )
        .unwrap();
    drop(database);
    let doctor = server.run_command(&["doctor"]);
    let report = String::from_utf8_lossy(&doctor.stdout).into_owned();
    assert!(!doctor.status.success() && report.contains("expected"), "{report}");
    let fixed = server.run_json(&["doctor", "--fix"]);
    assert_eq!(fixed["ok"], true, "{fixed}");
    check_with_doctor(&server);
    server.start();
    assert_eq!(used_bytes(&server.ann()), right);
}

#[test]
fn below_the_minimum_of_free_space_only_writes_that_add_data_fail() {
    let mut server = ServerProcess::new();
    let path = create_document(&server.ann());
    let (trashed, other) = (create_document(&server.ann()), create_document(&server.ann()));
    let token = server.ann().post("/api/v1/user/tokens", json!({ "name": "t" })).expect(200).json();
    assert_eq!(server.stop(), Some(0));
    // No disk has so much free space.
    server.set("min_free", "1000000 GiB");
    server.start();
    let ann = server.ann();
    let record = json!({ "label": "a", "value": 2 });
    for response in [
        ann.post("/api/v1/create-document", json!({ "widget": "bar" })),
        ann.put(&format!("{path}/data"), json!([record])),
        ann.post(&format!("{path}/add-record"), record.clone()),
        ann.post(&path, json!({ "action": "fork" })),
        ann.post("/api/v1/user/tokens", json!({ "name": "t" })),
    ] {
        assert_eq!(response.status, 507, "{response}");
        assert_eq!(response.json()["code"], "disk_full", "{response}");
    }
    server.wait_until_ready();
    for page in [&path, &format!("{path}.svg"), &format!("{path}.png"), "/api/v1/user"] {
        ann.get(page).expect(200);
    }
    let credentials = json!({ "email": "ann@example.org", "password": PASSWORD });
    let session = server.guest().post("/api/v1/session", credentials).expect(200);
    let cookie = session.header("set-cookie").split(';').next().unwrap().to_owned();
    let browser =
        server.guest().with_header("cookie", &cookie).with_header("origin", &server.base_url);
    browser.get("/api/v1/user").expect(200);
    browser.delete("/api/v1/session").expect(204);
    ann.delete(&format!("/api/v1/user/tokens/{}", token["id"].as_str().unwrap())).expect(204);
    ann.delete(&trashed).expect(204);
    ann.delete(&format!("/api/v1/users/{}/trash", ann.id)).expect(204);
    ann.delete(&format!("{other}?expunge=1")).expect(204);
    ann.get(&other).expect(404);
    assert_eq!(server.stop(), Some(0));
    server.set("min_free", "1 KiB");
    server.start();
    server.ann().post(&format!("{path}/add-record"), record).expect(204);
}
