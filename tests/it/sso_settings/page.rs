//! Tests of the page about single sign-on, without scripts.

use chartroom::features::audit;
use chartroom::features::sso::settings;
use serde_json::Value;
use serde_json::json;

use super::CERTIFICATE;
use super::ENDED_CERTIFICATE;
use super::provider;
use super::set_provider;
use crate::people::start_with_verified_domain;
use crate::teams::OrgFixture;
use crate::test_server::Response;

/// Requests a page below `/orgs/acme` as a browser does.
fn get(fixture: &OrgFixture, name: &str, path: &str) -> Response {
    let headers = [("authorization", fixture.authorization(name)), ("accept", "text/html")];
    fixture.server.send("GET", &format!("/orgs/acme{path}"), &headers, "")
}

/// Sends a form as a page of the server does.
fn submit(fixture: &OrgFixture, name: &str, path: &str, fields: &[(&str, &str)]) -> Response {
    let headers = [
        ("authorization", fixture.authorization(name)),
        ("accept", "text/html"),
        ("content-type", "application/x-www-form-urlencoded"),
        ("origin", "http://127.0.0.1:8080"),
    ];
    let mut body = form_urlencoded::Serializer::new(String::new());
    body.extend_pairs(fields);
    fixture.server.send("POST", &format!("/orgs/acme{path}"), &headers, &body.finish())
}

/// Returns the fields of the form for an identity provider.
fn form<'a>(certificate: &'a str, url: &'a str) -> Vec<(&'a str, &'a str)> {
    vec![("entity_id", "urn:idp"), ("sign_in_url", url), ("certificate", certificate)]
}

/// Panics unless a page contains all texts.
#[track_caller]
fn assert_contains(page: &str, texts: &[&str]) {
    for text in texts {
        assert!(page.contains(text), "{text:?} is missing in {page}");
    }
}

#[test]
fn page_has_the_values_and_the_steps_of_a_provider() {
    let fixture = start_with_verified_domain();
    let page = get(&fixture, "Ann", "/sso");
    assert_eq!(page.status, 200, "{}", page.text);
    assert_contains(
        &page.body,
        &[
            "<code data-copy=\"Entity ID (audience)\">http://127.0.0.1:8080</code>",
            "<code data-copy=\"ACS address (reply URL)\">http://127.0.0.1:8080/sso/saml2</code>",
            "<code data-copy=\"Metadata\">http://127.0.0.1:8080/sso/saml2</code>",
            "<a href=\"/sso/saml2\">",
            "<a href=\"/orgs/acme/domains\">Domains</a>",
            "Choose the product for its exact steps.",
        ],
    );
    assert!(!page.body.contains("id=\"enforcement\""), "there is no provider");
    let providers = [
        ("okta", "user.getInternalProperty(&#34;id&#34;)", "Unencrypted"),
        ("entra", "user.objectid", "Token encryption"),
        ("google", "Employee ID", "PERSISTENT"),
        ("onelogin", "SCIM Provisioner with SAML (SCIM v2 Enterprise)", "Encrypt assertion"),
        ("keycloak", "User Property", "Encrypt assertions"),
        ("adfs", "objectGUID", "Encryption"),
        // The requests of the server ask for a persistent NameID.
        ("adfs", "Transform an Incoming Claim", "Persistent Identifier"),
    ];
    for (provider, attribute, encryption) in providers {
        let page = get(&fixture, "Ann", &format!("/sso?provider={provider}")).body;
        let attribute = attribute.replace("&#34;", "\"");
        assert!(page.replace("&#34;", "\"").contains(&attribute), "{provider}: {attribute}");
        assert_contains(&page, &[encryption, "aria-current=\"true\""]);
        assert!(page.contains("http://127.0.0.1:8080/sso/saml2</code>"), "{provider}");
    }
    let unknown = get(&fixture, "Ann", "/sso?provider=nothing");
    assert_contains(&unknown.body, &["Choose the product for its exact steps."]);
}

#[test]
fn page_has_the_signing_certificate_and_its_file() {
    let fixture = start_with_verified_domain();
    let page = get(&fixture, "Ann", "/sso").body;
    let (_, rest) = page.split_once("data-copy=\"Signing certificate\">").expect(&page);
    let pem = rest.split("</").next().unwrap();
    assert!(page.contains("<a href=\"/sso/saml2/certificate\" download>"), "{page}");
    let file = fixture.server.send("GET", "/sso/saml2/certificate", &[], "");
    assert_eq!(file.status, 200, "{}", file.text);
    assert_eq!(file.text, pem);
    assert_eq!(file.header("content-type"), "application/pem-certificate-chain");
    let disposition = "attachment; filename=\"chartroom-saml.pem\"";
    assert_eq!(file.header("content-disposition"), disposition);
    let lines: Vec<&str> = pem.lines().collect();
    assert_eq!(lines.first(), Some(&"-----BEGIN CERTIFICATE-----"), "{pem}");
    assert_eq!(lines.last(), Some(&"-----END CERTIFICATE-----"), "{pem}");
    // The same certificate is in the metadata.
    let metadata = fixture.server.send("GET", "/sso/saml2", &[], "").text;
    let base64 = lines[1..lines.len() - 1].concat();
    assert!(metadata.contains(&format!(">{base64}</ds:X509Certificate>")), "{metadata}");
}

