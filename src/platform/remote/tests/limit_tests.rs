//! Tests of the limits of time and size.

use std::time::Instant;

use flate2::write::GzEncoder;

use super::*;

/// Returns a response with this body and header lines.
fn response(headers: &str, body: &[u8]) -> Vec<u8> {
    let head = format!("HTTP/1.1 200 OK\r\n{headers}Content-Length: {}\r\n\r\n", body.len());
    [head.as_bytes(), body].concat()
}

/// Requests a URL with a deadline of 300 ms, and checks that the request ends at the deadline.
fn expect_timeout(url: &str) {
    let client = build_client(only_localhost(), Vec::new());
    let began = Instant::now();
    let deadline = Deadline::after(Duration::from_millis(300));
    let failure = client.send(&RemoteRequest::get(url, 1 << 20), deadline).unwrap_err();
    assert_eq!(failure, RemoteFailure::Timeout);
    assert!(deadline.is_passed());
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
}

#[test]
fn a_response_has_status_headers_and_body_up_to_the_size_limit() {
    let server = TestServer::with_response(HELLO);
    let response = get(&server.url("/a?b#c"), 5).unwrap();
    assert_eq!((response.status, response.content_type.as_str()), (200, "text/csv"));
    assert_eq!(response.body, b"hello");
    assert_eq!(response.final_url, server.url("/a?b"));
    assert_eq!(response.header("CONTENT-LENGTH"), Some("5"));
    assert_eq!(response.header("x-other"), None);
    assert!(!format!("{response:?}").contains("a?b"));
    assert_eq!(get(&server.url("/"), 4).unwrap_err(), RemoteFailure::TooLarge { max_bytes: 4 });
    let client = build_client(only_localhost(), Vec::new());
    let error = client.get(&server.url("/"), 4).unwrap_err();
    assert_eq!(error.to_string(), "the remote response is larger than 4 bytes");
}

#[test]
fn the_size_limit_counts_decompressed_bytes() {
    let compress = |bytes: &[u8]| {
        let mut encoder = GzEncoder::new(Vec::new(), flate2::Compression::best());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    };
    let serve = |body: &[u8]| {
        TestServer::with_response(response("Content-Encoding: gzip\r\n", body)).url("/")
    };
    let small = compress(&[b'x'; 4_000]);
    assert!(small.len() < 100);
    assert_eq!(get(&serve(&small), 4_000).unwrap().body, [b'x'; 4_000]);
    let failure = get(&serve(&small), 3_999).unwrap_err();
    assert_eq!(failure, RemoteFailure::TooLarge { max_bytes: 3_999 });
    let bomb = compress(&vec![b'x'; 20 << 20]);
    assert!(bomb.len() < 200 << 10, "{}", bomb.len());
    let failure = get(&serve(&bomb), 1 << 20).unwrap_err();
    assert_eq!(failure, RemoteFailure::TooLarge { max_bytes: 1 << 20 });
    // A bomb in a bomb is decompressed once.
    assert_eq!(get(&serve(&compress(&bomb)), 1 << 20).unwrap().body, bomb);
    // Compressed data may be slightly larger than the data, but many empty parts may not.
    let random: Vec<u8> =
        (0..4_000_u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    assert_eq!(get(&serve(&compress(&random)), 4_000).unwrap().body, random);
    let empty_parts = compress(b"").repeat(1_000);
    let failure = get(&serve(&empty_parts), 100).unwrap_err();
    assert_eq!(failure, RemoteFailure::TooLarge { max_bytes: 100 });
}

#[test]
fn a_large_content_length_is_refused_before_the_body() {
    let server = TestServer::start(|_, stream| {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 101\r\n\r\n";
        let _ = stream.write_all(head.as_bytes());
        // The body never comes. Reading ends when the client closes the connection.
        let _ = stream.read(&mut [0]);
    });
    let failure = get(&server.url("/"), 100).unwrap_err();
    assert_eq!(failure, RemoteFailure::TooLarge { max_bytes: 100 });
}

#[test]
fn a_wrong_content_length_is_no_complete_response() {
    let check = |response: &str, want: Option<&[u8]>| {
        let response = response.to_owned();
        let server = TestServer::with_response(response.clone());
        let found = get(&server.url("/"), 100);
        match want {
            Some(body) => assert_eq!(found.unwrap().body, body, "{response}"),
            None => {
                let failure = found.unwrap_err();
                assert!(matches!(failure, RemoteFailure::Failed(_)), "{response}: {failure:?}");
                assert!(!failure.to_string().contains("hello"), "{failure}");
            }
        }
    };
    check("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello", None);
    check("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nhello", Some(b"hell"));
    check("HTTP/1.1 200 OK\r\nContent-Length: hello\r\n\r\nhello", None);
    check("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 4\r\n\r\nhello", None);
    check("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n", None);
    check("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nhello\r\n", None);
    check("HTTP/1.1 200 OK\r\n\r\nhello", Some(b"hello"));
    check("hello", None);
}

#[test]
fn a_body_without_length_ends_at_the_size_limit() {
    let server = TestServer::start(|_, stream| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n");
        while stream.write_all(&[b'x'; 1 << 16]).is_ok() {}
    });
    let failure = get(&server.url("/"), 1 << 20).unwrap_err();
    assert_eq!(failure, RemoteFailure::TooLarge { max_bytes: 1 << 20 });
}

