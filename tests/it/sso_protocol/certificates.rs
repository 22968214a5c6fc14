//! Certificates as administrators paste them. OpenSSL made those in the folder `fixtures`.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use chartroom::features::sso::protocol::parse_certificates;
use chartroom::features::sso::protocol::to_pem;
use chartroom_platform::error::Error;
use chartroom_platform::error::FieldError;

const CERTIFICATE: &str = include_str!("fixtures/certificate.pem");
const VERSION_1: &str = include_str!("fixtures/version1.pem");

/// Checks that a text is rejected with this message for the field `certificate`.
fn reject(text: &str, message: &str) {
    match parse_certificates(text) {
        Ok(found) => panic!("accepted, expected {message}: {found:?}"),
        Err(Error::InvalidFields(fields)) => match &fields[..] {
            [FieldError { field, message: found }] => {
                assert_eq!(field, "certificate");
                assert!(found.contains(message), "{found}, expected {message}");
            }
            _ => panic!("{fields:?}"),
        },
        Err(error) => panic!("{error:?}"),
    }
}

/// Returns the base64 of a PEM block.
fn base64_of(pem: &str) -> String {
    pem.lines().filter(|line| !line.starts_with("-----")).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_certificate_is_described() {
    let found = &parse_certificates(CERTIFICATE).unwrap()[0];
    assert_eq!(found.subject, "CN=idp.example");
    assert_eq!(found.not_before.to_string(), "2026-01-01T00:00:00.000Z");
    assert_eq!(found.not_after.to_string(), "2036-01-01T00:00:00.000Z");
    assert_eq!(found.sha256, "7a06e9409c428e522939b7bb30657a0237ee33c87f07bc7716f37dcb5cb3a3ff");
    let old = &parse_certificates(VERSION_1).unwrap()[0];
    assert_eq!(old.subject, "O=Old\\, Ltd.,CN=keycloak realm");
    let long = &parse_certificates(include_str!("fixtures/long_subject.pem")).unwrap()[0];
    assert_eq!(long.subject.len(), 500);
}

#[test]
fn each_usual_form_gives_the_same_certificate() {
    let want = to_pem(&parse_certificates(CERTIFICATE).unwrap());
    assert_eq!(want, CERTIFICATE);
    let base64 = base64_of(CERTIFICATE);
    for text in [
        base64.clone(),
        base64.replace('\n', ""),
        format!(" \r\n{}\r\n ", base64.replace('\n', "\r\n")),
        CERTIFICATE.replace('\n', "\r\n"),
        format!("Bag Attributes\nsubject=CN=idp.example\n{CERTIFICATE}\n"),
        CERTIFICATE.repeat(2),
        CERTIFICATE.repeat(3),
        // White space of a page from which the text was copied.
        base64.replace('\n', "\u{a0}\n"),
        format!("\u{a0}{}", CERTIFICATE.replace(' ', "\u{a0}").replace('\n', "\u{a0}\n")),
    ] {
        assert_eq!(to_pem(&parse_certificates(&text).unwrap()), want, "{text}");
    }
    let both = parse_certificates(&[CERTIFICATE, VERSION_1].concat()).unwrap();
    assert_eq!(both.len(), 2);
    assert_eq!(to_pem(&both), [CERTIFICATE, VERSION_1].concat());
    assert!(both[0].key != both[1].key);
    let repeated = [CERTIFICATE, VERSION_1, CERTIFICATE, VERSION_1].concat();
    assert_eq!(to_pem(&parse_certificates(&repeated).unwrap()), to_pem(&both));
}

#[test]
fn other_texts_are_rejected_with_the_reason() {
    let not_a_certificate = "must be an X.509 certificate";
    reject("", "must not be empty");
    reject(" \u{a0}\n", "must not be empty");
    reject("hello", not_a_certificate);
    reject("aGVsbG8=", not_a_certificate);
    reject(&"A".repeat(65_537), "at most 64 KiB");
    let third = include_str!("fixtures/long_subject.pem");
    reject(&[CERTIFICATE, VERSION_1, third].concat(), "at most two");
    reject(&[CERTIFICATE, VERSION_1, CERTIFICATE, third].concat(), "at most two");
    reject(
        "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n",
        "contains a private key",
    );
    let with_key = format!("{CERTIFICATE}-----BEGIN RSA PRIVATE KEY-----\nAAAA\n");
    reject(&with_key, "contains a private key");
    reject(&CERTIFICATE.replace(" CERTIFICATE", " PUBLIC KEY"), not_a_certificate);
    reject(&CERTIFICATE.replace("BEGIN", "BEGIN TRUSTED"), not_a_certificate);
    reject(CERTIFICATE.trim_end().trim_end_matches('-'), not_a_certificate);
    reject(&format!("{CERTIFICATE}-----BEGIN CERTIFICATE-----\n"), not_a_certificate);
    reject(include_str!("fixtures/elliptic_curve.pem"), "must contain an RSA key");
    reject(include_str!("fixtures/pss_key.pem"), "must contain an RSA key");
    reject(include_str!("fixtures/small_key.pem"), "this one has 1024");
    let mut der = STANDARD.decode(base64_of(CERTIFICATE).replace('\n', "")).unwrap();
    der.push(0);
    reject(&STANDARD.encode(&der), not_a_certificate);
    for end in (0..der.len() - 1).step_by(7) {
        reject(
            &STANDARD.encode(&der[..end]),
            if end == 0 { "must not be empty" } else { not_a_certificate },
        );
    }
}
