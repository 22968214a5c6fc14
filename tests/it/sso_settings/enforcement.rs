//! Tests of the requirement of single sign-on. Ben is a managed account with a password; Cid is a member
//! with an own account.

use std::io::BufRead;
use std::io::BufReader;
use std::net::TcpStream;
use std::time::Duration;

use chartroom::features::accounts;
use chartroom::tasks;
use serde_json::Value;
use serde_json::json;

use super::events;
use super::provider;
use super::set_provider;
use crate::people::create_managed;
use crate::people::start_with_verified_domain;
use crate::server_process::ServerProcess;
use crate::teams::OrgFixture;
use crate::test_server::PASSWORD;
use crate::test_server::Response;
use crate::test_server::basic_auth;

/// Text of a refused password.
const REFUSED: &str =
    "the organization of this account requires single sign-on, so that passwords do not work";

/// Starts a server with the identity provider, and makes Ben and Ann managed accounts.
fn start() -> OrgFixture {
    let fixture = start_with_verified_domain();
    manage(&fixture);
    set_provider(&fixture, provider());
    fixture
}

/// Makes Ben and Ann managed accounts.
fn manage(fixture: &OrgFixture) {
    fixture.server.execute_sql(
        "insert into managed_user (user_id, org_id, created)
         select user.id, org.id, 1 from user, org where user.name in ('Ann', 'Ben')",
    );
}

/// Signs a user in with the password.
fn sign_in(fixture: &OrgFixture, name: &str) -> Response {
    let email = format!("{}@example.org", name.to_lowercase());
    fixture.server.sign_in(&json!({ "email": email, "password": PASSWORD }).to_string())
}

/// Returns the status of `GET /user` with a session cookie.
fn status_of(fixture: &OrgFixture, cookie: &str) -> u16 {
    fixture.server.send("GET", "/api/v1/user", &[("cookie", cookie)], "").status
}

/// Changes the requirement as Ann.
fn require(fixture: &OrgFixture, is_required: bool) -> Response {
    fixture.request_org("Ann", "PATCH", "/settings", json!({ "enforce_sso": is_required }))
}

#[test]
fn requirement_needs_a_provider_and_a_plan() {
    let fixture = start_with_verified_domain();
    for (method, body) in [
        ("PATCH", json!({ "enforce_sso": true, "disable_public_documents": true })),
        ("PUT", json!({ "enforce_sso": true })),
    ] {
        let refused = fixture.request_org("Ann", method, "/settings", body);
        assert_eq!(refused.status, 400, "{}", refused.text);
        let text = "enforce_sso: needs an identity provider; set up single sign-on first";
        assert_eq!(refused.text, text);
    }
    let stored = fixture.request_org("Ann", "GET", "/settings", Value::Null).json();
    assert_eq!([&stored["enforce_sso"], &stored["disable_public_documents"]], [false, false]);
    set_provider(&fixture, provider());
    fixture.server.execute_sql("update org set plan = 'team'");
    assert_eq!(require(&fixture, true).status, 400);
    fixture.server.execute_sql("update org set plan = 'education'");
    assert_eq!(require(&fixture, true).status, 204);
    // A setting that is on already needs no check.
    fixture.server.execute_sql("delete from sso");
    assert_eq!(require(&fixture, true).status, 204);
}

