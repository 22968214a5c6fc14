//! SQL of the table `version`.

use rusqlite::Row;
use rusqlite::named_params;

use super::channel::Channel;
use crate::features::tree;
use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;
use chartroom_platform::id::NodeId;
use chartroom_platform::time::Timestamp;

/// Metadata of a version, without its content.
#[derive(Debug, Clone, PartialEq)]
pub struct VersionEntry {
    pub number: i64,
    /// Time of the first save in this version.
    pub began: Timestamp,
    /// Time of the last save in this version.
    pub saved: Timestamp,
    /// Account id; empty for a guest.
    pub author: AccountId,
    pub channel: Channel,
    /// Title of the document in this version.
    pub title: String,
    /// Name that a user gave the version. Named versions are never thinned out.
    pub name: Option<String>,
    pub record_count: i64,
    /// True if no later save may be merged into this version.
    pub closed: bool,
    /// Whether the version has a body. Without one it shares the content of a later version.
    pub has_body: bool,
    /// Number of the version with the base body that this body is compressed against. `None` for a
    /// base body and for a version without a body.
    pub base: Option<i64>,
}

/// Size in bytes that a version counts without its body.
pub const VERSION_BYTES: i64 = tree::ROW_BYTES;

/// Stored content of a version: zstd-compressed JSON.
#[derive(Debug, Clone, PartialEq)]
pub struct VersionBody {
    /// Number of the version.
    pub number: i64,
    pub bytes: Vec<u8>,
    /// The version that it is written against.
    pub base: Option<i64>,
}

impl VersionBody {
    /// Returns the compressed size in bytes.
    pub fn size(&self) -> i64 {
        i64::try_from(self.bytes.len()).unwrap_or(i64::MAX)
    }
}

/// Builds a statement that selects [`VersionEntry`] rows of one document.
macro_rules! select_entries {
    ($rest:literal) => {
        concat!(
            "select number, began, saved, author, channel, title, name, record_count, closed,
                    body is not null, base
             from version where document = :document ",
            $rest
        )
    };
}

/// Reads a row of `select_entries!`, by column numbers.
fn entry_from_row(row: &Row<'_>) -> rusqlite::Result<VersionEntry> {
    Ok(VersionEntry {
        number: row.get(0)?,
        began: row.get(1)?,
        saved: row.get(2)?,
        author: row.get(3)?,
        channel: row.get(4)?,
        title: row.get(5)?,
        name: row.get(6)?,
        record_count: row.get(7)?,
        closed: row.get(8)?,
        has_body: row.get(9)?,
        base: row.get(10)?,
    })
}

/// Reads a row with `number`, `body` and `base`. The body must not be null.
fn body_from_row(row: &Row<'_>) -> rusqlite::Result<VersionBody> {
    Ok(VersionBody { number: row.get("number")?, bytes: row.get("body")?, base: row.get("base")? })
}

/// Returns the stored metadata of version `number`, or `None` if it has no row.
pub fn find_version(tx: &Tx<'_>, document: &NodeId, number: i64) -> Result<Option<VersionEntry>> {
    let sql = select_entries!("and number = :number");
    tx.find(sql, named_params! { ":document": document, ":number": number }, entry_from_row)
}

/// Returns the metadata of all stored versions of a document, oldest first.
pub fn list_versions(tx: &Tx<'_>, document: &NodeId) -> Result<Vec<VersionEntry>> {
    tx.all(
        select_entries!("order by number"),
        named_params! { ":document": document },
        entry_from_row,
    )
}

/// Returns the metadata of the newest stored version with a number below `number`. Numbers may have
/// gaps.
pub fn find_previous_version(
    tx: &Tx<'_>,
    document: &NodeId,
    number: i64,
) -> Result<Option<VersionEntry>> {
    let sql = select_entries!("and number < :number order by number desc limit 1");
    tx.find(sql, named_params! { ":document": document, ":number": number }, entry_from_row)
}

/// Returns the number of stored versions of a document.
pub fn count_versions(tx: &Tx<'_>, document: &NodeId) -> Result<i64> {
    let sql = "select count(*) from version where document = :document";
    tx.one(sql, named_params! { ":document": document }, |row| row.get(0))
}

/// Builds a statement that selects [`AuthoredVersion`] rows of one document. Reads `user`.
macro_rules! select_authored {
    ($rest:literal) => {
        concat!(
            "select number, began, saved, author, channel, title, version.name, record_count,
                    closed, body is not null, base, user.name
             from version left join user on user.id = version.author
             where document = :document ",
            $rest
        )
    };
}

/// Metadata of a version with the name of its author.
pub struct AuthoredVersion {
    pub entry: VersionEntry,
    /// `None` if the author is a guest or their account no longer exists.
    pub author_name: Option<String>,
}

