//! SQL of tables `thread`, `comment` and `mention`.

use rusqlite::Row;
use rusqlite::named_params;
use rusqlite::types::Type;

use super::content::Part;
use super::view::Position;
use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;
use chartroom_platform::id::CommentId;
use chartroom_platform::id::NodeId;
use chartroom_platform::id::ThreadId;
use chartroom_platform::time::Timestamp;

/// A thread without its comments.
#[derive(Debug, Clone)]
pub struct Thread {
    pub id: ThreadId,
    pub document: NodeId,
    pub author: AccountId,
    pub created: Timestamp,
    pub position: Position,
    pub resolved: bool,
}

/// A comment.
#[derive(Debug, Clone)]
pub struct Comment {
    pub id: CommentId,
    pub thread: ThreadId,
    pub author: AccountId,
    /// The author's present name; none when there is no such account any more.
    pub author_name: Option<String>,
    pub content: Vec<Part>,
    pub created: Timestamp,
    /// When it was last edited.
    pub updated: Option<Timestamp>,
}

fn thread_row(row: &Row<'_>) -> rusqlite::Result<Thread> {
    Ok(Thread {
        id: row.get("id")?,
        document: row.get("document")?,
        author: row.get("author")?,
        created: row.get("created")?,
        position: Position { x: row.get("x")?, y: row.get("y")? },
        resolved: row.get("resolved")?,
    })
}

fn comment_row(row: &Row<'_>) -> rusqlite::Result<Comment> {
    let content: String = row.get("content")?;
    let content = serde_json::from_str(&content)
        .map_err(|error| rusqlite::Error::FromSqlConversionFailure(0, Type::Text, error.into()))?;
    Ok(Comment {
        id: row.get("id")?,
        thread: row.get("thread")?,
        author: row.get("author")?,
        author_name: row.get("author_name")?,
        content,
        created: row.get("created")?,
        updated: row.get("updated")?,
    })
}

/// The columns of a comment, for statements that know it as `comment` and its author as `user`.
macro_rules! columns {
    () => {
        "comment.id, comment.thread, comment.author, user.name as author_name, comment.content,
         comment.created, comment.updated"
    };
}

/// The threads of a document, oldest first.
pub fn threads(tx: &Tx<'_>, document: &NodeId) -> Result<Vec<Thread>> {
    tx.all(
        "select id, document, author, created, x, y, resolved
         from thread
         where document = :document
         order by created, id",
        named_params! { ":document": document },
        thread_row,
    )
}

/// A thread of a document.
pub fn thread(tx: &Tx<'_>, document: &NodeId, id: &ThreadId) -> Result<Option<Thread>> {
    tx.find(
        "select id, document, author, created, x, y, resolved
         from thread
         where id = :id and document = :document",
        named_params! { ":id": id, ":document": document },
        thread_row,
    )
}

/// All comments of a document, or those of one thread of it, oldest first (reads `user`).
pub fn comments(tx: &Tx<'_>, document: &NodeId, thread: Option<&ThreadId>) -> Result<Vec<Comment>> {
    tx.all(
        concat!(
            "select ",
            columns!(),
            " from thread
             join comment on comment.thread = thread.id
             left join user on user.id = comment.author
             where thread.document = :document and (:thread is null or thread.id = :thread)
             order by comment.created, comment.id"
        ),
        named_params! { ":document": document, ":thread": thread },
        comment_row,
    )
}

/// A comment, wherever it is, with the document that it is on (reads `user`).
pub fn comment(tx: &Tx<'_>, id: &CommentId) -> Result<Option<(NodeId, Comment)>> {
    tx.find(
        concat!(
            "select thread.document, ",
            columns!(),
            " from comment
             join thread on thread.id = comment.thread
             left join user on user.id = comment.author
             where comment.id = :id"
        ),
        named_params! { ":id": id },
        |row| Ok((row.get("document")?, comment_row(row)?)),
    )
}

/// Who wrote anything on a document.
pub fn authors(tx: &Tx<'_>, document: &NodeId) -> Result<Vec<AccountId>> {
    tx.all(
        "select distinct comment.author
         from thread join comment on comment.thread = thread.id
         where thread.document = :document",
        named_params! { ":document": document },
        |row| row.get(0),
    )
}

