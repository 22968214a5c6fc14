//! Thread pools that run handlers. There is one pool per kind of work, each with a bounded queue
//! that is fair between callers.

use std::panic::AssertUnwindSafe;
use std::panic::catch_unwind;
use std::sync::Arc;
use std::thread;
use std::thread::JoinHandle;
use std::time::Duration;
use std::time::Instant;

use hyper::Method;
use tokio::sync::oneshot;

use super::application::Application;
use super::caller_key::CallerKey;
use super::cors;
use super::fair_queue::FairQueue;
use super::fair_queue::QueueLimits;
use super::fair_queue::QueuedJob;
use super::finalize;
use super::finalize::RequestInfo;
use super::finalize::ResponseSettings;
use super::problem;
use super::rate_limits::RateLimitStatus;
use super::request::Request;
use super::response::Body;
use super::response::Response;
use super::response_memory::CallerMemory;
use super::route::Pool;
use super::route::Route;
use crate::db;
use crate::error::Error;
use crate::error::Result;
use crate::log;

/// Number of writes of one caller that run at the same time. They wait for the disk together,
/// because one commit serves many.
const MAX_WRITES_PER_CALLER: usize = 64;
/// Number of further write threads, half of them for other callers of the network.
const MORE_WRITE_THREADS: usize = 8;
/// Number of further threads for reads, and for rendering: one for other callers of the network,
/// and one for other networks.
const MORE_THREADS: usize = 2;

/// Maximum time that a request waits until its caller has read earlier responses.
const MAX_WAIT_FOR_MEMORY: Duration = Duration::from_secs(10);

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
    /// Does not send the response.
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
    /// The work to do.
    pub step: Step,
    /// Memory of the caller. The job waits while this has too many unsent bytes.
    pub memory: Arc<CallerMemory>,
    /// Channel for the outcome.
    pub result: oneshot::Sender<Outcome>,
}

impl QueuedJob for Job {
    fn memory(&self) -> &Arc<CallerMemory> {
        &self.memory
    }

    /// Returns whether more than `MAX_WAIT_FOR_MEMORY` has passed since the headers arrived.
    fn is_overdue(&self) -> bool {
        self.pending.received_at.elapsed() > MAX_WAIT_FOR_MEMORY
    }
}

/// The work that a worker does for a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Run the access check of the route. The body has not been read yet.
    CheckAccess,
    /// Run the handler.
    Handle,
}

/// The outcome of a job. The request is returned with it, because freeing memory is cheapest on the
/// thread that allocated it.
pub enum Outcome {
    /// The access check has succeeded, so that the body can be read.
    Allowed(Box<PendingRequest>),
    /// The final response. Its body counts as unsent memory of the caller.
    Response(Response, Box<PendingRequest>),
}

/// All thread pools.
pub struct Workers {
    /// Queues in the order of the variants of [`Pool`].
    queues: [Arc<FairQueue<Job>>; 3],
    threads: Vec<JoinHandle<()>>,
}

impl Workers {
    /// Starts all threads. The queue of each pool holds at most `max_queue` waiting jobs.
    ///
    /// Each pool has more threads than one caller may use at the same time, and one client network
    /// may not use the last ones, so that a thread is free for others.
    ///
    /// # Errors
    /// If the system cannot start another thread.
    pub fn start(context: &Arc<WorkerContext>, max_queue: usize) -> Result<Self> {
        let cores = thread::available_parallelism().map_or(2, usize::from).max(2);
        let mut threads = Vec::new();
        let mut start_pool = |name: &str, per_caller: usize, more: usize| {
            let limits = QueueLimits {
                max_jobs: max_queue,
                max_running_per_caller: per_caller,
                max_running_per_network: per_caller + more / 2,
            };
            let queue = Arc::new(FairQueue::new(limits));
            for number in 0..per_caller + more {
                let (queue, context) = (queue.clone(), context.clone());
                let thread = thread::Builder::new().name(format!("{name}-{number}"));
                threads.push(thread.spawn(move || run_jobs(&queue, &context))?);
            }
            Ok::<_, Error>(queue)
        };
        let queues = [
            start_pool("read", cores, MORE_THREADS)?,
            start_pool("write", MAX_WRITES_PER_CALLER, MORE_WRITE_THREADS)?,
            start_pool("render", cores, MORE_THREADS)?,
        ];
        Ok(Self { queues, threads })
    }

