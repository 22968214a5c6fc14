//! Tests of sources that keep the data of documents up to date.

mod deadline;
mod files;
mod jobs;
mod mails;
mod notation;
mod pages;
pub mod policy;
mod queue;
mod responses;
mod share_links;
mod sources;
mod worksheets;

use std::io::Read;
use std::io::Write;
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::Mutex;
use std::thread;
use std::time::Duration;
use std::time::Instant;

use serde_json::Value;
use serde_json::json;

use crate::client::Client;
use crate::server_process::ServerProcess;

/// A server with a file that the test changes.
struct Source {
    url: String,
    state: Arc<Mutex<SourceState>>,
}

/// The responses of the source.
#[derive(Clone, Default)]
struct SourceState {
    /// Status, or 0 for 200.
    status: u16,
    headers: String,
    body: Vec<u8>,
    etag: String,
    delay: Duration,
    /// Number of requests.
    hits: usize,
    /// Number of requests at the same time, and the largest one.
    open: (usize, usize),
}

impl Source {
    /// Starts the server with a CSV file.
    fn start(body: &str) -> Self {
        Self::start_at("127.0.0.1", body)
    }

    /// Starts the server at an address of this machine.
    fn start_at(address: &str, body: &str) -> Self {
        let listener = TcpListener::bind((address, 0)).unwrap();
        let url = format!("http://{}/sales.csv", listener.local_addr().unwrap());
        let state = Arc::new(Mutex::new(SourceState {
            body: body.as_bytes().to_vec(),
            ..SourceState::default()
        }));
        let shared = state.clone();
        thread::spawn(move || {
            for connection in listener.incoming() {
                let (shared, mut connection) = (shared.clone(), connection.unwrap());
                thread::spawn(move || {
                    let mut request = [0; 4096];
                    let length = connection.read(&mut request).unwrap_or_default();
                    let request = String::from_utf8_lossy(&request[..length]).to_lowercase();
                    let current = {
                        let mut state = shared.lock().unwrap();
                        state.hits += 1;
                        state.open.0 += 1;
                        state.open.1 = state.open.1.max(state.open.0);
                        state.clone()
                    };
                    thread::sleep(current.delay);
                    let _ = connection.write_all(&current.respond(&request));
                    shared.lock().unwrap().open.0 -= 1;
                });
            }
        });
        Self { url, state }
    }

    /// Changes the response.
    fn set(&self, change: impl FnOnce(&mut SourceState)) {
        change(&mut self.state.lock().unwrap());
    }

    fn set_body(&self, body: &str) {
        self.set(|state| state.body = body.as_bytes().to_vec());
    }

    fn hits(&self) -> usize {
        self.state.lock().unwrap().hits
    }
}

impl SourceState {
    /// Builds the response to a request in lower case.
    fn respond(&self, request: &str) -> Vec<u8> {
        let is_current = !self.etag.is_empty()
            && request.contains(&format!("if-none-match: {}\r\n", self.etag.to_lowercase()));
        let status = match self.status {
            0 if is_current => 304,
            0 => 200,
            status => status,
        };
        let body: &[u8] = if status == 304 { b"" } else { &self.body };
        let etag = match self.etag.as_str() {
            "" => String::new(),
            etag => format!("etag: {etag}\r\n"),
        };
        let head = format!(
            "HTTP/1.1 {status} X\r\n{}{etag}content-length: {}\r\nconnection: close\r\n\r\n",
            self.headers,
            body.len()
        );
        [head.as_bytes(), body].concat()
    }
}

/// Starts a server that may reach sources on this machine and runs jobs without offsets.
fn start_server() -> ServerProcess {
    start_server_with(&[])
}

/// Starts the server with more settings.
fn start_server_with(settings: &[(&str, &str)]) -> ServerProcess {
    let fixed = [("remote_private", "yes"), ("sync_spread", "0s"), ("sync_min_interval", "1s")];
    ServerProcess::with_settings(&[&fixed, settings].concat())
}

/// Creates a document of Ann and returns its id.
fn create_document(client: &Client<'_>, kind: &str) -> String {
    let created = client.post("/api/v1/create-document", json!({ "widget": kind })).expect(200);
    created.json()["id"].as_str().unwrap().to_owned()
}

/// Returns a document.
fn read_document(client: &Client<'_>, id: &str) -> Value {
    client.get(&format!("/api/v1/users/me/documents/{id}")).expect(200).json()
}

/// Returns the job of a document.
fn read_job(client: &Client<'_>, id: &str) -> Value {
    client.get(&format!("/api/v1/sync/document/{id}")).expect(200).json()
}

/// Runs the job of a document and returns it.
fn run_job(client: &Client<'_>, id: &str) -> Value {
    client.get(&format!("/api/v1/sync/document/{id}?fresh=true")).expect(200).json()
}

/// Sets up a source that is downloaded only once and on request.
fn create_job(client: &Client<'_>, id: &str, url: &str) {
    let body = json!({ "document_id": id, "url": url });
    client.post("/api/v1/sync/create", body).expect(204);
}

/// Waits until a condition is true.
fn wait_until(what: &str, mut condition: impl FnMut() -> bool) {
    let end = Instant::now() + Duration::from_secs(20);
    while !condition() {
        assert!(Instant::now() < end, "{what}");
        thread::sleep(Duration::from_millis(20));
    }
}
