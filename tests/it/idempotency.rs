//! Tests of repeated requests: a request with the same `Idempotency-Key` takes effect once.

use std::sync::Barrier;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::SeqCst;
use std::thread;
use std::time::Duration;
use std::time::Instant;

use serde_json::Value;
use serde_json::json;

use crate::talk::Answer;
use crate::talk::Server;
use crate::teams::World;
use crate::world;

const CREATE: &str = "/api/v1/create-document";

/// Sends a POST with a key.
fn post(world: &World, name: &str, key: &str, path: &str, body: &Value) -> Answer {
    let headers = [
        ("authorization", world.token(name)),
        ("content-type", "application/json"),
        ("idempotency-key", key),
    ];
    world.server.send("POST", path, &headers, &body.to_string())
}

/// Returns the number of rows of a table.
fn count(server: &Server, table: &'static str) -> i64 {
    let sql = format!("select count(*) from {table}");
    server.app.db.read(|tx| tx.one(&sql, [], |row| row.get(0))).unwrap()
}

/// Returns the response without its time and request id.
fn face(answer: &Answer) -> (u16, Vec<(String, String)>, String) {
    let own = |name: &str| matches!(name, "date" | "x-request-id");
    let headers = answer.headers.iter().filter(|(name, _)| !own(name)).cloned().collect();
    (answer.status, headers, answer.body.clone())
}

#[test]
fn the_same_request_happens_once_and_is_answered_the_same() {
    let world = World::new();
    let body = json!({ "widget": "bar", "folder": "/Sales" });
    let first = post(&world, "Ben", "k-1", CREATE, &body);
    assert_eq!(first.status, 200, "{}", first.text);
    assert!(!first.header("etag").is_empty());
    let again = post(&world, "Ben", "k-1", CREATE, &body);
    assert_eq!(face(&again), face(&first));
    assert_eq!(count(&world.server, "document"), 1);
    assert_ne!(post(&world, "Ben", "k-2", CREATE, &body).body, first.body);
    assert_ne!(world.anything("Ben", "POST", CREATE, body.clone()).body, first.body);
    assert_eq!(count(&world.server, "document"), 3);

    for other in [json!({ "widget": "line", "folder": "/Sales" }), json!({ "widget": "bar" })] {
        let clash = post(&world, "Ben", "k-1", CREATE, &other);
        let want = "Idempotency-Key: this key was already used for another request";
        assert_eq!((clash.status, clash.text.as_str()), (409, want));
    }
    assert_eq!(post(&world, "Ben", "k-1", &format!("{CREATE}?a=1"), &body).status, 409);
    assert_eq!(count(&world.server, "document"), 3);
}

#[test]
fn a_folder_is_duplicated_once() {
    let world = World::new();
    post(&world, "Ben", "k-1", CREATE, &json!({ "widget": "bar", "folder": "/Sales" }));
    let (folder, twice) = ("/api/v1/users/me/folders/Sales", json!({ "action": "duplicate" }));
    let first = post(&world, "Ben", "k-2", folder, &twice);
    assert_eq!(first.status, 200, "{}", first.text);
    assert_eq!(face(&post(&world, "Ben", "k-2", folder, &twice)), face(&first));
    assert_eq!(count(&world.server, "document"), 2);
    assert_eq!(post(&world, "Ben", "k-2", folder, &json!({ "action": "restore" })).status, 409);
    assert_ne!(post(&world, "Ben", "k-3", folder, &twice).body, first.body);
    assert_eq!(count(&world.server, "document"), 3);
}

#[test]
fn a_key_is_its_senders_own_and_its_routes_own() {
    let world = World::new();
    let body = json!({ "widget": "bar" });
    let bens = post(&world, "Ben", "same", CREATE, &body).json();
    let cids = post(&world, "Cid", "same", CREATE, &body).json();
    assert_ne!(bens["id"], cids["id"]);
    assert_eq!(cids["owner"], world.id("Cid"));
    let one = format!("/api/v1/users/me/documents/{}", bens["id"].as_str().unwrap());
    let forked = post(&world, "Ben", "same", &one, &json!({ "action": "fork" }));
    assert_eq!(forked.status, 200, "{}", forked.text);
    // A caller without access gets no stored response of another caller.
    let headers = [("content-type", "application/json"), ("idempotency-key", "same")];
    assert_eq!(world.server.send("POST", CREATE, &headers, &body.to_string()).status, 401);
    assert_eq!(post(&world, "Cid", "same", &one, &json!({ "action": "fork" })).status, 404);
}

