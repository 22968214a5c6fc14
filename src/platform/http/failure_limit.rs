//! A limit on failed attempts per key.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Mutex;
use std::sync::MutexGuard;
use std::sync::PoisonError;
use std::time::Duration;
use std::time::Instant;

use crate::error::Error;
use crate::error::Result;

/// A limit on failed attempts per key.
///
/// An attempt counts as failed from its start until it succeeds. Otherwise many attempts could
/// start before the first one has failed.
pub(super) struct FailureLimit<K: Hash + Eq> {
    /// Time after which one more failure is allowed.
    interval: Duration,
    /// Time that a burst of failures takes at the sustained rate.
    burst_time: Duration,
    /// Time at which all failures of a key are forgotten (GCRA). A key without an entry has none.
    forgotten_at: Mutex<HashMap<K, Instant>>,
}

impl<K: Hash + Eq> FailureLimit<K> {
    /// Allows `burst` failures at once and one more after each `interval`.
    ///
    /// The minimum is a burst of one and an interval of one millisecond. The maximum interval is a
    /// year, so that no time overflows.
    pub(super) fn new(interval: Duration, burst: u32) -> Self {
        let interval = interval.clamp(Duration::from_millis(1), Duration::from_hours(366 * 24));
        let burst_time = interval.saturating_mul(burst.max(1));
        Self { interval, burst_time, forgotten_at: Mutex::default() }
    }

    /// Checks that `key` may make another attempt. Does not count it.
    ///
    /// # Errors
    /// `TooManyRequests` with the seconds to wait, rounded up.
    pub(super) fn check(&self, key: &K) -> Result<()> {
        self.compute_next(self.lock().get(key).copied()).map(|_| ())
    }

    /// Counts an attempt of `key` as failed until it is undone.
    ///
    /// # Errors
    /// `TooManyRequests` with the seconds to wait, rounded up. The attempt is then not counted.
    pub(super) fn begin_attempt(&self, key: K) -> Result<()> {
        let mut forgotten_at = self.lock();
        let next = self.compute_next(forgotten_at.get(&key).copied())?;
        forgotten_at.insert(key, next);
        Ok(())
    }

    /// Undoes one `Self::begin_attempt`, because the attempt has not failed. Does nothing if the
    /// key has no failures.
    pub(super) fn undo_attempt(&self, key: &K) {
        if let Some(time) = self.lock().get_mut(key) {
            *time = time.checked_sub(self.interval).unwrap_or(*time);
        }
    }

    /// Returns the time at which all failures are forgotten if there is one more failure now.
    /// `current` is the stored time, None for a key without failures. Stores nothing.
    ///
    /// # Errors
    /// `TooManyRequests` with the seconds to wait if the failures exceed the burst.
    fn compute_next(&self, current: Option<Instant>) -> Result<Instant> {
        let now = Instant::now();
        let next = current.map_or(now, |time| time.max(now)) + self.interval;
        let excess = next.saturating_duration_since(now).saturating_sub(self.burst_time);
        match excess.is_zero() {
            true => Ok(next),
            false => Err(Error::TooManyRequests(round_up_to_seconds(excess))),
        }
    }

    /// Frees the memory of keys without failures.
    pub(super) fn forget_idle_keys(&self) {
        let now = Instant::now();
        let mut forgotten_at = self.lock();
        forgotten_at.retain(|_, time| *time > now);
        forgotten_at.shrink_to_fit();
    }

    /// Locks the times of all keys, also after a panic of another thread.
    fn lock(&self) -> MutexGuard<'_, HashMap<K, Instant>> {
        self.forgotten_at.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the duration in seconds, rounded up.
pub(super) fn round_up_to_seconds(wait: Duration) -> u64 {
    wait.as_secs() + u64::from(wait.subsec_nanos() > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_are_forgotten_after_their_interval() {
        let limit = FailureLimit::new(Duration::ZERO, 1);
        for _ in 0..3 {
            assert!(limit.begin_attempt("ann").is_ok());
            while limit.check(&"ann").is_err() {
                std::thread::yield_now();
            }
        }
        limit.forget_idle_keys();
        assert!(limit.lock().is_empty());
    }
}
