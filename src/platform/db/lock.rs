//! Locks on the data directory, so that a restore never meets an open database.
//!
//! They are advisory locks of the operating system on two empty files: they end with the process.

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

/// How long commands wait for each other. The server never gives its lock up, but a command does
/// within this time.
const PATIENCE: Duration = Duration::from_secs(10);

/// How often a waiting command looks again.
const BEAT: Duration = Duration::from_millis(20);

/// This process has the database open, others may too.
pub struct Use(#[expect(dead_code, reason = "held for its lock")] File);

/// No process has the database open, and none can open it.
pub struct Alone(#[expect(dead_code, reason = "held for its lock")] File);

/// This process serves the directory; there is only one such.
pub struct Serving(#[expect(dead_code, reason = "held for its lock")] File);

/// Takes a place among those who have the database open.
///
/// # Errors
/// `Conflict` when a restore or an upgrade does not end within ten seconds.
pub fn share(dir: &Path) -> Result<Use> {
    let file = file(dir, "chartroom.lock")?;
    wait(|| file.try_lock_shared(), PATIENCE, dir, "a restore or an upgrade is running")?;
    Ok(Use(file))
}

/// Takes the directory alone.
///
/// # Errors
/// `Conflict` when a process has the database open and keeps it so for two seconds.
pub fn alone(dir: &Path) -> Result<Alone> {
    let file = file(dir, "chartroom.lock")?;
    let patience = Duration::from_secs(2);
    wait(|| file.try_lock(), patience, dir, "a server or another command has it open")?;
    Ok(Alone(file))
}

/// Takes the directory alone if nobody has it just now.
pub(super) fn alone_now(dir: &Path) -> Result<Option<Alone>> {
    let file = file(dir, "chartroom.lock")?;
    match file.try_lock() {
        Ok(()) => Ok(Some(Alone(file))),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(error.into()),
    }
}

/// Becomes the server of the directory.
///
/// # Errors
/// `Conflict` when another process serves it.
pub fn serve(dir: &Path) -> Result<Serving> {
    let file = file(dir, "serve.lock")?;
    // Long enough for a look of `is_served` to pass.
    let patience = Duration::from_millis(200);
    wait(|| file.try_lock(), patience, dir, "another server is running on it")?;
    Ok(Serving(file))
}

/// Whether a server is running on the directory.
pub fn is_served(dir: &Path) -> Result<bool> {
    if !dir.join("serve.lock").exists() {
        return Ok(false);
    }
    Ok(file(dir, "serve.lock")?.try_lock_shared().is_err())
}

fn file(dir: &Path, name: &str) -> Result<File> {
    let mut options = OpenOptions::new();
    Ok(options.write(true).create(true).truncate(false).mode(0o600).open(dir.join(name))?)
}

fn wait(
    mut take: impl FnMut() -> std::result::Result<(), TryLockError>,
    patience: Duration,
    dir: &Path,
    reason: &str,
) -> Result<()> {
    let began = Instant::now();
    loop {
        match take() {
            Ok(()) => return Ok(()),
            Err(TryLockError::Error(error)) => return Err(error.into()),
            Err(TryLockError::WouldBlock) if began.elapsed() < patience => thread::sleep(BEAT),
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
    fn users_share_and_keep_a_restore_out() {
        let dir = tempfile::tempdir().unwrap();
        let (one, two) = (share(dir.path()).unwrap(), share(dir.path()).unwrap());
        assert!(alone_now(dir.path()).unwrap().is_none());
        drop((one, two));
        let held = alone(dir.path()).unwrap();
        assert!(alone_now(dir.path()).unwrap().is_none());
        drop(held);
        share(dir.path()).unwrap();
    }

    #[test]
    fn there_is_one_server() {
        let dir = tempfile::tempdir().unwrap();
        assert!(!is_served(dir.path()).unwrap());
        let first = serve(dir.path()).unwrap();
        assert!(is_served(dir.path()).unwrap());
        assert!(matches!(serve(dir.path()), Err(Error::Conflict(_))));
        drop(first);
        assert!(!is_served(dir.path()).unwrap());
        serve(dir.path()).unwrap();
    }
}
