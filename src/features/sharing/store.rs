//! SQL of sharing. Reads the tables `access_entry`, `left_share`, `node`, `user`, `org`, `member`,
//! `team` and `team_member` of other features; writes none.

use rusqlite::named_params;

use chartroom_platform::db::Tx;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;
use chartroom_platform::id::NodeId;
use chartroom_platform::time::Timestamp;

/// A node that another account shares with a user.
pub struct ForeignNode {
    pub node: NodeId,
    pub owner: AccountId,
    /// Display name of the owner.
    pub owner_name: String,
    /// Creation time of the newest access entry that shares the node.
    pub shared: Timestamp,
}

/// Builds the query for nodes that other accounts share with `:user`, directly or through a team.
///
/// Excludes expired entries, entries of a team on nodes that the user left, own nodes, trashed
/// nodes, and nodes of disabled users. Nodes inside a shared folder are not included.
macro_rules! select_foreign {
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

/// Returns the value of the column `node.type`: `folder` if `folders` is true, else `document`.
fn node_type(folders: bool) -> &'static str {
    if folders { "folder" } else { "document" }
}

/// Statement of [`list_foreign`].
const LIST_FOREIGN: &str = select_foreign!(
    "node.id, node.owner, max(mine.created) as shared,
     coalesce((select name from user where id = node.owner),
              (select name from org where id = node.owner), '') as owner_name",
    "group by node.id order by shared desc, node.id limit :limit offset :offset"
);

/// Counts the folders (or documents, if `folders` is false) that other accounts share with a user,
/// directly or through a team. Items inside shared folders do not count. Excludes the same nodes as
/// `list_foreign`.
pub fn count_foreign(tx: &Tx<'_>, user: &AccountId, folders: bool) -> Result<u64> {
    tx.one(
        select_foreign!("count(distinct node.id)", ""),
        named_params! { ":user": user, ":now": tx.now, ":type": node_type(folders) },
        |row| Ok(row.get::<_, i64>(0)?.unsigned_abs()),
    )
}

/// Lists the folders (or documents, if `folders` is false) that other accounts share with a user,
/// directly or through a team, most recently shared first. Items inside shared folders are not
/// listed. Excludes expired entries, the trash, and nodes of disabled users. Skips the first
/// `offset` nodes and returns at most `limit`.
pub fn list_foreign(
    tx: &Tx<'_>,
    user: &AccountId,
    folders: bool,
    offset: u32,
    limit: u32,
) -> Result<Vec<ForeignNode>> {
    tx.all(
        LIST_FOREIGN,
        named_params! {
            ":user": user,
            ":now": tx.now,
            ":type": node_type(folders),
            ":limit": limit,
            ":offset": offset,
        },
        |row| {
            Ok(ForeignNode {
                node: row.get("id")?,
                owner: row.get("owner")?,
                owner_name: row.get("owner_name")?,
                shared: row.get("shared")?,
            })
        },
    )
}

/// A folder below another folder or below a root.
pub struct DescendantFolder {
    pub id: NodeId,
    /// Path relative to that folder or root, with a leading slash.
    pub path: String,
    pub title: String,
}

/// Statement of [`list_descendant_folders`].
const LIST_DESCENDANT_FOLDERS: &str = "with recursive closed (id) as (
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
         select id, path, title from down order by path";

/// Lists the folders of an account that are not in the trash, sorted by path: all of them, or only
/// those below `top`, without `top` itself. The paths are relative to `top` or the root.
///
/// With `outsider`, the folders of teams that this user is not a member of are excluded together
/// with their content. With None, no folder is.
pub fn list_descendant_folders(
    tx: &Tx<'_>,
    owner: &AccountId,
    top: Option<&NodeId>,
    outsider: Option<&AccountId>,
) -> Result<Vec<DescendantFolder>> {
    tx.all(
        LIST_DESCENDANT_FOLDERS,
        named_params! { ":owner": owner, ":top": top, ":outsider": outsider },
        |row| {
            Ok(DescendantFolder {
                id: row.get("id")?,
                path: row.get("path")?,
                title: row.get("title")?,
            })
        },
    )
}

/// An access entry in the list of an account's shares.
pub struct ShareRef {
    pub id: String,
    pub node: NodeId,
    /// Owner of the node.
    pub owner: AccountId,
}

/// Statement of [`list_share_refs`].
const LIST_SHARE_REFS: &str = "
    select entry.id, entry.node, node.owner, entry.created
    from node
    cross join access_entry as entry on entry.node = node.id
    where node.owner = :account and node.type in ('folder', 'document') and node.deleted is null
    union all
    select entry.id, entry.node, node.owner, entry.created
    from access_entry as entry
    cross join node on node.id = entry.node
    where entry.created_by = :account and node.owner <> :account and node.deleted is null
      and not exists (select 1 from user where id = node.owner and disabled = 1)
    order by 4 desc, 1 desc";

/// Lists the access entries on an account's own nodes, and the entries that it created on other
/// accounts' nodes, newest first.
///
/// Includes expired entries. Excludes trashed nodes, and other accounts' nodes if their owner is a
/// disabled user.
pub fn list_share_refs(tx: &Tx<'_>, account: &AccountId) -> Result<Vec<ShareRef>> {
    tx.all(LIST_SHARE_REFS, named_params! { ":account": account }, |row| {
        Ok(ShareRef { id: row.get(0)?, node: row.get(1)?, owner: row.get(2)? })
    })
}

/// Returns whether a user is a member of the team with the id `team`. False if there is no such
/// team or user.
pub fn is_in_team(tx: &Tx<'_>, team: &str, user: &AccountId) -> Result<bool> {
    tx.one(
        "select exists (select 1 from team_member where team_id = :team and user_id = :user)",
        named_params! { ":team": team, ":user": user },
        |row| row.get(0),
    )
}

/// Returns whether an account has a team with this id.
pub fn has_team(tx: &Tx<'_>, owner: &AccountId, team: &str) -> Result<bool> {
    tx.one(
        "select exists (select 1 from team where id = :team and org_id = :owner)",
        named_params! { ":team": team, ":owner": owner },
        |row| row.get(0),
    )
}

/// Returns whether an account belongs to a disabled user. Their links must not work. False for an
/// organization.
pub fn is_disabled(tx: &Tx<'_>, user: &AccountId) -> Result<bool> {
    tx.one(
        "select exists (select 1 from user where id = :user and disabled = 1)",
        named_params! { ":user": user },
        |row| row.get(0),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use chartroom_platform::db::schema::full_scans;

    /// The cost depends on the number of shares, not on the number of stored documents.
    #[test]
    fn no_query_scans_a_whole_table() {
        assert_eq!(
            full_scans(select_foreign!("count(distinct node.id)", "")).unwrap(),
            ["SCAN mine"]
        );
        assert_eq!(full_scans(LIST_FOREIGN).unwrap(), ["SCAN mine"]);
        assert_eq!(full_scans(LIST_SHARE_REFS).unwrap(), [""; 0]);
        let below = full_scans(LIST_DESCENDANT_FOLDERS).unwrap();
        assert!(below.iter().all(|scan| !scan.contains("node")), "{below:?}");
    }
}
