//! SQL over a node and its descendants.
//!
//! A trash root inside another folder keeps its parent but has a `trash_path`. Operations on the
//! folder do not apply to it, so most statements here do not descend into such nodes.

use rusqlite::named_params;

use super::next_change_number;
use super::node_from_row;
use super::staging;
use crate::features::tree::rules::Node;
use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;
use chartroom_platform::id::NodeId;
use chartroom_platform::time::Timestamp;

/// Common table expression `below`: the ids of node `:id` and its descendants, except descendants
/// that were put in the trash separately.
macro_rules! subtree_cte {
    () => {
        "with recursive below (id) as (
             select :id
             union all
             select node.id from below join node on node.parent = below.id
             where node.trash_path is null
         )
         "
    };
}

/// Moves a node and its descendants to the trash and increments their revisions. Descendants that
/// were put in the trash separately stay unchanged.
///
/// `path` is the path of the folder that contains the node. Only the node itself gets the time and
/// the author of the change.
pub fn move_to_trash(tx: &WriteTx<'_>, id: &NodeId, path: &str, author: &AccountId) -> Result<()> {
    tx.execute(
        concat!(
            subtree_cte!(),
            "update node
             set deleted = :now, trash_root = :id, revision = revision + 1, change = :change,
                 trash_path = iif(id = :id, :path, null),
                 updated = iif(id = :id, :now, updated),
                 updated_by = iif(id = :id, :author, updated_by)
             where id in (select id from below)"
        ),
        named_params! {
            ":id": id,
            ":path": path,
            ":now": tx.now,
            ":author": author,
            ":change": next_change_number(tx)?,
        },
    )?;
    Ok(())
}

/// Restores a node in the trash and the descendants that were trashed with it, in their place in the
/// tree, and increments their revisions. The name must be unused in that place.
///
/// Does not set time and author of the change.
pub fn restore(tx: &WriteTx<'_>, id: &NodeId) -> Result<()> {
    tx.execute(
        concat!(
            subtree_cte!(),
            "update node
             set deleted = null, trash_root = null, trash_path = null,
                 revision = revision + 1, change = :change
             where id in (select id from below)"
        ),
        named_params! { ":id": id, ":change": next_change_number(tx)? },
    )?;
    Ok(())
}

/// Sets the owner of the descendants of a folder and increments their revisions. The folder itself
/// stays unchanged. Skips descendants that were put in the trash separately.
pub fn set_owner_of_descendants(tx: &WriteTx<'_>, id: &NodeId, owner: &AccountId) -> Result<()> {
    tx.execute(
        "with recursive below (id) as (
             select id from node where parent = :id and trash_path is null
             union all
             select node.id from below join node on node.parent = below.id
             where node.trash_path is null
         )
         update node
         set owner = :owner, revision = revision + 1, change = :change
         where id in (select id from below)",
        named_params! { ":id": id, ":owner": owner, ":change": next_change_number(tx)? },
    )?;
    Ok(())
}

/// Stores a new change number in the descendants of a folder, including those in the trash, because
/// their paths have changed. Their revisions stay the same.
pub fn mark_descendants_changed(tx: &WriteTx<'_>, id: &NodeId) -> Result<()> {
    tx.execute(
        "with recursive below (id) as (
             select id from node where parent = :id
             union all
             select node.id from below join node on node.parent = below.id
         )
         update node set change = :change where id in (select id from below)",
        named_params! { ":id": id, ":change": next_change_number(tx)? },
    )?;
    Ok(())
}

/// Removes the parent of the trash roots below a node, except those inside another such root. They
/// stay in the trash and keep only their former path.
pub fn detach_trashed(tx: &WriteTx<'_>, id: &NodeId) -> Result<()> {
    tx.execute(
        concat!(
            subtree_cte!(),
            "update node
             set parent = null, change = :change
             where parent in (select id from below) and trash_path is not null"
        ),
        named_params! { ":id": id, ":change": next_change_number(tx)? },
    )?;
    Ok(())
}

/// Returns a node and its descendants, or only the folders among its descendants, by depth and then
/// title, so that folders come before their contents. Skips descendants that were put in the trash
/// separately.
pub fn list_nodes(tx: &Tx<'_>, id: &NodeId, only_folders: bool) -> Result<Vec<Node>> {
    tx.all(
        "with recursive below (id, depth) as (
             select :id, 0
             union all
             select node.id, below.depth + 1 from below join node on node.parent = below.id
             where node.trash_path is null and (node.type = 'folder' or not :only_folders)
         )
         select node.id, type, owner, parent, title, created, updated, updated_by, deleted,
                trash_root, trash_path, revision
         from below
         join node on node.id = below.id
         order by depth, title_key, node.id",
        named_params! { ":id": id, ":only_folders": only_folders },
        node_from_row,
    )
}

/// Returns the ids of the documents among a node and its descendants. Skips descendants that were
/// put in the trash separately.
pub fn list_documents(tx: &Tx<'_>, id: &NodeId) -> Result<Vec<NodeId>> {
    tx.all(
        concat!(
            subtree_cte!(),
            "select node.id from below join node on node.id = below.id where type = 'document'"
        ),
        named_params! { ":id": id },
        |row| row.get("id"),
    )
}

/// Counts the documents of a folder and its descendants. Skips those in the trash.
pub fn count_documents_below(tx: &Tx<'_>, id: &NodeId) -> Result<u32> {
    tx.one(
        concat!(
            subtree_cte!(),
            "select count(*) from below join node on node.id = below.id
             where type = 'document' and deleted is null"
        ),
        named_params! { ":id": id },
        |row| row.get(0),
    )
}

