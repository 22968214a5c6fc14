//! A semaphore for threads that grants its permits to clients in turn.
//!
//! It bounds how many threads run an expensive operation at the same time, such as hashing a
//! password or searching.

use std::collections::VecDeque;
use std::sync::Mutex;
use std::sync::MutexGuard;
use std::sync::PoisonError;

use crossbeam_channel::Sender;

/// A counting semaphore that blocks waiting threads.
///
/// Clients, identified by `K`, get permits in turn, so that one with many waiting threads does not
/// delay the others. The threads of a client are served in FIFO order.
pub struct FairSemaphore<K>(Mutex<State<K>>);

struct State<K> {
    free_permits: usize,
    /// Waiting threads of each client that has some, oldest first. The client that is served next
    /// comes first. A released permit goes directly to its first thread, so that a thread that
    /// arrives later cannot overtake it.
    waiting: VecDeque<(K, VecDeque<Sender<()>>)>,
}

/// A permit of a [`FairSemaphore`]. Dropping it releases the permit, also during a panic.
pub struct Permit<'a, K: Eq>(&'a FairSemaphore<K>);

impl<K: Eq> FairSemaphore<K> {
    /// Creates a semaphore with `permits` permits, but at least one.
    pub fn new(permits: usize) -> Self {
        Self(Mutex::new(State { free_permits: permits.max(1), waiting: VecDeque::new() }))
    }

    /// Blocks the thread until it gets a permit, which clients get in turn.
    pub fn acquire(&self, client: K) -> Permit<'_, K> {
        let mut state = self.lock();
        if state.free_permits > 0 {
            state.free_permits -= 1;
            return Permit(self);
        }
        let (sender, granted) = crossbeam_channel::bounded(1);
        match state.waiting.iter_mut().find(|(other, _)| *other == client) {
            Some((_, threads)) => threads.push_back(sender),
            None => state.waiting.push_back((client, VecDeque::from([sender]))),
        }
        drop(state);
        // Cannot fail: the sender stays in the queue until it is used.
        let _ = granted.recv();
        Permit(self)
    }

    /// Locks the internal state for a moment, also after a panic of another thread. Takes no permit.
    fn lock(&self) -> MutexGuard<'_, State<K>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K> State<K> {
    /// Removes and returns the next thread. Its client is then served last.
    fn take_next(&mut self) -> Option<Sender<()>> {
        let (client, mut threads) = self.waiting.pop_front()?;
        let next = threads.pop_front();
        if !threads.is_empty() {
            self.waiting.push_back((client, threads));
        }
        next
    }
}

impl<K: Eq> Drop for Permit<'_, K> {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        match state.take_next() {
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
                let is_waiting = || {
                    let state = semaphore.lock();
                    state.waiting.iter().map(|(_, threads)| threads.len()).sum::<usize>() > number
                };
                while !is_waiting() {
                    std::thread::yield_now();
                }
            }
            drop(permit);
        });
        assert_eq!(*order.lock().unwrap(), ["busy", "other", "third", "busy", "busy"]);
    }
}
