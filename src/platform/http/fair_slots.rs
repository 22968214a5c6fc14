//! A bounded number of slots for short-lived items that owners share fairly.

use std::collections::HashMap;
use std::collections::VecDeque;
use std::hash::Hash;
use std::sync::Mutex;
use std::sync::MutexGuard;
use std::sync::PoisonError;
use std::time::Duration;
use std::time::Instant;

use crate::error::Error;
use crate::error::Result;

/// Items of several owners that expire.
///
/// When all slots are in use, a new item takes the slot of the oldest item of the owner with the
/// most items. One owner with many items therefore cannot prevent others from adding one.
pub struct FairSlots<K, T> {
    max_items: usize,
    items: Mutex<Items<K, T>>,
}

/// The items of all owners.
struct Items<K, T> {
    /// The items of each owner with their expiry, oldest first.
    by_owner: HashMap<K, VecDeque<(Instant, T)>>,
    /// Number of items of all owners.
    count: usize,
}

impl<K: Hash + Eq, T: PartialEq> FairSlots<K, T> {
    /// Creates slots for `max_items` items.
    pub fn new(max_items: usize) -> Self {
        let items = Items { by_owner: HashMap::new(), count: 0 };
        Self { max_items, items: Mutex::new(items) }
    }

    /// Adds an item that expires after `lifetime`. Returns the item that loses its slot, if there
    /// is one.
    ///
    /// # Errors
    /// `Busy` if all slots are in use and no other owner has more items than `owner`.
    pub fn insert(&self, owner: K, item: T, lifetime: Duration) -> Result<Option<T>> {
        let now = Instant::now();
        let mut items = self.lock();
        if items.count >= self.max_items {
            items.forget_expired(now);
        }
        let mut evicted = None;
        if items.count >= self.max_items {
            let own = items.by_owner.get(&owner).map_or(0, VecDeque::len);
            let largest = items.by_owner.values_mut().max_by_key(|queue| queue.len());
            let largest = largest.filter(|queue| queue.len() > own).ok_or(Error::Busy)?;
            evicted = largest.pop_front().map(|(_, item)| item);
            items.count -= 1;
        }
        items.by_owner.entry(owner).or_default().push_back((now + lifetime, item));
        items.count += 1;
        Ok(evicted)
    }

    /// Frees the slots of all items of an owner that equal `item`. Does nothing if there is none.
    pub fn remove(&self, owner: &K, item: &T) {
        let mut items = self.lock();
        let Some(queue) = items.by_owner.get_mut(owner) else { return };
        let before = queue.len();
        queue.retain(|(_, other)| other != item);
        let removed = before - queue.len();
        items.count -= removed;
    }

    /// Frees the slots and the memory of expired items. Call it periodically, for the memory.
    pub fn forget_expired(&self) {
        let mut items = self.lock();
        items.forget_expired(Instant::now());
        items.by_owner.shrink_to_fit();
    }

    /// Locks the items, also after a panic of another thread.
    fn lock(&self) -> MutexGuard<'_, Items<K, T>> {
        self.items.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K: Hash + Eq, T> Items<K, T> {
    /// Removes the items that have expired at `now`, and owners without items.
    fn forget_expired(&mut self, now: Instant) {
        self.by_owner.retain(|_, queue| {
            queue.retain(|(expires, _)| *expires > now);
            !queue.is_empty()
        });
        self.count = self.by_owner.values().map(VecDeque::len).sum();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_secs(600);

    #[test]
    fn owner_with_most_items_loses_the_oldest_one() {
        let slots = FairSlots::new(5);
        for number in 0..4 {
            assert_eq!(slots.insert("many", number, LONG).unwrap(), None);
        }
        assert_eq!(slots.insert("one", 10, LONG).unwrap(), None);
        assert!(matches!(slots.insert("many", 4, LONG), Err(Error::Busy)));
        assert_eq!(slots.insert("two", 20, LONG).unwrap(), Some(0));
        assert_eq!(slots.insert("three", 30, LONG).unwrap(), Some(1));
        assert_eq!(slots.insert("four", 40, LONG).unwrap(), Some(2));
        assert!(matches!(slots.insert("many", 5, LONG), Err(Error::Busy)));
        assert!(matches!(slots.insert("four", 41, LONG), Err(Error::Busy)));
    }

    #[test]
    fn removed_and_expired_items_free_their_slots() {
        let slots = FairSlots::new(1);
        slots.insert("one", 1, LONG).unwrap();
        slots.remove(&"one", &2);
        assert!(slots.insert("one", 3, LONG).is_err());
        slots.remove(&"one", &1);
        assert_eq!(slots.insert("one", 3, LONG).unwrap(), None);

        let short = FairSlots::new(1);
        for number in 0..3 {
            assert_eq!(short.insert("one", number, Duration::ZERO).unwrap(), None);
        }
        short.forget_expired();
        assert!(short.lock().by_owner.is_empty());
    }
}
