//! What a caller may see of all there is, as sets; `level` decides about one thing.

use rusqlite::named_params;

use chartroom_platform::crypto::Hash;
use chartroom_platform::db::Tx;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;
use chartroom_platform::id::NodeId;

/// A node that an entry opens, by itself or by a folder above it.
pub struct Opened {
    pub id: NodeId,
    pub owner: AccountId,
    pub is_folder: bool,
    /// It has an entry of its own.
    pub is_shared_itself: bool,
}

/// The end of a statement that begins with what has entries, as `shared`: that, and all folders below.
macro_rules! open {
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

/// What is open to a user by entries for him and his teams: all folders at any depth, and the
/// documents with entries of their own (reads `node`, `team_member`).
pub fn opened(tx: &Tx<'_>, user: &AccountId) -> Result<Vec<Opened>> {
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
            open!()
        ),
        named_params! { ":user": user, ":now": tx.now },
        opened_row,
    )
}

/// What a share link's token opens, as [`opened`] has it (reads `node`).
pub fn opened_by_link(tx: &Tx<'_>, token: &Hash) -> Result<Vec<Opened>> {
    tx.all(
        concat!(
            "with recursive shared (id) as (
                 select node
                 from access_entry
                 where token_hash = :token and type = 'link' and (expires is null or expires > :now)
             ",
            open!()
        ),
        named_params! { ":token": token, ":now": tx.now },
        opened_row,
    )
}

fn opened_row(row: &rusqlite::Row<'_>) -> rusqlite::Result<Opened> {
    Ok(Opened {
        id: row.get(0)?,
        owner: row.get(1)?,
        is_folder: row.get(2)?,
        is_shared_itself: row.get(3)?,
    })
}

/// The folders of an organization that teams close to a user, at any depth (reads `node`, `team`,
/// `team_member`).
pub fn closed_folders(tx: &Tx<'_>, org: &AccountId, user: &AccountId) -> Result<Vec<NodeId>> {
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

/// Ids and names of accounts (reads `user`, `org`).
pub fn names(tx: &Tx<'_>, accounts: &[&AccountId]) -> Result<Vec<(AccountId, String)>> {
    tx.all(
        "select id, name from user where id in (select value from json_each(:accounts))
         union all
         select id, name from org where id in (select value from json_each(:accounts))",
        named_params! { ":accounts": serde_json::to_string(accounts)? },
        |row| Ok((row.get(0)?, row.get(1)?)),
    )
}
