//! SQL of listings. Reads the tables `node`, `document`, `user`, `org`, `team`, `team_member`,
//! `access_entry` and `star` of other features; writes none.

use rusqlite::Row as SqlRow;
use rusqlite::ToSql;
use rusqlite::named_params;

use crate::features::documents;
use crate::features::documents::DocumentOrder;
use chartroom_platform::db::Tx;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;
use chartroom_platform::id::NodeId;
use chartroom_platform::time::Timestamp;

/// The columns of a node that lists present.
pub struct NodeRow {
    /// Index of the node in the requested list of ids.
    pub index: usize,
    pub id: NodeId,
    pub is_folder: bool,
    pub owner: AccountId,
    /// Name of the owner, a user or an organization.
    pub owner_name: String,
    /// Parent folder; None for the root.
    pub parent: Option<NodeId>,
    pub title: String,
    pub created: Timestamp,
    pub updated: Timestamp,
    /// Account id of the author of the last change.
    pub updated_by: String,
    /// Number of changes.
    pub revision: i64,
    /// Time of the move to the trash. None outside the trash.
    pub deleted: Option<Timestamp>,
    /// Path of the parent folder at the time of the move to the trash. None outside the trash, and
    /// for nodes that were trashed with a folder above.
    pub trash_path: Option<String>,
    /// Documents only: UUID of the chart kind.
    pub kind: String,
    /// Documents only: theme name; empty for the default theme.
    pub theme: String,
    /// Documents only.
    pub is_public: bool,
    /// Documents only.
    pub schema_version: i64,
    /// Documents only.
    pub history_version: i64,
    /// Folders only: number of documents directly in it, without those in the trash.
    pub documents: i64,
    /// Folders only: number of folders directly in it, without those in the trash.
    pub folders: i64,
}

/// Loads nodes in the order of `ids`. Ids that do not exist are left out.
pub fn load_node_rows(tx: &Tx<'_>, ids: &[&NodeId]) -> Result<Vec<NodeRow>> {
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
        node_row_from_sql,
    )
}

/// Returns those of the documents `ids` that a user has starred, in no particular order.
pub fn list_starred(tx: &Tx<'_>, user: &AccountId, ids: &[&NodeId]) -> Result<Vec<NodeId>> {
    tx.all(
        "select document from star
         where user_id = :user and document in (select value from json_each(:ids))",
        named_params! { ":user": user, ":ids": serde_json::to_string(ids)? },
        |row| row.get(0),
    )
}

