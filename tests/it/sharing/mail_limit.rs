//! Tests of the mail limit while other writes fail, which makes writes run twice.

use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;

use chartroom_platform::config::Config;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Error;
use serde_json::json;

use crate::test_server::TestServer;

/// Number of mails that the test sends, which is also the limit.
const MAILS: u32 = 40;
/// Number of threads with failing writes.
const FAILING_WRITERS: usize = 8;

#[test]
fn a_write_that_runs_twice_counts_its_mails_once() {
    let server = TestServer::with_config(Config {
        smtp_host: "127.0.0.1".to_owned(),
        mail_burst: MAILS,
        mail_every: Duration::from_secs(3600),
        ..Config::default()
    });
    let (ann, ben) = (server.create_user("Ann"), server.create_user("Ben"));
    let token = server.create_bearer_token(&ann.id);
    let post = |path: &str, body: serde_json::Value| {
        server.request(&token, "POST", &format!("/api/v1{path}"), &body.to_string())
    };
    let created = post("/create-document", json!({ "widget": "bar" })).json();
    let document = json!({ "owner": ann.id, "document": created["id"] });
    let mut share = document.clone();
    share["user_id"] = json!(ben.id);
    assert_eq!(post("/share", share).status, 200);
    let comments =
        format!("/users/{}/documents/{}/comments", ann.id, created["id"].as_str().unwrap());
    let mention = json!({ "type": "user", "id": ben.id.as_str().parse::<u64>().unwrap() });
    let comment = json!({ "position": { "x": 0.5, "y": 0.5 }, "content": [mention] });
    let invite = |number: u32| {
        let mut body = document.clone();
        body["email"] = json!(format!("guest-{number}@example.org"));
        post("/share", body)
    };
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        for _ in 0..FAILING_WRITERS {
            scope.spawn(|| {
                while !stop.load(Ordering::SeqCst) {
                    let fail = |tx: &WriteTx<'_>| {
                        tx.execute("delete from meta where key = 'none'", [])?;
                        Err::<(), _>(Error::Busy)
                    };
                    server.app.db.write(fail).unwrap_err();
                }
            });
        }
        let statuses: Vec<u16> = (0..MAILS)
            .map(|number| match number % 2 {
                0 => invite(number).status,
                _ => post(&comments, comment.clone()).status,
            })
            .collect();
        stop.store(true, Ordering::SeqCst);
        assert_eq!(statuses, [200; MAILS as usize]);
    });
    let refused = invite(MAILS);
    assert_eq!(refused.status, 429, "{}", refused.text);
}
