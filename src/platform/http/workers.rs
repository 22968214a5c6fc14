//! Thread pools that run handlers. There is one pool per kind of work, each with a bounded queue
//! that is fair between callers.

use std::panic::AssertUnwindSafe;
use std::panic::catch_unwind;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::MutexGuard;
use std::sync::PoisonError;
use std::thread;
use std::thread::JoinHandle;
use std::time::Duration;
use std::time::Instant;

use hyper::Method;
use hyper::header::USER_AGENT;
use tokio::sync::oneshot;

use super::application::Application;
use super::caller_key;
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
use super::response_memory::HeldMemory;
use super::route::Pool;
use super::route::Route;
use super::spool::SpoolDir;
use crate::db;
use crate::db::OriginScope;
use crate::db::WriteOrigin;
use crate::error::Error;
use crate::error::Result;
use crate::language;
use crate::log;

/// Number of writes of one caller that run at the same time. They wait for the disk together,
/// because one commit serves many.
const MAX_WRITES_PER_CALLER: usize = 64;
/// Number of further write threads, half of them for other callers of the network.
const MORE_WRITE_THREADS: usize = 8;
/// Number of further threads for reads, and for rendering: one for other callers of the network,
/// and one for other networks.
const MORE_THREADS: usize = 2;
/// Number of requests of one caller that wait for other servers at the same time.
const MAX_REMOTE_PER_CALLER: usize = 4;
/// Number of further threads for such requests, half of them for other callers of the network.
const MORE_REMOTE_THREADS: usize = 4;

/// Time without a job after which a thread ends, unless it is the last one of its pool. Its stack and its
/// cache of free memory go back to the system.
const IDLE_THREAD_TIMEOUT: Duration = Duration::from_secs(10);

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
    /// Directory for large bodies of responses.
    pub spool_dir: SpoolDir,
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
        language::set_current(request.language());
        let result = result.or_else(|error| match settings.error_page {
            Some(error_page) => match error_page(&error, request) {
                Some(page) => Ok(problem::complete_error_page(page, &error, headers, request_id)),
                None => Err(error),
            },
            None => Err(error),
        });
        let mut response = finalize::finalize_response(result, &info, settings);
        if let Some(cookie) = request.new_cookie.get() {
            finalize::add_new_cookie(&mut response, cookie);
        }
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

impl Job {
    /// Returns whether the job has waited so long for memory that it must end with an error.
    fn is_overdue(&self) -> bool {
        self.pending.received_at.elapsed() > MAX_WAIT_FOR_MEMORY
    }
}

impl QueuedJob for Job {
    /// A response of a handler never waits, because it has its memory already.
    fn waits_for_memory(&self) -> bool {
        !matches!(self.step, Step::Complete(_)) && !self.memory.may_produce() && !self.is_overdue()
    }

    fn lane(&self) -> u64 {
        let request = &self.pending.request;
        caller_key::find_lane(&request.headers, request.session_cookie, request.caller)
    }
}

/// The work that a worker does for a request.
pub enum Step {
    /// Run the access check of the route. The body has not been read yet.
    CheckAccess,
    /// Run the handler.
    Handle,
    /// Complete the response of a handler that ran in the read pool.
    Complete(Box<HandledRequest>),
}

/// The result of a handler.
pub struct HandledRequest {
    result: Result<Response>,
    /// Memory of the response. None for an error.
    held: Option<HeldMemory>,
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
pub struct Workers(Arc<ThreadPools>);

/// The state that all threads share.
struct ThreadPools {
    /// The pools, in the order of the variants of [`Pool`], and then that of the threads that compress
    /// large responses.
    pools: [ThreadPool; 5],
    context: Arc<WorkerContext>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

/// A pool of threads. They are started when jobs need them, and end when they are idle.
struct ThreadPool {
    /// Name of the threads.
    name: &'static str,
    queue: FairQueue<Job>,
}

/// Index of the pool that compresses responses. No handler runs there. If they waited behind jobs that
/// need memory, nobody could free the memory that these responses hold.
const COMPRESSION_POOL: usize = Pool::Remote as usize + 1;

impl Workers {
    /// Creates all pools with one thread each. The queue of each pool holds at most `max_queue` waiting
    /// jobs.
    ///
    /// Each pool may have more threads than one caller may use at the same time, and one client network
    /// may not use the last ones, so that a thread is free for others.
    ///
    /// # Errors
    /// If the system cannot start another thread.
    pub fn start(context: &Arc<WorkerContext>, max_queue: usize) -> Result<Self> {
        let cores = thread::available_parallelism().map_or(2, usize::from).max(2);
        let pools = [
            ("read", cores, MORE_THREADS),
            ("write", MAX_WRITES_PER_CALLER, MORE_WRITE_THREADS),
            ("render", cores, MORE_THREADS),
            ("remote", MAX_REMOTE_PER_CALLER, MORE_REMOTE_THREADS),
            ("compress", cores, MORE_THREADS),
        ];
        let pools = pools.map(|(name, per_caller, more)| ThreadPool {
            name,
            queue: FairQueue::new(QueueLimits {
                max_jobs: max_queue,
                max_running_per_caller: per_caller,
                max_running_per_network: per_caller + more / 2,
                max_threads: per_caller + more,
                idle_timeout: IDLE_THREAD_TIMEOUT,
            }),
        });
        let (context, threads) = (context.clone(), Mutex::default());
        let pools = Arc::new(ThreadPools { pools, context, threads });
        (0..pools.pools.len()).try_for_each(|pool| pools.start_missing_threads(pool))?;
        Ok(Self(pools))
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
        let is_check = matches!(job.step, Step::CheckAccess);
        let pool = if is_check { Pool::Read } else { pool };
        self.0.push(pool as usize, caller, job)
    }

