//! SQL of listings: reads `node`, `document`, `user`, `org`, `team`; writes nothing.

use rusqlite::named_params;

use crate::platform::db::Tx;
use crate::platform::error::Result;
use crate::platform::id::AccountId;
use crate::platform::id::NodeId;
use crate::platform::time::Timestamp;

/// What lists show of a node.
pub struct Row {
    pub id: NodeId,
    pub is_folder: bool,
    pub owner: AccountId,
    /// Name of the user or organization that owns it.
    pub owner_name: String,
    /// The folder; none is the root.
    pub parent: Option<NodeId>,
    pub title: String,
    pub created: Timestamp,
    pub updated: Timestamp,
    /// Account id.
    pub updated_by: String,
    /// In the trash since.
    pub deleted: Option<Timestamp>,
    /// Absolute path of the folder from which it was put into the trash.
    pub trash_path: Option<String>,
    /// Of a document: the kind's UUID.
    pub kind: String,
    /// Of a document: name of a theme; empty for the default one.
    pub theme: String,
    /// Of a document.
    pub is_public: bool,
    /// Of a document.
    pub schema_version: i64,
    /// Of a document.
    pub history_version: i64,
    /// Of a folder: documents directly in it.
    pub documents: i64,
    /// Of a folder: folders directly in it.
    pub folders: i64,
}

/// The nodes of some ids, in their order, each with its place among the ids.
pub fn rows(tx: &Tx<'_>, ids: &[&NodeId]) -> Result<Vec<(usize, Row)>> {
    tx.all(
        "select node.id, node.type = 'folder', node.owner,
                coalesce((select name from user where id = node.owner),
                         (select name from org where id = node.owner), ''),
                node.parent, node.title, node.created, node.updated, node.updated_by,
                node.deleted, node.trash_path,
                ifnull(document.kind, ''), ifnull(document.theme, ''),
                ifnull(document.is_public, 0), ifnull(document.schema_version, 0),
                ifnull(document.history_version, 0),
                case when node.type = 'folder' then
                    (select count(*) from node as child
                     where child.parent = node.id and child.type = 'document'
                       and child.deleted is null) else 0 end,
                case when node.type = 'folder' then
                    (select count(*) from node as child
                     where child.parent = node.id and child.type = 'folder'
                       and child.deleted is null) else 0 end,
                wanted.key
         from json_each(:ids) as wanted
         cross join node on node.id = wanted.value
         left join document on document.id = node.id
         order by wanted.key",
        named_params! { ":ids": serde_json::to_string(ids)? },
        |row| Ok((row.get::<_, i64>(18)?.unsigned_abs() as usize, read(row)?)),
    )
}

fn read(row: &rusqlite::Row<'_>) -> rusqlite::Result<Row> {
    Ok(Row {
        id: row.get(0)?,
        is_folder: row.get(1)?,
        owner: row.get(2)?,
        owner_name: row.get(3)?,
        parent: row.get(4)?,
        title: row.get(5)?,
        created: row.get(6)?,
        updated: row.get(7)?,
        updated_by: row.get(8)?,
        deleted: row.get(9)?,
        trash_path: row.get(10)?,
        kind: row.get(11)?,
        theme: row.get(12)?,
        is_public: row.get(13)?,
        schema_version: row.get(14)?,
        history_version: row.get(15)?,
        documents: row.get(16)?,
        folders: row.get(17)?,
    })
}
