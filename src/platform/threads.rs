//! Which threads go first when all cores are busy.

/// Lets this thread, and those that it starts from now on, run after the threads that somebody waits
/// for, by so many of the 19 steps of niceness: each takes about a fifth of the share of a busy core.
/// Where the system does not know this of single threads, nothing happens.
pub fn give_way(steps: i32) {
    #[cfg(target_os = "linux")]
    {
        let this = rustix::thread::gettid();
        if let Err(error) = rustix::process::setpriority_process(Some(this), steps) {
            tracing::debug!(%error, "a thread runs like all others");
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = steps;
}