#[test]
fn passwords_of_managed_accounts_are_refused() {
    let fixture = start();
    assert_eq!(require(&fixture, true).status, 204);
    let refused = sign_in(&fixture, "Ben");
    assert_eq!((refused.status, refused.text.as_str()), (401, REFUSED));
    assert_eq!(refused.header("set-cookie"), "");
    // A wrong password reveals nothing.
    let wrong = json!({ "email": "ben@example.org", "password": "wrong password" }).to_string();
    assert_eq!(fixture.server.sign_in(&wrong).text, "wrong name or password");
    let page = format!("email=ben%40example.org&password={}", PASSWORD.replace(' ', "+"));
    let page = fixture.server.submit_form("/sign-in", &page);
    assert_eq!(page.status, 401);
    assert!(page.body.contains("requires single sign-on"), "{}", page.body);
    let basic = basic_auth("ben", PASSWORD);
    let refused = fixture.server.request(&basic, "GET", "/api/v1/user", "");
    assert_eq!((refused.status, refused.text.as_str()), (401, REFUSED));
    // API tokens work, also as the password of basic credentials.
    assert_eq!(fixture.request("Ben", "GET", "/api/v1/user", Value::Null).status, 200);
    let token = fixture.authorization("Ben").strip_prefix("Bearer ").unwrap();
    let basic = basic_auth("ben", token);
    assert_eq!(fixture.server.request(&basic, "GET", "/api/v1/user", "").status, 200);
    // Members with their own accounts and strangers keep their passwords.
    for name in ["Cid", "Bea", "Dan"] {
        assert_eq!(sign_in(&fixture, name).status, 200, "{name}");
        let basic = basic_auth(&name.to_lowercase(), PASSWORD);
        assert_eq!(fixture.server.request(&basic, "GET", "/api/v1/user", "").status, 200, "{name}");
    }
    let reasons = events(&fixture, "sign_in.failure");
    let is_recorded =
        |reason: &str| reasons.iter().any(|event| event["details"]["reason"] == reason);
    assert!(is_recorded("single sign-on is required"), "{reasons:?}");
    assert_eq!(require(&fixture, false).status, 204);
    assert_eq!(sign_in(&fixture, "Ben").status, 200);
}

#[test]
fn operators_and_unusable_single_sign_on_are_exempt() {
    let fixture = start();
    assert_eq!(require(&fixture, true).status, 204);
    let status = || sign_in(&fixture, "Ben").status;
    assert_eq!(status(), 401);
    fixture.server.execute_sql("update user set operator = 1 where name = 'Ben'");
    assert_eq!(status(), 200, "an operator");
    fixture.server.execute_sql("update user set operator = 0");
    fixture.set_suspended(true);
    assert_eq!(status(), 401, "single sign-on works during a suspension, for reading");
    fixture.set_suspended(false);
    fixture.server.execute_sql("update org set plan = 'team'");
    assert_eq!(status(), 200, "the plan has no single sign-on");
    fixture.server.execute_sql("update org set plan = 'enterprise'");
    assert_eq!(status(), 401);
    fixture.server.execute_sql("update managed_user set removed = 1");
    assert_eq!(status(), 200, "the account is not managed any more");
}

#[test]
fn remembered_basic_credentials_end_at_once() {
    let fixture = start();
    let basic = basic_auth("ben", PASSWORD);
    let status = || fixture.server.request(&basic, "GET", "/api/v1/user", "").status;
    assert_eq!((status(), status()), (200, 200));
    assert_eq!(require(&fixture, true).status, 204);
    assert_eq!(status(), 401);
}

#[test]
fn enabling_ends_password_sessions_except_that_of_the_request() {
    let fixture = start();
    let cookie = |name: &str| sign_in(&fixture, name).cookie();
    let sso = cookie("Ben");
    fixture.server.execute_sql("update session set method = 'sso'");
    let (ann, other_ann, ben, cid) = (cookie("Ann"), cookie("Ann"), cookie("Ben"), cookie("Cid"));
    let headers = [
        ("cookie", ann.as_str()),
        ("sec-fetch-site", "same-origin"),
        ("content-type", "application/json"),
    ];
    let body = json!({ "enforce_sso": true }).to_string();
    let changed = fixture.server.send("PATCH", "/api/v1/orgs/acme/settings", &headers, &body);
    assert_eq!(changed.status, 204, "{}", changed.text);
    assert_eq!(status_of(&fixture, &ann), 200, "the session of the request");
    assert_eq!(status_of(&fixture, &other_ann), 401);
    assert_eq!(status_of(&fixture, &ben), 401);
    assert_eq!(status_of(&fixture, &sso), 200, "a session with single sign-on");
    assert_eq!(status_of(&fixture, &cid), 200, "an own account");
    let change = &events(&fixture, "settings.change")[0];
    let expected = json!({ "enforce_sso": { "from": false, "to": true }, "sessions": 2 });
    assert_eq!(change["details"], expected);
    assert_eq!(fixture.request("Ben", "GET", "/api/v1/user", Value::Null).status, 200);
}

