//! Tests of repeated requests: a request with the same `Idempotency-Key` takes effect once.

use std::sync::Barrier;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::SeqCst;
use std::thread;
use std::time::Duration;
use std::time::Instant;

use serde_json::Value;
use serde_json::json;

use crate::server_process;
use crate::teams::OrgFixture;
use crate::test_server::Response;
use crate::test_server::TestServer;

const CREATE_DOCUMENT: &str = "/api/v1/create-document";

/// Sends a POST with an `Idempotency-Key` as a user.
fn post_with_key(
    fixture: &OrgFixture,
    name: &str,
    key: &str,
    path: &str,
    body: &Value,
) -> Response {
    let headers = [
        ("authorization", fixture.authorization(name)),
        ("content-type", "application/json"),
        ("idempotency-key", key),
    ];
    fixture.server.send("POST", path, &headers, &body.to_string())
}

/// Returns the number of rows of a table.
fn count_rows(server: &TestServer, table: &'static str) -> i64 {
    let sql = format!("select count(*) from {table}");
    server.app.db.read(|tx| tx.one(&sql, [], |row| row.get(0))).unwrap()
}

/// Returns the response without its time and request id.
fn stable_parts(response: &Response) -> (u16, Vec<(String, String)>, String) {
    let is_volatile = |name: &str| matches!(name, "date" | "x-request-id");
    let headers = response.headers.iter().filter(|(name, _)| !is_volatile(name)).cloned().collect();
    (response.status, headers, response.body.clone())
}

#[test]
fn repeated_request_takes_effect_once_and_gets_the_same_response() {
    let fixture = OrgFixture::new();
    let body = json!({ "widget": "bar", "folder": "/Sales" });
    let first = post_with_key(&fixture, "Ben", "k-1", CREATE_DOCUMENT, &body);
    assert_eq!(first.status, 200, "{}", first.text);
    assert!(!first.header("etag").is_empty());
    let second = post_with_key(&fixture, "Ben", "k-1", CREATE_DOCUMENT, &body);
    assert_eq!(stable_parts(&second), stable_parts(&first));
    assert_eq!(count_rows(&fixture.server, "document"), 1);
    assert_ne!(post_with_key(&fixture, "Ben", "k-2", CREATE_DOCUMENT, &body).body, first.body);
    assert_ne!(fixture.request("Ben", "POST", CREATE_DOCUMENT, body.clone()).body, first.body);
    assert_eq!(count_rows(&fixture.server, "document"), 3);

    for other in [json!({ "widget": "line", "folder": "/Sales" }), json!({ "widget": "bar" })] {
        let conflict = post_with_key(&fixture, "Ben", "k-1", CREATE_DOCUMENT, &other);
        let expected = "Idempotency-Key: this key was already used for another request";
        assert_eq!((conflict.status, conflict.text.as_str()), (409, expected));
    }
    assert_eq!(
        post_with_key(&fixture, "Ben", "k-1", &format!("{CREATE_DOCUMENT}?a=1"), &body).status,
        409
    );
    assert_eq!(count_rows(&fixture.server, "document"), 3);
}

#[test]
fn repeated_duplicate_of_a_folder_creates_one_copy() {
    let fixture = OrgFixture::new();
    post_with_key(
        &fixture,
        "Ben",
        "k-1",
        CREATE_DOCUMENT,
        &json!({ "widget": "bar", "folder": "/Sales" }),
    );
    let (folder, duplicate) = ("/api/v1/users/me/folders/Sales", json!({ "action": "duplicate" }));
    let first = post_with_key(&fixture, "Ben", "k-2", folder, &duplicate);
    assert_eq!(first.status, 200, "{}", first.text);
    assert_eq!(
        stable_parts(&post_with_key(&fixture, "Ben", "k-2", folder, &duplicate)),
        stable_parts(&first)
    );
    assert_eq!(count_rows(&fixture.server, "document"), 2);
    assert_eq!(
        post_with_key(&fixture, "Ben", "k-2", folder, &json!({ "action": "restore" })).status,
        409
    );
    assert_ne!(post_with_key(&fixture, "Ben", "k-3", folder, &duplicate).body, first.body);
    assert_eq!(count_rows(&fixture.server, "document"), 3);
}

