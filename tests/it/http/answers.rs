//! Tests of all responses: compression, entity tags, request ids, limits, security headers.

use std::io::Read;

use chartroom_platform::error::CurrentVersion;
use chartroom_platform::error::Error;
use chartroom_platform::http::IfMatch;
use chartroom_platform::http::Response;
use chartroom_platform::http::Route;
use hyper::header::CONTENT_SECURITY_POLICY;

use super::Server;
use super::answer;
use super::request;
use super::route;

fn page() -> String {
    "a chart of many bars, ".repeat(200)
}

fn routes() -> Vec<Route> {
    vec![
        route("GET", "/page", |_| Response::bytes("text/html", page()).with_etag("abc")),
        route("GET", "/picture", |_| Response::bytes("image/png", page()).with_etag("abc")),
        route("GET", "/small", |_| Response::bytes("text/html", "small").with_etag("abc")),
        route("GET", "/framed", |_| {
            Response::bytes("text/html", "x")
                .with_header(CONTENT_SECURITY_POLICY, "default-src 'none'")
        }),
        route("PUT", "/page", |call| {
            let stale = || {
                Ok(CurrentVersion {
                    etag: "\"abc\"".to_owned(),
                    updated: "2026-01-02T03:04:05.678Z".to_owned(),
                    updated_by: "7".to_owned(),
                    updated_by_name: None,
                })
            };
            IfMatch::from_request(call).check("\"abc\"", stale)?;
            Ok(Response::no_content())
        }),
        route("GET", "/private", |_| Err(Error::SignInRequired("sign-in required"))),
        route("GET", "/panic", |_| panic!("planted")),
    ]
}

#[test]
fn bodies_are_compressed_as_the_client_likes_and_keep_their_tag_apart() {
    let server = Server::new(routes());
    let get = |path: &str, accept: &str| {
        server.send(&format!("GET {path}\nAccept-Encoding: {accept}"), b"")
    };
    let check = |accept: &str, encoding: Option<&str>, etag: &str| {
        let answer = get("/page", accept);
        assert_eq!(answer.header("content-encoding"), encoding, "{accept}");
        assert_eq!(answer.header("etag"), Some(etag), "{accept}");
        assert_eq!(answer.header("vary"), Some("accept-encoding"), "{accept}");
        answer.body
    };
    let zs = check("gzip, br, zstd", Some("zstd"), "\"abc-zs\"");
    assert_eq!(zstd::decode_all(zs.as_slice()).unwrap(), page().as_bytes());
    let gz = check("gzip", Some("gzip"), "\"abc-gz\"");
    let mut plain = String::new();
    flate2::read::GzDecoder::new(gz.as_slice()).read_to_string(&mut plain).unwrap();
    assert_eq!(plain, page());
    check("br;q=1, gzip;q=0.1", Some("br"), "\"abc-br\"");
    assert_eq!(check("identity", None, "\"abc\""), page().as_bytes());
    for path in ["/picture", "/small"] {
        assert_eq!(get(path, "gzip").header("content-encoding"), None, "{path}");
    }
}

#[test]
fn a_client_that_has_it_gets_304() {
    let server = Server::new(routes());
    for tag in ["\"abc\"", "\"abc-gz\"", "W/\"abc\"", "\"x\", \"abc-br\"", "*"] {
        let answer = server.send(&format!("GET /page\nIf-None-Match: {tag}"), b"");
        assert_eq!(answer.status, 304, "{tag}");
        assert!(answer.header("etag").is_some() && answer.header("content-type").is_none());
    }
    assert_eq!(server.send("GET /page\nIf-None-Match: \"abd\"", b"").status, 200);
    // The connection stays usable after a response without a body.
    let mut stream = server.connect();
    request(&mut stream, "GET /page\nIf-None-Match: *", b"");
    assert_eq!(answer(&mut stream, false).status, 304);
    request(&mut stream, "HEAD /page", b"");
    assert_eq!(answer(&mut stream, true).header("content-length"), Some("4400"));
    request(&mut stream, "GET /small", b"");
    assert_eq!(answer(&mut stream, false).text(), "small");
}

#[test]
fn a_stale_edit_is_refused_with_the_present_state() {
    let server = Server::new(routes());
    let put = |tag: &str| server.send(&format!("PUT /page\nIf-Match: {tag}"), b"{}");
    assert_eq!(put("\"abc-zs\"").status, 204);
    let refused = put("\"old\"");
    assert_eq!(refused.problem(), (412, "precondition_failed".to_owned()));
    assert_eq!(refused.json()["etag"], "\"abc\"");
    assert_eq!(refused.json()["updated_by"], "7");
}

