//! SQL of the tables `document`, `chunk` and `copy`.

pub mod document_order;
pub mod search_text;
pub mod download_tokens;
pub mod sizes;
pub mod defaults;

use rusqlite::Row;
use rusqlite::ToSql;
use rusqlite::named_params;

use document_order::DocumentOrder;

use super::records::Chunk;
use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;
use chartroom_platform::id::ContentId;
use chartroom_platform::id::NodeId;
use chartroom_platform::time::Timestamp;

/// A stored document with its place in the tree, without its records.
///
/// JSON fields hold the stored JSON text, unparsed.
#[derive(Debug, Clone, PartialEq)]
pub struct Document {
    pub id: NodeId,
    /// Id of the stored records. Other documents with the same content id are unchanged copies.
    pub content: ContentId,
    /// Account that owns the document.
    pub owner: AccountId,
    /// Name of the owning user or organization. Empty if that account no longer exists.
    pub owner_name: String,
    /// Folder that contains the document. `None` is the root.
    pub parent: Option<NodeId>,
    pub title: String,
    pub created: Timestamp,
    pub updated: Timestamp,
    /// Account id of the last author. Empty for a guest.
    pub updated_by: String,
    /// Time of the move to the trash. `None` if the document is not in the trash.
    pub deleted: Option<Timestamp>,
    /// Counter of changes to the node. It is part of the entity tag.
    pub revision: i64,
    /// UUID of the chart kind.
    pub kind: String,
    pub settings: String,
    /// Name of a theme. Empty selects the default theme.
    pub theme: String,
    pub custom_theme: Option<String>,
    pub style: Option<String>,
    /// SVG image that a client supplied. The server stores it but never puts it into a page.
    pub svg: Option<String>,
    pub is_public: bool,
    /// Version number that clients assign to the layout of the document (`version` in the API).
    pub schema_version: i64,
    pub record_count: i64,
    /// Size of all records as JSON text, with the commas between them.
    pub data_bytes: i64,
    /// Number of the newest version in the history.
    pub history_version: i64,
    /// Whether the document itself has access entries. Entries of its folders do not count.
    pub is_shared: bool,
}

impl Document {
    /// Checks that the document is not in the trash.
    ///
    /// # Errors
    /// `Conflict` if it is in the trash.
    pub fn check_not_in_trash(&self) -> Result<()> {
        match self.deleted {
            None => Ok(()),
            Some(_) => {
                Err(Error::Conflict("the document is in the trash; restore it first".to_owned()))
            }
        }
    }

    /// Returns the total size in bytes of records, settings, style, custom theme and SVG image as
    /// text. The title, the history and comments do not count.
    pub fn content_bytes(&self) -> i64 {
        let texts = [
            Some(&self.settings),
            self.style.as_ref(),
            self.custom_theme.as_ref(),
            self.svg.as_ref(),
        ];
        let texts: usize = texts.into_iter().flatten().map(String::len).sum();
        self.data_bytes.saturating_add(i64::try_from(texts).unwrap_or(i64::MAX))
    }

    /// Returns an unsaved, private document with a new id, a new content and empty fields, as of
    /// `now`. The caller sets owner and kind.
    pub fn empty(now: Timestamp) -> Self {
        let id = NodeId::new();
        Self {
            content: ContentId::of_new_document(&id),
            id,
            owner: AccountId::from_text(""),
            owner_name: String::new(),
            parent: None,
            title: String::new(),
            created: now,
            updated: now,
            updated_by: String::new(),
            deleted: None,
            revision: 1,
            kind: String::new(),
            settings: "{}".to_owned(),
            theme: String::new(),
            custom_theme: None,
            style: None,
            svg: None,
            is_public: false,
            schema_version: 0,
            record_count: 0,
            data_bytes: 0,
            history_version: 1,
            is_shared: false,
        }
    }
}

/// Reads one row of [`SELECT_DOCUMENT`].
///
/// Reads columns by number because this is the most frequent statement of the server, and rusqlite
/// finds a column name by comparing it with all names before it.
fn document_from_row(row: &Row<'_>) -> rusqlite::Result<Document> {
    Ok(Document {
        id: row.get(0)?,
        owner: row.get(1)?,
        owner_name: row.get::<_, Option<String>>(2)?.unwrap_or_default(),
        parent: row.get(3)?,
        title: row.get(4)?,
        created: row.get(5)?,
        updated: row.get(6)?,
        updated_by: row.get(7)?,
        deleted: row.get(8)?,
        revision: row.get(9)?,
        kind: row.get(10)?,
        settings: row.get(11)?,
        theme: row.get(12)?,
        custom_theme: row.get(13)?,
        style: row.get(14)?,
        svg: row.get(15)?,
        is_public: row.get(16)?,
        schema_version: row.get(17)?,
        record_count: row.get(18)?,
        data_bytes: row.get(19)?,
        history_version: row.get(20)?,
        is_shared: row.get(21)?,
        content: row.get(22)?,
    })
}

