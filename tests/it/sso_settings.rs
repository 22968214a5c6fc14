//! Tests of the settings of single sign-on, of the accounts that it signs in, and of its requirement.
//! Ann is the admin of `acme`, which has verified the domain `acme.example`; see [`OrgFixture`].

mod enforcement;
mod linking;
mod page;
mod relinking;

use chartroom::features::audit;
use chartroom::features::orgs::Role;
use chartroom::features::orgs::Seats;
use chartroom::features::sso::settings;
use serde_json::Value;
use serde_json::json;

use crate::orgs::add_member;
use crate::orgs::create_org;
use crate::people::start_with_verified_domain;
use crate::teams::OrgFixture;

/// A certificate that is valid until 2126, and its fingerprint.
const CERTIFICATE: &str = include_str!("sso_settings/valid.pem");
const FINGERPRINT: &str = "d74c41f88db61e1f54513e347e6863196334b413e000d940df7cd0c7fa1da4b2";
/// A certificate that ended in 2021, and its fingerprint.
const ENDED_CERTIFICATE: &str = include_str!("sso_settings/ended.pem");
const ENDED_FINGERPRINT: &str = "88f2778ddbc11c525781d1b71ee7da42199d5c004c5cfb1ff68a010ae2ae7af8";

/// Returns the body of PUT for an identity provider.
fn provider() -> Value {
    json!({
        "entity_id": "https://idp.example/saml",
        "certificate": CERTIFICATE,
        "sign_in_url": "https://idp.example/sso?tenant=1",
    })
}

/// Returns the body of PUT with another value of a field.
fn provider_with(field: &str, value: impl Into<Value>) -> Value {
    let mut body = provider();
    body[field] = value.into();
    body
}

/// Sets the identity provider as Ann, and returns the response.
#[track_caller]
fn set_provider(fixture: &OrgFixture, body: Value) -> Value {
    let response = fixture.request_org("Ann", "PUT", "/sso", body);
    assert_eq!(response.status, 200, "{}", response.text);
    response.json()
}

/// Returns the audit events of an action, newest first.
fn events(fixture: &OrgFixture, action: &str) -> Vec<Value> {
    let path = format!("/audit-log?action={action}");
    let log = fixture.request_org("Ann", "GET", &path, Value::Null).json();
    log["events"].as_array().unwrap().clone()
}

#[test]
fn admin_sets_reads_and_removes_the_provider() {
    let fixture = start_with_verified_domain();
    let absent = fixture.request_org("Ann", "GET", "/sso", Value::Null);
    assert_eq!((absent.status, absent.text.as_str()), (404, "no such identity provider"));
    let stored = set_provider(&fixture, provider());
    let expected = json!({
        "entity_id": "https://idp.example/saml",
        "certificate": stored["certificate"],
        "sign_in_url": "https://idp.example/sso?tenant=1",
        "allow_idp_initiated": true,
        "allow_relink": true,
        "certificates": [{
            "subject": stored["certificates"][0]["subject"],
            "not_before": "2026-11-28T04:40:49.000Z",
            "not_after": "2126-11-04T04:40:49.000Z",
            "sha256": FINGERPRINT,
        }],
        "audience": "http://127.0.0.1:8080",
        "acs_url": "http://127.0.0.1:8080/sso/saml2",
        "metadata_url": "http://127.0.0.1:8080/sso/saml2",
        "last_sign_in": null,
        "last_rejection": null,
    });
    assert_eq!(stored, expected);
    let subject = stored["certificates"][0]["subject"].as_str().unwrap();
    assert!(subject.contains("CN=idp.example"), "{subject}");
    assert_eq!(fixture.request_org("Ann", "GET", "/sso", Value::Null).json(), expected);
    // The response can be sent back, also by another spelling of the organization.
    let path = format!("/api/v1/orgs/{}/sso", fixture.org.id);
    assert_eq!(fixture.request("Ann", "PUT", &path, stored.clone()).json(), stored);
    assert_eq!(events(&fixture, "sso.change").len(), 1, "an equal value is no change");

    assert_eq!(fixture.request_org("Ann", "DELETE", "/sso", Value::Null).status, 204);
    assert_eq!(fixture.request_org("Ann", "GET", "/sso", Value::Null).status, 404);
    assert_eq!(fixture.request_org("Ann", "DELETE", "/sso", Value::Null).status, 404);
    let removed = &events(&fixture, "sso.remove")[0];
    assert_eq!(removed["details"]["entity_id"], "https://idp.example/saml");
    assert_eq!(removed["target"]["type"], "sso");
}

