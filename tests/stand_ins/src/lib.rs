//! Servers that behave like cloud storage providers, for tests.
//!
//! Each follows the published description of the API of its provider: requests, responses, errors, and the
//! life of tokens. The official SDKs check them (`tests/stand_ins/sdk`). All state is in memory, and tests
//! change it.

pub mod box_storage;
pub mod dropbox;
pub mod google_drive;
pub mod http;
pub mod oauth;
pub mod onedrive;
pub mod smartsheet;
pub mod tree;

use std::collections::HashMap;
use std::io;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::MutexGuard;
use std::sync::PoisonError;

use http::Request;
use http::Response;
use oauth::OAuth;
use oauth::Rules;
use tree::Tree;

/// Addresses of a stand-in, as the settings of a provider have them: without a slash at the end.
#[derive(Debug, Clone, Default)]
pub struct Addresses {
    /// Page for consent, complete.
    pub auth_url: String,
    /// Token endpoint, complete.
    pub token_url: String,
    /// Scheme, host and port of the API.
    pub api_url: String,
    /// Scheme, host and port for contents. The same as `api_url` where the provider has one host.
    pub content_url: String,
    /// Scheme, host and port of the editors of Google. Empty for the other providers.
    pub link_url: String,
    /// Scheme, host and port of the download URLs in responses. Empty where there are none.
    pub download_url: String,
}

/// A running stand-in. Clones share its state.
#[derive(Debug, Clone)]
pub struct StandIn {
    pub addresses: Addresses,
    pub state: Arc<Mutex<State>>,
}

/// The state of a stand-in.
#[derive(Debug)]
pub struct State {
    pub oauth: OAuth,
    pub tree: Tree,
    /// Responses in place of the next ones of the API, the last one first.
    pub faults: Vec<Response>,
    /// Part of a path, and the response to all requests of the API with it.
    pub outage: Option<(&'static str, Response)>,
    /// Method and path of all requests, with ` +token` if they had a bearer token.
    pub log: Vec<String>,
    /// Maximum number of entries of a page, whatever the client wants.
    pub page_size: usize,
    /// Scheme, host and port that download URLs in responses have: those of [`Addresses::download_url`],
    /// or those of a proxy in front of it.
    pub download_url: String,
    /// Worksheets of spreadsheets of Google as CSV, by the ids of the spreadsheet and of the worksheet.
    pub worksheets: HashMap<(String, String), Vec<u8>>,
    /// Whether download hosts accept a token, which does not belong there. rclone sends one.
    pub permits_tokens_at_downloads: bool,
}

impl State {
    /// Creates the state of a provider. `make_id` returns the id of the node with this number.
    pub fn new(rules: Rules, make_id: fn(u64) -> String) -> Self {
        Self {
            oauth: OAuth::new(rules),
            tree: Tree::new(make_id),
            faults: Vec::new(),
            outage: None,
            log: Vec::new(),
            page_size: 1_000,
            download_url: String::new(),
            worksheets: HashMap::new(),
            permits_tokens_at_downloads: false,
        }
    }

    /// Notes a request of the API. Returns the response that a test wants in its place.
    pub fn begin(&mut self, request: &Request) -> Option<Response> {
        self.note(request);
        let outage = self.outage.as_ref().filter(|(part, _)| request.path.contains(part));
        outage.map(|(_, response)| response.clone()).or_else(|| self.faults.pop())
    }

    /// Returns whether a request to a download host has a token that it refuses.
    pub fn refuses_token(&self, request: &Request) -> bool {
        !self.permits_tokens_at_downloads && request.header("authorization").is_some()
    }

    /// Notes a request that no fault replaces.
    pub fn note(&mut self, request: &Request) {
        let token = if request.bearer().is_some() { " +token" } else { "" };
        self.log.push(format!("{} {}{token}", request.method, request.path));
    }
}

impl StandIn {
    /// Locks the state.
    pub fn lock(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }
}

/// Locks the state of a stand-in, also after a panic of another thread.
pub fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Starts the stand-in of the provider with this name in the API of Chartroom.
///
/// # Errors
/// `NotFound` for another name, and if no port is free.
pub fn start(provider: &str) -> io::Result<StandIn> {
    match provider {
        "box" => box_storage::start(),
        "dropbox" => dropbox::start(),
        "googledrive" => google_drive::start(),
        "onedrive" => onedrive::start(),
        "smartsheet" => smartsheet::start(),
        _ => Err(io::Error::new(io::ErrorKind::NotFound, "unknown provider")),
    }
}
