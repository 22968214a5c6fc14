//! Large pieces of memory that the drawing threads hand on from picture to picture: there are as
//! many as pictures were drawn at a time, not as threads.

use std::sync::Mutex;
use std::sync::PoisonError;

/// What is not in use just now.
pub struct Spare<T>(Mutex<Vec<T>>);

impl<T> Spare<T> {
    /// Nothing yet.
    pub const fn new() -> Spare<T> {
        Spare(Mutex::new(Vec::new()))
    }

    /// The piece that was given back last, if any.
    pub fn take(&self) -> Option<T> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).pop()
    }

    /// Keeps a piece for the next picture.
    pub fn give(&self, piece: T) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(piece);
    }
}
