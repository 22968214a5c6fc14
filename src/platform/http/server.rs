//! Sockets, TLS, HTTP/1.1 and HTTP/2. This is the only async file.
//!
//! The server reads each request into memory within fixed limits, passes it to a worker thread, and
//! sends the response.

use std::convert::Infallible;
use std::net::IpAddr;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use std::time::Instant;

use http_body_util::BodyExt;
use hyper::Method;
use hyper::StatusCode;
use hyper::Version;
use hyper::body::Body as _;
use hyper::body::Bytes;
use hyper::body::Incoming;
use hyper::header::{CONTENT_TYPE, EXPECT};
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::{Semaphore, SemaphorePermit, oneshot};
use tokio::time::{sleep, timeout, timeout_at};
use tokio_rustls::TlsAcceptor;

use super::activity::{ConnectionActivity, ConnectionState, MonitoredSocket, RequestGuard};
use super::application::Service;
use super::cors;
use super::host;
use super::outgoing_body::{OutgoingBody, ShutdownFuture};
use super::proxies;
use super::request::Request;
use super::response::Response;
use super::router::RouteMatch;
use super::server_state::{self, ServerState};
use super::shutdown::ShutdownSignal;
use super::tls::Tls;
use super::workers::{Job, PendingRequest};
use crate::error::{Error, Result};

/// Number of received body bytes that extend the body's deadline by one second.
const BODY_BYTES_PER_EXTRA_SECOND: usize = 64 << 10;
/// Maximum number of bytes to discard so that a client that is still sending sees the error
/// response.
const MAX_DRAINED_BYTES: usize = 64 << 20;
/// Maximum size of a body that is read without reserving memory for it.
const MAX_UNACCOUNTED_BODY_BYTES: u64 = 1 << 20;

/// Binds `address`; port 0 selects a free port. The listener is non-blocking, as [`run`] requires.
///
/// # Errors
/// `InvalidFields` about `listen` if the address is not available.
pub fn bind(address: SocketAddr) -> Result<std::net::TcpListener> {
    let listener = std::net::TcpListener::bind(address).map_err(|error| {
        Error::invalid_field("listen", format!("cannot listen on {address}: {error}"))
    })?;
    listener.set_nonblocking(true)?;
    Ok(listener)
}

/// Serves `service` until SIGTERM or SIGINT. A second signal ends the process immediately.
///
/// Calls `ready` with the local address as soon as the server accepts connections. Returns after
/// the shutdown, when all requests are done or the stop timeout has passed.
///
/// # Errors
/// If the routes or the certificate are invalid, or the threads cannot be started.
pub fn run(
    listener: std::net::TcpListener,
    service: Service,
    ready: impl FnOnce(SocketAddr),
) -> Result<()> {
    let shutdown = ShutdownSignal::default();
    let signals = shut_down_on_signals(shutdown.clone());
    serve(listener, Arc::new(ServerState::new(service, shutdown)?), signals, ready)
}

/// Serves `service` on the configured address until `shutdown` is triggered. Installs no handlers
/// of SIGTERM and SIGINT.
///
/// Calls `ready` and returns like [`run`].
///
/// # Errors
/// If the address is not available, the routes or the certificate are invalid, or the threads
/// cannot be started.
pub fn run_until(
    service: Service,
    shutdown: ShutdownSignal,
    ready: impl FnOnce(SocketAddr),
) -> Result<()> {
    let listener = bind(service.app.config().listen)?;
    let server = Arc::new(ServerState::new(service, shutdown)?);
    serve(listener, server, std::future::pending(), ready)
}