#[test]
fn passwords_cannot_be_set() {
    let fixture = start();
    let ben = sign_in(&fixture, "Ben").cookie();
    fixture.server.execute_sql("update session set method = 'sso'");
    assert_eq!(require(&fixture, true).status, 204);
    let headers = [
        ("cookie", ben.as_str()),
        ("sec-fetch-site", "same-origin"),
        ("content-type", "application/json"),
    ];
    let body = json!({ "password": "another password", "current_password": PASSWORD }).to_string();
    let refused = fixture.server.send("PATCH", "/api/v1/user", &headers, &body);
    assert_eq!(refused.status, 400);
    let text = "password: cannot be set, because the organization of the account requires single \
                sign-on";
    assert_eq!(refused.text, text);
    let page = fixture.server.send("GET", "/account/security", &headers[..1], "");
    assert_eq!(page.status, 200);
    assert!(page.body.contains("Your organization requires single sign-on."), "{}", page.body);
    assert!(!page.body.contains("name=\"password\""), "{}", page.body);
    // An administrator can send no link, and a new account gets none.
    let path = format!("/users/{}/send", fixture.user_id("Ben"));
    let refused = fixture.request_org("Ann", "POST", &path, Value::Null);
    let text = "the organization requires single sign-on, so that passwords do not work";
    assert_eq!((refused.status, refused.text.as_str()), (409, text));
    assert_eq!(create_managed(&fixture, "Mia").status, 200);
    let mails: u32 = fixture
        .server
        .app
        .db
        .read(|tx| tx.one("select count(*) from password_link", [], |row| row.get(0)))
        .unwrap();
    assert_eq!(mails, 0);
}

#[test]
fn earlier_password_links_stop_working() {
    let fixture = start();
    let id = chartroom_platform::id::AccountId::from_text(fixture.user_id("Ben"));
    let key = fixture.server.app.server_key.clone();
    let create = move |tx: &chartroom_platform::db::WriteTx<'_>| {
        accounts::PasswordLink::create(tx, &key, &id, Duration::from_secs(600))
    };
    let link = fixture.server.app.db.write(create).unwrap();
    let path = link.url(&fixture.server.app.server_key, "");
    assert_eq!(fixture.server.send("GET", &path, &[], "").status, 200);
    assert_eq!(require(&fixture, true).status, 204);
    assert_eq!(fixture.server.send("GET", &path, &[], "").status, 404);
    let submitted = fixture.server.submit_form(&path, "password=another+password");
    assert_eq!(submitted.status, 404);
    assert_eq!(require(&fixture, false).status, 204);
    assert_eq!(fixture.server.send("GET", &path, &[], "").status, 200);
}

#[test]
fn open_event_streams_end_with_their_credential() {
    let fixture = start();
    let _work = tasks::start_background_work(&fixture.server.app).unwrap();
    let created =
        fixture.request("Ben", "POST", "/api/v1/create-document", json!({ "widget": "bar" }));
    let document = created.json()["id"].as_str().unwrap().to_owned();
    let path = format!("/api/v1/users/{}/documents/{document}/presence", fixture.user_id("Ben"));
    let cookie = sign_in(&fixture, "Ben").cookie();
    let basic = basic_auth("ben", PASSWORD);
    let streams = [("cookie", cookie.as_str()), ("authorization", basic.as_str())]
        .map(|(name, value)| BufReader::new(fixture.server.open_get_with(&path, name, value)));
    let token = fixture.authorization("Ben");
    let mut kept = BufReader::new(fixture.server.open_get_with(&path, "authorization", token));
    let mut streams = streams.map(|mut stream| {
        let mut line = String::new();
        stream.read_line(&mut line).unwrap();
        assert!(line.contains(" 200 "), "{line}");
        stream
    });
    assert_eq!(require(&fixture, true).status, 204);
    for stream in &mut streams {
        assert!(ends_within(stream, Duration::from_secs(30)), "the stream stays open");
    }
    assert!(!ends_within(&mut kept, Duration::from_millis(2500)), "an API token keeps its stream");
}

