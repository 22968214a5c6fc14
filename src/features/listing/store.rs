//! SQL of listings: reads `node`, `document`, `user`, `org`, `team`; writes nothing.

use rusqlite::Row as Sql;
use rusqlite::ToSql;
use rusqlite::named_params;

use chartroom_platform::db::Tx;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;
use chartroom_platform::id::NodeId;
use chartroom_platform::time::Timestamp;

/// What lists show of a node.
pub struct Row {
    /// Its place among the ids that were asked for.
    pub place: usize,
    pub id: NodeId,
    pub is_folder: bool,
    pub owner: AccountId,
    /// Name of the user or organization that owns it.
    pub owner_name: String,
    /// The folder; none is the root.
    pub parent: Option<NodeId>,
    pub title: String,
    pub created: Timestamp,
    pub updated: Timestamp,
    /// Account id.
    pub updated_by: String,
    /// Counts its changes.
    pub revision: i64,
    /// In the trash since.
    pub deleted: Option<Timestamp>,
    /// Absolute path of the folder from which it was put into the trash.
    pub trash_path: Option<String>,
    /// Of a document: the kind's UUID.
    pub kind: String,
    /// Of a document: name of a theme; empty for the default one.
    pub theme: String,
    /// Of a document.
    pub is_public: bool,
    /// Of a document.
    pub schema_version: i64,
    /// Of a document.
    pub history_version: i64,
    /// Of a folder: documents directly in it.
    pub documents: i64,
    /// Of a folder: folders directly in it.
    pub folders: i64,
}

/// The nodes of some ids, in their order; one that is not there is left out.
pub fn rows(tx: &Tx<'_>, ids: &[&NodeId]) -> Result<Vec<Row>> {
    tx.all(
        "select node.id, node.type = 'folder', node.owner,
                coalesce((select name from user where id = node.owner),
                         (select name from org where id = node.owner), ''),
                node.parent, node.title, node.created, node.updated, node.updated_by,
                node.deleted, node.trash_path,
                ifnull(document.kind, ''), ifnull(document.theme, ''),
                ifnull(document.is_public, 0), ifnull(document.schema_version, 0),
                ifnull(document.history_version, 0),
                case when node.type = 'folder' then
                    (select count(*) from node as child
                     where child.parent = node.id and child.type = 'document'
                       and child.deleted is null) else 0 end,
                case when node.type = 'folder' then
                    (select count(*) from node as child
                     where child.parent = node.id and child.type = 'folder'
                       and child.deleted is null) else 0 end,
                wanted.key, node.revision
         from json_each(:ids) as wanted
         cross join node on node.id = wanted.value
         left join document on document.id = node.id
         order by wanted.key",
        named_params! { ":ids": serde_json::to_string(ids)? },
        read,
    )
}

fn read(row: &Sql<'_>) -> rusqlite::Result<Row> {
    Ok(Row {
        place: row.get::<_, i64>(18)?.unsigned_abs() as usize,
        id: row.get(0)?,
        is_folder: row.get(1)?,
        owner: row.get(2)?,
        owner_name: row.get(3)?,
        parent: row.get(4)?,
        title: row.get(5)?,
        created: row.get(6)?,
        updated: row.get(7)?,
        updated_by: row.get(8)?,
        revision: row.get(19)?,
        deleted: row.get(9)?,
        trash_path: row.get(10)?,
        kind: row.get(11)?,
        theme: row.get(12)?,
        is_public: row.get(13)?,
        schema_version: row.get(14)?,
        history_version: row.get(15)?,
        documents: row.get(16)?,
        folders: row.get(17)?,
    })
}

/// What is in a folder, as far as it shall be listed.
pub struct Content<'a> {
    pub owner: &'a AccountId,
    /// None is the root.
    pub folder: Option<&'a NodeId>,
    /// Folded text that the titles contain; empty for all.
    pub needle: String,
    /// Folders that are left out.
    pub hidden: Vec<NodeId>,
}