/// Accepts connections until the shutdown starts, waits until they are closed or the stop timeout
/// has passed, and then stops the workers.
///
/// `signals` runs in the background and triggers the shutdown. Its errors are ignored.
fn serve(
    listener: std::net::TcpListener,
    server: Arc<ServerState>,
    signals: impl Future<Output = Result<()>> + Send + 'static,
    ready: impl FnOnce(SocketAddr),
) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let deadline = runtime.block_on(async {
        let listener = TcpListener::from_std(listener)?;
        let address = listener.local_addr()?;
        tokio::spawn(signals);
        tokio::spawn(run_maintenance(server.clone(), signal(SignalKind::hangup())?));
        ready(address);
        let connections = accept_connections(&server, listener).await;
        let stop_timeout = server.app.config().stop_timeout;
        let deadline = Instant::now() + stop_timeout;
        let all_closed = connections.acquire_many(server.max_connections);
        if timeout(stop_timeout, all_closed).await.is_err() {
            tracing::warn!("some requests did not finish before the stop timeout");
        }
        Ok::<_, Error>(deadline)
    })?;
    runtime.shutdown_background();
    if let Some(server) = Arc::into_inner(server) {
        server.workers.stop(deadline);
    }
    Ok(())
}

async fn wait_for_shutdown(shutdown: &ShutdownSignal) {
    // Cannot fail, because `shutdown` keeps the sender alive.
    drop(shutdown.subscribe().wait_for(|is_triggered| *is_triggered).await);
}

/// Triggers `shutdown` on the first SIGTERM or SIGINT and ends the process on the second one.
async fn shut_down_on_signals(shutdown: ShutdownSignal) -> Result<()> {
    let mut term = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    loop {
        tokio::select! {
            _ = term.recv() => {}
            _ = interrupt.recv() => {}
        }
        if shutdown.is_triggered() {
            std::process::exit(1);
        }
        tracing::info!("stopping");
        shutdown.trigger();
    }
}

/// Reloads the certificate on SIGHUP and removes idle clients from the rate limits every minute.
async fn run_maintenance(server: Arc<ServerState>, mut hangup: Signal) {
    loop {
        tokio::select! {
            _ = hangup.recv() => server.tls.iter().for_each(Tls::reload),
            () = sleep(Duration::from_secs(60)) => server.app.rate_limits().forget_idle_clients(),
        }
    }
}

/// Accepts connections until the shutdown starts. Waits while the maximum number is open.
///
/// Each open connection holds a permit of the returned semaphore.
async fn accept_connections(server: &Arc<ServerState>, listener: TcpListener) -> Arc<Semaphore> {
    let connections = Arc::new(Semaphore::new(server.max_connections as usize));
    let mut shutdown = pin!(wait_for_shutdown(&server.shutdown));
    loop {
        let next = async {
            let permit = connections.clone().acquire_owned().await;
            (permit, listener.accept().await)
        };
        let next = tokio::select! {
            next = next => next,
            () = &mut shutdown => return connections,
        };
        match next {
            (Ok(permit), Ok((socket, peer))) => {
                let server = server.clone();
                tokio::spawn(async move {
                    serve_socket(server, socket, peer.ip()).await;
                    drop(permit);
                });
            }
            // The usual cause is too many open files. Wait until some connections are closed.
            (_, Err(error)) => {
                tracing::error!(%error, "cannot accept a connection");
                sleep(Duration::from_millis(50)).await;
            }
            (Err(_), _) => return connections,
        }
    }
}

/// Performs the TLS handshake, if TLS is configured, and serves the requests of a connection.
async fn serve_socket(server: Arc<ServerState>, socket: TcpStream, peer: IpAddr) {
    // Otherwise small responses wait for the acknowledgement of earlier ones (Nagle's algorithm).
    drop(socket.set_nodelay(true));
    let activity = ConnectionActivity::new();
    let socket = MonitoredSocket::new(socket, activity.clone());
    let Some(tls) = &server.tls else {
        return serve_requests(server, socket, peer, activity).await;
    };
    let handshake = TlsAcceptor::from(tls.current()).accept(socket);
    match timeout(server.timeouts.header, handshake).await {
        Ok(Ok(socket)) => serve_requests(server, socket, peer, activity).await,
        Ok(Err(error)) => tracing::debug!(%peer, %error, "the TLS handshake failed"),
        Err(_) => tracing::debug!(%peer, "the TLS handshake took too long"),
    }
}

