//! Requests: reads the body, passes the request to a worker thread, and sends the response.

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::OnceLock;
use std::time::Duration;
use std::time::Instant;

use http_body_util::BodyExt;
use hyper::HeaderMap;
use hyper::Method;
use hyper::StatusCode;
use hyper::body::Body as _;
use hyper::body::Bytes;
use hyper::body::Incoming;
use hyper::body::SizeHint;
use hyper::header::{CONTENT_TYPE, EXPECT};
use tokio::sync::oneshot;
use tokio::time::{sleep, timeout_at};

use super::wait_for_shutdown;
use crate::error::{Error, Result};
use crate::http::activity::RequestGuard;
use crate::http::body_memory::{BodyBuffer, BodyShare, MemoryShortage};
use crate::http::caller_key::{self, CallerKey};
use crate::http::cors;
use crate::http::host;
use crate::http::outgoing_body::{OutgoingBody, ShutdownFuture};
use crate::http::proxies;
use crate::http::request::Request;
use crate::http::response::Response;
use crate::http::response_memory::CallerMemory;
use crate::http::router::RouteMatch;
use crate::http::server_state::ServerState;
use crate::http::workers::{Job, Outcome, PendingRequest, Step};

/// Maximum number of header fields of a request. The usual limit for HTTP/1.1, which hyper has, too.
const MAX_HEADER_FIELDS: usize = 100;
/// Memory in bytes of an entry in the headers of a request besides its name and value.
const HEADER_FIELD_BYTES: usize = 104;
/// Number of received body bytes that extend the body's deadline by one second.
const BODY_BYTES_PER_EXTRA_SECOND: usize = 64 << 10;
/// Maximum number of bytes to discard so that a client that is still sending sees the error
/// response.
const MAX_DRAINED_BYTES: usize = 64 << 20;
/// Maximum size of a body that is read before the access check of its route.
const MAX_UNCHECKED_BODY_BYTES: u64 = 64 << 10;
/// Maximum time in total for which a body waits for memory that other bodies have. All of them may
/// be waiting, and clients that have left are not noticed meanwhile.
const MAX_MEMORY_WAIT: Duration = Duration::from_secs(5);
/// Time between two access checks while a body that is not small arrives. An upload of a removed account
/// ends within a second.
const ACCESS_CHECK_INTERVAL: Duration = Duration::from_millis(500);
/// Time between two attempts to get memory for a part of a body.
const MEMORY_RETRY_INTERVAL: Duration = Duration::from_millis(10);

impl ServerState {
    /// Handles one request and returns its response. Every error becomes a response.
    ///
    /// Waits for the timing pad before it returns a response with status 401 or 404, so that the
    /// response time does not reveal whether a hidden object exists.
    ///
    /// The response body holds `guard` until it is sent or dropped, so that the connection counts
    /// as active. An event stream ends when the shutdown starts.
    pub(super) async fn handle(
        &self,
        request: hyper::Request<Incoming>,
        peer: IpAddr,
        guard: RequestGuard,
    ) -> hyper::Response<OutgoingBody> {
        let received_at = Instant::now();
        let (parts, body) = request.into_parts();
        let check = host::check_host(&parts).and_then(|()| check_header_count(&parts.headers));
        let trusted = &self.app.config().trusted_proxies;
        let client_ip = proxies::find_client_address(trusted, peer, &parts.headers);
        let session_cookie = caller_key::session_cookie_name(&self.app.config().base_url);
        let caller = caller_key::identify_caller(&parts.headers, session_cookie, client_ip);
        if caller.is_account() {
            guard.note_account();
        }
        let memory_key = caller_key::find_memory_key(&parts.headers, session_cookie, caller);
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
            caller,
            received_at,
            session_cookie,
            user: OnceLock::new(),
            chosen_language: OnceLock::new(),
            new_cookie: OnceLock::new(),
        };
        let method = parts.method;
        let memory = self.response_memory.find_caller(memory_key);
        let pending = Box::new(PendingRequest { request, method, rate_limit: None, received_at });
        let response = self.respond(pending, check, body, caller, &memory).await;
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

