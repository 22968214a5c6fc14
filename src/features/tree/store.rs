//! SQL of tables `node` and `gone`.
//!
//! Whatever changes a node gives it [`next_change`]: whoever keeps a copy of the tree, such as the
//! search index, goes on from the last number that it has seen.

pub mod changes;
pub mod subtree;

use rusqlite::Row;
use rusqlite::named_params;

use super::rules::Node;
use super::rules::Place;
use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;
use chartroom_platform::id::NodeId;
use chartroom_platform::text;

/// The number of the last change of any node, 0 before the first.
pub fn last_change(tx: &Tx<'_>) -> Result<i64> {
    tx.one(
        "select max(ifnull((select max(change) from node), 0),
                    ifnull((select max(change) from gone), 0))",
        [],
        |row| row.get(0),
    )
}

/// The number of this transaction's change.
fn next_change(tx: &WriteTx<'_>) -> Result<i64> {
    Ok(last_change(tx)? + 1)
}

/// A new node, not in the trash, at revision 1.
pub fn insert(
    tx: &WriteTx<'_>,
    id: &NodeId,
    node_type: &str,
    by: &AccountId,
    place: &Place,
) -> Result<()> {
    tx.execute(
        "insert into node
             (id, type, owner, parent, title, title_key, created, updated, updated_by, revision,
              change)
         values (:id, :type, :owner, :parent, :title, :title_key, :now, :now, :by, 1, :change)",
        named_params! {
            ":id": id,
            ":type": node_type,
            ":owner": place.owner,
            ":parent": place.parent,
            ":title": place.title,
            ":title_key": text::fold(&place.title),
            ":now": tx.now,
            ":by": by,
            ":change": next_change(tx)?,
        },
    )?;
    Ok(())
}

/// The folder of a name in a folder.
pub fn child_folder(
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

/// The folders directly in a folder (none is the root), by title, the trash apart.
pub fn folders_in(tx: &Tx<'_>, owner: &AccountId, parent: Option<&NodeId>) -> Result<Vec<Node>> {
    tx.all(
        "select id, type, owner, parent, title, created, updated, updated_by, deleted, trash_root,
                trash_path, revision
         from node
         where owner = :owner and parent is :parent and type = 'folder' and deleted is null
         order by title_key, id",
        named_params! { ":owner": owner, ":parent": parent },
        node,
    )
}

/// The folders directly in one that is in the trash, by title: those that went there with it.
pub fn trashed_folders_in(tx: &Tx<'_>, parent: &NodeId) -> Result<Vec<Node>> {
    tx.all(
        "select id, type, owner, parent, title, created, updated, updated_by, deleted, trash_root,
                trash_path, revision
         from node
         where parent = :parent and type = 'folder' and trash_path is null
         order by title_key, id",
        named_params! { ":parent": parent },
        node,
    )
}

/// The names of the folders from the root down to this one. In the trash: from what was put there
/// down, and the path that it was put there from.
pub fn names_down_to(tx: &Tx<'_>, id: &NodeId) -> Result<(Option<String>, Vec<String>)> {
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

/// Sets owner, folder and name.
pub fn place(tx: &WriteTx<'_>, id: &NodeId, by: &AccountId, place: &Place) -> Result<()> {
    tx.execute(
        "update node
         set owner = :owner, parent = :parent, title = :title, title_key = :title_key,
             updated = :now, updated_by = :by, revision = revision + 1, change = :change
         where id = :id",
        named_params! {
            ":id": id,
            ":owner": place.owner,
            ":parent": place.parent,
            ":title": place.title,
            ":title_key": text::fold(&place.title),
            ":now": tx.now,
            ":by": by,
            ":change": next_change(tx)?,
        },
    )?;
    Ok(())
}

/// Counts a change.
pub fn touch(tx: &WriteTx<'_>, id: &NodeId, by: &AccountId) -> Result<()> {
    tx.execute(
        "update node
         set updated = :now, updated_by = :by, revision = revision + 1, change = :change
         where id = :id",
        named_params! { ":id": id, ":now": tx.now, ":by": by, ":change": next_change(tx)? },
    )?;
    Ok(())
}

/// Owner, parent, type and trash of a node.
pub fn find(tx: &Tx<'_>, id: &NodeId) -> Result<Option<Node>> {
    tx.find(
        "select id, type, owner, parent, title, created, updated, updated_by, deleted, trash_root,
                trash_path, revision
         from node
         where id = :id",
        named_params! { ":id": id },
        node,
    )
}

fn node(row: &Row<'_>) -> rusqlite::Result<Node> {
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

/// How many nodes an account owns, those in the trash too.
pub fn owned_count(tx: &Tx<'_>, owner: &AccountId) -> Result<u32> {
    tx.one(
        "select count(*) as nodes from node where owner = :owner",
        named_params! { ":owner": owner },
        |row| row.get("nodes"),
    )
}