/// Reads a row of `select_authored!`, by column numbers.
fn authored_from_row(row: &Row<'_>) -> rusqlite::Result<AuthoredVersion> {
    Ok(AuthoredVersion { entry: entry_from_row(row)?, author_name: row.get(11)? })
}

/// Returns one page of versions with the names of their authors, newest first.
pub fn list_version_page(
    tx: &Tx<'_>,
    document: &NodeId,
    offset: u32,
    limit: u32,
) -> Result<Vec<AuthoredVersion>> {
    let sql = select_authored!("order by number desc limit :limit offset :offset");
    let params = named_params! { ":document": document, ":limit": limit, ":offset": offset };
    tx.all(sql, params, authored_from_row)
}

/// Returns version `number` with the name of its author.
pub fn find_authored_version(
    tx: &Tx<'_>,
    document: &NodeId,
    number: i64,
) -> Result<Option<AuthoredVersion>> {
    let sql = select_authored!("and number = :number");
    tx.find(sql, named_params! { ":document": document, ":number": number }, authored_from_row)
}

/// Returns the body that contains the content of version `number`: its own, or that of the next
/// version with a body. `None` if the content is in the document itself.
pub fn find_content_body(
    tx: &Tx<'_>,
    document: &NodeId,
    number: i64,
) -> Result<Option<VersionBody>> {
    tx.find(
        "select number, body, base from version
         where document = :document and number >= :number and body is not null
         order by number limit 1",
        named_params! { ":document": document, ":number": number },
        body_from_row,
    )
}

/// Returns the newest base body (one that is not compressed against another) of a version before
/// `number`.
pub fn find_base_before(
    tx: &Tx<'_>,
    document: &NodeId,
    number: i64,
) -> Result<Option<VersionBody>> {
    tx.find(
        "select number, body, base from version
         where document = :document and number < :number and body is not null and base is null
         order by number desc limit 1",
        named_params! { ":document": document, ":number": number },
        body_from_row,
    )
}

/// Returns the body of version `number` itself, or `None` if it has no body.
pub fn find_body(tx: &Tx<'_>, document: &NodeId, number: i64) -> Result<Option<VersionBody>> {
    tx.find(
        "select number, body, base from version
         where document = :document and number = :number and body is not null",
        named_params! { ":document": document, ":number": number },
        body_from_row,
    )
}

/// Returns the bytes that version `number` counts in the size of its document: its compressed body,
/// if it has one, and [`VERSION_BYTES`]. Returns 0 if there is no such version.
pub fn measure_version(tx: &Tx<'_>, document: &NodeId, number: i64) -> Result<i64> {
    let body_bytes: Option<i64> = tx.find(
        "select ifnull(octet_length(body), 0) from version
         where document = :document and number = :number",
        named_params! { ":document": document, ":number": number },
        |row| row.get(0),
    )?;
    Ok(body_bytes.map_or(0, |bytes| bytes + VERSION_BYTES))
}

/// Returns true if version `number` has a body that is not compressed against another, so that it
/// can be the base of others.
pub fn is_base_version(tx: &Tx<'_>, document: &NodeId, number: i64) -> Result<bool> {
    tx.one(
        "select exists (select 1 from version
         where document = :document and number = :number and body is not null and base is null)",
        named_params! { ":document": document, ":number": number },
        |row| row.get(0),
    )
}

/// Number and total size of the bodies of a group.
#[derive(Debug, Clone, Copy)]
pub struct GroupSize {
    pub bodies: i64,
    /// Compressed size of all bodies in bytes.
    pub bytes: i64,
}

/// Returns the number and total size of the bodies from version `base` on, including its own.
/// `base` is the version with the newest base body, so that these bodies form one group.
pub fn measure_group(tx: &Tx<'_>, document: &NodeId, base: i64) -> Result<GroupSize> {
    tx.one(
        "select count(*), ifnull(sum(octet_length(body)), 0) from version
         where document = :document and number >= :base and body is not null",
        named_params! { ":document": document, ":base": base },
        |row| Ok(GroupSize { bodies: row.get(0)?, bytes: row.get(1)? }),
    )
}

/// Returns the bodies that are compressed against the base body of version `base`, oldest version
/// first.
pub fn list_dependent_bodies(
    tx: &Tx<'_>,
    document: &NodeId,
    base: i64,
) -> Result<Vec<VersionBody>> {
    tx.all(
        "select number, body, base from version
         where document = :document and number > :base and body is not null and base = :base
         order by number",
        named_params! { ":document": document, ":base": base },
        body_from_row,
    )
}

/// Inserts a version without a body. Ignores `has_body` and `base`.
pub fn insert_version(tx: &WriteTx<'_>, document: &NodeId, new: &VersionEntry) -> Result<()> {
    tx.execute(
        "insert into version (document, number, began, saved, author, channel, title, name,
             record_count, closed)
         values (:document, :number, :began, :saved, :author, :channel, :title, :name,
             :record_count, :closed)",
        named_params! {
            ":document": document,
            ":number": new.number,
            ":began": new.began,
            ":saved": new.saved,
            ":author": new.author,
            ":channel": new.channel,
            ":title": new.title,
            ":name": new.name,
            ":record_count": new.record_count,
            ":closed": new.closed,
        },
    )?;
    Ok(())
}

