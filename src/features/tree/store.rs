//! SQL of table `node`.

use rusqlite::named_params;

use super::rules::Place;
use crate::platform::db::Tx;
use crate::platform::db::WriteTx;
use crate::platform::error::Result;
use crate::platform::id::AccountId;
use crate::platform::id::NodeId;

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
             (id, type, owner, parent, title, created, updated, updated_by, deleted, revision)
         values (:id, :type, :owner, :parent, :title, :now, :now, :by, null, 1)",
        named_params! {
            ":id": id,
            ":type": node_type,
            ":owner": place.owner,
            ":parent": place.parent,
            ":title": place.title,
            ":now": tx.now,
            ":by": by,
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

/// The names of the folders from the root down to this one.
pub fn names_down_to(tx: &Tx<'_>, id: &NodeId) -> Result<Vec<String>> {
    tx.all(
        "with recursive up (parent, title, height) as (
             select parent, title, 0 from node where id = :id
             union all
             select node.parent, node.title, up.height + 1
             from up join node on node.id = up.parent
         )
         select title from up order by height desc",
        named_params! { ":id": id },
        |row| row.get("title"),
    )
}

/// Sets owner, folder and name.
pub fn place(tx: &WriteTx<'_>, id: &NodeId, by: &AccountId, place: &Place) -> Result<()> {
    tx.execute(
        "update node
         set owner = :owner, parent = :parent, title = :title,
             updated = :now, updated_by = :by, revision = revision + 1
         where id = :id",
        named_params! {
            ":id": id,
            ":owner": place.owner,
            ":parent": place.parent,
            ":title": place.title,
            ":now": tx.now,
            ":by": by,
        },
    )?;
    Ok(())
}

/// Counts a change.
pub fn touch(tx: &WriteTx<'_>, id: &NodeId, by: &AccountId) -> Result<()> {
    tx.execute(
        "update node
         set updated = :now, updated_by = :by, revision = revision + 1
         where id = :id",
        named_params! { ":id": id, ":now": tx.now, ":by": by },
    )?;
    Ok(())
}

/// Puts into the trash or takes out of it; does nothing when it is so already.
pub fn set_deleted(tx: &WriteTx<'_>, id: &NodeId, by: &AccountId, deleted: bool) -> Result<()> {
    tx.execute(
        "update node
         set deleted = :deleted, updated = :now, updated_by = :by, revision = revision + 1
         where id = :id and (deleted is not null) <> :is_deleted",
        named_params! {
            ":id": id,
            ":deleted": deleted.then_some(tx.now),
            ":is_deleted": deleted,
            ":now": tx.now,
            ":by": by,
        },
    )?;
    Ok(())
}

/// Deletes the row; what refers to it goes with it.
pub fn delete(tx: &WriteTx<'_>, id: &NodeId) -> Result<()> {
    tx.execute("delete from node where id = :id", named_params! { ":id": id })?;
    Ok(())
}

/// How many nodes an account owns, those in the trash too.
pub fn owned_count(tx: &Tx<'_>, owner: &AccountId) -> Result<u32> {
    tx.one(
        "select count(*) as nodes from node where owner = :owner",
        named_params! { ":owner": owner },
        |row| row.get("nodes"),
    )
}
