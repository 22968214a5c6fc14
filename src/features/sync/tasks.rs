//! Background work: jobs that waited for the consent of their creator.

use chartroom_cloud::Provider;

use super::links;
use crate::app::App;
use crate::features::sync_jobs;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;
use chartroom_platform::tasks::Task;

/// Runs the task [`CONNECTED_TASK`](crate::features::cloud::CONNECTED_TASK): lets the failed jobs of a user run
/// at once if their sources are at the provider that the user has connected.
pub fn resume_jobs(app: &App, task: &Task) -> Result<()> {
    let Some((user, provider)) = task.subject.split_once(' ') else { return Ok(()) };
    let Some(provider) = Provider::from_name(provider) else { return Ok(()) };
    let user = AccountId::from_text(user);
    app.db.write(move |tx| {
        for job in sync_jobs::list_failed_jobs_of(tx, &user)? {
            if links::find_provider(&job.url) == Some(provider) {
                sync_jobs::reschedule(tx, &job, Some(tx.now), Some(tx.now))?;
            }
        }
        Ok(())
    })?;
    app.sync_signal.notify();
    Ok(())
}
