//! The task table: which handler runs which background task. The queue itself is
//! [`platform::tasks`](chartroom_platform::tasks).

use std::sync::Arc;
use std::time::Duration;

use crate::app::App;
use crate::features::accounts;
use crate::features::casting;
use crate::features::casting::ScreenNotifier;
use crate::features::comments;
use crate::features::documents;
use crate::features::folders;
use crate::features::listing;
use crate::features::listing::Indexer;
use crate::features::sharing;
use chartroom_platform::error::Result;
use chartroom_platform::http::idempotency;
use chartroom_platform::tasks::Handler;
use chartroom_platform::tasks::TaskRunner;

/// All tasks with their handlers, in the order of the features.
const HANDLERS: &[(&str, Handler<App>)] = &[
    (idempotency::PURGE_TASK, |app, _| idempotency::delete_expired(&app.db)),
    (accounts::EMAIL_ASSIGNED_TASK, sharing::accept_pending_invitations),
    (documents::RENDER_THUMBNAIL, documents::render_thumbnail),
    (documents::REMOVE_THUMBNAILS, documents::remove_thumbnails),
    (documents::PURGE_TOKENS, documents::purge_tokens),
    (documents::THIN_HISTORY, documents::thin_history),
    (folders::PURGE_TRASH_TASK, folders::purge_trash),
    (listing::REINDEX_TASK, listing::run_reindex_task),
    (sharing::MAIL_TASK, sharing::send_mail),
    (comments::MAIL_TASK, comments::send_mail),
    (casting::PURGE_TASK, casting::purge_expired),
];

const HOUR: Duration = Duration::from_hours(1);

/// Tasks that run periodically, with the time between two runs.
const RECURRING: &[(&str, Duration)] = &[
    (idempotency::PURGE_TASK, HOUR),
    (documents::PURGE_TOKENS, HOUR),
    (folders::PURGE_TRASH_TASK, HOUR),
    (casting::PURGE_TASK, HOUR),
    (documents::THIN_HISTORY, Duration::from_hours(24)),
];

/// The background threads: task runner, search indexer and screen notifier.
pub struct BackgroundWork {
    tasks: TaskRunner,
    indexer: Indexer,
    screen_notifier: ScreenNotifier,
}

impl BackgroundWork {
    /// Stops all background threads. The next start continues the waiting tasks.
    pub fn stop(&self) {
        self.tasks.stop();
        self.indexer.stop();
        self.screen_notifier.stop();
    }
}

/// Starts the background threads. Each recurring task runs once now. Tasks that the last stop left
/// over run as soon as they are due.
///
/// # Errors
/// If a thread cannot be started or the recurring tasks cannot be stored.
pub fn start_background_work(app: &Arc<App>) -> Result<BackgroundWork> {
    let indexer = Indexer::start(app.clone())?;
    let screen_notifier = ScreenNotifier::start(app.clone())?;
    Ok(BackgroundWork {
        tasks: TaskRunner::start(app.clone(), app.db.clone(), HANDLERS, RECURRING)?,
        indexer,
        screen_notifier,
    })
}