/// Selects a document with its node, in the column order of [`document_from_row`].
const SELECT_DOCUMENT: &str = "
    select node.id, node.owner,
           coalesce((select name from user where id = node.owner),
                    (select name from org where id = node.owner)),
           node.parent, node.title, node.created, node.updated, node.updated_by,
           node.deleted, node.revision,
           document.kind, document.settings, document.theme, document.custom_theme,
           document.style, document.svg, document.is_public, document.schema_version,
           document.record_count, document.data_bytes, document.history_version,
           exists (select 1 from access_entry where node = document.id),
           document.content
    from document join node on node.id = document.id
    where document.id = :id";

/// Returns a document, including one in the trash.
///
/// Also reads `node`, `user`, `org` and `access_entry`.
pub fn find_document(tx: &Tx<'_>, id: &NodeId) -> Result<Option<Document>> {
    tx.find(SELECT_DOCUMENT, named_params! { ":id": id }, document_from_row)
}

/// Returns the ids of all documents, including those in the trash.
pub fn list_document_ids(tx: &Tx<'_>) -> Result<Vec<NodeId>> {
    tx.all("select id from document order by id", [], |row| row.get("id"))
}

/// Counts the documents of `owners` that pass the filter of `order`. They are neither in the trash nor
/// directly in one of the `closed` folders, which must belong to `owners`.
///
/// Reads `node`.
pub fn count_owned_documents(
    tx: &Tx<'_>,
    owners: &[AccountId],
    closed: &[NodeId],
    order: &DocumentOrder,
) -> Result<u64> {
    // An index answers each of the two counts, unless there is a filter.
    let filter = order.condition();
    let sql = format!(
        "select (select count(*) from node
                 where owner in (select value from json_each(:owners))
                   and type = 'document' and deleted is null{filter})
              - (select count(*) from node
                 where parent in (select value from json_each(:closed))
                   and type = 'document' and deleted is null{filter})"
    );
    let (owners, closed) = (serde_json::to_string(owners)?, serde_json::to_string(closed)?);
    let mut all: Vec<(&str, &dyn ToSql)> = vec![(":owners", &owners), (":closed", &closed)];
    all.extend(order.parameters());
    tx.one(&sql, used_parameters(&sql, &all).as_slice(), |row| {
        Ok(row.get::<_, i64>(0)?.unsigned_abs())
    })
}

/// Returns the ids of the documents that [`count_owned_documents`] counts, in the given order.
///
/// Reads `node`. The time grows with the number of documents of the owners.
pub fn list_owned_documents(
    tx: &Tx<'_>,
    owners: &[AccountId],
    closed: &[NodeId],
    order: &DocumentOrder,
    (offset, limit): (u64, u64),
) -> Result<Vec<NodeId>> {
    let (filter, terms) = (order.condition(), order.terms());
    let sql = format!(
        "select id from node
         where owner in (select value from json_each(:owners))
           and type = 'document' and deleted is null
           and (parent is null or parent not in (select value from json_each(:closed))){filter}
         order by {terms}
         limit :limit offset :offset"
    );
    let (owners, closed) = (serde_json::to_string(owners)?, serde_json::to_string(closed)?);
    let (offset, limit) = (offset.cast_signed(), limit.cast_signed());
    let mut all: Vec<(&str, &dyn ToSql)> =
        vec![(":owners", &owners), (":closed", &closed), (":limit", &limit), (":offset", &offset)];
    all.extend(order.parameters());
    tx.all(&sql, used_parameters(&sql, &all).as_slice(), |row| row.get("id"))
}

/// Returns the parameters with a name that occurs in the statement, because SQLite rejects others.
pub fn used_parameters<'a>(
    sql: &str,
    all: &[(&'a str, &'a dyn ToSql)],
) -> Vec<(&'a str, &'a dyn ToSql)> {
    let is_used = |name: &str| {
        sql.match_indices(name).any(|(start, _)| {
            // The name may be the start of a longer one.
            !sql[start + name.len()..].starts_with(|letter: char| letter.is_ascii_alphanumeric())
        })
    };
    all.iter().copied().filter(|(name, _)| is_used(name)).collect()
}

