//! SQL that reads tables of others: `access_entry`, `left_share`, `node`, `user`, `org`, `member`,
//! `team`, `team_member`.

use rusqlite::named_params;

use chartroom_platform::db::Tx;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;
use chartroom_platform::id::NodeId;
use chartroom_platform::time::Timestamp;

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

const FOREIGN: &str = foreign!(
    "node.id, node.owner, max(mine.created) as shared,
     coalesce((select name from user where id = node.owner),
              (select name from org where id = node.owner), '') as owner_name",
    "group by node.id order by shared desc, node.id limit :limit offset :offset"
);

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
        FOREIGN,
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
    pub id: NodeId,
    /// Its path from there, which begins with a slash.
    pub path: String,
    pub title: String,
}

const FOLDERS_BELOW: &str = "with recursive closed (id) as (
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
        FOLDERS_BELOW,
        named_params! { ":owner": owner, ":top": top, ":outsider": outsider },
        |row| Ok(Folder { id: row.get("id")?, path: row.get("path")?, title: row.get("title")? }),
    )
}

/// An entry of the ledger.
pub struct Made {
    pub id: String,
    pub node: NodeId,
    /// Whose the node is.
    pub owner: AccountId,
}

const MADE: &str = "
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

/// The entries on an account's own things, and those that it made on others' things, newest first,
/// without what is in the trash.
pub fn made(tx: &Tx<'_>, account: &AccountId) -> Result<Vec<Made>> {
    tx.all(MADE, named_params! { ":account": account }, |row| {
        Ok(Made { id: row.get(0)?, node: row.get(1)?, owner: row.get(2)? })
    })
}

/// Whether somebody is in a team.
pub fn is_in_team(tx: &Tx<'_>, team: &str, user: &AccountId) -> Result<bool> {
    tx.one(
        "select exists (select 1 from team_member where team_id = :team and user_id = :user)",
        named_params! { ":team": team, ":user": user },
        |row| row.get(0),
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

#[cfg(test)]
mod tests {
    use rusqlite::Connection;

    use super::*;

    /// What a statement looks at from one end to the other.
    fn scans(sql: &str) -> Vec<String> {
        let database = Connection::open_in_memory().unwrap();
        database.execute_batch(include_str!("../../../schema.sql")).unwrap();
        let mut statement = database.prepare(&format!("explain query plan {sql}")).unwrap();
        let lines = statement.raw_query().mapped(|row| row.get::<_, String>(3));
        let lines = lines.collect::<rusqlite::Result<Vec<_>>>().unwrap();
        lines.into_iter().filter(|it| it.starts_with("SCAN")).collect()
    }

    /// What is shared with somebody takes as long as it is much, whatever the number of documents.
    #[test]
    fn no_table_is_looked_at_from_end_to_end() {
        assert_eq!(scans(foreign!("count(distinct node.id)", "")), ["SCAN mine"]);
        assert_eq!(scans(FOREIGN), ["SCAN mine"]);
        assert_eq!(scans(MADE), [""; 0]);
        let below = scans(FOLDERS_BELOW);
        assert!(below.iter().all(|it| !it.contains("node")), "{below:?}");
    }
}
