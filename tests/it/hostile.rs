//! Attacks on the memory of the real server by one client, which must stay within 512 MiB.

use std::fs;
use std::io::Read;
use std::io::Write;
use std::net::TcpStream;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;
use std::thread;
use std::time::Duration;
use std::time::Instant;

use serde_json::json;

use crate::http::connections;
use crate::server_process::ServerProcess;

const MEBIBYTE: usize = 1 << 20;
/// Maximum resident memory of the server under each attack.
const MAX_MEMORY_KIB: usize = 512 << 10;

/// Returns the largest resident memory that the server has had, in KiB.
fn peak_memory(server: &ServerProcess) -> usize {
    let status = fs::read_to_string(format!("/proc/{}/status", server.process_id())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

fn connect(server: &ServerProcess) -> TcpStream {
    let stream = TcpStream::connect(server.base_url.strip_prefix("http://").unwrap()).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    stream.set_write_timeout(Some(Duration::from_secs(2))).unwrap();
    stream
}

/// Creates a public document of about 14 MiB and returns its path.
fn create_large_document(server: &ServerProcess) -> String {
    let ann = server.ann();
    let created =
        ann.post("/api/v1/create-document", json!({ "widget": "bar" })).expect(200).json();
    let owner = created["owner"].as_str().unwrap();
    let path = format!("/api/v1/users/{owner}/documents/{}", created["id"].as_str().unwrap());
    let text = "x".repeat(1 << 10);
    let data: Vec<_> = (0..14_000).map(|n| json!({ "category": n, "note": text })).collect();
    ann.put(&path, json!({ "isPublic": true, "data": data })).expect(200);
    assert!(server.guest().get(&path).expect(200).body.len() > 13 * MEBIBYTE);
    path
}

/// Checks that Ben reads a page of the server soon, and that its memory is within the limit.
fn check_server(server: &ServerProcess, attack: &str) {
    let start = Instant::now();
    server.ben().get("/api/v1/user").expect(200);
    let (waited, memory) = (start.elapsed(), peak_memory(server));
    println!("{attack}: another user waited {waited:?}; peak memory {memory} KiB");
    // A request that waits for the memory or a thread of the attackers takes ten seconds and more.
    assert!(waited < Duration::from_secs(8), "{attack}: another user waited {waited:?}");
    assert!(memory < MAX_MEMORY_KIB, "{attack}: {memory} KiB");
}

#[test]
fn unread_responses_are_bounded() {
    let server = ServerProcess::new();
    let path = create_large_document(&server);
    // Unknown senders of a network share its memory. One of 64 would share that of the attackers.
    server.ben().get("/api/v1/user").expect(200);
    let idle_memory = peak_memory(&server);
    println!("peak memory before the attack: {idle_memory} KiB");
    // HTTP/2: the window of each stream is 0.
    let mut http2 = connect(&server);
    let mut bytes = connections::HTTP2_PREFACE.to_vec();
    bytes.extend(connections::http2_frame(connections::SETTINGS, 0, 0, &[0, 4, 0, 0, 0, 0]));
    for number in 0..128 {
        let headers = connections::http2_get(&path);
        let flags = connections::END_STREAM_AND_HEADERS;
        bytes.extend(connections::http2_frame(
            connections::HEADERS,
            flags,
            2 * number + 1,
            &headers,
        ));
    }
    http2.write_all(&bytes).unwrap();
    // HTTP/1.1: the client does not read.
    let http1: Vec<TcpStream> = (0..200)
        .map(|_| {
            let mut stream = connect(&server);
            let request = format!("GET {path} HTTP/1.1\r\nHost: test\r\n\r\n");
            stream.write_all(request.as_bytes()).unwrap();
            stream
        })
        .collect();
    for _ in 0..4 {
        thread::sleep(Duration::from_secs(1));
        check_server(&server, "unread responses");
    }
    drop((http1, http2));
}

#[test]
fn unfinished_request_bodies_are_bounded() {
    let server = ServerProcess::new();
    server.ben().get("/api/v1/user").expect(200);
    let uploads: Vec<TcpStream> = (0..700)
        .map(|_| {
            let mut stream = connect(&server);
            let head = "POST /api/v1/session HTTP/1.1\r\nHost: test\r\n\
                        Content-Type: application/json\r\nContent-Length: 1048576\r\n\r\n";
            stream.set_nonblocking(true).unwrap();
            drop(stream.write_all(head.as_bytes()));
            drop(stream.write_all(&vec![b' '; MEBIBYTE - 1]));
            stream
        })
        .collect();
    for _ in 0..3 {
        thread::sleep(Duration::from_millis(500));
        check_server(&server, "unfinished bodies");
    }
    // Accounts have their own memory, and small bodies of unknown senders a reserve.
    let start = Instant::now();
    let large = json!({ "widget": "bar", "title": "t", "note": "x".repeat(900 << 10) });
    server.ben().post("/api/v1/create-document", large).expect(200);
    let wrong = json!({ "email": "nobody@example.org", "password": "wrong password" });
    server.guest().post("/api/v1/session", wrong).expect(401);
    let waited = start.elapsed();
    println!("another user saved, and a guest tried to sign in, within {waited:?}");
    assert!(waited < Duration::from_secs(4), "a save and a sign-in took {waited:?}");
    drop(uploads);
}

#[test]
fn anonymous_upload_of_a_wide_table_is_refused_before_it_is_read() {
    let server = ServerProcess::new();
    let path = create_large_document(&server);
    let before = peak_memory(&server);
    let headings: Vec<String> = (0..300).map(|number| format!("c{number}")).collect();
    let table = format!("{}\n{}", headings.join(","), "1\n".repeat(100_000));
    for _ in 0..4 {
        let client = server.guest().with_header("Content-Type", "text/csv");
        client.send("PUT", &format!("{path}/data"), Some(&table)).expect(401);
    }
    let after = peak_memory(&server);
    println!("peak memory {before} KiB before, {after} KiB after");
    assert!(after < before + (16 << 10), "{before} KiB before, {after} KiB after");
    let mut stream = connect(&server);
    let head = format!(
        "PUT {path}/data HTTP/1.1\r\nHost: test\r\nContent-Type: text/csv\r\n\
         Content-Length: 15000000\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).unwrap();
    let mut status = [0; 12];
    stream.read_exact(&mut status).unwrap();
    assert_eq!(&status, b"HTTP/1.1 401");
}

/// Reads a response with `Content-Length` from a connection, and returns its status.
fn read_status(stream: &mut TcpStream) -> u16 {
    let (mut received, mut buffer) = (Vec::new(), [0; 16 << 10]);
    let end = loop {
        if let Some(end) = received.windows(4).position(|bytes| bytes == b"\r\n\r\n") {
            break end + 4;
        }
        let count = stream.read(&mut buffer).unwrap();
        assert!(count > 0, "the server closed the connection");
        received.extend_from_slice(&buffer[..count]);
    };
    let head = String::from_utf8(received[..end].to_vec()).unwrap().to_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap();
    let mut rest = vec![0; length.parse::<usize>().unwrap() - (received.len() - end)];
    stream.read_exact(&mut rest).unwrap();
    head.split(' ').nth(1).unwrap().parse().unwrap()
}

/// Ends the attackers, also after a panic.
struct StopOnDrop<'a>(&'a AtomicBool);

impl Drop for StopOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Relaxed);
    }
}

