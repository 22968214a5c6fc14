//! SQL of the tables `thread`, `comment` and `mention`. Also reads `user`.

use rusqlite::Row;
use rusqlite::named_params;
use rusqlite::types::Type;

use super::thread::Comment;
use super::thread::Position;
use super::thread::Thread;
use super::thread::ThreadRange;
use crate::features::tree;
use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;
use chartroom_platform::id::CommentId;
use chartroom_platform::id::NodeId;
use chartroom_platform::id::ThreadId;

/// Reads a row of `thread`, by column names.
fn thread_from_row(row: &Row<'_>) -> rusqlite::Result<Thread> {
    Ok(Thread {
        id: row.get("id")?,
        document: row.get("document")?,
        author: row.get("author")?,
        created: row.get("created")?,
        position: Position { x: row.get("x")?, y: row.get("y")? },
        resolved: row.get("resolved")?,
    })
}

/// Reads a row with `comment_columns!`. A stored content that is not valid JSON is an error.
fn comment_from_row(row: &Row<'_>) -> rusqlite::Result<Comment> {
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

/// Columns of a comment, for statements that join `comment` and its author as `user`.
macro_rules! comment_columns {
    () => {
        "comment.id, comment.thread, comment.author, user.name as author_name, comment.content,
         comment.created, comment.updated"
    };
}

/// Lists the threads of a document in `range`, oldest first.
pub fn list_threads(tx: &Tx<'_>, document: &NodeId, range: ThreadRange) -> Result<Vec<Thread>> {
    tx.all(
        "select id, document, author, created, x, y, resolved
         from thread
         where document = :document
         order by created, id
         limit :limit offset :offset",
        named_params! {
            ":document": document,
            ":limit": range.limit.map_or(-1, i64::from),
            ":offset": range.offset,
        },
        thread_from_row,
    )
}

/// Returns the number of threads of a document.
pub fn count_threads(tx: &Tx<'_>, document: &NodeId) -> Result<u64> {
    let count: i64 = tx.one(
        "select count(*) from thread where document = :document",
        named_params! { ":document": document },
        |row| row.get(0),
    )?;
    Ok(count.unsigned_abs())
}

/// Finds a thread by id. None if it does not exist or is in another document.
pub fn find_thread(tx: &Tx<'_>, document: &NodeId, id: &ThreadId) -> Result<Option<Thread>> {
    tx.find(
        "select id, document, author, created, x, y, resolved
         from thread
         where id = :id and document = :document",
        named_params! { ":id": id, ":document": document },
        thread_from_row,
    )
}

/// Lists the comments of a thread, oldest first.
pub fn list_comments(tx: &Tx<'_>, thread: &ThreadId) -> Result<Vec<Comment>> {
    tx.all(
        concat!(
            "select ",
            comment_columns!(),
            " from comment
             left join user on user.id = comment.author
             where comment.thread = :thread
             order by comment.created, comment.id"
        ),
        named_params! { ":thread": thread },
        comment_from_row,
    )
}

/// Lists the comments of the threads of a document in `range`, oldest first.
pub fn list_comments_in_range(
    tx: &Tx<'_>,
    document: &NodeId,
    range: ThreadRange,
) -> Result<Vec<Comment>> {
    tx.all(
        concat!(
            "select ",
            comment_columns!(),
            " from (
                 select id from thread
                 where document = :document
                 order by created, id
                 limit :limit offset :offset
             ) as listed
             join comment on comment.thread = listed.id
             left join user on user.id = comment.author
             order by comment.created, comment.id"
        ),
        named_params! {
            ":document": document,
            ":limit": range.limit.map_or(-1, i64::from),
            ":offset": range.offset,
        },
        comment_from_row,
    )
}

/// Finds a comment in any document. Returns the id of the document and the comment.
pub fn find_comment(tx: &Tx<'_>, id: &CommentId) -> Result<Option<(NodeId, Comment)>> {
    tx.find(
        concat!(
            "select thread.document, ",
            comment_columns!(),
            " from comment
             join thread on thread.id = comment.thread
             left join user on user.id = comment.author
             where comment.id = :id"
        ),
        named_params! { ":id": id },
        |row| Ok((row.get("document")?, comment_from_row(row)?)),
    )
}

