//! Compares the search index with the database and rebuilds it on request.

use std::collections::BTreeSet;
use std::path::Path;
use std::thread;
use std::time::Duration;
use std::time::Instant;

use super::index;
use super::indexer::REINDEX_TASK;
use crate::app::App;
use crate::features::tree;
use chartroom_platform::db::lock;
use chartroom_platform::doctor::CheckResult;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::id::NodeId;
use chartroom_platform::search;
use chartroom_platform::search::INDEX_DIR_NAME;
use chartroom_platform::search::IndexSource;
use chartroom_platform::tasks;

/// Name of the check in the output of `chartroom doctor`.
const CHECK_NAME: &str = "search.index";
/// Maximum time for a running server to index committed changes.
const CATCH_UP_TIMEOUT: Duration = Duration::from_secs(3);
/// Maximum time for a running server to rebuild the index.
const REBUILD_TIMEOUT: Duration = Duration::from_secs(900);
/// Time between two polls while waiting for a running server.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// Compares the index with the database in both directions. Works with and without a running
/// server. A missing index passes, because the server creates it.
///
/// Gives a running server up to 3 seconds to index the latest changes. If changes are still missing
/// then and the server has indexed nothing, that is a finding.
///
/// # Errors
/// If the database or the server lock cannot be read.
pub fn check_index(app: &App) -> Result<CheckResult> {
    let dir = &app.config.data_dir;
    let begun = Instant::now();
    let mut first = None;
    loop {
        if !dir.join(INDEX_DIR_NAME).exists() {
            return Ok(CheckResult::passed(CHECK_NAME, "no index yet; the server creates it"));
        }
        let found = compare_index(app)?;
        if !lock::is_server_running(dir)? || found.is_up_to_date() {
            return Ok(found.check);
        }
        // A running server may be indexing the latest changes.
        if begun.elapsed() > CATCH_UP_TIMEOUT {
            let is_stalled = found.check.ok && first == Some(found.cursor);
            let message = "the server does not bring it up to date".to_owned();
            return Ok(if is_stalled {
                CheckResult::from_findings(CHECK_NAME, &[message])
            } else {
                found.check
            });
        }
        first = first.or(Some(found.cursor));
        thread::sleep(POLL_INTERVAL);
    }
}

/// Result of one comparison.
struct IndexComparison {
    check: CheckResult,
    /// Last change number in the index; None if the index is unusable.
    cursor: Option<i64>,
    /// Last change number in the database.
    last: i64,
}

impl IndexComparison {
    /// Returns whether the index is correct and has all changes.
    fn is_up_to_date(&self) -> bool {
        self.check.ok && self.cursor == Some(self.last)
    }
}

/// Compares the index with the database once. Ignores nodes that changed after the last change in
/// the index. An unusable index is a finding, not an error.
fn compare_index(app: &App) -> Result<IndexComparison> {
    let source: IndexSource = index::read_source(&app.db)?;
    let contents = match search::read_contents(&app.config.data_dir, &source) {
        Ok(contents) => contents,
        Err(reason) => {
            let check = CheckResult::from_findings(CHECK_NAME, &[format!("the index {reason}")]);
            return Ok(IndexComparison { check, cursor: None, last: source.last_change });
        }
    };
    // Later changes may or may not be in the index, so they are not compared.
    let cursor = contents.cursor;
    let to_texts = |ids: Vec<NodeId>| ids.iter().map(ToString::to_string).collect::<BTreeSet<_>>();
    let (active_ids, changed_ids, last) = app.db.read(|tx| {
        let last = tree::last_change_number(tx)?;
        let changed_ids = tree::list_changed(tx, cursor, last)?;
        Ok((to_texts(tree::list_active(tx, cursor)?), to_texts(changed_ids), last))
    })?;
    let missing =
        active_ids.difference(&contents.ids).map(|id| format!("{id} is not in the index"));
    let stale = contents.ids.difference(&active_ids).filter(|id| !changed_ids.contains(*id));
    let stale = stale.map(|id| format!("{id} is in the index but not in the database"));
    let mut check =
        CheckResult::from_findings(CHECK_NAME, &missing.chain(stale).collect::<Vec<_>>());
    if check.ok {
        check.detail = format!("{} documents and folders", contents.ids.len());
        if cursor < last {
            check.detail.push_str(&format!("; indexed up to change {cursor} of {last}"));
        }
    }
    Ok(IndexComparison { check, cursor: Some(cursor), last })
}

/// Rebuilds the index. A running server does the work; without one, this process does.
///
/// # Errors
/// If the index cannot be written, or a running server stops or does not finish in time.
pub fn reindex(app: &App) -> Result<()> {
    let dir: &Path = &app.config.data_dir;
    if !lock::is_server_running(dir)? {
        let _serving = lock::lock_as_server(dir)?;
        return index::rebuild(app);
    }
    app.db.write(|tx| tasks::enqueue(tx, REINDEX_TASK, "", "{}", tx.now))?;
    let begun = Instant::now();
    while app.db.read(|tx| tasks::is_pending(tx, REINDEX_TASK, ""))? {
        if begun.elapsed() > REBUILD_TIMEOUT || !lock::is_server_running(dir)? {
            return Err(Error::internal("the server has not rebuilt the index; see its log"));
        }
        thread::sleep(POLL_INTERVAL);
    }
    Ok(())
}
