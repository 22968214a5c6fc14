//! The queue of a thread pool. It serves callers in turn, so that a caller with many requests does
//! not delay the requests of others.
//!
//! There are two levels: client networks, and the callers within a network. A caller is an account
//! that has sent valid credentials before, or all other senders of the network together. Invented
//! credentials therefore get no larger share than one account, and delay only unknown senders.

use std::collections::HashMap;
use std::collections::VecDeque;
use std::net::IpAddr;
use std::sync::Mutex;
use std::sync::MutexGuard;
use std::sync::PoisonError;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;
use std::thread;
use std::thread::Thread;
use std::time::Duration;
use std::time::Instant;

use foldhash::fast::RandomState;

use super::caller_key::CallerKey;
use super::fair_lanes::FairLanes;

/// Time after which the memory of callers with too many unsent bytes is checked again.
const MEMORY_CHECK_INTERVAL: Duration = Duration::from_millis(20);
/// Number of times that a thread lets others run before it sleeps.
const YIELDS_BEFORE_SLEEP: usize = 8;
/// Number of threads that look for a job at the same time without sleeping.
const MAX_SEARCHING_THREADS: usize = 2;
/// Number of networks above which the queue forgets those without jobs.
const MAX_REMEMBERED_NETWORKS: usize = 1024;
/// Number of callers of one network above which the queue forgets those without jobs.
const MAX_REMEMBERED_CALLERS: usize = 256;

/// Bounds of a queue.
#[derive(Debug, Clone, Copy)]
pub struct QueueLimits {
    /// Maximum number of waiting jobs. One caller may have three quarters of them, one network
    /// seven eighths.
    pub max_jobs: usize,
    /// Maximum number of jobs of one caller that run at the same time.
    pub max_running_per_caller: usize,
    /// Maximum number of jobs of one network that run at the same time.
    pub max_running_per_network: usize,
    /// Maximum number of threads that take jobs, at least 1.
    pub max_threads: usize,
    /// Time without a job after which a thread ends, unless it is the last one or a caller waits for
    /// memory.
    pub idle_timeout: Duration,
}

/// A job that can wait in a [`FairQueue`].
pub trait QueuedJob {
    /// Returns whether the job may not run yet, because its caller has too many unsent bytes.
    fn waits_for_memory(&self) -> bool;

    /// Returns the number of the lane in which the job waits. The lanes of a caller take turns.
    fn lane(&self) -> u64;
}

/// A queue of jobs, with the number of threads that its jobs need.
///
/// The queue starts no threads. After [`Self::push`] and [`Self::next`], the caller must start one if
/// [`Self::take_missing_thread`] returns true. Each of them calls [`Self::next`] until it returns None.
pub struct FairQueue<J> {
    state: Mutex<State<J>>,
    limits: QueueLimits,
    /// Copy of [`State::waiting_jobs`] that is readable without the lock.
    waiting_jobs: AtomicUsize,
    /// Length of [`State::turns`], readable without the lock.
    runnable: AtomicUsize,
    /// Number of threads that will look for a job before they sleep. It decreases only under the
    /// lock, so that each of them sees a job that is added while it counts.
    searching_threads: AtomicUsize,
    /// Number of threads that count in [`State::threads`] but have not been started yet.
    missing_threads: AtomicUsize,
}

struct State<J> {
    networks: HashMap<IpAddr, Network<J>, RandomState>,
    /// Networks with a caller that may run a job, in the order in which they are served.
    turns: VecDeque<IpAddr>,
    /// Callers with jobs that have too many unsent bytes to run one.
    without_memory: Vec<CallerKey>,
    memory_checked_at: Instant,
    waiting_jobs: usize,
    /// Number of threads that take jobs, including those that still must be started.
    threads: usize,
    /// Threads without a job, in the order of their numbers. The last one is woken first, because its
    /// memory is more likely in the caches of the processor.
    idle_threads: Vec<IdleThread>,
    /// Number of times that a thread has become idle.
    idle_count: u64,
    is_closed: bool,
}

/// A thread that sleeps until there is a job.
struct IdleThread {
    /// Value of [`State::idle_count`] when the thread became idle.
    number: u64,
    thread: Thread,
}

struct Network<J> {
    callers: HashMap<u64, Caller<J>, RandomState>,
    /// Callers that may run a job, in the order in which they are served.
    turns: VecDeque<u64>,
    is_in_turns: bool,
    waiting_jobs: usize,
    running_jobs: usize,
}

