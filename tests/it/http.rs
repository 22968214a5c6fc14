//! Tests of the HTTP server over real sockets, with routes of the tests.

mod responses;
mod bad_input;
pub mod connections;
mod fairness;
mod health;
mod openapi;
mod process;
mod routing;
mod tls;

use std::io::Read;
use std::io::Write;
use std::net::SocketAddr;
use std::net::TcpStream;
use std::path::Path;
use std::sync::mpsc;
use std::thread;
use std::thread::JoinHandle;
use std::time::Duration;

use std::sync::Arc;

use chartroom::app::App;
use chartroom::routes;
use chartroom_platform::config::Config;
use chartroom_platform::error::Result;
use chartroom_platform::http::Pool;
use chartroom_platform::http::Request;
use chartroom_platform::http::Response;
use chartroom_platform::http::Route;
use chartroom_platform::http::Security;
use chartroom_platform::http::Service;
use chartroom_platform::http::ShutdownSignal;
use chartroom_platform::http::server;
use serde_json::Value;

/// A running server in the process of the test. Dropping it stops it.
pub struct HttpTestServer {
    /// Address on which the server listens.
    pub address: SocketAddr,
    stop: ShutdownSignal,
    thread: Option<JoinHandle<Result<()>>>,
    data: tempfile::TempDir,
}

/// Returns a route without access control.
pub fn create_route(
    method: &'static str,
    path: &'static str,
    handler: impl Fn(&Request) -> Result<Response> + Send + Sync + 'static,
) -> Route {
    Route {
        method,
        path,
        pool: if method == "GET" { Pool::Read } else { Pool::Write },
        is_write: None,
        body_limit: None,
        security: Security::Open,
        allow_any_origin: false,
        access_check: None,
        handler: Box::new(handler),
        describe: |_| {},
        summary: None,
    }
}

impl HttpTestServer {
    /// Serves `routes` on a free port with settings changed by `configure`.
    pub fn with_config(routes: Vec<Route>, configure: impl FnOnce(&mut Config)) -> Self {
        Self::start(|_| routes, configure)
    }

    /// Serves all routes of the program.
    pub fn with_all_routes() -> Self {
        Self::start(|app| routes::bind_app(routes::all_routes(), app), |_| {})
    }

    fn start(
        routes: impl FnOnce(&Arc<App>) -> Vec<Route>,
        configure: impl FnOnce(&mut Config),
    ) -> Self {
        let data = tempfile::tempdir().unwrap();
        let mut config = Config {
            data_dir: data.path().to_owned(),
            listen: SocketAddr::from(([127, 0, 0, 1], 0)),
            ..Config::default()
        };
        configure(&mut config);
        let app = App::open(config).unwrap();
        let stop = ShutdownSignal::default();
        let (sender, address) = mpsc::channel();
        let server_stop = stop.clone();
        let service = Service { routes: routes(&app), app, error_page: None };
        let thread = thread::spawn(move || {
            server::run_until(service, server_stop, |address| sender.send(address).unwrap())
        });
        let address = match address.recv() {
            Ok(address) => address,
            Err(_) => panic!("the server did not start: {:?}", thread.join()),
        };
        Self { address, stop, thread: Some(thread), data }
    }

    /// Serves `routes` with the default settings.
    pub fn new(routes: Vec<Route>) -> Self {
        Self::with_config(routes, |_| {})
    }

    /// Returns the data directory.
    pub fn data_dir(&self) -> &Path {
        self.data.path()
    }

    /// Starts a graceful stop.
    pub fn trigger_stop(&self) {
        self.stop.trigger();
    }

    /// Waits until the server has stopped.
    pub fn wait_until_stopped(&mut self) {
        if let Some(thread) = self.thread.take() {
            thread.join().unwrap().unwrap();
        }
    }

