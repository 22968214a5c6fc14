//! The actor, the address and the user agent of events.

use std::collections::HashMap;
use std::process::Command;
use std::thread;

use chartroom::features::orgs::Role;
use chartroom::features::orgs::Seats;
use chartroom_platform::config::Config;
use serde_json::Value;
use serde_json::json;

use super::AuditFixture;
use super::USER_AGENT;
use super::text;
use crate::idempotency::wait_until;
use crate::orgs::add_member;
use crate::orgs::create_org;
use crate::server_process::ServerProcess;
use crate::test_server::TestServer;

#[test]
fn concurrent_writes_keep_their_actors() {
    const WRITES_PER_USER: usize = 40;
    let fixture = AuditFixture::new();
    let server = &fixture.fixture.server;
    let names = ["Ann", "Ben", "Cid", "Bea"];
    // Many threads write at once, so that the writer thread runs the writes of several requests.
    thread::scope(|scope| {
        for name in names {
            let token = fixture.fixture.authorization(name);
            for thread_number in 0..4 {
                scope.spawn(move || {
                    for number in 0..WRITES_PER_USER / 4 {
                        let path =
                            format!("/api/v1/users/acme/folders/{name}-{thread_number}-{number}");
                        assert_eq!(server.request(token, "PUT", &path, "{}").status, 200);
                    }
                });
            }
        }
    });
    let mut counts = HashMap::new();
    for offset in [0, 100] {
        for event in
            fixture.read_log("acme", &format!("?action=folder.create&limit=100&offset={offset}"))
        {
            let (folder, actor) = (text(&event, "/target/name"), text(&event, "/actor/name"));
            assert_eq!(folder.split('-').next(), Some(actor), "{event}");
            assert_eq!(text(&event, "/actor/id"), fixture.fixture.user_id(actor));
            *counts.entry(actor.to_owned()).or_insert(0) += 1;
        }
    }
    assert_eq!(counts, names.map(|name| (name.to_owned(), WRITES_PER_USER)).into());
}

#[test]
fn guest_with_a_link_has_no_account() {
    let fixture = AuditFixture::new();
    let (path, id) = fixture.create_document("Ann", "/");
    let body = json!({ "owner": "acme", "document": id, "mode": "w" });
    let link = fixture.request("Ann", "POST", "/share", &body).json();
    let token = text(&link, "/link").rsplit('/').next().unwrap().to_owned();
    fixture.take_events();
    let path = format!("{path}?share={token}");
    let renamed = fixture.request("", "PATCH", &path, &json!({ "title": "By a guest" }));
    assert_eq!(renamed.status, 200, "{}", renamed.text);
    let events = fixture.take_events();
    assert_eq!(events.len(), 1);
    assert_eq!(events[0]["action"], "document.rename");
    assert_eq!(events[0]["actor"], json!({ "id": "", "name": "", "email": "", "type": "guest" }));
    assert_eq!(
        (text(&events[0], "/ip_address"), text(&events[0], "/user_agent")),
        ("127.0.0.1", USER_AGENT)
    );
    // The signed-in user is the actor, also with a link.
    assert_eq!(fixture.request("Ben", "PATCH", &path, &json!({ "title": "By Ben" })).status, 200);
    assert_eq!(fixture.take_events()[0]["actor"]["name"], "Ben");
}