#[test]
fn form_stores_the_provider_and_shows_errors() {
    let fixture = start_with_verified_domain();
    let refused = submit(&fixture, "Ann", "/sso", &form("no certificate", "ftp://idp.example"));
    assert_eq!(refused.status, 400);
    assert_contains(
        &refused.body,
        &[
            "id=\"sign-in-url-error\">Sign-in URL must be a URL that starts with https:// or http://.",
            "id=\"certificate-error\">Certificate ",
            "value=\"urn:idp\"",
            ">no certificate</textarea>",
        ],
    );
    let both = format!("{CERTIFICATE}{ENDED_CERTIFICATE}");
    let saved = submit(&fixture, "Ann", "/sso", &form(&both, "http://idp.example/sso"));
    assert_eq!(saved.header("location"), "/orgs/acme/sso?done=sso-saved", "{}", saved.text);
    let page = get(&fixture, "Ann", "/sso?done=sso-saved").body;
    assert_contains(
        &page,
        &[
            "The identity provider is saved.",
            "The sign-in URL begins with http.",
            "A certificate of the identity provider ended on 1 Jan 2021, 00:00 UTC.",
            "d7:4c:41:f8:8d:b6",
            "CN=idp.example",
            "href=\"/sso/saml2/signin?test=acme\"",
            "It can be required after a successful sign-in or test.",
            "No sign-in was rejected in the past 90 days.",
        ],
    );
    let stored = fixture.request_org("Ann", "GET", "/sso", Value::Null).json();
    assert_eq!([&stored["allow_idp_initiated"], &stored["allow_relink"]], [false, false]);
    for name in ["Ben", "Bea"] {
        assert_eq!(get(&fixture, name, "/sso").status, 403, "{name}");
        let form = form(CERTIFICATE, "https://idp.example");
        assert_eq!(submit(&fixture, name, "/sso", &form).status, 403, "{name}");
        assert_eq!(submit(&fixture, name, "/sso/delete", &[]).status, 403, "{name}");
    }
    assert_eq!(get(&fixture, "Dan", "/sso").status, 404);
}

#[test]
fn navigation_and_page_need_the_plan() {
    let fixture = start_with_verified_domain();
    let link = "<a href=\"/orgs/acme/sso\"";
    assert_contains(&get(&fixture, "Ann", "").body, &[link]);
    assert!(!get(&fixture, "Bea", "").body.contains(link));
    fixture.server.execute_sql("update org set plan = 'team'");
    assert!(!get(&fixture, "Ann", "").body.contains(link));
    let refused = get(&fixture, "Ann", "/sso");
    assert_eq!(refused.status, 403);
    assert_contains(&refused.body, &["The plan of the organization has no single sign-on."]);
}

#[test]
fn requirement_is_offered_after_a_success() {
    let fixture = start_with_verified_domain();
    set_provider(&fixture, provider());
    let on = [("enforce", "on")];
    let early = submit(&fixture, "Ann", "/sso/enforcement", &on);
    assert_eq!(early.status, 409);
    assert_contains(&early.body, &["after a successful sign-in or test only."]);
    let org = fixture.org.id.clone();
    fixture.server.app.db.write(move |tx| settings::record_sign_in(tx, &org)).unwrap();
    fixture.server.execute_sql(
        "insert into managed_user (user_id, org_id, created)
         select user.id, org.id, 1 from user, org where user.name in ('Ben', 'Cid')",
    );
    let page = get(&fixture, "Ann", "/sso").body;
    let offered = "<button class=\"button danger\" type=\"submit\" name=\"enforce\" value=\"on\">";
    assert_contains(&page, &[offered, "2 managed accounts have no identifier yet."]);
    let enabled = submit(&fixture, "Ann", "/sso/enforcement", &on);
    assert_eq!(enabled.header("location"), "/orgs/acme/sso?done=sso-required");
    let settings = fixture.request_org("Ann", "GET", "/settings", Value::Null).json();
    assert_eq!(settings["enforce_sso"], true);
    // The general settings keep it.
    submit(&fixture, "Ann", "/settings", &[("name", "Acme")]);
    let settings = fixture.request_org("Ann", "GET", "/settings", Value::Null).json();
    assert_eq!(settings["enforce_sso"], true);
    let question = get(&fixture, "Ann", "/sso/delete").body;
    assert_contains(&question, &["Allow passwords again first.", "type=\"submit\" disabled"]);
    assert_eq!(submit(&fixture, "Ann", "/sso/delete", &[]).status, 409);
    let disabled = submit(&fixture, "Ann", "/sso/enforcement", &[("enforce", "off")]);
    assert_eq!(disabled.header("location"), "/orgs/acme/sso?done=sso-optional");
    let removed = submit(&fixture, "Ann", "/sso/delete", &[]);
    assert_eq!(removed.header("location"), "/orgs/acme/sso?done=sso-removed");
    assert_eq!(fixture.request_org("Ann", "GET", "/sso", Value::Null).status, 404);
    assert_eq!(get(&fixture, "Ann", "/sso/delete").status, 404);
}

#[test]
fn last_ten_rejections_are_listed() {
    let fixture = start_with_verified_domain();
    set_provider(&fixture, provider());
    let org = fixture.org.id.clone();
    let reject = move |tx: &chartroom_platform::db::WriteTx<'_>| {
        let target = settings::event_target(&settings::find(tx, &org)?.unwrap());
        for number in 1..=11 {
            let (reason, id) = (format!("reason <{number}>"), format!("request-{number}"));
            let details = json!({ "code": "audience", "reason": reason, "request_id": id });
            audit::record(tx, &org, settings::REJECTED_ACTION, &target, &details)?;
        }
        Ok(())
    };
    fixture.server.app.db.write(reject).unwrap();
    let page = get(&fixture, "Ann", "/sso").body;
    assert_contains(&page, &["reason &#60;11&#62;", "request-2<", "<code>audience</code>"]);
    assert!(!page.contains("request-1<"), "only ten");
    let log = get(&fixture, "Ann", "/audit?action=sso.rejected").body;
    assert_contains(&log, &["Single sign-on rejected", "request id: request-11"]);
}
