//! Times of recent uses, in memory, until a thread stores them.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::time::Duration;

use foldhash::fast::RandomState;

use crate::time::Timestamp;

/// Resolution of the stored time: a later use within it changes nothing.
const RESOLUTION: Duration = Duration::from_secs(5 * 60);
/// Maximum number of keys in memory. Beyond it, all are forgotten, so that one is stored more often
/// than needed.
const MAX_KEYS: usize = 100_000;

/// A use in memory.
struct RecentUse {
    /// Time of the use.
    time: Timestamp,
    /// Whether the time is in the database.
    is_stored: bool,
}

/// The recent uses of accounts, sessions or API tokens.
pub struct RecentUses<K>(Mutex<HashMap<K, RecentUse, RandomState>>);

impl<K> Default for RecentUses<K> {
    /// Creates an empty set.
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<K: Clone + Eq + Hash> RecentUses<K> {
    /// Records a use now. Does nothing if the use in memory is younger than `RESOLUTION`.
    pub fn record(&self, key: &K) {
        let now = Timestamp::now();
        let mut uses = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(recent) = uses.get_mut(key) {
            if recent.time.saturating_add(RESOLUTION) <= now {
                *recent = RecentUse { time: now, is_stored: false };
            }
            return;
        }
        if uses.len() >= MAX_KEYS {
            uses.clear();
        }
        uses.insert(key.clone(), RecentUse { time: now, is_stored: false });
    }

    /// Returns the later of `stored` and the use in memory.
    pub fn later_of(&self, key: &K, stored: Timestamp) -> Timestamp {
        let uses = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        uses.get(key).map_or(stored, |recent| recent.time.max(stored))
    }

    /// Returns the uses that are not stored yet. They stay in memory and count as stored from now on.
    pub fn take_new(&self) -> Vec<(K, Timestamp)> {
        let mut uses = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let new = uses.iter_mut().filter(|(_, recent)| !recent.is_stored);
        new.map(|(key, recent)| {
            recent.is_stored = true;
            (key.clone(), recent.time)
        })
        .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_use_is_stored_once_within_the_resolution() {
        let (uses, key) = (RecentUses::default(), 7);
        uses.record(&key);
        uses.record(&key);
        let new = uses.take_new();
        assert_eq!(new.len(), 1);
        assert_eq!(uses.later_of(&key, Timestamp(1)), new[0].1);
        assert_eq!(uses.later_of(&8, Timestamp(1)), Timestamp(1));
        uses.record(&key);
        assert!(uses.take_new().is_empty());
        let long_ago = Timestamp(Timestamp::now().0 - 400_000);
        uses.0.lock().unwrap().insert(key, RecentUse { time: long_ago, is_stored: true });
        uses.record(&key);
        assert!(uses.take_new()[0].1 > long_ago);
    }
}