    /// Counts the request for the rate limit of the client address, finds the route, reads the
    /// body, and waits for a worker to run the handler.
    ///
    /// `check` is the result of the checks of the headers. If it is an error, or if one of these steps
    /// fails, returns the error response. Answers OPTIONS without a worker.
    async fn respond(
        &self,
        mut pending: Box<PendingRequest>,
        check: Result<()>,
        body: Incoming,
        caller: CallerKey,
        memory: &Arc<CallerMemory>,
    ) -> Response {
        let settings = &self.context.response_settings;
        match self.app.rate_limits().count_request(pending.request.client_ip) {
            Ok(status) => pending.rate_limit = status,
            Err(error) => return pending.complete(Err(error), settings),
        }
        if let Err(error) = check {
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
        // The share of the body memory is held until the response exists. In a box, because the state of
        // this function moves with each request, and most have no body.
        match Box::pin(self.read_body(routed, body)).await {
            Ok((routed, _share)) => self.run_handler(routed).await,
            Err(response) => response,
        }
    }

    /// Waits for a worker to run the handler, and returns its response. Returns a 503 response if the
    /// queue is full, and a 500 response if the worker drops the request without an outcome.
    async fn run_handler(&self, routed: RoutedRequest<'_>) -> Response {
        match self.enqueue(routed, Step::Handle) {
            Ok(outcome) => match outcome.await {
                Ok(Outcome::Response(response, _request)) => response,
                Ok(Outcome::Allowed(_)) => Response::empty(StatusCode::INTERNAL_SERVER_ERROR),
                Err(error) => no_outcome(error),
            },
            Err(pending) => self.refuse(&pending, Error::Busy),
        }
    }

    /// Waits for a worker to run the access check of the route. Returns the request if it is
    /// allowed, otherwise the error response. If the queue is full, a first check is refused and a
    /// repeated one is left out, because the next one and the handler follow.
    async fn check_access<'a>(
        &self,
        routed: RoutedRequest<'a>,
        is_repeated: bool,
    ) -> std::result::Result<RoutedRequest<'a>, Response> {
        let RoutedRequest { route, caller, memory, .. } = routed;
        let pending = match self.enqueue(routed, Step::CheckAccess) {
            Ok(outcome) => match outcome.await.map_err(no_outcome)? {
                Outcome::Allowed(pending) => pending,
                Outcome::Response(response, _request) => return Err(response),
            },
            Err(pending) if is_repeated => pending,
            Err(pending) => return Err(self.refuse(&pending, Error::Busy)),
        };
        Ok(RoutedRequest { pending, route, caller, memory })
    }

    /// Gives the request to a worker and returns the channel for the outcome, or the request if the
    /// queue is full.
    fn enqueue(
        &self,
        routed: RoutedRequest<'_>,
        step: Step,
    ) -> std::result::Result<oneshot::Receiver<Outcome>, Box<PendingRequest>> {
        let RoutedRequest { pending, route, caller, memory } = routed;
        let (result, outcome) = oneshot::channel();
        let pool = self.context.routes[route].choose_pool(&pending.request.body);
        let job = Job { pending, route, step, memory: memory.clone(), result };
        match self.workers.try_enqueue(pool, caller, job) {
            Ok(()) => Ok(outcome),
            Err(job) => Err(job.pending),
        }
    }

    /// Reads the whole body into the request, within the limit of the route. Returns the request,
    /// and the share of the body memory that the caller must hold as long as the body.
    ///
    /// Runs the access check of the route, if it has one, as soon as the declared or received size
    /// exceeds [`MAX_UNCHECKED_BODY_BYTES`], and then every [`ACCESS_CHECK_INTERVAL`], so that an upload
    /// ends soon after the access of the caller. Reserves memory for the headers, and for each part as it
    /// arrives.
    ///
    /// The time limit is the body timeout plus one second for each 64 KiB received.
    ///
    /// # Errors
    /// Returns the response for one of these errors. Discards the rest of the body in the
    /// background, unless the client still waits for `100 Continue` or reading has failed.
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
        let size_hint = body.size_hint();
        let declared = size_hint.lower();
        // Reading would send `100 Continue` to a client that waits for permission to send.
        let waits_for_permission = routed.pending.request.headers.contains_key(EXPECT);
        let mut checks = AccessChecks { exists: row.access_check.is_some(), next: None };
        let (mut received, mut waited) = (BodyBuffer::new(declared), Duration::ZERO);
        let start = tokio::time::Instant::now() + self.app.config().body_timeout;
        let mut share = match self.begin_share(&routed, &size_hint, start, &mut waited).await {
            Ok(share) => share,
            Err(error) => {
                drain_if(!waits_for_permission, body);
                return Err(self.refuse(&routed.pending, error));
            }
        };
        loop {
            if checks.is_due(declared.max(received.len() as u64)) {
                routed = match self.check_access(routed, checks.next.is_some()).await {
                    Ok(routed) => routed,
                    Err(response) => {
                        let is_sending = !waits_for_permission || checks.next.is_some();
                        drain_if(is_sending || received.len() > 0, body);
                        return Err(response);
                    }
                };
                checks.next = Some(tokio::time::Instant::now() + ACCESS_CHECK_INTERVAL);
            }
            let extra = (received.len() / BODY_BYTES_PER_EXTRA_SECOND) as u64;
            let deadline = start + Duration::from_secs(extra);
            let pause = checks.next.unwrap_or(deadline).min(deadline);
            let part = match receive_part(&mut body, pause).await {
                Ok(Some(part)) => part,
                Ok(None) => break,
                Err(Error::RequestTimeout) if pause < deadline => continue,
                Err(error) => return Err(self.refuse(&routed.pending, error)),
            };
            let error = match received.len() + part.len() > max_bytes {
                true => Some(body_too_large(max_bytes)),
                false => wait_for_memory(&mut share, part.len(), deadline, &mut waited).await.err(),
            };
            if let Some(error) = error {
                tokio::spawn(drain_body(body));
                return Err(self.refuse(&routed.pending, error));
            }
            received.push(part);
        }
        routed.pending.request.body = received.into_bytes();
        Ok((routed, share))
    }

    /// Begins the share of a request in the body memory, with the memory of its headers. `declared` is the
    /// declared size of the body, without an upper bound if there is none.
    ///
    /// # Errors
    /// `TooLarge` if the declared size exceeds the limit of the route; `Busy` as in [`wait_for_memory`].
    async fn begin_share(
        &self,
        routed: &RoutedRequest<'_>,
        declared: &SizeHint,
        deadline: tokio::time::Instant,
        waited: &mut Duration,
    ) -> Result<BodyShare> {
        let max_bytes = self.context.routes[routed.route].max_body_bytes(self.app.config());
        if declared.lower() > max_bytes as u64 {
            return Err(body_too_large(max_bytes));
        }
        let mut share = self.body_memory.begin_body(routed.caller, declared.upper());
        let header_bytes = estimate_header_memory(&routed.pending.request.headers);
        wait_for_memory(&mut share, header_bytes, deadline, waited).await?;
        Ok(share)
    }

    /// Returns the response for an error that occurred before a handler ran, and writes it to the
    /// access log.
    fn refuse(&self, pending: &PendingRequest, error: Error) -> Response {
        pending.complete(Err(error), &self.context.response_settings)
    }
}