    /// Opens a new connection.
    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        stream
    }

    /// Sends one request over a separate connection. `head` is the request line and headers without
    /// `Host`, lines separated by `\n`.
    pub fn send(&self, head: &str, body: &[u8]) -> ReceivedResponse {
        let mut stream = self.connect();
        write_request(&mut stream, head, body);
        read_response(&mut stream, head.starts_with("HEAD"))
    }

    /// Sends a GET request without special headers.
    pub fn get(&self, path: &str) -> ReceivedResponse {
        self.send(&format!("GET {path}"), b"")
    }
}

impl Drop for HttpTestServer {
    fn drop(&mut self) {
        self.stop.trigger();
        if let Some(thread) = self.thread.take() {
            drop(thread.join());
        }
    }
}

/// Writes one HTTP/1.1 request. Adds the length of a body.
pub fn write_request(stream: &mut TcpStream, head: &str, body: &[u8]) {
    let mut lines = head.split('\n');
    let mut text = format!("{} HTTP/1.1\r\nHost: test\r\n", lines.next().unwrap());
    for line in lines {
        text.push_str(line);
        text.push_str("\r\n");
    }
    if !body.is_empty() && !head.contains("Transfer-Encoding") {
        text.push_str(&format!("Content-Length: {}\r\n", body.len()));
    }
    text.push_str("\r\n");
    // The server may refuse the request before the client has sent all of it.
    drop(stream.write_all(text.as_bytes()).and_then(|()| stream.write_all(body)));
}

/// A response.
#[derive(Debug)]
pub struct ReceivedResponse {
    /// Status code.
    pub status: u16,
    /// Header fields in the order of the response, with lowercase names.
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl ReceivedResponse {
    /// Returns the first header of this name.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(field_name, _)| field_name == name)
            .map(|(_, value)| value.as_str())
    }

    /// Returns the body as text. Panics if it is not UTF-8.
    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }

    /// Parses the body as JSON. Panics if it is not JSON.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    /// Returns status and code of a problem document. Panics unless it has all fields of one.
    pub fn check_problem(&self) -> (u16, String) {
        assert_eq!(self.header("content-type"), Some("application/problem+json"), "{self:?}");
        let problem = self.json();
        assert_eq!(problem["status"], self.status);
        let code = problem["code"].as_str().unwrap();
        assert_eq!(problem["type"], format!("/help/errors/{code}"));
        assert_eq!(problem["request_id"], self.header("x-request-id").unwrap());
        assert!(problem["title"].is_string() && problem["detail"].is_string());
        (self.status, code.to_owned())
    }
}

/// Reads one HTTP/1.1 response. `is_head` is true if the response has no body in spite of its length,
/// as for HEAD.
pub fn read_response(stream: &mut impl Read, is_head: bool) -> ReceivedResponse {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        stream.read_exact(&mut byte).expect("the response ended within its headers");
        head.push(byte[0]);
    }
    let head = String::from_utf8(head).unwrap();
    let mut lines = head.trim_end().split("\r\n");
    let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
    let headers: Vec<(String, String)> = lines
        .map(|line| line.split_once(": ").unwrap())
        .map(|(name, value)| (name.to_lowercase(), value.to_owned()))
        .collect();
    let mut response = ReceivedResponse { status, headers, body: Vec::new() };
    if is_head || status == 204 || status == 304 {
        return response;
    }
    match response.header("content-length") {
        Some(length) => {
            response.body = vec![0; length.parse().unwrap()];
            stream.read_exact(&mut response.body).unwrap();
        }
        None => response.body = read_chunks(stream),
    }
    response
}

/// Reads a chunked body up to its last chunk.
fn read_chunks(stream: &mut impl Read) -> Vec<u8> {
    let mut body = Vec::new();
    loop {
        let mut line = Vec::new();
        while !line.ends_with(b"\r\n") {
            let mut byte = [0];
            stream.read_exact(&mut byte).unwrap();
            line.push(byte[0]);
        }
        let length = std::str::from_utf8(&line).unwrap().trim();
        let length = usize::from_str_radix(length, 16).unwrap();
        let mut piece = vec![0; length + 2];
        stream.read_exact(&mut piece).unwrap();
        if length == 0 {
            return body;
        }
        body.extend_from_slice(&piece[..length]);
    }
}