#[test]
fn key_is_scoped_to_caller_and_route() {
    let fixture = OrgFixture::new();
    let body = json!({ "widget": "bar" });
    let bens_document = post_with_key(&fixture, "Ben", "same", CREATE_DOCUMENT, &body).json();
    let cids_document = post_with_key(&fixture, "Cid", "same", CREATE_DOCUMENT, &body).json();
    assert_ne!(bens_document["id"], cids_document["id"]);
    assert_eq!(cids_document["owner"], fixture.user_id("Cid"));
    let document = format!("/api/v1/users/me/documents/{}", bens_document["id"].as_str().unwrap());
    let forked = post_with_key(&fixture, "Ben", "same", &document, &json!({ "action": "fork" }));
    assert_eq!(forked.status, 200, "{}", forked.text);
    // A caller without access gets no stored response of another caller.
    let headers = [("content-type", "application/json"), ("idempotency-key", "same")];
    assert_eq!(
        fixture.server.send("POST", CREATE_DOCUMENT, &headers, &body.to_string()).status,
        401
    );
    assert_eq!(
        post_with_key(&fixture, "Cid", "same", &document, &json!({ "action": "fork" })).status,
        404
    );
}

#[test]
fn every_creating_route_supports_idempotency_keys() {
    let fixture = OrgFixture::new();
    let created =
        fixture.request("Ann", "POST", CREATE_DOCUMENT, json!({ "widget": "bar" })).json();
    let document = format!("/api/v1/users/me/documents/{}", created["id"].as_str().unwrap());
    let add = format!("{document}/add-record");
    let token = format!("{document}/token");
    let rows = [
        (CREATE_DOCUMENT, json!({ "widget": "bar" }), Some("document")),
        (&document, json!({ "action": "fork" }), Some("document")),
        (&document, json!({ "action": "duplicate" }), Some("document")),
        (&document, json!({ "action": "close" }), None),
        (&add, json!({ "label": "Z", "value": 1 }), None),
        (&token, json!({}), Some("download_token")),
        ("/api/v1/orgs/acme/teams", json!({ "name": "Sales" }), Some("team")),
        (
            "/api/v1/orgs/acme/settings/layouts",
            json!({ "name": "A", "width": 90, "height": 90 }),
            None,
        ),
        (
            "/api/v1/share",
            json!({ "owner": fixture.user_id("Ann"), "document": created["id"] }),
            Some("access_entry"),
        ),
        (
            "/api/v1/cast/sessions",
            json!({ "document_id": created["id"], "device_name": "Lobby" }),
            Some("cast_session"),
        ),
        ("/api/v1/cast/pair", json!({}), Some("cast_pairing")),
        ("/api/v1/user/tokens", json!({ "name": "ci" }), Some("api_token")),
        ("/api/v1/widgets/bar/reviews", json!({ "rating": 5 }), Some("review")),
    ];
    for (index, (path, body, table)) in rows.iter().enumerate() {
        assert_happens_once(&fixture, &format!("row-{index}"), path, body, *table);
    }
    let data = fixture.request("Ann", "GET", &document, Value::Null).json()["data"].clone();
    let added = data.as_array().unwrap().iter().filter(|row| row["label"] == "Z").count();
    assert_eq!(added, 1, "the record was appended once");
}

