//! The threads that run handlers: a pool for each kind of work, each with a bounded queue.

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

use super::answer;
use super::answer::Asked;
use super::answer::Site;
use super::application::Application;
use super::limits::Left;
use super::problem;
use super::request::Request;
use super::response::Response;
use super::route::Pool;
use super::route::Route;
use super::sites;
use crate::db;
use crate::error::Error;
use crate::error::Result;
use crate::log;

/// Everything a worker needs to handle any request.
pub struct Desk {
    /// The application.
    pub app: Arc<dyn Application>,
    /// All routes.
    pub routes: Vec<Route>,
    /// What is the same for all answers.
    pub site: Site,
}

/// A request that came, and what is known of its coming.
pub struct Arrival {
    /// What the handler sees.
    pub request: Request,
    /// The method as it was sent; the handler of a HEAD request sees GET.
    pub method: Method,
    /// What is left to this client.
    pub left: Option<Left>,
    /// When the request came.
    pub since: Instant,
}

impl Arrival {
    /// The whole answer; writes the line in the access log.
    pub fn complete(&self, result: Result<Response>, site: &Site) -> Response {
        let Self { request, method, left, since } = self;
        let request_id = request.request_id.as_str();
        let asked = Asked { method, headers: &request.headers, request_id, left: *left };
        let result = result.or_else(|error| match site.error_page {
            Some(page) => match page(&error, request) {
                Some(page) => Ok(problem::as_page(page, &error, &request.headers, request_id)),
                None => Err(error),
            },
            None => Err(error),
        });
        let response = answer::complete(result, &asked, site);
        log::access(&log::Access {
            method,
            path: &request.path,
            query: &request.query,
            status: response.status.as_u16(),
            bytes: answer::length(&response),
            since: *since,
            request_id,
            peer: request.peer,
        });
        response
    }
}

/// One request on its way to its handler.
pub struct Job {
    /// The request.
    pub arrival: Box<Arrival>,
    /// Its route, by index.
    pub route: usize,
    /// Where the answer goes, with what came: memory is given back cheapest by the thread that took
    /// it.
    pub answer: oneshot::Sender<(Response, Box<Arrival>)>,
}

/// All pools.
pub struct Workers {
    queues: [Sender<Job>; 4],
    threads: Vec<JoinHandle<()>>,
}

impl Workers {
    /// Starts the threads; at most `waiting` jobs wait for those of a pool.
    ///
    /// # Errors
    /// When the system has no more threads.
    pub fn start(desk: &Arc<Desk>, waiting: usize) -> Result<Self> {
        let cores = thread::available_parallelism().map_or(2, usize::from);
        let mut threads = Vec::new();
        let mut pool = |name: &str, count: usize| -> Result<Sender<Job>> {
            let (queue, jobs) = crossbeam_channel::bounded(waiting);
            for number in 0..count {
                let (jobs, desk) = (jobs.clone(), desk.clone());
                let thread = thread::Builder::new().name(format!("{name}-{number}"));
                threads.push(thread.spawn(move || work(&jobs, &desk))?);
            }
            Ok(queue)
        };
        // In the order of `Pool`. Writers wait for the disk together (one commit for many), and
        // those who wait for remote sources only wait: there may be more of them than cores.
        let queues = [
            pool("read", cores.max(2))?,
            pool("write", 64)?,
            pool("draw", cores)?,
            pool("remote", 16)?,
        ];
        Ok(Self { queues, threads })
    }

    /// Puts a job into the queue of its pool.
    ///
    /// # Errors
    /// The job back, when the queue is full.
    pub fn put(&self, pool: Pool, job: Job) -> std::result::Result<(), Box<Job>> {
        self.queues[pool as usize].try_send(job).map_err(|error| match error {
            TrySendError::Full(job) | TrySendError::Disconnected(job) => Box::new(job),
        })
    }

    /// Ends the threads; waits for those that still run a handler until `deadline`.
    pub fn stop(self, deadline: Instant) {
        drop(self.queues);
        for thread in self.threads {
            while !thread.is_finished() && Instant::now() < deadline {
                thread::sleep(Duration::from_millis(2));
            }
        }
    }
}

/// The next job; none when the server stops.
fn next(jobs: &Receiver<Job>) -> Option<Job> {
    if let Ok(job) = jobs.try_recv() {
        return Some(job);
    }
    db::rest();
    jobs.recv().ok()
}

fn work(jobs: &Receiver<Job>, desk: &Desk) {
    while let Some(Job { arrival, route, answer }) = next(jobs) {
        let Route { handler, pool, any_site, .. } = &desk.routes[route];
        let request = &arrival.request;
        // A handler's panic is our fault and costs one answer, never a thread. What it held is
        // either its own or behind locks that are taken over poisoned.
        let result = catch_unwind(AssertUnwindSafe(|| match pool {
            // Who calls and what he reads come from one snapshot.
            Pool::Read => desk.app.db().read_in_turn(|| handler(request), || !jobs.is_empty()),
            _ => handler(request),
        }))
        .unwrap_or_else(|_| Err(Error::internal("the handler panicked")));
        let mut response = arrival.complete(result, &desk.site);
        if *any_site {
            sites::open(&mut response.headers);
        }
        // Nobody waits any more when the client has gone.
        drop(answer.send((response, arrival)));
    }
}