impl Content<'_> {
    /// The condition that a node of a type is listed.
    fn condition(&self, node_type: &str) -> String {
        // Each is what an index begins with.
        let place = match (node_type, self.folder) {
            ("folder", _) => "owner = :owner and parent is :folder",
            (_, Some(_)) => "parent = :folder",
            (_, None) => "owner = :owner and parent is null",
        };
        let mut text = format!("{place} and type = '{node_type}' and deleted is null");
        if !self.needle.is_empty() {
            text.push_str(" and instr(title_key, :needle) > 0");
        }
        if node_type == "folder" && !self.hidden.is_empty() {
            text.push_str(" and id not in (select value from json_each(:hidden))");
        }
        text
    }

    fn find<T>(
        &self,
        tx: &Tx<'_>,
        sql: &str,
        page: Option<(u64, u64)>,
        read: impl FnMut(&Sql<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>> {
        let hidden = serde_json::to_string(&self.hidden)?;
        let (offset, limit) =
            page.map_or((0, 0), |(offset, limit)| (offset.cast_signed(), limit.cast_signed()));
        let all: [(&str, &dyn ToSql); 6] = [
            (":owner", self.owner),
            (":folder", &self.folder),
            (":needle", &self.needle),
            (":hidden", &hidden),
            (":offset", &offset),
            (":limit", &limit),
        ];
        tx.all(sql, used(sql, &all).as_slice(), read)
    }
}

/// Those parameters that a statement has: it must not be given others.
fn used<'a>(sql: &str, all: &[(&'a str, &'a dyn ToSql)]) -> Vec<(&'a str, &'a dyn ToSql)> {
    all.iter().copied().filter(|(name, _)| sql.contains(name)).collect()
}

fn count_sql(content: &Content<'_>) -> String {
    let (folders, documents) = (content.condition("folder"), content.condition("document"));
    format!(
        "select (select count(*) from node where {folders}),
                (select count(*) from node where {documents})"
    )
}

/// How many folders and documents are in a folder.
pub fn count(tx: &Tx<'_>, content: &Content<'_>) -> Result<(u64, u64)> {
    let sql = count_sql(content);
    let read = |row: &Sql<'_>| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?));
    let found = content.find(tx, &sql, None, read)?;
    let (folders, documents) = found.into_iter().next().unwrap_or_default();
    Ok((folders.unsigned_abs(), documents.unsigned_abs()))
}

fn folders_sql(content: &Content<'_>) -> String {
    format!(
        "select id from node where {} order by title_key, id limit :limit offset :offset",
        content.condition("folder")
    )
}

/// Folders in a folder by title.
pub fn folders(tx: &Tx<'_>, content: &Content<'_>, offset: u64, limit: u64) -> Result<Vec<NodeId>> {
    let sql = folders_sql(content);
    content.find(tx, &sql, Some((offset, limit)), |row| row.get(0))
}

fn documents_sql(content: &Content<'_>) -> String {
    format!(
        "select id from node where {} order by updated desc, id desc limit :limit offset :offset",
        content.condition("document")
    )
}

/// Documents in a folder, last changed first.
pub fn documents(
    tx: &Tx<'_>,
    content: &Content<'_>,
    offset: u64,
    limit: u64,
) -> Result<Vec<NodeId>> {
    let sql = documents_sql(content);
    content.find(tx, &sql, Some((offset, limit)), |row| row.get(0))
}

/// The folder of a team.
pub struct TeamFolder {
    pub id: NodeId,
    /// The folder it is in; none is the root.
    pub parent: Option<NodeId>,
    /// Whether there may be access entries for it: on itself, or because it is not in the root.
    pub is_shared: bool,
}

/// The folders of an organization's teams to which a user does not belong (reads `team_member` and
/// `access_entry` too).
pub fn team_folders(tx: &Tx<'_>, org: &AccountId, user: &AccountId) -> Result<Vec<TeamFolder>> {
    tx.all(
        "select node.id, node.parent,
                node.parent is not null
                    or exists (select 1 from access_entry where node = node.id)
         from team
         join node on node.id = team.folder
         where team.org_id = :org and node.deleted is null
           and not exists (select 1 from team_member
                           where team_id = team.id and user_id = :user)",
        named_params! { ":org": org, ":user": user },
        |row| Ok(TeamFolder { id: row.get(0)?, parent: row.get(1)?, is_shared: row.get(2)? }),
    )
}

