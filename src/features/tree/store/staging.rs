//! SQL of staged nodes, which are hidden from all users: the nodes of an unfinished copy, and those
//! of a large folder that is being deleted.
//!
//! A staged node is in the trash, but its trash root is not a node. Therefore no list contains it,
//! and neither restoring nor emptying the trash finds it.

use rusqlite::named_params;

use super::next_change_number;
use crate::features::tree::rules::NodePlacement;
use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;
use chartroom_platform::id::NodeId;
use chartroom_platform::text;

/// Returns `copy:<id>`, the `trash_root` of the staged nodes with the node `copy` at the top. No node
/// has this id.
pub fn staging_root(copy: &NodeId) -> String {
    format!("copy:{copy}")
}

/// Stages nodes, which hides them from all users. `copy` is the node at the top of the copy.
///
/// Does not set a new change number, because the same transaction has inserted the nodes.
pub fn stage_nodes(tx: &WriteTx<'_>, copy: &NodeId, ids: &[NodeId]) -> Result<()> {
    tx.execute(
        "update node set deleted = :now, trash_root = :root
         where id in (select value from json_each(:ids))",
        named_params! {
            ":now": tx.now,
            ":root": staging_root(copy),
            ":ids": serde_json::to_string(ids)?,
        },
    )?;
    Ok(())
}

/// Returns the owner of the node at the top of a copy. None if it is not staged or does not exist.
pub fn find_staged_owner(tx: &Tx<'_>, copy: &NodeId) -> Result<Option<AccountId>> {
    tx.find(
        "select owner from node where id = :copy and trash_root = :root",
        named_params! { ":copy": copy, ":root": staging_root(copy) },
        |row| row.get("owner"),
    )
}

/// Makes all staged nodes of a copy visible, with the top at the parent folder and title of `place`.
/// Keeps their revisions and their owner. Returns the number of nodes that became visible.
pub fn publish_nodes(tx: &WriteTx<'_>, copy: &NodeId, place: &NodePlacement) -> Result<usize> {
    tx.execute(
        "update node set parent = :parent, title = :title, title_key = :title_key
         where id = :copy",
        named_params! {
            ":copy": copy,
            ":parent": place.parent,
            ":title": place.title,
            ":title_key": text::fold(&place.title),
        },
    )?;
    tx.execute(
        "update node set deleted = null, trash_root = null, change = :change
         where trash_root = :root",
        named_params! { ":root": staging_root(copy), ":change": next_change_number(tx)? },
    )
}

/// Returns the ids and sizes in bytes of up to `limit` staged nodes that contain no other node. `copy`
/// is the node at the top.
pub fn list_staged_leaves(tx: &Tx<'_>, copy: &NodeId, limit: u32) -> Result<Vec<(NodeId, i64)>> {
    tx.all(
        "select id, stored_bytes from node
         where trash_root = :root
           and not exists (select 1 from node as child where child.parent = node.id)
         limit :limit",
        named_params! { ":root": staging_root(copy), ":limit": limit },
        |row| Ok((row.get("id")?, row.get("stored_bytes")?)),
    )
}

/// Returns each owner of the nodes `ids` with the total size of these nodes in bytes.
pub fn list_usage(tx: &Tx<'_>, ids: &[NodeId]) -> Result<Vec<(AccountId, i64)>> {
    tx.all(
        "select owner, sum(stored_bytes) as bytes
         from node where id in (select value from json_each(:ids))
         group by owner",
        named_params! { ":ids": serde_json::to_string(ids)? },
        |row| Ok((row.get("owner")?, row.get("bytes")?)),
    )
}

/// Deletes nodes without children permanently and records their ids in `gone`. Rows of other tables
/// that refer to them are deleted by cascade.
pub fn delete_nodes(tx: &WriteTx<'_>, ids: &[NodeId]) -> Result<()> {
    let ids = serde_json::to_string(ids)?;
    tx.execute(
        "insert into gone (id, change) select value, :change from json_each(:ids)",
        named_params! { ":ids": ids, ":change": next_change_number(tx)? },
    )?;
    tx.execute(
        "delete from node where id in (select value from json_each(:ids))",
        named_params! { ":ids": ids },
    )?;
    Ok(())
}
