//! Tests of connections: keep-alive, limits, HTTP/2, streams, and graceful stop.

use std::io::Read;
use std::io::Write;
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::Barrier;
use std::sync::Mutex;
use std::sync::mpsc;
use std::time::Duration;
use std::time::Instant;

use chartroom_platform::http::Pool;
use chartroom_platform::http::Response;
use chartroom_platform::http::Route;
use chartroom_platform::http::response::Body;
use hyper::body::Bytes;

use super::HttpTestServer;
use super::create_route;
use super::read_response;
use super::write_request;

/// Returns the route `/quick`, which responds immediately.
pub fn quick_route() -> Route {
    create_route("GET", "/quick", |_| Ok(Response::bytes("text/plain", "quick")))
}

/// Returns a route with a blocking handler. The handler sends on the first channel when it has
/// started, and ends when the test sends on or drops the second one, or after 30 seconds.
pub fn blocking_route() -> (Route, mpsc::Receiver<()>, mpsc::Sender<()>) {
    let (started_sender, started) = mpsc::channel();
    let (finish, finish_receiver) = mpsc::channel();
    let finish_receiver = Mutex::new(finish_receiver);
    let route = create_route("GET", "/slow", move |_| {
        let _ = started_sender.send(());
        let _ = finish_receiver.lock().unwrap().recv_timeout(Duration::from_secs(30));
        Ok(Response::bytes("text/plain", "slow"))
    });
    (route, started, finish)
}

/// Returns whether the other side closes the connection within ten seconds without sending data.
pub fn is_closed_soon(stream: &mut TcpStream) -> bool {
    stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    matches!(stream.read(&mut [0; 64]), Ok(0))
}

#[test]
fn connection_supports_keep_alive_and_pipelining() {
    let server = HttpTestServer::new(vec![quick_route()]);
    let mut stream = server.connect();
    for _ in 0..3 {
        write_request(&mut stream, "GET /quick", b"");
    }
    for _ in 0..3 {
        assert_eq!(read_response(&mut stream, false).text(), "quick");
    }
}

#[test]
fn idle_connection_is_closed_after_the_idle_timeout() {
    let server = HttpTestServer::with_config(vec![quick_route()], |config| {
        config.header_timeout = Duration::from_millis(100);
        config.idle_timeout = Duration::from_millis(600);
    });
    let mut stream = server.connect();
    write_request(&mut stream, "GET /quick", b"");
    read_response(&mut stream, false);
    // Waits longer than the header timeout, which does not apply between requests.
    std::thread::sleep(Duration::from_millis(300));
    write_request(&mut stream, "GET /quick", b"");
    assert_eq!(read_response(&mut stream, false).text(), "quick");
    assert!(is_closed_soon(&mut stream));
}

#[test]
fn connections_above_the_limit_wait_until_one_is_idle() {
    let (slow, started, finish) = blocking_route();
    let server = HttpTestServer::with_config(vec![slow, quick_route()], |config| {
        config.max_connections = 1;
    });
    let mut first = server.connect();
    write_request(&mut first, "GET /slow", b"");
    started.recv().unwrap();
    let mut second = server.connect();
    write_request(&mut second, "GET /quick", b"");
    second.set_read_timeout(Some(Duration::from_millis(100))).unwrap();
    assert!(second.read(&mut [0]).is_err(), "two connections are served at the same time");
    finish.send(()).unwrap();
    assert_eq!(read_response(&mut first, false).text(), "slow");
    // The first connection stays open but is idle, so that it is closed for the second one.
    second.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    assert_eq!(read_response(&mut second, false).text(), "quick");
    assert!(is_closed_soon(&mut first));
}

