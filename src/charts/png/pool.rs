//! A pool of large objects that rendering threads reuse.
//!
//! The pool holds as many objects as were in use at the same time, not one per thread.

use std::sync::Mutex;
use std::sync::PoisonError;

/// A stack of objects that are currently not in use.
pub struct Pool<T>(Mutex<Vec<T>>);

impl<T> Pool<T> {
    /// Creates an empty pool.
    pub const fn new() -> Pool<T> {
        Pool(Mutex::new(Vec::new()))
    }

    /// Takes the object that was released last. None if the pool is empty.
    pub fn acquire(&self) -> Option<T> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).pop()
    }

    /// Returns an object to the pool.
    pub fn release(&self, object: T) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(object);
    }
}
