//! Sign-ins and tokens of accounts that the organization manages.

use serde_json::Value;
use serde_json::json;

use super::AuditFixture;
use super::text;
use crate::server_process::ServerProcess;
use crate::server_process::parse_json_output;
use crate::server_process::run_program;
use crate::test_server::PASSWORD;
use crate::test_server::basic_auth;

/// Returns the action, the type of the actor and the name of the target of each new event.
fn take_facts(fixture: &AuditFixture) -> Vec<[String; 3]> {
    let pointers = ["/action", "/actor/type", "/target/name"];
    let facts = |event: &Value| pointers.map(|pointer| text(event, pointer).to_owned());
    fixture.take_events().iter().map(facts).collect()
}

#[test]
fn sign_ins_and_tokens_of_managed_accounts_are_recorded() {
    let fixture = start_with_managed_ben();
    let server = &fixture.fixture.server;
    let sign_in = |name: &str, password: &str| {
        let body = json!({ "email": format!("{name}@example.org"), "password": password });
        server.sign_in(&body.to_string()).status
    };
    let wrong = "a wrong password";
    assert_eq!((sign_in("ben", wrong), sign_in("ben", PASSWORD)), (401, 200));
    let failed_and_signed_in =
        [["sign_in.failure", "guest", "Ben"], ["sign_in.success", "user", "Ben"]];
    assert_eq!(take_facts(&fixture), failed_and_signed_in);
    // An account that no organization manages, and an unknown one.
    assert_eq!((sign_in("cid", wrong), sign_in("cid", PASSWORD)), (401, 200));
    assert_eq!(sign_in("nobody", wrong), 401);
    assert_eq!(take_facts(&fixture), Vec::<[String; 3]>::new());

    let (created, events) = fixture.change(
        "Ben",
        ("POST", "/user/tokens", json!({ "name": "ci" })),
        &[("token.create", "ci")],
    );
    let token = created.json();
    assert!(!events[0].to_string().contains(text(&token, "/token")));
    let path = format!("/user/tokens/{}", text(&token, "/id"));
    fixture.change("Ben", ("DELETE", &path, Value::Null), &[("token.delete", "ci")]);
    assert_eq!(fixture.request("Ben", "DELETE", &path, &Value::Null).status, 404);
    fixture.change("Cid", ("POST", "/user/tokens", json!({ "name": "ci" })), &[]);

    let (_, events) = fixture.change(
        "Ben",
        ("DELETE", "/user/sessions", Value::Null),
        &[("user.end_sessions", "Ben")],
    );
    assert_eq!(events[0]["details"], json!({ "sessions": 1 }));
    fixture.change("Ben", ("DELETE", "/user/sessions", Value::Null), &[]);

    let body = json!({
        "name": "Benjamin",
        "password": "another password",
        "current_password": PASSWORD,
    });
    assert_eq!(fixture.request("Ben", "PATCH", "/user", &body).status, 200);
    let changes = [["user.change_password", "user", "Ben"], ["user.change", "user", "Benjamin"]];
    assert_eq!(take_facts(&fixture), changes);
    server.execute_sql("update user set disabled = 1 where name = 'Benjamin'");
    assert_eq!(sign_in("ben", "another password"), 401);
    let events = fixture.take_events();
    assert_eq!(events.len(), 1, "{events:?}");
    assert_eq!(events[0]["details"], json!({ "reason": "account disabled" }));
}

/// Starts a server on which the organization manages Ben.
fn start_with_managed_ben() -> AuditFixture {
    let fixture = AuditFixture::new();
    fixture.fixture.server.execute_sql(
        "insert into managed_user (user_id, org_id, created)
         select user.id, org.id, 1 from user, org where user.name = 'Ben'",
    );
    fixture
}

#[test]
fn verified_basic_credentials_of_managed_accounts_have_one_event_per_hour() {
    let fixture = start_with_managed_ben();
    let server = &fixture.fixture.server;
    let sign_in = |name: &str| {
        // Otherwise the credentials count as verified for a minute.
        server.app.verified_credentials.clear();
        let headers = [("authorization", &*basic_auth(name, PASSWORD))];
        assert_eq!(server.send("GET", "/api/v1/user", &headers, "").status, 200);
        fixture.take_events()
    };
    let events = sign_in("ben@example.org");
    assert_eq!(events.len(), 1, "{events:?}");
    assert_eq!(text(&events[0], "/action"), "sign_in.success");
    assert_eq!(events[0]["details"], json!({ "method": "basic" }));
    assert_eq!(text(&events[0], "/actor/name"), "Ben");
    assert_eq!(text(&events[0], "/ip_address"), "127.0.0.1");
    assert_eq!(sign_in("ben@example.org"), Vec::<Value>::new());
    server.execute_sql("update audit_event set created = created - 3600001");
    assert_eq!(sign_in("ben@example.org").len(), 1);
    assert_eq!(sign_in("cid@example.org"), Vec::<Value>::new(), "not managed");
}

#[test]
fn failed_sign_ins_have_one_event_per_minute_and_reason() {
    let fixture = start_with_managed_ben();
    let server = &fixture.fixture.server;
    let fail = || {
        let body = json!({ "email": "ben@example.org", "password": "a wrong password" });
        assert_eq!(server.sign_in(&body.to_string()).status, 401);
    };
    (0..3).for_each(|_| fail());
    assert_eq!(take_facts(&fixture), [["sign_in.failure", "guest", "Ben"]]);
    let body = json!({ "password": "another password", "current_password": "a wrong password" });
    assert_eq!(fixture.request("Ben", "PATCH", "/user", &body).status, 400);
    let events = fixture.take_events();
    assert_eq!(events.len(), 1, "{events:?}");
    assert_eq!(text(&events[0], "/actor/name"), "Ben");
    assert_eq!(events[0]["details"], json!({ "reason": "wrong current password" }));
    server.execute_sql("update audit_event set created = created - 60001");
    fail();
    assert_eq!(take_facts(&fixture), [["sign_in.failure", "guest", "Ben"]]);
}

