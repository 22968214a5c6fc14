//! SQL of table `password_link`.

use rusqlite::named_params;

use chartroom_platform::crypto::Sha256Hash;
use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;
use chartroom_platform::time::Timestamp;

/// The reason for a password link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkPurpose {
    /// An organization sends the link for an account that it manages.
    Account,
    /// Somebody asks for the link because of a forgotten password.
    Reset,
}

impl LinkPurpose {
    /// Returns the name in the database.
    fn as_str(self) -> &'static str {
        match self {
            Self::Account => "account",
            Self::Reset => "reset",
        }
    }
}

/// Inserts a password link. `hash` is the SHA-256 of its token.
pub fn insert(
    tx: &WriteTx<'_>,
    hash: &Sha256Hash,
    user: &AccountId,
    purpose: LinkPurpose,
    expires: Timestamp,
) -> Result<()> {
    tx.execute(
        "insert into password_link (hash, user_id, purpose, created, expires)
         values (:hash, :user, :purpose, :now, :expires)",
        named_params! {
            ":hash": hash,
            ":user": user,
            ":purpose": purpose.as_str(),
            ":now": tx.now,
            ":expires": expires,
        },
    )?;
    Ok(())
}

/// Returns the user of the password link with this SHA-256 hash of its token. None if there is no
/// such link, or it has expired.
pub fn find_user(tx: &Tx<'_>, hash: &Sha256Hash) -> Result<Option<AccountId>> {
    tx.find(
        "select user_id from password_link where hash = :hash and expires > :now",
        named_params! { ":hash": hash, ":now": tx.now },
        |row| row.get("user_id"),
    )
}

/// Deletes the password links of a user, and the expired links of all users.
pub fn delete_all(tx: &WriteTx<'_>, user: &AccountId) -> Result<()> {
    tx.execute(
        "delete from password_link where user_id = :user or expires <= :now",
        named_params! { ":user": user, ":now": tx.now },
    )?;
    Ok(())
}

/// Deletes the expired links of all users, and the oldest links of a user with this purpose beyond
/// `max_count`.
pub fn delete_oldest(
    tx: &WriteTx<'_>,
    user: &AccountId,
    purpose: LinkPurpose,
    max_count: u32,
) -> Result<()> {
    tx.execute(
        "delete from password_link
         where expires <= :now
             or hash in (
                 select hash
                 from password_link
                 where user_id = :user and purpose = :purpose
                 order by expires desc, hash
                 limit -1 offset :max_count)",
        named_params! {
            ":now": tx.now,
            ":user": user,
            ":purpose": purpose.as_str(),
            ":max_count": max_count,
        },
    )?;
    Ok(())
}
