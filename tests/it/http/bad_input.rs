//! Tests of invalid requests: bodies and headers that are too large, too slow or malformed.

use std::io::Read;
use std::io::Write;
use std::time::Duration;
use std::time::Instant;

use chartroom_platform::http::Response;
use chartroom_platform::http::Route;
use chartroom_platform::http::route::BodyLimit;
use serde_json::Value;

use super::HttpTestServer;
use super::create_route;
use super::read_response;
use super::write_request;

/// Body limit of the route `/length`.
const MAX_TEST_BODY_BYTES: usize = 1000;

fn test_routes() -> Vec<Route> {
    let echo_length = |request: &chartroom_platform::http::Request| {
        Ok(Response::bytes("text/plain", request.body.len().to_string()))
    };
    vec![
        Route {
            body_limit: Some(BodyLimit::Bytes(MAX_TEST_BODY_BYTES)),
            ..create_route("POST", "/length", echo_length)
        },
        create_route("POST", "/large", echo_length),
        create_route("POST", "/json", |request| {
            let value: std::collections::BTreeMap<String, Value> = request.parse_json()?;
            Response::json(&value)
        }),
        create_route("POST", "/number", |request| {
            #[derive(serde::Deserialize)]
            struct Body {
                data: Vec<Record>,
            }
            #[derive(serde::Deserialize)]
            struct Record {
                value: f64,
            }
            let body: Body = request.parse_json()?;
            Ok(Response::bytes(
                "text/plain",
                body.data.iter().map(|record| record.value).sum::<f64>().to_string(),
            ))
        }),
    ]
}

/// Sets the timeouts of headers and bodies to 200 ms.
fn set_short_timeouts(config: &mut chartroom_platform::config::Config) {
    config.header_timeout = Duration::from_millis(200);
    config.body_timeout = Duration::from_millis(200);
}

/// Sends a chunked body of `count` chunks with `size` bytes each.
fn send_chunks(stream: &mut std::net::TcpStream, count: usize, size: usize) {
    for _ in 0..count {
        let chunk = format!("{size:x}\r\n{}\r\n", "x".repeat(size));
        // The server may refuse the request before all chunks are sent.
        drop(stream.write_all(chunk.as_bytes()));
    }
    drop(stream.write_all(b"0\r\n\r\n"));
}

#[test]
fn body_above_the_limit_returns_413() {
    let server = HttpTestServer::new(test_routes());
    let post = |length: usize| server.send("POST /length", &vec![b'x'; length]);
    assert_eq!(post(0).text(), "0");
    assert_eq!(post(MAX_TEST_BODY_BYTES).text(), "1000");
    assert_eq!(post(MAX_TEST_BODY_BYTES + 1).check_problem(), (413, "too_large".to_owned()));
    // The default of other routes is 1 MiB.
    assert_eq!(server.send("POST /large", &vec![b'x'; 1 << 20]).text(), "1048576");
    assert_eq!(server.send("POST /large", &vec![b'x'; (1 << 20) + 1]).status, 413);
}

#[test]
fn connection_stays_usable_after_a_refused_body() {
    let server = HttpTestServer::new(test_routes());
    let mut stream = server.connect();
    write_request(&mut stream, "POST /length", &vec![b'x'; 5 << 20]);
    assert_eq!(read_response(&mut stream, false).status, 413);
    write_request(&mut stream, "POST /length", b"abc");
    assert_eq!(read_response(&mut stream, false).text(), "3");
}

#[test]
fn expect_continue_is_refused_before_the_body_is_sent() {
    let server = HttpTestServer::new(test_routes());
    let mut stream = server.connect();
    write_request(&mut stream, "POST /length\nContent-Length: 5000\nExpect: 100-continue", b"");
    assert_eq!(read_response(&mut stream, false).check_problem(), (413, "too_large".to_owned()));
    let mut stream = server.connect();
    write_request(&mut stream, "POST /length\nContent-Length: 3\nExpect: 100-continue", b"");
    assert_eq!(read_response(&mut stream, true).status, 100);
    stream.write_all(b"abc").unwrap();
    assert_eq!(read_response(&mut stream, false).text(), "3");
}

#[test]
fn chunked_body_above_the_limit_returns_413() {
    let server = HttpTestServer::new(test_routes());
    let send = |chunk_count: usize| {
        let mut stream = server.connect();
        write_request(&mut stream, "POST /length\nTransfer-Encoding: chunked", b"");
        send_chunks(&mut stream, chunk_count, 100);
        read_response(&mut stream, false)
    };
    assert_eq!(send(10).text(), "1000");
    assert_eq!(send(11).check_problem(), (413, "too_large".to_owned()));
    assert_eq!(send(10_000).status, 413);
}

#[test]
fn slow_body_returns_408() {
    let server = HttpTestServer::with_config(test_routes(), set_short_timeouts);
    let mut stream = server.connect();
    write_request(&mut stream, "POST /length\nContent-Length: 1000", b"");
    let started = Instant::now();
    // Sends single bytes. Each of them arrives within the timeout, but not all of them.
    let mut writer = stream.try_clone().unwrap();
    std::thread::spawn(move || {
        while writer.write_all(b"x").is_ok() && started.elapsed() < Duration::from_secs(40) {
            std::thread::sleep(Duration::from_millis(100));
        }
    });
    assert_eq!(
        read_response(&mut stream, false).check_problem(),
        (408, "request_timeout".to_owned())
    );
    // If each byte started the timeout again, the response would come after 40 seconds.
    assert!(started.elapsed() < Duration::from_secs(20));
}

