//! Reads the fuzzer's bytes as the content of an ods file, or as a whole file if they start like one. Fails as
//! `tables::check` does. CONTRIBUTING.md describes how to run it.

#![no_main]

mod tables;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    if bytes.starts_with(b"PK") {
        return tables::check(bytes, "application/octet-stream");
    }
    tables::check(&tables::files::ods(bytes), "application/octet-stream");
});
