//! SQL for the search scope: the sets of nodes and folders that are open or closed to a caller.

use rusqlite::named_params;

use chartroom_platform::crypto::Sha256Hash;
use chartroom_platform::db::Tx;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;
use chartroom_platform::id::NodeId;

/// A node that an access entry opens, directly or through a folder above.
pub struct SharedNode {
    /// Node id.
    pub id: NodeId,
    /// Account that owns the node.
    pub owner: AccountId,
    /// Whether the node is a folder.
    pub is_folder: bool,
    /// Whether the node itself has an entry.
    pub is_shared_itself: bool,
}

/// End of a statement that starts with the CTE `shared` (nodes with entries). Selects these nodes
/// and all folders below them.
macro_rules! open_nodes_cte {
    () => {
        "), open (id) as (
             select id from shared
             union
             select node.id from open join node on node.parent = open.id
             where node.type = 'folder' and node.deleted is null
         )
         select node.id, node.owner, node.type = 'folder', node.id in (select id from shared)
         from open join node on node.id = open.id
         where node.deleted is null"
    };
}

/// Returns the nodes that entries for a user and their teams open: folders at any depth, and
/// documents with entries of their own (reads `node`, `team_member`). Documents that only a folder
/// opens are not listed. Ignores expired entries and nodes in the trash, but not disabled owners.
pub fn list_shared_with_user(tx: &Tx<'_>, user: &AccountId) -> Result<Vec<SharedNode>> {
    tx.all(
        concat!(
            "with recursive shared (id) as (
                 select entry.node
                 from access_entry as entry
                 where entry.user_id = :user and (entry.expires is null or entry.expires > :now)
                 union
                 select entry.node
                 from team_member
                 join access_entry as entry on entry.team_id = team_member.team_id
                 where team_member.user_id = :user and (entry.expires is null or entry.expires > :now)
             ",
            open_nodes_cte!()
        ),
        named_params! { ":user": user, ":now": tx.now },
        shared_node_from_row,
    )
}

/// Returns the nodes that the token of a share link opens, like [`list_shared_with_user`] (reads
/// `node`).
pub fn list_shared_by_link(tx: &Tx<'_>, token: &Sha256Hash) -> Result<Vec<SharedNode>> {
    tx.all(
        concat!(
            "with recursive shared (id) as (
                 select node
                 from access_entry
                 where token_hash = :token and type = 'link' and (expires is null or expires > :now)
             ",
            open_nodes_cte!()
        ),
        named_params! { ":token": token, ":now": tx.now },
        shared_node_from_row,
    )
}

/// Reads a row of a statement that ends with [`open_nodes_cte`].
fn shared_node_from_row(row: &rusqlite::Row<'_>) -> rusqlite::Result<SharedNode> {
    Ok(SharedNode {
        id: row.get(0)?,
        owner: row.get(1)?,
        is_folder: row.get(2)?,
        is_shared_itself: row.get(3)?,
    })
}

/// Returns the folders of an organization, at any depth and in the trash too, that teams close to a
/// user (reads `node`, `team`, `team_member`). Ignores roles, so the caller must exempt admins.
pub fn list_closed_folders(tx: &Tx<'_>, org: &AccountId, user: &AccountId) -> Result<Vec<NodeId>> {
    tx.all(
        "with recursive closed (id) as (
             select team.folder
             from team
             where team.org_id = :org and team.folder is not null
               and not exists (select 1 from team_member
                               where team_id = team.id and user_id = :user)
             union
             select node.id from closed join node on node.parent = closed.id
             where node.type = 'folder'
         )
         select id from closed",
        named_params! { ":org": org, ":user": user },
        |row| row.get(0),
    )
}

/// Returns ids and names of those of `accounts` that exist, users and organizations, in no
/// particular order (reads `user`, `org`).
pub fn list_account_names(
    tx: &Tx<'_>,
    accounts: &[&AccountId],
) -> Result<Vec<(AccountId, String)>> {
    tx.all(
        "select id, name from user where id in (select value from json_each(:accounts))
         union all
         select id, name from org where id in (select value from json_each(:accounts))",
        named_params! { ":accounts": serde_json::to_string(accounts)? },
        |row| Ok((row.get(0)?, row.get(1)?)),
    )
}
