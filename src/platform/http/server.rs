//! Sockets, TLS, HTTP/1.1 and HTTP/2. Only this file and its part `requests` are async.

mod requests;

use std::convert::Infallible;
use std::net::IpAddr;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use std::time::Instant;

use hyper::Version;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{sleep, timeout};
use tokio_rustls::TlsAcceptor;

use super::activity::{ConnectionActivity, ConnectionState, MonitoredSocket};
use super::application::Service;
use super::connections::Registration;
use super::rate_limits;
use super::server_state::ServerState;
use super::shutdown::ShutdownSignal;
use super::tls::Tls;
use crate::error::{Error, Result};

/// Maximum number of threads that read response bodies from files.
const MAX_FILE_READERS: usize = 4;
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
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .max_blocking_threads(MAX_FILE_READERS)
        .build()?;
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
    server.workers.stop(deadline);
    Ok(())
}

/// Waits until the shutdown starts. Returns immediately if it has started.
async fn wait_for_shutdown(shutdown: &ShutdownSignal) {
    // Cannot fail, because `shutdown` keeps the sender alive.
    drop(shutdown.subscribe().wait_for(|is_triggered| *is_triggered).await);
}

/// Triggers `shutdown` on the first SIGTERM or SIGINT and ends the process with exit code 1 on the
/// next one. Returns only if the handlers cannot be installed.
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

/// Reloads the certificate on SIGHUP, and about every minute frees the memory of idle clients in
/// the rate limits and the counters of body and response memory. Never returns.
async fn run_maintenance(server: Arc<ServerState>, mut hangup: Signal) {
    loop {
        tokio::select! {
            _ = hangup.recv() => server.tls.iter().for_each(Tls::reload),
            () = sleep(Duration::from_secs(60)) => {
                server.app.rate_limits().forget_idle_clients();
                server.response_memory.forget_idle_callers();
                server.body_memory.forget_idle_owners();
            }
        }
    }
}

/// Accepts connections until the shutdown starts, and serves each in its own task. If the maximum
/// number is open, closes an idle one for each new one, or waits until there is one. Closes a new
/// connection of a client that has too many.
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

/// Performs the TLS handshake, if TLS is configured, and serves the requests of a connection. Drops
/// the socket if the handshake fails, takes longer than the header timeout, or the connection is
/// told to close.
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