/// Returns whether a chunked response ends without a pause of this time between two lines.
fn ends_within(stream: &mut BufReader<TcpStream>, time: Duration) -> bool {
    stream.get_ref().set_read_timeout(Some(time)).unwrap();
    let is_end = |line: &std::io::Result<String>| line.as_ref().map_or(true, |line| line == "0");
    stream.lines().find(is_end).is_none_or(|line| line.is_ok())
}

#[test]
fn removal_is_refused_while_required() {
    let fixture = start();
    assert_eq!(require(&fixture, true).status, 204);
    let refused = fixture.request_org("Ann", "DELETE", "/sso", Value::Null);
    let text = "the organization requires single sign-on; switch enforce_sso off first";
    assert_eq!((refused.status, refused.text.as_str()), (409, text));
    assert_eq!(require(&fixture, false).status, 204);
    assert_eq!(fixture.request_org("Ann", "DELETE", "/sso", Value::Null).status, 204);
}

#[test]
fn a_first_provider_ends_an_old_requirement() {
    let fixture = start_with_verified_domain();
    manage(&fixture);
    // A setting from before single sign-on existed.
    fixture.server.execute_sql("update org set settings = '{\"enforce_sso\":true}'");
    assert_eq!(sign_in(&fixture, "Ben").status, 200, "without a provider it has no effect");
    set_provider(&fixture, provider());
    let stored = fixture.request_org("Ann", "GET", "/settings", Value::Null).json();
    assert_eq!(stored["enforce_sso"], false);
    assert_eq!(sign_in(&fixture, "Ben").status, 200);
    // A change of the provider keeps the requirement.
    assert_eq!(require(&fixture, true).status, 204);
    set_provider(&fixture, provider());
    assert_eq!(sign_in(&fixture, "Ben").status, 401);
}

#[test]
fn operator_ends_the_requirement_on_the_command_line() {
    let mut server = ServerProcess::new();
    let create = ["org", "create", "--name", "Acme", "--slug", "acme", "--plan", "enterprise"];
    server.run_json(&[&create[..], &["--seats", "unlimited"]].concat());
    server.run_json(&["org", "member", "add", "acme", "ann@example.org", "--role", "admin"]);
    let state = server.run_json(&["org", "sso", "acme"]);
    assert_eq!((&state["enforce_sso"], &state["provider"]), (&json!(false), &Value::Null));
    let ann = server.ann();
    ann.put("/api/v1/orgs/acme/sso", provider()).expect(200);
    for is_running in [true, false] {
        server
            .ann()
            .patch("/api/v1/orgs/acme/settings", json!({ "enforce_sso": true }))
            .expect(204);
        let state = server.run_json(&["org", "sso", "acme"]);
        assert_eq!(state["enforce_sso"], true);
        assert_eq!(state["provider"]["entity_id"], "https://idp.example/saml");
        assert_eq!(state["provider"]["certificates"][0]["sha256"], super::FINGERPRINT);
        if !is_running {
            server.stop();
        }
        let arguments = match is_running {
            true => ["org", "sso", "acme", "--off"],
            false => ["org", "sso", "disable", "acme"],
        };
        let state = server.run_json(&arguments);
        assert_eq!((&state["enforce_sso"], &state["slug"]), (&json!(false), &json!("acme")));
        if !is_running {
            server.start();
        }
        let settings = server.ann().get("/api/v1/orgs/acme/settings").expect(200).json();
        assert_eq!(settings["enforce_sso"], false, "{is_running}");
    }
    let events = server.run_json(&["org", "audit", "acme", "--action", "settings.change"]);
    let text = events.to_string();
    assert!(text.contains("\"type\":\"operator\""), "{text}");
}
