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
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};
use tokio::time::{sleep, timeout, timeout_at};
use tokio_rustls::TlsAcceptor;

use super::activity::{ConnectionActivity, ConnectionState, MonitoredSocket, RequestGuard};
use super::application::Service;
use super::body_memory::{BodyBuffer, BodyShare};
use super::caller_key::{self, CallerKey};
use super::connections::Registration;
use super::cors;
use super::host;
use super::outgoing_body::{OutgoingBody, ShutdownFuture};
use super::proxies;
use super::rate_limits;
use super::request::Request;
use super::response::{Body, Response};
use super::response_memory::CallerMemory;
use super::router::RouteMatch;
use super::server_state::ServerState;
use super::shutdown::ShutdownSignal;
use super::tls::Tls;
use super::workers::{Job, Outcome, PendingRequest, Step};
use crate::error::{Error, Result};

/// Number of received body bytes that extend the body's deadline by one second.
const BODY_BYTES_PER_EXTRA_SECOND: usize = 64 << 10;
/// Maximum number of bytes to discard so that a client that is still sending sees the error
/// response.
const MAX_DRAINED_BYTES: usize = 64 << 20;
/// Maximum size of a body that is read before the access check of its route.
const MAX_UNCHECKED_BODY_BYTES: u64 = 64 << 10;
/// Time between two attempts to get memory for a part of a body.
const MEMORY_RETRY_INTERVAL: Duration = Duration::from_millis(10);
/// Time between two attempts to close an idle connection in favor of a new one.
const CLOSE_INTERVAL: Duration = Duration::from_millis(20);

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

/// Reloads the certificate on SIGHUP and forgets idle clients every minute.
async fn run_maintenance(server: Arc<ServerState>, mut hangup: Signal) {
    loop {
        tokio::select! {
            _ = hangup.recv() => server.tls.iter().for_each(Tls::reload),
            () = sleep(Duration::from_secs(60)) => {
                server.app.rate_limits().forget_idle_clients();
                server.response_memory.forget_idle_callers();
                server.body_memory.forget_idle_networks();
            }
        }
    }
}

/// Accepts connections until the shutdown starts. If the maximum number is open, closes an idle one
/// for each new one, or waits until there is one.
///
/// Each open connection holds a permit of the returned semaphore.
async fn accept_connections(server: &Arc<ServerState>, listener: TcpListener) -> Arc<Semaphore> {
    let connections = Arc::new(Semaphore::new(server.max_connections as usize));
    let mut shutdown = pin!(wait_for_shutdown(&server.shutdown));
    loop {
        let next = async {
            let (socket, peer) = listener.accept().await?;
            let peer = peer.ip();
            let client = rate_limits::find_client_network(peer);
            let activity = ConnectionActivity::new();
            let Some(registration) = server.connections.register(peer, client, activity.clone())
            else {
                tracing::debug!(%peer, "the client has too many connections");
                return Ok(None);
            };
            let permit = wait_for_permit(server, &connections).await;
            registration.start_serving();
            Ok::<_, std::io::Error>(Some((socket, peer, activity, registration, permit)))
        };
        let next = tokio::select! {
            next = next => next,
            () = &mut shutdown => return connections,
        };
        match next {
            Ok(Some((socket, peer, activity, registration, permit))) => {
                let server = server.clone();
                tokio::spawn(async move {
                    serve_socket(server, socket, peer, activity, registration).await;
                    drop(permit);
                });
            }
            Ok(None) => {}
            // The usual cause is too many open files. Wait until some connections are closed.
            Err(error) => {
                tracing::error!(%error, "cannot accept a connection");
                sleep(Duration::from_millis(50)).await;
            }
        }
    }
}

/// Waits for a permit for a connection. Until there is one, closes idle connections.
///
/// Returns None if the semaphore is closed, which the server never does.
async fn wait_for_permit(
    server: &ServerState,
    connections: &Arc<Semaphore>,
) -> Option<OwnedSemaphorePermit> {
    if let Ok(permit) = connections.clone().try_acquire_owned() {
        return Some(permit);
    }
    loop {
        server.connections.close_one_idle();
        if let Ok(permit) = timeout(CLOSE_INTERVAL, connections.clone().acquire_owned()).await {
            return permit.ok();
        }
    }
}

