//! Thread pools that run handlers. There is one pool per kind of work, each with a bounded queue.

use std::panic::AssertUnwindSafe;
use std::panic::catch_unwind;
use std::sync::Arc;
use std::thread;
use std::thread::JoinHandle;
use std::time::Duration;
use std::time::Instant;

use crossbeam_channel::Receiver;
use crossbeam_channel::Sender;
use crossbeam_channel::TrySendError;
use hyper::Method;
use tokio::sync::oneshot;

use super::application::Application;
use super::cors;
use super::finalize;
use super::finalize::RequestInfo;
use super::finalize::ResponseSettings;
use super::problem;
use super::rate_limits::RateLimitStatus;
use super::request::Request;
use super::response::Response;
use super::route::Pool;
use super::route::Route;
use crate::db;
use crate::error::Error;
use crate::error::Result;
use crate::log;

/// Number of threads for writes. They wait for the disk together, because one commit serves many.
const WRITE_THREADS: usize = 64;

/// Data that all workers share.
pub struct WorkerContext {
    /// The application.
    pub app: Arc<dyn Application>,
    /// All routes.
    pub routes: Vec<Route>,
    /// Settings for all responses.
    pub response_settings: ResponseSettings,
}

/// A request that has no response yet.
pub struct PendingRequest {
    /// The request as the handler sees it.
    pub request: Request,
    /// The method that the client sent. For HEAD, the handler sees GET instead.
    pub method: Method,
    /// Rate limit status of the client, if its requests are limited.
    pub rate_limit: Option<RateLimitStatus>,
    /// Time when the headers of the request were complete.
    pub received_at: Instant,
}

impl PendingRequest {
    /// Builds the final response from the handler's result and writes a line to the access log.
    ///
    /// An error becomes the page that `settings.error_page` returns for it, otherwise a problem
    /// document.
    pub fn complete(&self, result: Result<Response>, settings: &ResponseSettings) -> Response {
        let Self { request, method, rate_limit, received_at } = self;
        let request_id = request.request_id.as_str();
        let headers = &request.headers;
        let info = RequestInfo { method, headers, request_id, rate_limit: *rate_limit };
        let result = result.or_else(|error| match settings.error_page {
            Some(error_page) => match error_page(&error, request) {
                Some(page) => Ok(problem::complete_error_page(page, &error, headers, request_id)),
                None => Err(error),
            },
            None => Err(error),
        });
        let response = finalize::finalize_response(result, &info, settings);
        log::write_access_record(&log::AccessRecord {
            method,
            path: &request.path,
            query: &request.query,
            status: response.status.as_u16(),
            bytes: finalize::body_length(&response),
            received_at: *received_at,
            request_id,
            peer: request.client_ip,
        });
        response
    }
}

/// A request on its way to a worker.
pub struct Job {
    /// The request.
    pub pending: Box<PendingRequest>,
    /// Index of the route.
    pub route: usize,
    /// Channel for the response. The request is returned with it, because freeing memory is
    /// cheapest on the thread that allocated it.
    pub result: oneshot::Sender<(Response, Box<PendingRequest>)>,
}

/// All thread pools.
pub struct Workers {
    /// Queues in the order of the variants of [`Pool`].
    queues: [Sender<Job>; 3],
    threads: Vec<JoinHandle<()>>,
}

impl Workers {
    /// Starts all threads. The queue of each pool holds at most `max_queue` waiting jobs.
    ///
    /// # Errors
    /// If the system cannot start another thread.
    pub fn start(context: &Arc<WorkerContext>, max_queue: usize) -> Result<Self> {
        let cores = thread::available_parallelism().map_or(2, usize::from);
        let mut threads = Vec::new();
        let mut start_pool = |name: &str, count: usize| -> Result<Sender<Job>> {
            let (queue, jobs) = crossbeam_channel::bounded(max_queue);
            for number in 0..count {
                let (jobs, context) = (jobs.clone(), context.clone());
                let thread = thread::Builder::new().name(format!("{name}-{number}"));
                threads.push(thread.spawn(move || run_jobs(&jobs, &context))?);
            }
            Ok(queue)
        };
        let queues = [
            start_pool("read", cores.max(2))?,
            start_pool("write", WRITE_THREADS)?,
            start_pool("render", cores)?,
        ];
        Ok(Self { queues, threads })
    }

    /// Puts a job into the queue of `pool` without waiting.
    ///
    /// # Errors
    /// Returns the job if the queue is full or its threads have ended.
    pub fn try_enqueue(&self, pool: Pool, job: Job) -> std::result::Result<(), Box<Job>> {
        self.queues[pool as usize].try_send(job).map_err(|error| match error {
            TrySendError::Full(job) | TrySendError::Disconnected(job) => Box::new(job),
        })
    }

    /// Closes the queues and waits until the threads have run the remaining jobs and ended, at the
    /// latest until `deadline`.
    pub fn stop(self, deadline: Instant) {
        drop(self.queues);
        for thread in self.threads {
            while !thread.is_finished() && Instant::now() < deadline {
                thread::sleep(Duration::from_millis(2));
            }
        }
    }
}

/// Waits for the next job; returns None when the server stops.
///
/// Before it blocks, the thread releases its database snapshot. Otherwise an idle worker would keep
/// an old snapshot open, and the checkpoint could not truncate the write-ahead log.
fn wait_for_job(jobs: &Receiver<Job>) -> Option<Job> {
    if let Ok(job) = jobs.try_recv() {
        return Some(job);
    }
    db::release_snapshot();
    jobs.recv().ok()
}

/// Runs jobs and sends their responses until the server stops.
///
/// A panic of a handler becomes a 500 response. A handler of the read pool runs in one database
/// snapshot, which successive jobs may share.
fn run_jobs(jobs: &Receiver<Job>, context: &WorkerContext) {
    while let Some(Job { pending, route, result }) = wait_for_job(jobs) {
        let Route { handler, pool, allow_any_origin, .. } = &context.routes[route];
        let request = &pending.request;
        // A panic of a handler becomes a 500 response, so that the thread survives. Shared state
        // stays usable, because all locks ignore poisoning.
        let handled = catch_unwind(AssertUnwindSafe(|| match pool {
            // The caller's permissions and the data must come from the same snapshot.
            Pool::Read => {
                let db = context.app.db();
                db.read_with_shared_snapshot(|| handler(request), || !jobs.is_empty())
            }
            _ => handler(request),
        }))
        .unwrap_or_else(|_| Err(Error::internal("the handler panicked")));
        let mut response = pending.complete(handled, &context.response_settings);
        if *allow_any_origin {
            cors::allow_any_origin(&mut response.headers);
        }
        // Fails if the client has disconnected.
        drop(result.send((response, pending)));
    }
}
