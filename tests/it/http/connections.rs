//! Connections: kept, limited, in HTTP/2, streaming, and stopped without breaking anything.

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

use super::Server;
use super::answer;
use super::request;
use super::route;

fn quick() -> Route {
    route("GET", "/quick", |_| Ok(Response::bytes("text/plain", "quick")))
}

/// A route that says when it has begun and ends when told, or when nobody can tell any more.
fn slow() -> (Route, mpsc::Receiver<()>, mpsc::Sender<()>) {
    let (began, begin) = mpsc::channel();
    let (end, ended) = mpsc::channel();
    let ended = Mutex::new(ended);
    let slow = route("GET", "/slow", move |_| {
        let _ = began.send(());
        let _ = ended.lock().unwrap().recv_timeout(Duration::from_secs(30));
        Ok(Response::bytes("text/plain", "slow"))
    });
    (slow, begin, end)
}

/// Whether the other side closes the connection within two seconds.
fn closes(stream: &mut TcpStream) -> bool {
    stream.set_read_timeout(Some(Duration::from_secs(2))).unwrap();
    matches!(stream.read(&mut [0; 64]), Ok(0))
}

#[test]
fn connections_are_kept_and_pipelined() {
    let server = Server::new(vec![quick()]);
    let mut stream = server.connect();
    for _ in 0..3 {
        request(&mut stream, "GET /quick", b"");
    }
    for _ in 0..3 {
        assert_eq!(answer(&mut stream, false).text(), "quick");
    }
}

#[test]
fn an_idle_connection_is_closed_after_a_while_and_no_sooner() {
    let server = Server::with(vec![quick()], |config| {
        config.header_timeout = Duration::from_millis(100);
        config.idle_timeout = Duration::from_millis(600);
    });
    let mut stream = server.connect();
    request(&mut stream, "GET /quick", b"");
    answer(&mut stream, false);
    // Longer than headers may take: rest is not slowness.
    std::thread::sleep(Duration::from_millis(300));
    request(&mut stream, "GET /quick", b"");
    assert_eq!(answer(&mut stream, false).text(), "quick");
    assert!(closes(&mut stream));
}

#[test]
fn connections_over_the_limit_wait_their_turn() {
    let server = Server::with(vec![quick()], |config| config.max_connections = 1);
    let mut first = server.connect();
    request(&mut first, "GET /quick", b"");
    answer(&mut first, false);
    let mut second = server.connect();
    request(&mut second, "GET /quick", b"");
    second.set_read_timeout(Some(Duration::from_millis(100))).unwrap();
    assert!(second.read(&mut [0]).is_err(), "two connections at a time");
    drop(first);
    second.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
    assert_eq!(answer(&mut second, false).text(), "quick");
}

#[test]
fn a_client_that_takes_nothing_is_given_up() {
    let large = route("GET", "/large", |_| Ok(Response::bytes("image/png", vec![0; 64 << 20])));
    let server = Server::with(vec![large, quick()], |config| {
        config.max_connections = 1;
        config.header_timeout = Duration::from_millis(100);
        config.idle_timeout = Duration::from_millis(200);
    });
    let mut lazy = server.connect();
    request(&mut lazy, "GET /large", b"");
    // The only connection there may be becomes free again.
    assert_eq!(server.get("/quick").text(), "quick");
}

#[test]
fn a_full_queue_is_said_so() {
    let (slow, begin, end) = slow();
    // One drawing thread a core, and a queue behind them.
    let slow = Route { pool: Pool::Render, ..slow };
    let server = Server::with(vec![slow, quick()], |config| config.max_queue = 8);
    let cores = std::thread::available_parallelism().unwrap().get();
    let mut streams: Vec<TcpStream> = (0..cores + 8 + 4)
        .map(|_| {
            let mut stream = server.connect();
            request(&mut stream, "GET /slow", b"");
            stream.set_nonblocking(true).unwrap();
            stream
        })
        .collect();
    begin.recv().unwrap();
    let since = Instant::now();
    let refused = loop {
        assert!(since.elapsed() < Duration::from_secs(20), "nobody was refused");
        let answered = |it: &TcpStream| it.peek(&mut [0]).is_ok();
        match streams.iter().position(answered) {
            Some(first) => break answer(&mut blocking(streams.remove(first)), false),
            None => std::thread::sleep(Duration::from_millis(5)),
        }
    };
    assert_eq!(refused.problem(), (503, "busy".to_owned()));
    assert_eq!(refused.header("retry-after"), Some("1"));
    // Other pools are not concerned.
    assert_eq!(server.get("/quick").text(), "quick");
    drop(end);
    // Those that were taken are answered.
    let answers: Vec<u16> =
        streams.into_iter().map(|it| answer(&mut blocking(it), false).status).collect();
    assert!(answers.iter().filter(|status| **status == 200).count() >= 8, "{answers:?}");
}

fn blocking(stream: TcpStream) -> TcpStream {
    stream.set_nonblocking(false).unwrap();
    stream
}

