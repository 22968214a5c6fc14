//! Sockets, TLS, HTTP/1.1 and HTTP/2: the only async file. It reads a bounded request, hands it to
//! a worker thread and sends the answer.

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
use tokio::sync::{Semaphore, SemaphorePermit, oneshot, watch};
use tokio::time::{sleep, timeout, timeout_at};
use tokio_rustls::TlsAcceptor;

use super::activity::{Activity, Busy, Verdict, Watched};
use super::application::Application;
use super::problem::ErrorPage;
use super::proxies;
use super::request::Request;
use super::response::Response;
use super::route::Route;
use super::router::Found;
use super::sending::Sending;
use super::sending::Stopping;
use super::shared;
use super::shared::Server;
use super::shelf;
use super::sites;
use super::tls::Tls;
use super::workers::Arrival;
use super::workers::Job;
use crate::error::Error;
use crate::error::Result;

/// Bytes of a body for which a client gets a second more.
const BODY_BYTES_PER_SECOND: usize = 64 << 10;
/// Most bytes that are read and thrown away so that the client gets to see why it was refused.
const MAX_DRAINED: usize = 64 << 20;

/// Tells a server to stop. Clones tell the same server.
#[derive(Clone, Default)]
pub struct Stop(Arc<watch::Sender<bool>>);

impl Stop {
    /// Stop now: requests under way are finished, no others are taken.
    pub fn now(&self) {
        self.0.send_replace(true);
    }

    async fn wait(&self) {
        // Fails only without a sender, and we are one.
        drop(self.0.subscribe().wait_for(|stop| *stop).await);
    }
}

/// An application with its routes, ready to be served.
pub struct Service {
    /// State that the server itself needs.
    pub app: Arc<dyn Application>,
    /// All routes. Their handlers close over the application's state.
    pub routes: Vec<Route>,
    /// Renders an error for a browser. Without it every error is a problem document.
    pub error_page: Option<ErrorPage>,
}

/// Takes an address to listen on; port 0 takes a free one.
///
/// # Errors
/// `Fields` about `listen` when the address cannot be had.
pub fn bind(address: SocketAddr) -> Result<std::net::TcpListener> {
    let listener = std::net::TcpListener::bind(address)
        .map_err(|error| Error::field("listen", format!("cannot listen on {address}: {error}")))?;
    listener.set_nonblocking(true)?;
    Ok(listener)
}

/// Serves `service` until SIGTERM or SIGINT; a second signal ends the program at once. `ready` is
/// called with the address when connections are accepted. Returns after a clean stop.
///
/// # Errors
/// When the certificate cannot be used.
pub fn run(
    listener: std::net::TcpListener,
    service: Service,
    ready: impl FnOnce(SocketAddr),
) -> Result<()> {
    let stop = Stop::default();
    let signals = stop_on_signals(stop.clone());
    serve(listener, Arc::new(Server::new(service, stop)?), signals, ready)
}

/// Like [`run`] on the configured address, but only `stop` stops it.
///
/// # Errors
/// When the address or the certificate cannot be used.
pub fn run_until(service: Service, stop: Stop, ready: impl FnOnce(SocketAddr)) -> Result<()> {
    let listener = bind(service.app.config().listen)?;
    serve(listener, Arc::new(Server::new(service, stop)?), std::future::pending(), ready)
}

fn serve(
    listener: std::net::TcpListener,
    server: Arc<Server>,
    signals: impl Future<Output = Result<()>> + Send + 'static,
    ready: impl FnOnce(SocketAddr),
) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let deadline = runtime.block_on(async {
        let listener = TcpListener::from_std(listener)?;
        let address = listener.local_addr()?;
        tokio::spawn(signals);
        tokio::spawn(upkeep(server.clone(), signal(SignalKind::hangup())?));
        ready(address);
        let open = accept(&server, listener).await;
        let patience = server.app.config().stop_timeout;
        let deadline = Instant::now() + patience;
        if timeout(patience, open.acquire_many(server.connections)).await.is_err() {
            tracing::warn!("some requests were still under way and are cut off");
        }
        Ok::<_, Error>(deadline)
    })?;
    runtime.shutdown_background();
    if let Some(server) = Arc::into_inner(server) {
        server.workers.stop(deadline);
    }
    Ok(())
}

/// The first SIGTERM or SIGINT stops the server, the second one ends the program.
async fn stop_on_signals(stop: Stop) -> Result<()> {
    let mut term = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    loop {
        tokio::select! {
            _ = term.recv() => {}
            _ = interrupt.recv() => {}
        }
        if *stop.0.borrow() {
            std::process::exit(1);
        }
        tracing::info!("stopping");
        stop.now();
    }
}

