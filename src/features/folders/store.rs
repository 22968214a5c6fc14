//! SQL that reads tables of others: `account`, `node`, `team`.

use rusqlite::named_params;

use chartroom_platform::db::Tx;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;
use chartroom_platform::id::NodeId;
use chartroom_platform::time::Timestamp;

/// When an account was made.
pub fn account_created(tx: &Tx<'_>, owner: &AccountId) -> Result<Option<Timestamp>> {
    tx.find(
        "select created from account where id = :owner",
        named_params! { ":owner": owner },
        |row| row.get("created"),
    )
}

/// How many documents and folders are directly in a folder: those in the trash apart, or, of a
/// folder that is there itself, those that went there with it.
pub fn count_in(tx: &Tx<'_>, folder: &NodeId, in_trash: bool) -> Result<(u64, u64)> {
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
    tx.one(sql, named_params! { ":folder": folder }, counts)
}

/// How many documents and folders are directly in an account's root, the trash apart.
pub fn count_in_root(tx: &Tx<'_>, owner: &AccountId) -> Result<(u64, u64)> {
    tx.one(
        "select ifnull(sum(type = 'document'), 0), ifnull(sum(type = 'folder'), 0)
         from node
         where owner = :owner and type in ('document', 'folder') and deleted is null
           and parent is null",
        named_params! { ":owner": owner },
        counts,
    )
}

fn counts(row: &rusqlite::Row<'_>) -> rusqlite::Result<(u64, u64)> {
    let (documents, folders): (i64, i64) = (row.get(0)?, row.get(1)?);
    Ok((documents.unsigned_abs(), folders.unsigned_abs()))
}

/// The folders of teams that are directly in a folder of an organization; none is its root.
pub fn team_folders_in(
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

/// Whether a folder, or one below it, is that of a team.
pub fn has_team_folder(tx: &Tx<'_>, folder: &NodeId) -> Result<bool> {
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

/// Whether a folder is that of a team.
pub fn is_team_folder(tx: &Tx<'_>, folder: &NodeId) -> Result<bool> {
    tx.one(
        "select exists (select 1 from team where folder = :folder)",
        named_params! { ":folder": folder },
        |row| row.get(0),
    )
}
