//! Thinning of the version history.
//!
//! Of versions older than 30 days, only the named ones and the last one of each UTC day are kept.
//!
//! Removing a version must not change the content of others. If other versions need its body, their
//! bodies are rewritten first: the version before it gets a body of its own, or the first dependent
//! body becomes the base body. The bodies are computed without a transaction, and written only if
//! nothing has changed in the meantime.

use super::compression;
use super::content;
use super::store;
use super::store::ThinningCandidate;
use super::store::VersionBody;
use crate::app::App;
use crate::features::documents::store as documents;
use crate::features::tree;
use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::id::NodeId;
use chartroom_platform::time::Timestamp;

/// Age in days up to which all versions are kept.
const KEEP_ALL_DAYS: i64 = 30;
/// Milliseconds per day.
const DAY_MILLIS: i64 = 86_400_000;
/// Maximum number of versions that one transaction examines.
const MAX_BATCH_VERSIONS: u32 = 500;
/// Maximum number of attempts to remove a version with a body that others need.
const MAX_ATTEMPTS: usize = 5;

/// Thins the history of all documents as of `now`. Returns the number of removed versions. Keeps
/// damaged versions and logs an error about them. Keeps a version if its removal would exceed the
/// storage limit of the owner.
///
/// Call it without an open transaction.
///
/// # Errors
/// If the database cannot be read or written, or a document changes too often. Running it again is
/// safe.
pub fn thin_history_at(app: &App, now: Timestamp) -> Result<usize> {
    // Only whole days, because the last version of a day is known only after the day.
    let before =
        Timestamp((now.0 - KEEP_ALL_DAYS * DAY_MILLIS).div_euclid(DAY_MILLIS) * DAY_MILLIS);
    let mut removed = 0;
    while let Some(document) = app.db.read(|tx| store::find_document_to_thin(tx, before))? {
        let id = document.clone();
        let outcome = app.db.write_with_reserve(move |tx| thin_document(tx, &id, before))?;
        removed += outcome.removed;
        for number in outcome.needed {
            removed += usize::from(remove_needed_version(app, &document, number)?);
        }
    }
    Ok(removed)
}

/// Result of one transaction of [`thin_document`].
struct ThinningOutcome {
    /// Number of versions removed.
    removed: usize,
    /// Versions left for [`remove_needed_version`], because other versions need their bodies.
    needed: Vec<i64>,
}

/// Returns true if a version has no name and is not the last one that began on its UTC day.
fn is_removable(version: &ThinningCandidate) -> bool {
    let is_last = version.next_began.is_none_or(|time| utc_day(time) != utc_day(version.began));
    version.name.is_none() && !is_last
}

/// Returns the number of whole UTC days from the Unix epoch to `time`, rounded down.
fn utc_day(time: Timestamp) -> i64 {
    time.0.div_euclid(DAY_MILLIS)
}

/// Examines up to [`MAX_BATCH_VERSIONS`] versions of a document that began before `before`.
///
/// Removes the removable ones, except those with a body that other versions need, which it returns.
/// Marks the versions to keep as examined.
fn thin_document(
    tx: &WriteTx<'_>,
    document: &NodeId,
    before: Timestamp,
) -> Result<ThinningOutcome> {
    let versions = store::list_thinning_candidates(tx, document, before, MAX_BATCH_VERSIONS)?;
    let mut outcome = ThinningOutcome { removed: 0, needed: Vec::new() };
    let mut freed_bytes = 0;
    for version in &versions {
        if !is_removable(version) {
            store::mark_thinned(tx, document, version.number)?;
            continue;
        }
        let is_needed = version.has_body
            && (previous_version_needs_body(tx, document, version)?
                || has_dependent_bodies(tx, document, version)?);
        if is_needed {
            outcome.needed.push(version.number);
        } else {
            freed_bytes += store::measure_version(tx, document, version.number)?;
            store::delete_version(tx, document, version.number)?;
            outcome.removed += 1;
        }
    }
    tree::add_stored_bytes(tx, document, -freed_bytes)?;
    Ok(outcome)
}

/// Returns true if the remaining version before `version` has no body and thus shares this one.
///
/// That version may have been examined and kept in an earlier run.
fn previous_version_needs_body(
    tx: &Tx<'_>,
    document: &NodeId,
    version: &ThinningCandidate,
) -> Result<bool> {
    Ok(store::find_previous_version(tx, document, version.number)?
        .is_some_and(|previous| !previous.has_body))
}

/// Returns true if `version` has a base body that other bodies are compressed against.
fn has_dependent_bodies(
    tx: &Tx<'_>,
    document: &NodeId,
    version: &ThinningCandidate,
) -> Result<bool> {
    match version.base {
        None => Ok(!store::list_dependent_bodies(tx, document, version.number)?.is_empty()),
        Some(_) => Ok(false),
    }
}

/// A body that is to be removed, and the versions that need it.
#[derive(PartialEq)]
struct NeededBody {
    own: VersionBody,
    /// Base body that `own` is compressed against.
    base: Option<VersionBody>,
    /// Number and record count of the version before it, if that version shares this body.
    predecessor: Option<(i64, i64)>,
    /// Bodies that are compressed against `own`.
    dependents: Vec<VersionBody>,
}

