//! A thread that repeats a piece of work.

use std::sync::Arc;
use std::sync::Condvar;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::thread;
use std::thread::JoinHandle;
use std::time::Duration;

use crate::error::Result;

/// A thread that runs its work at an interval, and once more when it stops. Dropping it stops the
/// thread.
pub struct PeriodicThread {
    name: &'static str,
    stopped: Arc<(Mutex<bool>, Condvar)>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

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
        let stopped = Arc::new((Mutex::new(false), Condvar::new()));
        let signal = stopped.clone();
        let run = move || {
            let (flag, changed) = &*signal;
            let mut is_stopped = flag.lock().unwrap_or_else(PoisonError::into_inner);
            loop {
                if !*is_stopped {
                    let waited = changed.wait_timeout(is_stopped, interval);
                    is_stopped = waited.unwrap_or_else(PoisonError::into_inner).0;
                }
                work();
                if *is_stopped {
                    return;
                }
            }
        };
        let thread = thread::Builder::new().name(name.to_owned()).spawn(run)?;
        Ok(Self { name, stopped, thread: Mutex::new(Some(thread)) })
    }

    /// Stops the thread and waits for its last run. Does nothing if it is stopped already.
    pub fn stop(&self) {
        *self.stopped.0.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.stopped.1.notify_all();
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        if thread.is_some_and(|thread| thread.join().is_err()) {
            tracing::error!(thread = self.name, "a periodic thread panicked");
        }
    }
}

impl Drop for PeriodicThread {
    /// Stops the thread and waits for its end.
    fn drop(&mut self) {
        self.stop();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU32;
    use std::sync::atomic::Ordering;
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
