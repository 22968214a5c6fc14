//! State that all connections of a server share. It is created once at the start.

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

use super::activity::ConnectionTimeouts;
use super::application::Application;
use super::application::Service;
use super::body_memory::BodyMemory;
use super::connections::Connections;
use super::finalize;
use super::finalize::ResponseSettings;
use super::response_memory::ResponseMemory;
use super::route::Route;
use super::router::Router;
use super::shutdown::ShutdownSignal;
use super::spool::SpoolDir;
use super::timing_pad::TimingPad;
use super::tls::Tls;
use super::workers::WorkerContext;
use super::workers::Workers;
use crate::config::Config;
use crate::crypto;
use crate::error::Result;

/// Maximum size of the read buffer of an HTTP/1.1 connection, which must hold all request headers.
const MAX_HEADER_BYTES: usize = 32 << 10;
/// Maximum size of the headers of an HTTP/2 request.
const MAX_HEADER_LIST_BYTES: u32 = 32 << 10;
/// Maximum number of concurrent requests on one HTTP/2 connection.
const MAX_STREAMS: u32 = 128;
/// Interval of keep-alive pings on an HTTP/2 connection, and the time to wait for the reply.
const PING_INTERVAL: Duration = Duration::from_secs(20);
/// Number of file descriptors to reserve for the database, logs and remote sources.
const RESERVED_FILES: u32 = 128;
/// Number of bytes of request bodies that a client may send on an HTTP/2 connection, and for each
/// of its requests, before the server reads them.
const RECEIVE_WINDOW_BYTES: u32 = 64 << 10;
/// Maximum time in which a client receives nothing of a response while the memory is scarce.
const RECEIVE_TIMEOUT_UNDER_PRESSURE: Duration = Duration::from_secs(5);

/// State that all connections share.
pub struct ServerState {
    /// The application.
    pub app: Arc<dyn Application>,
    /// Lookup of routes.
    pub router: Router,
    /// Routes and settings that the workers share.
    pub context: Arc<WorkerContext>,
    /// Threads that run handlers.
    pub workers: Workers,
    /// Delay of responses that could reveal hidden objects by their timing.
    pub timing_pad: TimingPad,
    /// Certificate, if the server uses TLS.
    pub tls: Option<Tls>,
    /// Factory for HTTP/1.1 and HTTP/2 connections.
    pub http: auto::Builder<TokioExecutor>,
    /// Timeouts of a connection while memory is available, see [`Self::timeouts`].
    usual_timeouts: ConnectionTimeouts,
    /// Maximum number of open connections.
    pub max_connections: u32,
    /// All open connections.
    pub connections: Arc<Connections>,
    /// Memory of request bodies.
    pub body_memory: BodyMemory,
    /// Memory of responses that are not sent yet.
    pub response_memory: ResponseMemory,
    /// Random prefix of the request ids of this process.
    request_id_prefix: String,
    next_request_number: AtomicU64,
    /// Starts the shutdown.
    pub shutdown: ShutdownSignal,
}

impl ServerState {
    /// Builds the state and starts the worker threads. If necessary and allowed, raises the soft
    /// limit of open files of the process.
    ///
    /// # Errors
    /// If the routes or the certificate are invalid, or a thread cannot be started.
    pub fn new(service: Service, shutdown: ShutdownSignal) -> Result<Self> {
        let Service { app, routes, error_page } = service;
        let config = app.config();
        let tls = Tls::load(config)?;
        let router = Router::new(&routes)?;
        let max_body_bytes = find_max_body_bytes(&routes, config);
        let response_settings = ResponseSettings {
            require_https: tls.is_some() || config.base_url.starts_with("https://"),
            rate_limit_policy: app
                .rate_limits()
                .policy_header()
                .and_then(|value| HeaderValue::from_str(value).ok()),
            error_page,
        };
        let spool_dir = SpoolDir::new(config);
        let context =
            Arc::new(WorkerContext { app: app.clone(), routes, response_settings, spool_dir });
        let mut http = auto::Builder::new(TokioExecutor::new());
        http.http1().max_buf_size(MAX_HEADER_BYTES);
        http.http2()
            .timer(TokioTimer::new())
            .keep_alive_interval(PING_INTERVAL)
            .keep_alive_timeout(PING_INTERVAL)
            .max_concurrent_streams(MAX_STREAMS)
            .initial_stream_window_size(RECEIVE_WINDOW_BYTES)
            .initial_connection_window_size(RECEIVE_WINDOW_BYTES)
            .max_header_list_size(MAX_HEADER_LIST_BYTES);
        let max_connections = fit_to_open_file_limit(config.max_connections);
        // An event stream holds its connection for hours. Without the other connections, streams
        // from many addresses would lock everybody else out.
        app.event_hub().limit_streams(max_connections as usize / 4 * 3);
        Ok(Self {
            router,
            workers: Workers::start(&context, config.max_queue)?,
            timing_pad: TimingPad::start()?,
            context,
            tls,
            http,
            usual_timeouts: ConnectionTimeouts {
                header: config.header_timeout,
                idle: config.idle_timeout,
                receive: config.idle_timeout,
                requires_speed: false,
            },
            max_connections,
            connections: Arc::new(Connections::new(max_connections, config)),
            body_memory: BodyMemory::new(max_body_bytes, app.memory_use().clone()),
            response_memory: ResponseMemory::new(app.memory_use().clone()),
            request_id_prefix: crypto::random_base62(8)?,
            next_request_number: AtomicU64::new(1),
            shutdown,
            app,
        })
    }

