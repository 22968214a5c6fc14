//! Responses that pysaml2, signxml and the program xmlsec1 sign in the styles of known providers.

use std::fs;
use std::path::Path;
use std::process::Command;

use chartroom::features::sso::protocol::IdentityProvider;
use chartroom::features::sso::protocol::ReasonCode;
use chartroom::features::sso::protocol::Rejection;
use chartroom::features::sso::protocol::ServiceProvider;
use chartroom::features::sso::protocol::VerifiedAssertion;
use chartroom::features::sso::protocol::parse_certificates;
use chartroom::features::sso::protocol::unverified_issuer;
use chartroom::features::sso::protocol::verify;
use chartroom_platform::time::Timestamp;
use serde_json::Value;

use super::mutation;

/// Verifies a response with the certificate of the program that signed it.
fn verify_with(
    xml: &str,
    certificate: &str,
    now: Timestamp,
) -> Result<VerifiedAssertion, Rejection> {
    let certificates = parse_certificates(certificate).unwrap();
    let service_provider = ServiceProvider {
        audience: "https://charts.example".to_owned(),
        acs_url: "https://charts.example/sso/saml2".to_owned(),
    };
    let identity_provider = IdentityProvider {
        entity_id: unverified_issuer(xml)?,
        keys: certificates.into_iter().map(|certificate| certificate.key).collect(),
    };
    assert_eq!(identity_provider.entity_id, "https://idp.example/metadata");
    verify(xml, &service_provider, &identity_provider, now)
}

/// Changes to a response that must invalidate its signature, if the text occurs in it.
const CHANGES: [(&str, &str); 12] = [
    ("Ann-0001", "Eve-0001"),
    (">ann@acme.example<", ">eve@acme.example<"),
    (">Ann@Acme.Example<", ">eve@acme.example<"),
    (">Ann@Acme.example<", ">eve@acme.example<"),
    (">https://charts.example<", ">https://other.example<"),
    ("cm:bearer", "cm:sender-vouches"),
    ("<saml2:Subject>", "<saml2:Subject >\n"),
    ("PasswordProtectedTransport", "Password"),
    ("SessionIndex=\"", "SessionIndex=\"x"),
    ("enveloped-signature\"", "base64\""),
    ("xmldsig-more#rsa-sha256", "xmldsig-more#rsa-sha512"),
    ("</saml2:Assertion>", " </saml2:Assertion>"),
];

/// Checks that no change of a response is accepted.
fn reject_changes(xml: &str, certificate: &str, now: Timestamp) {
    let mut changes = 0;
    for (from, to) in CHANGES.iter().filter(|(from, _)| xml.contains(from)) {
        let changed = xml.replace(from, to);
        let rejection = verify_with(&changed, certificate, now).unwrap_err();
        assert_eq!(rejection.code, ReasonCode::Signature, "{rejection}: {from} to {to}");
        changes += 1;
    }
    assert!(changes >= 4, "only {changes} changes of {xml}");
    let later = Timestamp(now.0 + 3_600_000);
    assert_eq!(verify_with(xml, certificate, later).unwrap_err().code, ReasonCode::Time);
    let other = include_str!("fixtures/version1.pem");
    assert_eq!(verify_with(xml, other, now).unwrap_err().code, ReasonCode::Signature);
}

#[test]
fn stored_responses_of_independent_programs_are_accepted() {
    let now = Timestamp::parse_rfc3339(mutation::NOW.trim()).unwrap();
    for xml in mutation::RESPONSES {
        let found = verify_with(xml, mutation::CERTIFICATE, now).unwrap();
        assert_eq!(found.subject.email, "ann@acme.example");
        assert_eq!(found.in_response_to.as_deref(), Some("_req1"));
        reject_changes(xml, mutation::CERTIFICATE, now);
    }
}

#[test]
#[ignore = "needs xmlsec1, and pysaml2 and signxml, named by TEST_PYTHON"]
fn responses_of_independent_programs_are_accepted() {
    let python = std::env::var("TEST_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/sso_protocol/responses.py");
    let folder = tempfile::tempdir().unwrap();
    let status = Command::new(python).arg(script).arg(folder.path()).status().unwrap();
    assert!(status.success());
    let read = |name: &str| fs::read_to_string(Path::join(folder.path(), name)).unwrap();
    let certificate = read("certificate.pem");
    let index: Value = serde_json::from_str(&read("index.json")).unwrap();
    let now = Timestamp::parse_rfc3339(index["now"].as_str().unwrap()).unwrap();
    let responses = index["responses"].as_array().unwrap();
    assert!(responses.len() >= 15);
    for want in responses {
        let file = want["file"].as_str().unwrap();
        let xml = read(file);
        let found = verify_with(&xml, &certificate, now);
        let found = found.unwrap_or_else(|rejection| panic!("{file}: {rejection}\n{xml}"));
        assert_eq!(Some(found.subject.email.as_str()), want["email"].as_str(), "{file}");
        assert_eq!(Some(found.subject.sso_id.as_str()), want["sso_id"].as_str(), "{file}");
        assert_eq!(found.subject.name.as_deref(), want["name"].as_str(), "{file}");
        assert_eq!(found.in_response_to.as_deref(), want["in_response_to"].as_str(), "{file}");
        reject_changes(&xml, &certificate, now);
    }
}
