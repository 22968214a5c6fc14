//! Tests of the fair queue.

use std::net::Ipv4Addr;
use std::sync::Arc;

use super::super::response_memory::CallerMemory;
use super::super::response_memory::ResponseMemory;
use super::*;

const LIMITS: QueueLimits = QueueLimits {
    max_jobs: 64,
    max_running_per_caller: 2,
    max_running_per_network: 3,
    max_threads: 4,
    idle_timeout: Duration::from_millis(100),
};

fn key(network: u8, credentials: u64) -> CallerKey {
    CallerKey { network: IpAddr::V4(Ipv4Addr::new(10, 0, 0, network)), credentials }
}

/// A job with a name.
struct TestJob {
    name: &'static str,
    lane: u64,
    memory: Arc<CallerMemory>,
    is_overdue: bool,
}

impl QueuedJob for TestJob {
    fn waits_for_memory(&self) -> bool {
        !self.memory.may_produce() && !self.is_overdue
    }

    fn lane(&self) -> u64 {
        self.lane
    }
}

/// A queue with the memory of its callers.
struct Fixture {
    queue: FairQueue<TestJob>,
    memory: ResponseMemory,
}

impl Fixture {
    fn new(limits: QueueLimits) -> Self {
        Self { queue: FairQueue::new(limits), memory: ResponseMemory::default() }
    }

    fn push(&self, key: CallerKey, name: &'static str) -> bool {
        self.push_job(key, name, 0, false)
    }

    fn push_job(&self, key: CallerKey, name: &'static str, lane: u64, is_overdue: bool) -> bool {
        let job = TestJob { name, lane, memory: self.memory.find_caller(key), is_overdue };
        self.queue.push(key, job).is_ok()
    }

    /// Takes the next job after one of `finished` has ended.
    fn take_after(&self, finished: Option<CallerKey>) -> Option<&'static str> {
        self.try_next(finished).map(|(_, job)| job.name)
    }

    /// Like [`FairQueue::next`], but returns None instead of waiting.
    fn try_next(&self, finished: Option<CallerKey>) -> Option<(CallerKey, TestJob)> {
        let mut state = self.queue.lock();
        finished.into_iter().for_each(|key| self.queue.finish(&mut state, key));
        let next = self.queue.take_next(&mut state);
        self.queue.unlock_and_wake(state);
        next
    }

    /// Waits for the next job.
    fn wait(&self) -> Option<&'static str> {
        self.queue.next(None, || ()).map(|(_, job)| job.name)
    }

    fn take(&self) -> Option<&'static str> {
        self.take_after(None)
    }
}

#[test]
fn jobs_of_one_caller_keep_their_order_and_callers_take_turns() {
    let fixture = Fixture::new(QueueLimits {
        max_running_per_caller: 64,
        max_running_per_network: 64,
        ..LIMITS
    });
    for job in ["a1", "a2", "a3"] {
        assert!(fixture.push(key(1, 1), job));
    }
    for job in ["b1", "b2"] {
        assert!(fixture.push(key(1, 2), job));
    }
    assert!(fixture.push(key(2, 1), "c1"));
    let order: Vec<_> = std::iter::from_fn(|| fixture.take()).collect();
    // The networks alternate, and within the first one its two callers.
    assert_eq!(order, ["a1", "c1", "b1", "a2", "b2", "a3"]);
    assert!(!fixture.queue.has_jobs());
}

#[test]
fn lanes_of_a_caller_share_its_turns() {
    let fixture = Fixture::new(QueueLimits {
        max_running_per_caller: 64,
        max_running_per_network: 64,
        ..LIMITS
    });
    for (lane, job) in [(1, "a1"), (1, "a2"), (2, "b1"), (3, "c1")] {
        assert!(fixture.push_job(key(1, 1), job, lane, false));
    }
    for job in ["d1", "d2"] {
        assert!(fixture.push(key(1, 2), job));
    }
    let order: Vec<_> = std::iter::from_fn(|| fixture.take()).collect();
    // The second caller has every second turn, however many lanes the first one has.
    assert_eq!(order, ["a1", "d1", "b1", "d2", "c1", "a2"]);
}

#[test]
fn a_lane_with_too_many_unsent_bytes_does_not_stop_the_others() {
    let fixture = Fixture::new(LIMITS);
    let unsent = fixture.memory.find_caller(key(1, 7)).hold(40 << 20);
    let greedy = TestJob {
        name: "large",
        lane: 7,
        memory: fixture.memory.find_caller(key(1, 7)),
        is_overdue: false,
    };
    assert!(fixture.queue.push(key(1, 0), greedy).is_ok());
    assert!(fixture.push_job(key(1, 0), "small", 8, false));
    assert_eq!((fixture.take(), fixture.take()), (Some("small"), None));
    drop(unsent);
    thread::sleep(MEMORY_CHECK_INTERVAL * 2);
    assert_eq!(fixture.take(), Some("large"));
}

