//! How many images are rendered at the same time.

use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

static RUNNING: AtomicUsize = AtomicUsize::new(0);

/// An image that is being rendered, until it is dropped.
pub struct RunningImage(());

impl RunningImage {
    /// Counts one more running image, until the returned value is dropped.
    pub fn start() -> RunningImage {
        RUNNING.fetch_add(1, Relaxed);
        RunningImage(())
    }

    /// Returns whether this process currently renders no other image, so that a second thread
    /// delays none.
    pub fn is_only_one(&self) -> bool {
        RUNNING.load(Relaxed) == 1
    }
}

impl Drop for RunningImage {
    /// Counts one image less.
    fn drop(&mut self) {
        RUNNING.fetch_sub(1, Relaxed);
    }
}
