//! SQL of table `muted_notification`.

use rusqlite::named_params;

use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;

/// Returns whether a user has switched off the mails of a kind.
pub fn is_muted(tx: &Tx<'_>, user: &AccountId, kind: &str) -> Result<bool> {
    tx.one(
        "select exists (select 1 from muted_notification where user_id = :user and kind = :kind)",
        named_params! { ":user": user, ":kind": kind },
        |row| row.get(0),
    )
}

/// Switches the mails of a kind off for a user. Does nothing if they are off.
pub fn mute(tx: &WriteTx<'_>, user: &AccountId, kind: &str) -> Result<()> {
    tx.execute(
        "insert into muted_notification (user_id, kind) values (:user, :kind)
         on conflict do nothing",
        named_params! { ":user": user, ":kind": kind },
    )?;
    Ok(())
}

/// Switches the mails of a kind on for a user. Does nothing if they are on.
pub fn unmute(tx: &WriteTx<'_>, user: &AccountId, kind: &str) -> Result<()> {
    tx.execute(
        "delete from muted_notification where user_id = :user and kind = :kind",
        named_params! { ":user": user, ":kind": kind },
    )?;
    Ok(())
}
