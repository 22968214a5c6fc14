//! The thread that starts the sync jobs when they are due.

use std::collections::HashMap;
use std::collections::HashSet;
use std::collections::VecDeque;
use std::panic::AssertUnwindSafe;
use std::panic::catch_unwind;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;
use std::time::Instant;

use url::Url;

use super::outcome;
use super::outcome::Limits;
use super::run;
use crate::app::App;
use crate::features::sync_jobs;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::id::NodeId;
use chartroom_platform::remote::Deadline;
use chartroom_platform::remote::MAX_REMOTE_TIME;
use chartroom_platform::remote::RemoteClient;
use chartroom_platform::threads;
use chartroom_platform::threads::StoppableThread;
use chartroom_platform::time::Timestamp;

/// Maximum number of downloads from one host at the same time.
const MAX_RUNS_PER_HOST: usize = 2;
/// Minimum time between two searches for due jobs while others wait.
const SEARCH_INTERVAL: Duration = Duration::from_secs(1);
/// Maximum time between two searches. It bounds the delay after a change of the clock.
const MAX_SLEEP: Duration = Duration::from_secs(60);
/// Difference between the clock and the time that has passed from which the clock was changed.
const CLOCK_TOLERANCE: Duration = Duration::from_secs(60);
/// Time over which overdue jobs are spread after a start.
const CATCH_UP_SECONDS: i64 = 300;
/// Number of overdue jobs per second after a start.
const CATCH_UP_RATE: i64 = 4;
/// Time without another attempt after this server failed to run a job.
const SERVER_FAILURE_PAUSE: Duration = Duration::from_secs(60);
/// Maximum time that a stop waits for running downloads. Their jobs stay due.
const MAX_STOP_WAIT: Duration = Duration::from_secs(2);
/// Nice value of the threads, as that of other background tasks.
const NICENESS: i32 = 10;

/// The thread that starts the sync jobs. Dropping it stops the thread.
pub struct SyncRunner {
    thread: StoppableThread,
}

/// State that the starting thread shares with the running jobs.
#[derive(Default)]
struct Running {
    /// Number of running jobs for each host.
    hosts: HashMap<String, usize>,
    count: usize,
    /// Jobs that run, and jobs that could not run, with the time of the next attempt.
    paused: HashMap<NodeId, Instant>,
}

/// The waiting jobs of the starting thread.
#[derive(Default)]
struct Waiting {
    /// Jobs for each host, the longest due first.
    hosts: HashMap<String, VecDeque<NodeId>>,
    /// All jobs in `hosts`.
    jobs: HashSet<NodeId>,
}

impl SyncRunner {
    /// Starts the thread.
    ///
    /// # Errors
    /// If the thread cannot be started.
    pub fn start(app: Arc<App>) -> Result<Self> {
        let woken = app.clone();
        let work = move |stopped: &AtomicBool| {
            threads::lower_thread_priority(NICENESS);
            start_due_jobs(&app, stopped);
        };
        let wake = move || woken.sync_signal.notify();
        Ok(Self { thread: StoppableThread::start("sync", work, wake)? })
    }

    /// Stops the thread. Waits briefly for running downloads.
    pub fn stop(&self) {
        self.thread.stop();
    }
}

/// Starts due jobs until the thread is stopped.
fn start_due_jobs(app: &Arc<App>, stopped: &AtomicBool) {
    // Created for the first job, because most servers need no memory for it.
    let mut client = None;
    let running = Arc::new(Mutex::new(Running::default()));
    let mut waiting = Waiting::default();
    let mut searched: Option<Instant> = None;
    let mut clock = (Instant::now(), Timestamp::now());
    log_failure(adjust_schedule(app));
    while !stopped.load(Ordering::SeqCst) {
        let seen = app.sync_signal.count();
        if is_clock_changed(&mut clock) {
            log_failure(adjust_schedule(app));
        }
        if waiting.jobs.is_empty() || searched.is_none_or(|at| at.elapsed() >= SEARCH_INTERVAL) {
            searched = Some(Instant::now());
            log_failure(waiting.add_due_jobs(app, &running));
        }
        if client.is_none() && !waiting.jobs.is_empty() {
            client = create_client(app);
        }
        if let Some(client) = &client {
            waiting.start_jobs(app, client, &running);
        }
        let sleep = match waiting.jobs.is_empty() {
            true => time_until_due(app).unwrap_or(MAX_SLEEP),
            false => SEARCH_INTERVAL,
        };
        app.sync_signal.wait_past(seen, sleep);
    }
    let end = Instant::now() + MAX_STOP_WAIT;
    while lock(&running).count > 0 && Instant::now() < end {
        app.sync_signal.wait_past(app.sync_signal.count(), Duration::from_millis(50));
    }
}

