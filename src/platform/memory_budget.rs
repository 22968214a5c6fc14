//! A budget of memory that threads reserve parts of before they allocate much.
//!
//! It bounds the total memory of an operation that runs on many threads, such as rendering.

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::Condvar;
use std::sync::Mutex;
use std::sync::MutexGuard;
use std::sync::PoisonError;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;
use std::time::Instant;

use crate::db;
use crate::db::WriteActor;
use crate::memory_use::MemoryUse;
use crate::turn_queue::TurnQueue;

/// Size in bytes up to which one thread gets its part although other requests take too much memory, so
/// that the budget never stands still.
const GUARANTEED_BYTES: u64 = 64 << 20;
/// Time after which a waiting thread looks again at the memory of other requests.
const USE_INTERVAL: Duration = Duration::from_millis(20);
/// Time after which the first waiting thread lets others pass if only other requests take its memory. They
/// may keep it for long.
const MAX_FIRST_WAIT: Duration = Duration::from_millis(200);

/// A number of bytes that threads share. Callers with threads that wait for a part of it get one in turn,
/// and the threads of a caller in FIFO order.
pub struct MemoryBudget {
    /// Size of the budget in bytes.
    total: u64,
    /// All memory of requests, for which the parts count. None for a budget of its own.
    in_use: Option<Arc<MemoryUse>>,
    state: Mutex<State>,
    /// Notified when a thread releases bytes or stops waiting.
    changed: Condvar,
}

struct State {
    free: u64,
    /// Tickets of the waiting threads.
    waiting: TurnQueue<Caller, u64>,
    next_ticket: u64,
}

/// The principal for which a thread waits: the origin of its writes, with the address of a guest.
type Caller = (WriteActor, Option<IpAddr>);

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
        let state = State { free: total, waiting: TurnQueue::new(), next_ticket: 0 };
        Self { total, in_use: None, state: Mutex::new(state), changed: Condvar::new() }
    }

    /// Creates a budget of `total` bytes. Its parts count for `in_use`, and it gives further ones as long as
    /// that has space. Without a reserved part, it always gives one of up to 64 MiB, and one of any size while
    /// other requests take little.
    pub fn within(total: u64, in_use: Arc<MemoryUse>) -> Self {
        Self { in_use: Some(in_use), ..Self::new(total) }
    }

    /// Returns the size of the budget in bytes.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// Reserves `bytes` bytes for the origin of the current thread. Blocks the thread until they are free
    /// and it is the turn of its origin, at most for `timeout`. Threads that wait only for other requests
    /// lose their turn. Allocates no memory of the budget.
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
        state.waiting.push(find_caller(), ticket);
        let mut first_since = None;
        while state.waiting.front() != Some(&ticket) || !self.has_free(&state, bytes) {
            let is_first = state.waiting.front() == Some(&ticket) && state.free >= bytes;
            first_since = is_first.then(|| first_since.unwrap_or_else(Instant::now));
            if first_since.is_some_and(|since: Instant| since.elapsed() >= MAX_FIRST_WAIT) {
                state.waiting.postpone();
                first_since = None;
                self.changed.notify_all();
            }
            let remaining = deadline.saturating_duration_since(Instant::now());
            if remaining.is_zero() {
                state.waiting.remove(&ticket);
                self.changed.notify_all();
                return Err(ReserveError::Timeout);
            }
            // Nobody notifies about the memory of other requests.
            let pause = if self.in_use.is_some() { USE_INTERVAL } else { remaining };
            let waited = self.changed.wait_timeout(state, remaining.min(pause));
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        state.waiting.pop();
        state.free -= bytes;
        if let Some(in_use) = &self.in_use {
            in_use.reserved.fetch_add(bytes as usize, Relaxed);
        }
        // The next thread may fit too.
        self.changed.notify_all();
        Ok(Reservation { budget: self, bytes })
    }

    /// Returns whether the budget has a free part of `bytes` bytes, and other requests leave it.
    fn has_free(&self, state: &State, bytes: u64) -> bool {
        let is_unused = state.free == self.total;
        let others_leave_it = |in_use: &MemoryUse| {
            in_use.has_space(bytes)
                || (is_unused && (bytes <= GUARANTEED_BYTES || in_use.has_space_for_one(bytes)))
        };
        state.free >= bytes && self.in_use.as_deref().is_none_or(others_leave_it)
    }

    /// Locks the state of the budget, also after a panic of another thread.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the caller of the current thread.
