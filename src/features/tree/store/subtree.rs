//! SQL over a node and everything below it.
//!
//! What was put into the trash by itself keeps its place below its folder, and has a `trash_path`. It
//! is not part of what happens to the folder: statements here go down only through the others.

use rusqlite::named_params;

use super::next_change;
use super::node;
use crate::features::tree::rules::Node;
use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;
use chartroom_platform::id::NodeId;
use chartroom_platform::time::Timestamp;

/// A node and what is below it, as `below`, for statements that know it as `:id`.
macro_rules! below {
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

/// Puts a node, and what is below it, into the trash. `path` is that of the folder that it is in.
pub fn trash(tx: &WriteTx<'_>, id: &NodeId, path: &str, by: &AccountId) -> Result<()> {
    tx.execute(
        concat!(
            below!(),
            "update node
             set deleted = :now, trash_root = :id, revision = revision + 1, change = :change,
                 trash_path = iif(id = :id, :path, null),
                 updated = iif(id = :id, :now, updated),
                 updated_by = iif(id = :id, :by, updated_by)
             where id in (select id from below)"
        ),
        named_params! {
            ":id": id,
            ":path": path,
            ":now": tx.now,
            ":by": by,
            ":change": next_change(tx)?,
        },
    )?;
    Ok(())
}

/// Takes a node, and what went into the trash with it, out of the trash. Its own place must be free.
pub fn restore(tx: &WriteTx<'_>, id: &NodeId) -> Result<()> {
    tx.execute(
        concat!(
            below!(),
            "update node
             set deleted = null, trash_root = null, trash_path = null,
                 revision = revision + 1, change = :change
             where id in (select id from below)"
        ),
        named_params! { ":id": id, ":change": next_change(tx)? },
    )?;
    Ok(())
}

/// Gives what is below a folder, but not the folder itself, to another owner.
pub fn set_owner_below(tx: &WriteTx<'_>, id: &NodeId, owner: &AccountId) -> Result<()> {
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
        named_params! { ":id": id, ":owner": owner, ":change": next_change(tx)? },
    )?;
    Ok(())
}

/// Numbers what is below a folder as changed: the path to it has.
pub fn note_below(tx: &WriteTx<'_>, id: &NodeId) -> Result<()> {
    tx.execute(
        "with recursive below (id) as (
             select id from node where parent = :id
             union all
             select node.id from below join node on node.parent = below.id
         )
         update node set change = :change where id in (select id from below)",
        named_params! { ":id": id, ":change": next_change(tx)? },
    )?;
    Ok(())
}

/// Parts what was put into the trash by itself, out of a node or of folders below it, from them:
/// it stays where it is, and only its path says where it was.
pub fn part_from_trash(tx: &WriteTx<'_>, id: &NodeId) -> Result<()> {
    tx.execute(
        concat!(
            below!(),
            "update node
             set parent = null, change = :change
             where parent in (select id from below) and trash_path is not null"
        ),
        named_params! { ":id": id, ":change": next_change(tx)? },
    )?;
    Ok(())
}

/// A node and what is below it: folders before what is in them, the trash apart unless the node is
/// there itself.
pub fn all(tx: &Tx<'_>, id: &NodeId) -> Result<Vec<Node>> {
    tx.all(
        "with recursive below (id, depth) as (
             select :id, 0
             union all
             select node.id, below.depth + 1 from below join node on node.parent = below.id
             where node.trash_path is null
         )
         select node.id, type, owner, parent, title, created, updated, updated_by, deleted,
                trash_root, trash_path, revision
         from below
         join node on node.id = below.id
         order by depth, title_key, node.id",
        named_params! { ":id": id },
        node,
    )
}

/// The documents among a node and what is below it.
pub fn documents(tx: &Tx<'_>, id: &NodeId) -> Result<Vec<NodeId>> {
    tx.all(
        concat!(
            below!(),
            "select node.id from below join node on node.id = below.id where type = 'document'"
        ),
        named_params! { ":id": id },
        |row| row.get("id"),
    )
}

/// How many folders are within each other below a folder: 0 when there is none in it.
pub fn height(tx: &Tx<'_>, id: &NodeId) -> Result<usize> {
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

/// Whether `folder` is the node `id` or below it.
pub fn is_within(tx: &Tx<'_>, folder: &NodeId, id: &NodeId) -> Result<bool> {
    tx.one(
        "with recursive up (id, parent) as (
             select id, parent from node where id = :folder
             union all
             select node.id, node.parent from up join node on node.id = up.parent
         )
         select exists (select 1 from up where id = :id)",
        named_params! { ":folder": folder, ":id": id },
        |row| row.get(0),
    )
}

/// Deletes a node and what is below it; what refers to them goes with them. Nothing in the trash
/// may be left whose folder is among them.
pub fn delete(tx: &WriteTx<'_>, id: &NodeId) -> Result<()> {
    tx.execute(
        "insert into gone (id, change)
         with recursive below (id) as (
             select :id
             union all
             select node.id from below join node on node.parent = below.id
         )
         select id, :change from below",
        named_params! { ":id": id, ":change": next_change(tx)? },
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

/// The folder that went into the trash last among those that had this name in the folder at `path`.
pub fn trashed_folder(
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
        node,
    )
}

/// The folder of a name that went into the trash with the folder it is in.
pub fn trashed_child(tx: &Tx<'_>, parent: &NodeId, title: &str) -> Result<Option<Node>> {
    tx.find(
        "select id, type, owner, parent, title, created, updated, updated_by, deleted, trash_root,
                trash_path, revision
         from node
         where parent = :parent and type = 'folder' and title = :title
           and deleted is not null and trash_path is null",
        named_params! { ":parent": parent, ":title": title },
        node,
    )
}

/// What an account put into the trash, without what it took along, by id and behind an id.
pub fn trash_roots(
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

/// What was put into the trash before a time, oldest first, at most `limit`.
pub fn trash_roots_before(tx: &Tx<'_>, time: Timestamp, limit: u32) -> Result<Vec<NodeId>> {
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
