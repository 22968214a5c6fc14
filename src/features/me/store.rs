//! SQL of table `avatar`.

use rusqlite::named_params;

use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;

/// Returns the tag of the uploaded avatar of a user, which changes with its content.
pub fn find_tag(tx: &Tx<'_>, user: &AccountId) -> Result<Option<String>> {
    tx.find(
        "select tag from avatar where user_id = :user",
        named_params! { ":user": user },
        |row| row.get("tag"),
    )
}

/// Returns the PNG of the uploaded avatar of a user.
pub fn find_body(tx: &Tx<'_>, user: &AccountId) -> Result<Option<Vec<u8>>> {
    tx.find(
        "select body from avatar where user_id = :user",
        named_params! { ":user": user },
        |row| row.get("body"),
    )
}

/// Stores or replaces the avatar of a user. `body` is the encoded PNG, and `tag` is its
/// `crypto::content_hash_tag`. Neither is checked. Returns false if the user does not exist.
pub fn put_avatar(tx: &WriteTx<'_>, user: &AccountId, body: &[u8], tag: &str) -> Result<bool> {
    let stored = tx.execute(
        "insert into avatar (user_id, body, tag)
         select id, :body, :tag from user where id = :user
         on conflict (user_id) do update set body = excluded.body, tag = excluded.tag",
        named_params! { ":user": user, ":body": body, ":tag": tag },
    )?;
    Ok(stored > 0)
}

/// Deletes the avatar of a user. Does nothing without one.
pub fn delete_avatar(tx: &WriteTx<'_>, user: &AccountId) -> Result<()> {
    tx.execute("delete from avatar where user_id = :user", named_params! { ":user": user })?;
    Ok(())
}
