//! The dead letters of the queue, and what failed and waits: for the operator to see, to try again or
//! to drop.

use serde::Serialize;

use crate::db::Tx;
use crate::db::WriteTx;
use crate::error::Result;
use crate::time::Timestamp;

/// A task that failed at least once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Failed {
    pub id: String,
    pub name: String,
    pub subject: String,
    /// How often it was tried.
    pub attempts: i64,
    /// Why it failed last.
    pub error: String,
    /// Whether it is not tried again by itself.
    pub given_up: bool,
    pub created: Timestamp,
    /// When it is tried next, unless it was given up.
    pub next: Timestamp,
}

/// The tasks that failed, oldest first.
pub fn failed(tx: &Tx<'_>) -> Result<Vec<Failed>> {
    tx.all(
        "select id, name, subject, attempts, ifnull(error, '') as error, dead, created, run_at
         from task
         where dead = 1 or attempts > 0
         order by created, id",
        [],
        |row| {
            Ok(Failed {
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

/// Has a task that failed tried at once, as if it were new. One that was given up while another of the
/// same name and subject waits becomes that one.
pub fn retry(tx: &WriteTx<'_>, task: &Failed) -> Result<()> {
    let is_there = "exists (select 1 from task as other where other.name = task.name
                            and other.subject = task.subject and other.dead = 0)";
    let sql = format!("delete from task where id = ?1 and dead = 1 and {is_there}");
    tx.execute(&sql, [&task.id])?;
    tx.execute(
        "update task set dead = 0, attempts = 0, error = null, run_at = ?2 where id = ?1",
        (&task.id, tx.now),
    )?;
    tx.ring();
    Ok(())
}

/// Drops a task that failed.
pub fn discard(tx: &WriteTx<'_>, task: &Failed) -> Result<()> {
    tx.execute("delete from task where id = ?1", [&task.id])?;
    Ok(())
}
