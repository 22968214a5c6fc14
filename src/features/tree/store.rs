//! SQL of tables `node`, `gone` and `storage_usage`.
//!
//! Each statement that changes nodes stores a new change number in them, see
//! [`next_change_number`]. A reader that keeps a copy of the tree, such as the search index,
//! continues from the last number that it has processed.

pub mod changes;
pub mod staging;
pub mod subtree;
pub mod usage;

use rusqlite::Row;
use rusqlite::named_params;

use super::rules::Node;
use super::rules::NodePlacement;
use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;
use chartroom_platform::id::NodeId;
use chartroom_platform::text;

/// Returns the highest change number of all nodes, including permanently deleted ones, or 0 if
/// there is none.
pub fn last_change_number(tx: &Tx<'_>) -> Result<i64> {
    tx.one(
        "select max(ifnull((select max(change) from node), 0),
                    ifnull((select max(change) from gone), 0))",
        [],
        |row| row.get(0),
    )
}

/// Returns the change number for the next statement: the highest one so far plus 1.
fn next_change_number(tx: &WriteTx<'_>) -> Result<i64> {
    Ok(last_change_number(tx)? + 1)
}

/// Inserts a node of `bytes` bytes that is not in the trash, at revision 1. `node_type` is
/// `document` or `folder`.
pub fn insert_node(
    tx: &WriteTx<'_>,
    id: &NodeId,
    node_type: &str,
    author: &AccountId,
    placement: &NodePlacement,
    bytes: i64,
) -> Result<()> {
    tx.execute(
        "insert into node
             (id, type, owner, parent, title, title_key, created, updated, updated_by, revision,
              change, stored_bytes)
         values (:id, :type, :owner, :parent, :title, :title_key, :now, :now, :author, 1, :change,
                 :bytes)",
        named_params! {
            ":id": id,
            ":type": node_type,
            ":owner": placement.owner,
            ":parent": placement.parent,
            ":title": placement.title,
            ":title_key": text::fold(&placement.title),
            ":now": tx.now,
            ":author": author,
            ":change": next_change_number(tx)?,
            ":bytes": bytes,
        },
    )?;
    Ok(())
}

/// Returns the id of the folder with exactly this name directly in `parent` (None is the root of
/// `owner`), unless it is in the trash.
pub fn find_child_folder(
    tx: &Tx<'_>,
    owner: &AccountId,
    parent: Option<&NodeId>,
    name: &str,
) -> Result<Option<NodeId>> {
    tx.find(
        "select id
         from node
         where owner = :owner and ifnull(parent, '') = :parent and title = :name
           and type = 'folder' and deleted is null",
        named_params! {
            ":owner": owner,
            ":parent": parent.map_or("", NodeId::as_str),
            ":name": name,
        },
        |row| row.get("id"),
    )
}

/// Returns the folders directly in `parent` (None is the root) that are not in the trash, by title
/// without case and accents.
pub fn list_child_folders(
    tx: &Tx<'_>,
    owner: &AccountId,
    parent: Option<&NodeId>,
) -> Result<Vec<Node>> {
    tx.all(
        "select id, type, owner, parent, title, created, updated, updated_by, deleted, trash_root,
                trash_path, revision
         from node
         where owner = :owner and parent is :parent and type = 'folder' and deleted is null
         order by title_key, id",
        named_params! { ":owner": owner, ":parent": parent },
        node_from_row,
    )
}

/// Returns the folders directly in a trashed folder that were trashed together with it, by title
/// without case and accents. `parent` must be in the trash.
pub fn list_trashed_child_folders(tx: &Tx<'_>, parent: &NodeId) -> Result<Vec<Node>> {
    tx.all(
        "select id, type, owner, parent, title, created, updated, updated_by, deleted, trash_root,
                trash_path, revision
         from node
         where parent = :parent and type = 'folder' and trash_path is null
         order by title_key, id",
        named_params! { ":parent": parent },
        node_from_row,
    )
}

