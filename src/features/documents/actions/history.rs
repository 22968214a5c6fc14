//! What a caller may ask of a document's versions.

use super::Target;
use super::check_writable;
use super::insider;
use crate::features::access::Caller;
use crate::features::access::Level;
use crate::features::documents::history::read;
use crate::features::documents::history::read::Stored;
use crate::features::documents::history::store;
use crate::features::documents::history::store::Entry;
use crate::features::documents::store::Head;
use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Error;
use chartroom_platform::error::Found;
use chartroom_platform::error::Result;

/// A part of a document's versions, newest first.
pub struct Page {
    /// Versions on all pages.
    pub count: i64,
    /// With the names of their authors, as far as there still are any.
    pub entries: Vec<(Entry, Option<String>)>,
}

/// Versions of a document whose history the caller may read.
pub fn list(
    tx: &Tx<'_>,
    caller: &Caller,
    target: &Target,
    offset: u32,
    limit: u32,
) -> Result<Page> {
    let (head, _) = insider(tx, caller, target, Level::Read)?;
    let count = store::count(tx, &head.id)?;
    Ok(Page { count, entries: store::page(tx, &head.id, offset, limit)? })
}

/// A version of a document whose history the caller may read, and what he may do with the document.
///
/// # Errors
/// `NotFound` when there is no such version, as when there is no such document.
pub fn load(
    tx: &Tx<'_>,
    caller: &Caller,
    target: &Target,
    number: i64,
) -> Result<(Head, Level, Stored)> {
    let (head, level) = insider(tx, caller, target, Level::Read)?;
    let stored = read::load(tx, &head, number)?.found("version")?;
    Ok((head, level, stored))
}

/// Two versions to compare: `number` and `against`, the one before it when that is none.
pub fn load_two(
    tx: &Tx<'_>,
    caller: &Caller,
    target: &Target,
    number: i64,
    against: Option<i64>,
) -> Result<(Stored, Stored)> {
    let (head, _, new) = load(tx, caller, target, number)?;
    let old = match against {
        Some(against) => read::load(tx, &head, against)?
            .ok_or_else(|| Error::field("against", "there is no such version"))?,
        None => {
            let before = store::before(tx, &head.id, number)?
                .ok_or_else(|| Error::field("against", "there is no version before this one"))?;
            read::load(tx, &head, before.number)?.found("version")?
        }
    };
    Ok((old, new))
}

/// A version of a document that the caller reaches as `head`, named in a query: none is the newest
/// one, whatever he may read of the history.
///
/// # Errors
/// `Fields` about `history_version` when there is no such version, or not for him.
pub fn asked(
    tx: &Tx<'_>,
    caller: &Caller,
    target: &Target,
    head: &Head,
    number: Option<i64>,
) -> Result<Option<Stored>> {
    let Some(number) = number.filter(|it| *it != head.history_version) else { return Ok(None) };
    match load(tx, caller, target, number) {
        Ok((_, _, stored)) => Ok(Some(stored)),
        Err(Error::NotFound(_) | Error::SignIn(_)) => Err(no_such_version()),
        Err(other) => Err(other),
    }
}

/// The refusal of a `history_version`.
pub fn no_such_version() -> Error {
    Error::field("history_version", "there is no such version")
}

/// A version that the caller may make the newest one.
pub fn restorable(tx: &Tx<'_>, caller: &Caller, target: &Target, number: i64) -> Result<Stored> {
    let (head, _) = insider(tx, caller, target, Level::Write)?;
    check_writable(tx, caller, target, &head)?;
    read::load(tx, &head, number)?.found("version")
}

/// Names a version, or takes its name away; answers it with its author's name.
pub fn name(
    tx: &WriteTx<'_>,
    caller: &Caller,
    target: &Target,
    number: i64,
    name: Option<&str>,
) -> Result<(Entry, Option<String>)> {
    let (head, _) = insider(tx, caller, target, Level::Write)?;
    check_writable(tx, caller, target, &head)?;
    store::find(tx, &head.id, number)?.found("version")?;
    store::set_name(tx, &head.id, number, name)?;
    store::named(tx, &head.id, number)?.found("version")
}
