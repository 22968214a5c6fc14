//! Whether the search index holds what the database does, and how to have it built anew.

use std::collections::BTreeSet;
use std::path::Path;
use std::thread;
use std::time::Duration;
use std::time::Instant;

use super::index;
use super::indexer::REINDEX;
use crate::app::App;
use crate::features::tree;
use chartroom_platform::db::lock;
use chartroom_platform::doctor::Check;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::id::NodeId;
use chartroom_platform::search;
use chartroom_platform::search::DIR;
use chartroom_platform::search::Source;
use chartroom_platform::tasks;

/// The check's name.
const NAME: &str = "search.index";
/// How long the index of a running server may take to have what was written.
const PATIENCE: Duration = Duration::from_secs(3);
/// How long a running server may take to build the index anew.
const BUILD_PATIENCE: Duration = Duration::from_secs(900);
const POLL: Duration = Duration::from_millis(100);

/// Compares the index with the database both ways, beside a running server or not.
///
/// # Errors
/// When the database cannot be read.
pub fn check(app: &App) -> Result<Check> {
    let dir = &app.config.data_dir;
    let begun = Instant::now();
    let mut first = None;
    loop {
        if !dir.join(DIR).exists() {
            return Ok(Check::fine(NAME, "there is none; the server makes it"));
        }
        let found = look(app)?;
        if !lock::is_served(dir)? || found.is_level() {
            return Ok(found.check);
        }
        // A running server may just be at work on it.
        if begun.elapsed() > PATIENCE {
            let stands = found.check.ok && first == Some(found.cursor);
            let behind = "the server does not bring it up to date".to_owned();
            return Ok(if stands { Check::of(NAME, &[behind]) } else { found.check });
        }
        first = first.or(Some(found.cursor));
        thread::sleep(POLL);
    }
}

/// What a look at the index found.
struct Finding {
    check: Check,
    /// The last change that the index has; none when it cannot be used.
    cursor: Option<i64>,
    /// The database's last change.
    last: i64,
}

impl Finding {
    /// All is well, and nothing is left to do.
    fn is_level(&self) -> bool {
        self.check.ok && self.cursor == Some(self.last)
    }
}

fn look(app: &App) -> Result<Finding> {
    let source: Source = index::source(&app.db)?;
    let standing = match search::look(&app.config.data_dir, &source) {
        Ok(standing) => standing,
        Err(reason) => {
            let check = Check::of(NAME, &[format!("the index {reason}")]);
            return Ok(Finding { check, cursor: None, last: source.last_change });
        }
    };
    // What has changed since is not compared: it may be on either side.
    let cursor = standing.cursor;
    let texts = |ids: Vec<NodeId>| ids.iter().map(ToString::to_string).collect::<BTreeSet<_>>();
    let (present, since, last) = app.db.read(|tx| {
        let last = tree::last_change(tx)?;
        let since = tree::changed(tx, cursor, last)?;
        Ok((texts(tree::present(tx, cursor)?), texts(since), last))
    })?;
    let missing = present.difference(&standing.ids).map(|it| format!("{it} is not in the index"));
    let left = standing.ids.difference(&present).filter(|it| !since.contains(*it));
    let left = left.map(|it| format!("{it} is in the index only"));
    let mut check = Check::of(NAME, &missing.chain(left).collect::<Vec<_>>());
    if check.ok {
        check.detail = format!("{} documents and folders", standing.ids.len());
        if cursor < last {
            check.detail.push_str(&format!("; it has change {cursor} of {last}"));
        }
    }
    Ok(Finding { check, cursor: Some(cursor), last })
}

/// Builds the index anew: the running server does so, and without one this process.
///
/// # Errors
/// When it cannot be written, or a running server does not do it.
pub fn reindex(app: &App) -> Result<()> {
    let dir: &Path = &app.config.data_dir;
    if !lock::is_served(dir)? {
        let _serving = lock::serve(dir)?;
        return index::build(app);
    }
    app.db.write(|tx| tasks::enqueue(tx, REINDEX, "", "{}", tx.now))?;
    let begun = Instant::now();
    while app.db.read(|tx| tasks::is_waiting(tx, REINDEX, ""))? {
        if begun.elapsed() > BUILD_PATIENCE || !lock::is_served(dir)? {
            return Err(Error::internal("the server has not built the index; see its log"));
        }
        thread::sleep(POLL);
    }
    Ok(())
}