#[test]
fn connection_of_a_client_that_does_not_read_is_closed() {
    let large =
        create_route("GET", "/large", |_| Ok(Response::bytes("image/png", vec![0; 64 << 20])));
    let server = HttpTestServer::with_config(vec![large, quick_route()], |config| {
        config.max_connections = 1;
        config.header_timeout = Duration::from_millis(100);
        config.idle_timeout = Duration::from_millis(200);
    });
    let mut unread = server.connect();
    write_request(&mut unread, "GET /large", b"");
    // The only allowed connection becomes free again.
    assert_eq!(server.get("/quick").text(), "quick");
}

#[test]
fn full_queue_returns_503() {
    let (route, started, finish) = blocking_route();
    // The pool has one render thread per core, and a queue.
    let route = Route { pool: Pool::Render, ..route };
    let server =
        HttpTestServer::with_config(vec![route, quick_route()], |config| config.max_queue = 12);
    let cores = std::thread::available_parallelism().unwrap().get();
    let mut streams: Vec<TcpStream> = (0..cores + 8 + 4)
        .map(|_| {
            let mut stream = server.connect();
            write_request(&mut stream, "GET /slow", b"");
            stream.set_nonblocking(true).unwrap();
            stream
        })
        .collect();
    started.recv().unwrap();
    let waiting_since = Instant::now();
    let refused = loop {
        assert!(waiting_since.elapsed() < Duration::from_secs(20), "no request was refused");
        let has_response = |stream: &TcpStream| stream.peek(&mut [0]).is_ok();
        match streams.iter().position(has_response) {
            Some(index) => break read_response(&mut set_blocking(streams.remove(index)), false),
            None => std::thread::sleep(Duration::from_millis(5)),
        }
    };
    assert_eq!(refused.check_problem(), (503, "busy".to_owned()));
    assert_eq!(refused.header("retry-after"), Some("1"));
    // Other pools are not affected.
    assert_eq!(server.get("/quick").text(), "quick");
    drop(finish);
    // The accepted requests get responses: three quarters of the queue, which one caller may have.
    let statuses: Vec<u16> = streams
        .into_iter()
        .map(|stream| read_response(&mut set_blocking(stream), false).status)
        .collect();
    assert!(statuses.iter().filter(|status| **status == 200).count() >= 8, "{statuses:?}");
}

/// Returns the stream in blocking mode.
fn set_blocking(stream: TcpStream) -> TcpStream {
    stream.set_nonblocking(false).unwrap();
    stream
}

#[test]
fn streamed_response_arrives_in_parts_and_ends_at_the_stop() {
    let events = create_route("GET", "/events", |_| {
        let (sender, receiver) = tokio::sync::mpsc::channel(4);
        std::thread::spawn(move || {
            let mut number = 0;
            while sender.blocking_send(Bytes::from(format!("data: {number}\n\n"))).is_ok() {
                number += 1;
                std::thread::sleep(Duration::from_millis(10));
            }
        });
        let mut response = Response::bytes("text/event-stream", "");
        response.body = Body::Stream(receiver);
        Ok(response)
    });
    let mut server = HttpTestServer::new(vec![events]);
    let mut stream = server.connect();
    write_request(&mut stream, "GET /events", b"");
    let mut text = String::new();
    while !text.contains("data: 2") {
        let mut buffer = [0; 256];
        let length = stream.read(&mut buffer).unwrap();
        text.push_str(std::str::from_utf8(&buffer[..length]).unwrap());
    }
    let stop_started = Instant::now();
    server.trigger_stop();
    let mut rest = Vec::new();
    stream.read_to_end(&mut rest).unwrap();
    assert!(rest.ends_with(b"0\r\n\r\n"), "the stream was cut off");
    server.wait_until_stopped();
    // Before the stop timeout of eight seconds.
    assert!(stop_started.elapsed() < Duration::from_secs(7));
}

