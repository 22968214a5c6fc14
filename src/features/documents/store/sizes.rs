//! SQL that measures nodes, to check the sizes that are counted when they change.

use rusqlite::named_params;

use crate::features::tree;
use chartroom_platform::db::Tx;
use chartroom_platform::error::Result;
use chartroom_platform::id::NodeId;

/// A node with a stored size that differs from its content.
pub struct WrongSize {
    pub id: NodeId,
    /// Size that is stored with the node, in bytes.
    pub stored: i64,
    /// Size of the node with its versions, comments and prepared data of a source, in bytes.
    pub measured: i64,
}

/// Measures all nodes, also folders and nodes in the trash, and returns those with another stored
/// size in the order of their ids. Changes nothing.
///
/// Reads `node`, `document`, `version`, `thread`, `comment` and `sync_data`.
pub fn list_wrong_sizes(tx: &Tx<'_>) -> Result<Vec<WrongSize>> {
    tx.all(
        "with measured (id, stored, bytes) as (
             select node.id, stored_bytes, :node
                 + ifnull((select data_bytes + octet_length(settings)
                                  + ifnull(octet_length(style), 0)
                                  + ifnull(octet_length(custom_theme), 0)
                                  + ifnull(octet_length(svg), 0)
                           from document where document.id = node.id), 0)
                 + ifnull((select sum(:row + ifnull(octet_length(body), 0))
                           from version where version.document = node.id), 0)
                 + ifnull((select sum(:row) from thread where thread.document = node.id), 0)
                 + ifnull((select sum(:row + octet_length(content))
                           from thread join comment on comment.thread = thread.id
                           where thread.document = node.id), 0)
                 + ifnull((select length(body) from sync_data
                           where sync_data.document = node.id), 0)
             from node
         )
         select id, stored, bytes from measured where stored <> bytes order by id",
        named_params! { ":node": tree::NODE_BYTES, ":row": tree::ROW_BYTES },
        |row| {
            Ok(WrongSize {
                id: row.get("id")?,
                stored: row.get("stored")?,
                measured: row.get("bytes")?,
            })
        },
    )
}