/// Performs the TLS handshake, if TLS is configured, and serves the requests of a connection.
async fn serve_socket(
    server: Arc<ServerState>,
    socket: TcpStream,
    peer: IpAddr,
    activity: Arc<ConnectionActivity>,
    registration: Registration,
) {
    // Otherwise small responses wait for the acknowledgement of earlier ones (Nagle's algorithm).
    drop(socket.set_nodelay(true));
    let socket = MonitoredSocket::new(socket, activity.clone());
    let Some(tls) = &server.tls else {
        return serve_requests(server, socket, peer, activity, registration).await;
    };
    let handshake = TlsAcceptor::from(tls.current()).accept(socket);
    let handshake = timeout(server.timeouts().header, handshake);
    let handshake = tokio::select! {
        result = handshake => result,
        () = registration.close_signal().notified() => return,
    };
    match handshake {
        Ok(Ok(socket)) => serve_requests(server, socket, peer, activity, registration).await,
        Ok(Err(error)) => tracing::debug!(%peer, %error, "the TLS handshake failed"),
        Err(_) => tracing::debug!(%peer, "the TLS handshake took too long"),
    }
}

/// Serves the requests of one connection until it is closed.
///
/// Closes the connection if it is stalled or idle for too long. After the shutdown has started, or
/// when it is closed in favor of another connection, closes it as soon as no request is active.
async fn serve_requests(
    server: Arc<ServerState>,
    socket: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    peer: IpAddr,
    activity: Arc<ConnectionActivity>,
    registration: Registration,
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
        let timeouts = server.timeouts();
        let pause = if stopping { Duration::from_millis(20) } else { timeouts.header / 2 };
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
            () = registration.close_signal().notified(), if !stopping => {
                stopping = true;
                http.as_mut().graceful_shutdown();
            }
            () = sleep(pause) => match activity.state(timeouts) {
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
    /// The response body holds `guard` until it is sent, so that the connection counts as active,
    /// and counts as unsent memory of the caller. An event stream ends when the shutdown starts.
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
        let caller = caller_key::identify_caller(&request);
        let memory = self.response_memory.find_caller(caller);
        let pending = Box::new(PendingRequest { request, method, rate_limit: None, received_at });
        let mut response = self.respond(pending, host, body, caller, &memory).await;
        if let Body::Bytes(bytes) = &mut response.body {
            *bytes = memory.count(std::mem::take(bytes));
        }
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
        caller: CallerKey,
        memory: &Arc<CallerMemory>,
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
        pending.request.params = params;
        let routed = RoutedRequest { pending, route, caller, memory };
        if body.is_end_stream() {
            return self.run_handler(routed).await;
        }
        // The share of the body memory is held until the response exists.
        match self.read_body(routed, body).await {
            Ok((routed, _share)) => self.run_handler(routed).await,
            Err(response) => response,
        }
    }

    /// Waits for a worker to run the handler, and returns its response.
    async fn run_handler(&self, routed: RoutedRequest<'_>) -> Response {
        match self.run_step(routed, Step::Handle).await {
            Ok(Outcome::Response(response, _request)) => response,
            Ok(Outcome::Allowed(_)) => Response::empty(StatusCode::INTERNAL_SERVER_ERROR),
            Err(response) => response,
        }
    }

    /// Waits for a worker to run the access check of the route. Returns the request if it is
    /// allowed, otherwise the error response.
    async fn check_access<'a>(
        &self,
        routed: RoutedRequest<'a>,
    ) -> std::result::Result<RoutedRequest<'a>, Response> {
        let RoutedRequest { route, caller, memory, .. } = routed;
        match self.run_step(routed, Step::CheckAccess).await? {
            Outcome::Allowed(pending) => Ok(RoutedRequest { pending, route, caller, memory }),
            Outcome::Response(response, _request) => Err(response),
        }
    }

    /// Gives the request to a worker and waits for the outcome. Fails with an error response if the
    /// queue is full.
    async fn run_step(
        &self,
        routed: RoutedRequest<'_>,
        step: Step,
    ) -> std::result::Result<Outcome, Response> {
        let RoutedRequest { pending, route, caller, memory } = routed;
        let (result, outcome) = oneshot::channel();
        let job = Job { pending, route, step, memory: memory.clone(), result };
        let pool = self.context.routes[route].pool;
        if let Err(job) = self.workers.try_enqueue(pool, caller, job) {
            let settings = &self.context.response_settings;
            return Err(job.pending.complete(Err(Error::Busy), settings));
        }
        outcome.await.map_err(|_| Response::empty(StatusCode::INTERNAL_SERVER_ERROR))
    }

    /// Reads the whole body, within the limit of the route. A body that is not small is read only
    /// after the access check of the route. The bytes are counted as they arrive.
    ///
    /// The time limit is the body timeout plus one second for each 64 KiB received.
    ///
    /// # Errors
    /// Returns the response for one of these errors. The rest of the body is then usually discarded
    /// in the background.
    /// - The errors of the access check.
    /// - `TooLarge` if the body is too large.
    /// - `RequestTimeout` if the body does not arrive in time.
    /// - `Busy` if the memory is not free in time.
    /// - `InvalidFields` about `body` if the body ends early or is malformed.
    async fn read_body<'a>(
        &self,
        mut routed: RoutedRequest<'a>,
        mut body: Incoming,
    ) -> std::result::Result<(RoutedRequest<'a>, BodyShare), Response> {
        let row = &self.context.routes[routed.route];
        let max_bytes = row.max_body_bytes(self.app.config());
        let declared = body.size_hint().lower();
        // Reading would send `100 Continue` to a client that waits for permission to send.
        let waits_for_permission = routed.pending.request.headers.contains_key(EXPECT);
        let too_large =
            || Error::TooLarge(format!("the body must not be larger than {max_bytes} bytes"));
        if declared > max_bytes as u64 {
            if !waits_for_permission {
                tokio::spawn(drain_body(body));
            }
            return Err(self.refuse(routed, too_large()));
        }
        let mut is_checked = row.access_check.is_none();
        let mut share = self.body_memory.begin_body(routed.caller.network);
        let mut received = BodyBuffer::new(declared);
        let start = tokio::time::Instant::now() + self.app.config().body_timeout;
        loop {
            if !is_checked && declared.max(received.len() as u64) > MAX_UNCHECKED_BODY_BYTES {
                is_checked = true;
                routed = match self.check_access(routed).await {
                    Ok(routed) => routed,
                    Err(response) => {
                        if !waits_for_permission || received.len() > 0 {
                            tokio::spawn(drain_body(body));
                        }
                        return Err(response);
                    }
                };
            }
            let extra = (received.len() / BODY_BYTES_PER_EXTRA_SECOND) as u64;
            let deadline = start + Duration::from_secs(extra);
            let part = match receive_part(&mut body, deadline).await {
                Ok(Some(part)) => part,
                Ok(None) => break,
                Err(error) => return Err(self.refuse(routed, error)),
            };
            let error = match received.len() + part.len() > max_bytes {
                true => Some(too_large()),
                false => wait_for_memory(&mut share, part.len(), deadline).await.err(),
            };
            if let Some(error) = error {
                tokio::spawn(drain_body(body));
                return Err(self.refuse(routed, error));
            }
            received.push(part);
        }
        routed.pending.request.body = received.into_bytes();
        Ok((routed, share))
    }

    /// Returns the response for an error that occurred before a handler ran.
    fn refuse(&self, routed: RoutedRequest<'_>, error: Error) -> Response {
        routed.pending.complete(Err(error), &self.context.response_settings)
    }
}

