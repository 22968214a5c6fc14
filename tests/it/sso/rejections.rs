//! Responses that sign nobody in, and the reason that administrators get.

use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use chartroom_platform::time::Timestamp;
use serde_json::json;

use super::SsoFixture;
use super::encode;
use super::provider::Statements;
use super::provider::TestProvider;
use crate::test_server::PASSWORD;

/// Sends a response with one changed statement to a new server, and checks the code of its rejection.
#[track_caller]
fn check_changed(code: &str, change: fn(&mut Statements)) {
    let fixture = SsoFixture::new();
    let begun = fixture.begin("vera@acme.example");
    let mut statements = fixture.provider.statements("Vera", Some(&begun.id));
    change(&mut statements);
    fixture.assert_rejected(&fixture.post(&statements), 403, code);
    // The honest response is accepted afterwards.
    let begun = fixture.begin("vera@acme.example");
    let statements = fixture.provider.statements("Vera", Some(&begun.id));
    assert_eq!(fixture.post(&statements).status, 303);
}

#[test]
fn a_response_for_another_service_is_rejected() {
    check_changed("audience", |statements| statements.audience += "/");
    check_changed("recipient", |statements| statements.recipient = "https://x.example".to_owned());
    check_changed("recipient", |statements| statements.destination += "/");
}

#[test]
fn a_response_outside_its_time_is_rejected() {
    check_changed("time", |statements| {
        statements.expires = Timestamp::now().saturating_sub(Duration::from_mins(3));
    });
    check_changed("time", |statements| {
        statements.expires = Timestamp::now().saturating_add(Duration::from_hours(8 * 24));
    });
    check_changed("time", |statements| {
        statements.session_end = Some(Timestamp::now().saturating_sub(Duration::from_mins(3)));
    });
}

#[test]
fn a_failure_at_the_identity_provider_is_rejected() {
    check_changed("status", |statements| {
        statements.status = "urn:oasis:names:tc:SAML:2.0:status:Requester";
    });
}

#[test]
fn a_response_to_an_unknown_or_used_request_is_rejected() {
    check_changed("request", |statements| statements.in_response_to = Some("_0".repeat(16)));
    let fixture = SsoFixture::new();
    let begun = fixture.begin("vera@acme.example");
    let post = || fixture.post(&fixture.provider.statements("Vera", Some(&begun.id)));
    assert_eq!(post().status, 303);
    fixture.assert_rejected(&post(), 403, "request");
    let begun = fixture.begin("vera@acme.example");
    fixture.orgs.server.execute_sql("update sso_request set expires = 1");
    let statements = fixture.provider.statements("Vera", Some(&begun.id));
    fixture.assert_rejected(&fixture.post(&statements), 403, "request");
}

#[test]
fn a_replayed_response_is_rejected_also_after_its_session() {
    let fixture = SsoFixture::new();
    let response = fixture.provider.respond(&fixture.provider.statements("Vera", None));
    assert_eq!(fixture.post_base64(&response).status, 303);
    fixture.assert_rejected(&fixture.post_base64(&response), 403, "replay");
    // An assertion of a rejected sign-in is used up too.
    let begun = fixture.begin("nina@acme.example");
    let statements = fixture.provider.statements("Nina", Some(&begun.id));
    let statements = statements.with_attribute("email", "nina@other.example");
    fixture.assert_rejected(&fixture.post(&statements), 403, "domain");
    fixture.assert_rejected(&fixture.post(&statements), 403, "replay");
}

#[test]
fn unreadable_input_is_refused_with_400() {
    let fixture = SsoFixture::new();
    let form = |body: &str| fixture.post_form(body).status;
    assert_eq!(form(""), 400);
    assert_eq!(form("RelayState=x"), 400);
    assert_eq!(form("SAMLResponse=*"), 400);
    let response = encode(&fixture.provider.respond(&fixture.provider.statements("Vera", None)));
    assert_eq!(form(&format!("SAMLResponse={response}&SAMLResponse={response}")), 400);
    assert_eq!(form(&format!("RelayState=a&SAMLResponse={response}&RelayState=b")), 400);
    let bomb = "<!DOCTYPE a [<!ENTITY b \"c\">]><a>&b;</a>";
    assert_eq!(form(&format!("SAMLResponse={}", encode(&STANDARD.encode(bomb)))), 400);
    let large = "A".repeat(500_000);
    assert_eq!(form(&format!("SAMLResponse={large}")), 400);
    assert_eq!(form(&format!("SAMLResponse={}", "A".repeat(700_000))), 413);
}

#[test]
fn rejections_of_one_client_are_limited_but_nothing_else_is() {
    let fixture = SsoFixture::new();
    let statuses: Vec<u16> =
        (0..12).map(|_| fixture.post_form("SAMLResponse=%3F%3F").status).collect();
    assert_eq!(statuses[..10], [400; 10]);
    assert_eq!(statuses[10..], [429; 2]);
    let changed = fixture.provider.respond_xml(&fixture.provider.statements("Vera", None));
    let changed = STANDARD.encode(changed.replace("vera@acme.example", "ann@acme.example"));
    assert_eq!(fixture.post_base64(&changed).status, 429);
    assert!(fixture.events("sso.rejected").is_empty());
    // The page of any site can make a browser send such responses.
    let server = &fixture.orgs.server;
    let body = json!({ "email": "ann", "password": PASSWORD }).to_string();
    assert_eq!(server.sign_in(&body).status, 200);
    fixture.sign_in("Vera");
}

