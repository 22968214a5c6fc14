//! The reading side of the search index: waiting for changes, and ranked searches.

use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::Condvar;
use std::sync::Mutex;
use std::sync::MutexGuard;
use std::sync::PoisonError;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering;
use std::time::Duration;

use tantivy::DocId;
use tantivy::IndexReader;
use tantivy::Score;
use tantivy::SegmentReader;
use tantivy::TantivyDocument;
use tantivy::collector::Count;
use tantivy::collector::TopDocs;
use tantivy::schema::Value;

use super::fields::IndexFields;
use super::query::ParsedQuery;
use super::query_plan;
use super::scope::SearchScope;
use crate::error::Error;
use crate::error::Result;
use crate::fair_semaphore::FairSemaphore;
use crate::fair_semaphore::Permit;
use crate::time::Timestamp;

/// Name of the index directory in the data directory.
pub const INDEX_DIR_NAME: &str = "index";

/// Half-life, in days, of the part of the score that depends on the age of a node.
const HALF_LIFE_DAYS: f32 = 30.0;

/// Factor for the score of a very old node. A new node has the factor 1.
const MIN_FRESHNESS: f32 = 0.6;

/// Milliseconds per hour.
const HOUR_MILLIS: i64 = 3_600_000;

/// One page of search results.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchPage {
    /// Number of results on all pages.
    pub count: usize,
    /// Node ids on this page, best first.
    pub ids: Vec<String>,
}

/// The index for searches. Searches fail with `Busy` until a [`SearchIndexWriter`] has opened a
/// complete index.
///
/// [`SearchIndexWriter`]: super::SearchIndexWriter
pub struct SearchIndex {
    pub(super) dir: PathBuf,
    state: Mutex<PublishedIndex>,
    /// Notified when the writer publishes a commit.
    published: Condvar,
    /// Whether a caller waits for a change, so that the writer should commit without delay.
    commit_requested: AtomicBool,
    /// Whether the writer must rebuild the index.
    rebuild_requested: AtomicBool,
    /// Limit on concurrent searches: one per core. More would make all searches slower.
    slots: FairSemaphore<String>,
}

/// The state of the index that the writer has published last.
#[derive(Default)]
struct PublishedIndex {
    /// None until the first complete index is open, and after a read error.
    view: Option<Arc<IndexView>>,
    /// Number of the last change in the index.
    cursor: i64,
    /// Number of complete rebuilds.
    rebuilds: u64,
    /// Reason why there is no usable index. Cleared when an index is published.
    failure: Option<String>,
}

/// An index that is open for reading.
pub(super) struct IndexView {
    pub(super) reader: IndexReader,
    pub(super) fields: IndexFields,
}

impl SearchIndex {
    /// Returns the index of a data directory without opening it.
    pub fn new(data_dir: &Path) -> Self {
        Self {
            dir: data_dir.join(INDEX_DIR_NAME),
            state: Mutex::default(),
            published: Condvar::new(),
            commit_requested: AtomicBool::new(false),
            rebuild_requested: AtomicBool::new(false),
            slots: FairSemaphore::new(std::thread::available_parallelism().map_or(2, usize::from)),
        }
    }

