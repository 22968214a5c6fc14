//! Tests that one client cannot use up memory, threads or connections: unread responses, unfinished
//! bodies, many requests, many connections.

use std::io::Read;
use std::io::Write;
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::SeqCst;
use std::thread;
use std::time::Duration;
use std::time::Instant;

use chartroom_platform::error::Error;
use chartroom_platform::http::Response;
use chartroom_platform::http::Route;
use chartroom_platform::http::caller_key;
use chartroom_platform::http::route::BodyLimit;
use chartroom_platform::http::route::Pool;
use flate2::read::GzDecoder;
use hyper::StatusCode;
use hyper::header::AUTHORIZATION;

use super::HttpTestServer;
use super::connections;
use super::create_route;
use super::read_response;
use super::write_request;

const MEBIBYTE: usize = 1 << 20;

/// Returns a route with a body of 14 MiB, and the number of times that its handler has run.
fn large_route() -> (Route, Arc<AtomicUsize>) {
    let runs = Arc::new(AtomicUsize::new(0));
    let counter = runs.clone();
    let route = create_route("GET", "/large", move |_| {
        counter.fetch_add(1, SeqCst);
        Ok(Response::bytes("image/png", vec![7; 14 * MEBIBYTE]))
    });
    (route, runs)
}

/// Returns the maximum number of unread responses of [`large_route`] to one caller.
///
/// One is in memory, and nine are in files, which have 126 of 128 MiB then. While the last one was
/// produced, others of the caller may have run, up to one per thread that it may use.
fn max_responses() -> usize {
    let cores = thread::available_parallelism().unwrap().get().max(2);
    10 + cores - 1
}

/// Waits until `condition` is true, at most ten seconds.
fn wait_until(text: &str, condition: impl Fn() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(start.elapsed() < Duration::from_secs(10), "{text}");
        thread::sleep(Duration::from_millis(5));
    }
}

/// Head of a request of a caller that has an account and sends few requests.
const OTHER: &str = "GET /signed-in\nAuthorization: Bearer other";

/// Returns a route that responds immediately and knows the account of each caller.
fn signed_in_route() -> Route {
    create_route("GET", "/signed-in", |request| {
        let credentials = request.header(&AUTHORIZATION).unwrap();
        caller_key::remember_account(
            &request.headers,
            request.session_cookie,
            request.caller,
            credentials,
        );
        Ok(Response::bytes("text/plain", "quick"))
    })
}

#[test]
fn unread_responses_of_a_client_stop_its_further_ones_but_not_those_of_others() {
    let (large, runs) = large_route();
    let server = HttpTestServer::new(vec![large, signed_in_route()]);
    assert_eq!(server.send(OTHER, b"").text(), "quick");
    let unread: Vec<TcpStream> = (0..40)
        .map(|_| {
            let mut stream = server.connect();
            write_request(&mut stream, "GET /large", b"");
            stream
        })
        .collect();
    thread::sleep(Duration::from_millis(500));
    assert!(runs.load(SeqCst) <= max_responses(), "{} unread responses", runs.load(SeqCst));
    assert_eq!(server.send(OTHER, b"").text(), "quick");
    // The responses that wait in files have no names there.
    let names = std::fs::read_dir(server.data_dir()).unwrap();
    let names: Vec<_> = names.map(|entry| entry.unwrap().file_name()).collect();
    assert!(names.iter().all(|name| !name.to_string_lossy().contains("response")), "{names:?}");
    drop(unread);
    // The responses that nobody will read are freed.
    assert_eq!(server.get("/large").body.len(), 14 * MEBIBYTE);
}

