//! A search index beside the database: found things are ids, who may see what is part of the query.
//!
//! It holds nothing that the database does not: a [`Feed`] fills it from there, in the order of a
//! number that counts changes, and each commit says how far it has come. One that is missing,
//! damaged, of another version or of another database is built anew.

mod excerpt;
mod feed;
mod fields;
mod plan;
mod settle;
mod wish;
mod words;

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

pub use excerpt::beginning;
pub use excerpt::excerpt;
pub use feed::Entry;
pub use feed::Feed;
pub use feed::Source;
pub use feed::Standing;
pub use feed::look;
pub use wish::Wish;

use crate::error::Error;
use crate::error::Result;
use crate::time::Timestamp;
use crate::turns::Turn;
use crate::turns::Turns;

/// The index's directory in the data directory.
pub const DIR: &str = "index";

/// After so many days a thing's age takes half of what youth can add to its rank.
const HALF_LIFE_DAYS: f32 = 30.0;
/// What of the rank is left to what is very old.
const OLDEST: f32 = 0.6;

/// What a caller may see.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Scope {
    /// Everything of these owners, but for what is closed.
    pub owners: Vec<Owned>,
    /// Everything right in these folders.
    pub folders: Vec<String>,
    /// Things by themselves.
    pub ids: Vec<String>,
    /// Ids and names of all owners of the above, by which things can be found.
    pub names: Vec<(String, String)>,
}

/// What a caller may see of an owner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Owned {
    /// The owner.
    pub owner: String,
    /// Folders of which neither they nor what is right in them may be seen.
    pub closed: Vec<String>,
}

impl Scope {
    /// Whether something of these owners is among what may be seen: then because of whose it is.
    pub fn has_as_owners(&self, owner: &str, id: &str, parent: Option<&str>) -> bool {
        let is_closed = |it: &Owned| {
            it.closed.iter().any(|closed| closed == id || Some(closed.as_str()) == parent)
        };
        self.owners.iter().any(|it| it.owner == owner && !is_closed(it))
    }
}

/// A page of what was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// How many on all pages.
    pub count: usize,
    /// The page's ids, best first.
    pub ids: Vec<String>,
}

/// The index as its readers have it. It answers nothing until a [`Feed`] has opened it.
pub struct Search {
    dir: PathBuf,
    state: Mutex<State>,
    moved: Condvar,
    /// Somebody waits for the newest change.
    hurry: AtomicBool,
    /// Somebody wants it built anew.
    renewal: AtomicBool,
    /// Searches only compute: more at once than there are cores would make all of them slower.
    turns: Turns,
}

#[derive(Default)]
struct State {
    view: Option<Arc<View>>,
    cursor: i64,
    /// How often it was built anew.
    builds: u64,
}

/// An index that is open for reading.
struct View {
    reader: IndexReader,
    fields: fields::Fields,
}

impl Search {
    /// The index of a data directory, not open yet.
    pub fn new(data_dir: &Path) -> Self {
        Self {
            dir: data_dir.join(DIR),
            state: Mutex::default(),
            moved: Condvar::new(),
            hurry: AtomicBool::new(false),
            renewal: AtomicBool::new(false),
            turns: Turns::new(std::thread::available_parallelism().map_or(2, usize::from)),
        }
    }

