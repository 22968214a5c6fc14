//! The thread that follows what is written and brings it into the search index.

use std::sync::Arc;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering;
use std::thread;
use std::thread::JoinHandle;
use std::time::Duration;
use std::time::Instant;

use super::index;
use crate::app::App;
use crate::features::tree;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::search::Feed;
use chartroom_platform::tasks::Task;
use chartroom_platform::threads;

/// How soon after a commit of the index the next one follows: each costs several milliseconds of the
/// disk. The first after a pause follows at once, and so does any that a search waits for.
const PACE: Duration = Duration::from_millis(100);
/// The longest time, however much there was to be put in.
const LONGEST_PACE: Duration = Duration::from_secs(1);
/// Most of its time that the thread works while nobody searches: a part of this. Many changes in one
/// commit also cost less than in several, whose parts have to be merged.
const PART: u32 = 4;
/// Steps by which it gives way to requests: about a third of a busy core is left to each of its
/// threads, so that a burst of writes is answered first and what was written follows close behind.
const STEPS: i32 = 5;
/// How often to look without being woken: also finds what other processes wrote.
const BEAT: Duration = Duration::from_secs(1);
/// After so many beats without a change the memory for writing is given back.
const BEATS_TO_REST: u32 = 2;
/// How long a task waits for the index to be built anew.
const BUILD_PATIENCE: Duration = Duration::from_secs(600);

/// Name of the task that has the running server build the index anew.
pub const REINDEX: &str = "listing.reindex";

/// Runs [`REINDEX`].
///
/// # Errors
/// When it is not done within some minutes.
pub fn reindex_in_server(app: &App, _: &Task) -> Result<()> {
    match app.search.renewed(BUILD_PATIENCE, || app.db.committed().ring()) {
        true => Ok(()),
        false => Err(Error::internal("the search index is not built yet")),
    }
}

/// The thread.
pub struct Indexer {
    app: Arc<App>,
    stopped: Arc<AtomicBool>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl Indexer {
    /// Starts it.
    ///
    /// # Errors
    /// When a thread cannot be started.
    pub fn start(app: Arc<App>) -> Result<Self> {
        let stopped = Arc::new(AtomicBool::new(false));
        let (its, told) = (app.clone(), stopped.clone());
        let work = move || {
            // The index's own threads, which it starts, do the same.
            threads::give_way(STEPS);
            run(&its, &told);
        };
        let thread = thread::Builder::new().name("indexer".to_owned()).spawn(work)?;
        Ok(Self { app, stopped, thread: Mutex::new(Some(thread)) })
    }

    /// Ends it after the commit under way. What is not in the index follows at the next start.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::SeqCst);
        self.app.db.committed().ring();
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        if thread.is_some_and(|it| it.join().is_err()) {
            tracing::error!("the indexer panicked");
        }
    }
}

impl Drop for Indexer {
    fn drop(&mut self) {
        self.stop();
    }
}

fn run(app: &App, stopped: &AtomicBool) {
    while !stopped.load(Ordering::SeqCst) {
        if let Err(error) = follow(app, stopped) {
            tracing::error!(error = %error.full(), "the search index cannot be kept up");
            let heard = app.db.committed().rings();
            app.db.committed().wait(heard, BEAT);
        }
    }
}

/// Follows the changes until it is stopped or something fails.
fn follow(app: &App, stopped: &AtomicBool) -> Result<()> {
    let mut source = index::source(&app.db)?;
    let mut feed = Feed::open(&app.search, &source)?;
    let (mut is_checked, mut beats, mut at_rest) = (false, 0, false);
    while !stopped.load(Ordering::SeqCst) {
        // Counted before looking, so that a commit after the look ends the wait at once.
        let heard = app.db.committed().listen();
        if app.search.take_renewal() {
            feed.close()?;
            source = index::source(&app.db)?;
            feed = Feed::anew(&app.search, &source)?;
        }
        app.search.take_hurry();
        let began = Instant::now();
        // A new index knows nothing yet of what is below folders.
        let known = if feed.is_whole() { 0 } else { source.last_change };
        if index::step(app, &mut feed, known)? {
            (beats, at_rest) = (0, false);
            if feed.is_whole() {
                let pace = began.elapsed().saturating_mul(PART).clamp(PACE, LONGEST_PACE);
                rest(app, stopped, began + pace);
            }
            continue;
        }
        if !is_checked {
            is_checked = true;
            check(app, &feed)?;
        }
        if !app.search.is_renewal_due() && app.db.committed().wait(heard, BEAT) == heard {
            beats += 1;
            if beats >= BEATS_TO_REST && !at_rest && feed.settle(&app.search)? {
                at_rest = true;
                feed.rest()?;
                check(app, &feed)?;
            }
        }
    }
    feed.close()
}

/// Waits for the next commit's time, or until somebody waits for it.
fn rest(app: &App, stopped: &AtomicBool, end: Instant) {
    let bell = app.db.committed();
    loop {
        let heard = bell.rings();
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() || stopped.load(Ordering::SeqCst) || app.search.take_hurry() {
            return;
        }
        bell.wait(heard, left);
    }
}

/// Has an index built anew that does not hold as many nodes as it should.
fn check(app: &App, feed: &Feed) -> Result<()> {
    let (present, last) =
        app.db.read(|tx| Ok((tree::present_count(tx)?, tree::last_change(tx)?)))?;
    if last == feed.cursor() && present != feed.count() {
        let found = feed.count();
        tracing::warn!(found, present, "the search index is incomplete; it is built anew");
        app.search.renew();
    }
    Ok(())
}