/// Sends a POST twice, then a different one with the same key. Checks that the second response
/// equals the first, that the third is a conflict, and that the named table has one row more.
fn assert_happens_once(
    fixture: &OrgFixture,
    key: &str,
    path: &str,
    body: &Value,
    table: Option<&'static str>,
) {
    let before = table.map(|table| count_rows(&fixture.server, table));
    let first = post_with_key(fixture, "Ann", key, path, body);
    assert!(matches!(first.status, 200 | 204), "{path}: {}", first.text);
    let second = post_with_key(fixture, "Ann", key, path, body);
    assert_eq!(stable_parts(&second), stable_parts(&first), "{path}");
    let mut other = body.clone();
    other["x"] = 1.into();
    assert_eq!(post_with_key(fixture, "Ann", key, path, &other).status, 409, "{path}");
    let after = table.map(|table| count_rows(&fixture.server, table));
    assert_eq!(after, before.map(|rows| rows + 1), "{path}");
}

#[test]
fn repeated_comment_is_stored_once() {
    let fixture = OrgFixture::new();
    let created =
        fixture.request("Ann", "POST", CREATE_DOCUMENT, json!({ "widget": "bar" })).json();
    let path = format!("/api/v1/users/me/documents/{}/comments", created["id"].as_str().unwrap());
    let content = json!([{ "type": "text", "text": "Hello" }]);
    let new_thread = json!({ "position": { "x": 1, "y": 2 }, "content": content });
    assert_happens_once(&fixture, "begin", &path, &new_thread, Some("thread"));
    let threads = fixture.request("Ann", "GET", &path, Value::Null).json()["threads"].clone();
    let thread = format!("{path}/{}", threads[0]["id"].as_str().unwrap());
    assert_happens_once(
        &fixture,
        "response",
        &thread,
        &json!({ "content": content }),
        Some("comment"),
    );
}

#[test]
fn repeated_restore_of_a_version_takes_effect_once() {
    let fixture = OrgFixture::new();
    let created =
        fixture.request("Ann", "POST", CREATE_DOCUMENT, json!({ "widget": "bar" })).json();
    let document = format!("/api/v1/users/me/documents/{}", created["id"].as_str().unwrap());
    let save_title = |title: &str| {
        let body = json!({ "title": title, "final_save": true });
        let saved = fixture.request("Ann", "PUT", &document, body);
        assert_eq!(saved.status, 200, "{}", saved.text);
        saved.header("etag")
    };
    save_title("One");
    let etag = save_title("Two");
    let restore = format!("{document}/history/1/restore");
    assert_happens_once(&fixture, "plain", &restore, &json!({}), Some("version"));
    // The base revision no longer exists at the second request, but the response is the same.
    let restore_if_match = |key: &str, etag: &str| {
        let token = fixture.authorization("Ann");
        let headers = [("authorization", token), ("idempotency-key", key), ("if-match", etag)];
        fixture.server.send("POST", &restore, &headers, "")
    };
    assert_eq!(restore_if_match("guarded", &etag).status, 412);
    let etag = save_title("Three");
    let first = restore_if_match("guarded", &etag);
    assert_eq!(first.status, 200, "{}", first.text);
    save_title("Four");
    assert_eq!(stable_parts(&restore_if_match("guarded", &etag)), stable_parts(&first));
    assert_eq!(fixture.request("Ann", "GET", &document, Value::Null).json()["title"], "Four");
}

#[test]
fn failed_request_can_be_retried_with_the_same_key() {
    let fixture = OrgFixture::new();
    let body = json!({ "widget": "bar", "owner": "acme" });
    fixture.set_suspended(true);
    assert_eq!(post_with_key(&fixture, "Ben", "k", CREATE_DOCUMENT, &body).status, 402);
    assert_eq!(count_rows(&fixture.server, "idempotency"), 0);
    fixture.set_suspended(false);
    assert_eq!(post_with_key(&fixture, "Ben", "k", CREATE_DOCUMENT, &body).status, 200);
    for key in ["", "two words", "k\u{e9}", &"k".repeat(256)] {
        let invalid = post_with_key(&fixture, "Ben", key, CREATE_DOCUMENT, &body);
        assert_eq!(invalid.status, 400, "{key:?}");
        assert!(invalid.text.starts_with("Idempotency-Key: must be a single value of 1 to 255"));
    }
    assert_eq!(count_rows(&fixture.server, "document"), 1);
}

