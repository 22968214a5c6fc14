//! The server in a process of its own: signals and the log.

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

use super::answer;
use super::request;
use super::route;

/// Sends a signal to a process.
pub fn signal(name: &str, process: u32) {
    let kill = Command::new("kill").args([name, &process.to_string()]).status().unwrap();
    assert!(kill.success());
}

/// Not a test of its own: the server that the next tests send signals to, in a process of its own.
/// The variable says how many milliseconds its only route takes.
#[test]
fn serve_until_signal() {
    let Ok(millis) = std::env::var("CHARTROOM_TEST_SERVE") else { return };
    let pause = Duration::from_millis(millis.parse().unwrap());
    let _log = log::start("info", LogFormat::Auto).unwrap();
    let data = tempfile::tempdir().unwrap();
    let config = Config {
        data_dir: data.path().to_owned(),
        listen: ([127, 0, 0, 1], 0).into(),
        ..Config::default()
    };
    let slow = route("GET", "/slow", move |_| {
        println!("begun");
        std::thread::sleep(pause);
        Ok(Response::bytes("text/plain", "finished"))
    });
    let panics = route("GET", "/panic", |_| panic!("planted"));
    let ready = |address| println!("address {address}");
    let listener = server::bind(config.listen).unwrap();
    let routes = vec![slow, panics];
    let service = Service { app: App::open(config).unwrap(), routes, error_page: None };
    server::run(listener, service, ready).unwrap();
    println!("clean");
}

/// A server in a process of its own, what it prints, and a connection to it.
fn started(pause: &str) -> (Child, impl Iterator<Item = String>, TcpStream) {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "http::process::serve_until_signal", "--nocapture"])
        .env("CHARTROOM_TEST_SERVE", pause)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    let address = lines.find_map(|it| it.split_once("address ").map(|(_, it)| it.to_owned()));
    let stream = TcpStream::connect(address.unwrap()).unwrap();
    (child, lines, stream)
}

#[test]
fn a_signal_stops_the_program_after_its_last_answer() {
    for name in ["-TERM", "-INT"] {
        let (mut child, mut lines, mut stream) = started("500");
        request(&mut stream, "GET /slow", b"");
        assert!(lines.any(|line| line.contains("begun")));
        signal(name, child.id());
        assert_eq!(answer(&mut stream, false).text(), "finished");
        assert!(lines.any(|line| line.contains("clean")), "it did not end cleanly");
        assert!(child.wait().unwrap().success());
    }
}

#[test]
fn a_second_signal_ends_the_program_at_once() {
    let (mut child, mut lines, mut stream) = started("20000");
    request(&mut stream, "GET /slow", b"");
    assert!(lines.any(|line| line.contains("begun")));
    let begin = Instant::now();
    // Signals of a kind that come together are one: send until it is gone.
    while child.try_wait().unwrap().is_none() {
        signal("-TERM", child.id());
        std::thread::sleep(Duration::from_millis(50));
        assert!(begin.elapsed() < Duration::from_secs(4), "it waits for its answer");
    }
    assert_eq!(child.wait().unwrap().code(), Some(1));
    drop(lines);
}

#[test]
fn the_log_has_a_line_a_request_and_no_secrets() {
    let (mut child, lines, mut stream) = started("0");
    request(&mut stream, "GET /slow?token=secret\nX-Request-Id: request-1", b"");
    assert_eq!(answer(&mut stream, false).status, 200);
    request(&mut stream, "GET /s/secret\nAuthorization: Bearer secret", b"");
    assert_eq!(answer(&mut stream, false).status, 404);
    request(&mut stream, "GET /panic\nX-Request-Id: request-3", b"");
    assert_eq!(answer(&mut stream, false).status, 500);
    signal("-TERM", child.id());
    lines.for_each(drop);
    let mut text = String::new();
    child.stderr.take().unwrap().read_to_string(&mut text).unwrap();
    assert!(child.wait().unwrap().success());
    assert!(!text.contains("secret"), "{text}");
    let log: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let access: Vec<&Value> = log.iter().filter(|it| it["target"] == "access").collect();
    assert_eq!(access.len(), 3, "{text}");
    assert_eq!(access[0]["path"], "/slow?token=…");
    assert_eq!(access[0]["status"], 200);
    assert_eq!(access[0]["bytes"], 8);
    assert_eq!(access[0]["request_id"], "request-1");
    assert_eq!(access[1]["path"], "/s/…");
    let find = |message: &str| log.iter().find(|it| it["message"] == message).unwrap();
    assert_eq!(find("panic")["text"], "planted");
    assert!(find("panic")["place"].as_str().unwrap().contains("process.rs"));
    assert_eq!(find("internal error")["request_id"], "request-3");
}
