//! Tests of the server in a separate process: signals and the log.

use std::io::BufRead;
use std::io::BufReader;
use std::io::Read;
use std::net::TcpStream;
use std::process::Child;
use std::process::Command;
use std::process::Stdio;
use std::time::Duration;
use std::time::Instant;

use chartroom::app::App;
use chartroom_platform::config::Config;
use chartroom_platform::config::LogFormat;
use chartroom_platform::http::Response;
use chartroom_platform::http::Service;
use chartroom_platform::http::server;
use chartroom_platform::log;
use serde_json::Value;

use super::create_route;
use super::read_response;
use super::write_request;

/// Sends a signal such as `-TERM` to a process.
pub fn send_signal(name: &str, process: u32) {
    let status = Command::new("kill").args([name, &process.to_string()]).status().unwrap();
    assert!(status.success());
}

/// Helper process and not a test: the server to which the next tests send signals. Does nothing
/// unless `CHARTROOM_TEST_SERVE` is set to the time in milliseconds that the route `/slow` takes.
#[test]
fn serve_until_signal() {
    let Ok(millis) = std::env::var("CHARTROOM_TEST_SERVE") else { return };
    let handler_time = Duration::from_millis(millis.parse().unwrap());
    let _log = log::start("info", LogFormat::Auto).unwrap();
    let data_dir = tempfile::tempdir().unwrap();
    let config = Config {
        data_dir: data_dir.path().to_owned(),
        listen: ([127, 0, 0, 1], 0).into(),
        ..Config::default()
    };
    let slow_route = create_route("GET", "/slow", move |_| {
        println!("begun");
        std::thread::sleep(handler_time);
        Ok(Response::bytes("text/plain", "finished"))
    });
    let panic_route = create_route("GET", "/panic", |_| panic!("planted"));
    let print_address = |address| println!("address {address}");
    let listener = server::bind(config.listen).unwrap();
    let routes = vec![slow_route, panic_route];
    let service = Service { app: App::open(config).unwrap(), routes, error_page: None };
    server::run(listener, service, print_address).unwrap();
    println!("clean");
}

/// Starts [`serve_until_signal`] in a separate process. Returns the process, the lines that it
/// prints, and a connection to it. `handler_ms` is the time in milliseconds that the route `/slow`
/// takes.
fn start_server_process(handler_ms: &str) -> (Child, impl Iterator<Item = String>, TcpStream) {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "http::process::serve_until_signal", "--nocapture"])
        .env("CHARTROOM_TEST_SERVE", handler_ms)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    let address =
        lines.find_map(|line| line.split_once("address ").map(|(_, address)| address.to_owned()));
    let stream = TcpStream::connect(address.unwrap()).unwrap();
    (child, lines, stream)
}

#[test]
fn signal_stops_the_program_after_the_last_response() {
    for name in ["-TERM", "-INT"] {
        let (mut child, mut lines, mut stream) = start_server_process("500");
        write_request(&mut stream, "GET /slow", b"");
        assert!(lines.any(|line| line.contains("begun")));
        send_signal(name, child.id());
        assert_eq!(read_response(&mut stream, false).text(), "finished");
        assert!(lines.any(|line| line.contains("clean")), "the program did not end cleanly");
        assert!(child.wait().unwrap().success());
    }
}

#[test]
fn second_signal_ends_the_program_immediately() {
    let (mut child, mut lines, mut stream) = start_server_process("20000");
    write_request(&mut stream, "GET /slow", b"");
    assert!(lines.any(|line| line.contains("begun")));
    let started = Instant::now();
    // Pending signals of the same kind are merged, so the test sends them until the process has
    // ended.
    while child.try_wait().unwrap().is_none() {
        send_signal("-TERM", child.id());
        std::thread::sleep(Duration::from_millis(50));
        assert!(started.elapsed() < Duration::from_secs(15), "the program waits for its response");
    }
    assert_eq!(child.wait().unwrap().code(), Some(1));
    drop(lines);
}

#[test]
fn log_has_one_line_per_request_and_no_secrets() {
    let (mut child, lines, mut stream) = start_server_process("0");
    write_request(&mut stream, "GET /slow?token=secret\nX-Request-Id: request-1", b"");
    assert_eq!(read_response(&mut stream, false).status, 200);
    write_request(&mut stream, "GET /s/secret\nAuthorization: Bearer secret", b"");
    assert_eq!(read_response(&mut stream, false).status, 404);
    write_request(&mut stream, "GET /panic\nX-Request-Id: request-3", b"");
    assert_eq!(read_response(&mut stream, false).status, 500);
    send_signal("-TERM", child.id());
    lines.for_each(drop);
    let mut text = String::new();
    child.stderr.take().unwrap().read_to_string(&mut text).unwrap();
    assert!(child.wait().unwrap().success());
    assert!(!text.contains("secret"), "{text}");
    let log: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let access_entries: Vec<&Value> =
        log.iter().filter(|entry| entry["target"] == "access").collect();
    assert_eq!(access_entries.len(), 3, "{text}");
    assert_eq!(access_entries[0]["path"], "/slow?token=…");
    assert_eq!(access_entries[0]["status"], 200);
    assert_eq!(access_entries[0]["bytes"], 8);
    assert_eq!(access_entries[0]["request_id"], "request-1");
    assert_eq!(access_entries[1]["path"], "/s/…");
    let find_message =
        |message: &str| log.iter().find(|entry| entry["message"] == message).unwrap();
    assert_eq!(find_message("panic")["text"], "planted");
    assert!(find_message("panic")["place"].as_str().unwrap().contains("process.rs"));
    assert_eq!(find_message("internal error")["request_id"], "request-3");
}