/// Returns the number of nodes of a subtree. Skips descendants that were put in the trash separately.
pub fn count_nodes(tx: &Tx<'_>, id: &NodeId) -> Result<u32> {
    tx.one(
        concat!(subtree_cte!(), "select count(*) from below"),
        named_params! { ":id": id },
        |row| row.get(0),
    )
}

/// Stages an existing node with its descendants, except those that were put in the trash separately, so
/// that nobody finds them. See [`staging`]. The node gets no parent.
pub fn stage_subtree(tx: &WriteTx<'_>, id: &NodeId) -> Result<()> {
    tx.execute(
        concat!(
            subtree_cte!(),
            "update node
             set deleted = :now, trash_root = :root, trash_path = null, change = :change,
                 parent = case id when :id then null else parent end
             where id in (select id from below)"
        ),
        named_params! {
            ":id": id,
            ":now": tx.now,
            ":root": staging::staging_root(id),
            ":change": next_change_number(tx)?,
        },
    )?;
    Ok(())
}

/// Returns the number of nested folder levels below a folder: 0 if it contains no folder. Skips
/// folders that were put in the trash separately.
pub fn folder_height(tx: &Tx<'_>, id: &NodeId) -> Result<usize> {
    let height: i64 = tx.one(
        "with recursive below (id, depth) as (
             select :id, 0
             union all
             select node.id, below.depth + 1 from below join node on node.parent = below.id
             where node.type = 'folder' and node.trash_path is null
         )
         select max(depth) as height from below",
        named_params! { ":id": id },
        |row| row.get("height"),
    )?;
    Ok(usize::try_from(height).unwrap_or(usize::MAX))
}

/// Returns whether `node` is the node `id` or one of its descendants.
pub fn is_same_or_descendant(tx: &Tx<'_>, node: &NodeId, id: &NodeId) -> Result<bool> {
    tx.one(
        "with recursive up (id, parent) as (
             select id, parent from node where id = :node
             union all
             select node.id, node.parent from up join node on node.id = up.parent
         )
         select exists (select 1 from up where id = :id)",
        named_params! { ":node": node, ":id": id },
        |row| row.get(0),
    )
}

/// Deletes an existing node and its descendants permanently and records their ids in `gone`. Rows
/// of other tables that refer to them are deleted by cascade, except teams, which lose their
/// folder.
///
/// Call [`detach_trashed`] first, because this also deletes trash roots inside the subtree.
pub fn delete_subtree(tx: &WriteTx<'_>, id: &NodeId) -> Result<()> {
    tx.execute(
        "insert into gone (id, change)
         with recursive below (id) as (
             select :id
             union all
             select node.id from below join node on node.parent = below.id
         )
         select id, :change from below",
        named_params! { ":id": id, ":change": next_change_number(tx)? },
    )?;
    tx.execute(
        "with recursive below (id) as (
             select :id
             union all
             select node.id from below join node on node.parent = below.id
         )
         delete from node where id in (select id from below)",
        named_params! { ":id": id },
    )?;
    Ok(())
}

/// Returns the folder of an account with this name and former parent path that is a trash root. If
/// there are several, returns the one that was trashed last.
pub fn find_trashed_folder(
    tx: &Tx<'_>,
    owner: &AccountId,
    path: &str,
    title: &str,
) -> Result<Option<Node>> {
    tx.find(
        "select id, type, owner, parent, title, created, updated, updated_by, deleted, trash_root,
                trash_path, revision
         from node
         where owner = :owner and trash_path = :path and title = :title and type = 'folder'
         order by deleted desc, id desc
         limit 1",
        named_params! { ":owner": owner, ":path": path, ":title": title },
        node_from_row,
    )
}

/// Returns the folder with exactly this name directly in `parent` that was trashed together with
/// `parent`. None if there is none.
pub fn find_trashed_child(tx: &Tx<'_>, parent: &NodeId, title: &str) -> Result<Option<Node>> {
    tx.find(
        "select id, type, owner, parent, title, created, updated, updated_by, deleted, trash_root,
                trash_path, revision
         from node
         where parent = :parent and type = 'folder' and title = :title
           and deleted is not null and trash_path is null",
        named_params! { ":parent": parent, ":title": title },
        node_from_row,
    )
}

/// Returns the ids of up to `limit` trash roots of an account, in order, starting after the id
/// `after`.
pub fn list_trash_roots(
    tx: &Tx<'_>,
    owner: &AccountId,
    after: Option<&NodeId>,
    limit: u32,
) -> Result<Vec<NodeId>> {
    tx.all(
        "select id
         from node
         where owner = :owner and trash_path is not null and id > :after
         order by id
         limit :limit",
        named_params! {
            ":owner": owner,
            ":after": after.map_or("", NodeId::as_str),
            ":limit": limit,
        },
        |row| row.get("id"),
    )
}

/// Returns the ids of up to `limit` trash roots that were put in the trash before `time`, oldest
/// first.
pub fn list_trash_roots_before(tx: &Tx<'_>, time: Timestamp, limit: u32) -> Result<Vec<NodeId>> {
    tx.all(
        "select id
         from node
         where trash_path is not null and deleted < :time
         order by deleted
         limit :limit",
        named_params! { ":time": time, ":limit": limit },
        |row| row.get("id"),
    )
}