#[test]
fn several_large_responses_to_slow_clients_arrive_completely() {
    let text: Vec<u8> = (0..14 * MEBIBYTE).map(|number| (number % 251) as u8).collect();
    let body = text.clone();
    let route =
        create_route("GET", "/large", move |_| Ok(Response::bytes("image/png", body.clone())));
    let server = HttpTestServer::new(vec![route]);
    // All requests are sent before a response is read, so that most responses are in files.
    let mut streams: Vec<TcpStream> = (0..8)
        .map(|_| {
            let mut stream = server.connect();
            write_request(&mut stream, "GET /large", b"");
            stream
        })
        .collect();
    thread::sleep(Duration::from_millis(300));
    for stream in &mut streams {
        let response = read_response(stream, false);
        assert_eq!(response.header("content-length"), Some((14 * MEBIBYTE).to_string().as_str()));
        assert!(response.body == text, "{} bytes", response.body.len());
        // The connection can be used again.
        write_request(stream, "HEAD /large", b"");
        assert_eq!(read_response(stream, true).status, 200);
    }
}

#[test]
fn unread_http_2_streams_of_a_client_are_bounded_and_end_after_the_receive_timeout() {
    let (large, runs) = large_route();
    let server = HttpTestServer::with_config(vec![large], |config| {
        config.header_timeout = Duration::from_millis(100);
        config.idle_timeout = Duration::from_millis(1500);
    });
    let mut stream = server.connect();
    let mut bytes = connections::HTTP2_PREFACE.to_vec();
    // SETTINGS_INITIAL_WINDOW_SIZE (4) is 0: the client accepts no data.
    bytes.extend(connections::http2_frame(connections::SETTINGS, 0, 0, &[0, 4, 0, 0, 0, 0]));
    for number in 0..100 {
        let headers = connections::http2_get("/large");
        let id = 2 * number + 1;
        bytes.extend(connections::http2_frame(
            connections::HEADERS,
            connections::END_STREAM_AND_HEADERS,
            id,
            &headers,
        ));
    }
    stream.write_all(&bytes).unwrap();
    wait_until("no handler ran", || runs.load(SeqCst) > 0);
    thread::sleep(Duration::from_millis(500));
    assert!(runs.load(SeqCst) <= max_responses(), "{} unread responses", runs.load(SeqCst));
    // The client reads the headers of the responses and gets nothing else.
    stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    let mut received = Vec::new();
    let start = Instant::now();
    // The server may reset the connection, because it has unread requests.
    drop(stream.read_to_end(&mut received));
    assert!(start.elapsed() < Duration::from_secs(9), "the connection was not closed");
    assert!(received.len() < MEBIBYTE, "{} bytes", received.len());
}

#[test]
fn a_caller_with_many_requests_does_not_delay_another_one_of_the_same_network() {
    let (slow, started, finish) = connections::blocking_route();
    let server = HttpTestServer::new(vec![slow, signed_in_route()]);
    // Until its credentials have been valid once, a caller shares its turns with other unknown senders.
    assert_eq!(server.send(OTHER, b"").text(), "quick");
    let busy: Vec<TcpStream> = (0..50)
        .map(|_| {
            let mut stream = server.connect();
            write_request(&mut stream, "GET /slow\nAuthorization: Bearer busy", b"");
            stream
        })
        .collect();
    started.recv().unwrap();
    // All threads that the busy caller may use are blocked, and its other requests wait.
    for _ in 0..20 {
        assert_eq!(server.send(OTHER, b"").text(), "quick");
    }
    drop(finish);
    for mut stream in busy {
        assert_eq!(read_response(&mut stream, false).text(), "slow");
    }
}

