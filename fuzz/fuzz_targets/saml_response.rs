//! Verifies the fuzzer's text as a SAML response with a fixed key. Fails on a panic, and on a response
//! that is accepted with another result than that of a response that the key has signed.
//!
//! Bytes that are not XML select random changes of the signed responses. CONTRIBUTING.md describes how
//! to run it.

#![no_main]

#[path = "../../tests/it/sso_protocol/mutation.rs"]
mod mutation;

use std::sync::LazyLock;

use mutation::{Corpus, Random};

static CORPUS: LazyLock<Corpus> = LazyLock::new(Corpus::load);

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let text = std::str::from_utf8(bytes).ok().filter(|text| text.trim_start().starts_with('<'));
    let xml = match text {
        Some(text) => text.to_owned(),
        None => {
            let seed = bytes.iter().fold(0, |seed: u64, byte| {
                seed.wrapping_mul(31).wrapping_add(u64::from(*byte) + 1)
            });
            CORPUS.mutate(&mut Random::new(seed))
        }
    };
    if let Err(finding) = CORPUS.check(&xml) {
        panic!("{finding}");
    }
});
