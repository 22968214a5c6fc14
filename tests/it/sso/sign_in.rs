//! Sign-ins that succeed, and the browser that they belong to.

use std::time::Duration;

use chartroom_platform::time::Timestamp;
use serde_json::Value;
use serde_json::json;

use super::SsoFixture;
use super::encode;

#[test]
fn a_person_signs_in_with_an_address_and_gets_an_account() {
    let fixture = SsoFixture::new();
    let begun = fixture.begin("vera@acme.example");
    let response = fixture.post(&fixture.provider.statements("Vera", Some(&begun.id)));
    let finished = fixture.finish(&response, &begun.cookie);
    assert_eq!(finished.status, 303, "{}", finished.text);
    assert_eq!(finished.header("location"), "/account/security", "the page of the request");
    let cookie = finished.cookie();
    assert!(cookie.starts_with("chartroom_session="), "{cookie}");
    let user = fixture.user(&cookie);
    assert_eq!((&user["name"], &user["email"]), (&json!("Vera"), &json!("vera@acme.example")));
    let path = "/users?q=vera";
    let managed = fixture.orgs.request_org("Ann", "GET", path, Value::Null).json();
    let managed = &managed["users"][0];
    assert_eq!(managed["sso_id"], "vera-id", "{managed}");
    assert_eq!((&managed["managed"], &managed["role"]), (&json!(true), &json!("member")));
    assert_eq!(fixture.events("sign_in.success").len(), 1);
    let headers = [("cookie", cookie.as_str())];
    let sessions = fixture.orgs.server.send("GET", "/api/v1/user/sessions", &headers, "");
    assert!(sessions.text.contains("\"method\":\"sso\""), "{}", sessions.text);
    // The second sign-in finds the same account.
    assert_eq!(fixture.user(&fixture.sign_in("Vera"))["id"], user["id"]);
}

#[test]
fn only_the_browser_that_began_a_sign_in_gets_the_session() {
    let fixture = SsoFixture::new();
    let begun = fixture.begin("vera@acme.example");
    let accepted = fixture.post(&fixture.provider.statements("Vera", Some(&begun.id)));
    let other = fixture.begin("vera@acme.example");
    let refused = fixture.finish(&accepted, &other.cookie);
    assert_eq!(refused.status, 403, "{}", refused.text);
    assert!(refused.text.contains("Reason: request"), "{}", refused.text);
    assert_eq!(refused.headers("set-cookie"), [""; 0]);
    assert_eq!(fixture.events("sso.rejected")[0]["reason"], "another browser began the sign-in");
    // The attempt has used up the code.
    assert_eq!(fixture.finish(&accepted, &begun.cookie).status, 403);

    let begun = fixture.begin("vera@acme.example");
    let accepted = fixture.post(&fixture.provider.statements("Vera", Some(&begun.id)));
    assert_eq!(fixture.finish(&accepted, "").status, 403, "no cookie");
    let server = &fixture.orgs.server;
    for code in ["", "x", "../..", "%00"] {
        let path = format!("/sso/saml2/finish?code={code}");
        let headers = [("cookie", begun.cookie.as_str())];
        assert_eq!(server.send("GET", &path, &headers, "").status, 403, "{code}");
    }
    let begun = fixture.begin("vera@acme.example");
    let accepted = fixture.post(&fixture.provider.statements("Vera", Some(&begun.id)));
    server.execute_sql("update sso_code set expires = 1");
    assert_eq!(fixture.finish(&accepted, &begun.cookie).status, 403, "expired");
}

#[test]
fn the_identity_provider_may_begin_a_sign_in_unless_the_settings_forbid_it() {
    let fixture = SsoFixture::new();
    let target = |relay_state: &str| {
        let response = fixture.provider.respond(&fixture.provider.statements("Vera", None));
        let form = format!("RelayState={}&SAMLResponse={}", encode(relay_state), encode(&response));
        let finished = fixture.finish(&fixture.post_form(&form), "");
        assert_eq!(finished.status, 303, "{}", finished.text);
        assert!(finished.cookie().starts_with("chartroom_session="));
        finished.header("location")
    };
    assert_eq!(target("/charts/abc"), "/charts/abc");
    let foreign = ["https://evil.example", "//evil.example", "/\\evil.example", "", "/%2fevil"];
    for relay_state in foreign {
        assert_eq!(target(relay_state), "/", "{relay_state}");
    }
    fixture.put_settings(json!({ "allow_idp_initiated": false }));
    let refused = fixture.post(&fixture.provider.statements("Vera", None));
    fixture.assert_rejected(&refused, 403, "request");
    fixture.sign_in("Vera");
}

#[test]
fn the_target_of_a_request_is_not_that_of_the_identity_provider() {
    let fixture = SsoFixture::new();
    for relay_state in ["/charts/abc", "https://evil.example"] {
        let begun = fixture.begin("vera@acme.example");
        let statements = fixture.provider.statements("Vera", Some(&begun.id));
        let response = encode(&fixture.provider.respond(&statements));
        let form = format!("SAMLResponse={response}&RelayState={}", encode(relay_state));
        let finished = fixture.finish(&fixture.post_form(&form), &begun.cookie);
        assert_eq!(finished.header("location"), "/account/security", "{relay_state}");
    }
}

