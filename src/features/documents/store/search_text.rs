//! SQL that reads only the parts of a document that the search index and excerpts need.

use rusqlite::named_params;

use chartroom_platform::db::Tx;
use chartroom_platform::error::Result;
use chartroom_platform::id::NodeId;

/// Returns the UUID of the chart kind and the `style` (JSON text) of a document. None if there is
/// no such document. The style is None if the document has none.
pub fn find_kind_and_style(tx: &Tx<'_>, id: &NodeId) -> Result<Option<(String, Option<String>)>> {
    tx.find("select kind, style from document where id = :id", named_params! { ":id": id }, |row| {
        Ok((row.get(0)?, row.get(1)?))
    })
}

/// Calls `visit` with the text of each chunk of a document in record order, until `visit` returns
/// false. Calls nothing for a document without records or that does not exist.
///
/// A chunk is a run of JSON objects joined by commas.
pub fn for_each_chunk(tx: &Tx<'_>, id: &NodeId, mut visit: impl FnMut(&str) -> bool) -> Result<()> {
    let mut statement = tx.prepare_cached(
        "select body from chunk
             where content = (select content from document where id = :id)
             order by first",
    )?;
    let mut rows = statement.query(named_params! { ":id": id })?;
    while let Some(row) = rows.next()? {
        if !visit(row.get_ref(0)?.as_str().map_err(rusqlite::Error::from)?) {
            break;
        }
    }
    Ok(())
}
