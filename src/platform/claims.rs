//! Claims of objects, so that at most one thread works on each of them.

use std::collections::HashSet;
use std::hash::Hash;
use std::sync::Condvar;
use std::sync::Mutex;
use std::sync::MutexGuard;
use std::sync::PoisonError;
use std::time::Duration;
use std::time::Instant;

/// The claimed keys of a process. One server owns a data directory, so that no other process can claim
/// the same objects.
pub struct Claims<K> {
    held: Mutex<HashSet<K>>,
    released: Condvar,
}

impl<K> Default for Claims<K> {
    /// Creates a set without claims.
    fn default() -> Self {
        Self { held: Mutex::default(), released: Condvar::new() }
    }
}

/// A claim. Dropping it releases the key.
pub struct Claim<'a, K: Clone + Eq + Hash> {
    claims: &'a Claims<K>,
    key: K,
}

impl<K: Clone + Eq + Hash> Claims<K> {
    /// Claims a key. None if another claim holds it.
    pub fn try_claim(&self, key: &K) -> Option<Claim<'_, K>> {
        self.lock().insert(key.clone()).then(|| Claim { claims: self, key: key.clone() })
    }

    /// Claims a key, and waits for its release at most `timeout`. None if another claim holds it then.
    pub fn claim(&self, key: &K, timeout: Duration) -> Option<Claim<'_, K>> {
        let end = Instant::now() + timeout;
        loop {
            if let Some(claim) = self.try_claim(key) {
                return Some(claim);
            }
            if !self.wait_until_free(key, end.saturating_duration_since(Instant::now())) {
                return None;
            }
        }
    }

    /// Waits until nobody holds the key. Returns false if that takes longer than `timeout`.
    pub fn wait_until_free(&self, key: &K, timeout: Duration) -> bool {
        let end = Instant::now() + timeout;
        let mut held = self.lock();
        while held.contains(key) {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            let waited = self.released.wait_timeout(held, left);
            held = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        true
    }

    /// Locks the set.
    fn lock(&self) -> MutexGuard<'_, HashSet<K>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K: Clone + Eq + Hash> Drop for Claim<'_, K> {
    /// Releases the key and wakes the threads that wait for it.
    fn drop(&mut self) {
        self.claims.lock().remove(&self.key);
        self.claims.released.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn a_key_has_one_claim_and_waiting_ends_with_it() {
        let claims = Claims::default();
        let claim = claims.try_claim(&1).unwrap();
        assert!(claims.try_claim(&1).is_none());
        assert!(claims.try_claim(&2).is_some(), "other keys are free");
        assert!(!claims.wait_until_free(&1, Duration::from_millis(20)));
        assert!(claims.claim(&1, Duration::from_millis(20)).is_none());
        thread::scope(|threads| {
            let waiter = threads.spawn(|| claims.wait_until_free(&1, Duration::from_secs(60)));
            thread::sleep(Duration::from_millis(20));
            drop(claim);
            assert!(waiter.join().unwrap());
        });
        let claim = claims.claim(&1, Duration::ZERO).unwrap();
        thread::scope(|threads| {
            let waiter = threads.spawn(|| claims.claim(&1, Duration::from_secs(60)).is_some());
            thread::sleep(Duration::from_millis(20));
            drop(claim);
            assert!(waiter.join().unwrap());
        });
    }
}