#[test]
fn address_is_that_of_the_client_behind_a_trusted_proxy() {
    let read_address = |trusted: &[&str]| {
        let trusted_proxies = trusted.iter().map(|network| network.parse().unwrap()).collect();
        let server = TestServer::with_config(Config { trusted_proxies, ..Config::default() });
        let org = create_org(&server, "acme", Seats::Unlimited);
        let ann = server.create_user("Ann");
        add_member(&server, &org, &ann.id, Role::Admin).unwrap();
        let token = server.create_bearer_token(&ann.id);
        let headers = [
            ("authorization", token.as_str()),
            ("content-type", "application/json"),
            ("x-forwarded-for", "198.51.100.1, 203.0.113.7"),
        ];
        let response = server.send("PATCH", "/api/v1/orgs/acme", &headers, r#"{ "name": "New" }"#);
        assert_eq!(response.status, 204, "{}", response.text);
        let sql = "select ip_address from audit_event where action = 'org.change'";
        server.app.db.read(|tx| tx.one(sql, [], |row| row.get::<_, String>(0))).unwrap()
    };
    assert_eq!(read_address(&["127.0.0.0/8"]), "203.0.113.7");
    assert_eq!(read_address(&[]), "127.0.0.1", "a client cannot forge its address");
}

#[test]
fn commands_are_recorded_as_the_operator() {
    let server = ServerProcess::new();
    let create =
        ["org", "create", "--name", "Acme", "--slug", "acme", "--plan", "team", "--seats", "5"];
    server.run_json(&create);
    let (ann, ben) = (server.ann(), server.ben());
    for arguments in [
        &["org", "member", "add", "acme", &ann.id, "--role", "admin"][..],
        &["org", "member", "add", "acme", &ben.id],
        &["org", "member", "add", "acme", &ben.id],
        &["org", "member", "add", "acme", &ben.id, "--role", "brand_manager"],
        &["org", "member", "remove", "acme", &ben.id],
        &["org", "plan", "acme", "--plan", "enterprise", "--seats", "unlimited"],
        &["org", "plan", "acme", "--plan", "enterprise"],
        &["org", "suspend", "acme"],
        &["org", "suspend", "acme"],
        &["org", "resume", "acme"],
    ] {
        server.run_json(arguments);
    }
    let log = server.run_json(&["org", "audit", "acme"]);
    let facts: Vec<(&str, &str)> = log["events"]
        .as_array()
        .unwrap()
        .iter()
        .rev()
        .map(|event| (text(event, "/action"), text(event, "/target/name")))
        .collect();
    let expected = [
        ("org.create", "Acme"),
        ("member.add", "Ann"),
        ("member.add", "Ben"),
        ("member.change", "Ben"),
        ("member.remove", "Ben"),
        ("subscription.change", "Acme"),
        ("org.suspend", "Acme"),
        ("org.resume", "Acme"),
    ];
    assert_eq!(facts, expected);
    let events = log["events"].as_array().unwrap();
    assert!(events.iter().all(|event| event["actor"]["type"] == "operator"));
    let plan = events.iter().find(|event| event["action"] == "subscription.change").unwrap();
    let details = json!({
        "plan": { "from": "team", "to": "enterprise" },
        "seats": { "from": 5, "to": null },
    });
    assert_eq!(plan["details"], details);
    assert_eq!((text(plan, "/ip_address"), text(plan, "/actor/id")), ("", ""));
}

#[test]
fn command_line_shows_the_same_events_as_the_api() {
    let server = ServerProcess::new();
    let create = ["org", "create", "--name", "Acme", "--slug", "acme"];
    server.run_json(&[&create[..], &["--plan", "enterprise", "--seats", "5"]].concat());
    let ann = server.ann();
    server.run_json(&["org", "member", "add", "acme", &ann.id, "--role", "admin"]);
    server.run_json(&["org", "suspend", "acme"]);
    server.run_json(&["org", "resume", "acme"]);
    ann.put("/api/v1/users/acme/folders/Plans", json!({})).expect(200);
    let log = server.run_json(&["org", "audit", "acme"]);
    assert_eq!(log["events"].as_array().unwrap().len(), 5);
    let response = ann.get("/api/v1/orgs/acme/audit-log").expect(200).json();
    assert_eq!(response["events"], log["events"]);
    let filtered = |more: &[&str]| -> Vec<String> {
        let arguments = [&["org", "audit", "acme"][..], more].concat();
        let log = server.run_json(&arguments);
        let events = log["events"].as_array().unwrap().iter();
        events.map(|event| text(event, "/action").to_owned()).collect()
    };
    assert_eq!(filtered(&["--action", "org.suspend"]), ["org.suspend"]);
    assert_eq!(filtered(&["--user", &ann.id]), ["folder.create"]);
    assert_eq!(filtered(&["--limit", "1", "--offset", "1"]), ["org.resume"]);
    assert_eq!(filtered(&["--q", "plans"]), ["folder.create"]);
    assert_eq!(filtered(&["--to", "2020-01-01"]), Vec::<String>::new());
    let mut command = Command::new(env!("CARGO_BIN_EXE_chartroom"));
    command.arg("--data-dir").arg(server.data_dir());
    let output = command.args(["org", "audit", "acme", "--limit", "1"]).output().unwrap();
    let line = String::from_utf8(output.stdout).unwrap();
    assert!(
        line.contains("folder.create") && line.contains("ann@example.org (127.0.0.1)"),
        "{line}"
    );
    assert!(line.ends_with("folder \"Plans\" {\"folder\":\"/\"}\n"), "{line}");
    let invalid = server.run_command(&["org", "audit", "acme", "--from", "yesterday"]);
    assert!(!invalid.status.success());
}

#[test]
fn background_task_is_recorded_as_the_system() {
    let fixture = AuditFixture::new();
    let (path, _) = fixture.create_document("Ann", "/");
    assert_eq!(fixture.request("Ann", "DELETE", &path, &Value::Null).status, 204);
    fixture.take_events();
    let server = &fixture.fixture.server;
    server.execute_sql("update node set deleted = 1 where deleted is not null");
    let _tasks = chartroom::tasks::start_background_work(&server.app).unwrap();
    wait_until("the trash is purged", || {
        let sql = "select count(*) from node where deleted is not null";
        server.app.db.read(|tx| tx.one(sql, [], |row| row.get::<_, i64>(0))).unwrap() == 0
    });
    let events = fixture.take_events();
    assert_eq!(events.len(), 1, "{events:?}");
    assert_eq!(events[0]["action"], "document.expunge");
    assert_eq!(events[0]["actor"]["type"], "system");
    assert_eq!(events[0]["ip_address"], "");
}
