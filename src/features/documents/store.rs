//! SQL of tables `document`, `chunk` and `copy`.

pub mod tokens;

pub mod texts;

use rusqlite::Row;
use rusqlite::named_params;

use super::records::Chunk;
use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;
use chartroom_platform::id::NodeId;
use chartroom_platform::time::Timestamp;

/// A document without its records. JSON fields are the stored texts.
#[derive(Debug, Clone, PartialEq)]
pub struct Head {
    pub id: NodeId,
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
    /// In the trash since.
    pub deleted: Option<Timestamp>,
    pub revision: i64,
    /// The kind's UUID.
    pub kind: String,
    pub settings: String,
    /// Name of a theme; empty for the default one.
    pub theme: String,
    pub custom_theme: Option<String>,
    pub style: Option<String>,
    /// A picture that a client supplied; kept, never drawn into pages.
    pub svg: Option<String>,
    pub is_public: bool,
    pub schema_version: i64,
    pub record_count: i64,
    pub data_bytes: i64,
    pub history_version: i64,
    /// Whether it has access entries of its own.
    pub is_shared: bool,
}

impl Head {
    /// Refuses what cannot be done to a document in the trash.
    ///
    /// # Errors
    /// `Conflict` when it is there.
    pub fn check_present(&self) -> Result<()> {
        match self.deleted {
            None => Ok(()),
            Some(_) => {
                Err(Error::Conflict("the document is in the trash; restore it first".to_owned()))
            }
        }
    }

