//! A delay after failed attempts that grows with each one and never becomes a permanent lock-out.

use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::MutexGuard;
use std::sync::PoisonError;
use std::time::Duration;
use std::time::Instant;

use super::failure_limit::round_up_to_seconds;
use crate::crypto::Sha256Hash;
use crate::error::Error;
use crate::error::Result;

/// Delay after the last failure that has none before it. Each further failure doubles it.
const FIRST_DELAY: Duration = Duration::from_secs(10);
/// Maximum delay.
const MAX_DELAY: Duration = Duration::from_mins(15);
/// Time without a failure after which all failures of a key are forgotten.
const MEMORY: Duration = Duration::from_hours(1);
/// Maximum number of keys. Beyond it, the key with the oldest failure is forgotten.
const MAX_KEYS: usize = 100_000;

/// The failed attempts of each key, and the delays after them.
///
/// A key is a hash, so that its size does not depend on the request.
pub struct GrowingDelay {
    /// Number of failures after which the first delay begins.
    free_failures: u32,
    keys: Mutex<HashMap<Sha256Hash, Attempts>>,
}

/// The number of attempts with a key that may run at once before the first failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Concurrency {
    /// Any number, so that a program may begin many requests with the right password.
    Unlimited,
    /// As many as may fail without a delay.
    Limited,
}

/// The attempts of a key.
#[derive(Debug, Clone, Copy)]
struct Attempts {
    /// Number of failures.
    failures: u32,
    /// Number of attempts that have not ended.
    pending: u32,
    /// Time of the last failure, or of the first attempt.
    last: Instant,
}

impl Attempts {
    /// Returns the time that remains until another attempt may begin. Zero if it may begin now.
    fn remaining_delay(&self, free_failures: u32, now: Instant) -> Duration {
        let Some(excess) = self.failures.checked_sub(free_failures) else { return Duration::ZERO };
        let factor = 1_u32.checked_shl(excess).unwrap_or(u32::MAX);
        let delay = FIRST_DELAY.saturating_mul(factor).min(MAX_DELAY);
        (self.last + delay).saturating_duration_since(now)
    }

    /// Returns whether the key is as if nothing had been attempted.
    fn is_forgotten(&self, now: Instant) -> bool {
        self.pending == 0
            && (self.failures == 0 || now.saturating_duration_since(self.last) >= MEMORY)
    }

    /// Checks that another attempt may begin.
    ///
    /// Without failures, `concurrency` decides how many may run at once. Afterwards a pending attempt
    /// counts as a failure, because otherwise many could begin before the first one has failed.
    ///
    /// # Errors
    /// `TooManyRequests` with the seconds to wait, rounded up.
    fn check(&self, free_failures: u32, concurrency: Concurrency, now: Instant) -> Result<()> {
        let wait = self.remaining_delay(free_failures, now);
        if !wait.is_zero() {
            return Err(Error::TooManyRequests(round_up_to_seconds(wait)));
        }
        // After the delay, one attempt at a time.
        let max_pending = free_failures.saturating_sub(self.failures).max(1);
        let is_limited = self.failures > 0 || concurrency == Concurrency::Limited;
        if is_limited && self.pending >= max_pending {
            return Err(Error::TooManyRequests(1));
        }
        Ok(())
    }
}

/// An attempt that has begun. It counts as failed when it is dropped, unless it succeeds.
#[must_use]
pub struct Attempt<'a> {
    delay: &'a GrowingDelay,
    key: Sha256Hash,
    is_failure: bool,
}

impl Attempt<'_> {
    /// Ends an attempt that is not a failure. Earlier failures still count.
    pub fn succeed(mut self) {
        self.is_failure = false;
    }
}

impl Drop for Attempt<'_> {
    fn drop(&mut self) {
        self.delay.end(&self.key, self.is_failure, Instant::now());
    }
}

