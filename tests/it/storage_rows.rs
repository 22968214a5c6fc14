//! Writes rows of documents directly into the database, without the features of the product. The
//! crash tests write these rows, so that `doctor` can check whether each transaction is complete.

use chartroom_platform::db::Db;
use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Result;

/// Maximum number of records in a chunk. It is small so that there are many chunks.
const RECORDS_PER_CHUNK: i64 = 5;

/// Creates the JSON of a record. Every seventh record is longer than a database page.
fn create_record(number: i64) -> String {
    let length = if number % 7 == 0 { 20_000 } else { 100 };
    format!("{{\"n\":{number},\"text\":\"{}\"}}", "x".repeat(length))
}

/// Creates an empty document with its account and first version, if it does not exist.
pub fn ensure_document(tx: &WriteTx<'_>, document: &str) -> Result<()> {
    tx.execute("insert or ignore into account values ('1', 'user', 0)", [])?;
    tx.execute(
        "insert into node (id, type, owner, title, title_key, created, updated,
             updated_by, revision, change)
         values (?1, 'document', '1', 'T', 't', ?2, ?2, '1', 1, 1) on conflict do nothing",
        (document, tx.now),
    )?;
    tx.execute(
        "insert into document (id, content, kind, settings, theme, is_public, schema_version,
             record_count, data_bytes, history_version)
         values (?1, ?1, 'bar', '{}', 'light', 0, 1, 0, 0, 1) on conflict do nothing",
        [document],
    )?;
    insert_version(tx, document)
}

/// Inserts a version for the current state of a document. It needs no body, because its content is
/// a prefix of the current records.
fn insert_version(tx: &WriteTx<'_>, document: &str) -> Result<()> {
    tx.execute(
        "insert into version (document, number, began, saved, author, channel, title,
             record_count, closed)
         select id, history_version, ?2, ?2, '1', 'api', 'T', record_count, 1
         from document where id = ?1 on conflict do nothing",
        (document, tx.now),
    )?;
    Ok(())
}

/// Appends the next record to a document and returns its number. Changes four tables.
pub fn append_record(tx: &WriteTx<'_>, document: &str) -> Result<i64> {
    let number = count_records(tx, document)?;
    let record = create_record(number);
    let first_in_chunk = number - number % RECORDS_PER_CHUNK;
    if number == first_in_chunk {
        let chunk = "insert into chunk (content, first, count, body) values (?1, ?2, 1, ?3)";
        tx.execute(chunk, (document, first_in_chunk, &record))?;
    } else {
        tx.execute(
            "update chunk set count = count + 1, body = body || ',' || ?3
             where content = (select content from document where id = ?1) and first = ?2",
            (document, first_in_chunk, &record),
        )?;
    }
    tx.execute(
        "update document set record_count = record_count + 1, data_bytes = data_bytes + ?2,
             history_version = history_version + 1 where id = ?1",
        (document, record.len() as i64 + i64::from(number > 0)),
    )?;
    let update_node = "update node set updated = ?2, revision = revision + 1 where id = ?1";
    tx.execute(update_node, (document, tx.now))?;
    insert_version(tx, document)?;
    Ok(number)
}

/// Returns the number of records of a document, or 0 if the document does not exist.
pub fn count_records(tx: &Tx<'_>, document: &str) -> Result<i64> {
    let sql = "select record_count from document where id = ?1";
    Ok(tx.find(sql, [document], |row| row.get(0))?.unwrap_or(0))
}

/// Appends a record to a document in one transaction and returns the number of the record. Creates
/// the document if it does not exist.
pub fn write_record(db: &Db, document: &str) -> Result<i64> {
    let document = document.to_owned();
    db.write(move |tx| {
        ensure_document(tx, &document)?;
        append_record(tx, &document)
    })
}
