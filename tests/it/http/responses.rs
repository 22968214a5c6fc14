//! Tests of all responses: compression, entity tags, request ids, limits, security headers.

use std::io::Read;

use chartroom_platform::error::CurrentVersion;
use chartroom_platform::error::Error;
use chartroom_platform::http::IfMatch;
use chartroom_platform::http::Response;
use chartroom_platform::http::Route;
use hyper::header::CONTENT_SECURITY_POLICY;

use super::HttpTestServer;
use super::create_route;
use super::read_response;
use super::write_request;

fn page_body() -> String {
    "a chart of many bars, ".repeat(200)
}

fn test_routes() -> Vec<Route> {
    vec![
        create_route("GET", "/page", |_| {
            Response::bytes("text/html", page_body()).with_etag("abc")
        }),
        create_route("GET", "/picture", |_| {
            Response::bytes("image/png", page_body()).with_etag("abc")
        }),
        create_route("GET", "/small", |_| Response::bytes("text/html", "small").with_etag("abc")),
        create_route("GET", "/framed", |_| {
            Response::bytes("text/html", "x")
                .with_header(CONTENT_SECURITY_POLICY, "default-src 'none'")
        }),
        create_route("PUT", "/page", |request| {
            let stale = || {
                Ok(CurrentVersion {
                    etag: "\"abc\"".to_owned(),
                    updated: "2026-01-02T03:04:05.678Z".to_owned(),
                    updated_by: "7".to_owned(),
                    updated_by_name: None,
                })
            };
            IfMatch::from_request(request).check("\"abc\"", stale)?;
            Ok(Response::no_content())
        }),
        create_route("GET", "/private", |_| Err(Error::SignInRequired("sign-in required"))),
        create_route("GET", "/panic", |_| panic!("planted")),
    ]
}

#[test]
fn body_is_compressed_as_accepted_and_has_a_separate_entity_tag() {
    let server = HttpTestServer::new(test_routes());
    let get = |path: &str, accept: &str| {
        server.send(&format!("GET {path}\nAccept-Encoding: {accept}"), b"")
    };
    let check = |accept: &str, encoding: Option<&str>, etag: &str| {
        let response = get("/page", accept);
        assert_eq!(response.header("content-encoding"), encoding, "{accept}");
        assert_eq!(response.header("etag"), Some(etag), "{accept}");
        assert_eq!(response.header("vary"), Some("accept-encoding"), "{accept}");
        response.body
    };
    let zstd_body = check("gzip, br, zstd", Some("zstd"), "\"abc-zs\"");
    assert_eq!(zstd::decode_all(zstd_body.as_slice()).unwrap(), page_body().as_bytes());
    let gzip_body = check("gzip", Some("gzip"), "\"abc-gz\"");
    let mut plain = String::new();
    flate2::read::GzDecoder::new(gzip_body.as_slice()).read_to_string(&mut plain).unwrap();
    assert_eq!(plain, page_body());
    check("br;q=1, gzip;q=0.1", Some("br"), "\"abc-br\"");
    assert_eq!(check("identity", None, "\"abc\""), page_body().as_bytes());
    for path in ["/picture", "/small"] {
        assert_eq!(get(path, "gzip").header("content-encoding"), None, "{path}");
    }
}

#[test]
fn matching_if_none_match_returns_304() {
    let server = HttpTestServer::new(test_routes());
    for tag in ["\"abc\"", "\"abc-gz\"", "W/\"abc\"", "\"x\", \"abc-br\"", "*"] {
        let response = server.send(&format!("GET /page\nIf-None-Match: {tag}"), b"");
        assert_eq!(response.status, 304, "{tag}");
        assert!(response.header("etag").is_some() && response.header("content-type").is_none());
    }
    assert_eq!(server.send("GET /page\nIf-None-Match: \"abd\"", b"").status, 200);
    // The connection stays usable after a response without a body.
    let mut stream = server.connect();
    write_request(&mut stream, "GET /page\nIf-None-Match: *", b"");
    assert_eq!(read_response(&mut stream, false).status, 304);
    write_request(&mut stream, "HEAD /page", b"");
    assert_eq!(read_response(&mut stream, true).header("content-length"), Some("4400"));
    write_request(&mut stream, "GET /small", b"");
    assert_eq!(read_response(&mut stream, false).text(), "small");
}

