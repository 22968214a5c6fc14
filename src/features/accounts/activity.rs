//! The thread that stores the times of the last requests: of each user, for administrators, and of
//! each session and API token, for their owners.
//!
//! A request only marks its user and its credential in memory, so that no request waits for the
//! disk. A crash loses the marks of the last minute.

use std::sync::Arc;
use std::time::Duration;

use super::store;
use crate::app::App;
use chartroom_platform::error::Result;
use chartroom_platform::periodic::PeriodicThread;

/// Time between two writes of the marks.
const WRITE_INTERVAL: Duration = Duration::from_secs(60);

/// Starts the thread that stores the marks. It stores the remaining marks when it stops.
///
/// # Errors
/// If the thread cannot be started.
pub fn start_activity_writer(app: Arc<App>) -> Result<PeriodicThread> {
    PeriodicThread::start("activity", WRITE_INTERVAL, move || store_marks(&app))
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