/// How many comments a document has, and their bytes.
pub fn size(tx: &Tx<'_>, document: &NodeId) -> Result<(usize, usize)> {
    let (count, bytes): (i64, i64) = tx.one(
        "select count(*), ifnull(sum(octet_length(comment.content)), 0)
         from thread join comment on comment.thread = thread.id
         where thread.document = :document",
        named_params! { ":document": document },
        |row| Ok((row.get(0)?, row.get(1)?)),
    )?;
    let whole = |number: i64| usize::try_from(number).unwrap_or(0);
    Ok((whole(count), whole(bytes)))
}

/// Adds a thread.
pub fn insert_thread(tx: &WriteTx<'_>, thread: &Thread) -> Result<()> {
    tx.execute(
        "insert into thread (id, document, author, created, x, y, resolved)
         values (:id, :document, :author, :created, :x, :y, :resolved)",
        named_params! {
            ":id": thread.id,
            ":document": thread.document,
            ":author": thread.author,
            ":created": thread.created,
            ":x": thread.position.x,
            ":y": thread.position.y,
            ":resolved": thread.resolved,
        },
    )?;
    Ok(())
}

/// Stores where a thread is and whether it is resolved.
pub fn update_thread(tx: &WriteTx<'_>, thread: &Thread) -> Result<()> {
    tx.execute(
        "update thread set x = :x, y = :y, resolved = :resolved where id = :id",
        named_params! {
            ":id": thread.id,
            ":x": thread.position.x,
            ":y": thread.position.y,
            ":resolved": thread.resolved,
        },
    )?;
    Ok(())
}

/// Removes a thread with its comments.
pub fn delete_thread(tx: &WriteTx<'_>, id: &ThreadId) -> Result<()> {
    tx.execute("delete from thread where id = :id", named_params! { ":id": id })?;
    Ok(())
}

/// Adds a comment.
pub fn insert(tx: &WriteTx<'_>, comment: &Comment) -> Result<()> {
    tx.execute(
        "insert into comment (id, thread, author, content, created)
         values (:id, :thread, :author, :content, :created)",
        named_params! {
            ":id": comment.id,
            ":thread": comment.thread,
            ":author": comment.author,
            ":content": serde_json::to_string(&comment.content)?,
            ":created": comment.created,
        },
    )?;
    Ok(())
}

/// Stores what a comment says, and when it was edited.
pub fn update(tx: &WriteTx<'_>, comment: &Comment) -> Result<()> {
    tx.execute(
        "update comment set content = :content, updated = :updated where id = :id",
        named_params! {
            ":id": comment.id,
            ":content": serde_json::to_string(&comment.content)?,
            ":updated": comment.updated,
        },
    )?;
    Ok(())
}

/// Removes a comment.
pub fn delete(tx: &WriteTx<'_>, id: &CommentId) -> Result<()> {
    tx.execute("delete from comment where id = :id", named_params! { ":id": id })?;
    Ok(())
}

/// Notes that somebody is told of a mention; false when he was before.
pub fn note_mention(tx: &WriteTx<'_>, comment: &CommentId, user: &AccountId) -> Result<bool> {
    let added = tx.execute(
        "insert into mention (comment, user_id) values (:comment, :user)
         on conflict (comment, user_id) do nothing",
        named_params! { ":comment": comment, ":user": user },
    )?;
    Ok(added > 0)
}

/// Who was told that a comment mentions him, or is about to be.
pub fn mentions(tx: &Tx<'_>, comment: &CommentId) -> Result<Vec<AccountId>> {
    tx.all(
        "select user_id from mention where comment = :comment",
        named_params! { ":comment": comment },
        |row| row.get(0),
    )
}

/// Forgets that somebody is to be told.
pub fn forget_mention(tx: &WriteTx<'_>, comment: &CommentId, user: &AccountId) -> Result<()> {
    tx.execute(
        "delete from mention where comment = :comment and user_id = :user",
        named_params! { ":comment": comment, ":user": user },
    )?;
    Ok(())
}
