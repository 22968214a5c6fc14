//! Who sees a node by an account: what `level` decides about one user, for all of them at once.

use rusqlite::Row;
use rusqlite::named_params;

use chartroom_platform::db::Tx;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;
use chartroom_platform::id::NodeId;

/// Somebody who sees something by his account.
#[derive(Debug, Clone)]
pub struct Person {
    pub id: AccountId,
    pub name: String,
    pub email: String,
    /// It is his own, or his organization's and not closed to him by a team.
    pub is_inside: bool,
    /// An entry, here or on a folder above, names him.
    pub is_named: bool,
}

/// The people who see a node: the owner, the members of the owning organization to whom no team
/// closes it, those named by entries, and the members of teams that are; by name (reads `node`,
/// `user`, `member`, `team`, `team_member`). Who is disabled is not among them. That it is public
/// and that links lead to it says of nobody that he sees it.
pub fn people(tx: &Tx<'_>, node: &NodeId) -> Result<Vec<Person>> {
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
         select id, name, email, id in (select id from inside) as is_inside,
                exists (select 1 from entry where user_id = user.id) as is_named
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
        person,
    )
}

fn person(row: &Row<'_>) -> rusqlite::Result<Person> {
    Ok(Person {
        id: row.get("id")?,
        name: row.get("name")?,
        email: row.get("email")?,
        is_inside: row.get("is_inside")?,
        is_named: row.get("is_named")?,
    })
}
