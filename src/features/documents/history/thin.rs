//! Thinning: of versions older than a month, the named ones stay and the last of each day (UTC).
//!
//! Removing a version must not change what another one reads. A body that others need goes over to
//! one of them: to the version before it, whose records are the first of its own, or to the first
//! that is written against it. That is computed with no transaction open, and written only if
//! nothing has changed meanwhile.

use super::content;
use super::pack;
use super::store;
use super::store::Body;
use super::store::Old;
use crate::app::App;
use crate::features::documents::store as documents;
use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::id::NodeId;
use chartroom_platform::tasks::Task;
use chartroom_platform::time::Timestamp;

/// Name of the task that thins out; it recurs, without a subject.
pub const TASK: &str = "documents.thin_history";
/// How long every version is kept.
const FULL_DAYS: i64 = 30;
/// Milliseconds of a day.
const DAY: i64 = 86_400_000;
/// Most versions of one transaction.
const BATCH: u32 = 500;
/// How often the removal of a version that others need is tried.
const TRIES: usize = 5;

/// Thins out what is old by now.
///
/// # Errors
/// When the database cannot be read or written; trying again does no harm.
pub fn run(app: &App, _: &Task) -> Result<()> {
    let removed = run_at(app, Timestamp::now())?;
    if removed > 0 {
        tracing::info!(removed, "old versions were thinned out");
    }
    Ok(())
}

/// Thins out what is old at `now`; returns how many versions were removed.
///
/// # Errors
/// As [`run`].
pub fn run_at(app: &App, now: Timestamp) -> Result<usize> {
    // Whole days only, so that the last version of a day is known.
    let before = Timestamp((now.0 - FULL_DAYS * DAY).div_euclid(DAY) * DAY);
    let mut removed = 0;
    while let Some(document) = app.db.read(|tx| store::next_old(tx, before))? {
        let id = document.clone();
        let needed = app.db.write(move |tx| thin(tx, &id, before))?;
        removed += needed.removed;
        for number in needed.numbers {
            removed += usize::from(hand_over(app, &document, number)?);
        }
    }
    Ok(removed)
}

/// What one transaction did, and what it left to [`hand_over`].
struct Outcome {
    removed: usize,
    /// Versions to remove whose bodies others need.
    numbers: Vec<i64>,
}

/// Whether a version goes: it is not named, and not the last of its day.
fn goes(version: &Old) -> bool {
    let is_last = version.next_began.is_none_or(|it| day(it) != day(version.began));
    version.name.is_none() && !is_last
}

fn day(time: Timestamp) -> i64 {
    time.0.div_euclid(DAY)
}

/// Removes the old versions of a document that nothing depends on, at most [`BATCH`], and marks
/// those that stay.
fn thin(tx: &WriteTx<'_>, document: &NodeId, before: Timestamp) -> Result<Outcome> {
    let versions = store::old(tx, document, before, BATCH)?;
    let mut outcome = Outcome { removed: 0, numbers: Vec::new() };
    for version in &versions {
        if !goes(version) {
            store::keep(tx, document, version.number)?;
            continue;
        }
        let is_needed = version.has_body
            && (is_borrowed(tx, document, version)? || is_base(tx, document, version)?);
        if is_needed {
            outcome.numbers.push(version.number);
        } else {
            store::delete(tx, document, version.number)?;
            outcome.removed += 1;
        }
    }
    Ok(outcome)
}

/// Whether what stays before a version has its content from the body of this one. It need not be
/// one of those that are looked at: it may have been kept before.
fn is_borrowed(tx: &Tx<'_>, document: &NodeId, version: &Old) -> Result<bool> {
    Ok(store::before(tx, document, version.number)?.is_some_and(|it| !it.has_body))
}

fn is_base(tx: &Tx<'_>, document: &NodeId, version: &Old) -> Result<bool> {
    match version.base {
        None => Ok(!store::dependents(tx, document, version.number)?.is_empty()),
        Some(_) => Ok(false),
    }
}

/// A body that others need, and who they are.
#[derive(PartialEq)]
struct Needed {
    own: Body,
    /// What it is written against.
    base: Option<Body>,
    /// The version before it, when that one's content is the first records of this one's.
    heir: Option<(i64, i64)>,
    /// The bodies that are written against it.
    dependents: Vec<Body>,
}

impl Needed {
    fn read(tx: &Tx<'_>, document: &NodeId, number: i64) -> Result<Option<Self>> {
        let unnamed = store::find(tx, document, number)?.is_some_and(|it| it.name.is_none());
        let Some(own) = store::own_body(tx, document, number)?.filter(|_| unnamed) else {
            return Ok(None);
        };
        // One that is missing is damage, which shows when the body is unpacked.
        let base = own.base.map(|it| store::own_body(tx, document, it)).transpose()?.flatten();
        let heir = store::before(tx, document, number)?.filter(|it| !it.has_body);
        let heir = heir.map(|it| (it.number, it.record_count));
        let dependents = match own.base {
            None => store::dependents(tx, document, number)?,
            Some(_) => Vec::new(),
        };
        Ok(Some(Self { own, base, heir, dependents }))
    }

    /// The bodies to write before it can go.
    fn others(&self) -> Result<Vec<Body>> {
        let base = self.base.as_ref().map(|it| pack::unpack(&it.bytes, None)).transpose()?;
        let content = pack::unpack(&self.own.bytes, base.as_deref())?;
        let mut others = Vec::new();
        // What the dependents are written against from now on.
        let mut next: Option<(i64, Vec<u8>)> = None;
        if let Some((number, count)) = self.heir {
            let now = documents::Head::empty(Timestamp(0));
            let version = content::read(&content, &now, count)?;
            let text = content::write(&version.head, &version.records)?;
            let bytes = pack::pack(&text, base.as_deref())?;
            others.push(Body { number, bytes, base: self.own.base });
            next = Some((number, text));
        }
        for dependent in &self.dependents {
            let text = pack::unpack(&dependent.bytes, Some(&content))?;
            let against = next.as_ref().map(|(number, text)| (*number, &text[..]));
            let bytes = pack::pack(&text, against.map(|it| it.1))?;
            let base = against.map(|it| it.0);
            others.push(Body { number: dependent.number, bytes, base });
            next.get_or_insert((dependent.number, text));
        }
        Ok(others)
    }
}

/// Removes a version whose body others need; says whether it did. One that is damaged stays, so that
/// nothing is lost that could still be mended.
fn hand_over(app: &App, document: &NodeId, number: i64) -> Result<bool> {
    for _ in 0..TRIES {
        let Some(needed) = app.db.read(|tx| Needed::read(tx, document, number))? else {
            return Ok(false);
        };
        let id = document.clone();
        let others = match needed.others() {
            Ok(others) => others,
            Err(error) => {
                let error = error.full();
                tracing::error!(%document, number, error, "a version is damaged");
                return app.db.write(move |tx| store::keep(tx, &id, number)).map(|()| false);
            }
        };
        let done = app.db.write(move |tx| {
            let is_same = Needed::read(tx, &id, number)?.is_some_and(|it| it == needed);
            if is_same {
                others.iter().try_for_each(|it| store::set_body(tx, &id, it))?;
                store::delete(tx, &id, number)?;
            }
            Ok(is_same)
        })?;
        if done {
            return Ok(true);
        }
    }
    Err(Error::internal("a document changes too fast for its history to be thinned out"))
}
