//! SQL of table `version`.

use rusqlite::Row;
use rusqlite::named_params;

use super::channel::Channel;
use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;
use chartroom_platform::id::NodeId;
use chartroom_platform::time::Timestamp;

/// A version without its content.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    pub number: i64,
    /// When it was saved first.
    pub began: Timestamp,
    /// When it was saved last.
    pub saved: Timestamp,
    /// Account id; empty for a guest.
    pub author: AccountId,
    pub channel: Channel,
    pub title: String,
    /// Given by a person.
    pub name: Option<String>,
    pub record_count: i64,
    /// No later save folds into it.
    pub closed: bool,
    /// Whether its content is its own.
    pub has_body: bool,
    /// The version that its body is written against.
    pub base: Option<i64>,
}

/// A body as it is stored.
#[derive(Debug, Clone, PartialEq)]
pub struct Body {
    /// Of which version.
    pub number: i64,
    pub bytes: Vec<u8>,
    /// The version that it is written against.
    pub base: Option<i64>,
}

/// Selects [`Entry`]s of a document.
macro_rules! entries {
    ($rest:literal) => {
        concat!(
            "select number, began, saved, author, channel, title, name, record_count, closed,
                    body is not null, base
             from version where document = :document ",
            $rest
        )
    };
}

fn entry(row: &Row<'_>) -> rusqlite::Result<Entry> {
    Ok(Entry {
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

fn body(row: &Row<'_>) -> rusqlite::Result<Body> {
    Ok(Body { number: row.get("number")?, bytes: row.get("body")?, base: row.get("base")? })
}

/// One version.
pub fn find(tx: &Tx<'_>, document: &NodeId, number: i64) -> Result<Option<Entry>> {
    let sql = entries!("and number = :number");
    tx.find(sql, named_params! { ":document": document, ":number": number }, entry)
}

/// All versions of a document, oldest first.
pub fn all(tx: &Tx<'_>, document: &NodeId) -> Result<Vec<Entry>> {
    tx.all(entries!("order by number"), named_params! { ":document": document }, entry)
}

/// The version before a number.
pub fn before(tx: &Tx<'_>, document: &NodeId, number: i64) -> Result<Option<Entry>> {
    let sql = entries!("and number < :number order by number desc limit 1");
    tx.find(sql, named_params! { ":document": document, ":number": number }, entry)
}

/// How many versions a document has.
pub fn count(tx: &Tx<'_>, document: &NodeId) -> Result<i64> {
    let sql = "select count(*) from version where document = :document";
    tx.one(sql, named_params! { ":document": document }, |row| row.get(0))
}

/// Selects [`Entry`]s of a document with the names of their authors (reads `user`).
macro_rules! signed {
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

fn signed(row: &Row<'_>) -> rusqlite::Result<(Entry, Option<String>)> {
    Ok((entry(row)?, row.get(11)?))
}

/// Versions with the names of their authors, newest first.
pub fn page(
    tx: &Tx<'_>,
    document: &NodeId,
    offset: u32,
    limit: u32,
) -> Result<Vec<(Entry, Option<String>)>> {
    let sql = signed!("order by number desc limit :limit offset :offset");
    let params = named_params! { ":document": document, ":limit": limit, ":offset": offset };
    tx.all(sql, params, signed)
}

/// One version with the name of its author.
pub fn named(
    tx: &Tx<'_>,
    document: &NodeId,
    number: i64,
) -> Result<Option<(Entry, Option<String>)>> {
    let sql = signed!("and number = :number");
    tx.find(sql, named_params! { ":document": document, ":number": number }, signed)
}

/// The first body of this or a later version: where a version's content is, when it is not in the
/// document.
pub fn source(tx: &Tx<'_>, document: &NodeId, number: i64) -> Result<Option<Body>> {
    tx.find(
        "select number, body, base from version
         where document = :document and number >= :number and body is not null
         order by number limit 1",
        named_params! { ":document": document, ":number": number },
        body,
    )
}

/// The last body before a version that stands for itself.
pub fn base_before(tx: &Tx<'_>, document: &NodeId, number: i64) -> Result<Option<Body>> {
    tx.find(
        "select number, body, base from version
         where document = :document and number < :number and body is not null and base is null
         order by number desc limit 1",
        named_params! { ":document": document, ":number": number },
        body,
    )
}

/// A version's own body.
pub fn own_body(tx: &Tx<'_>, document: &NodeId, number: i64) -> Result<Option<Body>> {
    tx.find(
        "select number, body, base from version
         where document = :document and number = :number and body is not null",
        named_params! { ":document": document, ":number": number },
        body,
    )
}

/// Whether a version has a body that stands for itself.
pub fn is_base(tx: &Tx<'_>, document: &NodeId, number: i64) -> Result<bool> {
    tx.one(
        "select exists (select 1 from version
         where document = :document and number = :number and body is not null and base is null)",
        named_params! { ":document": document, ":number": number },
        |row| row.get(0),
    )
}

/// How many bodies follow from one that stands for itself on, and their bytes together.
pub fn group(tx: &Tx<'_>, document: &NodeId, base: i64) -> Result<(i64, i64)> {
    tx.one(
        "select count(*), ifnull(sum(octet_length(body)), 0) from version
         where document = :document and number >= :base and body is not null",
        named_params! { ":document": document, ":base": base },
        |row| Ok((row.get(0)?, row.get(1)?)),
    )
}

/// The bodies that are written against a version.
pub fn dependents(tx: &Tx<'_>, document: &NodeId, base: i64) -> Result<Vec<Body>> {
    tx.all(
        "select number, body, base from version
         where document = :document and number > :base and body is not null and base = :base
         order by number",
        named_params! { ":document": document, ":base": base },
        body,
    )
}

/// Adds a version without a body.
pub fn insert(tx: &WriteTx<'_>, document: &NodeId, new: &Entry) -> Result<()> {
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

/// Notes that a version was saved again.
pub fn fold(tx: &WriteTx<'_>, document: &NodeId, to: &Entry) -> Result<()> {
    tx.execute(
        "update version
         set saved = :saved, title = :title, record_count = :record_count, closed = :closed
         where document = :document and number = :number",
        named_params! {
            ":document": document,
            ":number": to.number,
            ":saved": to.saved,
            ":title": to.title,
            ":record_count": to.record_count,
            ":closed": to.closed,
        },
    )?;
    Ok(())
}

/// Lets no later save fold into a version.
pub fn close(tx: &WriteTx<'_>, document: &NodeId, number: i64) -> Result<()> {
    tx.execute(
        "update version set closed = 1 where document = :document and number = :number",
        named_params! { ":document": document, ":number": number },
    )?;
    Ok(())
}

/// Names a version, or takes its name away; then it is looked at again when it is old. No later
/// save folds into it.
pub fn set_name(
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

/// Gives a version a body.
pub fn set_body(tx: &WriteTx<'_>, document: &NodeId, body: &Body) -> Result<()> {
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

/// Removes a version.
pub fn delete(tx: &WriteTx<'_>, document: &NodeId, number: i64) -> Result<()> {
    tx.execute(
        "delete from version where document = :document and number = :number",
        named_params! { ":document": document, ":number": number },
    )?;
    Ok(())
}

/// A version that may be thinned out.
#[derive(Debug)]
pub struct Old {
    pub number: i64,
    pub began: Timestamp,
    /// When the one after it began.
    pub next_began: Option<Timestamp>,
    pub name: Option<String>,
    pub has_body: bool,
    /// The version that its body is written against.
    pub base: Option<i64>,
}

/// A document with versions that began before a time and were not looked at since.
pub fn next_old(tx: &Tx<'_>, before: Timestamp) -> Result<Option<NodeId>> {
    tx.find(
        "select document from version where thinned = 0 and began < :before order by began limit 1",
        named_params! { ":before": before },
        |row| row.get("document"),
    )
}

/// The first versions of a document that began before a time and were not looked at since.
pub fn old(tx: &Tx<'_>, document: &NodeId, before: Timestamp, most: u32) -> Result<Vec<Old>> {
    tx.all(
        "select number, began, name, body is not null as has_body, base,
                (select following.began from version as following
                 where following.document = version.document
                   and following.number > version.number
                 order by following.number limit 1) as next_began
         from version
         where document = :document and began < :before and thinned = 0
         order by number limit :most",
        named_params! { ":document": document, ":before": before, ":most": most },
        |row| {
            Ok(Old {
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

/// Marks a version as one that stays.
pub fn keep(tx: &WriteTx<'_>, document: &NodeId, number: i64) -> Result<()> {
    tx.execute(
        "update version set thinned = 1 where document = :document and number = :number",
        named_params! { ":document": document, ":number": number },
    )?;
    Ok(())
}