struct Caller<J> {
    jobs: FairLanes<J>,
    /// Whether the caller is in the turns of its network.
    is_in_turns: bool,
    /// Whether the caller is in [`State::without_memory`].
    lacks_memory: bool,
    running_jobs: usize,
}

impl<J: QueuedJob> FairQueue<J> {
    /// Creates an empty queue that misses its first thread.
    pub fn new(limits: QueueLimits) -> Self {
        Self {
            state: Mutex::new(State {
                networks: HashMap::default(),
                turns: VecDeque::new(),
                without_memory: Vec::new(),
                memory_checked_at: Instant::now(),
                waiting_jobs: 0,
                threads: 1,
                idle_threads: Vec::new(),
                idle_count: 0,
                is_closed: false,
            }),
            limits,
            waiting_jobs: AtomicUsize::new(0),
            runnable: AtomicUsize::new(0),
            searching_threads: AtomicUsize::new(0),
            missing_threads: AtomicUsize::new(1),
        }
    }

    /// Adds a job of `key` without waiting. If the job may run, wakes an idle thread, or asks for a new
    /// one.
    ///
    /// # Errors
    /// Returns the job if the queue is closed or full, or the caller or its network has its maximum
    /// share of the waiting jobs, see `QueueLimits::max_jobs`.
    pub fn push(&self, key: CallerKey, job: J) -> Result<(), J> {
        let mut guard = self.lock();
        let state = &mut *guard;
        let max_jobs = self.limits.max_jobs;
        if state.is_closed || state.waiting_jobs >= max_jobs {
            return Err(job);
        }
        if state.networks.len() > MAX_REMEMBERED_NETWORKS {
            state.networks.retain(|_, network| !network.is_unused());
        }
        let network = state.networks.entry(key.network).or_insert_with(Network::new);
        if network.waiting_jobs >= max_jobs.div_ceil(8) * 7 {
            return Err(job);
        }
        if network.callers.len() > MAX_REMEMBERED_CALLERS {
            network.callers.retain(|_, caller| !caller.is_unused());
        }
        let caller = network.callers.entry(key.credentials).or_insert_with(Caller::new);
        if caller.jobs.len() >= max_jobs.div_ceil(4) * 3 {
            return Err(job);
        }
        caller.jobs.push(job.lane(), job);
        let needs_turn = caller.begin_turn(&self.limits);
        network.waiting_jobs += 1;
        state.waiting_jobs += 1;
        network.add_turn(key, needs_turn, &mut state.turns, &self.limits);
        self.waiting_jobs.store(state.waiting_jobs, Relaxed);
        self.runnable.store(state.turns.len(), Relaxed);
        self.unlock_and_wake(guard);
        Ok(())
    }

    /// Blocks until a job may run, removes it and returns it with its caller. Returns None when the
    /// thread must end: the queue is closed and empty, or the thread has had no job for
    /// [`QueueLimits::idle_timeout`], is not the last one, and no caller waits for memory.
    ///
    /// `finished` is the caller of the job that this thread has finished since its last call. Calls
    /// `before_wait` once, without the lock, if no job may run yet.
    pub fn next(
        &self,
        finished: Option<CallerKey>,
        before_wait: impl FnOnce(),
    ) -> Option<(CallerKey, J)> {
        let mut state = self.lock();
        if let Some(key) = finished {
            self.finish(&mut state, key);
        }
        if let Some(next) = self.take_next(&mut state) {
            self.unlock_and_wake(state);
            return Some(next);
        }
        // From now on, the next job wakes no other thread.
        let searching_threads = self.searching_threads.fetch_add(1, Relaxed);
        self.unlock_and_wake(state);
        before_wait();
        // Under load the next job comes soon. Waiting for a moment saves two system calls.
        if searching_threads < MAX_SEARCHING_THREADS {
            for _ in 0..YIELDS_BEFORE_SLEEP {
                if self.runnable.load(Relaxed) > 0 {
                    break;
                }
                thread::yield_now();
            }
        }
        let mut state = self.lock();
        self.searching_threads.fetch_sub(1, Relaxed);
        let idle_since = Instant::now();
        loop {
            if let Some(next) = self.take_next(&mut state) {
                self.unlock_and_wake(state);
                return Some(next);
            }
            let is_idle = state.threads > 1
                && state.without_memory.is_empty()
                && idle_since.elapsed() >= self.limits.idle_timeout;
            if is_idle || (state.is_closed && state.waiting_jobs == 0) {
                state.threads -= 1;
                return None;
            }
            let must_check_memory = !state.without_memory.is_empty() || state.is_closed;
            let timeout =
                if must_check_memory { MEMORY_CHECK_INTERVAL } else { self.limits.idle_timeout };
            let number = state.begin_idle(thread::current());
            drop(state);
            thread::park_timeout(timeout);
            state = self.lock();
            state.end_idle(number);
        }
    }

