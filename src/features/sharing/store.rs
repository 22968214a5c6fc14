//! SQL that reads tables of others: `access_entry`, `left_share`, `node`, `user`, `org`, `member`,
//! `team`, `team_member`.

use rusqlite::named_params;

use crate::platform::db::Tx;
use crate::platform::error::Result;
use crate::platform::id::AccountId;
use crate::platform::id::NodeId;
use crate::platform::time::Timestamp;

/// Something that others share with a user.
pub struct Foreign {
    pub node: NodeId,
    pub owner: AccountId,
    /// Name of the owner.
    pub owner_name: String,
    /// Since when.
    pub shared: Timestamp,
}

/// The nodes that entries for a user or a team of his are on, without those that he left; neither
/// what is his own, lies in the trash or is of somebody who is disabled.
macro_rules! foreign {
    ($columns:literal, $end:literal) => {
        concat!(
            "with mine (node, created) as (
                 select node, created from access_entry
                 where user_id = :user and (expires is null or expires > :now)
                 union all
                 select entry.node, entry.created
                 from team_member
                 join access_entry as entry on entry.team_id = team_member.team_id
                 where team_member.user_id = :user
                   and (entry.expires is null or entry.expires > :now)
                   and not exists (select 1 from left_share
                                   where user_id = :user and node = entry.node)
             )
             select ",
            $columns,
            " from mine
             cross join node on node.id = mine.node
             where node.type = :type and node.deleted is null and node.owner <> :user
               and not exists (select 1 from user where id = node.owner and disabled = 1) ",
            $end
        )
    };
}

fn word(folders: bool) -> &'static str {
    if folders { "folder" } else { "document" }
}

/// How many folders or documents are shared with a user.
pub fn foreign_count(tx: &Tx<'_>, user: &AccountId, folders: bool) -> Result<u64> {
    tx.one(
        foreign!("count(distinct node.id)", ""),
        named_params! { ":user": user, ":now": tx.now, ":type": word(folders) },
        |row| Ok(row.get::<_, i64>(0)?.unsigned_abs()),
    )
}

/// The folders or documents that are shared with a user, newest first.
pub fn foreign(
    tx: &Tx<'_>,
    user: &AccountId,
    folders: bool,
    offset: u32,
    limit: u32,
) -> Result<Vec<Foreign>> {
    tx.all(
        foreign!(
            "node.id, node.owner, max(mine.created) as shared,
             coalesce((select name from user where id = node.owner),
                      (select name from org where id = node.owner), '') as owner_name",
            "group by node.id order by shared desc, node.id limit :limit offset :offset"
        ),
        named_params! {
            ":user": user,
            ":now": tx.now,
            ":type": word(folders),
            ":limit": limit,
            ":offset": offset,
        },
        |row| {
            Ok(Foreign {
                node: row.get("id")?,
                owner: row.get("owner")?,
                owner_name: row.get("owner_name")?,
                shared: row.get("shared")?,
            })
        },
    )
}

/// A folder below another one, or below a root.
pub struct Folder {
    /// Its path from there, which begins with a slash.
    pub path: String,
    pub title: String,
}

/// The folders of an account, all of them or those below `top`, in the order of their paths. With
/// `outsider`, the folders of teams that this user does not belong to are left out with all that is
/// in them.
pub fn folders_below(
    tx: &Tx<'_>,
    owner: &AccountId,
    top: Option<&NodeId>,
    outsider: Option<&AccountId>,
) -> Result<Vec<Folder>> {
    tx.all(
        "with recursive closed (id) as (
             select team.folder
             from team
             where :outsider is not null and team.org_id = :owner and team.folder is not null
               and not exists (select 1 from team_member
                               where team_id = team.id and user_id = :outsider)
         ),
         down (id, path, title) as (
             select id, '/' || title, title
             from node
             where owner = :owner and parent is null and type = 'folder' and deleted is null
               and :top is null and id not in (select id from closed)
             union all
             select id, '/' || title, title
             from node
             where parent = :top and type = 'folder' and deleted is null
               and id not in (select id from closed)
             union all
             select node.id, down.path || '/' || node.title, node.title
             from down
             join node on node.parent = down.id
             where node.type = 'folder' and node.deleted is null
               and node.id not in (select id from closed)
         )
         select path, title from down order by path",
        named_params! { ":owner": owner, ":top": top, ":outsider": outsider },
        |row| Ok(Folder { path: row.get("path")?, title: row.get("title")? }),
    )
}

/// The entries that somebody made, newest first, of nodes that are not in the trash: id, node and
/// its owner.
pub fn made_by(tx: &Tx<'_>, user: &AccountId) -> Result<Vec<(String, NodeId, AccountId)>> {
    tx.all(
        "select entry.id, entry.node, node.owner
         from access_entry as entry
         cross join node on node.id = entry.node
         where entry.created_by = :user and node.deleted is null
           and not exists (select 1 from user where id = node.owner and disabled = 1)
         order by entry.created desc, entry.id desc",
        named_params! { ":user": user },
        |row| Ok((row.get("id")?, row.get("node")?, row.get("owner")?)),
    )
}

/// The ids of what is directly in a folder, folders first, by title.
pub fn children(tx: &Tx<'_>, folder: &NodeId, offset: u32, limit: u32) -> Result<Vec<NodeId>> {
    tx.all(
        "select id
         from node
         where parent = :folder and type in ('folder', 'document') and deleted is null
         order by type desc, title_key, id
         limit :limit offset :offset",
        named_params! { ":folder": folder, ":limit": limit, ":offset": offset },
        |row| row.get("id"),
    )
}

/// Whether an account has a team of this id.
pub fn is_team_of(tx: &Tx<'_>, team: &str, owner: &AccountId) -> Result<bool> {
    tx.one(
        "select exists (select 1 from team where id = :team and org_id = :owner)",
        named_params! { ":team": team, ":owner": owner },
        |row| row.get(0),
    )
}

/// Whether an account is a disabled user's: he shares nothing.
pub fn is_disabled(tx: &Tx<'_>, user: &AccountId) -> Result<bool> {
    tx.one(
        "select exists (select 1 from user where id = :user and disabled = 1)",
        named_params! { ":user": user },
        |row| row.get(0),
    )
}

/// Whether an organization of a user wants him to sign in through its own identity provider only.
pub fn must_use_sso(tx: &Tx<'_>, user: &AccountId) -> Result<bool> {
    tx.one(
        "select exists (
             select 1
             from member
             join org on org.id = member.org_id
             where member.user_id = :user and org.settings ->> 'enforce_sso' = 1)",
        named_params! { ":user": user },
        |row| row.get(0),
    )
}
