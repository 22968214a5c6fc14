//! Table `download_token`: the newest token of each document and maker.

use rusqlite::named_params;

use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Result;
use chartroom_platform::id::NodeId;
use chartroom_platform::time::Timestamp;

/// What the newest token of a maker says, while it is valid.
pub fn find(tx: &Tx<'_>, document: &NodeId, maker: &str) -> Result<Option<String>> {
    tx.find(
        "select text
         from download_token
         where document = :document and maker = :maker and expires > :now",
        named_params! { ":document": document, ":maker": maker, ":now": tx.now },
        |row| row.get("text"),
    )
}

/// Notes the newest token of a maker.
pub fn put(
    tx: &WriteTx<'_>,
    document: &NodeId,
    maker: &str,
    text: &str,
    expires: Timestamp,
) -> Result<()> {
    tx.execute(
        "insert or replace into download_token (document, maker, text, expires)
         values (:document, :maker, :text, :expires)",
        named_params! {
            ":document": document,
            ":maker": maker,
            ":text": text,
            ":expires": expires,
        },
    )?;
    Ok(())
}

/// Removes those that have expired.
pub fn purge(tx: &WriteTx<'_>) -> Result<()> {
    tx.execute(
        "delete from download_token where expires <= :now",
        named_params! { ":now": tx.now },
    )?;
    Ok(())
}
