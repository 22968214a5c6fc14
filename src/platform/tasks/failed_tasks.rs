//! Administration of failed tasks: listing, retrying and discarding.

use serde::Serialize;

use crate::db::Tx;
use crate::db::WriteTx;
use crate::error::Result;
use crate::time::Timestamp;

/// A task that failed at least once. It waits for another attempt or was given up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FailedTask {
    /// Id of the row.
    pub id: String,
    /// Name that selects the handler.
    pub name: String,
    /// Object of the task, such as a document id.
    pub subject: String,
    /// Number of failed attempts.
    pub attempts: i64,
    /// Error of the last attempt.
    pub error: String,
    /// Whether the server no longer retries the task.
    pub given_up: bool,
    /// Time of the first enqueue.
    pub created: Timestamp,
    /// Time of the next attempt. Meaningless if the task was given up.
    pub next: Timestamp,
}

/// Returns the tasks that were given up or wait for another attempt after a failure, in the order
/// of their first enqueue.
pub fn list_failed(tx: &Tx<'_>) -> Result<Vec<FailedTask>> {
    tx.all(
        "select id, name, subject, attempts, ifnull(error, '') as error, dead, created, run_at
         from task
         where dead = 1 or attempts > 0
         order by created, id",
        [],
        |row| {
            Ok(FailedTask {
                id: row.get("id")?,
                name: row.get("name")?,
                subject: row.get("subject")?,
                attempts: row.get("attempts")?,
                error: row.get("error")?,
                given_up: row.get("dead")?,
                created: row.get("created")?,
                next: row.get("run_at")?,
            })
        },
    )
}

/// Resets a failed task so that it runs after the commit, with no attempts counted. Has no effect
/// if the task was enqueued again since `task` was read.
///
/// If the task was given up and another one of the same name and subject waits, deletes the failed
/// task instead.
pub fn retry(tx: &WriteTx<'_>, task: &FailedTask) -> Result<()> {
    let has_waiting_task = "exists (select 1 from task as other where other.name = task.name
                            and other.subject = task.subject and other.dead = 0)";
    let sql = format!("delete from task where id = ?1 and dead = 1 and {has_waiting_task}");
    tx.execute(&sql, [&task.id])?;
    tx.execute(
        "update task set dead = 0, attempts = 0, error = null, run_at = ?2 where id = ?1",
        (&task.id, tx.now),
    )?;
    tx.notify_after_commit();
    Ok(())
}

/// Deletes a failed task. Has no effect if the task was enqueued again since `task` was read.
pub fn discard(tx: &WriteTx<'_>, task: &FailedTask) -> Result<()> {
    tx.execute("delete from task where id = ?1", [&task.id])?;
    Ok(())
}