#[test]
fn invented_credentials_do_not_multiply_the_share_of_a_client() {
    const ATTACKERS: usize = 32;
    const REQUESTS: usize = 10;
    let server = ServerProcess::new();
    let ann = server.ann();
    let created =
        ann.post("/api/v1/create-document", json!({ "widget": "bar" })).expect(200).json();
    let owner = created["owner"].as_str().unwrap();
    let path = format!("/api/v1/users/{owner}/documents/{}", created["id"].as_str().unwrap());
    let data: Vec<_> = (0..30)
        .map(|number| json!({ "label": format!("Bar {number}"), "value": number }))
        .collect();
    ann.put(&path, json!({ "isPublic": true, "data": data })).expect(200);
    // Each image has another size, so that none comes from the cache.
    let number = AtomicUsize::new(0);
    let next_image = || {
        let number = number.fetch_add(1, Relaxed);
        format!("{path}.svg?width={}&height={}", 200 + number % 1000, 200 + number / 1000)
    };
    let (finished, stop) = (AtomicUsize::new(0), AtomicBool::new(false));
    let attack = || {
        let mut stream = connect(&server);
        stream.set_read_timeout(Some(Duration::from_secs(300))).unwrap();
        while !stop.load(Relaxed) {
            let image = next_image();
            let cookie = image.len() * 1_000_003 + number.load(Relaxed);
            let request = format!(
                "GET {image} HTTP/1.1\r\nHost: test\r\nCookie: chartroom_session={cookie:043}\r\n\r\n"
            );
            stream.write_all(request.as_bytes()).unwrap();
            assert_eq!(read_status(&mut stream), 200);
            finished.fetch_add(1, Relaxed);
        }
    };
    thread::scope(|threads| {
        let stop_on_drop = StopOnDrop(&stop);
        for _ in 0..ATTACKERS {
            threads.spawn(attack);
        }
        // From the second request on, the server knows the account of the bystander.
        server.ben().get(&next_image()).expect(200);
        let before = finished.load(Relaxed);
        for _ in 0..REQUESTS {
            server.ben().get(&next_image()).expect(200);
        }
        let served = finished.load(Relaxed) - before;
        drop(stop_on_drop);
        println!("{served} images of attackers during {REQUESTS} of another user");
        // With a key for each credential, the attackers would get 32 for each one of the other user.
        assert!((REQUESTS / 2..REQUESTS * 12).contains(&served), "{served}");
    });
}