/// A request with its route and its caller.
struct RoutedRequest<'a> {
    pending: Box<PendingRequest>,
    /// Index of the route.
    route: usize,
    caller: CallerKey,
    memory: &'a Arc<CallerMemory>,
}

/// Waits for the next part of a body. Returns None at the end.
///
/// # Errors
/// `RequestTimeout` at `deadline`; `InvalidFields` about `body` if it ends early or is malformed.
async fn receive_part(
    body: &mut Incoming,
    deadline: tokio::time::Instant,
) -> Result<Option<Bytes>> {
    loop {
        return match timeout_at(deadline, body.frame()).await {
            Ok(Some(Ok(frame))) => match frame.into_data() {
                Ok(part) => Ok(Some(part)),
                // Trailers.
                Err(_) => continue,
            },
            Ok(None) => Ok(None),
            Ok(Some(Err(_))) => Err(Error::invalid_field("body", "ended early or is malformed")),
            Err(_) => Err(Error::RequestTimeout),
        };
    }
}

/// Waits until there is memory for `bytes` more bytes of a body; fails with `Busy` at `deadline`.
async fn wait_for_memory(
    share: &mut BodyShare,
    bytes: usize,
    deadline: tokio::time::Instant,
) -> Result<()> {
    while !share.try_grow(bytes) {
        if tokio::time::Instant::now() >= deadline {
            return Err(Error::Busy);
        }
        sleep(MEMORY_RETRY_INTERVAL).await;
    }
    Ok(())
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
