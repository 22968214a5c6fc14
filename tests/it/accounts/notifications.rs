//! Tests of the choice of mails about actions of other people.

use std::process::ChildStdout;
use std::time::Duration;
use std::time::Instant;

use serde_json::Value;
use serde_json::json;

use crate::cli::external_servers;
use crate::server_process::ServerProcess;
use crate::test_server::TestServer;

const PATH: &str = "/api/v1/user/notifications";

#[test]
fn choices_are_changed_one_by_one() {
    let server = TestServer::new();
    let ann = server.create_bearer_token(&server.create_user("Ann").id);
    let ben = server.create_bearer_token(&server.create_user("Ben").id);
    let patch = |body: Value| server.request(&ann, "PATCH", PATH, &body.to_string());
    let all = json!({ "mentions": true, "shares": true });
    assert_eq!(patch(json!({})).json(), all);
    let choices = patch(json!({ "mentions": false }));
    assert_eq!(choices.json(), json!({ "mentions": false, "shares": true }));
    patch(json!({ "mentions": false, "shares": false }));
    let choices = patch(json!({ "mentions": true }));
    assert_eq!(choices.json(), json!({ "mentions": true, "shares": false }));
    assert_eq!(server.request(&ann, "GET", PATH, "").json(), choices.json());
    assert_eq!(server.request(&ben, "GET", PATH, "").json(), all, "another user");
    let unknown = patch(json!({ "mention": false }));
    assert_eq!(unknown.status, 400, "{}", unknown.text);
    assert_eq!(patch(json!({ "shares": "no" })).status, 400);
}

/// Starts a server that sends mail to a port.
fn start_with_mail_port(port: u16) -> ServerProcess {
    ServerProcess::with_settings(&[
        ("smtp_host", "127.0.0.1"),
        ("smtp_port", &port.to_string()),
        ("smtp_tls", "none"),
    ])
}

/// Creates a document of Ann. Returns its path and the fields that name it in a body for `/share`.
fn create_document(server: &ServerProcess) -> (String, Value) {
    let ann = server.ann();
    let created = ann.post("/api/v1/create-document", json!({ "widget": "bar" })).expect(200);
    let id = created.json()["id"].clone();
    let path = format!("/api/v1/users/{}/documents/{}", ann.id, id.as_str().unwrap());
    (path, json!({ "owner": ann.id, "document": id }))
}

/// Shares the document of Ann with a user by address, which sends a mail.
fn share(server: &ServerProcess, document: &Value, email: &str) {
    let mut body = document.clone();
    body["email"] = email.into();
    server.ann().post("/api/v1/share", body).expect(200);
}

#[test]
fn mail_that_waits_is_dropped_when_it_is_switched_off() {
    // No mail server listens, so that the mails wait.
    let server = start_with_mail_port(external_servers::free_port());
    let (_, document) = create_document(&server);
    let recipients = || {
        let mails = server.run_json(&["mail", "list"])["mails"].clone();
        let mails = mails.as_array().unwrap().clone();
        mails.iter().map(|mail| mail["to"].clone()).collect::<Vec<Value>>()
    };
    server.ben().patch(PATH, json!({ "shares": false })).expect(200);
    share(&server, &document, "ben@example.org");
    share(&server, &document, "cid@example.org");
    let started = Instant::now();
    while recipients() != [json!("cid@example.org")] {
        assert!(started.elapsed() < Duration::from_secs(30), "{:?}", recipients());
        std::thread::sleep(Duration::from_millis(50));
    }
    server.cid().patch(PATH, json!({ "shares": false })).expect(200);
    assert_eq!(recipients(), [Value::Null], "the waiting mail is not needed any more");
}

#[test]
#[ignore = "needs aiosmtpd"]
fn only_people_who_want_it_get_a_mail() {
    let (_mail, mut output, port) = external_servers::start_mail_server(None);
    let server = start_with_mail_port(port);
    let (path, document) = create_document(&server);
    let next_recipient = |output: &mut std::io::BufReader<ChildStdout>| {
        let mail = external_servers::read_next_mail(output);
        mail.iter().find_map(|line| line.strip_prefix("To: ")).unwrap().to_owned()
    };
    for client in [server.ben(), server.cid()] {
        let mut body = document.clone();
        body["user_id"] = client.id.as_str().into();
        server.ann().post("/api/v1/share", body).expect(200);
    }
    let mention = |people: &[&str]| {
        let person = |id: &&str| json!({ "type": "user", "id": id.parse::<u64>().unwrap() });
        let content: Vec<Value> = people.iter().map(person).collect();
        let body = json!({ "position": { "x": 1, "y": 1 }, "content": content });
        server.ann().post(&format!("{path}/comments"), body).expect(200);
    };
    let (ben, cid) = (server.ben().id, server.cid().id);
    server.ben().patch(PATH, json!({ "mentions": false })).expect(200);
    mention(&[&ben]);
    mention(&[&cid]);
    assert_eq!(next_recipient(&mut output), "cid@example.org");
    server.ben().patch(PATH, json!({ "mentions": true })).expect(200);
    mention(&[&ben]);
    assert_eq!(next_recipient(&mut output), "ben@example.org");
}
