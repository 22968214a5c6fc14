//! SQL of the table `download_token`: the newest token for each pair of document and maker.

use rusqlite::named_params;

use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Result;
use chartroom_platform::id::NodeId;
use chartroom_platform::time::Timestamp;

/// Returns the maker's newest token for the document as text without its signature. Returns None if
/// the maker has no token or it has expired.
pub fn find_valid_token(tx: &Tx<'_>, document: &NodeId, maker: &str) -> Result<Option<String>> {
    tx.find(
        "select text
         from download_token
         where document = :document and maker = :maker and expires > :now",
        named_params! { ":document": document, ":maker": maker, ":now": tx.now },
        |row| row.get("text"),
    )
}

/// Stores `text`, a grant without its signature, as the maker's newest token for the document.
/// Replaces the row of an earlier token. `expires` is stored beside the text and decides whether
/// the token is still offered.
pub fn upsert_token(
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

/// Deletes the tokens of all documents that have expired, as of the time of the transaction.
pub fn delete_expired_tokens(tx: &WriteTx<'_>) -> Result<()> {
    tx.execute(
        "delete from download_token where expires <= :now",
        named_params! { ":now": tx.now },
    )?;
    Ok(())
}
