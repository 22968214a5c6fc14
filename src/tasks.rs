//! All background work: which handler runs which task. The queue itself is
//! [`platform::tasks`](crate::platform::tasks).

use std::sync::Arc;
use std::time::Duration;

use crate::features::documents;
use crate::features::folders;
use crate::platform::App;
use crate::platform::error::Result;
use crate::platform::tasks::Handler;
use crate::platform::tasks::Runner;

/// Every kind of task and what runs it, in the order of the features.
const HANDLERS: &[(&str, Handler)] = &[
    (documents::THUMBNAIL, documents::make_thumbnail),
    (documents::FORGET, documents::remove_thumbnails),
    (documents::COPY, documents::take_over_thumbnails),
    (folders::PURGE, folders::purge),
];

/// Every kind of task that recurs without a cause, and how long it rests.
const RECURRING: &[(&str, Duration)] = &[(folders::PURGE, Duration::from_secs(3600))];

/// Starts the threads that run tasks, first of all those that were left over.
///
/// # Errors
/// When a thread cannot be started.
pub fn start(app: &Arc<App>) -> Result<Runner> {
    Runner::start(app.clone(), HANDLERS, RECURRING)
}
