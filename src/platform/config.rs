//! The settings: default < file < environment < flag.

use std::fs;
use std::net::SocketAddr;
use std::os::unix::fs::DirBuilderExt;
use std::path::PathBuf;
use std::time::Duration;

use crate::platform::error::Result;

/// All settings, resolved. PLACEHOLDER: the layers are merged later; fields stay.
#[derive(Debug, Clone)]
pub struct Config {
    /// Where the state lives: database, server key, thumbnails, backups.
    pub data_dir: PathBuf,
    /// The address to listen on.
    pub listen: SocketAddr,
    /// What addresses in answers start with, without a trailing slash.
    pub base_url: String,
    /// Most bytes of a document's JSON body.
    pub max_document_bytes: usize,
    /// Most bytes of any other JSON body.
    pub max_body_bytes: usize,
    /// Most records in a document's `data`.
    pub max_records: usize,
    /// Most bytes of finished pictures kept in memory.
    pub picture_cache_bytes: u64,
    /// Certificate chain in PEM; with `tls_key` the server speaks TLS.
    pub tls_cert: Option<PathBuf>,
    /// Private key of `tls_cert` in PEM.
    pub tls_key: Option<PathBuf>,
    /// Most connections at a time; more wait in the system's backlog.
    pub max_connections: u32,
    /// Longest wait for the headers of a request, and for the TLS handshake.
    pub header_timeout: Duration,
    /// Longest wait for the body of a request; a second more for each 64 KiB that came.
    pub body_timeout: Duration,
    /// How long a connection may rest between requests, or stall while it takes an answer.
    pub idle_timeout: Duration,
    /// Longest time that a stop waits for requests under way.
    pub stop_timeout: Duration,
    /// Requests a second that one client may send for long; 0 is without limit.
    pub rate_per_second: u32,
    /// Requests that one client may send at once.
    pub rate_burst: u32,
    /// Whether clients on this machine are limited too (a proxy here stands for everybody).
    pub rate_limit_loopback: bool,
    /// Failed sign-ins that one client may make at once.
    pub sign_in_burst: u32,
    /// How long it takes until one more failed sign-in is forgiven.
    pub sign_in_every: Duration,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            data_dir: PathBuf::from("./chartroom-data"),
            listen: SocketAddr::from(([127, 0, 0, 1], 8080)),
            base_url: "http://127.0.0.1:8080".to_owned(),
            max_document_bytes: 16 << 20,
            max_body_bytes: 1 << 20,
            max_records: 100_000,
            picture_cache_bytes: 16 << 20,
            tls_cert: None,
            tls_key: None,
            max_connections: 4096,
            header_timeout: Duration::from_secs(10),
            body_timeout: Duration::from_secs(30),
            idle_timeout: Duration::from_secs(75),
            stop_timeout: Duration::from_secs(8),
            rate_per_second: 500,
            rate_burst: 5000,
            rate_limit_loopback: false,
            sign_in_burst: 10,
            sign_in_every: Duration::from_secs(30),
        }
    }
}

impl Config {
    /// Makes the data directory (0700) when it is absent.
    pub fn make_data_dir(&self) -> Result<()> {
        Ok(fs::DirBuilder::new().recursive(true).mode(0o700).create(&self.data_dir)?)
    }
}
