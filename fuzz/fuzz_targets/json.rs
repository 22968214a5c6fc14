//! Reads the fuzzer's bytes as a JSON array of rows. Fails as `tables::check` does. CONTRIBUTING.md describes how to run it.

#![no_main]

mod tables;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tables::check(bytes, "application/json"));
