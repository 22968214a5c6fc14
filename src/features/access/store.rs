//! SQL of tables `access_entry` and `left_share`: what they open to whom.

pub mod entries;
pub mod people;
pub mod scope;

use rusqlite::named_params;

use super::rules::Level;
use chartroom_platform::crypto::Hash;
use chartroom_platform::db::Tx;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;
use chartroom_platform::id::NodeId;

/// The strongest entry for a user or a team of his, on a node or a folder above (reads `node`,
/// `user`, `team_member`). What lies in the trash, or is of somebody who is disabled, is shared with
/// nobody.
pub fn granted(tx: &Tx<'_>, node: &NodeId, user: &AccountId) -> Result<Level> {
    let mode: Option<String> = tx.one(
        "with recursive up (id, parent, owner, deleted) as (
             select id, parent, owner, deleted from node where id = :node
             union all
             select node.id, node.parent, node.owner, node.deleted
             from up join node on node.id = up.parent
         )
         select max(entry.mode)
         from up
         join access_entry as entry on entry.node = up.id
         where up.deleted is null
           and not exists (select 1 from user where id = up.owner and disabled = 1)
           and (entry.expires is null or entry.expires > :now)
           and (entry.user_id = :user
                or entry.team_id in (select team_id from team_member where user_id = :user))",
        named_params! { ":node": node, ":user": user, ":now": tx.now },
        |row| row.get(0),
    )?;
    // `w` sorts behind `r`.
    Ok(Level::of_letter(mode.as_deref().unwrap_or_default()))
}

/// What a share link's token opens of a node, by an entry on it or on a folder above (reads `node`,
/// `user`). Nothing of what lies in the trash.
pub fn granted_by_link(tx: &Tx<'_>, node: &NodeId, token: &Hash) -> Result<Level> {
    let mode: Option<String> = tx.find(
        "with recursive up (id, parent, owner, deleted) as (
             select id, parent, owner, deleted from node where id = :node and deleted is null
             union all
             select node.id, node.parent, node.owner, node.deleted
             from up join node on node.id = up.parent
         )
         select entry.mode
         from access_entry as entry
         join up on up.id = entry.node
         where entry.token_hash = :token and entry.type = 'link'
           and (entry.expires is null or entry.expires > :now)
           and not exists (select 1 from user where id = up.owner and disabled = 1)",
        named_params! { ":node": node, ":token": token, ":now": tx.now },
        |row| row.get(0),
    )?;
    Ok(Level::of_letter(mode.as_deref().unwrap_or_default()))
}

/// Whether a node is in the folder of a team that a user does not belong to, or is in the trash and
/// its folder is gone: where there are such teams, nobody can tell then whether that was in the
/// folder of one (reads `node`, `team`, `team_member`).
pub fn is_closed_by_team(tx: &Tx<'_>, node: &NodeId, user: &AccountId) -> Result<bool> {
    tx.one(
        "with recursive up (id, parent, owner, trash_path) as (
             select id, parent, owner, trash_path from node where id = :node
             union all
             select node.id, node.parent, node.owner, node.trash_path
             from up join node on node.id = up.parent
         )
         select exists (
             select 1
             from up
             join team on team.folder = up.id
             where not exists (select 1 from team_member
                               where team_id = team.id and user_id = :user))
             or exists (
             select 1
             from up
             join team on team.org_id = up.owner and team.folder is not null
             where up.parent is null and up.trash_path <> '/'
               and not exists (select 1 from team_member
                               where team_id = team.id and user_id = :user))",
        named_params! { ":node": node, ":user": user },
        |row| row.get(0),
    )
}