/// Checks the number of header fields. HTTP/2 repeats a field with a single byte, and each takes memory
/// until the response exists.
///
/// # Errors
/// `Invalid` for more than [`MAX_HEADER_FIELDS`].
fn check_header_count(headers: &HeaderMap) -> Result<()> {
    match headers.len() > MAX_HEADER_FIELDS {
        true => Err(Error::Invalid(format!(
            "the request must not have more than {MAX_HEADER_FIELDS} header fields"
        ))),
        false => Ok(()),
    }
}

/// Returns the error for a body of more than `max` bytes.
fn body_too_large(max: usize) -> Error {
    Error::TooLarge(format!("the body must not be larger than {max} bytes"))
}

/// Returns about how many bytes of memory the headers of a request take.
fn estimate_header_memory(headers: &HeaderMap) -> usize {
    let fields = headers.iter().map(|(name, value)| name.as_str().len() + value.len());
    fields.map(|bytes| bytes + HEADER_FIELD_BYTES).sum()
}

/// Returns the response for a worker that dropped a request without an outcome.
fn no_outcome(_: oneshot::error::RecvError) -> Response {
    Response::empty(StatusCode::INTERNAL_SERVER_ERROR)
}

/// The times at which the access check of a route runs while a body arrives.
struct AccessChecks {
    /// Whether the route has an access check.
    exists: bool,
    /// Time of the next check. None before the first one.
    next: Option<tokio::time::Instant>,
}

impl AccessChecks {
    /// Returns whether a check is due for a body of at least `length` bytes.
    fn is_due(&self, length: u64) -> bool {
        self.exists
            && length > MAX_UNCHECKED_BODY_BYTES
            && self.next.is_none_or(|time| time <= tokio::time::Instant::now())
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

/// Waits for the next part of a body. Skips trailers. Returns None at the end.
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

/// Waits until there is memory for `bytes` more bytes of a body, and adds them to `share`.
///
/// `waited` is the time for which the body has waited for memory of other bodies so far. It grows
/// by the time that this call waits. It does not grow while a large body waits for its turn.
///
/// # Errors
/// `Busy` at `deadline`, or when `waited` reaches [`MAX_MEMORY_WAIT`].
async fn wait_for_memory(
    share: &mut BodyShare,
    bytes: usize,
    deadline: tokio::time::Instant,
    waited: &mut Duration,
) -> Result<()> {
    while let Err(shortage) = share.try_grow(bytes) {
        if tokio::time::Instant::now() >= deadline || *waited >= MAX_MEMORY_WAIT {
            return Err(Error::Busy);
        }
        sleep(MEMORY_RETRY_INTERVAL).await;
        if shortage == MemoryShortage::Bytes {
            *waited += MEMORY_RETRY_INTERVAL;
        }
    }
    Ok(())
}

/// Discards the rest of a rejected body in the background if the client is sending it.
fn drain_if(is_sending: bool, body: Incoming) {
    if is_sending {
        tokio::spawn(drain_body(body));
    }
}

/// Reads and discards the rest of a rejected body, up to `MAX_DRAINED_BYTES`. Ends at the first
/// error.
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
