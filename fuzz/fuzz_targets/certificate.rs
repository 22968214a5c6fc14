//! Reads the fuzzer's bytes as certificates of an identity provider, as text and as DER. Fails on a
//! panic, and if the stored form of certificates gives other certificates. CONTRIBUTING.md describes
//! how to run it.

#![no_main]

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use chartroom::features::sso::protocol::{parse_certificates, to_pem};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    check(&String::from_utf8_lossy(bytes));
    check(&STANDARD.encode(bytes));
});

/// Parses a text, and the stored form of the result again.
fn check(text: &str) {
    let Ok(certificates) = parse_certificates(text) else { return };
    assert!((1..=2).contains(&certificates.len()));
    let pem = to_pem(&certificates);
    let again = parse_certificates(&pem).expect("the stored form is valid");
    assert_eq!(to_pem(&again), pem);
    for (first, second) in certificates.iter().zip(&again) {
        assert!(first.key == second.key && first.sha256 == second.sha256);
    }
}
