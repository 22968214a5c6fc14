//! All background work: which handler runs which task. The queue itself is
//! [`platform::tasks`](chartroom_platform::tasks).

use std::sync::Arc;
use std::time::Duration;

use crate::app::App;
use crate::features::accounts;
use crate::features::casting;
use crate::features::casting::Watcher;
use crate::features::comments;
use crate::features::documents;
use crate::features::folders;
use crate::features::listing;
use crate::features::listing::Indexer;
use crate::features::sharing;
use chartroom_platform::error::Result;
use chartroom_platform::http::idempotency;
use chartroom_platform::tasks::Handler;
use chartroom_platform::tasks::Runner;

/// Every kind of task and what runs it, in the order of the features.
const HANDLERS: &[(&str, Handler<App>)] = &[
    (idempotency::PURGE, |app, _| idempotency::purge(&app.db)),
    (accounts::ARRIVED, sharing::claim),
    (documents::THUMBNAIL, documents::make_thumbnail),
    (documents::FORGET, documents::remove_thumbnails),
    (documents::PURGE_TOKENS, documents::purge_tokens),
    (documents::THIN_HISTORY, documents::thin_history),
    (folders::PURGE, folders::purge),
    (listing::REINDEX, listing::reindex_in_server),
    (sharing::MAIL, sharing::send_mail),
    (comments::MAIL, comments::send_mail),
    (casting::PURGE, casting::purge),
];

const HOUR: Duration = Duration::from_hours(1);

/// Every kind of task that recurs without a cause, and how long it rests.
const RECURRING: &[(&str, Duration)] = &[
    (idempotency::PURGE, HOUR),
    (documents::PURGE_TOKENS, HOUR),
    (folders::PURGE, HOUR),
    (casting::PURGE, HOUR),
    (documents::THIN_HISTORY, Duration::from_hours(24)),
];

/// Everything that works in the background.
pub struct Work {
    tasks: Runner,
    indexer: Indexer,
    watcher: Watcher,
}

impl Work {
    /// Ends it; what waits goes on at the next start.
    pub fn stop(&self) {
        self.tasks.stop();
        self.indexer.stop();
        self.watcher.stop();
    }
}

/// Starts the threads that run tasks, first of all those that were left over, the one that keeps the
/// search index, and the one that tells screens of changes.
///
/// # Errors
/// When a thread cannot be started.
pub fn start(app: &Arc<App>) -> Result<Work> {
    let indexer = Indexer::start(app.clone())?;
    let watcher = Watcher::start(app.clone())?;
    Ok(Work {
        tasks: Runner::start(app.clone(), app.db.clone(), HANDLERS, RECURRING)?,
        indexer,
        watcher,
    })
}