#[test]
fn graceful_stop_finishes_running_requests() {
    let (route, request_started, finish) = blocking_route();
    let mut server = HttpTestServer::new(vec![route, quick_route()]);
    let mut idle = server.connect();
    write_request(&mut idle, "GET /quick", b"");
    read_response(&mut idle, false);
    let mut silent = server.connect();
    let mut busy = server.connect();
    write_request(&mut busy, "GET /slow", b"");
    request_started.recv().unwrap();
    server.trigger_stop();
    assert!(is_closed_soon(&mut idle) && is_closed_soon(&mut silent));
    let stop_started = Instant::now();
    while TcpStream::connect(server.address).is_ok() {
        assert!(
            stop_started.elapsed() < Duration::from_secs(7),
            "the server still accepts connections"
        );
    }
    finish.send(()).unwrap();
    assert_eq!(read_response(&mut busy, false).text(), "slow");
    server.wait_until_stopped();
}

#[test]
fn graceful_stop_has_a_timeout() {
    let (route, started, finish) = blocking_route();
    let mut server = HttpTestServer::with_config(vec![route], |config| {
        config.stop_timeout = Duration::from_millis(300);
    });
    let mut busy = server.connect();
    write_request(&mut busy, "GET /slow", b"");
    started.recv().unwrap();
    let stop_started = Instant::now();
    server.trigger_stop();
    server.wait_until_stopped();
    // The handler runs for 30 seconds.
    assert!(stop_started.elapsed() < Duration::from_secs(20));
    drop(finish);
}

/// First bytes of an HTTP/2 connection (RFC 9113, section 3.4).
pub const HTTP2_PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
/// Types of HTTP/2 frames (RFC 9113, section 6).
const DATA: u8 = 0;
pub const HEADERS: u8 = 1;
pub const SETTINGS: u8 = 4;
/// Flag END_HEADERS of a frame of type HEADERS.
const END_HEADERS: u8 = 4;
/// Flags END_STREAM and END_HEADERS of a frame of type HEADERS.
pub const END_STREAM_AND_HEADERS: u8 = 5;

/// Encodes an HTTP/2 frame: length, type, flags, stream, payload (RFC 9113, section 4.1).
pub fn http2_frame(frame_type: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let mut bytes = (payload.len() as u32).to_be_bytes()[1..].to_vec();
    bytes.extend([frame_type, flags]);
    bytes.extend(stream.to_be_bytes());
    bytes.extend(payload);
    bytes
}

/// Encodes the header block of a GET request for a path of at most 126 bytes.
pub fn http2_get(path: &str) -> Vec<u8> {
    // Static table: 0x82 is `:method GET`, 0x86 is `:scheme http`; then `:path` and `:authority` as
    // literals without indexing (RFC 7541, section 6.2.2).
    let mut block = vec![0x82, 0x86, 0x04, path.len() as u8];
    block.extend(path.as_bytes());
    block.extend([0x01, 4]);
    block.extend(b"test");
    block
}

/// Sends one HTTP/2 request with these header fields. Returns the first byte of the response headers, the status
/// by its number in the static table of HPACK, and the body.
fn send_http2(server: &HttpTestServer, header_block: &[u8]) -> (Option<u8>, Vec<u8>) {
    let mut stream = server.connect();
    let mut bytes = HTTP2_PREFACE.to_vec();
    bytes.extend(http2_frame(SETTINGS, 0, 0, b""));
    bytes.extend(http2_frame(HEADERS, END_STREAM_AND_HEADERS, 1, header_block));
    stream.write_all(&bytes).unwrap();
    let mut status = None;
    loop {
        let mut frame_header = [0; 9];
        stream.read_exact(&mut frame_header).unwrap();
        let length =
            u32::from_be_bytes([0, frame_header[0], frame_header[1], frame_header[2]]) as usize;
        let mut payload = vec![0; length];
        stream.read_exact(&mut payload).unwrap();
        match frame_header[3] {
            HEADERS => status = payload.first().copied(),
            DATA => return (status, payload),
            _ => {}
        }
    }
}

