//! What all connections of a server share, made once at its start.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use hyper::HeaderMap;
use hyper::header::HeaderValue;
use hyper_util::rt::TokioExecutor;
use hyper_util::rt::TokioTimer;
use hyper_util::server::conn::auto;
use rustix::process::Resource;
use tokio::sync::Semaphore;

use super::activity::Patience;
use super::answer;
use super::answer::Site;
use super::application::Application;
use super::discreet::Discreet;
use super::router::Router;
use super::server::Service;
use super::server::Stop;
use super::tls::Tls;
use super::workers::Desk;
use super::workers::Workers;
use crate::crypto;
use crate::error::Result;

/// Most bytes of a request's headers: over HTTP/1.1 the buffer that must hold them.
const MAX_HEADER_BYTES: usize = 32 << 10;
const MAX_HEADER_LIST_BYTES: u32 = 32 << 10;
/// Most requests at a time on one HTTP/2 connection.
const MAX_STREAMS: u32 = 128;
/// How often a quiet HTTP/2 connection is asked whether its client is still there.
const PING_EVERY: Duration = Duration::from_secs(20);
/// Most file descriptors that we need beside connections: database, logs, remote sources.
const OTHER_FILES: u32 = 128;
/// Most MiB of request bodies over one MiB that are in memory at a time.
const BODY_MEMORY_MIB: u32 = 256;

/// What all connections share.
pub struct Server {
    /// Everything that handlers need.
    pub app: Arc<dyn Application>,
    /// Finds routes.
    pub router: Router,
    /// The routes, and what is the same for all answers.
    pub desk: Arc<Desk>,
    /// The threads that run handlers.
    pub workers: Workers,
    /// Lets answers go that shall not tell by their time what they hide.
    pub discreet: Discreet,
    /// The certificate, when the server speaks TLS.
    pub tls: Option<Tls>,
    /// Speaks HTTP on a connection.
    pub http: auto::Builder<TokioExecutor>,
    /// How long a connection may do what.
    pub patience: Patience,
    /// Most connections at a time.
    pub connections: u32,
    /// MiB of request bodies that may be in memory, counted for those over one.
    pub body_memory: Semaphore,
    /// Request ids are a random word for the process and a number.
    id_word: String,
    id_number: AtomicU64,
    /// Tells when to stop.
    pub stop: Stop,
}

impl Server {
    /// Starts the worker threads.
    ///
    /// # Errors
    /// When the routes or the certificate cannot be used.
    pub fn new(service: Service, stop: Stop) -> Result<Self> {
        let Service { app, routes, error_page } = service;
        let config = app.config();
        let tls = Tls::load(config)?;
        let router = Router::new(&routes)?;
        let site = Site {
            tls: tls.is_some() || config.base_url.starts_with("https://"),
            policy: app.limits().policy().and_then(|it| HeaderValue::from_str(it).ok()),
            error_page,
        };
        let desk = Arc::new(Desk { app: app.clone(), routes, site });
        let mut http = auto::Builder::new(TokioExecutor::new());
        http.http1().max_buf_size(MAX_HEADER_BYTES);
        http.http2()
            .timer(TokioTimer::new())
            .keep_alive_interval(PING_EVERY)
            .keep_alive_timeout(PING_EVERY)
            .max_concurrent_streams(MAX_STREAMS)
            .max_header_list_size(MAX_HEADER_LIST_BYTES);
        Ok(Self {
            router,
            workers: Workers::start(&desk, config.max_queue)?,
            discreet: Discreet::start()?,
            desk,
            tls,
            http,
            patience: Patience { header: config.header_timeout, idle: config.idle_timeout },
            connections: connections(config.max_connections),
            body_memory: Semaphore::new(BODY_MEMORY_MIB as usize),
            id_word: crypto::random_base62(8)?,
            id_number: AtomicU64::new(1),
            stop,
            app,
        })
    }

    /// The client's own request id if it is sane, else a new one.
    pub fn request_id(&self, headers: &HeaderMap) -> String {
        let sane = |id: &&str| {
            (1..=64).contains(&id.len())
                && id.bytes().all(|it| it.is_ascii_alphanumeric() || b"-_.".contains(&it))
        };
        let theirs = headers.get(answer::X_REQUEST_ID).and_then(|it| it.to_str().ok());
        match theirs.filter(sane) {
            Some(id) => id.to_owned(),
            None => numbered(&self.id_word, self.id_number.fetch_add(1, Relaxed)),
        }
    }
}

/// A word followed by a number in at least eight hexadecimal digits. Every request needs one, and
/// `format!` takes ten times as long.
fn numbered(word: &str, number: u64) -> String {
    let digits = (16 - number.leading_zeros() / 4).max(8);
    let mut text = String::with_capacity(word.len() + 16);
    text.push_str(word);
    for place in (0..digits).rev() {
        text.push(char::from(b"0123456789abcdef"[(number >> (4 * place)) as usize & 15]));
    }
    text
}

/// The share of [`Server::body_memory`] that a body of at most `bytes` needs, in MiB.
pub fn mebibytes(bytes: usize) -> u32 {
    u32::try_from(bytes.div_ceil(1 << 20)).map_or(BODY_MEMORY_MIB, |it| it.min(BODY_MEMORY_MIB))
}

/// As many connections as configured, or as the limit of open files allows. A shell gives its
/// programs 1,024, which is less than a house may have screens; they may take more by themselves, up
/// to what the system lets them.
fn connections(configured: u32) -> u32 {
    let needed = u64::from(configured) + u64::from(OTHER_FILES);
    let mut files = rustix::process::getrlimit(Resource::Nofile);
    if files.current.is_some_and(|it| it < needed) {
        files.current = Some(files.maximum.map_or(needed, |most| most.min(needed)));
        if let Err(error) = rustix::process::setrlimit(Resource::Nofile, files) {
            tracing::debug!(%error, "the limit of open files stays");
        }
    }
    let limits = std::fs::read_to_string("/proc/self/limits").unwrap_or_default();
    let files = limits
        .lines()
        .find_map(|line| line.strip_prefix("Max open files")?.split_whitespace().next())
        .and_then(|soft| soft.parse::<u32>().ok());
    let possible = files.map_or(configured, |it| it.saturating_sub(OTHER_FILES).max(16));
    if possible < configured {
        tracing::info!(possible, configured, "fewer connections: the limit of open files is low");
    }
    configured.min(possible)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn request_ids_are_a_word_and_a_number() {
        for number in [0, 1, 0x12, 0xffff_ffff, 0x1_0000_0000, u64::MAX] {
            assert_eq!(numbered("abc", number), format!("abc{number:08x}"));
        }
    }
}