/// Returns the folder names from the root down to this folder, itself included. There are none if
/// the folder does not exist.
///
/// In the trash, the names start at the trash root, and the first value is the former path of the
/// folder that contained it. Otherwise the first value is None.
pub fn find_ancestor_names(tx: &Tx<'_>, id: &NodeId) -> Result<(Option<String>, Vec<String>)> {
    let (mut names, mut next) = (Vec::new(), Some(id.clone()));
    while let Some(id) = next {
        let found: Option<(Option<NodeId>, String, Option<String>)> = tx.find(
            "select parent, title, trash_path from node where id = :id",
            named_params! { ":id": id },
            |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)),
        )?;
        let Some((parent, title, above)) = found else { break };
        names.push(title);
        if above.is_some() {
            names.reverse();
            return Ok((above, names));
        }
        next = parent;
    }
    names.reverse();
    Ok((None, names))
}

/// Updates owner, parent and title of a node, adds `added_bytes` to its size, increments its
/// revision, and sets time and author of the change. Does nothing if the node does not exist.
pub fn update_placement(
    tx: &WriteTx<'_>,
    id: &NodeId,
    author: &AccountId,
    placement: &NodePlacement,
    added_bytes: i64,
) -> Result<()> {
    tx.execute(
        "update node
         set owner = :owner, parent = :parent, title = :title, title_key = :title_key,
             updated = :now, updated_by = :author, revision = revision + 1, change = :change,
             stored_bytes = stored_bytes + :bytes
         where id = :id",
        named_params! {
            ":id": id,
            ":bytes": added_bytes,
            ":owner": placement.owner,
            ":parent": placement.parent,
            ":title": placement.title,
            ":title_key": text::fold(&placement.title),
            ":now": tx.now,
            ":author": author,
            ":change": next_change_number(tx)?,
        },
    )?;
    Ok(())
}

/// Increments the revision of a node, adds `added_bytes` to its size, and sets time and author of
/// the change. Does nothing if the node does not exist.
pub fn touch(tx: &WriteTx<'_>, id: &NodeId, author: &AccountId, added_bytes: i64) -> Result<()> {
    tx.execute(
        "update node
         set updated = :now, updated_by = :author, revision = revision + 1, change = :change,
             stored_bytes = stored_bytes + :bytes
         where id = :id",
        named_params! {
            ":id": id,
            ":bytes": added_bytes,
            ":now": tx.now,
            ":author": author,
            ":change": next_change_number(tx)?,
        },
    )?;
    Ok(())
}

/// Returns a node by id, whether in the trash or not. None if it does not exist or was deleted
/// permanently.
pub fn find_node(tx: &Tx<'_>, id: &NodeId) -> Result<Option<Node>> {
    tx.find(
        "select id, type, owner, parent, title, created, updated, updated_by, deleted, trash_root,
                trash_path, revision
         from node
         where id = :id",
        named_params! { ":id": id },
        node_from_row,
    )
}

/// Reads a node from a row with the columns of `Node`, by their names.
fn node_from_row(row: &Row<'_>) -> rusqlite::Result<Node> {
    Ok(Node {
        id: row.get("id")?,
        is_folder: row.get::<_, String>("type")? == "folder",
        owner: row.get("owner")?,
        parent: row.get("parent")?,
        title: row.get("title")?,
        created: row.get("created")?,
        updated: row.get("updated")?,
        updated_by: row.get("updated_by")?,
        deleted: row.get("deleted")?,
        trash_root: row.get("trash_root")?,
        trash_path: row.get("trash_path")?,
        revision: row.get("revision")?,
    })
}

/// Returns a folder or document in the root of an account that is not in the trash, or None if there
/// is none.
pub fn find_root_node(tx: &Tx<'_>, owner: &AccountId) -> Result<Option<Node>> {
    let id: Option<NodeId> = tx.find(
        "select id from node
         where owner = :owner and parent is null and deleted is null and trash_root is null
         limit 1",
        named_params! { ":owner": owner },
        |row| row.get("id"),
    )?;
    id.map_or(Ok(None), |id| find_node(tx, &id))
}

/// Counts the documents of an account outside the trash.
pub fn count_documents(tx: &Tx<'_>, owner: &AccountId) -> Result<u32> {
    tx.one(
        "select count(*) as documents from node
         where owner = :owner and type = 'document' and deleted is null",
        named_params! { ":owner": owner },
        |row| row.get("documents"),
    )
}

/// Counts the nodes that an account owns, including those in the trash.
pub fn count_owned_nodes(tx: &Tx<'_>, owner: &AccountId) -> Result<u32> {
    tx.one(
        "select count(*) as nodes from node where owner = :owner",
        named_params! { ":owner": owner },
        |row| row.get("nodes"),
    )
}