    /// Closes the queues and waits until the threads have run the remaining jobs and ended, at the
    /// latest until `deadline`.
    pub fn stop(&self, deadline: Instant) {
        self.0.pools.iter().for_each(|pool| pool.queue.close());
        while self.0.has_threads() && Instant::now() < deadline {
            thread::sleep(Duration::from_millis(2));
        }
    }
}

impl ThreadPools {
    /// Puts a job into the queue of the pool at an index.
    ///
    /// # Errors
    /// Those of [`Workers::try_enqueue`].
    fn push(
        self: &Arc<Self>,
        pool: usize,
        caller: CallerKey,
        job: Job,
    ) -> std::result::Result<(), Job> {
        self.pools[pool].queue.push(caller, job)?;
        self.grow(pool);
        Ok(())
    }

    /// Starts the threads that the jobs of a pool need. If the system allows no more threads, those that
    /// exist run the jobs.
    fn grow(self: &Arc<Self>, pool: usize) {
        if let Err(error) = self.start_missing_threads(pool) {
            tracing::warn!("cannot start a {} thread: {error}", self.pools[pool].name);
        }
    }

    /// Starts the threads that the queue of a pool misses.
    ///
    /// # Errors
    /// If the system cannot start another thread.
    fn start_missing_threads(self: &Arc<Self>, pool: usize) -> Result<()> {
        let ThreadPool { name, queue } = &self.pools[pool];
        while queue.take_missing_thread() {
            let pools = self.clone();
            let thread = thread::Builder::new().name((*name).to_owned());
            let thread = thread.spawn(move || pools.run_jobs(pool));
            let thread = thread.inspect_err(|_| queue.give_up_thread())?;
            let mut threads = self.lock_threads();
            threads.retain(|thread| !thread.is_finished());
            threads.push(thread);
        }
        Ok(())
    }

    /// Returns whether a thread is running.
    fn has_threads(&self) -> bool {
        self.lock_threads().iter().any(|thread| !thread.is_finished())
    }

    fn lock_threads(&self) -> MutexGuard<'_, Vec<JoinHandle<()>>> {
        self.threads.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs the jobs of the pool at an index and sends their outcomes until the thread must end. Skips a
    /// job that has not begun if the client has disconnected.
    fn run_jobs(self: &Arc<Self>, pool: usize) {
        let queue = &self.pools[pool].queue;
        let mut finished = None;
        // Before it blocks, the thread releases its database snapshot. Otherwise an idle worker would
        // keep an old snapshot open, and the checkpoint could not truncate the write-ahead log.
        while let Some((caller, job)) = queue.next(finished, db::release_snapshot) {
            self.grow(pool);
            if matches!(job.step, Step::Complete(_)) || !job.result.is_closed() {
                self.run_job(job, caller, queue);
            }
            finished = Some(caller);
        }
    }

