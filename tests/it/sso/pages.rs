//! The sign-in page of a server with single sign-on.

use serde_json::json;

use super::BegunSignIn;
use super::SsoFixture;
use super::encode;
use crate::test_server::PASSWORD;

#[test]
fn without_an_identity_provider_the_page_asks_for_both_at_once() {
    let fixture = SsoFixture::without_settings();
    let page = fixture.orgs.server.send("GET", "/sign-in?next=/account", &[], "");
    assert!(page.text.contains("id=\"password\""), "{}", page.text);
    assert!(!page.text.contains("name=\"step\""), "{}", page.text);
    fixture.put_settings(json!({}));
    let page = fixture.orgs.server.send("GET", "/sign-in?next=/account", &[], "");
    assert!(page.text.contains("name=\"step\" value=\"address\""), "{}", page.text);
    assert!(page.text.contains("name=\"next\" value=\"/account\""), "{}", page.text);
    assert!(page.text.contains("/sign-in?password&amp;next=%2Faccount"), "{}", page.text);
    let page = fixture.orgs.server.send("GET", "/sign-in?password&next=/account", &[], "");
    assert!(page.text.contains("id=\"password\""), "{}", page.text);
}

#[test]
fn an_address_leads_to_the_ways_of_its_organization() {
    let fixture = SsoFixture::new();
    let submit = |body: &str| fixture.orgs.server.submit_form("/sign-in", body);
    // Another address: the password, with the address filled in.
    let page = submit("step=address&email=ben%40other.example&next=/account");
    assert_eq!(page.status, 200);
    assert!(page.text.contains("value=\"ben@other.example\""), "{}", page.text);
    assert!(page.text.contains("id=\"password\""), "{}", page.text);
    assert!(!page.text.contains("/sso/saml2/signin"), "{}", page.text);
    // Single sign-on that is not required: both ways.
    let page = submit("step=address&email=vera%40acme.example&next=/account");
    assert!(page.text.contains("id=\"password\""), "{}", page.text);
    let link = "/sso/saml2/signin?email=vera%40acme.example&amp;next=%2Faccount";
    assert!(page.text.contains(link), "{}", page.text);
    // A password manager that fills both fields needs no second step.
    let page = submit("step=address&email=nobody%40other.example&password=wrong-password");
    assert_eq!(page.status, 401, "{}", page.text);

    let patch = json!({ "enforce_sso": true });
    let changed = fixture.orgs.request_org("Ann", "PATCH", "/settings", patch);
    assert_eq!(changed.status, 204, "{}", changed.text);
    let redirect = submit("step=address&email=vera%40acme.example&password=secret&next=/account");
    assert_eq!(redirect.status, 303, "{}", redirect.text);
    assert!(redirect.header("location").starts_with("https://idp.example/login"));
    // A page of another site cannot begin a sign-in.
    let headers =
        [("content-type", "application/x-www-form-urlencoded"), ("origin", "https://evil.example")];
    let body = "step=address&email=vera%40acme.example";
    assert_eq!(fixture.orgs.server.send("POST", "/sign-in", &headers, body).status, 403);
}

#[test]
fn a_refused_password_leads_to_single_sign_on() {
    let fixture = SsoFixture::new();
    fixture.sign_in("Vera");
    fixture.orgs.server.execute_sql(
        "update user set password_hash = (select password_hash from user where username = 'ann')
         where email_key = 'vera@acme.example'",
    );
    let submit = || {
        let body = format!("email=vera%40acme.example&password={PASSWORD}&next=/account");
        fixture.orgs.server.submit_form("/sign-in", &body)
    };
    assert_eq!(submit().status, 303);
    let patch = json!({ "enforce_sso": true });
    let changed = fixture.orgs.request_org("Ann", "PATCH", "/settings", patch);
    assert_eq!(changed.status, 204, "{}", changed.text);
    let refused = submit();
    assert_eq!(refused.status, 401, "{}", refused.text);
    assert!(refused.text.contains("requires single sign-on"), "{}", refused.text);
    let link = "/sso/saml2/signin?email=vera%40acme.example&amp;next=%2Faccount";
    assert!(refused.text.contains(link), "{}", refused.text);
    // A wrong password does not tell that the account has single sign-on.
    let body = "email=vera%40acme.example&password=wrong-password&next=/account";
    let wrong = fixture.orgs.server.submit_form("/sign-in", body);
    assert!(!wrong.text.contains("/sso/saml2/signin"), "{}", wrong.text);
}

#[test]
fn a_sign_in_ends_on_a_page_of_this_server() {
    let fixture = SsoFixture::new();
    let server = &fixture.orgs.server;
    let patch = json!({ "enforce_sso": true });
    assert_eq!(fixture.orgs.request_org("Ann", "PATCH", "/settings", patch).status, 204);
    let address = "email=vera%40acme.example";
    let begin = |way: &str, next: &str| {
        let fields = format!("{address}&next={}", encode(next));
        match way {
            "link" => server.send("GET", &format!("/sso/saml2/signin?{fields}"), &[], ""),
            "form" => server.submit_form("/sso/saml2/signin", &fields),
            _ => server.submit_form("/sign-in", &format!("step=address&{fields}")),
        }
    };
    for way in ["link", "form", "sign-in page"] {
        for (next, target) in [
            ("/account", "/account"),
            ("https://evil.example/", "/"),
            ("//evil.example", "/"),
            ("/\\evil.example", "/"),
            ("javascript:alert(1)", "/"),
        ] {
            let begun = BegunSignIn::new(&begin(way, next));
            let statements = fixture.provider.statements("Vera", Some(&begun.id));
            let finished = fixture.finish(&fixture.post(&statements), &begun.cookie);
            assert_eq!(finished.header("location"), target, "{way}: {next}");
        }
    }
}

#[test]
fn the_log_contains_no_responses_and_codes() {
    let redact = chartroom_platform::log::redact_url;
    let query = "SAMLResponse=a&RelayState=b&Signature=c&SAMLRequest=d&code=e&state=f&email=g";
    assert_eq!(
        redact("/sso/saml2/finish", query),
        "/sso/saml2/finish?SAMLResponse=…&RelayState=…&Signature=…&SAMLRequest=…&code=…&state=…&email=g"
    );
}