/// Reads the certificate again on SIGHUP, and forgets rested clients every minute.
async fn upkeep(server: Arc<Server>, mut hangup: Signal) {
    loop {
        tokio::select! {
            _ = hangup.recv() => server.tls.iter().for_each(Tls::reload),
            () = sleep(Duration::from_secs(60)) => server.app.limits().forget(),
        }
    }
}

/// Accepts connections until the stop. All permits of what it returns are free again when the last
/// connection is closed.
async fn accept(server: &Arc<Server>, listener: TcpListener) -> Arc<Semaphore> {
    let open = Arc::new(Semaphore::new(server.connections as usize));
    let mut stop = pin!(server.stop.wait());
    loop {
        let next = async {
            let permit = open.clone().acquire_owned().await;
            (permit, listener.accept().await)
        };
        let next = tokio::select! {
            next = next => next,
            () = &mut stop => return open,
        };
        match next {
            (Ok(permit), Ok((socket, peer))) => {
                let server = server.clone();
                tokio::spawn(async move {
                    connection(server, socket, peer.ip()).await;
                    drop(permit);
                });
            }
            // Mostly too many open files: wait until some are closed.
            (_, Err(error)) => {
                tracing::error!(%error, "cannot accept a connection");
                sleep(Duration::from_millis(50)).await;
            }
            (Err(_), _) => return open,
        }
    }
}

async fn connection(server: Arc<Server>, socket: TcpStream, peer: IpAddr) {
    // Without it small answers wait for the acknowledgement of earlier ones.
    drop(socket.set_nodelay(true));
    let activity = Activity::new();
    let socket = Watched::new(socket, activity.clone());
    let Some(tls) = &server.tls else {
        return exchange(server, socket, peer, activity).await;
    };
    let handshake = TlsAcceptor::from(tls.current()).accept(socket);
    match timeout(server.patience.header, handshake).await {
        Ok(Ok(socket)) => exchange(server, socket, peer, activity).await,
        Ok(Err(error)) => tracing::debug!(%peer, %error, "no TLS"),
        Err(_) => tracing::debug!(%peer, "the TLS handshake took too long"),
    }
}

/// Answers the requests of one connection until it ends.
async fn exchange(
    server: Arc<Server>,
    socket: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    peer: IpAddr,
    activity: Arc<Activity>,
) {
    let service = service_fn(|request: hyper::Request<Incoming>| {
        let busy = activity.begin(request.version() == Version::HTTP_2);
        let server = server.clone();
        async move { Ok::<_, Infallible>(server.handle(request, peer, busy).await) }
    });
    let mut http = pin!(server.http.serve_connection(TokioIo::new(socket), service));
    let mut stop = pin!(server.stop.wait());
    let mut stopping = false;
    loop {
        // Often enough that no wait is much longer than it should be.
        let pause = if stopping { Duration::from_millis(20) } else { server.patience.header / 2 };
        tokio::select! {
            result = http.as_mut() => {
                if let Err(error) = result {
                    tracing::debug!(%peer, %error, "connection ended");
                }
                return;
            }
            () = &mut stop, if !stopping => {
                stopping = true;
                http.as_mut().graceful_shutdown();
            }
            () = sleep(pause) => match activity.verdict(server.patience) {
                Verdict::Rest if stopping => return,
                Verdict::Keep | Verdict::Rest => {}
                Verdict::Tired => http.as_mut().graceful_shutdown(),
                Verdict::Stuck => return,
            }
        }
    }
}

impl Server {
    async fn handle(
        &self,
        request: hyper::Request<Incoming>,
        peer: IpAddr,
        busy: Busy,
    ) -> hyper::Response<Sending> {
        let since = Instant::now();
        let (parts, body) = request.into_parts();
        let peer = proxies::client(&self.app.config().trusted_proxies, peer, &parts.headers);
        let request = Request {
            request_id: self.request_id(&parts.headers),
            // The handler of a HEAD request sees GET.
            method: if parts.method == Method::HEAD { Method::GET } else { parts.method.clone() },
            path: parts.uri.path().to_owned(),
            params: Vec::new(),
            query: parts.uri.query().unwrap_or_default().to_owned(),
            headers: parts.headers,
            body: Bytes::new(),
            peer,
        };
        let arrival = Box::new(Arrival { request, method: parts.method, left: None, since });
        let answer = self.answer(arrival, body).await;
        if let Some(held) = self.discreet.holds(answer.status, since) {
            drop(held.await);
        }
        // A stream of events would not end by itself when the server stops.
        let events = answer.headers.get(CONTENT_TYPE).is_some_and(|it| it == "text/event-stream");
        let until = events.then(|| {
            let stop = self.stop.clone();
            Box::pin(async move { stop.wait().await }) as Stopping
        });
        let mut response = hyper::Response::new(Sending::new(answer.body, until, busy));
        *response.status_mut() = answer.status;
        *response.headers_mut() = answer.headers;
        response
    }