#[test]
fn every_route_that_makes_something_takes_keys() {
    let world = World::new();
    let made = world.anything("Ann", "POST", CREATE, json!({ "widget": "bar" })).json();
    let document = format!("/api/v1/users/me/documents/{}", made["id"].as_str().unwrap());
    let add = format!("{document}/add-record");
    let token = format!("{document}/token");
    let rows = [
        (CREATE, json!({ "widget": "bar" }), Some("document")),
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
            json!({ "owner": world.id("Ann"), "document": made["id"] }),
            Some("access_entry"),
        ),
        (
            "/api/v1/cast/sessions",
            json!({ "document_id": made["id"], "device_name": "Lobby" }),
            Some("cast_session"),
        ),
        ("/api/v1/cast/pair", json!({}), Some("cast_pairing")),
        ("/api/v1/user/tokens", json!({ "name": "ci" }), Some("api_token")),
        ("/api/v1/widgets/bar/reviews", json!({ "rating": 5 }), Some("review")),
    ];
    for (at, (path, body, table)) in rows.iter().enumerate() {
        happens_once(&world, &format!("row-{at}"), path, body, *table);
    }
    let data = world.anything("Ann", "GET", &document, Value::Null).json()["data"].clone();
    let added = data.as_array().unwrap().iter().filter(|it| it["label"] == "Z").count();
    assert_eq!(added, 1, "the record was appended once");
}

/// Sends a POST twice, then another one with the same key. A named table must have one row more.
fn happens_once(world: &World, key: &str, path: &str, body: &Value, table: Option<&'static str>) {
    let before = table.map(|it| count(&world.server, it));
    let first = post(world, "Ann", key, path, body);
    assert!(matches!(first.status, 200 | 204), "{path}: {}", first.text);
    let second = post(world, "Ann", key, path, body);
    assert_eq!(face(&second), face(&first), "{path}");
    let mut other = body.clone();
    other["x"] = 1.into();
    assert_eq!(post(world, "Ann", key, path, &other).status, 409, "{path}");
    let after = table.map(|it| count(&world.server, it));
    assert_eq!(after, before.map(|it| it + 1), "{path}");
}

#[test]
fn a_comment_is_said_once() {
    let world = World::new();
    let made = world.anything("Ann", "POST", CREATE, json!({ "widget": "bar" })).json();
    let path = format!("/api/v1/users/me/documents/{}/comments", made["id"].as_str().unwrap());
    let content = json!([{ "type": "text", "text": "Hello" }]);
    let begin = json!({ "position": { "x": 1, "y": 2 }, "content": content });
    happens_once(&world, "begin", &path, &begin, Some("thread"));
    let threads = world.anything("Ann", "GET", &path, Value::Null).json()["threads"].clone();
    let thread = format!("{path}/{}", threads[0]["id"].as_str().unwrap());
    happens_once(&world, "response", &thread, &json!({ "content": content }), Some("comment"));
}

#[test]
fn an_older_version_is_gone_back_to_once() {
    let world = World::new();
    let made = world.anything("Ann", "POST", CREATE, json!({ "widget": "bar" })).json();
    let document = format!("/api/v1/users/me/documents/{}", made["id"].as_str().unwrap());
    let change = |title: &str| {
        let body = json!({ "title": title, "final_save": true });
        let saved = world.anything("Ann", "PUT", &document, body);
        assert_eq!(saved.status, 200, "{}", saved.text);
        saved.header("etag")
    };
    change("One");
    let etag = change("Two");
    let restore = format!("{document}/history/1/restore");
    happens_once(&world, "plain", &restore, &json!({}), Some("version"));
    // The base revision no longer exists at the second request, but the response is the same.
    let guarded = |key: &str, etag: &str| {
        let token = world.token("Ann");
        let headers = [("authorization", token), ("idempotency-key", key), ("if-match", etag)];
        world.server.send("POST", &restore, &headers, "")
    };
    assert_eq!(guarded("guarded", &etag).status, 412);
    let etag = change("Three");
    let first = guarded("guarded", &etag);
    assert_eq!(first.status, 200, "{}", first.text);
    change("Four");
    assert_eq!(face(&guarded("guarded", &etag)), face(&first));
    assert_eq!(world.anything("Ann", "GET", &document, Value::Null).json()["title"], "Four");
}

#[test]
fn what_failed_may_be_tried_again() {
    let world = World::new();
    let body = json!({ "widget": "bar", "owner": "acme" });
    world.suspend(true);
    assert_eq!(post(&world, "Ben", "k", CREATE, &body).status, 402);
    assert_eq!(count(&world.server, "idempotency"), 0);
    world.suspend(false);
    assert_eq!(post(&world, "Ben", "k", CREATE, &body).status, 200);
    for key in ["", "two words", "k\u{e9}", &"k".repeat(256)] {
        let odd = post(&world, "Ben", key, CREATE, &body);
        assert_eq!(odd.status, 400, "{key:?}");
        assert!(odd.text.starts_with("Idempotency-Key: must be a single value of 1 to 255"));
    }
    assert_eq!(count(&world.server, "document"), 1);
}

