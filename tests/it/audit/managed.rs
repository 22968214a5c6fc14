//! Sign-ins and tokens of accounts that the organization manages.

use serde_json::Value;
use serde_json::json;

use super::AuditFixture;
use super::text;
use crate::server_process::ServerProcess;
use crate::test_server::PASSWORD;

/// Returns the action, the type of the actor and the name of the target of each new event.
fn take_facts(fixture: &AuditFixture) -> Vec<[String; 3]> {
    let pointers = ["/action", "/actor/type", "/target/name"];
    let facts = |event: &Value| pointers.map(|pointer| text(event, pointer).to_owned());
    fixture.take_events().iter().map(facts).collect()
}

#[test]
fn sign_ins_and_tokens_of_managed_accounts_are_recorded() {
    let fixture = AuditFixture::new();
    let server = &fixture.fixture.server;
    server.execute_sql(
        "insert into managed_user (user_id, org_id, created)
         select user.id, org.id, 1 from user, org where user.name = 'Ben'",
    );
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
        ("token.create", &json!({ "user_id": ben, "expires_at": null })),
        ("user.delete", &json!({})),
    ];
    assert_eq!(facts[1..], expected);
    assert!(events.iter().all(|event| event["actor"]["type"] == "operator"));
}