    /// Returns whether a thread is missing, which the caller then starts.
    pub fn take_missing_thread(&self) -> bool {
        self.missing_threads.load(Relaxed) > 0
            && self
                .missing_threads
                .fetch_update(Relaxed, Relaxed, |missing| missing.checked_sub(1))
                .is_ok()
    }

    /// Records that a missing thread could not be started. A later job asks for it again.
    pub fn give_up_thread(&self) {
        self.lock().threads -= 1;
    }

    /// Returns whether jobs wait. The result can be outdated.
    pub fn has_jobs(&self) -> bool {
        self.waiting_jobs.load(Relaxed) > 0
    }

    /// Rejects further jobs. [`Self::next`] still returns those that wait.
    pub fn close(&self) {
        let mut state = self.lock();
        state.is_closed = true;
        state.idle_threads.drain(..).for_each(|idle| idle.thread.unpark());
    }

    /// Locks the queue, also after a panic of another thread.
    fn lock(&self) -> MutexGuard<'_, State<J>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Releases the lock, and wakes an idle thread if a job may run and more jobs wait than threads are
    /// about to look for one, or if a caller waits for memory and no thread is about to look for a job.
    /// Asks for a new thread if none is idle.
    ///
    /// A searching thread may wait for a processor while others add jobs. If it counted for all of them,
    /// another processor would be idle.
    ///
    /// A thread that is woken before the release would wait for the lock at once.
    fn unlock_and_wake(&self, mut state: MutexGuard<'_, State<J>>) {
        let searching_threads = self.searching_threads.load(Relaxed);
        let must_wake = match state.turns.is_empty() {
            true => searching_threads == 0 && !state.without_memory.is_empty(),
            false => state.waiting_jobs > searching_threads,
        };
        let idle = if must_wake { state.idle_threads.pop() } else { None };
        if must_wake && idle.is_none() && state.threads < self.limits.max_threads {
            state.threads += 1;
            self.missing_threads.fetch_add(1, Relaxed);
        }
        drop(state);
        if let Some(idle) = idle {
            idle.thread.unpark();
        }
    }

    /// Records that a job of `key` has ended, and gives its caller and network a turn if a waiting
    /// job of them may run now.
    fn finish(&self, state: &mut State<J>, key: CallerKey) {
        let Some(network) = state.networks.get_mut(&key.network) else { return };
        network.running_jobs = network.running_jobs.saturating_sub(1);
        let needs_turn = network.callers.get_mut(&key.credentials).is_some_and(|caller| {
            caller.running_jobs = caller.running_jobs.saturating_sub(1);
            caller.begin_turn(&self.limits)
        });
        network.add_turn(key, needs_turn, &mut state.turns, &self.limits);
    }

    /// Removes and returns the next job that may run, without waiting. First checks the memory of
    /// callers with unsent bytes. Updates the counts that are readable without the lock.
    fn take_next(&self, state: &mut State<J>) -> Option<(CallerKey, J)> {
        state.check_memory(&self.limits);
        let next = state.take_next(&self.limits);
        self.waiting_jobs.store(state.waiting_jobs, Relaxed);
        self.runnable.store(state.turns.len(), Relaxed);
        next
    }
}

impl<J: QueuedJob> State<J> {
    /// Adds a thread to the idle ones and returns its number.
    fn begin_idle(&mut self, thread: Thread) -> u64 {
        self.idle_count += 1;
        self.idle_threads.push(IdleThread { number: self.idle_count, thread });
        self.idle_count
    }

    /// Removes the thread with this number from the idle ones, unless another thread has woken it, which
    /// then has removed it.
    fn end_idle(&mut self, number: u64) {
        if let Ok(index) = self.idle_threads.binary_search_by_key(&number, |idle| idle.number) {
            self.idle_threads.remove(index);
        }
    }