#[test]
fn stale_if_match_returns_412_with_the_current_version() {
    let server = HttpTestServer::new(test_routes());
    let put = |tag: &str| server.send(&format!("PUT /page\nIf-Match: {tag}"), b"{}");
    assert_eq!(put("\"abc-zs\"").status, 204);
    let refused = put("\"old\"");
    assert_eq!(refused.check_problem(), (412, "precondition_failed".to_owned()));
    assert_eq!(refused.json()["etag"], "\"abc\"");
    assert_eq!(refused.json()["updated_by"], "7");
}

#[test]
fn valid_request_id_is_kept_and_others_are_replaced() {
    let server = HttpTestServer::new(test_routes());
    let received_id = |sent_id: &str| {
        let response = server.send(&format!("GET /small\nX-Request-Id: {sent_id}"), b"");
        response.header("x-request-id").unwrap().to_owned()
    };
    assert_eq!(received_id("caller-1234.a_b"), "caller-1234.a_b");
    assert_eq!(received_id("7"), "7");
    for invalid in ["with space in it", &"x".repeat(65), "<script>alert"] {
        assert_ne!(received_id(invalid), invalid);
    }
    assert_ne!(received_id(""), received_id(""));
}

#[test]
fn responses_have_security_headers() {
    let server = HttpTestServer::new(test_routes());
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
fn response_401_names_the_authentication_schemes() {
    let server = HttpTestServer::new(test_routes());
    let refused = server.get("/private");
    assert_eq!(refused.check_problem(), (401, "sign_in_required".to_owned()));
    let challenge = refused.header("www-authenticate");
    assert_eq!(challenge, Some("Bearer, Basic realm=\"Chartroom\""));
    let script = server.send("GET /private\nSec-Fetch-Mode: cors", b"");
    assert_eq!(script.header("www-authenticate"), Some("Bearer"));
}

#[test]
fn panic_in_a_handler_returns_500_and_the_server_continues() {
    let server = HttpTestServer::new(test_routes());
    for _ in 0..20 {
        let response = server.get("/panic");
        assert_eq!(response.check_problem(), (500, "internal".to_owned()));
        assert!(!response.text().contains("planted"));
    }
    assert_eq!(server.get("/small").status, 200);
}

#[test]
fn request_above_the_rate_limit_returns_429() {
    let server = HttpTestServer::with_config(test_routes(), |config| {
        config.rate_per_second = 1;
        config.rate_burst = 3;
        config.rate_limit_loopback = true;
    });
    let first = server.get("/small");
    assert_eq!(first.header("ratelimit-policy"), Some("\"default\";q=3;w=3"));
    assert_eq!(first.header("ratelimit"), Some("\"default\";r=2;t=1"));
    let refused =
        (0..4).map(|_| server.get("/small")).find(|response| response.status == 429).unwrap();
    assert_eq!(refused.check_problem(), (429, "too_many_requests".to_owned()));
    assert_eq!(refused.header("retry-after"), Some("1"));
}

#[test]
fn rate_limit_counts_clients_behind_a_trusted_proxy_separately() {
    let limited_server = |trusted: &'static str| {
        HttpTestServer::with_config(test_routes(), move |config| {
            config.rate_per_second = 1;
            config.rate_burst = 2;
            config.trusted_proxies =
                trusted.split(' ').filter_map(|network| network.parse().ok()).collect();
        })
    };
    let status_from = |server: &HttpTestServer, client: &str| {
        server.send(&format!("GET /small\nX-Forwarded-For: {client}"), b"").status
    };
    let server = limited_server("127.0.0.0/8");
    let statuses: Vec<u16> = (0..3).map(|_| status_from(&server, "203.0.113.7")).collect();
    assert_eq!(statuses, [200, 200, 429]);
    assert_eq!(status_from(&server, "203.0.113.8"), 200);
    let server = limited_server("10.0.0.0/8");
    let statuses: Vec<u16> = (0..3).map(|_| status_from(&server, "203.0.113.7")).collect();
    assert_eq!(
        statuses,
        [200, 200, 200],
        "loopback clients are not limited, and the header of an untrusted proxy is ignored"
    );
}

#[test]
fn standard_http_client_can_read_responses() {
    let server = HttpTestServer::new(test_routes());
    let agent = ureq::Agent::new_with_defaults();
    let url = format!("http://{}/page", server.address);
    for _ in 0..3 {
        let mut response = agent.get(&url).call().unwrap();
        assert_eq!(response.headers()["etag"], "\"abc-gz\"");
        assert_eq!(response.body_mut().read_to_string().unwrap(), page_body());
    }
}
