//! All background work: which handler runs which task. The queue itself is
//! [`platform::tasks`](crate::platform::tasks).

use std::sync::Arc;
use std::time::Duration;

use crate::features::accounts;
use crate::features::documents;
use crate::features::sharing;
use crate::platform::App;
use crate::platform::error::Result;
use crate::platform::http::idempotency;
use crate::platform::tasks::Handler;
use crate::platform::tasks::Runner;

/// Every kind of task and what runs it, in the order of the features.
const HANDLERS: &[(&str, Handler)] = &[
    (idempotency::PURGE, idempotency::purge),
    (accounts::ARRIVED, sharing::claim),
    (documents::THUMBNAIL, documents::make_thumbnail),
    (documents::PURGE_TOKENS, documents::purge_tokens),
    (documents::THIN_HISTORY, documents::thin_history),
    (sharing::MAIL, sharing::send_mail),
];

const HOUR: Duration = Duration::from_hours(1);

/// Every kind of task that recurs without a cause, and how long it rests.
const RECURRING: &[(&str, Duration)] = &[
    (idempotency::PURGE, HOUR),
    (documents::PURGE_TOKENS, HOUR),
    (documents::THIN_HISTORY, Duration::from_hours(24)),
];

/// Starts the threads that run tasks, first of all those that were left over.
///
/// # Errors
/// When a thread cannot be started.
pub fn start(app: &Arc<App>) -> Result<Runner> {
    Runner::start(app.clone(), HANDLERS, RECURRING)
}