impl NeededBody {
    /// Reads the body of a version, the base body that this body is compressed against, and all that needs
    /// this body: the previous version if it shares the body, and the bodies compressed against it.
    ///
    /// Returns `None` if the version no longer exists, has no body, or has got a name since it was chosen for
    /// removal. A missing base body is no error here, because the decompression reports it.
    fn load(tx: &Tx<'_>, document: &NodeId, number: i64) -> Result<Option<Self>> {
        let is_unnamed = store::find_version(tx, document, number)?
            .is_some_and(|version| version.name.is_none());
        let Some(own) = store::find_body(tx, document, number)?.filter(|_| is_unnamed) else {
            return Ok(None);
        };
        // A missing base body is damage, which the decompression reports.
        let base =
            own.base.map(|number| store::find_body(tx, document, number)).transpose()?.flatten();
        let predecessor = store::find_previous_version(tx, document, number)?
            .filter(|previous| !previous.has_body);
        let predecessor = predecessor.map(|previous| (previous.number, previous.record_count));
        let dependents = match own.base {
            None => store::list_dependent_bodies(tx, document, number)?,
            Some(_) => Vec::new(),
        };
        Ok(Some(Self { own, base, predecessor, dependents }))
    }

    /// Computes the new bodies to write before `own` is removed: first that of the version before
    /// it, if it shares `own`, with only the records of that version, then those of the dependents.
    /// If `own` is a base body, the first of them becomes the base body of the others.
    ///
    /// # Errors
    /// If a body is damaged.
    fn rewrite_bodies(&self) -> Result<Vec<VersionBody>> {
        let base = self
            .base
            .as_ref()
            .map(|body| compression::decompress(&body.bytes, None))
            .transpose()?;
        let content = compression::decompress(&self.own.bytes, base.as_deref())?;
        let mut rewritten = Vec::new();
        // Number and content of the new base body of the dependent bodies.
        let mut new_base: Option<(i64, Vec<u8>)> = None;
        if let Some((number, count)) = self.predecessor {
            let empty = documents::Document::empty(Timestamp(0));
            let version = content::decode_content_json(&content, &empty, count)?;
            let text = content::encode_content_json(&version.document, &version.records)?;
            let bytes = compression::compress(&text, base.as_deref())?;
            rewritten.push(VersionBody { number, bytes, base: self.own.base });
            new_base = Some((number, text));
        }
        for dependent in &self.dependents {
            let text = compression::decompress(&dependent.bytes, Some(&content))?;
            let against = new_base.as_ref().map(|(number, text)| (*number, &text[..]));
            let bytes = compression::compress(&text, against.map(|base_entry| base_entry.1))?;
            let base = against.map(|base_entry| base_entry.0);
            rewritten.push(VersionBody { number: dependent.number, bytes, base });
            new_base.get_or_insert((dependent.number, text));
        }
        Ok(rewritten)
    }
}

/// Stores the rewritten bodies and removes version `number`.
///
/// # Errors
/// `QuotaExceeded` if the bodies are larger than before and the owner may not store so much.
fn replace_bodies(
    tx: &WriteTx<'_>,
    document: &NodeId,
    number: i64,
    rewritten: &[VersionBody],
) -> Result<()> {
    let mut added_bytes = -store::measure_version(tx, document, number)?;
    for body in rewritten {
        let old_bytes = store::measure_version(tx, document, body.number)?;
        added_bytes += body.size() + store::VERSION_BYTES - old_bytes;
        store::set_version_body(tx, document, body)?;
    }
    store::delete_version(tx, document, number)?;
    tree::add_stored_bytes(tx, document, added_bytes)
}

/// Rewrites the bodies that depend on a version and removes it. Returns true if it was removed.
/// Returns false if it no longer exists, has no body, or was named in the meantime.
///
/// A damaged version is kept and marked as examined, because it might still be repaired. Then this
/// function logs an error and returns false. It does the same without an error if the owner may not
/// store the rewritten bodies, so that one account cannot stop the thinning of all others.
///
/// # Errors
/// `Internal` if the document changes during each of [`MAX_ATTEMPTS`] attempts.
fn remove_needed_version(app: &App, document: &NodeId, number: i64) -> Result<bool> {
    for _ in 0..MAX_ATTEMPTS {
        let Some(needed) = app.db.read(|tx| NeededBody::load(tx, document, number))? else {
            return Ok(false);
        };
        let id = document.clone();
        let rewritten = match needed.rewrite_bodies() {
            Ok(rewritten) => rewritten,
            Err(error) => {
                let error = error.operator_message();
                tracing::error!(%document, number, error, "a document version is damaged");
                return keep_version(app, document, number).map(|()| false);
            }
        };
        let outcome = app.db.write_with_reserve(move |tx| {
            let is_same =
                NeededBody::load(tx, &id, number)?.is_some_and(|current| current == needed);
            if is_same {
                replace_bodies(tx, &id, number, &rewritten)?;
            }
            Ok(is_same)
        });
        match outcome {
            Ok(true) => return Ok(true),
            Ok(false) => {}
            Err(Error::QuotaExceeded(_)) => {
                tracing::info!(%document, number, "the storage limit prevents the removal");
                return keep_version(app, document, number).map(|()| false);
            }
            Err(error) => return Err(error),
        }
    }
    Err(Error::internal("a document changes too often to thin its history"))
}

/// Marks a version as examined, so that later runs do not examine it again.
fn keep_version(app: &App, document: &NodeId, number: i64) -> Result<()> {
    let document = document.clone();
    app.db.write_with_reserve(move |tx| store::mark_thinned(tx, &document, number))
}
