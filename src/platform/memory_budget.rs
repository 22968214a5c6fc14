//! A budget of memory that threads reserve parts of before they allocate much.
//!
//! It bounds the total memory of an operation that runs on many threads, such as rendering.

use std::collections::VecDeque;
use std::sync::Condvar;
use std::sync::Mutex;
use std::sync::MutexGuard;
use std::sync::PoisonError;
use std::time::Duration;
use std::time::Instant;

/// A number of bytes that threads share. Threads that wait for a part of it get it in FIFO order.
pub struct MemoryBudget {
    /// Size of the budget in bytes.
    total: u64,
    state: Mutex<State>,
    /// Notified when a thread releases bytes or stops waiting.
    changed: Condvar,
}

struct State {
    free: u64,
    /// Tickets of the waiting threads, oldest first.
    waiting: VecDeque<u64>,
    next_ticket: u64,
}

/// A reserved part of a [`MemoryBudget`]. Dropping it releases the bytes, also during a panic.
#[must_use]
pub struct Reservation<'a> {
    budget: &'a MemoryBudget,
    bytes: u64,
}

/// Error of [`MemoryBudget::reserve`].
#[derive(Debug, PartialEq, Eq)]
pub enum ReserveError {
    /// The request is larger than the whole budget.
    ExceedsTotal,
    /// Other threads did not release enough bytes in time.
    Timeout,
}

impl MemoryBudget {
    /// Creates a budget of `total` bytes.
    pub const fn new(total: u64) -> Self {
        let state = State { free: total, waiting: VecDeque::new(), next_ticket: 0 };
        Self { total, state: Mutex::new(state), changed: Condvar::new() }
    }

    /// Reserves `bytes` bytes. Blocks the thread until they are free and no thread waits that came
    /// earlier, at most for `timeout`. Allocates no memory.
    ///
    /// # Errors
    /// `ExceedsTotal` if `bytes` is larger than the budget. `Timeout` if the bytes are not free in
    /// time.
    pub fn reserve(&self, bytes: u64, timeout: Duration) -> Result<Reservation<'_>, ReserveError> {
        if bytes > self.total {
            return Err(ReserveError::ExceedsTotal);
        }
        let deadline = Instant::now() + timeout;
        let mut state = self.lock();
        let ticket = state.next_ticket;
        state.next_ticket += 1;
        state.waiting.push_back(ticket);
        while state.waiting.front() != Some(&ticket) || state.free < bytes {
            let remaining = deadline.saturating_duration_since(Instant::now());
            if remaining.is_zero() {
                state.waiting.retain(|waiting| *waiting != ticket);
                self.changed.notify_all();
                return Err(ReserveError::Timeout);
            }
            let waited = self.changed.wait_timeout(state, remaining);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        state.waiting.pop_front();
        state.free -= bytes;
        // The next thread may fit too.
        self.changed.notify_all();
        Ok(Reservation { budget: self, bytes })
    }

    /// Locks the state of the budget, also after a panic of another thread.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Reservation<'_> {
    /// Returns the number of reserved bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Adds another reservation of the same budget to this one.
    pub fn merge(&mut self, mut other: Self) {
        self.bytes += std::mem::take(&mut other.bytes);
    }
}

impl Drop for Reservation<'_> {
    /// Releases the bytes and wakes the waiting threads.
    fn drop(&mut self) {
        self.budget.lock().free += self.bytes;
        self.budget.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU64;
    use std::sync::atomic::Ordering::SeqCst;

    use super::*;

    #[test]
    fn threads_never_reserve_more_than_the_budget_together() {
        let budget = MemoryBudget::new(100);
        let (used, max_used, done) = (AtomicU64::new(0), AtomicU64::new(0), AtomicU64::new(0));
        std::thread::scope(|threads| {
            for bytes in [60, 50, 10, 100, 30, 30, 30, 70] {
                let (budget, used, max_used, done) = (&budget, &used, &max_used, &done);
                threads.spawn(move || {
                    // A thread that panics must release its bytes too.
                    let work = std::panic::AssertUnwindSafe(|| {
                        let _reservation = budget.reserve(bytes, Duration::from_secs(60)).unwrap();
                        max_used.fetch_max(used.fetch_add(bytes, SeqCst) + bytes, SeqCst);
                        std::thread::sleep(Duration::from_millis(5));
                        used.fetch_sub(bytes, SeqCst);
                        assert_ne!(bytes, 50, "on purpose");
                    });
                    let _ = std::panic::catch_unwind(work);
                    done.fetch_add(1, SeqCst);
                });
            }
        });
        assert!(max_used.load(SeqCst) <= 100, "{}", max_used.load(SeqCst));
        assert_eq!((done.load(SeqCst), budget.lock().free), (8, 100));
    }

    #[test]
    fn a_request_ends_with_an_error_if_it_cannot_be_met() {
        let budget = MemoryBudget::new(100);
        let reserve = |bytes| budget.reserve(bytes, Duration::from_millis(5)).err();
        assert_eq!(reserve(101), Some(ReserveError::ExceedsTotal));
        let held = budget.reserve(60, Duration::ZERO).unwrap();
        assert_eq!(reserve(41), Some(ReserveError::Timeout));
        assert_eq!(reserve(40), None);
        drop(held);
        assert_eq!(reserve(100), None);
    }
}
