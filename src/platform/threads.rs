//! Threads that can be stopped, and scheduling priority and processor time of threads.

use std::sync::Arc;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering;
use std::thread;
use std::thread::JoinHandle;
use std::time::Duration;

use rustix::time::ClockId;
use rustix::time::clock_gettime;

use crate::error::Result;

/// A thread that ends when it is asked to. Dropping it stops the thread.
pub struct StoppableThread {
    name: &'static str,
    stopped: Arc<AtomicBool>,
    wake: Box<dyn Fn() + Send + Sync>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl StoppableThread {
    /// Starts the thread. `work` ends soon after its argument is set. `wake` ends its waits, so that it
    /// sees the change.
    ///
    /// # Errors
    /// If the thread cannot be started.
    pub fn start(
        name: &'static str,
        work: impl FnOnce(&AtomicBool) + Send + 'static,
        wake: impl Fn() + Send + Sync + 'static,
    ) -> Result<Self> {
        let stopped = Arc::new(AtomicBool::new(false));
        let seen = stopped.clone();
        let thread = thread::Builder::new().name(name.to_owned()).spawn(move || work(&seen))?;
        Ok(Self { name, stopped, wake: Box::new(wake), thread: Mutex::new(Some(thread)) })
    }

    /// Stops the thread and waits for its end. Logs an error if it panicked. Does nothing if it is
    /// stopped already.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::SeqCst);
        (self.wake)();
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        if thread.is_some_and(|thread| thread.join().is_err()) {
            tracing::error!(thread = self.name, "a thread panicked");
        }
    }
}

impl Drop for StoppableThread {
    /// Stops the thread and waits for its end.
    fn drop(&mut self) {
        self.stop();
    }
}

/// Returns the processor time that the current thread has used so far.
///
/// Unlike the time of day, it does not grow while other threads have the processors.
pub fn thread_processor_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    // Never negative, because the time starts at 0.
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec.unsigned_abs() as u32)
}

/// Sets the nice value (0 to 19) of the current thread and of the threads that it starts later.
///
/// Threads that serve requests then run first while all cores are busy. Each step reduces the share
/// of a busy core by about a fifth. A failure is only logged. On systems other than Linux the call
/// has no effect.
pub fn lower_thread_priority(niceness: i32) {
    #[cfg(target_os = "linux")]
    {
        let this = rustix::thread::gettid();
        if let Err(error) = rustix::process::setpriority_process(Some(this), niceness) {
            tracing::debug!(%error, "cannot lower the priority of a thread");
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = niceness;
}
