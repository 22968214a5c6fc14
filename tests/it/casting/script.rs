//! Tests of the receiver's page and script: small, without other hosts, and for old browsers. A
//! parser checks that the script is ECMAScript 2015: `tests/web/es2015.mjs`.

use crate::test_server::TestServer;

const SCRIPT: &str = include_str!("../../../assets/cast/cast.js");
const STYLE: &str = include_str!("../../../assets/cast/cast.css");

#[test]
fn script_is_small_and_loads_from_no_other_host() {
    assert!(SCRIPT.len() < 25_000, "{} bytes", SCRIPT.len());
    for (name, text) in [("script", SCRIPT), ("style", STYLE)] {
        // `//` also starts comments. Only an address within quotes or brackets counts.
        for forbidden in ["http:", "https:", "\"//", "'//", "(//", "@import", "url("] {
            assert!(!text.contains(forbidden), "{name}: {forbidden}");
        }
    }
}

/// Script syntax and functions that Chromium 53 does not support.
const UNSUPPORTED_FEATURES: &[&str] = &[
    "fetch(",
    "async ",
    "await ",
    "?.",
    "??",
    "**",
    "import(",
    "import ",
    "export ",
    "globalThis",
    "Object.entries",
    "Object.values",
    "Object.fromEntries",
    ".includes(",
    ".padStart(",
    ".padEnd(",
    ".replaceAll(",
    ".at(",
    ".flat(",
    ".flatMap(",
    ".matchAll(",
    ".finally(",
    ".append(",
    ".prepend(",
    ".before(",
    ".after(",
    ".replaceWith(",
    ".replaceChildren(",
    ".toggleAttribute(",
    ".closest(",
    "AbortController",
    "IntersectionObserver",
    "ResizeObserver",
    "URLSearchParams",
    "structuredClone",
    "queueMicrotask",
    "allSettled",
];

#[test]
fn script_and_style_avoid_features_of_newer_browsers() {
    for feature in UNSUPPORTED_FEATURES {
        assert!(!SCRIPT.contains(feature), "{feature}");
    }
    for feature in
        ["gap:", "inset:", "grid", "min(", "max(", "clamp(", " aspect-ratio:", ":is(", "&"]
    {
        assert!(!STYLE.contains(feature), "{feature}");
    }
}

#[test]
fn receiver_page_does_not_leak_its_address() {
    let server = TestServer::new();
    for path in ["/cast/receiver", "/cast/AbCdEfGhIjKlMnOpQrStUvWxYz0"] {
        let page = server.send("GET", path, &[], "");
        assert_eq!(page.status, 200);
        assert_eq!(page.header("cache-control"), "no-store");
        assert_eq!(page.header("referrer-policy"), "no-referrer");
        assert_eq!(page.header("x-robots-tag"), "noindex");
        assert!(page.header("content-security-policy").contains("frame-ancestors 'none'"));
        assert!(!page.body.contains("AbCdEf"), "the token is only in the address");
        let addresses =
            page.body.split('"').filter(|text| text.contains('/') && !text.contains(' '));
        let addresses: Vec<&str> = addresses.filter(|address| !address.contains('>')).collect();
        assert!(addresses.iter().any(|address| address.starts_with("/assets/cast/cast.js?v=")));
        for address in addresses {
            assert!(address.starts_with("/assets/") || address == "image/svg+xml", "{address}");
        }
    }
    for (name, content_type, text) in
        [("cast.js", "text/javascript", SCRIPT), ("cast.css", "text/css", STYLE)]
    {
        let file = server.send("GET", &format!("/assets/cast/{name}"), &[], "");
        assert!(file.header("content-type").starts_with(content_type));
        assert_eq!(file.body, text);
    }
    assert_eq!(server.send("GET", "/assets/cast/cast.html", &[], "").status, 404);
}
