//! Parses the fuzzer's text as the path of a PATCH operation of SCIM. Fails on a panic, and on a path
//! without the name of an attribute. CONTRIBUTING.md describes how to run it.

#![no_main]

#[allow(dead_code, reason = "the target uses the parser of paths only")]
#[path = "../../src/features/scim/filter.rs"]
mod filter;

libfuzzer_sys::fuzz_target!(|text: &str| {
    if let Ok(path) = filter::parse_path(text) {
        let name = path.dotted_name();
        assert!(!name.starts_with('.') && !name.ends_with('.'));
        assert!(name.bytes().all(|byte| byte.is_ascii_graphic() && !byte.is_ascii_uppercase()));
        assert!(text.to_ascii_lowercase().contains(&path.name));
    }
});
