//! Tests of the removal of a second factor by others, and of the audit events.

use serde_json::Value;
use serde_json::json;

use super::PATH;
use super::set_up;
use crate::accounts::totp_app::TotpApp;
use crate::server_process::PASSWORD as PROCESS_PASSWORD;
use crate::server_process::ServerProcess;
use crate::teams::OrgFixture;
use crate::test_server::PASSWORD;

/// Starts a server on which the organization manages Ben, who has a second factor.
fn start_with_managed_ben() -> (OrgFixture, TotpApp, Vec<String>) {
    let fixture = OrgFixture::new();
    fixture.server.execute_sql(
        "insert into managed_user (user_id, org_id, created)
         select user.id, org.id, 1 from user, org where user.name = 'Ben'",
    );
    fixture.server.execute_sql("update org set plan = 'enterprise'");
    let token = fixture.authorization("Ben").to_owned();
    let (app, codes) = set_up(&fixture.server, &[("authorization", &token)]);
    fixture.server.execute_sql("update second_factor set last_step = 0");
    (fixture, app, codes)
}

/// Returns the path of the second factor of a user below the organization.
fn reset_path(fixture: &OrgFixture, name: &str) -> String {
    format!("/users/{}/second-factor", fixture.user_id(name))
}

#[test]
fn admin_removes_the_second_factor_of_a_managed_account() {
    let (fixture, _, _) = start_with_managed_ben();
    let reset = |caller: &str, name: &str| {
        fixture.request_org(caller, "DELETE", &reset_path(&fixture, name), Value::Null).status
    };
    let user = format!("/users/{}", fixture.user_id("Ben"));
    let read = || fixture.request_org("Ann", "GET", &user, Value::Null).json();
    assert_eq!(read()["second_factor"], true);
    assert_eq!((reset("Cid", "Ben"), reset("Bea", "Ben"), reset("Dan", "Ben")), (403, 403, 404));
    let token = fixture.authorization("Cid").to_owned();
    set_up(&fixture.server, &[("authorization", &token)]);
    assert_eq!(reset("Ann", "Cid"), 404, "the organization does not manage the account");
    assert_eq!(read()["second_factor"], true);
    assert_eq!(reset("Ann", "Ben"), 204);
    assert_eq!(read()["second_factor"], false);
    assert_eq!(reset("Ann", "Ben"), 204, "a repetition has no effect");
    let body = json!({ "email": "ben", "password": PASSWORD }).to_string();
    assert_eq!(fixture.server.sign_in(&body).status, 200);
}

#[test]
fn admin_cannot_remove_the_second_factor_of_an_operator() {
    let (fixture, _, _) = start_with_managed_ben();
    fixture.server.execute_sql("update user set operator = 1 where name = 'Ben'");
    let path = reset_path(&fixture, "Ben");
    assert_eq!(fixture.request_org("Ann", "DELETE", &path, Value::Null).status, 409);
    assert_eq!(fixture.request("Ben", "GET", PATH, Value::Null).json()["enabled"], true);
}

#[test]
fn changes_and_failures_are_recorded() {
    let (fixture, app, codes) = start_with_managed_ben();
    let sign_in = |code: &str| {
        let body = json!({ "email": "ben", "password": PASSWORD, "code": code }).to_string();
        fixture.server.sign_in(&body).status
    };
    assert_eq!(sign_in(&app.wrong_code()), 401);
    assert_eq!(sign_in(&codes[0]), 200);
    let body = |code: &str| json!({ "current_password": PASSWORD, "code": code });
    let renew = "/api/v1/user/second-factor/recovery-codes";
    assert_eq!(fixture.request("Ben", "POST", renew, body(&app.code(0))).status, 200);
    assert_eq!(fixture.request("Ben", "DELETE", PATH, body(&app.code(1))).status, 204);
    let token = fixture.authorization("Ben").to_owned();
    set_up(&fixture.server, &[("authorization", &token)]);
    let path = reset_path(&fixture, "Ben");
    assert_eq!(fixture.request_org("Ann", "DELETE", &path, Value::Null).status, 204);

    let log = fixture.request_org("Ann", "GET", "/audit-log?limit=100", Value::Null).json();
    let events = log["events"].as_array().unwrap().iter().rev();
    let facts = |event: &Value| {
        let fact = |pointer: &str| event.pointer(pointer).unwrap().as_str().unwrap().to_owned();
        [fact("/action"), fact("/actor/type"), fact("/actor/name"), fact("/target/name")]
    };
    let found: Vec<[String; 4]> =
        events.clone().map(facts).filter(|facts| facts[3] == "Ben").collect();
    let expected = [
        ["user.enable_second_factor", "user", "Ben", "Ben"],
        ["sign_in.failure", "guest", "", "Ben"],
        ["user.use_recovery_code", "user", "Ben", "Ben"],
        ["sign_in.success", "user", "Ben", "Ben"],
        ["user.renew_recovery_codes", "user", "Ben", "Ben"],
        ["user.disable_second_factor", "user", "Ben", "Ben"],
        ["user.enable_second_factor", "user", "Ben", "Ben"],
        ["user.reset_second_factor", "user", "Ann", "Ben"],
    ];
    let found: Vec<_> = found.into_iter().filter(|facts| facts[0] != "member.add").collect();
    assert_eq!(found, expected);
    let details: Vec<&Value> = events
        .filter(|event| event["action"] == "sign_in.failure")
        .map(|event| &event["details"])
        .collect();
    assert_eq!(details, [&json!({ "reason": "wrong code" })]);
    assert!(!log.to_string().contains(&codes[0]), "{log}");
}

#[test]
fn command_removes_the_second_factor_with_and_without_a_server() {
    let mut server = ServerProcess::new();
    let set_up = |server: &ServerProcess| {
        let body = json!({ "current_password": PROCESS_PASSWORD });
        let created = server.ann().post(PATH, body).expect(200).json();
        let app = TotpApp::new(created["secret"].as_str().unwrap());
        let body = json!({ "code": app.code(0) });
        server.ann().post(&format!("{PATH}/confirm"), body).expect(200);
        created["secret"].as_str().unwrap().to_owned()
    };
    let sign_in = |server: &ServerProcess| {
        let body = json!({ "email": "ann", "password": PROCESS_PASSWORD });
        server.guest().post("/api/v1/session", body).status
    };
    let command = ["user", "second-factor", "ann", "--off"];
    let secret = set_up(&server);
    assert_eq!(sign_in(&server), 401);
    assert_eq!(server.run_json(&command)["removed"], true);
    assert_eq!(sign_in(&server), 200);
    assert_eq!(server.run_json(&command)["removed"], false);
    set_up(&server);
    assert_eq!(sign_in(&server), 401);
    server.stop();
    assert_eq!(server.run_json(&command)["removed"], true);
    server.start();
    assert_eq!(sign_in(&server), 200);
    assert_eq!(server.run_command(&["user", "second-factor", "ann"]).status.code(), Some(2));
    server.stop();
    assert!(!server.log().contains(&secret), "the secret is in the log");
}
