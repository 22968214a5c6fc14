//! Bodies that are too large, too slow, too deep or not what they say.

use std::io::Read;
use std::io::Write;
use std::time::Duration;
use std::time::Instant;

use chartroom_platform::http::Response;
use chartroom_platform::http::Route;
use chartroom_platform::http::route::BodyLimit;
use serde_json::Value;

use super::Server;
use super::answer;
use super::request;
use super::route;

const LIMIT: usize = 1000;

fn routes() -> Vec<Route> {
    let length = |request: &chartroom_platform::http::Request| {
        Ok(Response::bytes("text/plain", request.body.len().to_string()))
    };
    vec![
        Route { body_limit: Some(BodyLimit::Bytes(LIMIT)), ..route("POST", "/length", length) },
        route("POST", "/large", length),
        route("POST", "/json", |request| {
            let value: std::collections::BTreeMap<String, Value> = request.parse_json()?;
            Response::json(&value)
        }),
        route("POST", "/number", |request| {
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
                body.data.iter().map(|it| it.value).sum::<f64>().to_string(),
            ))
        }),
    ]
}

fn hasty(config: &mut chartroom_platform::config::Config) {
    config.header_timeout = Duration::from_millis(200);
    config.body_timeout = Duration::from_millis(200);
}

fn chunked(stream: &mut std::net::TcpStream, pieces: usize, size: usize) {
    for _ in 0..pieces {
        let piece = format!("{size:x}\r\n{}\r\n", "x".repeat(size));
        // The server may refuse before all is sent.
        drop(stream.write_all(piece.as_bytes()));
    }
    drop(stream.write_all(b"0\r\n\r\n"));
}

#[test]
fn bodies_up_to_the_limit_are_taken() {
    let server = Server::new(routes());
    let post = |length: usize| server.send("POST /length", &vec![b'x'; length]);
    assert_eq!(post(0).text(), "0");
    assert_eq!(post(LIMIT).text(), "1000");
    assert_eq!(post(LIMIT + 1).problem(), (413, "too_large".to_owned()));
    // The default of other routes is 1 MiB.
    assert_eq!(server.send("POST /large", &vec![b'x'; 1 << 20]).text(), "1048576");
    assert_eq!(server.send("POST /large", &vec![b'x'; (1 << 20) + 1]).status, 413);
}

#[test]
fn a_refused_body_does_not_break_the_connection() {
    let server = Server::new(routes());
    let mut stream = server.connect();
    request(&mut stream, "POST /length", &vec![b'x'; 5 << 20]);
    assert_eq!(answer(&mut stream, false).status, 413);
    request(&mut stream, "POST /length", b"abc");
    assert_eq!(answer(&mut stream, false).text(), "3");
}

#[test]
fn a_client_that_asks_first_is_refused_before_it_sends() {
    let server = Server::new(routes());
    let mut stream = server.connect();
    request(&mut stream, "POST /length\nContent-Length: 5000\nExpect: 100-continue", b"");
    assert_eq!(answer(&mut stream, false).problem(), (413, "too_large".to_owned()));
    let mut stream = server.connect();
    request(&mut stream, "POST /length\nContent-Length: 3\nExpect: 100-continue", b"");
    assert_eq!(answer(&mut stream, true).status, 100);
    stream.write_all(b"abc").unwrap();
    assert_eq!(answer(&mut stream, false).text(), "3");
}

#[test]
fn chunked_bodies_are_counted_while_they_come() {
    let server = Server::new(routes());
    let send = |pieces: usize| {
        let mut stream = server.connect();
        request(&mut stream, "POST /length\nTransfer-Encoding: chunked", b"");
        chunked(&mut stream, pieces, 100);
        answer(&mut stream, false)
    };
    assert_eq!(send(10).text(), "1000");
    assert_eq!(send(11).problem(), (413, "too_large".to_owned()));
    assert_eq!(send(10_000).status, 413);
}

#[test]
fn a_slow_body_is_given_up() {
    let server = Server::with(routes(), hasty);
    let mut stream = server.connect();
    request(&mut stream, "POST /length\nContent-Length: 10", b"");
    let begin = Instant::now();
    // One byte after the other: each alone would be quick enough.
    let mut writer = stream.try_clone().unwrap();
    std::thread::spawn(move || {
        while writer.write_all(b"x").is_ok() && begin.elapsed() < Duration::from_secs(1) {
            std::thread::sleep(Duration::from_millis(150));
        }
    });
    assert_eq!(answer(&mut stream, false).problem(), (408, "request_timeout".to_owned()));
    assert!(begin.elapsed() < Duration::from_secs(1));
}