#[test]
fn http_2_with_prior_knowledge_works() {
    let server = HttpTestServer::new(vec![quick_route()]);
    // Static table: 8 is `:status 200`.
    assert_eq!(send_http2(&server, &http2_get("/quick")), (Some(0x88), b"quick".to_vec()));
}

#[test]
fn a_header_field_that_is_repeated_too_often_is_refused() {
    let server = HttpTestServer::new(vec![quick_route()]);
    let send = |repetitions: usize| {
        // The field `a` enters the dynamic table as its first entry, 62, which then takes one byte.
        let mut block = http2_get("/quick");
        block.extend([0x40, 1, b'a', 0]);
        block.extend(std::iter::repeat_n(0x80 | 62, repetitions));
        send_http2(&server, &block)
    };
    assert_eq!(send(99).0, Some(0x88));
    // Static table: 12 is `:status 400`.
    let (status, body) = send(100);
    let body = String::from_utf8(body).unwrap();
    assert!(status == Some(0x8c) && body.contains("more than 100 header fields"), "{body}");
}

/// Returns whether a response begins on an HTTP/2 connection. Reads until nothing arrives for a moment.
fn has_http2_response(stream: &mut TcpStream) -> bool {
    stream.set_read_timeout(Some(Duration::from_millis(100))).unwrap();
    let mut frame_header = [0; 9];
    while stream.read_exact(&mut frame_header).is_ok() {
        if frame_header[3] == HEADERS {
            return true;
        }
        let length = u32::from_be_bytes([0, frame_header[0], frame_header[1], frame_header[2]]);
        stream.read_exact(&mut vec![0; length as usize]).unwrap();
    }
    false
}

#[test]
fn headers_of_unfinished_requests_take_the_memory_of_their_client() {
    const MAX_TIME: Duration = Duration::from_secs(15);
    let upload = create_route("POST", "/upload", |_| Ok(Response::no_content()));
    let server = HttpTestServer::new(vec![upload]);
    let mut block = http2_get("/upload");
    // `:method POST` in the static table.
    block[0] = 0x83;
    // A field of 280 bytes that enters the dynamic table, and 99 repetitions of it.
    block.extend([0x40, 1, b'a', 0x7f, 0x99, 0x01]);
    block.extend([b'x'; 280]);
    block.extend([0x80 | 62; 99]);
    let mut bytes = HTTP2_PREFACE.to_vec();
    bytes.extend(http2_frame(SETTINGS, 0, 0, b""));
    for index in 0..128 {
        bytes.extend(http2_frame(HEADERS, END_HEADERS, 1 + 2 * index, &block));
    }
    // Together more than the 48 MiB of a client.
    let mut streams: Vec<TcpStream> = (0..12).map(|_| server.connect()).collect();
    streams.iter_mut().for_each(|stream| stream.write_all(&bytes).unwrap());
    let start = Instant::now();
    while !streams.iter_mut().any(has_http2_response) {
        assert!(start.elapsed() < MAX_TIME, "no request was refused");
    }
}

#[test]
fn concurrent_clients_get_their_own_responses() {
    let echo = create_route("GET", "/echo/{word}", |request| {
        Ok(Response::bytes("text/plain", request.param::<String>("word")?))
    });
    let server = Arc::new(HttpTestServer::new(vec![echo]));
    let barrier = Arc::new(Barrier::new(32));
    let clients: Vec<_> = (0..32)
        .map(|client| {
            let (server, barrier) = (server.clone(), barrier.clone());
            std::thread::spawn(move || {
                barrier.wait();
                let mut stream = server.connect();
                for number in 0..100 {
                    write_request(&mut stream, &format!("GET /echo/{client}-{number}"), b"");
                    assert_eq!(
                        read_response(&mut stream, false).text(),
                        format!("{client}-{number}")
                    );
                }
            })
        })
        .collect();
    clients.into_iter().for_each(|client| client.join().unwrap());
}
