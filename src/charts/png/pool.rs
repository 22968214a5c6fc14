//! A pool of large objects that rendering threads reuse.
//!
//! The pool holds as many objects as were in use at the same time, not one per thread, until they are
//! idle for a while.

use std::sync::Mutex;
use std::sync::PoisonError;
use std::time::Duration;
use std::time::Instant;

/// A stack of objects that are currently not in use, with the times of their release. The object at
/// the end was released last.
pub struct Pool<T>(Mutex<Vec<(T, Instant)>>);

impl<T> Pool<T> {
    /// Creates an empty pool.
    pub const fn new() -> Pool<T> {
        Pool(Mutex::new(Vec::new()))
    }

    /// Takes the object that was released last. None if the pool is empty.
    pub fn acquire(&self) -> Option<T> {
        let last = self.0.lock().unwrap_or_else(PoisonError::into_inner).pop();
        last.map(|(object, _)| object)
    }

    /// Returns an object to the pool.
    pub fn release(&self, object: T) {
        let entry = (object, Instant::now());
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(entry);
    }

    /// Drops the objects that have not been in use for `time`.
    pub fn drop_idle(&self, time: Duration) {
        let mut objects = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let idle: Vec<_> = objects.extract_if(.., |(_, since)| since.elapsed() >= time).collect();
        objects.shrink_to_fit();
        // Freeing large objects takes longer than a lock should be held.
        drop(objects);
        drop(idle);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_idle_objects_are_dropped() {
        let pool = Pool::new();
        pool.release(1);
        std::thread::sleep(Duration::from_millis(30));
        pool.release(2);
        pool.drop_idle(Duration::from_millis(20));
        assert_eq!((pool.acquire(), pool.acquire()), (Some(2), None));
        pool.release(3);
        pool.drop_idle(Duration::from_secs(60));
        assert_eq!(pool.acquire(), Some(3));
    }
}