/// Serves the requests of one connection until it is closed.
///
/// Closes the connection if it is stalled or idle for too long. After the shutdown has started,
/// closes it as soon as no request is active.
async fn serve_requests(
    server: Arc<ServerState>,
    socket: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    peer: IpAddr,
    activity: Arc<ConnectionActivity>,
) {
    let service = service_fn(|request: hyper::Request<Incoming>| {
        let guard = activity.begin_request(request.version() == Version::HTTP_2);
        let server = server.clone();
        async move { Ok::<_, Infallible>(server.handle(request, peer, guard).await) }
    });
    let mut http = pin!(server.http.serve_connection(TokioIo::new(socket), service));
    let mut shutdown = pin!(wait_for_shutdown(&server.shutdown));
    let mut stopping = false;
    loop {
        // Short enough that no timeout is exceeded by much.
        let pause = if stopping { Duration::from_millis(20) } else { server.timeouts.header / 2 };
        tokio::select! {
            result = http.as_mut() => {
                if let Err(error) = result {
                    tracing::debug!(%peer, %error, "connection ended");
                }
                return;
            }
            () = &mut shutdown, if !stopping => {
                stopping = true;
                http.as_mut().graceful_shutdown();
            }
            () = sleep(pause) => match activity.state(server.timeouts) {
                ConnectionState::Idle if stopping => return,
                ConnectionState::Active | ConnectionState::Idle => {}
                ConnectionState::IdleTooLong => http.as_mut().graceful_shutdown(),
                ConnectionState::Stalled => return,
            }
        }
    }
}

impl ServerState {
    /// Produces the response to one request. The timing pad delays some error responses.
    ///
    /// The response body holds `guard` until it is sent, so that the connection counts as active.
    /// An event stream ends when the shutdown starts.
    async fn handle(
        &self,
        request: hyper::Request<Incoming>,
        peer: IpAddr,
        guard: RequestGuard,
    ) -> hyper::Response<OutgoingBody> {
        let received_at = Instant::now();
        let (parts, body) = request.into_parts();
        let host = host::check_host(&parts);
        let trusted = &self.app.config().trusted_proxies;
        let client_ip = proxies::find_client_address(trusted, peer, &parts.headers);
        let request = Request {
            request_id: self.choose_request_id(&parts.headers),
            // Handlers of GET also handle HEAD.
            method: if parts.method == Method::HEAD { Method::GET } else { parts.method.clone() },
            path: parts.uri.path().to_owned(),
            params: Vec::new(),
            query: parts.uri.query().unwrap_or_default().to_owned(),
            headers: parts.headers,
            body: Bytes::new(),
            client_ip,
        };
        let method = parts.method;
        let pending = Box::new(PendingRequest { request, method, rate_limit: None, received_at });
        let response = self.respond(pending, host, body).await;
        if let Some(released) = self.timing_pad.schedule_release(response.status, received_at) {
            drop(released.await);
        }
        // An event stream has no end of its own, so the shutdown must end it.
        let content_type = response.headers.get(CONTENT_TYPE);
        let is_event_stream = content_type.is_some_and(|value| value == "text/event-stream");
        let end = is_event_stream.then(|| {
            let shutdown = self.shutdown.clone();
            Box::pin(async move { wait_for_shutdown(&shutdown).await }) as ShutdownFuture
        });
        let mut outgoing = hyper::Response::new(OutgoingBody::new(response.body, end, guard));
        *outgoing.status_mut() = response.status;
        *outgoing.headers_mut() = response.headers;
        outgoing
    }

    /// Counts the request, finds the route, reads the body, and waits for a worker to run the
    /// handler.
    ///
    /// If one of these steps fails, or if `host` is an error, returns the error response. Answers
    /// OPTIONS without a worker.
    async fn respond(
        &self,
        mut pending: Box<PendingRequest>,
        host: Result<()>,
        body: Incoming,
    ) -> Response {
        let settings = &self.context.response_settings;
        match self.app.rate_limits().count_request(pending.request.client_ip) {
            Ok(status) => pending.rate_limit = status,
            Err(error) => return pending.complete(Err(error), settings),
        }
        if let Err(error) = host {
            return pending.complete(Err(error), settings);
        }
        let (route, params) = match self.router.find(&pending.method, &pending.request.path) {
            Ok(RouteMatch::Route(route, params)) => (route, params),
            Ok(RouteMatch::Options { allow, allow_any_origin }) => {
                let response = cors::build_options_response(allow, allow_any_origin);
                return pending.complete(response, settings);
            }
            Err(error) => return pending.complete(Err(error), settings),
        };
        let row = &self.context.routes[route];
        let max_bytes = row.max_body_bytes(self.app.config());
        let expects_continue = pending.request.headers.contains_key(EXPECT);
        // The share of the body memory is held until the response exists.
        let _memory = match self.read_body(body, max_bytes, expects_continue).await {
            Ok((bytes, memory)) => {
                pending.request.body = bytes;
                memory
            }
            Err(error) => return pending.complete(Err(error), settings),
        };
        pending.request.params = params;
        let (result, response) = oneshot::channel();
        if let Err(job) = self.workers.try_enqueue(row.pool, Job { pending, route, result }) {
            return job.pending.complete(Err(Error::Busy), settings);
        }
        match response.await {
            Ok((response, _request)) => response,
            Err(_) => Response::empty(StatusCode::INTERNAL_SERVER_ERROR),
        }
    }