    /// Blocks the thread until fewer searches run than there are cores, and returns the permit for
    /// one search of `account`, which is empty for guests. Accounts get permits in turn.
    ///
    /// Hold the permit during the search and while reading its results from the database.
    pub fn acquire_slot(&self, account: &str) -> Permit<'_, String> {
        self.slots.acquire(account.to_owned())
    }

    /// Returns the nodes in `scope` that match the query, at most `limit` of them from `offset` (0
    /// for the best), best first, and the number of all matches. The score depends on the match and
    /// on the time of the last change.
    ///
    /// # Errors
    /// `Busy` during the first build and after damage, until the rebuild has finished. An index
    /// that cannot be read counts as damaged: the call then requests a rebuild.
    pub fn find(
        &self,
        query: &ParsedQuery,
        scope: &SearchScope,
        offset: usize,
        limit: usize,
    ) -> Result<SearchPage> {
        let view = self.lock().view.clone().ok_or(Error::Busy)?;
        view.find(query, scope, offset, limit).map_err(|error| {
            tracing::error!(%error, "the search index cannot be read and will be rebuilt");
            let mut state = self.lock();
            state.view = None;
            state.failure = Some(error.to_string());
            drop(state);
            self.request_rebuild();
            Error::Busy
        })
    }

    /// Checks that searches have a published index, or that no failure has been reported yet, as
    /// before the first open. Does not read the index.
    ///
    /// # Errors
    /// `Internal` with the reason if the index is damaged, or is rebuilt while there is no old one
    /// to search.
    pub fn check_usable(&self) -> Result<()> {
        match &*self.lock() {
            PublishedIndex { view: None, failure: Some(reason), .. } => {
                Err(Error::internal(format!("the search index is not usable: {reason}")))
            }
            _ => Ok(()),
        }
    }

    /// Stores why there is no usable index, for [`SearchIndex::check_usable`]. Has no effect on
    /// searches, which use the published index if there is one.
    pub fn report_failure(&self, reason: String) {
        self.lock().failure = Some(reason);
    }

    /// Returns the number of the last change that searches see. Returns 0 if there is no usable
    /// index.
    pub fn last_change(&self) -> i64 {
        let state = self.lock();
        if state.view.is_some() { state.cursor } else { 0 }
    }

    /// Returns whether searches see the change with this number. False if there is no usable index.
    pub fn has_change(&self, change: i64) -> bool {
        self.lock().contains(change)
    }

    /// Blocks until searches see the change with this number, at most for `timeout`. Returns false
    /// after a timeout. If the change is missing, requests a commit first.
    ///
    /// `wake_writer` must wake the thread of the writer. It is called only if the change is
    /// missing.
    pub fn wait_for_change(
        &self,
        change: i64,
        timeout: Duration,
        wake_writer: impl FnOnce(),
    ) -> bool {
        if self.lock().contains(change) {
            return true;
        }
        self.commit_requested.store(true, Ordering::SeqCst);
        wake_writer();
        let is_missing = |state: &mut PublishedIndex| !state.contains(change);
        let wait = self.published.wait_timeout_while(self.lock(), timeout, is_missing);
        wait.unwrap_or_else(PoisonError::into_inner).0.contains(change)
    }

    /// Requests a rebuild of the index. Searches use the current index until the rebuild has
    /// finished.
    ///
    /// Does not wake the thread of the writer.
    pub fn request_rebuild(&self) {
        self.rebuild_requested.store(true, Ordering::SeqCst);
        self.commit_requested.store(true, Ordering::SeqCst);
    }

    /// Requests a rebuild and waits until it has finished, at most for `timeout`. Returns whether
    /// it has.
    ///
    /// `wake_writer` must wake the thread of the writer.
    pub fn rebuild_and_wait(&self, timeout: Duration, wake_writer: impl FnOnce()) -> bool {
        let before = self.lock().rebuilds;
        self.request_rebuild();
        wake_writer();
        let is_done = |state: &mut PublishedIndex| state.rebuilds > before;
        let wait = self.published.wait_timeout_while(self.lock(), timeout, |state| !is_done(state));
        is_done(&mut wait.unwrap_or_else(PoisonError::into_inner).0)
    }

    /// Returns whether a rebuild is requested, and clears the request. The thread of the writer
    /// calls it and then rebuilds the index.
    pub fn take_rebuild_request(&self) -> bool {
        self.rebuild_requested.swap(false, Ordering::SeqCst)
    }

    /// Returns whether a rebuild is requested. The thread of the writer calls it before it waits.
    pub fn is_rebuild_requested(&self) -> bool {
        self.rebuild_requested.load(Ordering::SeqCst)
    }

    /// Returns whether a caller waits for a commit or has requested a rebuild, and clears the
    /// request. The thread of the writer calls it to skip the pause between two commits.
    pub fn take_commit_request(&self) -> bool {
        self.commit_requested.swap(false, Ordering::SeqCst)
    }

    /// Locks the published state, also after a panic of another thread.
    fn lock(&self) -> MutexGuard<'_, PublishedIndex> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a finished rebuild, for `rebuild_and_wait`. Wakes no waiting thread: the writer must
    /// publish the new index afterwards.
    pub(super) fn count_rebuild(&self) {
        self.lock().rebuilds += 1;
    }

    /// Makes a commit visible to searches, clears a reported failure and wakes the threads that
    /// wait for a change or a rebuild. `cursor` is the number of the last change in the commit.
    pub(super) fn publish(&self, view: Arc<IndexView>, cursor: i64) {
        let mut state = self.lock();
        state.view = Some(view);
        state.cursor = cursor;
        state.failure = None;
        self.published.notify_all();
    }
}

impl PublishedIndex {
    /// Returns whether searches see the change with this number.
    fn contains(&self, change: i64) -> bool {
        self.view.is_some() && self.cursor >= change
    }
}

impl IndexView {
    /// Returns a page of ranked results and the number of all matches, see `SearchIndex::find`.
    /// The page is empty if `offset` is not below the number of indexed nodes or `limit` is 0.
    /// Equal scores are ordered by the last change, newest first.
    fn find(
        &self,
        query: &ParsedQuery,
        scope: &SearchScope,
        offset: usize,
        limit: usize,
    ) -> tantivy::Result<SearchPage> {
        let searcher = self.reader.searcher();
        let query = query_plan::build_query(&self.fields, query, scope)?;
        // The collector allocates memory for all results before the page, so `offset` is limited.
        let document_count = usize::try_from(searcher.num_docs()).unwrap_or(usize::MAX);
        if offset >= document_count || limit == 0 {
            return Ok(SearchPage { count: searcher.search(&query, &Count)?, ids: Vec::new() });
        }
        // The time is rounded to hours, so that the order stays the same while a user requests the
        // next pages. With equal scores, the node that was changed last comes first.
        let hour = Timestamp::now().0 / HOUR_MILLIS * HOUR_MILLIS;
        let best = TopDocs::with_limit(limit).and_offset(offset).tweak_score(
            move |segment: &SegmentReader| {
                let updated = segment.fast_fields().i64("updated").ok();
                move |doc: DocId, score: Score| {
                    let updated =
                        updated.as_ref().and_then(|column| column.first(doc)).unwrap_or(0);
                    (score * compute_freshness(hour.saturating_sub(updated)), updated)
                }
            },
        );
        let (hits, count) = searcher.search(&query, &(best, Count))?;
        let mut ids = Vec::with_capacity(hits.len());
        for (_, address) in hits {
            let document: TantivyDocument = searcher.doc(address)?;
            let id = document.get_first(self.fields.id).and_then(|value| value.as_str());
            ids.extend(id.map(str::to_owned));
        }
        Ok(SearchPage { count, ids })
    }
}

/// Returns the factor for the score of a node of this age in milliseconds: 1 for a new one or one
/// from the future. The difference to `MIN_FRESHNESS` halves every `HALF_LIFE_DAYS`.
fn compute_freshness(age_millis: i64) -> f32 {
    let days = (age_millis.max(0) / 1000) as f32 / 86_400.0;
    MIN_FRESHNESS + (1.0 - MIN_FRESHNESS) * (-days / HALF_LIFE_DAYS).exp2()
}