#[test]
fn slow_headers_and_idle_new_connections_are_closed() {
    let server = HttpTestServer::with_config(test_routes(), set_short_timeouts);
    let check = |first_bytes: &[u8], keep_sending: bool| {
        let mut stream = server.connect();
        stream.write_all(first_bytes).unwrap();
        let started = Instant::now();
        let mut writer = stream.try_clone().unwrap();
        let sender = std::thread::spawn(move || {
            while keep_sending && writer.write_all(b"a").is_ok() {
                std::thread::sleep(Duration::from_millis(20));
                assert!(
                    started.elapsed() < Duration::from_secs(40),
                    "the server did not close the connection"
                );
            }
        });
        // The connection is closed, or reset if our bytes arrived after the close.
        let mut rest = Vec::new();
        drop(stream.read_to_end(&mut rest));
        // Before the usual header timeout of ten seconds.
        assert!(started.elapsed() < Duration::from_secs(9));
        // With HTTP/2, the server sends its settings first.
        assert!(rest.is_empty() || first_bytes.starts_with(b"PRI"), "{rest:?}");
        drop(stream);
        sender.join().unwrap();
    };
    check(b"", false);
    check(b"GET / HT", false);
    check(b"GET / HTTP/1.1\r\nX-Long: ", true);
    check(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", false);
}

#[test]
fn too_large_headers_return_431() {
    let server = HttpTestServer::new(test_routes());
    let response = server.send(&format!("POST /length\nX-Long: {}", "x".repeat(100_000)), b"");
    assert_eq!(response.status, 431);
    let many_headers: String = (0..200).map(|number| format!("\nX-{number}: x")).collect();
    assert_eq!(server.send(&format!("POST /length{many_headers}"), b"").status, 431);
}

#[test]
fn invalid_json_is_refused() {
    let server = HttpTestServer::new(test_routes());
    let post_json = |body: &[u8]| {
        let response = server.send("POST /json\nContent-Type: application/json", body);
        let field = (response.status != 200).then(|| response.json()["errors"][0]["field"].clone());
        (response.status, field)
    };
    let refused = |body: &[u8]| assert_eq!(post_json(body), (400, Some("body".into())));
    let nested = |depth: usize| format!("{{\"a\":{}{}}}", "[".repeat(depth), "]".repeat(depth));
    assert_eq!(post_json(b"{\"a\":1}"), (200, None));
    assert_eq!(post_json(nested(63).as_bytes()), (200, None));
    refused(nested(64).as_bytes());
    refused(nested(100_000).as_bytes());
    refused(b"{\"a\":\"\xff\xfe\"}");
    refused(b"{\"a\":1");
    refused(b"{} {}");
    refused(b"[1,2]");
}

#[test]
fn invalid_json_field_is_named_by_its_path() {
    let server = HttpTestServer::new(test_routes());
    let response = server.send("POST /number", b"{\"data\":[{\"value\":1},{\"value\":\"two\"}]}");
    assert_eq!(response.check_problem(), (400, "invalid_field".to_owned()));
    assert_eq!(response.json()["errors"][0]["field"], "data[1].value");
}

#[test]
fn unsupported_media_type_returns_415() {
    let server = HttpTestServer::new(test_routes());
    let send = |content_type: &str| {
        server.send(&format!("POST /json\nContent-Type: {content_type}"), b"{}")
    };
    assert_eq!(send("text/xml").check_problem(), (415, "unsupported_media_type".to_owned()));
    let zipped = send("application/json\nContent-Encoding: gzip");
    assert_eq!(zipped.check_problem(), (415, "unsupported_media_type".to_owned()));
    assert_eq!(send("application/json; charset=utf-8").status, 200);
    assert_eq!(send("application/scim+json").status, 200);
}

#[test]
fn malformed_http_is_refused() {
    let server = HttpTestServer::new(test_routes());
    for garbage in ["\x16\x03\x01\x02\x00\x01\x00\x01", "GET\r\n\r\n", "\0\0\0\0\r\n\r\n"] {
        let mut stream = server.connect();
        stream.write_all(garbage.as_bytes()).unwrap();
        drop(stream.shutdown(std::net::Shutdown::Write));
        let mut text = String::new();
        drop(stream.read_to_string(&mut text));
        assert!(text.is_empty() || text.starts_with("HTTP/1.1 400"), "{text}");
    }
    // A request with a length and chunks can be used for request smuggling.
    let smuggled = "POST /length\nContent-Length: 3\nTransfer-Encoding: chunked";
    let response = server.send(smuggled, b"0\r\n\r\n");
    assert!(
        response.status == 400 || response.header("connection") == Some("close"),
        "{response:?}"
    );
    assert_eq!(server.get("/nothing").status, 404);
}

#[test]
fn request_without_exactly_one_host_returns_400() {
    let server = HttpTestServer::new(test_routes());
    let send = |head: &str| {
        let mut stream = server.connect();
        stream.write_all(format!("{head}\r\n\r\n").as_bytes()).unwrap();
        read_response(&mut stream, false)
    };
    let refused = send("POST /length HTTP/1.1");
    assert_eq!(refused.check_problem(), (400, "invalid_request".to_owned()));
    assert_eq!(refused.json()["detail"], "the header Host is required");
    let refused = send("POST /length HTTP/1.1\r\nHost: a\r\nHost: b");
    assert_eq!(refused.check_problem(), (400, "invalid_request".to_owned()));
    assert_eq!(refused.json()["detail"], "the header Host must occur only once");
    assert_eq!(send("POST /length HTTP/1.1\r\nHost: a\r\nHost: a").status, 400);
    assert_eq!(send("POST /length HTTP/1.1\r\nHost: a").status, 200);
    assert_eq!(send("POST /length HTTP/1.0").status, 200);
}
