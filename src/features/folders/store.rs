//! SQL of folders. Reads the tables `account`, `node` and `team` of other features; writes none.

use rusqlite::named_params;

use chartroom_platform::db::Tx;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;
use chartroom_platform::id::NodeId;
use chartroom_platform::time::Timestamp;

/// Returns the creation time of an account, or None if the account does not exist.
pub fn account_created_at(tx: &Tx<'_>, owner: &AccountId) -> Result<Option<Timestamp>> {
    tx.find(
        "select created from account where id = :owner",
        named_params! { ":owner": owner },
        |row| row.get("created"),
    )
}

/// Counts the direct children of a folder and returns (documents, folders).
///
/// For a folder outside the trash, trashed children are not counted. With `in_trash` the folder is
/// itself in the trash, and the children are counted that were trashed together with it.
pub fn count_children(tx: &Tx<'_>, folder: &NodeId, in_trash: bool) -> Result<(u64, u64)> {
    let sql = match in_trash {
        false => {
            "select ifnull(sum(type = 'document'), 0), ifnull(sum(type = 'folder'), 0)
             from node
             where parent = :folder and type in ('document', 'folder') and deleted is null"
        }
        true => {
            "select ifnull(sum(type = 'document'), 0), ifnull(sum(type = 'folder'), 0)
             from node
             where parent = :folder and trash_path is null"
        }
    };
    tx.one(sql, named_params! { ":folder": folder }, counts_from_row)
}

/// Counts the direct children of an account's root outside the trash and returns (documents,
/// folders).
pub fn count_root_children(tx: &Tx<'_>, owner: &AccountId) -> Result<(u64, u64)> {
    tx.one(
        "select ifnull(sum(type = 'document'), 0), ifnull(sum(type = 'folder'), 0)
         from node
         where owner = :owner and type in ('document', 'folder') and deleted is null
           and parent is null",
        named_params! { ":owner": owner },
        counts_from_row,
    )
}

/// Reads the two counts of a row as (documents, folders).
fn counts_from_row(row: &rusqlite::Row<'_>) -> rusqlite::Result<(u64, u64)> {
    let (documents, folders): (i64, i64) = (row.get(0)?, row.get(1)?);
    Ok((documents.unsigned_abs(), folders.unsigned_abs()))
}

/// Returns the team folders directly in a folder of an organization, except those in the trash.
/// `folder` is None for the root. The order is arbitrary.
pub fn list_team_folders_in(
    tx: &Tx<'_>,
    org: &AccountId,
    folder: Option<&NodeId>,
) -> Result<Vec<NodeId>> {
    tx.all(
        "select node.id
         from team
         join node on node.id = team.folder
         where team.org_id = :org and node.owner = :org and node.deleted is null
           and ifnull(node.parent, '') = :folder",
        named_params! { ":org": org, ":folder": folder.map_or("", NodeId::as_str) },
        |row| row.get("id"),
    )
}

/// Returns whether a folder or any folder below it is the folder of a team. Also looks into
/// subfolders in the trash.
pub fn contains_team_folder(tx: &Tx<'_>, folder: &NodeId) -> Result<bool> {
    tx.one(
        "with recursive below (id) as (
             select :folder
             union all
             select node.id from below join node on node.parent = below.id
             where node.type = 'folder'
         )
         select exists (select 1 from below join team on team.folder = below.id)",
        named_params! { ":folder": folder },
        |row| row.get(0),
    )
}

/// Returns whether a folder is the folder of a team.
pub fn is_team_folder(tx: &Tx<'_>, folder: &NodeId) -> Result<bool> {
    tx.one(
        "select exists (select 1 from team where folder = :folder)",
        named_params! { ":folder": folder },
        |row| row.get(0),
    )
}
