//! Parses the fuzzer's text as a filter of SCIM. Fails on a panic, and on a filter that exceeds the
//! limits of the parser. CONTRIBUTING.md describes how to run it.

#![no_main]

#[allow(dead_code, reason = "the target uses the parser of filters only")]
#[path = "../../src/features/scim/filter.rs"]
mod filter;

use filter::Filter;

libfuzzer_sys::fuzz_target!(|text: &str| {
    if let Ok(filter) = filter::parse_filter(text) {
        // The limit of the parser.
        assert!(count_terms(&filter) <= 50);
    }
});

/// Returns the number of comparisons, with those in brackets.
fn count_terms(filter: &Filter) -> usize {
    match filter {
        Filter::And(left, right) | Filter::Or(left, right) => {
            count_terms(left) + count_terms(right)
        }
        Filter::Not(inner) => count_terms(inner),
        Filter::Term(path, _) => 1 + path.values.as_deref().map_or(0, count_terms),
    }
}