    /// Puts a job of `caller` into the queue of `pool` without waiting. An access check goes to the
    /// read pool.
    ///
    /// # Errors
    /// Returns the job if the queue is full or closed, or the caller or its network has too many
    /// jobs in it.
    pub fn try_enqueue(
        &self,
        pool: Pool,
        caller: CallerKey,
        job: Job,
    ) -> std::result::Result<(), Job> {
        let pool = if job.step == Step::CheckAccess { Pool::Read } else { pool };
        self.queues[pool as usize].push(caller, job)
    }

    /// Closes the queues and waits until the threads have run the remaining jobs and ended, at the
    /// latest until `deadline`.
    pub fn stop(&self, deadline: Instant) {
        self.queues.iter().for_each(|queue| queue.close());
        for thread in &self.threads {
            while !thread.is_finished() && Instant::now() < deadline {
                thread::sleep(Duration::from_millis(2));
            }
        }
    }
}

/// Runs jobs and sends their outcomes until the queue is closed and empty. Skips a job if the
/// client has disconnected. A job that has waited too long for memory gets the response of `Busy`
/// instead.
fn run_jobs(queue: &FairQueue<Job>, context: &WorkerContext) {
    let mut finished = None;
    // Before it blocks, the thread releases its database snapshot. Otherwise an idle worker would
    // keep an old snapshot open, and the checkpoint could not truncate the write-ahead log.
    while let Some((caller, job)) = queue.next(finished, db::release_snapshot) {
        let is_refused = job.is_overdue() && !job.memory.may_produce();
        let Job { pending, route, step, memory, result } = job;
        if is_refused {
            let response = pending.complete(Err(Error::Busy), &context.response_settings);
            drop(result.send(Outcome::Response(response, pending)));
        } else if !result.is_closed() {
            let route = &context.routes[route];
            // The bytes of the response count before the job is finished, so that the next job of the
            // caller sees them.
            let outcome = run_job(pending, route, step, (context, queue), &memory);
            // Fails if the client has disconnected meanwhile.
            drop(result.send(outcome));
        }
        finished = Some(caller);
    }
}

/// Runs the access check or the handler of `route`. Returns `Allowed` if the check succeeds or the
/// route has none, otherwise the final response.
///
/// A panic becomes a 500 response, and a large response for which there is no memory becomes 503. A
/// handler of the read pool, like each access check, runs in one database snapshot, which
/// successive jobs may share.
fn run_job(
    pending: Box<PendingRequest>,
    route: &Route,
    step: Step,
    (context, queue): (&WorkerContext, &FairQueue<Job>),
    memory: &Arc<CallerMemory>,
) -> Outcome {
    let Route { handler, pool, access_check, allow_any_origin, .. } = route;
    let request = &pending.request;
    let run = || match (step, access_check) {
        (Step::Handle, _) => handler(request).map(Some),
        (Step::CheckAccess, Some(check)) => check(request).map(|()| None),
        (Step::CheckAccess, None) => Ok(None),
    };
    // A panic of a handler becomes a 500 response, so that the thread survives. Shared state stays
    // usable, because all locks ignore poisoning.
    let handled = catch_unwind(AssertUnwindSafe(|| {
        if *pool == Pool::Read || step == Step::CheckAccess {
            // The caller's permissions and the data must come from the same snapshot.
            context.app.db().read_with_shared_snapshot(run, || queue.has_jobs())
        } else {
            run()
        }
    }))
    .unwrap_or_else(|_| Err(Error::internal("the handler panicked")));
    let mut held = None;
    let handled = match handled {
        Ok(None) => return Outcome::Allowed(pending),
        Ok(Some(response)) => {
            held = memory.hold(finalize::body_length(&response).unwrap_or(0));
            if held.is_some() { Ok(response) } else { Err(Error::Busy) }
        }
        Err(error) => Err(error),
    };
    let mut response = pending.complete(handled, &context.response_settings);
    if *allow_any_origin {
        cors::allow_any_origin(&mut response.headers);
    }
    if let (Body::Bytes(bytes), Some(held)) = (&mut response.body, held) {
        *bytes = held.attach(std::mem::take(bytes));
    }
    Outcome::Response(response, pending)
}