#[test]
fn an_office_can_sign_in_at_once() {
    let fixture = SsoFixture::new();
    let responses: Vec<String> = (0..40)
        .map(|_| fixture.provider.respond(&fixture.provider.statements("Vera", None)))
        .collect();
    let statuses: Vec<u16> = std::thread::scope(|scope| {
        let posts: Vec<_> = responses
            .iter()
            .map(|response| scope.spawn(|| fixture.post_base64(response).status))
            .collect();
        posts.into_iter().map(|post| post.join().unwrap()).collect()
    });
    assert_eq!(statuses, [303; 40]);
}

#[test]
fn a_changed_or_foreign_signature_is_rejected() {
    let fixture = SsoFixture::new();
    let honest = fixture.provider.respond_xml(&fixture.provider.statements("Vera", None));
    let changed = honest.replace("vera@acme.example", "ann@acme.example");
    assert_ne!(changed, honest);
    let post = |xml: &str| fixture.post_base64(&STANDARD.encode(xml));
    fixture.assert_rejected(&post(&changed), 403, "signature");
    let unsigned = format!(
        "{}{}",
        honest.split_once("<ds:Signature").unwrap().0,
        honest.split_once("</ds:Signature>").unwrap().1
    );
    fixture.assert_rejected(&post(&unsigned), 403, "signature");
    let stranger = TestProvider::new(&fixture.provider.entity_id);
    let response = stranger.respond(&stranger.statements("Vera", None));
    fixture.assert_rejected(&fixture.post_base64(&response), 403, "signature");
    assert_eq!(post(&honest).status, 303);
}

#[test]
fn both_certificates_work_during_a_change_of_keys() {
    let fixture = SsoFixture::new();
    let next = TestProvider::new(&fixture.provider.entity_id);
    let both = format!("{}{}", next.certificate_pem(), fixture.provider.certificate_pem());
    fixture.put_settings(json!({ "certificate": both }));
    for provider in [&fixture.provider, &next] {
        let response = provider.respond(&provider.statements("Vera", None));
        assert_eq!(fixture.post_base64(&response).status, 303);
    }
    fixture.put_settings(json!({ "certificate": next.certificate_pem() }));
    let old = fixture.provider.respond(&fixture.provider.statements("Vera", None));
    fixture.assert_rejected(&fixture.post_base64(&old), 403, "signature");
}

#[test]
fn an_unknown_issuer_is_rejected_and_reported_to_the_organization_of_the_request() {
    let fixture = SsoFixture::new();
    let stranger = TestProvider::new("https://other.example");
    let begun = fixture.begin("vera@acme.example");
    let response = stranger.respond(&stranger.statements("Vera", Some(&begun.id)));
    let refused = fixture.post_base64(&response);
    assert_eq!(refused.status, 403);
    assert!(refused.text.contains("Reason: issuer"), "{}", refused.text);
    assert!(fixture.events("sso.rejected").is_empty(), "nothing says whose sign-in it is");
    // The identity provider returns the relay state of the request.
    let form = |response: &str, relay_state: &str| {
        fixture.post_form(&format!("SAMLResponse={}&RelayState={relay_state}", encode(response)))
    };
    fixture.assert_rejected(&form(&response, &begun.id), 403, "issuer");
    let reason = fixture.events("sso.rejected")[0]["reason"].as_str().unwrap().to_owned();
    assert!(reason.contains("https://other.example"), "{reason}");
    fixture.assert_rejected(&form("AAAA", &begun.id), 400, "format");
    assert_eq!(fixture.events("sso.rejected").len(), 2);
    assert_eq!(form("AAAA", "_unknown").status, 400);
    assert_eq!(form("AAAA", &"_".repeat(10_000)).status, 400);
    assert_eq!(fixture.events("sso.rejected").len(), 2);
    // The request can still be answered.
    assert_eq!(fixture.post(&fixture.provider.statements("Vera", Some(&begun.id))).status, 303);
}

#[test]
fn an_account_that_is_not_managed_is_led_to_its_password() {
    let fixture = SsoFixture::new();
    let statements = fixture.provider.statements("Vera", None);
    fixture.orgs.server.execute_sql(
        "update user set email = 'vera@acme.example', email_key = 'vera@acme.example'
         where username = 'ann'",
    );
    let refused = fixture.post(&statements);
    fixture.assert_rejected(&refused, 403, "account");
    assert!(refused.text.contains("href=\"/sign-in?password\""), "{}", refused.text);
}

#[test]
fn a_plan_without_single_sign_on_also_excludes_known_people() {
    let fixture = SsoFixture::new();
    fixture.sign_in("Vera");
    fixture.orgs.server.execute_sql("update org set plan = 'team'");
    for name in ["Vera", "Nina"] {
        let refused = fixture.post(&fixture.provider.statements(name, None));
        assert_eq!(refused.status, 403, "{name}");
        assert!(refused.text.contains("Reason: issuer"), "{name}: {}", refused.text);
    }
}