#[test]
fn large_headers_are_refused() {
    let serve = |length: usize| {
        let header = format!("X-Large: {}\r\n", "x".repeat(length));
        TestServer::with_response(response(&header, b"hello")).url("/")
    };
    assert_eq!(get(&serve(60 << 10), 5).unwrap().header("x-large").unwrap().len(), 60 << 10);
    let failure = get(&serve(64 << 10), 5).unwrap_err();
    assert_eq!(failure.to_string(), "the remote source failed: the response headers exceed 64 KiB");
    let server = TestServer::start(|_, stream| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n");
        while stream.write_all(b"X-Endless: xxxxxxxxxxxxxxxxxxxxxxxx\r\n").is_ok() {}
    });
    assert!(matches!(get(&server.url("/"), 5), Err(RemoteFailure::Failed(_))));
}

#[test]
fn servers_that_are_silent_or_slow_are_abandoned_at_the_deadline() {
    let send_slowly = |text: &'static str, byte: &'static [u8]| {
        TestServer::start(move |_, stream| {
            let _ = stream.write_all(text.as_bytes());
            while stream.write_all(byte).is_ok() {
                thread::sleep(Duration::from_millis(20));
            }
        })
    };
    let silent = TestServer::start(|_, stream| drop(stream.read(&mut [0])));
    expect_timeout(&silent.url("/"));
    expect_timeout(&send_slowly("HTTP/1.1 200 OK\r\n\r\n", b"x").url("/"));
    expect_timeout(&send_slowly("HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\n", b"x").url("/"));
    expect_timeout(&send_slowly("HTTP/1.1 200 OK\r\nX-Slow: ", b"x").url("/"));
    // A slow chain of redirects shares one deadline.
    let chain = TestServer::start(|_, stream| {
        thread::sleep(Duration::from_millis(100));
        let _ = stream.write_all(redirect(302, "/").as_bytes());
    });
    expect_timeout(&chain.url("/"));
    assert!(chain.requests().len() <= 4, "{:?}", chain.requests());
}

#[test]
fn a_silent_name_server_is_abandoned_at_the_deadline() {
    let silent = UdpSocket::bind("127.0.0.1:0").unwrap();
    let client = build_client(only_localhost(), vec![silent.local_addr().unwrap()]);
    let began = Instant::now();
    let deadline = Deadline::after(Duration::from_millis(300));
    let request = RemoteRequest::get("http://silent.test/", 5);
    assert_eq!(client.send(&request, deadline).unwrap_err(), RemoteFailure::Timeout);
    assert!(began.elapsed() < Duration::from_secs(5));
}

#[test]
fn a_request_with_a_passed_deadline_is_not_sent() {
    let target = ForbiddenServer::start("127.0.0.1");
    let client = build_client(only_localhost(), Vec::new());
    let url = format!("http://127.0.0.1:{}/", target.port());
    let deadline = Deadline::after(Duration::ZERO);
    let failure = client.send(&RemoteRequest::get(&url, 5), deadline).unwrap_err();
    assert_eq!(failure, RemoteFailure::Timeout);
    assert!(matches!(crate::error::Error::from(failure), crate::error::Error::RemoteTimeout));
    assert_eq!(target.count_connections(), 0);
}