#[test]
fn request_ids_are_taken_when_sane_and_made_otherwise() {
    let server = Server::new(routes());
    let id = |theirs: &str| {
        let answer = server.send(&format!("GET /small\nX-Request-Id: {theirs}"), b"");
        answer.header("x-request-id").unwrap().to_owned()
    };
    assert_eq!(id("caller-1234.a_b"), "caller-1234.a_b");
    assert_eq!(id("7"), "7");
    for insane in ["with space in it", &"x".repeat(65), "<script>alert"] {
        assert_ne!(id(insane), insane);
    }
    assert_ne!(id(""), id(""));
}

#[test]
fn answers_keep_browsers_from_harm() {
    let server = Server::new(routes());
    let page = server.get("/page");
    assert_eq!(page.header("x-content-type-options"), Some("nosniff"));
    assert_eq!(page.header("x-frame-options"), Some("DENY"));
    assert!(page.header("content-security-policy").unwrap().contains("object-src 'none'"));
    assert_eq!(page.header("strict-transport-security"), None);
    let framed = server.get("/framed");
    assert_eq!(framed.header("content-security-policy"), Some("default-src 'none'"));
    assert_eq!(framed.header("x-frame-options"), None);
}

#[test]
fn a_missing_sign_in_names_the_ways_in() {
    let server = Server::new(routes());
    let refused = server.get("/private");
    assert_eq!(refused.problem(), (401, "sign_in_required".to_owned()));
    let challenge = refused.header("www-authenticate");
    assert_eq!(challenge, Some("Bearer, Basic realm=\"Chartroom\""));
    let script = server.send("GET /private\nSec-Fetch-Mode: cors", b"");
    assert_eq!(script.header("www-authenticate"), Some("Bearer"));
}

#[test]
fn a_panic_costs_one_answer() {
    let server = Server::new(routes());
    for _ in 0..20 {
        let answer = server.get("/panic");
        assert_eq!(answer.problem(), (500, "internal".to_owned()));
        assert!(!answer.text().contains("planted"));
    }
    assert_eq!(server.get("/small").status, 200);
}

#[test]
fn a_client_over_its_limit_waits() {
    let server = Server::with(routes(), |config| {
        config.rate_per_second = 1;
        config.rate_burst = 3;
        config.rate_limit_loopback = true;
    });
    let first = server.get("/small");
    assert_eq!(first.header("ratelimit-policy"), Some("\"default\";q=3;w=3"));
    assert_eq!(first.header("ratelimit"), Some("\"default\";r=2;t=1"));
    let refused = (0..4).map(|_| server.get("/small")).find(|it| it.status == 429).unwrap();
    assert_eq!(refused.problem(), (429, "too_many_requests".to_owned()));
    assert_eq!(refused.header("retry-after"), Some("1"));
}

#[test]
fn behind_a_trusted_proxy_each_client_counts_for_itself() {
    let limited = |trusted: &'static str| {
        Server::with(routes(), move |config| {
            config.rate_per_second = 1;
            config.rate_burst = 2;
            config.trusted_proxies = trusted.split(' ').filter_map(|it| it.parse().ok()).collect();
        })
    };
    let from = |server: &Server, client: &str| {
        server.send(&format!("GET /small\nX-Forwarded-For: {client}"), b"").status
    };
    let server = limited("127.0.0.0/8");
    let statuses: Vec<u16> = (0..3).map(|_| from(&server, "203.0.113.7")).collect();
    assert_eq!(statuses, [200, 200, 429]);
    assert_eq!(from(&server, "203.0.113.8"), 200);
    let server = limited("10.0.0.0/8");
    let statuses: Vec<u16> = (0..3).map(|_| from(&server, "203.0.113.7")).collect();
    assert_eq!(statuses, [200, 200, 200], "this machine is not limited, whatever it says");
}

#[test]
fn an_ordinary_client_understands_it_all() {
    let server = Server::new(routes());
    let agent = ureq::Agent::new_with_defaults();
    let url = format!("http://{}/page", server.address);
    for _ in 0..3 {
        let mut answer = agent.get(&url).call().unwrap();
        assert_eq!(answer.headers()["etag"], "\"abc-gz\"");
        assert_eq!(answer.body_mut().read_to_string().unwrap(), page());
    }
}