#[test]
fn a_stream_comes_piece_by_piece_and_ends_with_the_server() {
    let events = route("GET", "/events", |_| {
        let (sender, pieces) = tokio::sync::mpsc::channel(4);
        std::thread::spawn(move || {
            let mut number = 0;
            while sender.blocking_send(Bytes::from(format!("data: {number}\n\n"))).is_ok() {
                number += 1;
                std::thread::sleep(Duration::from_millis(10));
            }
        });
        let mut response = Response::bytes("text/event-stream", "");
        response.body = Body::Stream(pieces);
        Ok(response)
    });
    let mut server = Server::new(vec![events]);
    let mut stream = server.connect();
    request(&mut stream, "GET /events", b"");
    let mut text = String::new();
    while !text.contains("data: 2") {
        let mut piece = [0; 256];
        let length = stream.read(&mut piece).unwrap();
        text.push_str(std::str::from_utf8(&piece[..length]).unwrap());
    }
    let begin = Instant::now();
    server.stop();
    let mut rest = Vec::new();
    stream.read_to_end(&mut rest).unwrap();
    assert!(rest.ends_with(b"0\r\n\r\n"), "the stream was cut off");
    server.join();
    assert!(begin.elapsed() < Duration::from_secs(2));
}

#[test]
fn a_stop_finishes_what_has_begun() {
    let (slow, begin, end) = slow();
    let mut server = Server::new(vec![slow, quick()]);
    let mut idle = server.connect();
    request(&mut idle, "GET /quick", b"");
    answer(&mut idle, false);
    let mut silent = server.connect();
    let mut busy = server.connect();
    request(&mut busy, "GET /slow", b"");
    begin.recv().unwrap();
    server.stop();
    assert!(closes(&mut idle) && closes(&mut silent));
    let begin = Instant::now();
    while TcpStream::connect(server.address).is_ok() {
        assert!(begin.elapsed() < Duration::from_secs(2), "it still accepts connections");
    }
    end.send(()).unwrap();
    assert_eq!(answer(&mut busy, false).text(), "slow");
    server.join();
}

#[test]
fn a_stop_does_not_wait_for_ever() {
    let (slow, begin, end) = slow();
    let mut server = Server::with(vec![slow], |config| {
        config.stop_timeout = Duration::from_millis(300);
    });
    let mut busy = server.connect();
    request(&mut busy, "GET /slow", b"");
    begin.recv().unwrap();
    let now = Instant::now();
    server.stop();
    server.join();
    assert!(now.elapsed() < Duration::from_secs(3));
    drop(end);
}

/// An HTTP/2 frame: length, type, flags, stream, payload (RFC 9113, section 4.1).
fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let mut bytes = (payload.len() as u32).to_be_bytes()[1..].to_vec();
    bytes.extend([kind, flags]);
    bytes.extend(stream.to_be_bytes());
    bytes.extend(payload);
    bytes
}

#[test]
fn http_2_with_prior_knowledge() {
    const DATA: u8 = 0;
    const HEADERS: u8 = 1;
    const SETTINGS: u8 = 4;
    const END: u8 = 5;
    let server = Server::new(vec![quick()]);
    let mut stream = server.connect();
    // Static table: 2 is `:method GET`, 6 is `:scheme http`; then `:path` and `:authority` as
    // literals without indexing (RFC 7541, section 6.2.2).
    let mut head = vec![0x82, 0x86, 0x04, 6];
    head.extend(b"/quick");
    head.extend([0x01, 4]);
    head.extend(b"test");
    let mut bytes = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec();
    bytes.extend(frame(SETTINGS, 0, 0, b""));
    bytes.extend(frame(HEADERS, END, 1, &head));
    stream.write_all(&bytes).unwrap();
    let mut status = None;
    loop {
        let mut head = [0; 9];
        stream.read_exact(&mut head).unwrap();
        let length = u32::from_be_bytes([0, head[0], head[1], head[2]]) as usize;
        let mut payload = vec![0; length];
        stream.read_exact(&mut payload).unwrap();
        match head[3] {
            HEADERS => status = payload.first().copied(),
            DATA => {
                // Static table: 8 is `:status 200`.
                assert_eq!((status, payload.as_slice()), (Some(0x88), b"quick".as_slice()));
                return;
            }
            _ => {}
        }
    }
}

#[test]
fn many_clients_at_once_get_their_own_answers() {
    let echo = route("GET", "/echo/{word}", |request| {
        Ok(Response::bytes("text/plain", request.param::<String>("word")?))
    });
    let server = Arc::new(Server::new(vec![echo]));
    let together = Arc::new(Barrier::new(32));
    let clients: Vec<_> = (0..32)
        .map(|client| {
            let (server, together) = (server.clone(), together.clone());
            std::thread::spawn(move || {
                together.wait();
                let mut stream = server.connect();
                for number in 0..100 {
                    request(&mut stream, &format!("GET /echo/{client}-{number}"), b"");
                    assert_eq!(answer(&mut stream, false).text(), format!("{client}-{number}"));
                }
            })
        })
        .collect();
    clients.into_iter().for_each(|it| it.join().unwrap());
}