    /// Runs a job of `queue` and sends the outcome.
    ///
    /// A response that takes long to compress goes to the compression queue instead if it comes from the
    /// read pool, so that reads of others do not wait for it.
    fn run_job(self: &Arc<Self>, mut job: Job, caller: CallerKey, queue: &FairQueue<Job>) {
        let context = &self.context;
        let route = &context.routes[job.route];
        let is_refused = !job.memory.may_produce() && job.is_overdue();
        let handled = match std::mem::replace(&mut job.step, Step::Handle) {
            Step::Complete(handled) => return complete(job, *handled, context),
            Step::Handle | Step::CheckAccess if is_refused => HandledRequest::refused(),
            step => match handle(&job.pending.request, route, &step, (context, queue)) {
                Some(result) => HandledRequest::new(result, &job.memory),
                None => {
                    drop(job.result.send(Outcome::Allowed(job.pending)));
                    return;
                }
            },
        };
        if route.pool != Pool::Read || !handled.is_costly_to_complete(&job.pending) {
            return complete(job, handled, context);
        }
        job.step = Step::Complete(Box::new(handled));
        // If the queue is full or closed, this thread completes the response.
        if let Err(Job { step: Step::Complete(handled), pending, route, memory, result }) =
            self.push(COMPRESSION_POOL, caller, job)
        {
            let job = Job { step: Step::Handle, pending, route, memory, result };
            complete(job, *handled, context);
        }
    }
}

/// Builds the final response of a job and sends it.
fn complete(job: Job, handled: HandledRequest, context: &WorkerContext) {
    let Job { pending, route, result, .. } = job;
    let response = handled.complete(&pending, &context.routes[route], context);
    // Fails if the client has disconnected meanwhile.
    drop(result.send(Outcome::Response(response, pending)));
}

impl HandledRequest {
    /// Counts the response of a handler as unsent bytes of its caller. Replaces a large response by
    /// `Busy` if there is no memory for it.
    ///
    /// The bytes count before the job is finished, so that the next job of the caller sees them.
    fn new(result: Result<Response>, memory: &Arc<CallerMemory>) -> Self {
        let Ok(response) = result else { return Self { result, held: None } };
        match memory.hold(finalize::body_length(&response).unwrap_or(0)) {
            Some(held) => Self { result: Ok(response), held: Some(held) },
            None => Self::refused(),
        }
    }

    /// Returns the result of a request for which there is no memory: `Busy`.
    fn refused() -> Self {
        Self { result: Err(Error::Busy), held: None }
    }

    /// Returns whether completing the response includes the compression of a large body.
    fn is_costly_to_complete(&self, pending: &PendingRequest) -> bool {
        let headers = &pending.request.headers;
        self.result.as_ref().is_ok_and(|response| finalize::is_costly(response, headers))
    }

    /// Builds the final response. Its body counts as unsent until it is sent or dropped. Writes a large
    /// body to a file if its caller has others in memory.
    fn complete(
        self,
        pending: &PendingRequest,
        route: &Route,
        context: &WorkerContext,
    ) -> Response {
        let mut response = pending.complete(self.result, &context.response_settings);
        if route.allow_any_origin {
            cors::allow_any_origin(&mut response.headers);
        }
        let Some(held) = self.held else { return response };
        let Body::Bytes(bytes) = &mut response.body else { return response };
        let share = held.reserve_spool(bytes);
        response.body = match share.and_then(|share| context.spool_dir.write(bytes, share)) {
            Some(spooled) => Body::Spooled(Box::new(spooled)),
            None => Body::Bytes(held.attach(std::mem::take(bytes))),
        };
        response
    }
}

/// Runs the access check or the handler of `route`. Returns None if the access check allows the
/// request.
///
/// A panic becomes an internal error. A handler of the read pool, like each access check, runs in one
/// database snapshot, which successive jobs may share. The client of the request is the origin of
/// all writes.
fn handle(
    request: &Request,
    route: &Route,
    step: &Step,
    (context, queue): (&WorkerContext, &FairQueue<Job>),
) -> Option<Result<Response>> {
    let Route { handler, pool, access_check, .. } = route;
    let user_agent = request.header(&USER_AGENT).unwrap_or_default();
    let _origin = OriginScope::begin(WriteOrigin::of_request(request.client_ip, user_agent));
    language::set_current(request.language());
    let is_check = matches!(step, Step::CheckAccess);
    let run = || match (is_check, access_check) {
        (false, _) => handler(request).map(Some),
        (true, Some(check)) => check(request).map(|()| None),
        (true, None) => Ok(None),
    };
    // A panic of a handler becomes a 500 response, so that the thread survives. Shared state stays
    // usable, because all locks ignore poisoning.
    catch_unwind(AssertUnwindSafe(|| {
        if *pool == Pool::Read || is_check {
            // The caller's permissions and the data must come from the same snapshot.
            context.app.db().read_with_shared_snapshot(run, || queue.has_jobs())
        } else {
            run()
        }
    }))
    .unwrap_or_else(|_| Err(Error::internal("the handler panicked")))
    .transpose()
}