/// The condition that a node was put into the trash of an account by itself, and not in one of some
/// folders; nor, when there are such, in a folder that is gone: that may have been in one of them.
fn is_trashed(closed: &[NodeId]) -> String {
    let mut text = "owner = :owner and deleted is not null and trash_root = id".to_owned();
    if !closed.is_empty() {
        text.push_str(
            " and (parent is not null or trash_path = '/')
              and not exists (
                 with recursive up (id, parent) as (
                     select node.id, node.parent
                     union all
                     select above.id, above.parent from up join node as above on above.id = up.parent
                 )
                 select 1 from up where id in (select value from json_each(:closed)))",
        );
    }
    text
}

/// How many things were put into the trash of an account, those in `closed` folders apart.
pub fn count_trashed(tx: &Tx<'_>, owner: &AccountId, closed: &[NodeId]) -> Result<u64> {
    let sql = format!("select count(*) from node where {}", is_trashed(closed));
    let closed = serde_json::to_string(closed)?;
    let all: [(&str, &dyn ToSql); 2] = [(":owner", owner), (":closed", &closed)];
    let count: i64 = tx.one(&sql, used(&sql, &all).as_slice(), |row| row.get(0))?;
    Ok(count.unsigned_abs())
}

fn trashed_sql(closed: &[NodeId]) -> String {
    format!(
        "select id from node where {} order by deleted desc, id desc limit :limit offset :offset",
        is_trashed(closed)
    )
}

/// What was put into the trash of an account, those in `closed` folders apart, newest first.
pub fn trashed(
    tx: &Tx<'_>,
    owner: &AccountId,
    closed: &[NodeId],
    offset: u64,
    limit: u64,
) -> Result<Vec<NodeId>> {
    let sql = trashed_sql(closed);
    let closed = serde_json::to_string(closed)?;
    let (offset, limit) = (offset.cast_signed(), limit.cast_signed());
    let all: [(&str, &dyn ToSql); 4] =
        [(":owner", owner), (":closed", &closed), (":offset", &offset), (":limit", &limit)];
    tx.all(&sql, used(&sql, &all).as_slice(), |row| row.get(0))
}

#[cfg(test)]
mod tests {
    use rusqlite::Connection;

    use super::*;

    /// How the database goes about a statement.
    fn plan(sql: &str) -> String {
        let database = Connection::open_in_memory().unwrap();
        database.execute_batch(include_str!("../../../schema.sql")).unwrap();
        let mut statement = database.prepare(&format!("explain query plan {sql}")).unwrap();
        let lines = statement.raw_query().mapped(|row| row.get::<_, String>(3));
        lines.collect::<rusqlite::Result<Vec<_>>>().unwrap().join("; ")
    }

    /// Whatever the number of documents, a page is a walk along a part of an index: no table is
    /// looked at, nothing is sorted.
    #[test]
    fn pages_are_walks_along_an_index() {
        let (owner, folder) = (AccountId::from_text("7"), NodeId::from_text("f"));
        for folder in [None, Some(&folder)] {
            let content =
                Content { owner: &owner, folder, needle: String::new(), hidden: Vec::new() };
            let check = |sql: String, want: &str| assert_eq!(plan(&sql), want, "{sql}");
            let (place, index) = match folder {
                None => ("owner=?", "node_root"),
                Some(_) => ("parent=?", "node_parent"),
            };
            let documents = format!(
                "SEARCH node USING COVERING INDEX {index} ({place} AND type=? AND deleted=?)"
            );
            let folders = "SEARCH node USING COVERING INDEX node_folders (owner=? AND parent=?)";
            check(documents_sql(&content), &documents);
            check(folders_sql(&content), folders);
            check(
                count_sql(&content),
                &format!(
                    "SCAN CONSTANT ROW; SCALAR SUBQUERY 1; {folders}; SCALAR SUBQUERY 2; {documents}"
                ),
            );
        }
        assert_eq!(
            plan(&trashed_sql(&[])),
            "SEARCH node USING COVERING INDEX node_trashed (owner=? AND deleted>?)"
        );
    }
}