    /// Grants a turn to callers that now have enough memory or an overdue job. Checks at most once
    /// in [`MEMORY_CHECK_INTERVAL`]. When the queue is closed, all get one.
    fn check_memory(&mut self, limits: &QueueLimits) {
        if self.without_memory.is_empty()
            || (self.memory_checked_at.elapsed() < MEMORY_CHECK_INTERVAL && !self.is_closed)
        {
            return;
        }
        self.memory_checked_at = Instant::now();
        let waiting = std::mem::take(&mut self.without_memory);
        for key in waiting {
            let Some(network) = self.networks.get_mut(&key.network) else { continue };
            let Some(caller) = network.callers.get_mut(&key.credentials) else { continue };
            if caller.has_memory() || self.is_closed {
                caller.lacks_memory = false;
                let needs_turn = caller.begin_turn(limits);
                network.add_turn(key, needs_turn, &mut self.turns, limits);
            } else {
                self.without_memory.push(key);
            }
        }
    }

    /// Removes and returns the next job that its caller and its network may run. Returns None if no
    /// waiting job may run. Moves callers with too many unsent bytes from the turns to
    /// `without_memory`, unless the queue is closed.
    fn take_next(&mut self, limits: &QueueLimits) -> Option<(CallerKey, J)> {
        while let Some(address) = self.turns.pop_front() {
            let Some(network) = self.networks.get_mut(&address) else { continue };
            network.is_in_turns = false;
            while network.may_run(limits) {
                let Some(credentials) = network.turns.pop_front() else { break };
                let key = CallerKey { network: address, credentials };
                let Some(caller) = network.callers.get_mut(&credentials) else { continue };
                caller.is_in_turns = false;
                if !caller.may_run(limits) {
                    continue;
                }
                let is_closed = self.is_closed;
                let may_run = |job: &J| is_closed || !job.waits_for_memory();
                let Some(job) = caller.jobs.pop_if(may_run) else {
                    caller.lacks_memory = true;
                    self.without_memory.push(key);
                    continue;
                };
                caller.running_jobs += 1;
                let needs_turn = caller.begin_turn(limits);
                network.running_jobs += 1;
                network.waiting_jobs -= 1;
                self.waiting_jobs -= 1;
                network.add_turn(key, needs_turn, &mut self.turns, limits);
                return Some((key, job));
            }
        }
        None
    }
}

impl<J> Network<J> {
    fn new() -> Self {
        Self {
            callers: HashMap::default(),
            turns: VecDeque::new(),
            is_in_turns: false,
            waiting_jobs: 0,
            running_jobs: 0,
        }
    }

    /// Appends the caller to the turns of the network if it needs one, and the network to the turns of the
    /// queue if a job of it may run and it has no turn yet.
    fn add_turn(
        &mut self,
        key: CallerKey,
        needs_turn: bool,
        networks: &mut VecDeque<IpAddr>,
        limits: &QueueLimits,
    ) {
        if needs_turn {
            self.turns.push_back(key.credentials);
        }
        if self.may_run(limits) && !self.is_in_turns {
            self.is_in_turns = true;
            networks.push_back(key.network);
        }
    }

    /// Returns whether a caller of the network has a turn and the network may run another job.
    fn may_run(&self, limits: &QueueLimits) -> bool {
        !self.turns.is_empty() && self.running_jobs < limits.max_running_per_network
    }

    /// Returns whether the network has neither waiting nor running jobs, so that it can be
    /// forgotten.
    fn is_unused(&self) -> bool {
        self.waiting_jobs == 0 && self.running_jobs == 0
    }
}

impl<J: QueuedJob> Caller<J> {
    fn new() -> Self {
        Self { jobs: FairLanes::new(), is_in_turns: false, lacks_memory: false, running_jobs: 0 }
    }

    /// Returns whether the caller has a waiting job and may run another one. Does not check its
    /// memory.
    fn may_run(&self, limits: &QueueLimits) -> bool {
        !self.jobs.is_empty() && self.running_jobs < limits.max_running_per_caller
    }

    /// Returns whether the caller must be added to the turns of its network: a job may run, it has memory,
    /// and it has no turn yet. Then it counts as added.
    fn begin_turn(&mut self, limits: &QueueLimits) -> bool {
        let needs_turn = self.may_run(limits) && !self.is_in_turns && !self.lacks_memory;
        self.is_in_turns |= needs_turn;
        needs_turn
    }

    /// Returns whether the first job of a lane may produce a response, or must end with an error because
    /// it has waited too long. True without a job.
    fn has_memory(&self) -> bool {
        self.jobs.is_empty() || self.jobs.has_any(|job| !job.waits_for_memory())
    }

    /// Returns whether the caller has no job, waiting or running, and is in no list, so that it can
    /// be forgotten.
    fn is_unused(&self) -> bool {
        self.jobs.is_empty() && self.running_jobs == 0 && !self.is_in_turns && !self.lacks_memory
    }
}

#[cfg(test)]
#[path = "fair_queue_tests.rs"]
mod tests;
