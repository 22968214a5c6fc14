//! Signals between threads that do not lose a notification between two waits.

use std::sync::Condvar;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// The signals that a database sends after commits.
#[derive(Default)]
pub struct CommitSignals {
    /// Notified after each commit with a transaction that requested it.
    pub requested: WakeSignal,
    /// Notified after every commit, if a thread has armed it.
    pub every_commit: WakeSignal,
}

impl CommitSignals {
    /// Sends the signals of one commit: `every_commit` if it is armed, and the signal `requested`
    /// if the parameter is true, because a transaction of the commit asked for it.
    pub fn notify_commit(&self, requested: bool) {
        self.every_commit.notify_if_armed();
        if requested {
            self.requested.notify();
        }
    }
}

/// A signal that threads can wait for.
///
/// It counts its notifications. A waiter passes the count that it has seen, so that a notification
/// between reading the count and waiting ends the wait immediately.
#[derive(Default)]
pub struct WakeSignal {
    count: Mutex<u64>,
    changed: Condvar,
    /// Whether a thread waits for the next [`WakeSignal::notify_if_armed`].
    is_armed: AtomicBool,
}

impl WakeSignal {
    /// Increments the count and wakes all waiting threads.
    pub fn notify(&self) {
        *self.count.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        self.changed.notify_all();
    }

    /// Disarms the signal, increments the count and wakes all waiting threads. Does nothing if the
    /// signal is not armed.
    ///
    /// An unarmed signal costs one atomic load, so this can run after every commit.
    pub fn notify_if_armed(&self) {
        if self.is_armed.load(Ordering::SeqCst) && self.is_armed.swap(false, Ordering::SeqCst) {
            self.notify();
        }
    }

    /// Arms the signal for the next [`WakeSignal::notify_if_armed`] and returns the current count.
    ///
    /// Call it before checking for new work, so that a commit after the check ends the wait.
    pub fn arm(&self) -> u64 {
        // Read the count before arming. In the other order, a notification between the two steps
        // would disarm the signal and its count would already be included in `seen`.
        let seen = self.count();
        self.is_armed.store(true, Ordering::SeqCst);
        seen
    }

    /// Returns the number of notifications so far.
    pub fn count(&self) -> u64 {
        *self.count.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Blocks until the count exceeds `seen`, at most for `timeout`, and returns the count. After a
    /// timeout the count is at most `seen`.
    pub fn wait_past(&self, seen: u64, timeout: Duration) -> u64 {
        let count = self.count.lock().unwrap_or_else(PoisonError::into_inner);
        let (count, _) = self
            .changed
            .wait_timeout_while(count, timeout, |count| *count <= seen)
            .unwrap_or_else(PoisonError::into_inner);
        *count
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_armed_signal_notifies_once() {
        let signal = WakeSignal::default();
        signal.notify_if_armed();
        assert_eq!(signal.count(), 0);
        let seen = signal.arm();
        signal.notify_if_armed();
        signal.notify_if_armed();
        assert_eq!(signal.wait_past(seen, Duration::from_secs(60)), seen + 1);
        assert_eq!(signal.wait_past(seen + 1, Duration::ZERO), seen + 1);
    }
}