/// Reads the records of a content and appends them to `out` as JSON text, joined by commas.
///
/// The content id must be read in the same transaction, because a change of the document can
/// replace it.
pub fn read_joined_records(tx: &Tx<'_>, content: &ContentId, out: &mut Vec<u8>) -> Result<()> {
    let mut statement =
        tx.prepare_cached("select body from chunk where content = :content order by first")?;
    let mut rows = statement.query(named_params! { ":content": content })?;
    let mut is_first = true;
    while let Some(row) = rows.next()? {
        if !is_first {
            out.push(b',');
        }
        is_first = false;
        out.extend_from_slice(row.get_ref(0)?.as_bytes().map_err(rusqlite::Error::from)?);
    }
    Ok(())
}

/// Returns the chunks of a content in record order.
pub fn list_chunks(tx: &Tx<'_>, content: &ContentId) -> Result<Vec<Chunk>> {
    tx.all(
        "select first, count, body from chunk where content = :content order by first",
        named_params! { ":content": content },
        |row| {
            Ok(Chunk { first: row.get("first")?, count: row.get("count")?, body: row.get("body")? })
        },
    )
}

/// Inserts the row of a new document. Its row in `node` must exist already.
///
/// A document with the content of another one shares its chunks. A new content has no chunks yet.
pub fn insert_document(tx: &WriteTx<'_>, document: &Document) -> Result<()> {
    tx.execute(
        "insert into document
             (id, content, kind, settings, theme, custom_theme, style, svg, is_public,
              schema_version, record_count, data_bytes, history_version)
         values (:id, :content, :kind, :settings, :theme, :custom_theme, :style, :svg, :is_public,
              :schema_version, :record_count, :data_bytes, :history_version)",
        named_params! {
            ":id": document.id,
            ":content": document.content,
            ":kind": document.kind,
            ":settings": document.settings,
            ":theme": document.theme,
            ":custom_theme": document.custom_theme,
            ":style": document.style,
            ":svg": document.svg,
            ":is_public": document.is_public,
            ":schema_version": document.schema_version,
            ":record_count": document.record_count,
            ":data_bytes": document.data_bytes,
            ":history_version": document.history_version,
        },
    )?;
    Ok(())
}

/// Overwrites all columns of the document's row in `document` except `content`. Does not write to
/// `node`.
pub fn update_document(tx: &WriteTx<'_>, document: &Document) -> Result<()> {
    tx.execute(
        "update document
         set kind = :kind, settings = :settings, theme = :theme, custom_theme = :custom_theme,
             style = :style, svg = :svg, is_public = :is_public,
             schema_version = :schema_version, record_count = :record_count,
             data_bytes = :data_bytes, history_version = :history_version
         where id = :id",
        named_params! {
            ":id": document.id,
            ":kind": document.kind,
            ":settings": document.settings,
            ":theme": document.theme,
            ":custom_theme": document.custom_theme,
            ":style": document.style,
            ":svg": document.svg,
            ":is_public": document.is_public,
            ":schema_version": document.schema_version,
            ":record_count": document.record_count,
            ":data_bytes": document.data_bytes,
            ":history_version": document.history_version,
        },
    )?;
    Ok(())
}

/// Adds one record to the document's counters.
///
/// `bytes` is the size of the record, with the comma before it if it is not the first one.
/// `version` is the number of the newest version, which contains the record.
pub fn increment_record_count(
    tx: &WriteTx<'_>,
    id: &NodeId,
    bytes: i64,
    version: i64,
) -> Result<()> {
    tx.execute(
        "update document
         set record_count = record_count + 1, data_bytes = data_bytes + :bytes,
             history_version = :version
         where id = :id",
        named_params! { ":id": id, ":bytes": bytes, ":version": version },
    )?;
    Ok(())
}

/// Whether a document other than `:id` has the content `:content`. A document that is no copy has its id
/// as content, and is not in the index of contents.
const IS_CONTENT_SHARED: &str = "
    select exists (select 1 from document
                   where content = :content and content <> id and id <> :id)
        or exists (select 1 from document where id = :content and content = id and id <> :id)";

/// Returns whether another document has the same content. Then the chunks must not change.
pub fn is_content_shared(tx: &Tx<'_>, document: &Document) -> Result<bool> {
    tx.one(
        IS_CONTENT_SHARED,
        named_params! { ":content": document.content, ":id": document.id },
        |row| row.get(0),
    )
}