/// Updates a version after another save was merged into it.
///
/// Stores `saved`, `title`, `record_count` and `closed` of `new` in the version `new.number` and
/// ignores its other fields.
pub fn update_version(tx: &WriteTx<'_>, document: &NodeId, new: &VersionEntry) -> Result<()> {
    tx.execute(
        "update version
         set saved = :saved, title = :title, record_count = :record_count, closed = :closed
         where document = :document and number = :number",
        named_params! {
            ":document": document,
            ":number": new.number,
            ":saved": new.saved,
            ":title": new.title,
            ":record_count": new.record_count,
            ":closed": new.closed,
        },
    )?;
    Ok(())
}

/// Closes a version, so that no later save is merged into it. Does nothing if there is no such
/// version.
pub fn close_version(tx: &WriteTx<'_>, document: &NodeId, number: i64) -> Result<()> {
    tx.execute(
        "update version set closed = 1 where document = :document and number = :number",
        named_params! { ":document": document, ":number": number },
    )?;
    Ok(())
}

/// Sets the name of a version, or removes it if `name` is `None`, and closes the version.
///
/// Also clears the `thinned` mark, so that the thinning task examines the version again.
pub fn set_version_name(
    tx: &WriteTx<'_>,
    document: &NodeId,
    number: i64,
    name: Option<&str>,
) -> Result<()> {
    tx.execute(
        "update version set name = :name, closed = 1, thinned = 0
         where document = :document and number = :number",
        named_params! { ":document": document, ":number": number, ":name": name },
    )?;
    Ok(())
}

/// Stores the body of the existing version `body.number`, and replaces an earlier body. Does not
/// change the stored size of the document.
pub fn set_version_body(tx: &WriteTx<'_>, document: &NodeId, body: &VersionBody) -> Result<()> {
    tx.execute(
        "update version set body = :body, base = :base
         where document = :document and number = :number",
        named_params! {
            ":document": document,
            ":number": body.number,
            ":body": body.bytes,
            ":base": body.base,
        },
    )?;
    Ok(())
}

/// Deletes the row of a version with its body. The caller has rewritten the bodies that depend on
/// it, and updates the stored size of the document.
pub fn delete_version(tx: &WriteTx<'_>, document: &NodeId, number: i64) -> Result<()> {
    tx.execute(
        "delete from version where document = :document and number = :number",
        named_params! { ":document": document, ":number": number },
    )?;
    Ok(())
}

/// An old version that the thinning task has not examined yet.
#[derive(Debug)]
pub struct ThinningCandidate {
    pub number: i64,
    pub began: Timestamp,
    /// Time of the first save in the following version. `None` for the newest version.
    pub next_began: Option<Timestamp>,
    pub name: Option<String>,
    pub has_body: bool,
    /// Number of the version with the base body that this body is compressed against. `None` for a
    /// base body and for a version without a body.
    pub base: Option<i64>,
}

/// Returns the document with the oldest unexamined version that began before the given time, or
/// `None`.
pub fn find_document_to_thin(tx: &Tx<'_>, before: Timestamp) -> Result<Option<NodeId>> {
    tx.find(
        "select document from version where thinned = 0 and began < :before order by began limit 1",
        named_params! { ":before": before },
        |row| row.get("document"),
    )
}

/// Returns up to `limit` unexamined versions of a document that began before the given time, oldest
/// first.
pub fn list_thinning_candidates(
    tx: &Tx<'_>,
    document: &NodeId,
    before: Timestamp,
    limit: u32,
) -> Result<Vec<ThinningCandidate>> {
    tx.all(
        "select number, began, name, body is not null as has_body, base,
                (select following.began from version as following
                 where following.document = version.document
                   and following.number > version.number
                 order by following.number limit 1) as next_began
         from version
         where document = :document and began < :before and thinned = 0
         order by number limit :limit",
        named_params! { ":document": document, ":before": before, ":limit": limit },
        |row| {
            Ok(ThinningCandidate {
                number: row.get("number")?,
                began: row.get("began")?,
                next_began: row.get("next_began")?,
                name: row.get("name")?,
                has_body: row.get("has_body")?,
                base: row.get("base")?,
            })
        },
    )
}

/// Marks a version as examined and kept by the thinning task, so that later runs skip it.
pub fn mark_thinned(tx: &WriteTx<'_>, document: &NodeId, number: i64) -> Result<()> {
    tx.execute(
        "update version set thinned = 1 where document = :document and number = :number",
        named_params! { ":document": document, ":number": number },
    )?;
    Ok(())
}