#[test]
fn slow_headers_and_silence_are_given_up() {
    let server = Server::with(routes(), hasty);
    let check = |first: &[u8], trickle: bool| {
        let mut stream = server.connect();
        stream.write_all(first).unwrap();
        let begin = Instant::now();
        let mut writer = stream.try_clone().unwrap();
        let sending = std::thread::spawn(move || {
            while trickle && writer.write_all(b"a").is_ok() {
                std::thread::sleep(Duration::from_millis(20));
                assert!(begin.elapsed() < Duration::from_secs(5), "nobody closed the connection");
            }
        });
        // Closed, or reset when our bytes crossed the closing.
        let mut rest = Vec::new();
        drop(stream.read_to_end(&mut rest));
        assert!(begin.elapsed() < Duration::from_secs(2));
        // HTTP/2 begins with the server's settings.
        assert!(rest.is_empty() || first.starts_with(b"PRI"), "{rest:?}");
        drop(stream);
        sending.join().unwrap();
    };
    check(b"", false);
    check(b"GET / HT", false);
    check(b"GET / HTTP/1.1\r\nX-Long: ", true);
    check(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", false);
}

#[test]
fn headers_have_a_size() {
    let server = Server::new(routes());
    let answer = server.send(&format!("POST /length\nX-Long: {}", "x".repeat(100_000)), b"");
    assert_eq!(answer.status, 431);
    let many: String = (0..200).map(|number| format!("\nX-{number}: x")).collect();
    assert_eq!(server.send(&format!("POST /length{many}"), b"").status, 431);
}

#[test]
fn json_is_checked_before_it_is_believed() {
    let server = Server::new(routes());
    let json = |body: &[u8]| {
        let answer = server.send("POST /json\nContent-Type: application/json", body);
        let field = (answer.status != 200).then(|| answer.json()["errors"][0]["field"].clone());
        (answer.status, field)
    };
    let refused = |body: &[u8]| assert_eq!(json(body), (400, Some("body".into())));
    let nested = |depth: usize| format!("{{\"a\":{}{}}}", "[".repeat(depth), "]".repeat(depth));
    assert_eq!(json(b"{\"a\":1}"), (200, None));
    assert_eq!(json(nested(63).as_bytes()), (200, None));
    refused(nested(64).as_bytes());
    refused(nested(100_000).as_bytes());
    refused(b"{\"a\":\"\xff\xfe\"}");
    refused(b"{\"a\":1");
    refused(b"{} {}");
    refused(b"[1,2]");
}

#[test]
fn a_wrong_field_is_named_by_its_path() {
    let server = Server::new(routes());
    let answer = server.send("POST /number", b"{\"data\":[{\"value\":1},{\"value\":\"two\"}]}");
    assert_eq!(answer.problem(), (400, "invalid_field".to_owned()));
    assert_eq!(answer.json()["errors"][0]["field"], "data[1].value");
}

#[test]
fn a_body_of_another_type_is_refused() {
    let server = Server::new(routes());
    let send = |kind: &str| server.send(&format!("POST /json\nContent-Type: {kind}"), b"{}");
    assert_eq!(send("text/xml").problem(), (415, "unsupported_media_type".to_owned()));
    let zipped = send("application/json\nContent-Encoding: gzip");
    assert_eq!(zipped.problem(), (415, "unsupported_media_type".to_owned()));
    assert_eq!(send("application/json; charset=utf-8").status, 200);
    assert_eq!(send("application/scim+json").status, 200);
}

#[test]
fn garbage_is_not_http() {
    let server = Server::new(routes());
    for garbage in ["\x16\x03\x01\x02\x00\x01\x00\x01", "GET\r\n\r\n", "\0\0\0\0\r\n\r\n"] {
        let mut stream = server.connect();
        stream.write_all(garbage.as_bytes()).unwrap();
        drop(stream.shutdown(std::net::Shutdown::Write));
        let mut text = String::new();
        drop(stream.read_to_string(&mut text));
        assert!(text.is_empty() || text.starts_with("HTTP/1.1 400"), "{text}");
    }
    // Length and chunks together are how requests are smuggled past proxies.
    let smuggled = "POST /length\nContent-Length: 3\nTransfer-Encoding: chunked";
    let answer = server.send(smuggled, b"0\r\n\r\n");
    assert!(answer.status == 400 || answer.header("connection") == Some("close"), "{answer:?}");
    assert_eq!(server.get("/nothing").status, 404);
}