/// Reads a row of [`load_node_rows`].
fn node_row_from_sql(row: &SqlRow<'_>) -> rusqlite::Result<NodeRow> {
    Ok(NodeRow {
        index: row.get::<_, i64>(18)?.unsigned_abs() as usize,
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

/// A folder and the filter for its listed children.
pub struct FolderFilter<'a> {
    pub owner: &'a AccountId,
    /// Folder; None for the root.
    pub folder: Option<&'a NodeId>,
    /// Text that titles must contain, folded to lower case without accents. Empty matches all.
    pub needle: String,
    /// Folders to exclude.
    pub hidden: Vec<NodeId>,
    /// Order and filter of the documents. With a filter, no folders are listed.
    pub order: DocumentOrder,
}

impl FolderFilter<'_> {
    /// Returns the SQL condition for the listed children of a type, `folder` or `document`. Children
    /// in the trash are not listed. The condition uses the parameters `:owner`, `:folder`,
    /// `:needle` and `:hidden` as needed, and [`Self::query`] binds them. Only folders can be hidden.
    fn build_condition(&self, node_type: &str) -> String {
        // Each alternative matches the leading columns of an index.
        let place = match (node_type, self.folder) {
            ("folder", _) => "owner = :owner and parent is :folder",
            (_, Some(_)) => "parent = :folder",
            (_, None) => "owner = :owner and parent is null",
        };
        let mut text = format!("{place} and type = '{node_type}' and deleted is null");
        if !self.needle.is_empty() {
            text.push_str(" and instr(title_key, :needle) > 0");
        }
        if node_type == "folder" && self.order.has_filter() {
            text.push_str(" and false");
        }
        if node_type == "document" {
            text.push_str(self.order.condition());
        }
        if node_type == "folder" && !self.hidden.is_empty() {
            text.push_str(" and id not in (select value from json_each(:hidden))");
        }
        text
    }

    /// Runs a statement that uses the condition, and returns the result of `read` for each row.
    /// Binds the filter's parameters and the (offset, limit) of `page`, which is None for a
    /// statement without them.
    fn query<T>(
        &self,
        tx: &Tx<'_>,
        sql: &str,
        page: Option<(u64, u64)>,
        read: impl FnMut(&SqlRow<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>> {
        let hidden = serde_json::to_string(&self.hidden)?;
        let (offset, limit) =
            page.map_or((0, 0), |(offset, limit)| (offset.cast_signed(), limit.cast_signed()));
        let mut all: Vec<(&str, &dyn ToSql)> = vec![
            (":owner", self.owner),
            (":folder", &self.folder),
            (":needle", &self.needle),
            (":hidden", &hidden),
            (":offset", &offset),
            (":limit", &limit),
        ];
        all.extend(self.order.parameters());
        tx.all(sql, documents::used_parameters(sql, &all).as_slice(), read)
    }
}

/// Returns the statement of [`count_children`].
fn count_sql(filter: &FolderFilter<'_>) -> String {
    let (folders, documents) =
        (filter.build_condition("folder"), filter.build_condition("document"));
    format!(
        "select (select count(*) from node where {folders}),
                (select count(*) from node where {documents})"
    )
}

/// Counts the children that pass the filter and returns (folders, documents).
pub fn count_children(tx: &Tx<'_>, filter: &FolderFilter<'_>) -> Result<(u64, u64)> {
    let sql = count_sql(filter);
    let read = |row: &SqlRow<'_>| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?));
    let found = filter.query(tx, &sql, None, read)?;
    let (folders, documents) = found.into_iter().next().unwrap_or_default();
    Ok((folders.unsigned_abs(), documents.unsigned_abs()))
}

/// Returns the statement of [`list_folders`].
fn folders_sql(filter: &FolderFilter<'_>) -> String {
    format!(
        "select id from node where {} order by {} limit :limit offset :offset",
        filter.build_condition("folder"),
        filter.order.folder_terms()
    )
}

/// Lists the folders that pass the filter, sorted by title, see [`DocumentOrder::folder_terms`]. Skips the first `offset` of them and
/// returns at most `limit`.
pub fn list_folders(
    tx: &Tx<'_>,
    filter: &FolderFilter<'_>,
    offset: u64,
    limit: u64,
) -> Result<Vec<NodeId>> {
    let sql = folders_sql(filter);
    filter.query(tx, &sql, Some((offset, limit)), |row| row.get(0))
}

/// Returns the statement of [`list_documents`].
fn documents_sql(filter: &FolderFilter<'_>) -> String {
    format!(
        "select id from node where {} order by {} limit :limit offset :offset",
        filter.build_condition("document"),
        filter.order.terms()
    )
}

/// Lists the documents that pass the filter in its order. Skips the first `offset` of them and returns at
/// most `limit`.
pub fn list_documents(
    tx: &Tx<'_>,
    filter: &FolderFilter<'_>,
    offset: u64,
    limit: u64,
) -> Result<Vec<NodeId>> {
    let sql = documents_sql(filter);
    filter.query(tx, &sql, Some((offset, limit)), |row| row.get(0))
}

/// The folder of a team, without the team itself.
pub struct TeamFolder {
    pub id: NodeId,
    /// Parent folder; None for the root.
    pub parent: Option<NodeId>,
    /// Whether an access entry may apply: on the folder itself or, because it is not in the root,
    /// on a parent.
    pub may_have_access_entry: bool,
}

/// Lists the folders of those teams of an organization that do not have `user` as a member, in no
/// particular order. Leaves out folders in the trash.
///
/// `user` need not be a member of the organization. A guest is the empty id.
pub fn list_team_folders_of_non_member(
    tx: &Tx<'_>,
    org: &AccountId,
    user: &AccountId,
) -> Result<Vec<TeamFolder>> {
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
        |row| {
            Ok(TeamFolder {
                id: row.get(0)?,
                parent: row.get(1)?,
                may_have_access_entry: row.get(2)?,
            })
        },
    )
}

/// Returns the SQL condition for nodes that were trashed individually and are not inside `closed`
/// folders.
///
/// If `closed` is not empty, nodes with an expunged parent are excluded too, because that parent
/// may have been inside a closed folder.
fn trash_condition(closed: &[NodeId]) -> String {
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

/// Counts the nodes of `owner` that were trashed individually, except nodes in `closed` folders.
pub fn count_trashed(tx: &Tx<'_>, owner: &AccountId, closed: &[NodeId]) -> Result<u64> {
    let sql = format!("select count(*) from node where {}", trash_condition(closed));
    let closed = serde_json::to_string(closed)?;
    let all: [(&str, &dyn ToSql); 2] = [(":owner", owner), (":closed", &closed)];
    let count: i64 =
        tx.one(&sql, documents::used_parameters(&sql, &all).as_slice(), |row| row.get(0))?;
    Ok(count.unsigned_abs())
}

/// Returns the statement of [`list_trashed`], which selects the ids of one page of trashed nodes,
/// newest first. If `closed` is empty, the statement lacks the condition with the parameter
/// `:closed`. Otherwise its text does not depend on `closed`, because the parameter is a JSON array
/// of all ids.
fn trashed_sql(closed: &[NodeId]) -> String {
    format!(
        "select id from node where {} order by deleted desc, id desc limit :limit offset :offset",
        trash_condition(closed)
    )
}

/// Lists the nodes of `owner` that were trashed individually, except nodes in `closed` folders,
/// newest first. Skips the first `offset` of them and returns at most `limit`.
pub fn list_trashed(
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
    tx.all(&sql, documents::used_parameters(&sql, &all).as_slice(), |row| row.get(0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use chartroom_platform::db::schema;

    /// Returns the query plan of a statement.
    fn query_plan(sql: &str) -> String {
        schema::explain(sql).unwrap().join("; ")
    }

    /// A page reads a range of a covering index, without table access and without sorting, so the
    /// number of documents does not matter.
    #[test]
    fn page_queries_use_a_covering_index() {
        let (owner, folder) = (AccountId::from_text("7"), NodeId::from_text("f"));
        for folder in [None, Some(&folder)] {
            let filter = FolderFilter {
                owner: &owner,
                folder,
                needle: String::new(),
                hidden: Vec::new(),
                order: DocumentOrder::default(),
            };
            let check = |sql: String, want: &str| assert_eq!(query_plan(&sql), want, "{sql}");
            let (place, index) = match folder {
                None => ("owner=?", "node_root"),
                Some(_) => ("parent=?", "node_parent"),
            };
            let documents = format!(
                "SEARCH node USING COVERING INDEX {index} ({place} AND type=? AND deleted=?)"
            );
            let folders = "SEARCH node USING COVERING INDEX node_folders (owner=? AND parent=?)";
            check(documents_sql(&filter), &documents);
            check(folders_sql(&filter), folders);
            check(
                count_sql(&filter),
                &format!(
                    "SCAN CONSTANT ROW; SCALAR SUBQUERY 1; {folders}; SCALAR SUBQUERY 2; {documents}"
                ),
            );
        }
        assert_eq!(
            query_plan(&trashed_sql(&[])),
            "SEARCH node USING COVERING INDEX node_trashed (owner=? AND deleted>?)"
        );
    }
}
