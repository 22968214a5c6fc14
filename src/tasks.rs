//! The task table: which handler runs which background task. The queue itself is
//! [`platform::tasks`](chartroom_platform::tasks).

use std::sync::Arc;
use std::time::Duration;

use crate::app::App;
use crate::features::accounts;
use crate::features::audit;
use crate::features::casting;
use crate::features::cloud;
use crate::features::comments;
use crate::features::documents;
use crate::features::folders;
use crate::features::listing;
use crate::features::listing::Indexer;
use crate::features::orgs::domains;
use crate::features::people;
use crate::features::presence;
use crate::features::sharing;
use crate::features::sso;
use crate::features::sync;
use crate::features::sync::SyncRunner;
use chartroom_platform::error::Result;
use chartroom_platform::http::idempotency;
use chartroom_platform::id::AccountId;
use chartroom_platform::periodic::PeriodicThread;
use chartroom_platform::tasks::Task;
use chartroom_platform::tasks::TaskKind;
use chartroom_platform::tasks::TaskQueue;
use chartroom_platform::tasks::TaskRunner;
use chartroom_platform::threads::StoppableThread;

/// All tasks with their queues and handlers, in the order of the features.
const KINDS: &[TaskKind<App>] = &[
    (idempotency::PURGE_TASK, TaskQueue::Local, |app, _| idempotency::delete_expired(&app.db)),
    (accounts::EMAIL_ASSIGNED_TASK, TaskQueue::Local, handle_assigned_email),
    (accounts::RESET_REQUEST_TASK, TaskQueue::Local, accounts::create_reset_link),
    (accounts::RESET_MAIL_TASK, TaskQueue::Remote, accounts::send_reset_mail),
    (accounts::SECURITY_MAIL_TASK, TaskQueue::Remote, accounts::send_security_mail),
    (domains::DUE_CHECKS_TASK, TaskQueue::Local, domains::enqueue_due_checks),
    (domains::CHECK_TASK, TaskQueue::Remote, domains::check_domain),
    (domains::MAIL_TASK, TaskQueue::Remote, domains::send_mail),
    (audit::PURGE_TASK, TaskQueue::Local, audit::purge_expired),
    (cloud::PURGE_TASK, TaskQueue::Local, cloud::purge_expired),
    (cloud::KEEP_ALIVE_TASK, TaskQueue::Remote, cloud::refresh_unused),
    (cloud::REVOKE_TASK, TaskQueue::Remote, cloud::revoke_tokens),
    (documents::RENDER_THUMBNAIL, TaskQueue::Local, documents::render_thumbnail),
    (documents::REMOVE_THUMBNAILS, TaskQueue::Local, documents::remove_thumbnails),
    (documents::PURGE_TOKENS, TaskQueue::Local, documents::purge_tokens),
    (documents::THIN_HISTORY, TaskQueue::Local, documents::thin_history),
    (folders::PURGE_TRASH_TASK, TaskQueue::Local, folders::purge_trash),
    (folders::REMOVE_STAGED_TASK, TaskQueue::Local, folders::remove_staged),
    (listing::REINDEX_TASK, TaskQueue::Local, listing::run_reindex_task),
    (sharing::MAIL_TASK, TaskQueue::Remote, sharing::send_mail),
    (comments::MAIL_TASK, TaskQueue::Remote, comments::send_mail),
    (casting::PURGE_TASK, TaskQueue::Local, casting::purge_expired),
    (cloud::CONNECTED_TASK, TaskQueue::Local, sync::resume_jobs),
    (sync::MAIL_TASK, TaskQueue::Remote, sync::send_mail),
    (people::PURGE_TASK, TaskQueue::Local, people::purge_expired),
    (people::managed::ADOPT_TASK, TaskQueue::Local, people::managed::adopt_documents),
    (people::managed::MAIL_TASK, TaskQueue::Remote, people::managed::send_mail),
    (people::managed::RELINK_MAIL_TASK, TaskQueue::Remote, people::managed::send_relink_mail),
    (people::invites::MAIL_TASK, TaskQueue::Remote, people::invites::send_mail),
    (sso::PURGE_TASK, TaskQueue::Local, sso::purge_expired),
];

/// Runs the task [`accounts::EMAIL_ASSIGNED_TASK`]: gives the user the access entries that were
/// created for the address, and then an invite to the organization that has verified its domain.
fn handle_assigned_email(app: &App, task: &Task) -> Result<()> {
    sharing::accept_pending_invitations(app, task)?;
    people::invites::invite_domain_user(app, &AccountId::from_text(task.subject.as_str()))
}

const HOUR: Duration = Duration::from_hours(1);

/// Tasks that run periodically, with the time between two runs.
const RECURRING: &[(&str, Duration)] = &[
    (idempotency::PURGE_TASK, HOUR),
    (domains::DUE_CHECKS_TASK, HOUR),
    (audit::PURGE_TASK, HOUR),
    (cloud::PURGE_TASK, HOUR),
    (documents::PURGE_TOKENS, HOUR),
    (folders::PURGE_TRASH_TASK, HOUR),
    (casting::PURGE_TASK, HOUR),
    (people::PURGE_TASK, HOUR),
    (sso::PURGE_TASK, HOUR),
    (documents::THIN_HISTORY, Duration::from_hours(24)),
    (cloud::KEEP_ALIVE_TASK, Duration::from_hours(24)),
];

/// Time for which the buffers of the PNG writer are kept without use. Bursts of images are faster with
/// them, and they take 14 MiB after images of the usual size.
const MAX_IDLE_BUFFER_TIME: Duration = Duration::from_secs(2);

/// The background threads: task runner, search indexer, the notifiers of screens and of presence, the
/// writer of the activity of users, the thread that releases unused image buffers, and the thread of the
/// sync jobs.
pub struct BackgroundWork {
    tasks: TaskRunner,
    indexer: Indexer,
    screen_notifier: StoppableThread,
    presence_notifier: StoppableThread,
    activity_writer: PeriodicThread,
    buffer_releaser: PeriodicThread,
    sync_runner: SyncRunner,
}

impl BackgroundWork {
    /// Stops all background threads after their current work, and waits for them. The next start
    /// continues the waiting tasks.
    pub fn stop(&self) {
        self.tasks.stop();
        self.indexer.stop();
        self.screen_notifier.stop();
        self.presence_notifier.stop();
        self.activity_writer.stop();
        self.buffer_releaser.stop();
        self.sync_runner.stop();
    }
}

/// Starts the background threads. Each recurring task runs once now. Tasks that the last stop left
/// over run as soon as they are due.
///
/// # Errors
/// If a thread cannot be started.
pub fn start_background_work(app: &Arc<App>) -> Result<BackgroundWork> {
    let indexer = Indexer::start(app.clone())?;
    let screen_notifier = casting::start_notifier(app.clone())?;
    let presence_notifier = presence::start_notifier(app.clone())?;
    let activity_writer = accounts::start_activity_writer(app.clone())?;
    let release = || chartroom_charts::png::release_idle_buffers(MAX_IDLE_BUFFER_TIME);
    let buffer_releaser = PeriodicThread::start("buffers", MAX_IDLE_BUFFER_TIME, release)?;
    Ok(BackgroundWork {
        tasks: TaskRunner::start(app.clone(), app.db.clone(), KINDS, RECURRING)?,
        indexer,
        screen_notifier,
        presence_notifier,
        activity_writer,
        buffer_releaser,
        sync_runner: SyncRunner::start(app.clone())?,
    })
}