impl GrowingDelay {
    /// Creates the delays. The first one begins after `free_failures` failures of a key, at least one.
    pub fn new(free_failures: u32) -> Self {
        Self { free_failures: free_failures.max(1), keys: Mutex::default() }
    }

    /// Checks that an attempt of unlimited concurrency with this key may begin. Counts nothing.
    ///
    /// # Errors
    /// `TooManyRequests` with the seconds to wait, rounded up.
    pub fn check(&self, key: &Sha256Hash) -> Result<()> {
        let now = Instant::now();
        match self.lock().get(key).filter(|attempts| !attempts.is_forgotten(now)) {
            Some(attempts) => attempts.check(self.free_failures, Concurrency::Unlimited, now),
            None => Ok(()),
        }
    }

    /// Begins an attempt.
    ///
    /// # Errors
    /// `TooManyRequests` with the seconds to wait, rounded up. The attempt is then not counted.
    pub fn begin(&self, key: Sha256Hash, concurrency: Concurrency) -> Result<Attempt<'_>> {
        self.begin_at(key, concurrency, Instant::now())?;
        Ok(Attempt { delay: self, key, is_failure: true })
    }

    /// Counts an attempt that begins at `now` as pending.
    fn begin_at(&self, key: Sha256Hash, concurrency: Concurrency, now: Instant) -> Result<()> {
        let mut keys = self.lock();
        if keys.len() >= MAX_KEYS && !keys.contains_key(&key) {
            forget_some(&mut keys, now);
        }
        let attempts = keys.entry(key).or_insert(Attempts { failures: 0, pending: 0, last: now });
        if attempts.is_forgotten(now) {
            *attempts = Attempts { failures: 0, pending: 0, last: now };
        }
        attempts.check(self.free_failures, concurrency, now)?;
        attempts.pending += 1;
        Ok(())
    }

    /// Ends a pending attempt at `now`.
    fn end(&self, key: &Sha256Hash, is_failure: bool, now: Instant) {
        let mut keys = self.lock();
        // Another key may have replaced this one.
        let Some(attempts) = keys.get_mut(key) else { return };
        attempts.pending = attempts.pending.saturating_sub(1);
        if is_failure {
            attempts.failures = attempts.failures.saturating_add(1);
            attempts.last = now;
        }
        if attempts.is_forgotten(now) {
            keys.remove(key);
        }
    }

    /// Frees the memory of keys with only forgotten failures.
    pub(super) fn forget_idle_keys(&self) {
        let now = Instant::now();
        let mut keys = self.lock();
        keys.retain(|_, attempts| !attempts.is_forgotten(now));
        keys.shrink_to_fit();
    }

    /// Locks the keys, also after a panic of another thread.
    fn lock(&self) -> MutexGuard<'_, HashMap<Sha256Hash, Attempts>> {
        self.keys.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Makes room for a key: forgets the keys that may be forgotten, or else the one with the oldest
/// failure.
fn forget_some(keys: &mut HashMap<Sha256Hash, Attempts>, now: Instant) {
    keys.retain(|_, attempts| !attempts.is_forgotten(now));
    if keys.len() < MAX_KEYS {
        return;
    }
    let oldest = keys.iter().min_by_key(|(_, attempts)| attempts.last).map(|(key, _)| *key);
    if let Some(oldest) = oldest {
        keys.remove(&oldest);
    }
}

#[cfg(test)]
mod tests {
    use super::Concurrency::Unlimited;
    use super::*;

    const ANN: Sha256Hash = [1; 32];
    const BEN: Sha256Hash = [2; 32];

    /// Makes an attempt at a time that fails. Returns the seconds to wait if it is refused.
    fn fail(delay: &GrowingDelay, now: Instant) -> u64 {
        match delay.begin_at(ANN, Unlimited, now) {
            Ok(()) => {
                delay.end(&ANN, true, now);
                0
            }
            Err(Error::TooManyRequests(seconds)) => seconds,
            Err(other) => panic!("{other}"),
        }
    }

