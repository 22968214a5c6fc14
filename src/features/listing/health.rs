//! Whether the search index holds what the database does, and how to have it built anew.

use std::collections::BTreeSet;
use std::path::Path;
use std::thread;
use std::time::Duration;
use std::time::Instant;

use super::index;
use super::indexer::REINDEX;
use crate::features::tree;
use crate::platform::App;
use crate::platform::db::lock;
use crate::platform::doctor::Check;
use crate::platform::error::Error;
use crate::platform::error::Result;
use crate::platform::search;
use crate::platform::search::DIR;
use crate::platform::search::Source;
use crate::platform::tasks;

/// The check's name.
const NAME: &str = "search.index";
/// How long the index of a running server may take to have what was written.
const PATIENCE: Duration = Duration::from_secs(3);
/// How long a running server may take to build the index anew.
const BUILD_PATIENCE: Duration = Duration::from_secs(900);
const POLL: Duration = Duration::from_millis(100);

/// Looks at the index, beside a running server or not.
///
/// # Errors
/// When the database cannot be read.
pub fn check(app: &App) -> Result<Check> {
    let begun = Instant::now();
    loop {
        let finding = look(app)?;
        // A running server may just be at work on it.
        let is_served = lock::is_served(&app.config.data_dir)?;
        if finding.ok || !is_served || begun.elapsed() > PATIENCE {
            return Ok(finding);
        }
        thread::sleep(POLL);
    }
}

fn look(app: &App) -> Result<Check> {
    let dir = &app.config.data_dir;
    if !dir.join(DIR).exists() {
        return Ok(Check::fine(NAME, "there is none; the server makes it"));
    }
    let read = || {
        app.db.read(|tx| {
            let ids: BTreeSet<String> =
                tree::present(tx)?.into_iter().map(|it| it.to_string()).collect();
            Ok((tree::last_change(tx)?, ids))
        })
    };
    let source: Source = index::source(&app.db)?;
    let standing = match search::look(dir, &source) {
        Ok(standing) => standing,
        Err(reason) => return Ok(Check::of(NAME, &[format!("the index {reason}")])),
    };
    let (last, ids) = read()?;
    if standing.cursor < last {
        let behind = format!("the index has change {} of {last}", standing.cursor);
        if lock::is_served(dir)? {
            return Ok(Check::of(NAME, &[behind]));
        }
        return Ok(Check::fine(NAME, behind + "; the server takes up the rest"));
    }
    let missing = ids.difference(&standing.ids).map(|it| format!("{it} is not in the index"));
    let left = standing.ids.difference(&ids).map(|it| format!("{it} is in the index only"));
    let mut check = Check::of(NAME, &missing.chain(left).collect::<Vec<_>>());
    if check.ok {
        check.detail = format!("{} documents and folders", ids.len());
    }
    Ok(check)
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
