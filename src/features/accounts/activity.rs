//! The thread that stores the times of the last requests: of each user, for administrators, and of
//! each session and API token, for their owners.
//!
//! A request only marks its user and its credential in memory, so that no request waits for the disk. A crash loses
//! the marks of the last minute.

use std::sync::Arc;
use std::sync::Condvar;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::thread;
use std::thread::JoinHandle;
use std::time::Duration;

use super::store;
use crate::app::App;
use chartroom_platform::error::Result;

/// Time between two writes of the marks.
const WRITE_INTERVAL: Duration = Duration::from_secs(60);

/// The thread that stores the marks. Dropping it stops the thread.
pub struct ActivityWriter {
    stopped: Arc<(Mutex<bool>, Condvar)>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl ActivityWriter {
    /// Starts the thread, which runs until `stop`.
    ///
    /// # Errors
    /// If the thread cannot be started.
    pub fn start(app: Arc<App>) -> Result<Self> {
        let stopped = Arc::new((Mutex::new(false), Condvar::new()));
        let signal = stopped.clone();
        let work = move || {
            let (flag, changed) = &*signal;
            let mut is_stopped = flag.lock().unwrap_or_else(PoisonError::into_inner);
            loop {
                if !*is_stopped {
                    is_stopped = changed
                        .wait_timeout(is_stopped, WRITE_INTERVAL)
                        .unwrap_or_else(PoisonError::into_inner)
                        .0;
                }
                store_marks(&app);
                if *is_stopped {
                    return;
                }
            }
        };
        let thread = thread::Builder::new().name("activity".to_owned()).spawn(work)?;
        Ok(Self { stopped, thread: Mutex::new(Some(thread)) })
    }

    /// Stores the remaining marks, stops the thread and waits for its end. Does nothing if it is
    /// stopped already.
    pub fn stop(&self) {
        *self.stopped.0.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.stopped.1.notify_all();
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        if thread.is_some_and(|thread| thread.join().is_err()) {
            tracing::error!("the thread that stores the activity of users panicked");
        }
    }
}

impl Drop for ActivityWriter {
    /// Stops the thread and waits for its end.
    fn drop(&mut self) {
        self.stop();
    }
}

/// Stores the new marks. An error is only logged, because nothing depends on these times.
fn store_marks(app: &App) {
    let users = app.user_activity.take_new();
    let (sessions, tokens) = (app.session_activity.take_new(), app.token_activity.take_new());
    if users.is_empty() && sessions.is_empty() && tokens.is_empty() {
        return;
    }
    let written = app.db.write(move |tx| {
        for (user, time) in &users {
            store::put_last_seen(tx, user, *time)?;
        }
        for (hash, time) in &sessions {
            store::sessions::put_session_use(tx, hash, *time)?;
        }
        tokens.iter().try_for_each(|(hash, time)| store::put_token_use(tx, hash, *time))
    });
    if let Err(error) = written {
        tracing::warn!(error = %error.operator_message(), "the activity of users was not stored");
    }
}