    /// Finds the route, reads the body, lets a worker answer.
    async fn answer(&self, mut arrival: Box<Arrival>, body: Incoming) -> Response {
        let site = &self.desk.site;
        match self.app.limits().request(arrival.request.peer) {
            Ok(left) => arrival.left = left,
            Err(error) => return arrival.complete(Err(error), site),
        }
        let (route, params) = match self.router.find(&arrival.method, &arrival.request.path) {
            Ok(Found::Route(route, params)) => (route, params),
            Ok(Found::Options { allow, any_site }) => {
                return arrival.complete(sites::options(allow, any_site), site);
            }
            Err(error) => return arrival.complete(Err(error), site),
        };
        let row = &self.desk.routes[route];
        let limit = row.body_bytes(self.app.config());
        let continues = arrival.request.headers.contains_key(EXPECT);
        // Held until the answer is there.
        let _memory = match self.read(body, limit, continues).await {
            Ok((bytes, memory)) => {
                arrival.request.body = bytes;
                memory
            }
            Err(error) => return arrival.complete(Err(error), site),
        };
        arrival.request.params = params;
        let (answer, reply) = oneshot::channel();
        if let Err(job) = self.workers.put(row.pool, Job { arrival, route, answer }) {
            return job.arrival.complete(Err(Error::Busy), site);
        }
        match reply.await {
            Ok((reply, arrival)) => {
                shelf::give_back(arrival.request.headers);
                reply
            }
            Err(_) => Response::empty(StatusCode::INTERNAL_SERVER_ERROR),
        }
    }

    /// The whole body, at most `limit` bytes, and its share of the memory for bodies.
    async fn read(
        &self,
        mut body: Incoming,
        limit: usize,
        continues: bool,
    ) -> Result<(Bytes, Option<SemaphorePermit<'_>>)> {
        if body.is_end_stream() {
            return Ok((Bytes::new(), None));
        }
        let too_large = || Error::TooLarge(format!("the body is larger than {limit} bytes"));
        let declared = body.size_hint().lower();
        if declared > limit as u64 {
            // A client that waits for permission to send must not get it.
            if !continues {
                tokio::spawn(drain(body));
            }
            return Err(too_large());
        }
        let start = tokio::time::Instant::now() + self.app.config().body_timeout;
        let (mut pieces, mut length, mut memory) = (Vec::new(), 0, None);
        loop {
            if memory.is_none() && declared.max(length as u64) > 1 << 20 {
                memory = Some(self.share(limit, start).await?);
            }
            let deadline = start + Duration::from_secs((length / BODY_BYTES_PER_SECOND) as u64);
            let frame = match timeout_at(deadline, body.frame()).await {
                Ok(Some(Ok(frame))) => frame,
                Ok(None) => break,
                Ok(Some(Err(_))) => return Err(Error::field("body", "ended early or is garbled")),
                Err(_) => return Err(Error::Slow),
            };
            let Ok(piece) = frame.into_data() else { continue };
            length += piece.len();
            if length > limit {
                tokio::spawn(drain(body));
                return Err(too_large());
            }
            pieces.push(piece);
        }
        let bytes = if pieces.len() == 1 { pieces.remove(0) } else { pieces.concat().into() };
        Ok((bytes, memory))
    }

    async fn share(
        &self,
        limit: usize,
        deadline: tokio::time::Instant,
    ) -> Result<SemaphorePermit<'_>> {
        let permits = self.body_memory.acquire_many(shared::mebibytes(limit));
        timeout_at(deadline, permits).await.ok().and_then(|it| it.ok()).ok_or(Error::Busy)
    }
}

/// Reads on for a while without keeping anything: a client that is still sending when the
/// connection is closed would not see the answer.
async fn drain(mut body: Incoming) {
    let mut length = 0;
    while let Some(Ok(frame)) = body.frame().await {
        length += frame.data_ref().map_or(0, Bytes::len);
        if length > MAX_DRAINED {
            return;
        }
    }
}