/// Lists the authors of the comments of a document, each once, in no particular order.
pub fn list_authors(tx: &Tx<'_>, document: &NodeId) -> Result<Vec<AccountId>> {
    tx.all(
        "select distinct comment.author
         from thread join comment on comment.thread = thread.id
         where thread.document = :document",
        named_params! { ":document": document },
        |row| row.get(0),
    )
}

/// Returns the number of comments of a document and the total size of their stored content in
/// bytes.
pub fn total_size(tx: &Tx<'_>, document: &NodeId) -> Result<(usize, usize)> {
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

/// Returns the total size of the comments of a thread and of the thread itself in bytes, as counted
/// for the limit of the document's owner. A missing thread counts like one without comments.
pub fn measure_thread(tx: &Tx<'_>, id: &ThreadId) -> Result<i64> {
    tx.one(
        "select :row + ifnull(sum(:row + octet_length(content)), 0)
         from comment where thread = :id",
        named_params! { ":id": id, ":row": tree::ROW_BYTES },
        |row| row.get(0),
    )
}

/// Returns the size of a comment in bytes, as counted for the limit of the document's owner, or 0
/// if it does not exist.
pub fn measure_comment(tx: &Tx<'_>, id: &CommentId) -> Result<i64> {
    let bytes = tx.find(
        "select octet_length(content) from comment where id = :id",
        named_params! { ":id": id },
        |row| row.get::<_, i64>(0),
    )?;
    Ok(bytes.map_or(0, |bytes| bytes + tree::ROW_BYTES))
}

/// Inserts a thread without comments. Does not change the stored size of the document.
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

/// Updates position and `resolved` of the thread with the id of `thread`. Ignores its other fields.
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

/// Deletes a thread with its comments and their mentions. Does not change the stored size of the
/// document.
pub fn delete_thread(tx: &WriteTx<'_>, id: &ThreadId) -> Result<()> {
    tx.execute("delete from thread where id = :id", named_params! { ":id": id })?;
    Ok(())
}

/// Inserts a new comment, with its content as JSON. Does not store `updated` and `author_name`, and
/// does not change the stored size of the document.
pub fn insert_comment(tx: &WriteTx<'_>, comment: &Comment) -> Result<()> {
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

/// Updates content and edit time of the comment with the id of `comment`. Ignores its other fields.
pub fn update_comment(tx: &WriteTx<'_>, comment: &Comment) -> Result<()> {
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

/// Deletes a comment with its mentions. Keeps its thread, even if it was the last comment, and the
/// stored size of the document. Does nothing if there is no such comment.
pub fn delete_comment(tx: &WriteTx<'_>, id: &CommentId) -> Result<()> {
    tx.execute("delete from comment where id = :id", named_params! { ":id": id })?;
    Ok(())
}

/// Records the mention of a user in a comment, so that it causes only one mail. Returns true if it
/// is new, and false if it was recorded before. Enqueues no mail.
pub fn insert_mention(tx: &WriteTx<'_>, comment: &CommentId, user: &AccountId) -> Result<bool> {
    let added = tx.execute(
        "insert into mention (comment, user_id) values (:comment, :user)
         on conflict (comment, user_id) do nothing",
        named_params! { ":comment": comment, ":user": user },
    )?;
    Ok(added > 0)
}

/// Lists the users with a recorded mention in a comment. Their mail is queued, was sent, or was
/// omitted because there was no mail server.
pub fn list_mentions(tx: &Tx<'_>, comment: &CommentId) -> Result<Vec<AccountId>> {
    tx.all(
        "select user_id from mention where comment = :comment",
        named_params! { ":comment": comment },
        |row| row.get(0),
    )
}

/// Deletes the record of a mention, so that a later mention of the user in the comment is new. Does
/// not change the comment or a queued mail.
pub fn delete_mention(tx: &WriteTx<'_>, comment: &CommentId, user: &AccountId) -> Result<()> {
    tx.execute(
        "delete from mention where comment = :comment and user_id = :user",
        named_params! { ":comment": comment, ":user": user },
    )?;
    Ok(())
}