    /// Reads the whole body of at most `max_bytes` bytes. A large body also waits for a share of
    /// the memory for bodies.
    ///
    /// The time limit is the body timeout plus one second for each 64 KiB received.
    ///
    /// # Errors
    /// - `TooLarge` if the body is larger. The rest is then usually discarded in the background.
    /// - `RequestTimeout` if the body does not arrive in time.
    /// - `Busy` if the memory is not free in time.
    /// - `InvalidFields` about `body` if the body ends early or is malformed.
    async fn read_body(
        &self,
        mut body: Incoming,
        max_bytes: usize,
        expects_continue: bool,
    ) -> Result<(Bytes, Option<SemaphorePermit<'_>>)> {
        if body.is_end_stream() {
            return Ok((Bytes::new(), None));
        }
        let too_large =
            || Error::TooLarge(format!("the body must not be larger than {max_bytes} bytes"));
        let declared = body.size_hint().lower();
        if declared > max_bytes as u64 {
            // Reading would send `100 Continue` to a client that waits for permission to send.
            if !expects_continue {
                tokio::spawn(drain_body(body));
            }
            return Err(too_large());
        }
        let start = tokio::time::Instant::now() + self.app.config().body_timeout;
        let (mut chunks, mut length, mut memory) = (Vec::new(), 0, None);
        loop {
            if memory.is_none() && declared.max(length as u64) > MAX_UNACCOUNTED_BODY_BYTES {
                memory = Some(self.reserve_body_memory(max_bytes, start).await?);
            }
            let extra = Duration::from_secs((length / BODY_BYTES_PER_EXTRA_SECOND) as u64);
            let frame = match timeout_at(start + extra, body.frame()).await {
                Ok(Some(Ok(frame))) => frame,
                Ok(None) => break,
                Ok(Some(Err(_))) => {
                    return Err(Error::invalid_field("body", "ended early or is malformed"));
                }
                Err(_) => return Err(Error::RequestTimeout),
            };
            let Ok(chunk) = frame.into_data() else { continue };
            length += chunk.len();
            if length > max_bytes {
                tokio::spawn(drain_body(body));
                return Err(too_large());
            }
            chunks.push(chunk);
        }
        let bytes = if chunks.len() == 1 { chunks.remove(0) } else { chunks.concat().into() };
        Ok((bytes, memory))
    }

    /// Waits until there is memory for a body of `max_bytes`; fails with `Busy` at `deadline`.
    async fn reserve_body_memory(
        &self,
        max_bytes: usize,
        deadline: tokio::time::Instant,
    ) -> Result<SemaphorePermit<'_>> {
        let permits =
            self.body_memory.acquire_many(server_state::count_body_memory_permits(max_bytes));
        timeout_at(deadline, permits).await.ok().and_then(|permits| permits.ok()).ok_or(Error::Busy)
    }
}

/// Reads and discards the rest of a rejected body, up to [`MAX_DRAINED_BYTES`].
///
/// A client that is still sending when the server closes the connection would not see the response.
async fn drain_body(mut body: Incoming) {
    let mut length = 0;
    while let Some(Ok(frame)) = body.frame().await {
        length += frame.data_ref().map_or(0, Bytes::len);
        if length > MAX_DRAINED_BYTES {
            return;
        }
    }
}