    /// Waits for a turn at searching, which includes showing what was found.
    pub fn turn(&self) -> Turn<'_> {
        self.turns.take()
    }

    /// A page of what a wish finds.
    ///
    /// # Errors
    /// `Busy` while the index is built for the first time, or anew after damage.
    pub fn find(&self, wish: &Wish, scope: &Scope, offset: usize, limit: usize) -> Result<Found> {
        let view = self.lock().view.clone().ok_or(Error::Busy)?;
        view.find(wish, scope, offset, limit).map_err(|error| {
            tracing::error!(%error, "the search index cannot be read; it is built anew");
            self.lock().view = None;
            self.renew();
            Error::Busy
        })
    }

    /// Waits until the index has a change, for `at_most`. Says whether it has. `wake` must make the
    /// feed look at once.
    pub fn reach(&self, change: i64, at_most: Duration, wake: impl FnOnce()) -> bool {
        if self.lock().has(change) {
            return true;
        }
        self.hurry.store(true, Ordering::SeqCst);
        wake();
        let wait = self.moved.wait_timeout_while(self.lock(), at_most, |it| !it.has(change));
        wait.unwrap_or_else(PoisonError::into_inner).0.has(change)
    }

    /// Has the index built anew by its feed. Until then searches use the present one.
    pub fn renew(&self) {
        self.renewal.store(true, Ordering::SeqCst);
        self.hurry.store(true, Ordering::SeqCst);
    }

    /// [`Search::renew`], and waits until that is done, for `at_most`. Says whether it is. `wake`
    /// must make the feed look at once.
    pub fn renewed(&self, at_most: Duration, wake: impl FnOnce()) -> bool {
        let before = self.lock().builds;
        self.renew();
        wake();
        let done = |it: &mut State| it.builds > before;
        let wait = self.moved.wait_timeout_while(self.lock(), at_most, |it| !done(it));
        done(&mut wait.unwrap_or_else(PoisonError::into_inner).0)
    }

    /// Whether it is to be built anew; for the feed's thread, which then does so.
    pub fn take_renewal(&self) -> bool {
        self.renewal.swap(false, Ordering::SeqCst)
    }

    /// Whether it is to be built anew, for the feed's thread before it waits.
    pub fn is_renewal_due(&self) -> bool {
        self.renewal.load(Ordering::SeqCst)
    }

    /// Whether somebody waits; for the feed's thread, which then makes haste.
    pub fn take_hurry(&self) -> bool {
        self.hurry.swap(false, Ordering::SeqCst)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets searches see what was committed.
    fn publish(&self, view: Arc<View>, cursor: i64) {
        let mut state = self.lock();
        state.view = Some(view);
        state.cursor = cursor;
        self.moved.notify_all();
    }
}

impl State {
    fn has(&self, change: i64) -> bool {
        self.view.is_some() && self.cursor >= change
    }
}

impl View {
    fn find(
        &self,
        wish: &Wish,
        scope: &Scope,
        offset: usize,
        limit: usize,
    ) -> tantivy::Result<Found> {
        let searcher = self.reader.searcher();
        let query = plan::query(&self.fields, wish, scope);
        // The collector makes room for all before the page.
        let most = usize::try_from(searcher.num_docs()).unwrap_or(usize::MAX);
        if offset >= most || limit == 0 {
            return Ok(Found { count: searcher.search(&query, &Count)?, ids: Vec::new() });
        }
        // Whoever turns the page finds the rest in the same order: ranks stay the same for an hour,
        // and where they are equal, what was changed later comes first.
        let hour = Timestamp::now().0 / HOUR * HOUR;
        let best = TopDocs::with_limit(limit).and_offset(offset).tweak_score(
            move |segment: &SegmentReader| {
                let updated = segment.fast_fields().i64("updated").ok();
                move |doc: DocId, score: Score| {
                    let updated = updated.as_ref().and_then(|it| it.first(doc)).unwrap_or(0);
                    (score * freshness(hour.saturating_sub(updated)), updated)
                }
            },
        );
        let (hits, count) = searcher.search(&query, &(best, Count))?;
        let mut ids = Vec::with_capacity(hits.len());
        for (_, address) in hits {
            let document: TantivyDocument = searcher.doc(address)?;
            let id = document.get_first(self.fields.id).and_then(|it| it.as_str());
            ids.extend(id.map(str::to_owned));
        }
        Ok(Found { count, ids })
    }
}

/// In milliseconds.
const HOUR: i64 = 3_600_000;

/// By what a rank is multiplied after so many milliseconds: 1 at first, [`OLDEST`] in the end.
fn freshness(age: i64) -> f32 {
    let days = (age.max(0) / 1000) as f32 / 86_400.0;
    OLDEST + (1.0 - OLDEST) * (-days / HALF_LIFE_DAYS).exp2()
}