#[test]
fn accounts_that_the_organization_has_removed_have_only_the_event_of_their_deletion() {
    let mut server = ServerProcess::new();
    let create = ["org", "create", "--name", "Acme", "--slug", "acme"];
    server.run_json(&[&create[..], &["--plan", "enterprise", "--seats", "5"]].concat());
    let ben = server.ben().id.clone();
    server.stop();
    let path = server.data_dir().join("chartroom.db");
    let sql = "insert into managed_user (user_id, org_id, created, removed)
               select ?, org.id, 1, 2 from org";
    rusqlite::Connection::open(path).unwrap().execute(sql, [&ben]).unwrap();
    for arguments in [
        &["user", "edit", &ben, "--name", "Benjamin"][..],
        &["user", "token", &ben, "--name", "ci"],
        &["user", "delete", &ben],
    ] {
        server.run_json(arguments);
    }
    let log = server.run_json(&["org", "audit", "acme"]);
    let events = log["events"].as_array().unwrap();
    let actions: Vec<&str> = events.iter().map(|event| text(event, "/action")).collect();
    assert_eq!(actions, ["user.delete", "org.create"]);
}

#[test]
fn commands_about_members_are_recorded_in_all_their_organizations() {
    let server = ServerProcess::new();
    let ben = server.ben().id.clone();
    let (ann, data_dir) = (server.ann(), server.data_dir());
    for slug in ["acme", "other"] {
        let create = ["org", "create", "--name", slug, "--slug", slug, "--plan", "enterprise"];
        server.run_json(&[&create[..], &["--seats", "5"]].concat());
        server.run_json(&["org", "member", "add", slug, &ann.id, "--role", "admin"]);
        server.run_json(&["org", "member", "add", slug, &ben]);
    }
    let create = json!({ "widget": "bar", "owner": "acme", "folder": "/" });
    let document = ann.post("/api/v1/create-document", create).expect(200).json();
    let share = json!({ "owner": "acme", "document": document["id"], "user_id": ben });
    ann.post("/api/v1/share", share).expect(200);
    server.run_json(&["user", "edit", &ben, "--name", "Benjamin"]);
    server.run_json(&["user", "disable", &ben]);
    server.run_json(&["user", "enable", &ben]);
    let set_password = ["user", "password", &ben, "--password-stdin"];
    parse_json_output(&run_program(data_dir, &[], &set_password, "another password"));
    server.run_json(&["user", "token", &ben, "--name", "ci"]);
    server.run_json(&["user", "delete", &ben]);
    let changes = |slug: &str| -> Vec<Value> {
        let log = server.run_json(&["org", "audit", slug]);
        let events = log["events"].as_array().unwrap().iter().rev();
        let events = events.skip_while(|event| event["action"] != "user.change");
        events.cloned().collect()
    };
    let common = [
        "user.change",
        "user.change",
        "user.change",
        "user.change_password",
        "token.create",
        "user.delete",
        "member.remove",
    ];
    for slug in ["acme", "other"] {
        let events = changes(slug);
        let actions: Vec<&str> = events.iter().map(|event| text(event, "/action")).collect();
        let more = if slug == "acme" { &["member.revoke_access"][..] } else { &[] };
        assert_eq!(actions, [&common[..], more].concat(), "{slug}");
        assert!(events.iter().all(|event| event["actor"]["type"] == "operator"));
    }
    let revoked = json!({ "shares": 1, "nodes": [document["id"]], "casts": 0 });
    assert_eq!(changes("acme").pop().unwrap()["details"], revoked);
}

#[test]
fn commands_about_managed_accounts_are_recorded() {
    let mut server = ServerProcess::new();
    let create = ["org", "create", "--name", "Acme", "--slug", "acme"];
    server.run_json(&[&create[..], &["--plan", "enterprise", "--seats", "5"]].concat());
    let ben = server.ben().id.clone();
    server.stop();
    let path = server.data_dir().join("chartroom.db");
    let sql = "insert into managed_user (user_id, org_id, created)
               select ?, org.id, 1 from org";
    rusqlite::Connection::open(path).unwrap().execute(sql, [&ben]).unwrap();
    for arguments in [
        &["user", "edit", &ben, "--name", "Benjamin"][..],
        &["user", "edit", &ben, "--name", "Benjamin"],
        &["user", "disable", &ben],
        &["user", "enable", &ben],
        &["user", "token", &ben, "--name", "ci"],
        &["user", "delete", &ben],
    ] {
        server.run_json(arguments);
    }
    let log = server.run_json(&["org", "audit", "acme"]);
    let events = log["events"].as_array().unwrap();
    let facts: Vec<(&str, &Value)> =
        events.iter().rev().map(|event| (text(event, "/action"), &event["details"])).collect();
    let change = |field: &str, from: Value, to: Value| json!({ field: { "from": from, "to": to } });
    let expected = [
        ("user.change", &change("name", json!("Ben"), json!("Benjamin"))),
        ("user.change", &change("disabled", json!(false), json!(true))),
        ("user.change", &change("disabled", json!(true), json!(false))),
        ("token.create", &json!({ "user_id": ben, "expires_at": null, "scope": "full" })),
        ("user.delete", &json!({})),
    ];
    assert_eq!(facts[1..], expected);
    assert!(events.iter().all(|event| event["actor"]["type"] == "operator"));
}