#[test]
fn a_caller_and_a_network_run_only_their_number_of_jobs_at_once() {
    let fixture = Fixture::new(LIMITS);
    for job in ["a1", "a2", "a3"] {
        assert!(fixture.push(key(1, 1), job));
    }
    for job in ["b1", "b2"] {
        assert!(fixture.push(key(1, 2), job));
    }
    // Two of the first caller are running, so that the network can run only one of the second one.
    let running: Vec<_> = std::iter::from_fn(|| fixture.take()).collect();
    assert_eq!(running, ["a1", "b1", "a2"]);
    assert!(fixture.push(key(2, 1), "c1"));
    assert_eq!(fixture.take(), Some("c1"), "another network is not delayed");
    assert_eq!(fixture.take_after(Some(key(1, 1))), Some("b2"));
    assert_eq!(fixture.take(), None);
    assert_eq!(fixture.take_after(Some(key(1, 2))), Some("a3"));
}

#[test]
fn a_caller_cannot_fill_the_whole_queue() {
    let fixture = Fixture::new(QueueLimits { max_jobs: 16, ..LIMITS });
    let accepted = (0..20).filter(|_| fixture.push(key(1, 1), "a")).count();
    assert_eq!(accepted, 12);
    let accepted = (0..20).filter(|_| fixture.push(key(1, 2), "b")).count();
    assert_eq!(accepted, 2, "the network has 14 of 16");
    let accepted = (0..20).filter(|_| fixture.push(key(2, 1), "c")).count();
    assert_eq!(accepted, 2);
}

#[test]
fn jobs_of_a_caller_with_too_many_unsent_bytes_wait_until_they_are_sent() {
    let fixture = Fixture::new(LIMITS);
    let greedy = fixture.memory.find_caller(key(1, 1));
    let unsent = greedy.hold(40 << 20);
    assert!(fixture.push(key(1, 1), "large"));
    assert!(fixture.push(key(1, 2), "small"));
    assert_eq!(fixture.take(), Some("small"));
    assert_eq!(fixture.take(), None);
    assert!(fixture.queue.has_jobs());
    thread::scope(|threads| {
        let waiting = threads.spawn(|| fixture.wait());
        thread::sleep(MEMORY_CHECK_INTERVAL * 3);
        assert!(!waiting.is_finished());
        drop(unsent);
        assert_eq!(waiting.join().unwrap(), Some("large"));
    });
}

#[test]
fn an_overdue_job_does_not_wait_for_memory() {
    let fixture = Fixture::new(LIMITS);
    let _unsent = fixture.memory.find_caller(key(1, 1)).hold(40 << 20);
    assert!(fixture.push_job(key(1, 1), "overdue", 0, true));
    assert_eq!(fixture.take(), Some("overdue"));
}

#[test]
fn closed_queue_returns_its_jobs_and_then_nothing() {
    let fixture = Fixture::new(LIMITS);
    let _unsent = fixture.memory.find_caller(key(1, 1)).hold(40 << 20);
    assert!(fixture.push(key(1, 1), "a"));
    fixture.queue.close();
    assert!(!fixture.push(key(1, 2), "b"));
    assert_eq!(fixture.wait(), Some("a"));
    assert_eq!(fixture.wait(), None);
}

#[test]
fn only_callers_without_jobs_are_forgotten() {
    let fixture = Fixture::new(QueueLimits { max_jobs: 10_000, ..LIMITS });
    assert!(fixture.push(key(1, 0), "kept"));
    assert_eq!(fixture.take(), Some("kept"));
    for credentials in 1..1000 {
        assert!(fixture.push(key(1, credentials), "a"));
        // The job of the first caller keeps running, the others end.
        let (taken, _) = fixture.try_next(None).unwrap();
        assert!(fixture.try_next(Some(taken)).is_none());
    }
    let state = fixture.queue.lock();
    let callers = &state.networks[&key(1, 0).network].callers;
    assert!(callers.len() <= MAX_REMEMBERED_CALLERS + 1, "{}", callers.len());
    assert!(callers.contains_key(&0), "the job of the first caller is still running");
}

#[test]
fn every_job_runs_although_threads_sleep_and_search_at_the_same_time() {
    const ROUNDS: usize = 1000;
    const MAX_TIME: Duration = Duration::from_secs(30);
    let fixture = Fixture::new(LIMITS);
    fixture.queue.lock().threads = 5;
    let done = AtomicUsize::new(0);
    let start = Instant::now();
    let run_jobs = || {
        let mut finished = None;
        while let Some((caller, _)) = fixture.queue.next(finished, || ()) {
            done.fetch_add(1, Relaxed);
            finished = Some(caller);
        }
    };
    thread::scope(|threads| {
        for _ in 0..5 {
            threads.spawn(run_jobs);
        }
        let mut pushed = 0;
        for round in 0..ROUNDS {
            for credentials in 0..4 {
                let network = u8::try_from(credentials % 2).unwrap();
                assert!(fixture.push(key(network, credentials), "a"));
                pushed += 1;
            }
            // A job that no thread runs would wait for ever, because no other job follows.
            while done.load(Relaxed) < pushed && start.elapsed() < MAX_TIME {
                thread::yield_now();
            }
            if start.elapsed() >= MAX_TIME {
                break;
            }
            // In some rounds all threads sleep, in others some still look for a job.
            if round % 4 == 0 {
                thread::sleep(Duration::from_micros(300));
            }
        }
        let done_in_time = done.load(Relaxed);
        fixture.queue.close();
        assert_eq!(done_in_time, pushed);
    });
}

