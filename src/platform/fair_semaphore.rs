//! A semaphore for threads that grants its permits in FIFO order.
//!
//! It bounds how many threads run an expensive operation at the same time, such as hashing a
//! password or searching.

use std::collections::VecDeque;
use std::sync::Mutex;
use std::sync::MutexGuard;
use std::sync::PoisonError;

use crossbeam_channel::Sender;

/// A counting semaphore that blocks waiting threads and serves them in FIFO order.
pub struct FairSemaphore(Mutex<State>);

struct State {
    free_permits: usize,
    /// Threads that wait for a permit, oldest first. A released permit goes directly to the first
    /// one, so that a thread that arrives later cannot overtake it.
    waiting: VecDeque<Sender<()>>,
}

/// A permit of a [`FairSemaphore`]. Dropping it releases the permit, also during a panic.
pub struct Permit<'a>(&'a FairSemaphore);

impl FairSemaphore {
    /// Creates a semaphore with `permits` permits, but at least one.
    pub fn new(permits: usize) -> Self {
        Self(Mutex::new(State { free_permits: permits.max(1), waiting: VecDeque::new() }))
    }

    /// Blocks the thread until it gets a permit, which waiting threads get in FIFO order.
    pub fn acquire(&self) -> Permit<'_> {
        let mut state = self.lock();
        if state.free_permits > 0 {
            state.free_permits -= 1;
            return Permit(self);
        }
        let (sender, granted) = crossbeam_channel::bounded(1);
        state.waiting.push_back(sender);
        drop(state);
        // Cannot fail: the sender stays in the queue until it is used.
        let _ = granted.recv();
        Permit(self)
    }

    /// Locks the internal state for a moment, also after a panic of another thread. Takes no
    /// permit.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Permit<'_> {
    /// Releases the permit: passes it to the thread that has waited longest, or adds it to the free
    /// ones.
    fn drop(&mut self) {
        let mut state = self.0.lock();
        match state.waiting.pop_front() {
            // Cannot fail: the channel has room for one message, and its receiver is waiting.
            Some(next) => {
                let _ = next.try_send(());
            }
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
                        let _permit = semaphore.acquire();
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
}
