//! Scheduling priority and processor time of threads.

use std::time::Duration;

use rustix::time::ClockId;
use rustix::time::clock_gettime;

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
