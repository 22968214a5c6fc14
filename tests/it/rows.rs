//! Rows that look like the product's, written below its features: what the proofs of durability
//! write, so that the doctor can tell whether each transaction is there as a whole.

use chartroom_platform::db::Db;
use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Result;

/// Records in a chunk, and then the next one begins: small, so that there are many chunks.
const CHUNK: i64 = 5;

/// A record of a number; every seventh is long enough to reach over several pages.
fn record(number: i64) -> String {
    let length = if number % 7 == 0 { 20_000 } else { 100 };
    format!("{{\"n\":{number},\"text\":\"{}\"}}", "x".repeat(length))
}

/// Makes the document of one writer if it is not there yet.
pub fn make(tx: &WriteTx<'_>, document: &str) -> Result<()> {
    tx.execute("insert or ignore into account values ('1', 'user', 0)", [])?;
    tx.execute(
        "insert into node (id, type, owner, title, title_key, created, updated,
             updated_by, revision, change)
         values (?1, 'document', '1', 'T', 't', ?2, ?2, '1', 1, 1) on conflict do nothing",
        (document, tx.now),
    )?;
    tx.execute(
        "insert into document (id, kind, settings, theme, is_public, schema_version,
             record_count, data_bytes, history_version)
         values (?1, 'bar', '{}', 'light', 0, 1, 0, 0, 1) on conflict do nothing",
        [document],
    )?;
    version(tx, document)
}

/// Notes the present state as a version, which needs no body: what it held are the first records.
fn version(tx: &WriteTx<'_>, document: &str) -> Result<()> {
    tx.execute(
        "insert into version (document, number, began, saved, author, channel, title,
             record_count, closed)
         select id, history_version, ?2, ?2, '1', 'api', 'T', record_count, 1
         from document where id = ?1 on conflict do nothing",
        (document, tx.now),
    )?;
    Ok(())
}

/// Adds the next record to a document, as one transaction over four tables; returns its number.
pub fn append(tx: &WriteTx<'_>, document: &str) -> Result<i64> {
    let number = count(tx, document)?;
    let record = record(number);
    let first = number - number % CHUNK;
    if number == first {
        let chunk = "insert into chunk (document, first, count, body) values (?1, ?2, 1, ?3)";
        tx.execute(chunk, (document, first, &record))?;
    } else {
        tx.execute(
            "update chunk set count = count + 1, body = body || ',' || ?3
             where document = ?1 and first = ?2",
            (document, first, &record),
        )?;
    }
    tx.execute(
        "update document set record_count = record_count + 1, data_bytes = data_bytes + ?2,
             history_version = history_version + 1 where id = ?1",
        (document, record.len() as i64 + i64::from(number > 0)),
    )?;
    let touch = "update node set updated = ?2, revision = revision + 1 where id = ?1";
    tx.execute(touch, (document, tx.now))?;
    version(tx, document)?;
    Ok(number)
}

/// How many records a document has; 0 when there is none.
pub fn count(tx: &Tx<'_>, document: &str) -> Result<i64> {
    let sql = "select record_count from document where id = ?1";
    Ok(tx.find(sql, [document], |row| row.get(0))?.unwrap_or(0))
}

/// One acknowledged addition to `document`, made first if need be; returns the record's number.
pub fn write(db: &Db, document: &str) -> Result<i64> {
    let document = document.to_owned();
    db.write(move |tx| {
        make(tx, &document)?;
        append(tx, &document)
    })
}