/// Creates the client of all jobs. Logs an error, after which the next call tries again.
fn create_client(app: &App) -> Option<RemoteClient> {
    let client = RemoteClient::for_user_urls(&app.config, MAX_REMOTE_TIME);
    client.inspect_err(log_error).ok()
}

/// Returns the time until the next job is due, at most [`MAX_SLEEP`]. A job that is due already runs or
/// pauses, and gives [`SEARCH_INTERVAL`]: the end of a run wakes the thread.
fn time_until_due(app: &App) -> Result<Duration> {
    let next = app.db.read(|tx| Ok((sync_jobs::next_due(tx)?, tx.now)))?;
    let (Some(due), now) = next else { return Ok(MAX_SLEEP) };
    Ok(match u64::try_from(due.0.saturating_sub(now.0)) {
        Ok(milliseconds @ 1..) => Duration::from_millis(milliseconds).min(MAX_SLEEP),
        _ => SEARCH_INTERVAL,
    })
}

/// Returns whether the clock was changed since the last call, and stores the present times in `clock`.
fn is_clock_changed(clock: &mut (Instant, Timestamp)) -> bool {
    let now = (Instant::now(), Timestamp::now());
    let passed = i64::try_from((now.0 - clock.0).as_millis()).unwrap_or(i64::MAX);
    let difference = (now.1.0 - clock.1.0).abs_diff(passed);
    *clock = now;
    u128::from(difference) > CLOCK_TOLERANCE.as_millis()
}

/// Spreads overdue jobs over some minutes, and brings forward jobs with a time that only a wrong clock
/// explains: later than the next time of their schedule by an interval or more.
fn adjust_schedule(app: &App) -> Result<()> {
    let limits = Limits::from_config(&app.config);
    let jobs = app.db.read(sync_jobs::list_scheduled_jobs)?;
    let now = Timestamp::now();
    let overdue = jobs.iter().filter(|job| job.run.due.is_some_and(|due| due <= now)).count();
    let range = i64::try_from(overdue).unwrap_or(i64::MAX) / CATCH_UP_RATE;
    let range = range.min(CATCH_UP_SECONDS).min(limits.spread_seconds().saturating_mul(4)).max(1);
    let mut changed = Vec::new();
    for (number, job) in (0_i64..).zip(jobs) {
        if job.run.due.is_some_and(|due| due <= now) {
            let due = Timestamp(now.0 + number.rem_euclid(range) * 1000);
            changed.push((job.clone(), job.run.next_at, Some(due)));
        } else if let Some(times) = outcome::find_earlier_run(&job, limits, now) {
            changed.push((job, times.0, times.1));
        }
    }
    if changed.is_empty() {
        return Ok(());
    }
    app.db.write_with_reserve(move |tx| {
        changed
            .iter()
            .try_for_each(|(job, next_at, due)| sync_jobs::reschedule(tx, job, *next_at, *due))
    })
}

impl Waiting {
    /// Adds the jobs that are due, neither running nor paused, and not added yet.
    fn add_due_jobs(&mut self, app: &App, running: &Mutex<Running>) -> Result<()> {
        let due = app.db.read(sync_jobs::list_due_jobs)?;
        let mut running = lock(running);
        running.paused.retain(|_, until| *until > Instant::now());
        for (document, url) in due {
            if !running.paused.contains_key(&document) && self.jobs.insert(document.clone()) {
                self.hosts.entry(find_host(&url)).or_default().push_back(document);
            }
        }
        Ok(())
    }

