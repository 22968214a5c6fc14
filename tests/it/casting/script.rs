//! Tests of the receiver's page and script: small, without other hosts, and for old browsers. A
//! parser checks that the script is ECMAScript 2015: `tests/web/es2015.mjs`.

use crate::talk::Server;

const SCRIPT: &str = include_str!("../../../assets/cast/cast.js");
const STYLE: &str = include_str!("../../../assets/cast/cast.css");

#[test]
fn the_script_is_small_and_asks_no_other_host() {
    assert!(SCRIPT.len() < 25_000, "{} bytes", SCRIPT.len());
    for (name, text) in [("script", SCRIPT), ("style", STYLE)] {
        // `//` also starts comments. Only an address within quotes or brackets counts.
        for odd in ["http:", "https:", "\"//", "'//", "(//", "@import", "url("] {
            assert!(!text.contains(odd), "{name}: {odd}");
        }
    }
}

/// Syntax and functions that browsers support only after Chromium 53.
const LATER: &[&str] = &[
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
fn the_script_keeps_to_what_old_screens_have() {
    for later in LATER {
        assert!(!SCRIPT.contains(later), "{later}");
    }
    for later in ["gap:", "inset:", "grid", "min(", "max(", "clamp(", " aspect-ratio:", ":is(", "&"]
    {
        assert!(!STYLE.contains(later), "{later}");
    }
}

#[test]
fn the_page_keeps_its_address_to_itself() {
    let server = Server::new();
    for path in ["/cast/receiver", "/cast/AbCdEfGhIjKlMnOpQrStUvWxYz0"] {
        let page = server.send("GET", path, &[], "");
        assert_eq!(page.status, 200);
        assert_eq!(page.header("cache-control"), "no-store");
        assert_eq!(page.header("referrer-policy"), "no-referrer");
        assert_eq!(page.header("x-robots-tag"), "noindex");
        assert!(page.header("content-security-policy").contains("frame-ancestors 'none'"));
        assert!(!page.body.contains("AbCdEf"), "the token is in the address only");
        let addresses = page.body.split('"').filter(|it| it.contains('/') && !it.contains(' '));
        let addresses: Vec<&str> = addresses.filter(|it| !it.contains('>')).collect();
        assert!(addresses.iter().any(|it| it.starts_with("/assets/cast/cast.js?v=")));
        for address in addresses {
            assert!(address.starts_with("/assets/") || address == "image/svg+xml", "{address}");
        }
    }
    for (name, kind, text) in
        [("cast.js", "text/javascript", SCRIPT), ("cast.css", "text/css", STYLE)]
    {
        let file = server.send("GET", &format!("/assets/cast/{name}"), &[], "");
        assert!(file.header("content-type").starts_with(kind));
        assert_eq!(file.body, text);
    }
    assert_eq!(server.send("GET", "/assets/cast/cast.html", &[], "").status, 404);
}