fn find_caller() -> Caller {
    let origin = db::current_origin();
    let address = origin.ip_address.filter(|_| origin.actor == WriteActor::Guest);
    (origin.actor.clone(), address)
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
        if let Some(in_use) = &self.budget.in_use {
            in_use.reserved.fetch_sub(self.bytes as usize, Relaxed);
        }
        self.budget.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU64;
    use std::sync::atomic::Ordering::SeqCst;

    use super::*;
    use crate::db::OriginScope;
    use crate::db::WriteOrigin;

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

    #[test]
    fn budgets_leave_the_memory_that_other_requests_take() {
        const MEBIBYTE: u64 = 1 << 20;
        let in_use = Arc::new(MemoryUse::new(220 * MEBIBYTE));
        let [budget, other] = [200 * MEBIBYTE, 80 * MEBIBYTE]
            .map(|total| MemoryBudget::within(total, in_use.clone()));
        let reserve =
            |mebibytes: u64| budget.reserve(mebibytes * MEBIBYTE, Duration::from_millis(50)).ok();
        let unsent = 100 << 20;
        in_use.unsent_responses.fetch_add(unsent, SeqCst);
        assert!(reserve(121).is_none());
        let first = reserve(100).unwrap();
        assert!(reserve(21).is_none());
        let second = reserve(20).unwrap();
        // The other budget has no reservation.
        let guaranteed = other.reserve(GUARANTEED_BYTES, Duration::ZERO).unwrap();
        assert!(other.reserve(1, Duration::ZERO).is_err());
        assert!(reserve(1).is_none());
        in_use.unsent_responses.fetch_sub(unsent, SeqCst);
        assert!(reserve(30).is_some());
        drop((first, second));
        assert!(reserve(200).is_none(), "others take 64 MiB");
        drop(guaranteed);
        // The body of the request itself.
        in_use.request_bodies.fetch_add(27 << 20, SeqCst);
        assert!(reserve(200).is_some(), "others take little");
        in_use.request_bodies.fetch_sub(27 << 20, SeqCst);
    }

    #[test]
    fn callers_get_parts_in_turn() {
        let budget = MemoryBudget::new(100);
        let order = Mutex::new(Vec::new());
        std::thread::scope(|threads| {
            let held = budget.reserve(100, Duration::ZERO).unwrap();
            for (number, address) in [1, 1, 1, 2].into_iter().enumerate() {
                let (budget, order) = (&budget, &order);
                threads.spawn(move || {
                    let origin = WriteOrigin::of_request(IpAddr::from([10, 0, 0, address]), "");
                    let _origin = OriginScope::begin(origin);
                    let part = budget.reserve(100, Duration::from_secs(60)).unwrap();
                    order.lock().unwrap().push(address);
                    drop(part);
                });
                // The next thread must arrive after this one.
                while budget.lock().waiting.len() <= number {
                    std::thread::yield_now();
                }
            }
            drop(held);
        });
        assert_eq!(*order.lock().unwrap(), [1, 2, 1, 1]);
    }

    #[test]
    fn a_large_job_that_waits_for_other_requests_does_not_block_small_ones() {
        let in_use = Arc::new(MemoryUse::new(100));
        let budget = MemoryBudget::within(1 << 30, in_use.clone());
        in_use.unsent_responses.fetch_add(50, SeqCst);
        let held = budget.reserve(10, Duration::ZERO).unwrap();
        std::thread::scope(|threads| {
            let large = threads.spawn(|| budget.reserve(80, Duration::from_secs(60)).is_ok());
            while budget.lock().waiting.is_empty() {
                std::thread::yield_now();
            }
            assert!(budget.reserve(20, Duration::from_secs(30)).is_ok());
            in_use.unsent_responses.fetch_sub(50, SeqCst);
            assert!(large.join().unwrap());
        });
        drop(held);
        assert_eq!(in_use.total(), 0);
    }
}