#[test]
fn certificates_are_pem_blocks_or_base64() {
    let fixture = start_with_verified_domain();
    let both = format!("{CERTIFICATE}\n{ENDED_CERTIFICATE}");
    let stored = set_provider(&fixture, provider_with("certificate", both));
    let fingerprints: Vec<&str> = stored["certificates"]
        .as_array()
        .unwrap()
        .iter()
        .map(|certificate| certificate["sha256"].as_str().unwrap())
        .collect();
    assert_eq!(fingerprints, [FINGERPRINT, ENDED_FINGERPRINT]);
    let bare: String = CERTIFICATE.lines().filter(|line| !line.starts_with("---")).collect();
    let stored = set_provider(&fixture, provider_with("certificate", bare));
    assert_eq!(stored["certificates"][0]["sha256"], FINGERPRINT);
    let pem = stored["certificate"].as_str().unwrap();
    assert!(pem.starts_with("-----BEGIN CERTIFICATE-----"), "{pem}");
    let change = &events(&fixture, "sso.change")[0];
    let certificates = json!({ "from": [FINGERPRINT, ENDED_FINGERPRINT], "to": [FINGERPRINT] });
    assert_eq!(change["details"], json!({ "certificates": certificates }));
}

#[test]
fn invalid_values_are_refused_together() {
    let fixture = start_with_verified_domain();
    let refused = |body: Value, text: &str| {
        let response = fixture.request_org("Ann", "PUT", "/sso", body);
        assert_eq!(response.status, 400, "{}", response.text);
        assert!(response.text.contains(text), "{}", response.text);
        response
    };
    refused(provider_with("entity_id", ""), "entity_id: must have 1 to 1024 characters");
    refused(provider_with("entity_id", "a b"), "without white space");
    refused(provider_with("entity_id", "a".repeat(1025)), "1 to 1024");
    let own = provider_with("entity_id", "http://127.0.0.1:8080");
    refused(own, "entity_id: must be the entity id of the identity provider, not of this server");
    for url in ["", "/sso", "ftp://idp.example", "javascript:alert(1)"] {
        refused(provider_with("sign_in_url", url), "sign_in_url: must be a URL that starts with");
    }
    let long = format!("https://idp.example/{}", "a".repeat(2048));
    refused(provider_with("sign_in_url", long), "sign_in_url: must have at most 2048 characters");
    for certificate in ["", "AAAA", "-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----"] {
        refused(provider_with("certificate", certificate), "certificate: ");
    }
    let third = include_str!("sso_protocol/fixtures/certificate.pem");
    let three = format!("{CERTIFICATE}{ENDED_CERTIFICATE}{third}");
    refused(provider_with("certificate", three), "certificate: must contain at most two");
    refused(provider_with("allow_relink", "yes"), "allow_relink: ");
    refused(json!({ "entity_id": "urn:idp", "certificate": CERTIFICATE }), "sign_in_url");
    refused(Value::Null, "");
    let all = json!({ "entity_id": "", "certificate": "", "sign_in_url": "" });
    let response = refused(all, "entity_id");
    let problem: Value = serde_json::from_str(&response.body).unwrap();
    assert_eq!(problem["errors"].as_array().unwrap().len(), 3, "{problem}");
    assert_eq!(fixture.request_org("Ann", "GET", "/sso", Value::Null).status, 404);
    assert!(events(&fixture, "sso.change").is_empty());
}