#[test]
fn concurrent_requests_with_one_key_take_effect_once() {
    let fixture = OrgFixture::new();
    let body = json!({ "widget": "bar" });
    for round in 0..8 {
        let barrier = Barrier::new(8);
        let key = format!("round-{round}");
        let responses: Vec<String> = thread::scope(|scope| {
            let threads: Vec<_> = (0..8)
                .map(|_| {
                    scope.spawn(|| {
                        barrier.wait();
                        let response = post_with_key(&fixture, "Ben", &key, CREATE_DOCUMENT, &body);
                        assert_eq!(response.status, 200, "{}", response.text);
                        response.body
                    })
                })
                .collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert!(responses.iter().all(|body| *body == responses[0]), "{responses:?}");
        assert_eq!(count_rows(&fixture.server, "document"), round + 1);
    }
}

#[test]
fn key_expires_after_one_day() {
    let fixture = OrgFixture::new();
    let body = json!({ "widget": "bar" });
    let first = post_with_key(&fixture, "Ben", "k", CREATE_DOCUMENT, &body);
    let age_almost_a_day = "update idempotency set created = created - 86390000";
    fixture.server.execute_sql(age_almost_a_day);
    assert_eq!(post_with_key(&fixture, "Ben", "k", CREATE_DOCUMENT, &body).body, first.body);
    fixture.server.execute_sql("update idempotency set created = created - 10000");
    assert_ne!(post_with_key(&fixture, "Ben", "k", CREATE_DOCUMENT, &body).body, first.body);
    assert_eq!(post_with_key(&fixture, "Ben", "other", CREATE_DOCUMENT, &body).status, 200);

    fixture.server.execute_sql(
        "update idempotency set created = created - 86400000
         where created < (select max(created) from idempotency)",
    );
    let _tasks = chartroom::tasks::start_background_work(&fixture.server.app).unwrap();
    wait_until("the old response is removed", || count_rows(&fixture.server, "idempotency") == 1);
    let repeated = post_with_key(&fixture, "Ben", "other", CREATE_DOCUMENT, &body);
    assert_eq!(repeated.status, 200);
    assert_eq!(count_rows(&fixture.server, "document"), 3, "the newer response was kept");
}

/// Waits up to 20 seconds until a background effect is visible. Panics with the text `event`
/// otherwise.
pub fn wait_until(event: &str, has_happened: impl Fn() -> bool) {
    let started = Instant::now();
    while !has_happened() {
        assert!(started.elapsed() < Duration::from_secs(20), "timed out: {event}");
        thread::yield_now();
    }
}

#[test]
fn secrets_in_stored_responses_are_not_readable() {
    let fixture = OrgFixture::new();
    let created =
        post_with_key(&fixture, "Ann", "k", "/api/v1/user/tokens", &json!({ "name": "ci" }));
    let token = created.json()["token"].as_str().unwrap().to_owned();
    let stored: Vec<u8> = fixture
        .server
        .app
        .db
        .read(|tx| tx.one("select answer from idempotency", [], |row| row.get(0)))
        .unwrap();
    assert!(stored.len() > token.len());
    assert!(!stored.windows(token.len()).any(|window| window == token.as_bytes()));
    assert!(!stored.windows(4).any(|window| window == b"hint"), "the response is readable");
}

#[test]
fn key_creates_one_document_even_if_the_server_is_killed() {
    let mut server = server_process::ServerProcess::new();
    let mut expected_count = 0;
    for round in 0..3 {
        let started = AtomicUsize::new(0);
        let ann = server.ann();
        let key = |index: usize| format!("{round}-{index}");
        let create = |index: usize| {
            ann.with_header("idempotency-key", &key(index))
                .post(CREATE_DOCUMENT, json!({ "widget": "bar" }))
        };
        thread::scope(|scope| {
            let sender = scope.spawn(|| {
                for index in 0.. {
                    started.store(index + 1, SeqCst);
                    create(index).expect(200);
                }
            });
            wait_until("enough requests are sent", || started.load(SeqCst) > 5 + round);
            server.signal("KILL");
            assert!(sender.join().is_err(), "the sender did not notice the end of the program");
        });
        drop(ann);
        server.kill();
        server.start();
        let ann = server.ann();
        // The last request may or may not have taken effect. After a repeat it has taken effect
        // once.
        let started = started.load(SeqCst);
        for index in 0..started {
            let client = ann.with_header("idempotency-key", &key(index));
            client.post(CREATE_DOCUMENT, json!({ "widget": "bar" })).expect(200);
        }
        expected_count += started;
        let list = ann.get(&format!("/api/v1/users/{}/list", ann.id)).expect(200);
        assert_eq!(list.json()["count"], expected_count);
    }
}

#[test]
fn stored_response_is_not_sent_after_the_caller_has_lost_access() {
    let fixture = OrgFixture::new();
    let created = fixture
        .request("Ann", "POST", CREATE_DOCUMENT, json!({ "widget": "bar", "folder": "/Sales" }))
        .json();
    let (ann, id) = (fixture.user_id("Ann"), created["id"].as_str().unwrap());
    let document = format!("/api/v1/users/{ann}/documents/{id}");
    let share = |target: Value| {
        let mut body = json!({ "owner": "me", "mode": "w", "user_id": fixture.user_id("Dan") });
        body.as_object_mut().unwrap().extend(target.as_object().unwrap().clone());
        body
    };
    let folder_share = share(json!({ "folder": "/Sales" }));
    assert_eq!(fixture.request("Ann", "POST", "/api/v1/share", folder_share.clone()).status, 200);
    let mut onward = folder_share.clone();
    (onward["owner"], onward["user_id"]) = (json!(ann), json!(fixture.user_id("Cid")));
    let content = json!([{ "type": "text", "text": "Hello" }]);
    let rows = [
        (document.clone(), json!({ "action": "fork" })),
        (document.clone(), json!({ "action": "close" })),
        (format!("{document}/add-record"), json!({ "label": "Z", "value": 1 })),
        (format!("{document}/token"), json!({})),
        (
            format!("{document}/comments"),
            json!({ "position": { "x": 1, "y": 2 }, "content": content }),
        ),
        (format!("{document}/history/1/restore"), json!({})),
        (format!("/api/v1/users/{ann}/folders/Sales"), json!({ "action": "duplicate" })),
        ("/api/v1/share".to_owned(), onward),
    ];
    let send = |index: usize| {
        let (path, body) = &rows[index];
        post_with_key(&fixture, "Dan", &format!("row-{index}"), path, body)
    };
    for (index, row) in rows.iter().enumerate() {
        let first = send(index);
        assert!(matches!(first.status, 200 | 204), "{}: {}", row.0, first.text);
        assert_eq!(stable_parts(&send(index)), stable_parts(&first), "{}", row.0);
    }
    assert_eq!(fixture.request("Ann", "DELETE", "/api/v1/share", folder_share).status, 204);
    for (index, row) in rows.iter().enumerate() {
        let refused = send(index);
        assert_eq!(refused.status, 404, "{} {}: {}", row.0, row.1, refused.text);
    }
    // The roles in an organization are checked again too.
    let (layouts, layout) =
        ("/api/v1/orgs/acme/settings/layouts", json!({ "name": "A", "width": 90, "height": 90 }));
    assert_eq!(post_with_key(&fixture, "Bea", "k", layouts, &layout).status, 204);
    fixture.server.execute_sql("update member set role = 'member' where role = 'brand_manager'");
    assert_eq!(post_with_key(&fixture, "Bea", "k", layouts, &layout).status, 403);
}
