//! The daily check of verified domains: one task enqueues a task for each domain that is due.

use std::time::Duration;

use super::actions;
use crate::app::App;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;
use chartroom_platform::tasks;
use chartroom_platform::tasks::Task;

/// Name of the recurring task that enqueues a [`CHECK_TASK`] for each domain that is due. It runs
/// hourly, so that a restart delays no check and a failed lookup is repeated soon.
pub const DUE_CHECKS_TASK: &str = "orgs.due_domains";

/// Name of the task that looks up one domain. Its subject is the organization id and the domain.
pub const CHECK_TASK: &str = "orgs.domain";

/// Time between the starts of two checks: the maximum duration of one. So checks occupy at most one
/// of the threads that also send mail, even while no name server responds.
const CHECK_SPACING: Duration = Duration::from_secs(10);

/// Runs the task [`DUE_CHECKS_TASK`].
///
/// # Errors
/// If the database fails. A retry is safe.
pub fn enqueue_due_checks(app: &App, _: &Task) -> Result<()> {
    app.db.write_with_reserve(|tx: &WriteTx<'_>| {
        let mut start = tx.now;
        for (org, domain) in actions::list_due_domains(tx)? {
            tasks::enqueue(tx, CHECK_TASK, &format!("{org} {domain}"), "{}", start)?;
            start = start.saturating_add(CHECK_SPACING);
        }
        Ok(())
    })
}

/// Runs the task [`CHECK_TASK`]: looks up a verified domain and stores the result. The status never
/// changes. If the name servers fail, stores nothing, and the next run of [`DUE_CHECKS_TASK`]
/// enqueues the check again.
///
/// # Errors
/// If the database fails. A retry is safe.
pub fn check_domain(app: &App, task: &Task) -> Result<()> {
    let Some((org, name)) = task.subject.split_once(' ') else { return Ok(()) };
    let org = AccountId::from_text(org);
    let found = app.db.read(|tx| actions::find_domain_to_check(tx, &org, name))?;
    let Some(domain) = found else { return Ok(()) };
    let records = match actions::look_up_records(app, &domain) {
        Ok(records) => records,
        Err(error) => {
            let error = error.operator_message();
            tracing::warn!(domain = domain.name, error, "a verified domain cannot be looked up");
            return Ok(());
        }
    };
    let sends_mail = !app.config.smtp_host.is_empty();
    app.db.write_with_reserve(move |tx| {
        actions::record_daily_lookup(tx, &org, &domain, &records, sends_mail)
    })
}