#[test]
fn refused_sign_in_urls_name_the_reason() {
    let fixture = start_with_verified_domain();
    for (url, reason) in [
        ("http://127.0.0.1:8080/sso/saml2/signin", "must be an address of the identity provider"),
        (
            "HTTP://127.0.0.1:8080",
            "must be an address of the identity provider, not of this server",
        ),
        ("https://idp.example/a b", "must not contain white space"),
        ("https://idp.example/a\u{a0}b", "must not contain white space"),
        ("https://idp.example/\r\nx", "must not contain white space"),
        ("https://idp.example/\u{7}", "must not contain white space or control characters"),
        ("https://idp.example/#/sso", "must not have a fragment, the part after #"),
        ("https://\u{fc}ni.example/sso", "must have the name of the host in ASCII"),
        ("https://\u{fc}ni.example:99999/sso", "such as xn--"),
        ("https://idp.example/\u{fc}", "must have characters outside ASCII percent-encoded"),
        ("https://idp.example:65536/sso", "must have a port from 1 to 65535"),
        ("https://idp.example:0/sso", "must have a port from 1 to 65535"),
        ("https://[::1]:99999/", "must have a port from 1 to 65535"),
        ("https://a@idp.example/", "must not contain a user name or a password"),
        ("https:///sso", "must be a URL with a valid host and path"),
        ("https://idp.example/<x>", "must be a URL with a valid host and path"),
    ] {
        let response = fixture.request_org("Ann", "PUT", "/sso", provider_with("sign_in_url", url));
        assert_eq!(response.status, 400, "{url}: {}", response.text);
        assert!(response.text.starts_with("sign_in_url: "), "{url}: {}", response.text);
        assert!(response.text.contains(reason), "{url}: {}", response.text);
    }
    for url in
        ["http://127.0.0.1:8081/sso", "https://127.0.0.1:8080/", "https://xn--ni-wka.example/"]
    {
        set_provider(&fixture, provider_with("sign_in_url", url));
    }
}

#[test]
fn entity_ids_have_no_invisible_characters() {
    let fixture = start_with_verified_domain();
    for char in "\u{200b}\u{200c}\u{200d}\u{200e}\u{200f}\u{2060}\u{feff}".chars() {
        for entity_id in
            [format!("{char}urn:idp"), format!("urn:{char}idp"), format!("urn:idp{char}")]
        {
            let body = provider_with("entity_id", entity_id);
            let response = fixture.request_org("Ann", "PUT", "/sso", body);
            assert_eq!(response.status, 400, "{char:?}: {}", response.text);
            let code = u32::from(char);
            let reason =
                format!("entity_id: must not contain the invisible character U+{code:04X}");
            assert_eq!(response.text, reason);
        }
    }
}

#[test]
fn only_admins_of_an_organization_with_the_plan_have_settings() {
    let fixture = start_with_verified_domain();
    let requests = [("GET", Value::Null), ("PUT", provider()), ("DELETE", Value::Null)];
    for (method, body) in requests.clone() {
        for (name, status) in [("Ben", 403), ("Bea", 403), ("Dan", 404)] {
            let response = fixture.request_org(name, method, "/sso", body.clone());
            assert_eq!(response.status, status, "{name} {method}: {}", response.text);
        }
        let anonymous = fixture.server.send(method, "/api/v1/orgs/acme/sso", &[], "");
        assert_eq!(anonymous.status, 401, "{method}");
    }
    set_provider(&fixture, provider());
    fixture.set_suspended(true);
    assert_eq!(fixture.request_org("Ann", "GET", "/sso", Value::Null).status, 200);
    assert_eq!(fixture.request_org("Ann", "PUT", "/sso", provider()).status, 402);
    assert_eq!(fixture.request_org("Ann", "DELETE", "/sso", Value::Null).status, 402);
    fixture.set_suspended(false);
    fixture.server.execute_sql("update org set plan = 'team'");
    for (method, body) in requests {
        let response = fixture.request_org("Ann", method, "/sso", body);
        assert_eq!(response.status, 403, "{method}");
        assert_eq!(response.text, "single sign-on needs the plan enterprise or education");
    }
}