#[test]
fn of_many_at_once_one_happens() {
    let world = World::new();
    let body = json!({ "widget": "bar" });
    for round in 0..8 {
        let barrier = Barrier::new(8);
        let key = format!("round-{round}");
        let answers: Vec<String> = thread::scope(|scope| {
            let threads: Vec<_> = (0..8)
                .map(|_| {
                    scope.spawn(|| {
                        barrier.wait();
                        let answer = post(&world, "Ben", &key, CREATE, &body);
                        assert_eq!(answer.status, 200, "{}", answer.text);
                        answer.body
                    })
                })
                .collect();
            threads.into_iter().map(|it| it.join().unwrap()).collect()
        });
        assert!(answers.iter().all(|it| *it == answers[0]), "{answers:?}");
        assert_eq!(count(&world.server, "document"), round + 1);
    }
}

#[test]
fn a_day_later_a_key_is_new_and_its_answer_gone() {
    let world = World::new();
    let body = json!({ "widget": "bar" });
    let first = post(&world, "Ben", "k", CREATE, &body);
    let almost = "update idempotency set created = created - 86390000";
    world.server.sql(almost);
    assert_eq!(post(&world, "Ben", "k", CREATE, &body).body, first.body);
    world.server.sql("update idempotency set created = created - 10000");
    assert_ne!(post(&world, "Ben", "k", CREATE, &body).body, first.body);
    assert_eq!(post(&world, "Ben", "other", CREATE, &body).status, 200);

    world.server.sql(
        "update idempotency set created = created - 86400000
         where created < (select max(created) from idempotency)",
    );
    let _tasks = chartroom::tasks::start_background_work(&world.server.app).unwrap();
    until("the old answer is removed", || count(&world.server, "idempotency") == 1);
    let kept = post(&world, "Ben", "other", CREATE, &body);
    assert_eq!(kept.status, 200);
    assert_eq!(count(&world.server, "document"), 3, "the young one was kept");
}

/// Waits until a background effect is visible.
pub fn until(what: &str, happened: impl Fn() -> bool) {
    let begun = Instant::now();
    while !happened() {
        assert!(begun.elapsed() < Duration::from_secs(20), "never: {what}");
        thread::yield_now();
    }
}

#[test]
fn secrets_in_answers_are_not_readable_in_the_database() {
    let world = World::new();
    let made = post(&world, "Ann", "k", "/api/v1/user/tokens", &json!({ "name": "ci" }));
    let token = made.json()["token"].as_str().unwrap().to_owned();
    let stored: Vec<u8> = world
        .server
        .app
        .db
        .read(|tx| tx.one("select answer from idempotency", [], |row| row.get(0)))
        .unwrap();
    assert!(stored.len() > token.len());
    assert!(!stored.windows(token.len()).any(|it| it == token.as_bytes()));
    assert!(!stored.windows(4).any(|it| it == b"hint"), "nothing of it can be read");
}

#[test]
fn however_the_program_ends_a_key_makes_one_document() {
    let mut world = world::World::new();
    let mut sent = 0;
    for round in 0..3 {
        let started = AtomicUsize::new(0);
        let ann = world.ann();
        let key = |at: usize| format!("{round}-{at}");
        let ask = |at: usize| {
            ann.with("idempotency-key", &key(at)).post(CREATE, json!({ "widget": "bar" }))
        };
        thread::scope(|scope| {
            let sender = scope.spawn(|| {
                for at in 0.. {
                    started.store(at + 1, SeqCst);
                    ask(at).expect(200);
                }
            });
            until("so many were sent", || started.load(SeqCst) > 5 + round);
            world.signal("KILL");
            assert!(sender.join().is_err(), "the sender saw the program end");
        });
        drop(ann);
        world.kill();
        world.start();
        let ann = world.ann();
        // The last request may or may not have taken effect. After a repeat it has taken effect
        // once.
        let started = started.load(SeqCst);
        for at in 0..started {
            let headed = ann.with("idempotency-key", &key(at));
            headed.post(CREATE, json!({ "widget": "bar" })).expect(200);
        }
        sent += started;
        let list = ann.get(&format!("/api/v1/users/{}/list", ann.id)).expect(200);
        assert_eq!(list.json()["count"], sent);
    }
}
