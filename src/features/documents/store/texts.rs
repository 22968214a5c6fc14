//! The texts of a document, without the rest of it.

use rusqlite::named_params;

use chartroom_platform::db::Tx;
use chartroom_platform::error::Result;
use chartroom_platform::id::NodeId;

/// Kind and style (JSON) of a document.
pub fn kind_and_style(tx: &Tx<'_>, id: &NodeId) -> Result<Option<(String, Option<String>)>> {
    tx.find("select kind, style from document where id = :id", named_params! { ":id": id }, |row| {
        Ok((row.get(0)?, row.get(1)?))
    })
}

/// The chunks of a document's records in order, each as JSON values joined by commas, until `take`
/// wants no more.
pub fn each_chunk(tx: &Tx<'_>, id: &NodeId, mut take: impl FnMut(&str) -> bool) -> Result<()> {
    let mut statement =
        tx.prepare_cached("select body from chunk where document = :id order by first")?;
    let mut rows = statement.query(named_params! { ":id": id })?;
    while let Some(row) = rows.next()? {
        if !take(row.get_ref(0)?.as_str().map_err(rusqlite::Error::from)?) {
            break;
        }
    }
    Ok(())
}
