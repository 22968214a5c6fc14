//! A semaphore for threads that grants its permits to clients in turn.
//!
//! It bounds how many threads run an expensive operation at the same time, such as hashing a
//! password or searching.

use std::sync::Arc;
use std::sync::Mutex;
use std::sync::MutexGuard;
use std::sync::PoisonError;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering;
use std::thread;
use std::thread::Thread;

use crate::turn_queue::TurnQueue;

/// A counting semaphore that blocks waiting threads.
///
/// Clients, identified by `K`, get permits in turn, so that one with many waiting threads does not
/// delay the others. The threads of a client are served in FIFO order.
pub struct FairSemaphore<K>(Mutex<State<K>>);

struct State<K> {
    free_permits: usize,
    /// Waiting threads of the clients. A released permit goes directly to the next thread, so that a
    /// thread that arrives later cannot overtake it.
    waiting: TurnQueue<K, Arc<Waiter>>,
}

/// A thread that waits for a permit. It sleeps at once: a channel would let it run for a while first, and
/// dozens of threads can wait for the few that work.
struct Waiter {
    thread: Thread,
    has_permit: AtomicBool,
}

impl Waiter {
    /// Returns the current thread without a permit.
    fn current() -> Arc<Self> {
        Arc::new(Self { thread: thread::current(), has_permit: AtomicBool::new(false) })
    }

    /// Blocks the current thread, which must be the one of this waiter, until it has a permit.
    fn wait(&self) {
        while !self.has_permit.load(Ordering::Acquire) {
            thread::park();
        }
    }

    /// Gives the thread a permit and wakes it.
    fn grant(&self) {
        self.has_permit.store(true, Ordering::Release);
        self.thread.unpark();
    }
}

/// A permit of a [`FairSemaphore`]. Dropping it releases the permit, also during a panic.
pub struct Permit<'a, K: Eq>(&'a FairSemaphore<K>);

impl<K: Eq> FairSemaphore<K> {
    /// Creates a semaphore with `permits` permits, but at least one.
    pub fn new(permits: usize) -> Self {
        Self(Mutex::new(State { free_permits: permits.max(1), waiting: TurnQueue::new() }))
    }

    /// Blocks the thread until it gets a permit, which clients get in turn.
    pub fn acquire(&self, client: K) -> Permit<'_, K> {
        let mut state = self.lock();
        if state.free_permits > 0 {
            state.free_permits -= 1;
            return Permit(self);
        }
        let waiter = Waiter::current();
        state.waiting.push(client, waiter.clone());
        drop(state);
        waiter.wait();
        Permit(self)
    }

    /// Locks the internal state for a moment, also after a panic of another thread. Takes no permit.
    fn lock(&self) -> MutexGuard<'_, State<K>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K: Eq> Drop for Permit<'_, K> {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        match state.waiting.pop() {
            Some(next) => next.grant(),
            None => state.free_permits += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;
    use std::sync::atomic::Ordering::SeqCst;
    use std::time::Duration;

    use super::*;

    #[test]
    fn every_thread_gets_a_permit_and_never_more_than_the_limit_at_once() {
        let semaphore = FairSemaphore::new(2);
        let (running, max_running, done) =
            (AtomicUsize::new(0), AtomicUsize::new(0), AtomicUsize::new(0));
        std::thread::scope(|threads| {
            for number in 0..8 {
                let (semaphore, running, max_running, done) =
                    (&semaphore, &running, &max_running, &done);
                threads.spawn(move || {
                    let work = std::panic::AssertUnwindSafe(|| {
                        let _permit = semaphore.acquire(number % 3);
                        max_running.fetch_max(running.fetch_add(1, SeqCst) + 1, SeqCst);
                        std::thread::sleep(Duration::from_millis(5));
                        running.fetch_sub(1, SeqCst);
                        assert_ne!(number, 3, "on purpose");
                    });
                    // A thread that panics must release its permit too.
                    let _ = std::panic::catch_unwind(work);
                    done.fetch_add(1, SeqCst);
                });
            }
        });
        assert_eq!((max_running.load(SeqCst), done.load(SeqCst)), (2, 8));
    }

    #[test]
    fn clients_get_permits_in_turn() {
        let semaphore = FairSemaphore::new(1);
        let order = Mutex::new(Vec::new());
        std::thread::scope(|threads| {
            let permit = semaphore.acquire("busy");
            for (number, client) in ["busy", "busy", "busy", "other", "third"].iter().enumerate() {
                let (semaphore, order) = (&semaphore, &order);
                threads.spawn(move || {
                    let _permit = semaphore.acquire(*client);
                    order.lock().unwrap().push(*client);
                });
                // The next thread must arrive after this one.
                let is_waiting = || semaphore.lock().waiting.len() > number;
                while !is_waiting() {
                    std::thread::yield_now();
                }
            }
            drop(permit);
        });
        assert_eq!(*order.lock().unwrap(), ["busy", "other", "third", "busy", "busy"]);
    }
}
