//! Locks on the data directory, so that a restore never replaces an open database.
//!
//! The locks are advisory locks of the operating system on two empty files. The operating system
//! releases them when the process ends.

use std::fs::File;
use std::fs::OpenOptions;
use std::fs::TryLockError;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::thread;
use std::time::Duration;
use std::time::Instant;

use crate::error::Error;
use crate::error::Result;

/// Maximum time to wait for another command, such as a restore. The server holds its lock until it
/// ends.
const COMMAND_WAIT_TIMEOUT: Duration = Duration::from_secs(10);

/// Time between two attempts to take a lock.
const RETRY_INTERVAL: Duration = Duration::from_millis(20);

/// A shared lock: this process has the database open, other processes may too.
pub struct SharedLock(#[expect(dead_code, reason = "held for its lock")] File);

/// An exclusive lock: no other process has the database open or can open it.
pub struct ExclusiveLock(#[expect(dead_code, reason = "held for its lock")] File);

/// A lock for the one process that serves the directory.
pub struct ServerLock(#[expect(dead_code, reason = "held for its lock")] File);

/// Takes a shared lock on `dir`, which every process with an open database holds.
///
/// # Errors
/// `Conflict` if the exclusive lock of a restore or an upgrade is not released within 10 s.
pub fn lock_shared(dir: &Path) -> Result<SharedLock> {
    let file = open_lock_file(dir, "chartroom.lock")?;
    lock_with_retries(
        || file.try_lock_shared(),
        COMMAND_WAIT_TIMEOUT,
        dir,
        "a restore or an upgrade is running",
    )?;
    Ok(SharedLock(file))
}

/// Takes an exclusive lock on `dir`. Waits up to 2 s while other processes have the database open.
///
/// # Errors
/// `Conflict` if another process has the database open for more than 2 s.
pub fn lock_exclusive(dir: &Path) -> Result<ExclusiveLock> {
    let file = open_lock_file(dir, "chartroom.lock")?;
    let timeout = Duration::from_secs(2);
    lock_with_retries(|| file.try_lock(), timeout, dir, "a server or another command has it open")?;
    Ok(ExclusiveLock(file))
}

/// Takes an exclusive lock on `dir` without waiting. Returns None if the lock is held elsewhere,
/// shared or exclusive.
pub(super) fn try_lock_exclusive(dir: &Path) -> Result<Option<ExclusiveLock>> {
    let file = open_lock_file(dir, "chartroom.lock")?;
    match file.try_lock() {
        Ok(()) => Ok(Some(ExclusiveLock(file))),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(error.into()),
    }
}

/// Takes the lock of the one server of `dir`. It is independent of the shared and exclusive locks.
///
/// # Errors
/// `Conflict` if another server holds it for more than 200 ms.
pub fn lock_as_server(dir: &Path) -> Result<ServerLock> {
    let file = open_lock_file(dir, "serve.lock")?;
    // `is_server_running` in another process holds the lock for a moment.
    let timeout = Duration::from_millis(200);
    lock_with_retries(|| file.try_lock(), timeout, dir, "another server is running on it")?;
    Ok(ServerLock(file))
}

/// Returns whether a server is running on `dir`.
///
/// The check holds the lock of the server for a moment. Every failure to take it counts as a
/// running server.
pub fn is_server_running(dir: &Path) -> Result<bool> {
    if !dir.join("serve.lock").exists() {
        return Ok(false);
    }
    Ok(open_lock_file(dir, "serve.lock")?.try_lock_shared().is_err())
}

/// Opens a lock file, which it creates with mode 0600 if it is absent. Takes no lock.
fn open_lock_file(dir: &Path, name: &str) -> Result<File> {
    let mut options = OpenOptions::new();
    Ok(options.write(true).create(true).truncate(false).mode(0o600).open(dir.join(name))?)
}

/// Calls `try_lock` at intervals of `RETRY_INTERVAL` until it succeeds, at least once.
///
/// # Errors
/// `Conflict` with `reason` if the lock is still held after `timeout`. Other errors end the
/// attempts immediately.
fn lock_with_retries(
    mut try_lock: impl FnMut() -> std::result::Result<(), TryLockError>,
    timeout: Duration,
    dir: &Path,
    reason: &str,
) -> Result<()> {
    let start = Instant::now();
    loop {
        match try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::Error(error)) => return Err(error.into()),
            Err(TryLockError::WouldBlock) if start.elapsed() < timeout => {
                thread::sleep(RETRY_INTERVAL)
            }
            Err(TryLockError::WouldBlock) => {
                return Err(Error::Conflict(format!("{} is in use: {reason}", dir.display())));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shared_lock_excludes_an_exclusive_lock() {
        let dir = tempfile::tempdir().unwrap();
        let (one, two) = (lock_shared(dir.path()).unwrap(), lock_shared(dir.path()).unwrap());
        assert!(try_lock_exclusive(dir.path()).unwrap().is_none());
        drop((one, two));
        let held = lock_exclusive(dir.path()).unwrap();
        assert!(try_lock_exclusive(dir.path()).unwrap().is_none());
        drop(held);
        lock_shared(dir.path()).unwrap();
    }

    #[test]
    fn only_one_server_can_lock_a_directory() {
        let dir = tempfile::tempdir().unwrap();
        assert!(!is_server_running(dir.path()).unwrap());
        let first = lock_as_server(dir.path()).unwrap();
        assert!(is_server_running(dir.path()).unwrap());
        assert!(matches!(lock_as_server(dir.path()), Err(Error::Conflict(_))));
        drop(first);
        assert!(!is_server_running(dir.path()).unwrap());
        lock_as_server(dir.path()).unwrap();
    }
}