    /// A document without content, owned by nobody yet.
    pub fn empty(now: Timestamp) -> Self {
        Self {
            id: NodeId::new(),
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

/// The columns of [`HEAD`] by number, not by name: this is the busiest statement of the server, and
/// each look-up of a name compares it with all names before it.
fn head(row: &Row<'_>) -> rusqlite::Result<Head> {
    Ok(Head {
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
    })
}

const HEAD: &str = "
    select node.id, node.owner,
           coalesce((select name from user where id = node.owner),
                    (select name from org where id = node.owner)),
           node.parent, node.title, node.created, node.updated, node.updated_by,
           node.deleted, node.revision,
           document.kind, document.settings, document.theme, document.custom_theme,
           document.style, document.svg, document.is_public, document.schema_version,
           document.record_count, document.data_bytes, document.history_version,
           exists (select 1 from access_entry where node = document.id)
    from document join node on node.id = document.id
    where document.id = :id";

/// A document, in the trash or not (reads `node`, `user`, `org` and `access_entry` too).
pub fn find(tx: &Tx<'_>, id: &NodeId) -> Result<Option<Head>> {
    tx.find(HEAD, named_params! { ":id": id }, head)
}

/// The ids of all documents.
pub fn ids(tx: &Tx<'_>) -> Result<Vec<NodeId>> {
    tx.all("select id from document order by id", [], |row| row.get("id"))
}

/// How many documents some accounts own, the trash and what is in `closed` folders apart (reads
/// `node`).
pub fn count_owned(tx: &Tx<'_>, owners: &[AccountId], closed: &[NodeId]) -> Result<u64> {
    // Two numbers that an index has each.
    tx.one(
        "select (select count(*) from node
                 where owner in (select value from json_each(:owners))
                   and type = 'document' and deleted is null)
              - (select count(*) from node
                 where parent in (select value from json_each(:closed))
                   and type = 'document' and deleted is null)",
        named_params! {
            ":owners": serde_json::to_string(owners)?,
            ":closed": serde_json::to_string(closed)?,
        },
        |row| Ok(row.get::<_, i64>(0)?.unsigned_abs()),
    )
}

/// The documents of some accounts, the trash and what is in `closed` folders apart, last changed
/// first (reads `node`).
pub fn newest_owned(
    tx: &Tx<'_>,
    owners: &[AccountId],
    closed: &[NodeId],
    offset: u64,
    limit: u64,
) -> Result<Vec<NodeId>> {
    tx.all(
        "select id from node
         where owner in (select value from json_each(:owners))
           and type = 'document' and deleted is null
           and (parent is null or parent not in (select value from json_each(:closed)))
         order by updated desc, id desc
         limit :limit offset :offset",
        named_params! {
            ":owners": serde_json::to_string(owners)?,
            ":closed": serde_json::to_string(closed)?,
            ":limit": limit.cast_signed(),
            ":offset": offset.cast_signed(),
        },
        |row| row.get("id"),
    )
}

/// Appends the records of a document to `out`, joined by commas.
pub fn append_records(tx: &Tx<'_>, id: &NodeId, out: &mut Vec<u8>) -> Result<()> {
    let mut statement =
        tx.prepare_cached("select body from chunk where document = :id order by first")?;
    let mut rows = statement.query(named_params! { ":id": id })?;
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

/// The chunks of a document in order.
pub fn chunks(tx: &Tx<'_>, id: &NodeId) -> Result<Vec<Chunk>> {
    tx.all(
        "select first, count, body from chunk where document = :id order by first",
        named_params! { ":id": id },
        |row| {
            Ok(Chunk { first: row.get("first")?, count: row.get("count")?, body: row.get("body")? })
        },
    )
}

/// A new document's row; its node is there already.
pub fn insert(tx: &WriteTx<'_>, head: &Head) -> Result<()> {
    tx.execute(
        "insert into document
             (id, kind, settings, theme, custom_theme, style, svg, is_public,
              schema_version, record_count, data_bytes, history_version)
         values (:id, :kind, :settings, :theme, :custom_theme, :style, :svg, :is_public,
              :schema_version, :record_count, :data_bytes, :history_version)",
        named_params! {
            ":id": head.id,
            ":kind": head.kind,
            ":settings": head.settings,
            ":theme": head.theme,
            ":custom_theme": head.custom_theme,
            ":style": head.style,
            ":svg": head.svg,
            ":is_public": head.is_public,
            ":schema_version": head.schema_version,
            ":record_count": head.record_count,
            ":data_bytes": head.data_bytes,
            ":history_version": head.history_version,
        },
    )?;
    Ok(())
}

/// Writes all columns of a document's row.
pub fn update(tx: &WriteTx<'_>, head: &Head) -> Result<()> {
    tx.execute(
        "update document
         set kind = :kind, settings = :settings, theme = :theme, custom_theme = :custom_theme,
             style = :style, svg = :svg, is_public = :is_public,
             schema_version = :schema_version, record_count = :record_count,
             data_bytes = :data_bytes, history_version = :history_version
         where id = :id",
        named_params! {
            ":id": head.id,
            ":kind": head.kind,
            ":settings": head.settings,
            ":theme": head.theme,
            ":custom_theme": head.custom_theme,
            ":style": head.style,
            ":svg": head.svg,
            ":is_public": head.is_public,
            ":schema_version": head.schema_version,
            ":record_count": head.record_count,
            ":data_bytes": head.data_bytes,
            ":history_version": head.history_version,
        },
    )?;
    Ok(())
}

/// Counts a record that was appended; `version` is the newest one with it.
pub fn count_record(tx: &WriteTx<'_>, id: &NodeId, bytes: i64, version: i64) -> Result<()> {
    tx.execute(
        "update document
         set record_count = record_count + 1, data_bytes = data_bytes + :bytes,
             history_version = :version
         where id = :id",
        named_params! { ":id": id, ":bytes": bytes, ":version": version },
    )?;
    Ok(())
}

/// Adds a chunk.
pub fn insert_chunk(tx: &WriteTx<'_>, id: &NodeId, chunk: &Chunk) -> Result<()> {
    tx.execute(
        "insert into chunk (document, first, count, body) values (:id, :first, :count, :body)",
        named_params! {
            ":id": id,
            ":first": chunk.first,
            ":count": chunk.count,
            ":body": chunk.body,
        },
    )?;
    Ok(())
}

/// Deletes the chunks that begin at or after a record.
pub fn delete_chunks_from(tx: &WriteTx<'_>, id: &NodeId, first: i64) -> Result<()> {
    tx.execute(
        "delete from chunk where document = :id and first >= :first",
        named_params! { ":id": id, ":first": first },
    )?;
    Ok(())
}

/// First record and bytes of a document's last chunk.
pub fn last_chunk(tx: &Tx<'_>, id: &NodeId) -> Result<Option<(i64, i64)>> {
    tx.find(
        "select first, octet_length(body) as bytes
         from chunk
         where document = :id
         order by first desc
         limit 1",
        named_params! { ":id": id },
        |row| Ok((row.get("first")?, row.get("bytes")?)),
    )
}

/// Appends a record to a chunk.
pub fn extend_chunk(tx: &WriteTx<'_>, id: &NodeId, first: i64, record: &str) -> Result<()> {
    tx.execute(
        "update chunk
         set body = body || ',' || :record, count = count + 1
         where document = :id and first = :first",
        named_params! { ":id": id, ":first": first, ":record": record },
    )?;
    Ok(())
}

/// Copies all chunks of a document to another one that has none.
pub fn copy_chunks(tx: &WriteTx<'_>, from: &NodeId, to: &NodeId) -> Result<()> {
    tx.execute(
        "insert into chunk (document, first, count, body)
         select :to, first, count, body from chunk where document = :from order by first",
        named_params! { ":from": from, ":to": to },
    )?;
    Ok(())
}

/// Notes how a copy came about: `action` is `fork` or `duplicate`.
pub fn note_copy(tx: &WriteTx<'_>, id: &NodeId, source: &NodeId, action: &str) -> Result<()> {
    tx.execute(
        "insert into copy (id, source, action, created) values (:id, :source, :action, :created)",
        named_params! { ":id": id, ":source": source, ":action": action, ":created": tx.now },
    )?;
    Ok(())
}

/// The layout preset that a user chose for new documents, as JSON text (reads `user`).
pub fn default_layout(tx: &Tx<'_>, user: &AccountId) -> Result<Option<String>> {
    let found = tx.find(
        "select default_layout from user where id = :user",
        named_params! { ":user": user },
        |row| row.get("default_layout"),
    )?;
    Ok(found.flatten())
}

/// Whether an account may act: an organization, or a user who is not disabled (reads `user`).
pub fn is_enabled(tx: &Tx<'_>, user: &AccountId) -> Result<bool> {
    let found: Option<bool> = tx.find(
        "select disabled from user where id = :user",
        named_params! { ":user": user },
        |row| row.get("disabled"),
    )?;
    Ok(found == Some(false))
}

/// The theme that an organization chose for new documents (reads `org`).
pub fn default_theme(tx: &Tx<'_>, org: &AccountId) -> Result<Option<String>> {
    tx.find("select default_theme from org where id = :org", named_params! { ":org": org }, |row| {
        row.get("default_theme")
    })
}