    #[test]
    fn delay_doubles_from_the_fifth_failure_up_to_15_minutes() {
        let (delay, mut now) = (GrowingDelay::new(5), Instant::now());
        for number in 0..5 {
            assert_eq!(fail(&delay, now), 0, "{number}");
        }
        for seconds in [10, 20, 40, 80, 160, 320, 640, 900, 900, 900] {
            assert_eq!(fail(&delay, now), seconds);
            assert_eq!(fail(&delay, now + Duration::from_secs(seconds - 1)), 1);
            now += Duration::from_secs(seconds);
            assert_eq!(fail(&delay, now), 0, "an attempt is allowed after {seconds} s");
        }
        assert!(delay.begin_at(BEN, Unlimited, now).is_ok(), "others are not delayed");
        assert_eq!(fail(&delay, now + MEMORY), 0);
        assert_eq!(fail(&delay, now + MEMORY), 0, "failures are forgotten after an hour");
    }

    #[test]
    fn successes_do_not_count_and_do_not_reset_failures() {
        let (delay, now) = (GrowingDelay::new(5), Instant::now());
        for _ in 0..50 {
            delay.begin_at(ANN, Unlimited, now).unwrap();
        }
        for _ in 0..50 {
            delay.end(&ANN, false, now);
        }
        assert!(delay.lock().is_empty());
        for _ in 0..4 {
            assert_eq!(fail(&delay, now), 0);
        }
        delay.begin(ANN, Unlimited).unwrap().succeed();
        assert_eq!((fail(&delay, now), fail(&delay, now)), (0, 10));
    }

    #[test]
    fn dropped_attempt_is_a_failure() {
        let delay = GrowingDelay::new(5);
        for _ in 0..5 {
            drop(delay.begin(ANN, Unlimited).unwrap());
        }
        assert!(matches!(delay.check(&ANN), Err(Error::TooManyRequests(1..=10))));
        assert!(delay.check(&BEN).is_ok());
    }

    #[test]
    fn pending_attempts_count_as_failures_after_the_first_failure() {
        let (delay, now) = (GrowingDelay::new(5), Instant::now());
        assert_eq!(fail(&delay, now), 0);
        for _ in 0..4 {
            delay.begin_at(ANN, Unlimited, now).unwrap();
        }
        assert!(delay.begin_at(ANN, Unlimited, now).is_err());
        for _ in 0..4 {
            delay.end(&ANN, true, now);
        }
        let later = now + FIRST_DELAY;
        delay.begin_at(ANN, Unlimited, later).unwrap();
        assert!(delay.begin_at(ANN, Unlimited, later).is_err(), "one attempt after each delay");
    }

    #[test]
    fn limited_attempts_that_run_at_once_count_as_failures_from_the_start() {
        let (delay, now) = (GrowingDelay::new(5), Instant::now());
        for _ in 0..5 {
            delay.begin_at(ANN, Concurrency::Limited, now).unwrap();
        }
        assert!(delay.begin_at(ANN, Concurrency::Limited, now).is_err());
        delay.end(&ANN, false, now);
        delay.begin_at(ANN, Concurrency::Limited, now).unwrap();
        assert!(delay.begin_at(BEN, Concurrency::Limited, now).is_ok());
    }

    #[test]
    fn number_of_keys_is_bounded() {
        let (delay, now) = (GrowingDelay::new(5), Instant::now());
        for number in 0..=MAX_KEYS {
            let key = crate::crypto::sha256(&number.to_le_bytes());
            let time = now + Duration::from_millis(number as u64);
            delay.begin_at(key, Unlimited, time).unwrap();
            delay.end(&key, true, time);
        }
        let keys = delay.lock();
        assert_eq!(keys.len(), MAX_KEYS);
        assert!(!keys.contains_key(&crate::crypto::sha256(&0_usize.to_le_bytes())));
    }
}