/// Returns the number of threads that the queue asks for.
fn take_missing_threads(queue: &FairQueue<TestJob>) -> usize {
    std::iter::from_fn(|| queue.take_missing_thread().then_some(())).count()
}

#[test]
fn jobs_ask_for_threads_up_to_the_maximum() {
    let fixture = Fixture::new(LIMITS);
    assert_eq!(take_missing_threads(&fixture.queue), 1, "the first thread");
    assert!(fixture.push(key(1, 1), "a"));
    assert_eq!(take_missing_threads(&fixture.queue), 1);
    for credentials in 2..10 {
        assert!(fixture.push(key(1, credentials), "b"));
    }
    assert_eq!(take_missing_threads(&fixture.queue), 2);
    // One of them could not be started.
    fixture.queue.give_up_thread();
    assert!(fixture.push(key(2, 1), "c"));
    assert!(fixture.push(key(2, 2), "d"));
    assert_eq!(take_missing_threads(&fixture.queue), 1);
}

#[test]
fn a_job_asks_for_no_thread_while_one_is_idle() {
    let fixture = Fixture::new(QueueLimits { idle_timeout: Duration::from_secs(60), ..LIMITS });
    assert_eq!(take_missing_threads(&fixture.queue), 1);
    thread::scope(|scope| {
        let waiting = scope.spawn(|| fixture.wait());
        while fixture.queue.lock().idle_threads.is_empty() {
            thread::yield_now();
        }
        assert!(fixture.push(key(1, 1), "a"));
        assert_eq!(waiting.join().unwrap(), Some("a"));
    });
    assert_eq!(take_missing_threads(&fixture.queue), 0);
}

#[test]
fn a_searching_thread_counts_for_one_job() {
    let fixture = Fixture::new(LIMITS);
    assert_eq!(take_missing_threads(&fixture.queue), 1);
    fixture.queue.searching_threads.fetch_add(1, Relaxed);
    assert!(fixture.push(key(1, 1), "a"));
    assert_eq!(take_missing_threads(&fixture.queue), 0);
    assert!(fixture.push(key(2, 1), "b"));
    assert_eq!(take_missing_threads(&fixture.queue), 1);
}

#[test]
fn a_thread_stays_free_to_check_the_memory_of_waiting_callers() {
    let fixture = Fixture::new(LIMITS);
    let unsent = fixture.memory.find_caller(key(1, 1)).hold(40 << 20);
    assert!(fixture.push(key(1, 1), "large"));
    // One thread finds the caller without memory, and then both have long jobs of others.
    assert_eq!(take_missing_threads(&fixture.queue), 2);
    assert_eq!(fixture.take(), None);
    assert_eq!(take_missing_threads(&fixture.queue), 1);
    thread::scope(|scope| {
        let free = scope.spawn(|| fixture.wait());
        thread::sleep(LIMITS.idle_timeout * 3);
        assert!(!free.is_finished(), "the thread ended");
        drop(unsent);
        assert_eq!(free.join().unwrap(), Some("large"));
    });
}

#[test]
fn idle_threads_end_except_the_last_one() {
    let fixture = Fixture::new(LIMITS);
    fixture.queue.lock().threads = 3;
    thread::scope(|scope| {
        let threads: Vec<_> = (0..3)
            .map(|_| {
                scope.spawn(|| {
                    let jobs = std::iter::from_fn(|| fixture.wait()).count();
                    (jobs, fixture.queue.lock().is_closed)
                })
            })
            .collect();
        while threads.iter().filter(|thread| thread.is_finished()).count() < 2 {
            thread::sleep(Duration::from_millis(5));
        }
        thread::sleep(LIMITS.idle_timeout * 3);
        assert_eq!(threads.iter().filter(|thread| thread.is_finished()).count(), 2);
        // The last thread still takes jobs.
        assert!(fixture.push(key(1, 1), "a"));
        while fixture.queue.has_jobs() {
            thread::yield_now();
        }
        fixture.queue.close();
        let ends: Vec<_> = threads.into_iter().map(|thread| thread.join().unwrap()).collect();
        assert_eq!(ends.iter().map(|(jobs, _)| jobs).sum::<usize>(), 1);
        assert_eq!(ends.iter().filter(|(_, is_closed)| *is_closed).count(), 1);
    });
}
