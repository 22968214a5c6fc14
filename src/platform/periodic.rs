//! A thread that repeats a piece of work.

use std::sync::Arc;
use std::sync::Condvar;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering;
use std::time::Duration;

use crate::error::Result;
use crate::threads::StoppableThread;

/// A thread that runs its work at an interval, and once more when it stops. Dropping it stops the
/// thread.
pub struct PeriodicThread(StoppableThread);

impl PeriodicThread {
    /// Starts the thread. It waits for `interval` before each run.
    ///
    /// # Errors
    /// If the thread cannot be started.
    pub fn start(
        name: &'static str,
        interval: Duration,
        work: impl Fn() + Send + 'static,
    ) -> Result<Self> {
        let waits = Arc::new((Mutex::new(()), Condvar::new()));
        let woken = waits.clone();
        let run = move |stopped: &AtomicBool| {
            let (mutex, changed) = &*waits;
            let mut is_last = false;
            while !is_last {
                let guard = mutex.lock().unwrap_or_else(PoisonError::into_inner);
                if !stopped.load(Ordering::SeqCst) {
                    drop(changed.wait_timeout(guard, interval));
                }
                is_last = stopped.load(Ordering::SeqCst);
                work();
            }
        };
        let wake = move || {
            // With the lock, so that the thread is either before its test or in its wait.
            let _guard = woken.0.lock().unwrap_or_else(PoisonError::into_inner);
            woken.1.notify_all();
        };
        StoppableThread::start(name, run, wake).map(Self)
    }

    /// Stops the thread and waits for its last run. Does nothing if it is stopped already.
    pub fn stop(&self) {
        self.0.stop();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU32;
    use std::thread;
    use std::time::Instant;

    use super::*;

    #[test]
    fn the_work_is_repeated_and_runs_once_more_at_the_stop() {
        let count = Arc::new(AtomicU32::new(0));
        let counted = count.clone();
        let work = move || {
            counted.fetch_add(1, Ordering::SeqCst);
        };
        let thread = PeriodicThread::start("test", Duration::from_millis(1), work).unwrap();
        let started = Instant::now();
        while count.load(Ordering::SeqCst) < 3 {
            assert!(started.elapsed() < Duration::from_secs(30), "the work is not repeated");
            thread::sleep(Duration::from_millis(1));
        }
        thread.stop();
        let stopped = count.load(Ordering::SeqCst);
        thread::sleep(Duration::from_millis(20));
        assert_eq!(count.load(Ordering::SeqCst), stopped);

        let count = Arc::new(AtomicU32::new(0));
        let counted = count.clone();
        let work = move || {
            counted.fetch_add(1, Ordering::SeqCst);
        };
        // Also if the stop comes before the thread waits.
        drop(PeriodicThread::start("test", Duration::from_secs(3600), work).unwrap());
        assert_eq!(count.load(Ordering::SeqCst), 1);
    }
}