#[test]
fn compression_of_large_responses_takes_no_thread_from_reads_and_needs_no_free_memory() {
    let (slow, started, finish) = connections::blocking_route();
    let slow = Route { pool: Pool::Render, ..slow };
    let text = "a chart of many bars, ".repeat(14 * MEBIBYTE / 22);
    let body = text.clone();
    let large =
        create_route("GET", "/text", move |_| Ok(Response::bytes("text/plain", body.clone())));
    let server = HttpTestServer::new(vec![slow, large, connections::quick_route()]);
    let send = |head: &str| {
        let mut stream = server.connect();
        write_request(&mut stream, &format!("GET {head}\nAuthorization: Bearer busy"), b"");
        stream
    };
    let cores = thread::available_parallelism().unwrap().get().max(2);
    // The caller occupies all threads that it may use for rendering, and more jobs wait.
    let busy: Vec<TcpStream> = (0..2 * cores).map(|_| send("/slow")).collect();
    (0..cores).for_each(|_| started.recv().unwrap());
    // Several responses together exceed the memory of the caller until they are compressed.
    let mut waiting: Vec<TcpStream> =
        (0..6).map(|_| send("/text\nAccept-Encoding: gzip")).collect();
    for stream in &mut waiting {
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        let response = read_response(stream, false);
        assert_eq!(response.header("content-encoding"), Some("gzip"));
        let mut decoded = String::new();
        GzDecoder::new(response.body.as_slice()).read_to_string(&mut decoded).unwrap();
        assert!(decoded == text, "{} bytes", decoded.len());
    }
    assert_eq!(read_response(&mut send("/quick"), false).text(), "quick");
    drop(finish);
    drop(busy);
}

/// Returns a route for large bodies that refuses everybody, and the number of times that its handler
/// has run.
fn refusing_route() -> (Route, Arc<AtomicUsize>) {
    let runs = Arc::new(AtomicUsize::new(0));
    let counter = runs.clone();
    let mut route = create_route("PUT", "/upload", move |_| {
        counter.fetch_add(1, SeqCst);
        Ok(Response::no_content())
    });
    route.body_limit = Some(BodyLimit::Document);
    route.access_check = Some(Box::new(|_| Err(Error::SignInRequired("sign-in required"))));
    (route, runs)
}

#[test]
fn large_body_is_refused_before_it_is_sent() {
    let (route, runs) = refusing_route();
    let server = HttpTestServer::new(vec![route]);
    // The client sends the headers only.
    let mut declared = server.connect();
    let head = format!("PUT /upload\nContent-Length: {}", 15 * MEBIBYTE);
    write_request(&mut declared, &head, b"");
    assert_eq!(read_response(&mut declared, false).check_problem().0, 401);
    let mut asking = server.connect();
    write_request(&mut asking, &format!("{head}\nExpect: 100-continue"), b"");
    assert_eq!(read_response(&mut asking, false).check_problem().0, 401);
    // Without a length, the server notices after some bytes that the body is not small.
    let mut chunked = server.connect();
    write_request(&mut chunked, "PUT /upload\nTransfer-Encoding: chunked", b"");
    let chunk =
        [format!("{:x}\r\n", 100 << 10).as_bytes(), &vec![b'x'; 100 << 10], b"\r\n"].concat();
    chunked.write_all(&chunk).unwrap();
    assert_eq!(read_response(&mut chunked, false).check_problem().0, 401);
    assert_eq!(runs.load(SeqCst), 0);
}

