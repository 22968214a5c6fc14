//! Tests of organizations that require a second factor.

use serde_json::Value;
use serde_json::json;

use super::PATH;
use super::set_up;
use crate::teams::OrgFixture;
use crate::test_server::PASSWORD;
use crate::test_server::Response;
use crate::test_server::basic_auth;

/// Signs a user in and returns the cookie.
fn sign_in(fixture: &OrgFixture, name: &str) -> String {
    let email = format!("{}@example.org", name.to_lowercase());
    let body = json!({ "email": email, "password": PASSWORD }).to_string();
    let response = fixture.server.sign_in(&body);
    assert_eq!(response.status, 200, "{}", response.text);
    response.cookie()
}

/// Sends a request of a page with a session cookie.
fn send(fixture: &OrgFixture, cookie: &str, method: &str, path: &str) -> Response {
    let headers = [("cookie", cookie), ("sec-fetch-site", "same-origin"), ("accept", "text/html")];
    fixture.server.send(method, path, &headers, "")
}

/// Requires a second factor, as Ann.
fn require(fixture: &OrgFixture, is_required: bool) -> Response {
    let body = json!({ "require_second_factor": is_required });
    fixture.request_org("Ann", "PATCH", "/settings", body)
}

/// Panics unless the response asks to set up a second factor.
#[track_caller]
fn assert_restricted(response: &Response) {
    let facts = (response.status, response.problem_code());
    assert_eq!(facts, (403, "second_factor_setup_required".to_owned()), "{}", response.text);
}

#[test]
fn only_admins_change_the_requirement() {
    let fixture = OrgFixture::new();
    let body = json!({ "require_second_factor": true });
    assert_eq!(fixture.request_org("Bea", "PATCH", "/settings", body).status, 403);
    assert_eq!(require(&fixture, true).status, 204);
    let other = json!({ "disable_public_documents": true });
    assert_eq!(fixture.request_org("Bea", "PATCH", "/settings", other.clone()).status, 204);
    // An absent setting gets its default.
    assert_eq!(fixture.request_org("Bea", "PUT", "/settings", other).status, 403);
    let reset = "/settings/require_second_factor";
    assert_eq!(fixture.request_org("Bea", "DELETE", reset, Value::Null).status, 403);
    let settings = fixture.request_org("Bea", "GET", "/settings", Value::Null).json();
    assert_eq!(settings["require_second_factor"], true);
    assert_eq!(fixture.request_org("Ann", "DELETE", reset, Value::Null).status, 204);
}

#[test]
fn members_reach_only_the_set_up_until_it_is_done() {
    let fixture = OrgFixture::new();
    let (ben, dan) = (sign_in(&fixture, "Ben"), sign_in(&fixture, "Dan"));
    assert_eq!(send(&fixture, &ben, "GET", "/api/v1/user").status, 200);
    assert_eq!(require(&fixture, true).status, 204);
    for (method, path) in [
        ("GET", "/api/v1/user"),
        ("GET", "/api/v1/orgs/acme"),
        ("GET", "/api/v1/orgs/acme/members"),
        ("GET", "/api/v1/users/acme/list"),
        ("POST", "/api/v1/create-document"),
        ("GET", "/api/v1/user/tokens"),
        ("POST", "/api/v1/user/tokens"),
        ("DELETE", "/api/v1/user/second-factor"),
        ("GET", "/api/v1/portfolio"),
    ] {
        assert_restricted(&send(&fixture, &ben, method, path));
    }
    for path in ["/", "/orgs/acme", "/account", "/account/tokens", "/d/1/2"] {
        let page = send(&fixture, &ben, "GET", path);
        let facts = (page.status, page.header("location"));
        assert_eq!(facts, (303, "/account/security".to_owned()), "{path}: {}", page.text);
    }
    let page = send(&fixture, &ben, "GET", "/account/security");
    assert_eq!(page.status, 200, "{}", page.text);
    assert!(page.body.contains("Your organization requires a second factor"), "{}", page.body);
    assert!(!page.body.contains(r#"id="sessions""#), "{}", page.body);
    let (_, avatar) = page.body.split_once("src=\"/api/v1/users/").unwrap();
    let avatar = format!("/api/v1/users/{}", avatar.split('"').next().unwrap());
    assert_eq!(send(&fixture, &ben, "GET", &avatar).status, 200, "{avatar}");
    assert_eq!(send(&fixture, &ben, "GET", PATH).json()["required"], true);
    // A new sign-in is restricted too. People outside the organization and tokens are not.
    let second = sign_in(&fixture, "Ben");
    assert_restricted(&send(&fixture, &second, "GET", "/api/v1/user"));
    assert_eq!(send(&fixture, &dan, "GET", "/api/v1/user").status, 200);
    assert_eq!(fixture.request("Ben", "GET", "/api/v1/user", Value::Null).status, 200);

    set_up(&fixture.server, &[("cookie", &ben)]);
    assert_eq!(send(&fixture, &ben, "GET", "/api/v1/orgs/acme").status, 200);
}

#[test]
fn requirement_applies_to_basic_credentials_and_not_to_single_sign_on() {
    let fixture = OrgFixture::new();
    assert_eq!(require(&fixture, true).status, 204);
    let basic = basic_auth("ben", PASSWORD);
    assert_restricted(&fixture.server.request(&basic, "GET", "/api/v1/user", ""));
    let ben = sign_in(&fixture, "Ben");
    fixture.server.execute_sql("update session set method = 'sso'");
    assert_eq!(send(&fixture, &ben, "GET", "/api/v1/user").status, 200);
    for method in ["password", "password_link", "invite", "setup"] {
        let sql: &'static str = match method {
            "password" => "update session set method = 'password'",
            "password_link" => "update session set method = 'password_link'",
            "invite" => "update session set method = 'invite'",
            _ => "update session set method = 'setup'",
        };
        fixture.server.execute_sql(sql);
        assert_restricted(&send(&fixture, &ben, "GET", "/api/v1/user"));
    }
    fixture.server.execute_sql("update user set password_hash = null");
    assert_eq!(send(&fixture, &ben, "GET", "/api/v1/user").status, 200);
}

#[test]
fn restricted_user_can_sign_out() {
    let fixture = OrgFixture::new();
    require(&fixture, true);
    let ben = sign_in(&fixture, "Ben");
    assert_eq!(send(&fixture, &ben, "DELETE", "/api/v1/session").status, 204);
    let ben = sign_in(&fixture, "Ben");
    let page = send(&fixture, &ben, "POST", "/sign-out");
    assert_eq!((page.status, page.header("location").as_str()), (303, "/sign-in"));
    assert_eq!(send(&fixture, &ben, "GET", PATH).status, 401);
}
