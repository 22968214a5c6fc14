//! SQL over tables `access_entry` and `left_share`: the access that entries grant.

pub mod entries;
pub mod people;
pub mod scope;

use rusqlite::named_params;

use super::rules::AccessLevel;
use chartroom_platform::crypto::Sha256Hash;
use chartroom_platform::db::Tx;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;
use chartroom_platform::id::NodeId;

/// Returns the highest level that entries for a user or their teams grant, on a node or the folders
/// above (reads `node`, `user`, `team_member`).
///
/// Expired entries grant nothing, and neither do entries on nodes in the trash or of disabled
/// owners.
pub fn level_granted_to_user(tx: &Tx<'_>, node: &NodeId, user: &AccountId) -> Result<AccessLevel> {
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
    // max() works because `w` sorts after `r`.
    Ok(AccessLevel::from_letter(mode.as_deref().unwrap_or_default()))
}

/// Returns the level that the token of a share link grants on a node, by an entry on it or a folder
/// above (reads `node`, `user`). An expired link grants nothing, and no link grants anything on
/// nodes in the trash or of disabled owners.
pub fn level_granted_by_link(
    tx: &Tx<'_>,
    node: &NodeId,
    token: &Sha256Hash,
) -> Result<AccessLevel> {
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
    Ok(AccessLevel::from_letter(mode.as_deref().unwrap_or_default()))
}

/// Returns whether a team closes a node to a user, because the node is in the folder of a team
/// without that user (reads `node`, `team`, `team_member`). Ignores roles, so the caller must
/// exempt admins.
///
/// A trashed node without its former folder is closed too if such a team exists. It may have been
/// in the folder of that team.
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
