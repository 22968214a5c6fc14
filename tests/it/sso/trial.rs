//! Tests of the settings by an administrator, with what a sign-in would do.

use serde_json::Value;
use serde_json::json;

use super::BegunSignIn;
use super::SsoFixture;
use super::encode;
use super::provider::Statements;
use crate::test_server::Response;

/// Begins a test as the admin Ann.
fn begin_test(fixture: &SsoFixture) -> BegunSignIn {
    let headers = [("authorization", fixture.orgs.authorization("Ann"))];
    let redirect = fixture.orgs.server.send("GET", "/sso/saml2/signin?test=acme", &headers, "");
    BegunSignIn::new(&redirect)
}

/// Tests the settings with the statements about a person, which `change` changes.
fn run_test(
    fixture: &SsoFixture,
    name: &str,
    change: impl Fn(Statements) -> Statements,
) -> Response {
    let begun = begin_test(fixture);
    fixture.post(&change(fixture.provider.statements(name, Some(&begun.id))))
}

/// Returns the settings of `acme`.
fn settings(fixture: &SsoFixture) -> Value {
    fixture.orgs.request_org("Ann", "GET", "/sso", json!(null)).json()
}

/// Returns the users of `acme` as text, and all events of the audit log but those about settings.
fn state(fixture: &SsoFixture) -> (String, usize) {
    let people = fixture.orgs.request_org("Ann", "GET", "/users", json!(null)).text;
    (people, fixture.orgs.request_org("Ann", "GET", "/audit-log", json!(null)).text.len())
}

#[test]
fn a_test_says_what_a_sign_in_would_do_and_changes_nothing() {
    let fixture = SsoFixture::new();
    let check = |name: &str, text: &str| {
        let before = state(&fixture);
        let tested = run_test(&fixture, name, |statements| statements);
        assert_eq!(tested.status, 200, "{}", tested.text);
        assert!(tested.text.contains("The test succeeded"), "{}", tested.text);
        assert!(tested.text.contains(text), "{}", tested.text);
        assert_eq!(tested.headers("set-cookie"), [""; 0]);
        assert_eq!(state(&fixture), before);
        assert!(settings(&fixture)["last_sign_in"].is_string());
    };
    check("Vera", "It would create an account");
    check("Vera", "It would create an account");
    fixture.sign_in("Vera");
    check("Vera", "has an account with this identifier");
    let server = &fixture.orgs.server;
    server.execute_sql("update managed_user set sso_id = null");
    check("Vera", "has no identifier yet");
    server.execute_sql("update managed_user set sso_id = 'former'");
    fixture.put_settings(json!({ "allow_relink": true }));
    check("Vera", "another identifier and would get this one");
}

#[test]
fn a_test_with_a_person_that_could_not_sign_in_is_no_success() {
    let fixture = SsoFixture::new();
    let before = state(&fixture);
    let tested = run_test(&fixture, "Vera", |statements| {
        statements.with_attribute("email", "vera@other.example")
    });
    assert_eq!(tested.status, 200, "{}", tested.text);
    for text in ["This person could not sign in", "Reason: domain", "vera@other.example"] {
        assert!(tested.text.contains(text), "{text}: {}", tested.text);
    }
    assert!(!tested.text.contains("The test succeeded"), "{}", tested.text);
    assert_eq!(state(&fixture), before);
    assert_eq!(settings(&fixture)["last_sign_in"], Value::Null);
}

#[test]
fn a_failed_test_leads_to_the_list_of_rejections() {
    let fixture = SsoFixture::new();
    let org = settings(&fixture);
    assert!(org["last_rejection"].is_null(), "{org}");
    let begun = begin_test(&fixture);
    let mut statements = fixture.provider.statements("Vera", Some(&begun.id));
    statements.audience += "/";
    let response = encode(&fixture.provider.respond(&statements));
    let body = format!("SAMLResponse={response}&RelayState={}", begun.id);
    let refused = fixture.post_form(&body);
    fixture.assert_rejected(&refused, 403, "audience");
    for text in ["The test failed", "/sso#rejections\""] {
        assert!(refused.text.contains(text), "{text}: {}", refused.text);
    }
    // The reason is not for everybody who sends a response.
    assert!(!refused.text.contains("the audience of the assertion"), "{}", refused.text);
    let begun = fixture.begin("vera@acme.example");
    let refused = fixture.post_form(&format!("SAMLResponse={response}&RelayState={}", begun.id));
    assert!(!refused.text.contains("#rejections"), "{}", refused.text);
}