#[test]
fn organizations_have_separate_providers() {
    let fixture = start_with_verified_domain();
    set_provider(&fixture, provider());
    let zenith = create_org(&fixture.server, "zenith", Seats::Unlimited);
    let zoe = fixture.server.create_user("Zoe");
    add_member(&fixture.server, &zenith, &zoe.id, Role::Admin).unwrap();
    fixture.server.execute_sql("update org set plan = 'enterprise' where slug = 'zenith'");
    let token = fixture.server.create_bearer_token(&zoe.id);
    let send = |method: &str, path: &str, body: &Value| {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        fixture.server.request(&token, method, path, &body)
    };
    let own = "/api/v1/orgs/zenith/sso";
    let taken = send("PUT", own, &provider());
    assert_eq!(taken.status, 409, "{}", taken.text);
    let problem: Value = serde_json::from_str(&taken.body).unwrap();
    assert_eq!(problem["errors"][0]["field"], "entity_id");
    assert_eq!(send("GET", own, &Value::Null).status, 404, "the refused request stored nothing");
    for method in ["GET", "PUT", "DELETE"] {
        let body = if method == "PUT" { provider() } else { Value::Null };
        assert_eq!(send(method, "/api/v1/orgs/acme/sso", &body).status, 404, "{method}");
    }
    // Entity ids are compared exactly.
    let other = provider_with("entity_id", "https://IDP.example/saml");
    assert_eq!(send("PUT", own, &other).status, 200);
    assert_eq!(send("PUT", own, &provider()).status, 409);
    let find = |entity_id: &str| {
        let found = fixture.server.app.db.read(|tx| settings::find_by_entity_id(tx, entity_id));
        found.unwrap().map(|settings| settings.org)
    };
    assert_eq!(find("https://idp.example/saml"), Some(fixture.org.id.clone()));
    assert_eq!(find("https://IDP.example/saml"), Some(zenith.id.clone()));
    assert_eq!(find("https://idp.example/SAML"), None);
    assert_eq!(send("DELETE", own, &Value::Null).status, 204);
    assert_eq!(fixture.request_org("Ann", "GET", "/sso", Value::Null).status, 200);
}

#[test]
fn organization_is_found_by_a_verified_address() {
    let fixture = start_with_verified_domain();
    let find = |email: &str| {
        let found = fixture.server.app.db.read(|tx| settings::find_settings_by_address(tx, email));
        found.unwrap().map(|settings| settings.org)
    };
    assert_eq!(find("mia@acme.example"), None, "no provider");
    set_provider(&fixture, provider());
    assert_eq!(find("mia@acme.example"), Some(fixture.org.id.clone()));
    assert_eq!(find("Mia@ACME.example"), Some(fixture.org.id.clone()));
    for email in ["mia@sub.acme.example", "mia@example.org", "acme.example", "", "@", "a@b@c"] {
        assert_eq!(find(email), None, "{email}");
    }
    fixture.set_suspended(true);
    assert_eq!(find("mia@acme.example"), Some(fixture.org.id.clone()), "members read and export");
    fixture.set_suspended(false);
    fixture.server.execute_sql("update org set plan = 'team'");
    assert_eq!(find("mia@acme.example"), None);
    fixture.server.execute_sql("update org set plan = 'education'");
    assert!(find("mia@acme.example").is_some());
    fixture.server.execute_sql("update domain set status = 'failed'");
    assert_eq!(find("mia@acme.example"), None);
}

#[test]
fn last_sign_in_and_rejection_are_shown() {
    let fixture = start_with_verified_domain();
    set_provider(&fixture, provider());
    let org = fixture.org.id.clone();
    fixture.server.app.db.write(move |tx| settings::record_sign_in(tx, &org)).unwrap();
    let org = fixture.org.id.clone();
    let reject = move |tx: &chartroom_platform::db::WriteTx<'_>| {
        let target = settings::event_target(&settings::find(tx, &org)?.unwrap());
        for reason in ["an older reason", "the signature is wrong"] {
            let details = json!({ "code": "signature", "reason": reason, "request_id": "r" });
            audit::record(tx, &org, settings::REJECTED_ACTION, &target, &details)?;
        }
        Ok(())
    };
    fixture.server.app.db.write(reject).unwrap();
    let read = || fixture.request_org("Ann", "GET", "/sso", Value::Null).json();
    let stored = read();
    assert!(stored["last_sign_in"].is_string(), "{stored}");
    assert_eq!(stored["last_rejection"]["reason"], "the signature is wrong");
    assert!(stored["last_rejection"]["at"].is_string(), "{stored}");
    // A new certificate or address is the same provider. Another entity id is another one.
    let both = format!("{CERTIFICATE}{ENDED_CERTIFICATE}");
    let kept = set_provider(&fixture, provider_with("certificate", both));
    assert_eq!(kept["last_sign_in"], stored["last_sign_in"]);
    let other = set_provider(&fixture, provider_with("entity_id", "urn:other"));
    assert_eq!(other["last_sign_in"], Value::Null);
}