#[test]
fn unfinished_bodies_of_a_client_do_not_stop_those_of_others() {
    let route = create_route("PUT", "/upload", |request| {
        Ok(Response::bytes("text/plain", request.body.len().to_string()))
    });
    let route = Route { body_limit: Some(BodyLimit::Document), ..route };
    let server = HttpTestServer::with_config(vec![route], |config| {
        // The addresses of clients come from this header.
        config.trusted_proxies = vec!["127.0.0.0/8".parse().unwrap()];
        config.body_timeout = Duration::from_millis(1500);
    });
    let upload = |stream: &mut TcpStream, client: &str, sent: usize| {
        let head =
            format!("PUT /upload\nX-Forwarded-For: {client}\nContent-Length: {}", 15 * MEBIBYTE);
        write_request(stream, &head, b"");
        drop(stream.write_all(&vec![b'x'; sent]));
    };
    let unfinished: Vec<TcpStream> = (0..20)
        .map(|_| {
            let mut stream = server.connect();
            upload(&mut stream, "192.0.2.1", 2 * MEBIBYTE);
            stream
        })
        .collect();
    let mut other = server.connect();
    upload(&mut other, "192.0.2.2", 15 * MEBIBYTE);
    assert_eq!(read_response(&mut other, false).text(), (15 * MEBIBYTE).to_string());
    // Two of the others wait for the rest of their bodies, the other 18 for memory.
    let mut statuses: Vec<u16> = unfinished
        .into_iter()
        .map(|mut stream| {
            stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
            read_response(&mut stream, false).status
        })
        .collect();
    statuses.sort_unstable();
    let timed_out = statuses.iter().filter(|status| **status == 408).count();
    assert!((2..20).contains(&timed_out), "{statuses:?}");
    assert_eq!(statuses.iter().filter(|status| **status == 503).count(), 20 - timed_out);
}

#[test]
fn bodies_that_wait_for_memory_end_long_before_the_timeout() {
    let route = create_route("PUT", "/upload", |_| Ok(Response::empty(StatusCode::NO_CONTENT)));
    let route = Route { body_limit: Some(BodyLimit::Document), ..route };
    let server = HttpTestServer::with_config(vec![route], |config| {
        config.body_timeout = Duration::from_secs(300);
    });
    let upload = |sent: usize| {
        let mut stream = server.connect();
        let head = format!("PUT /upload\nContent-Length: {MEBIBYTE}");
        write_request(&mut stream, &head, b"");
        stream.write_all(&vec![b'x'; sent]).unwrap();
        stream
    };
    // A client may have 48 MiB, so at most 48 of them get enough memory.
    let mut unfinished: Vec<TcpStream> = (0..60).map(|_| upload(MEBIBYTE - 1)).collect();
    let (start, mut refused) = (Instant::now(), 0);
    while refused < 12 {
        assert!(start.elapsed() < Duration::from_secs(60), "{refused} are refused");
        thread::sleep(Duration::from_millis(100));
        unfinished.retain_mut(|stream| {
            stream.set_nonblocking(true).unwrap();
            let is_waiting = stream.peek(&mut [0]).is_err();
            stream.set_nonblocking(false).unwrap();
            if !is_waiting {
                assert_eq!(read_response(stream, false).status, 503);
                refused += 1;
            }
            is_waiting
        });
    }
    drop(unfinished);
    let mut next = upload(MEBIBYTE);
    assert_eq!(read_response(&mut next, false).status, 204);
}

#[test]
fn client_with_too_many_connections_loses_an_idle_one() {
    let server = HttpTestServer::with_config(vec![connections::quick_route()], |config| {
        config.max_connections = 8;
        config.rate_limit_loopback = true;
    });
    let mut streams: Vec<TcpStream> = (0..2)
        .map(|_| {
            let mut stream = server.connect();
            write_request(&mut stream, "GET /quick", b"");
            assert_eq!(read_response(&mut stream, false).text(), "quick");
            // The client can have the response before the server counts the request as ended.
            thread::sleep(Duration::from_millis(200));
            stream
        })
        .collect();
    // The third one takes the place of the first one, which is idle for the longest time.
    assert_eq!(server.get("/quick").text(), "quick");
    assert!(connections::is_closed_soon(&mut streams[0]));
    write_request(&mut streams[1], "GET /quick", b"");
    assert_eq!(read_response(&mut streams[1], false).text(), "quick");
}

#[test]
fn idle_connections_do_not_lock_out_others() {
    let server = HttpTestServer::with_config(vec![connections::quick_route()], |config| {
        config.max_connections = 4;
    });
    let idle: Vec<TcpStream> = (0..20).map(|_| server.connect()).collect();
    for _ in 0..8 {
        assert_eq!(server.get("/quick").text(), "quick");
    }
    drop(idle);
}