    /// Returns the current timeouts of a connection. While the memory is scarce, clients must read
    /// responses quickly.
    pub fn timeouts(&self) -> ConnectionTimeouts {
        let mut timeouts = self.usual_timeouts;
        if self.response_memory.is_under_pressure() {
            timeouts.receive = timeouts.receive.min(RECEIVE_TIMEOUT_UNDER_PRESSURE);
            timeouts.requires_speed = true;
        }
        timeouts
    }

    /// Returns the request id that the client sent, if it is acceptable, otherwise a new one.
    ///
    /// An acceptable id has 1 to 64 characters, each an ASCII letter, a digit, `-`, `_` or `.`.
    pub fn choose_request_id(&self, headers: &HeaderMap) -> String {
        let is_acceptable = |id: &&str| {
            (1..=64).contains(&id.len())
                && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
        };
        let sent = headers.get(finalize::X_REQUEST_ID).and_then(|value| value.to_str().ok());
        match sent.filter(is_acceptable) {
            Some(id) => id.to_owned(),
            None => {
                let number = self.next_request_number.fetch_add(1, Relaxed);
                format_request_id(&self.request_id_prefix, number)
            }
        }
    }
}

/// Returns the maximum size in bytes of a request body that a route accepts.
fn find_max_body_bytes(routes: &[Route], config: &Config) -> usize {
    routes.iter().map(|route| route.max_body_bytes(config)).max().unwrap_or_default()
}

/// Returns `prefix` followed by `number` as at least eight lower-case hexadecimal digits.
///
/// Every request needs an id, and `format!` takes ten times as long.
fn format_request_id(prefix: &str, number: u64) -> String {
    let digits = (16 - number.leading_zeros() / 4).max(8);
    let mut text = String::with_capacity(prefix.len() + 16);
    text.push_str(prefix);
    for place in (0..digits).rev() {
        text.push(char::from(b"0123456789abcdef"[(number >> (4 * place)) as usize & 15]));
    }
    text
}

/// Returns the configured number of connections, or fewer if the limit of open files is too low.
///
/// First raises the soft limit of this process as far as necessary and allowed. Shells usually set
/// it to 1,024, which is less than the number of cast screens, with one connection each, that some
/// installations have. Does not reduce the number below 16. Returns `max_connections` if the limit
/// is unknown.
fn fit_to_open_file_limit(max_connections: u32) -> u32 {
    let needed = u64::from(max_connections) + u64::from(RESERVED_FILES);
    let mut files = rustix::process::getrlimit(Resource::Nofile);
    if files.current.is_some_and(|limit| limit < needed) {
        files.current = Some(files.maximum.map_or(needed, |hard_limit| hard_limit.min(needed)));
        if let Err(error) = rustix::process::setrlimit(Resource::Nofile, files) {
            tracing::debug!(%error, "cannot raise the limit of open files");
        }
    }
    let limits = std::fs::read_to_string("/proc/self/limits").unwrap_or_default();
    let files = limits
        .lines()
        .find_map(|line| line.strip_prefix("Max open files")?.split_whitespace().next())
        .and_then(|soft_limit| soft_limit.parse::<u32>().ok());
    let possible =
        files.map_or(max_connections, |limit| limit.saturating_sub(RESERVED_FILES).max(16));
    if possible < max_connections {
        tracing::info!(
            possible,
            configured = max_connections,
            "fewer connections than configured, because the limit of open files is low"
        );
    }
    max_connections.min(possible)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_id_is_the_prefix_and_a_hexadecimal_number() {
        for number in [0, 1, 0x12, 0xffff_ffff, 0x1_0000_0000, u64::MAX] {
            assert_eq!(format_request_id("abc", number), format!("abc{number:08x}"));
        }
    }
}
