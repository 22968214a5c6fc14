//! Reads the fuzzer's bytes as an HTML page with a table. Fails as `tables::check` does. CONTRIBUTING.md describes how to run it.

#![no_main]

mod tables;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tables::check(bytes, "text/html"));
