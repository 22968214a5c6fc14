//! Actions on the version history: list, load, compare, name and thin versions.

use super::DocumentTarget;
use super::check_writable;
use super::find_for_history;
use crate::app::App;
use crate::features::access::AccessLevel;
use crate::features::access::Caller;
use crate::features::documents::history;
use crate::features::documents::history::AuthoredVersion;
use crate::features::documents::history::Version;
use crate::features::documents::history::diff;
use crate::features::documents::history::diff::Difference;
use crate::features::documents::history::reader;
use crate::features::documents::history::reader::StoredVersion;
use crate::features::documents::history::store;
use crate::features::documents::store::Document;
use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Error;
use chartroom_platform::error::OrNotFound;
use chartroom_platform::error::Result;
use chartroom_platform::time::Timestamp;

/// One page of the versions of a document, newest first.
pub struct VersionPage {
    /// Number of versions on all pages.
    pub count: i64,
    pub entries: Vec<AuthoredVersion>,
}

/// Returns one page of the versions of a document, newest first.
///
/// # Errors
/// `NotFound` if the document does not exist or the caller has no access to its history. In these
/// cases `SignInRequired` for a caller who is not signed in and has no share link.
pub fn list_versions(
    tx: &Tx<'_>,
    caller: &Caller,
    target: &DocumentTarget,
    offset: u32,
    limit: u32,
) -> Result<VersionPage> {
    let (document, _) = find_for_history(tx, caller, target, AccessLevel::Read)?;
    let count = store::count_versions(tx, &document.id)?;
    Ok(VersionPage { count, entries: store::list_version_page(tx, &document.id, offset, limit)? })
}

/// Returns the current document, the caller's access level, and version `number` of it, which is
/// not decoded yet.
///
/// # Errors
/// The errors of [`list_versions`], `NotFound` if the version does not exist.
pub fn load_version(
    tx: &Tx<'_>,
    caller: &Caller,
    target: &DocumentTarget,
    number: i64,
) -> Result<(Document, AccessLevel, StoredVersion)> {
    let (document, level) = find_for_history(tx, caller, target, AccessLevel::Read)?;
    let stored = reader::load_version(tx, &document, number)?.or_not_found("version")?;
    Ok((document, level, stored))
}

/// Returns the versions `against` and `number`, in this order. Without `against`, the first one is
/// the newest existing version before `number`.
///
/// # Errors
/// The errors of [`load_version`], `InvalidFields` about `against` if there is no such version.
pub fn load_two_versions(
    tx: &Tx<'_>,
    caller: &Caller,
    target: &DocumentTarget,
    number: i64,
    against: Option<i64>,
) -> Result<(StoredVersion, StoredVersion)> {
    let (document, _, new) = load_version(tx, caller, target, number)?;
    let old = match against {
        Some(against) => reader::load_version(tx, &document, against)?
            .ok_or_else(|| Error::invalid_field("against", "there is no such version"))?,
        None => {
            let before =
                store::find_previous_version(tx, &document.id, number)?.ok_or_else(|| {
                    Error::invalid_field("against", "there is no version before this one")
                })?;
            reader::load_version(tx, &document, before.number)?.or_not_found("version")?
        }
    };
    Ok((old, new))
}

/// Returns the version that the query parameter `history_version` requests. `None` if `number` is
/// absent or the number of the newest version, so that the document itself has the content.
///
/// `document` is the document of `target`, which the caller may read. The newest version needs no
/// access to the history.
///
/// # Errors
/// `InvalidFields` about `history_version` if it does not exist or the caller may not read the
/// history.
pub fn find_requested_version(
    tx: &Tx<'_>,
    caller: &Caller,
    target: &DocumentTarget,
    document: &Document,
    number: Option<i64>,
) -> Result<Option<StoredVersion>> {
    let Some(number) = number.filter(|number| *number != document.history_version) else {
        return Ok(None);
    };
    match load_version(tx, caller, target, number) {
        Ok((_, _, stored)) => Ok(Some(stored)),
        Err(Error::NotFound(_) | Error::SignInRequired(_)) => Err(unknown_version_error()),
        Err(other) => Err(other),
    }
}

/// Returns the error for a `history_version` that does not exist or is hidden.
pub fn unknown_version_error() -> Error {
    Error::invalid_field("history_version", "there is no such version")
}

/// Returns version `number` after a check that the caller may restore it. Restores nothing.
///
/// # Errors
/// As [`set_version_name`].
pub fn load_restorable_version(
    tx: &Tx<'_>,
    caller: &Caller,
    target: &DocumentTarget,
    number: i64,
) -> Result<StoredVersion> {
    let (document, _) = find_for_history(tx, caller, target, AccessLevel::Write)?;
    check_writable(tx, caller, target, &document)?;
    reader::load_version(tx, &document, number)?.or_not_found("version")
}

/// Sets the name of a version, or removes it if `name` is `None`. Returns the changed version.
///
/// Also closes the version, so that later saves are not merged into it.
///
/// # Errors
/// The errors of [`list_versions`], `NotFound` if the version does not exist. `Forbidden` without
/// write access, `PaymentRequired` while the owning organization is suspended, `PreconditionFailed`
/// if `If-Match` does not match, `Conflict` if the document is in the trash.
pub fn set_version_name(
    tx: &WriteTx<'_>,
    caller: &Caller,
    target: &DocumentTarget,
    number: i64,
    name: Option<&str>,
) -> Result<AuthoredVersion> {
    let (document, _) = find_for_history(tx, caller, target, AccessLevel::Write)?;
    check_writable(tx, caller, target, &document)?;
    store::find_version(tx, &document.id, number)?.or_not_found("version")?;
    store::set_version_name(tx, &document.id, number, name)?;
    store::find_authored_version(tx, &document.id, number)?.or_not_found("version")
}

/// Compares two versions of a document, decoded already: their fields and records. Call it without
/// an open transaction, because it may take long.
///
/// # Errors
/// `TooLarge` if settings, style or custom theme are too large to compare.
pub fn compare_versions(old: &Version, new: &Version) -> Result<Difference> {
    diff::compare_versions(old, new)
}

/// Removes the versions that are due for thinning at `now` from all documents. Returns their
/// number.
///
/// Call it without an open transaction: it opens its own.
pub fn thin_history_at(app: &App, now: Timestamp) -> Result<usize> {
    history::thin_history_at(app, now)
}