/// Replaces the content id of a document, but writes no chunks of the new content. Deletes the
/// chunks of the old content if no other document has it.
pub fn set_content(tx: &WriteTx<'_>, id: &NodeId, content: &ContentId) -> Result<()> {
    // The schema deletes the chunks by a trigger, which also runs for cascaded deletions.
    tx.execute(
        "update document set content = :content where id = :id",
        named_params! { ":id": id, ":content": content },
    )?;
    Ok(())
}

/// Inserts a chunk. No other document may have the content, see [`is_content_shared`].
pub fn insert_chunk(tx: &WriteTx<'_>, content: &ContentId, chunk: &Chunk) -> Result<()> {
    tx.execute(
        "insert into chunk (content, first, count, body) values (:content, :first, :count, :body)",
        named_params! {
            ":content": content,
            ":first": chunk.first,
            ":count": chunk.count,
            ":body": chunk.body,
        },
    )?;
    Ok(())
}

/// Deletes the chunks that start at record `first` or later. No other document may have the
/// content, see [`is_content_shared`].
pub fn delete_chunks_from(tx: &WriteTx<'_>, content: &ContentId, first: i64) -> Result<()> {
    tx.execute(
        "delete from chunk where content = :content and first >= :first",
        named_params! { ":content": content, ":first": first },
    )?;
    Ok(())
}

/// Position and size of the last chunk of a content.
pub struct LastChunk {
    /// Index of its first record.
    pub first: i64,
    /// Size of its text in bytes.
    pub bytes: i64,
}

/// Returns the position and size of the last chunk of a content, or `None` without records.
pub fn find_last_chunk(tx: &Tx<'_>, content: &ContentId) -> Result<Option<LastChunk>> {
    tx.find(
        "select first, octet_length(body) as bytes
         from chunk
         where content = :content
         order by first desc
         limit 1",
        named_params! { ":content": content },
        |row| Ok(LastChunk { first: row.get("first")?, bytes: row.get("bytes")? }),
    )
}

/// Appends a record, after a comma, to the chunk that starts at record `first`. No other document
/// may have the content, see [`is_content_shared`].
pub fn append_to_chunk(
    tx: &WriteTx<'_>,
    content: &ContentId,
    first: i64,
    record: &str,
) -> Result<()> {
    tx.execute(
        "update chunk
         set body = body || ',' || :record, count = count + 1
         where content = :content and first = :first",
        named_params! { ":content": content, ":first": first, ":record": record },
    )?;
    Ok(())
}

/// Copies all chunks of the content `from` to the content `to`, which must have no chunks.
pub fn copy_chunks(tx: &WriteTx<'_>, from: &ContentId, to: &ContentId) -> Result<()> {
    tx.execute(
        "insert into chunk (content, first, count, body)
         select :to, first, count, body from chunk where content = :from order by first",
        named_params! { ":from": from, ":to": to },
    )?;
    Ok(())
}

/// Records the origin of a copy: `source` is the original, `action` is `fork` or `duplicate`.
pub fn insert_copy(tx: &WriteTx<'_>, id: &NodeId, source: &NodeId, action: &str) -> Result<()> {
    tx.execute(
        "insert into copy (id, source, action, created) values (:id, :source, :action, :created)",
        named_params! { ":id": id, ":source": source, ":action": action, ":created": tx.now },
    )?;
    Ok(())
}

/// Returns true if `user` is an existing user who is not disabled.
///
/// Reads `user`. Returns false for an organization, because an organization has no row there.
pub fn is_user_enabled(tx: &Tx<'_>, user: &AccountId) -> Result<bool> {
    let found: Option<bool> = tx.find(
        "select disabled from user where id = :user",
        named_params! { ":user": user },
        |row| row.get("disabled"),
    )?;
    Ok(found == Some(false))
}

#[cfg(test)]
mod tests {
    use super::*;
    use chartroom_platform::db::schema;

    #[test]
    fn documents_with_a_content_are_found_by_indexes() {
        let plan = schema::explain(IS_CONTENT_SHARED).unwrap().join("; ");
        assert!(plan.contains("USING INDEX document_content (content=?)"), "{plan}");
        assert_eq!(schema::full_scans(IS_CONTENT_SHARED).unwrap(), ["SCAN CONSTANT ROW"], "{plan}");
    }
}
