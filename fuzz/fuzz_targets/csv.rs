//! Reads the fuzzer's bytes as CSV and other separated text. Fails as `tables::check` does. CONTRIBUTING.md describes how to run it.

#![no_main]

mod tables;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tables::check(bytes, "text/csv"));