#[test]
fn the_session_ends_with_that_of_the_identity_provider() {
    let fixture = SsoFixture::new();
    let begun = fixture.begin("vera@acme.example");
    let mut statements = fixture.provider.statements("Vera", Some(&begun.id));
    let end = Timestamp::now().saturating_add(Duration::from_hours(2));
    statements.session_end = Some(end);
    let cookie = fixture.finish(&fixture.post(&statements), &begun.cookie).cookie();
    let server = &fixture.orgs.server;
    let headers = [("cookie", cookie.as_str())];
    let sessions = server.send("GET", "/api/v1/user/sessions", &headers, "");
    let expires = format!("\"expires_at\":\"{end}\"");
    assert!(sessions.text.contains(&expires), "{expires}: {}", sessions.text);
    // A use does not extend it, also if it began days ago.
    server.execute_sql("update session set created = created - 5 * 86400000");
    fixture.user(&cookie);
    let sessions = server.send("GET", "/api/v1/user/sessions", &headers, "");
    assert!(sessions.text.contains(&expires), "{expires}: {}", sessions.text);
    server.execute_sql("update session set expires = 1");
    assert_eq!(server.send("GET", "/api/v1/user", &headers, "").status, 401);
}

#[test]
fn a_sign_in_needs_no_second_factor_and_ends_the_earlier_session_of_the_browser() {
    let fixture = SsoFixture::new();
    let server = &fixture.orgs.server;
    let patch = json!({ "require_second_factor": true });
    assert_eq!(fixture.orgs.request_org("Ann", "PATCH", "/settings", patch).status, 204);
    let first = fixture.sign_in("Vera");
    fixture.user(&first);
    let begun = fixture.begin("vera@acme.example");
    let accepted = fixture.post(&fixture.provider.statements("Vera", Some(&begun.id)));
    let cookies = format!("{}; {first}", begun.cookie);
    let second = fixture.finish(&accepted, &cookies).cookie();
    fixture.user(&second);
    assert_eq!(server.send("GET", "/api/v1/user", &[("cookie", &first)], "").status, 401);
}

#[test]
fn an_account_that_is_disabled_after_the_response_gets_no_session() {
    let fixture = SsoFixture::new();
    fixture.sign_in("Vera");
    let begun = fixture.begin("vera@acme.example");
    let accepted = fixture.post(&fixture.provider.statements("Vera", Some(&begun.id)));
    fixture
        .orgs
        .server
        .execute_sql("update user set disabled = 1 where email = 'vera@acme.example'");
    let refused = fixture.finish(&accepted, &begun.cookie);
    assert_eq!(refused.status, 403, "{}", refused.text);
    let begun = fixture.begin("vera@acme.example");
    let refused = fixture.post(&fixture.provider.statements("Vera", Some(&begun.id)));
    fixture.assert_rejected(&refused, 403, "account");
}

#[test]
fn of_many_copies_of_a_response_one_signs_in() {
    let fixture = SsoFixture::new();
    let begun = fixture.begin("vera@acme.example");
    let response = fixture.provider.respond(&fixture.provider.statements("Vera", Some(&begun.id)));
    let statuses: Vec<u16> = std::thread::scope(|scope| {
        let post = || fixture.post_base64(&response).status;
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(post)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(statuses.iter().filter(|status| **status == 303).count(), 1, "{statuses:?}");
    assert_eq!(statuses.iter().filter(|status| **status == 403).count(), 7, "{statuses:?}");
}

/// Returns a number that a query reads from the database.
fn read_number(fixture: &SsoFixture, sql: &str) -> i64 {
    fixture.orgs.server.app.db.read(|tx| tx.one(sql, [], |row| row.get(0))).unwrap()
}

#[test]
fn a_request_waits_ten_minutes_and_a_code_one_minute() {
    let fixture = SsoFixture::new();
    let seconds_left =
        |sql: &str| (read_number(&fixture, sql) - Timestamp::now().0).div_euclid(1_000);
    let begun = fixture.begin("vera@acme.example");
    let request = seconds_left("select expires from sso_request");
    assert!((570..=600).contains(&request), "{request}");
    let accepted = fixture.post(&fixture.provider.statements("Vera", Some(&begun.id)));
    let code = seconds_left("select expires from sso_code");
    assert!((30..=60).contains(&code), "{code}");
    assert_eq!(fixture.finish(&accepted, &begun.cookie).status, 303);
}

#[test]
fn a_sign_in_deletes_expired_rows() {
    let fixture = SsoFixture::new();
    let count = |table: &str| read_number(&fixture, &format!("select count(*) from {table}"));
    let counts = || ["sso_request", "sso_seen", "sso_code"].map(count);
    fixture.begin("vera@acme.example");
    assert_eq!(fixture.post(&fixture.provider.statements("Vera", None)).status, 303);
    assert_eq!(counts(), [1, 1, 1]);
    // Rows that have not expired stay.
    fixture.begin("vera@acme.example");
    assert_eq!(counts(), [2, 1, 1]);
    let server = &fixture.orgs.server;
    server.execute_sql("update sso_request set expires = 1");
    server.execute_sql("update sso_seen set expires = 1");
    server.execute_sql("update sso_code set expires = 1");
    fixture.begin("vera@acme.example");
    assert_eq!(counts(), [1, 0, 0]);
}
