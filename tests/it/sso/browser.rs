//! The cookie that binds a sign-in to the browser that began it.

use chartroom_platform::config::Config;
use serde_json::json;

use super::BegunSignIn;
use super::SsoFixture;
use super::provider::TestProvider;
use crate::people::start_with_config;

/// Path that begins the sign-in of Vera.
const BEGIN_PATH: &str = "/sso/saml2/signin?email=vera@acme.example";

/// Begins the sign-in of Vera with a cookie. Returns the whole header that sets the new cookie.
fn begin_with(fixture: &SsoFixture, cookie: &str) -> String {
    let redirect = fixture.orgs.server.send("GET", BEGIN_PATH, &[("cookie", cookie)], "");
    assert_eq!(redirect.status, 303, "{}", redirect.text);
    redirect.header("set-cookie")
}

/// Splits a header that sets a cookie into name, value and attributes.
fn parts(header: &str) -> (&str, &str, &str) {
    let (name, rest) = header.split_once('=').unwrap();
    let (value, attributes) = rest.split_once("; ").unwrap();
    (name, value, attributes)
}

#[test]
fn the_cookie_is_hidden_from_scripts_and_from_requests_of_other_sites() {
    let fixture = SsoFixture::new();
    let header = begin_with(&fixture, "");
    let (name, value, attributes) = parts(&header);
    assert_eq!(name, "chartroom_sso");
    assert!(value.len() >= 43, "256 random bits: {value}");
    assert_eq!(attributes, "Path=/; HttpOnly; SameSite=Lax; Max-Age=600");
}

#[test]
fn with_tls_only_the_host_itself_can_set_the_cookie() {
    let base_url = "https://charts.example".to_owned();
    let acs_url = format!("{base_url}/sso/saml2");
    let orgs = start_with_config(Config { base_url: base_url.clone(), ..Config::default() });
    let provider = TestProvider::new("https://idp.example/metadata");
    let fixture = SsoFixture { orgs, provider };
    fixture.put_settings(json!({}));
    let header = begin_with(&fixture, "");
    let (name, _, attributes) = parts(&header);
    assert_eq!(name, "__Host-chartroom_sso");
    assert_eq!(attributes, "Path=/; HttpOnly; SameSite=Lax; Max-Age=600; Secure");
    // Another subdomain can set the name without the prefix.
    for (prefix, status) in [("", 403), ("__Host-", 303)] {
        let begun = BegunSignIn::new(&fixture.orgs.server.send("GET", BEGIN_PATH, &[], ""));
        let mut statements = fixture.provider.statements("Vera", Some(&begun.id));
        statements.audience.clone_from(&base_url);
        statements.recipient.clone_from(&acs_url);
        statements.destination.clone_from(&acs_url);
        let bare = begun.cookie.trim_start_matches("__Host-");
        let finished = fixture.finish(&fixture.post(&statements), &format!("{prefix}{bare}"));
        assert_eq!(finished.status, status, "{prefix}: {}", finished.text);
    }
}

#[test]
fn a_malformed_cookie_is_replaced() {
    let fixture = SsoFixture::new();
    for value in ["", "x", &"a".repeat(200), "a-b", "..%3B"] {
        let header = begin_with(&fixture, &format!("chartroom_sso={value}"));
        let (_, new, _) = parts(&header);
        assert_ne!(new, value);
        let kept = begin_with(&fixture, &format!("chartroom_sso={new}"));
        assert_eq!(parts(&kept).1, new, "a well-formed cookie stays");
    }
}
