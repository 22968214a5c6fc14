//! The thread that starts the sync jobs when they are due.

use std::collections::HashMap;
use std::collections::HashSet;
use std::collections::VecDeque;
use std::hash::Hash;
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
use crate::features::sync_jobs::DueJob;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;
use chartroom_platform::id::NodeId;
use chartroom_platform::remote::Deadline;
use chartroom_platform::remote::MAX_REMOTE_TIME;
use chartroom_platform::remote::RemoteClient;
use chartroom_platform::threads;
use chartroom_platform::threads::StoppableThread;
use chartroom_platform::time::Timestamp;

/// Maximum number of downloads from one host at the same time.
const MAX_RUNS_PER_HOST: usize = 2;
/// Part of the threads that the jobs of one creator may occupy, so that those of others do not wait for slow
/// sources of one person. With fewer than eight threads it is larger, because of [`MIN_RUNS_PER_OWNER`].
const OWNER_PART: usize = 4;
/// Number of jobs of one creator that may run at the same time whatever [`OWNER_PART`] gives. With one or
/// two threads, one creator may occupy all.
const MIN_RUNS_PER_OWNER: usize = 2;
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
    /// Number of running jobs for each creator.
    owners: HashMap<Option<AccountId>, usize>,
    count: usize,
    /// Jobs that run, and jobs that could not run, with the time of the next attempt.
    paused: HashMap<NodeId, Instant>,
}

/// The waiting jobs of the starting thread.
#[derive(Default)]
struct Waiting {
    /// Jobs for each creator and host, the longest due first.
    lanes: HashMap<Lane, VecDeque<NodeId>>,
    /// All jobs in `lanes`.
    jobs: HashSet<NodeId>,
}

/// The jobs of one creator at one host.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Lane {
    /// None after the account was deleted.
    owner: Option<AccountId>,
    host: String,
}

impl Running {
    /// Returns whether the limits permit one more job, with this maximum number of all jobs.
    fn permits(&self, lane: &Lane, max_count: usize) -> bool {
        let max_of_owner = (max_count / OWNER_PART).max(MIN_RUNS_PER_OWNER);
        self.count < max_count
            && self.hosts.get(&lane.host).is_none_or(|count| *count < MAX_RUNS_PER_HOST)
            && self.owners.get(&lane.owner).is_none_or(|count| *count < max_of_owner)
    }

    /// Counts a job that starts.
    fn add(&mut self, lane: &Lane) {
        self.count += 1;
        *self.hosts.entry(lane.host.clone()).or_default() += 1;
        *self.owners.entry(lane.owner.clone()).or_default() += 1;
    }

    /// Counts a job that has ended.
    fn remove(&mut self, lane: &Lane) {
        self.count -= 1;
        decrease(&mut self.hosts, &lane.host);
        decrease(&mut self.owners, &lane.owner);
    }
}

/// Decreases the count of a key. Removes the key at 0.
fn decrease<K: Eq + Hash>(counts: &mut HashMap<K, usize>, key: &K) {
    if let Some(count) = counts.get_mut(key) {
        *count -= 1;
        if *count == 0 {
            counts.remove(key);
        }
    }
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
        for DueJob { document, url, creator } in due {
            if !running.paused.contains_key(&document) && self.jobs.insert(document.clone()) {
                let lane = Lane { owner: creator, host: find_host(&url) };
                self.lanes.entry(lane).or_default().push_back(document);
            }
        }
        Ok(())
    }

    /// Starts as many jobs as the limits permit, in turns of the creators and hosts. Creators with the fewest
    /// running jobs come first.
    fn start_jobs(&mut self, app: &Arc<App>, client: &RemoteClient, running: &Arc<Mutex<Running>>) {
        let max_count = app.config.sync_threads as usize;
        let mut has_started = true;
        while has_started {
            has_started = false;
            let mut lanes: Vec<Lane> = self.lanes.keys().cloned().collect();
            {
                let running = lock(running);
                lanes.retain(|lane| running.permits(lane, max_count));
                lanes.sort_by_key(|lane| running.owners.get(&lane.owner).copied());
            }
            for lane in lanes {
                if !lock(running).permits(&lane, max_count) {
                    continue;
                }
                if let Some(document) = self.take(&lane) {
                    start_job(app, client, running, (lane, document));
                    has_started = true;
                }
            }
        }
    }

    /// Removes and returns the first job of a lane.
    fn take(&mut self, lane: &Lane) -> Option<NodeId> {
        let queue = self.lanes.get_mut(lane)?;
        let document = queue.pop_front();
        if queue.is_empty() {
            self.lanes.remove(lane);
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
    (lane, document): (Lane, NodeId),
) {
    {
        let mut running = lock(running);
        running.add(&lane);
        // Until the end of the run, so that a search does not add the job again.
        running.paused.insert(document.clone(), Instant::now() + MAX_REMOTE_TIME * 2);
    }
    let (shared, app, client) = (running.clone(), app.clone(), client.clone());
    let ended = (lane.clone(), document.clone());
    let work = move || {
        threads::lower_thread_priority(NICENESS);
        let pause = run_claimed(&app, &client, &document);
        end_job(&shared, &lane, &document, pause);
        app.sync_signal.notify();
    };
    if let Err(error) = thread::Builder::new().name("sync-run".to_owned()).spawn(work) {
        tracing::error!(%error, "a thread for a sync job cannot be started");
        end_job(running, &ended.0, &ended.1, Some(SERVER_FAILURE_PAUSE));
    }
}

/// Runs a job unless a request runs it at present. Returns the time without another attempt, if the job
/// did not run or this server failed. A request may have run it while it waited, so that it is not due any more.
fn run_claimed(app: &App, client: &RemoteClient, document: &NodeId) -> Option<Duration> {
    let Some(_claim) = app.sync_claims.try_claim(document) else { return Some(SEARCH_INTERVAL) };
    let deadline = Deadline::after(MAX_REMOTE_TIME);
    let run = || match app.db.read(|tx| sync_jobs::is_due(tx, document))? {
        true => run::run_job(app, client, document, deadline),
        false => Ok(None),
    };
    let result = catch_unwind(AssertUnwindSafe(run))
        .unwrap_or_else(|_| Err(Error::internal("a sync job panicked")));
    result.inspect_err(log_error).is_err().then_some(SERVER_FAILURE_PAUSE)
}

/// Counts the end of a job, which then pauses for this time.
fn end_job(running: &Mutex<Running>, lane: &Lane, document: &NodeId, pause: Option<Duration>) {
    let mut running = lock(running);
    running.remove(lane);
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
