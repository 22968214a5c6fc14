//! Classifies the fuzzer's text as a link to a spreadsheet. Fails on a panic, and if the address of the file
//! is at another host than the link. CONTRIBUTING.md describes how to run it.

#![no_main]

#[path = "../../src/features/sync/links.rs"]
mod links;
#[allow(dead_code, reason = "the target uses the creation of errors only")]
#[path = "../../src/features/sync/source_error.rs"]
mod source_error;

use chartroom_cloud::Provider;
use url::Url;

libfuzzer_sys::fuzz_target!(|text: &str| {
    let provider = links::find_provider(text.trim());
    let Ok(file) = links::find_file(text) else { return };
    let link = Url::parse(text.trim()).expect("a link with a file is a URL");
    let url = Url::parse(&file.url).expect("the address of a file is a URL");
    assert!(matches!(url.scheme(), "http" | "https"), "{url}");
    assert!(url.username().is_empty() && url.password().is_none(), "{url}");
    let host = url.host_str().expect("an http URL has a host");
    let is_google = matches!(host, "docs.google.com" | "drive.google.com");
    assert!(
        Some(host) == link.host_str() || (provider == Some(Provider::GoogleDrive) && is_google),
        "{link} leads to {url}"
    );
    if provider.is_none() {
        assert_eq!(url, link);
    }
    // The address of a file is a link to this file.
    let again = links::find_file(&file.url).expect("the address of a file is a link");
    assert_eq!(again, file);
});