    /// Starts as many jobs as the limits permit, in turns of the hosts.
    fn start_jobs(&mut self, app: &Arc<App>, client: &RemoteClient, running: &Arc<Mutex<Running>>) {
        let max_count = app.config.sync_threads as usize;
        let mut has_started = true;
        while has_started {
            has_started = false;
            let hosts: Vec<String> = self.hosts.keys().cloned().collect();
            for host in hosts {
                {
                    let running = lock(running);
                    let is_busy = running.hosts.get(&host).is_some_and(|n| *n >= MAX_RUNS_PER_HOST);
                    if is_busy || running.count >= max_count {
                        continue;
                    }
                }
                if let Some(document) = self.take(&host) {
                    start_job(app, client, running, (host, document));
                    has_started = true;
                }
            }
        }
    }

    /// Removes and returns the first job of a host.
    fn take(&mut self, host: &str) -> Option<NodeId> {
        let queue = self.hosts.get_mut(host)?;
        let document = queue.pop_front();
        if queue.is_empty() {
            self.hosts.remove(host);
        }
        document.inspect(|document| {
            self.jobs.remove(document);
        })
    }
}

/// Starts a thread that runs a job.
fn start_job(
    app: &Arc<App>,
    client: &RemoteClient,
    running: &Arc<Mutex<Running>>,
    (host, document): (String, NodeId),
) {
    {
        let mut running = lock(running);
        running.count += 1;
        *running.hosts.entry(host.clone()).or_default() += 1;
        // Until the end of the run, so that a search does not add the job again.
        running.paused.insert(document.clone(), Instant::now() + MAX_REMOTE_TIME * 2);
    }
    let (shared, app, client) = (running.clone(), app.clone(), client.clone());
    let ended = (host.clone(), document.clone());
    let work = move || {
        threads::lower_thread_priority(NICENESS);
        let pause = run_claimed(&app, &client, &document);
        end_job(&shared, &host, &document, pause);
        app.sync_signal.notify();
    };
    if let Err(error) = thread::Builder::new().name("sync-run".to_owned()).spawn(work) {
        tracing::error!(%error, "a thread for a sync job cannot be started");
        end_job(running, &ended.0, &ended.1, Some(SERVER_FAILURE_PAUSE));
    }
}

/// Runs a job unless a request runs it at present. Returns the time without another attempt, if the job
/// did not run or this server failed.
fn run_claimed(app: &App, client: &RemoteClient, document: &NodeId) -> Option<Duration> {
    let Some(_claim) = app.sync_claims.try_claim(document) else { return Some(SEARCH_INTERVAL) };
    let deadline = Deadline::after(MAX_REMOTE_TIME);
    let result = catch_unwind(AssertUnwindSafe(|| run::run_job(app, client, document, deadline)))
        .unwrap_or_else(|_| Err(Error::internal("a sync job panicked")));
    result.inspect_err(log_error).is_err().then_some(SERVER_FAILURE_PAUSE)
}

/// Counts the end of a job, which then pauses for this time.
fn end_job(running: &Mutex<Running>, host: &str, document: &NodeId, pause: Option<Duration>) {
    let mut running = lock(running);
    running.count -= 1;
    if let Some(count) = running.hosts.get_mut(host) {
        *count -= 1;
        if *count == 0 {
            running.hosts.remove(host);
        }
    }
    match pause {
        Some(pause) => running.paused.insert(document.clone(), Instant::now() + pause),
        None => running.paused.remove(document),
    };
}

/// Returns the host of a source, for the limit of downloads at the same time.
fn find_host(url: &str) -> String {
    let host = Url::parse(url).ok().and_then(|url| url.host_str().map(str::to_owned));
    host.unwrap_or_default()
}

/// Locks the state of the running jobs.
fn lock(running: &Mutex<Running>) -> std::sync::MutexGuard<'_, Running> {
    running.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Logs a failure of this server.
fn log_failure(result: Result<()>) {
    if let Err(error) = result {
        log_error(&error);
    }
}

/// Logs an error of this server.
fn log_error(error: &Error) {
    tracing::error!(error = %error.operator_message(), "a sync job cannot be run");
}
