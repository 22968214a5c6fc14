//! The people who can see a node by account. The same decision as `access_level`, for all users at
//! once.

use rusqlite::Row;
use rusqlite::named_params;

use chartroom_platform::db::Tx;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;
use chartroom_platform::id::NodeId;

/// A user who can see a node by their account.
#[derive(Debug, Clone)]
pub struct PersonWithAccess {
    /// Account id.
    pub id: AccountId,
    /// Full name.
    pub name: String,
    /// E-mail address.
    pub email: String,
    /// Whether the user is the owner, or a member of the owning organization and no team closes the
    /// node to them.
    pub is_insider: bool,
    /// Whether an access entry on the node or a folder above is for this user.
    pub has_own_entry: bool,
}

/// Returns the enabled users who can see a node, by name (reads `node`, `user`, `member`, `team`,
/// `team_member`).
///
/// They are the owner, the members of the owning organization unless a team closes the node to
/// them, the users with access entries, and the members of teams with access entries. Entries count
/// as in `level_granted_to_user`, but for a node in the trash only those with write access count.
/// Public access and share links are ignored, because they do not identify users.
pub fn list_people_with_access(tx: &Tx<'_>, node: &NodeId) -> Result<Vec<PersonWithAccess>> {
    tx.all(
        "with recursive up (id, parent, owner, deleted, trash_path) as materialized (
             select id, parent, owner, deleted, trash_path from node where id = :node
             union all
             select node.id, node.parent, node.owner, node.deleted, node.trash_path
             from up join node on node.id = up.parent
         ), entry (user_id, team_id) as materialized (
             select access_entry.user_id, access_entry.team_id
             from up
             join access_entry on access_entry.node = up.id
             where up.deleted is null
               and not exists (select 1 from user where id = up.owner and disabled = 1)
               and (access_entry.expires is null or access_entry.expires > :now)
               and (access_entry.mode = 'w'
                    or exists (select 1 from node where id = :node and deleted is null))
         ), inside (id) as materialized (
             select owner from node where id = :node
             union
             select member.user_id
             from node
             join member on member.org_id = node.owner
             where node.id = :node
               and (member.role = 'admin' or not exists (
                   select 1
                   from up
                   join team on team.folder = up.id
                       or up.parent is null and up.trash_path <> '/'
                          and team.org_id = up.owner and team.folder is not null
                   where not exists (select 1 from team_member
                                     where team_id = team.id and user_id = member.user_id)))
         )
         select id, name, email, id in (select id from inside) as is_insider,
                exists (select 1 from entry where user_id = user.id) as has_own_entry
         from user
         where disabled = 0
           and id in (select id from inside
                      union
                      select user_id from entry where user_id is not null
                      union
                      select team_member.user_id
                      from entry join team_member on team_member.team_id = entry.team_id)
         order by name collate nocase, id",
        named_params! { ":node": node, ":now": tx.now },
        person_from_row,
    )
}

/// Reads a row of `list_people_with_access` by the names of its columns.
fn person_from_row(row: &Row<'_>) -> rusqlite::Result<PersonWithAccess> {
    Ok(PersonWithAccess {
        id: row.get("id")?,
        name: row.get("name")?,
        email: row.get("email")?,
        is_insider: row.get("is_insider")?,
        has_own_entry: row.get("has_own_entry")?,
    })
}
