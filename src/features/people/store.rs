//! SQL of table `used_confirmation`, and of the other tables in the modules below.

pub mod invites;
pub mod managed;
pub mod people;

use rusqlite::named_params;

use chartroom_platform::crypto::Sha256Hash;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Result;
use chartroom_platform::time::Timestamp;

/// Inserts a confirmation that was used. Fails with a unique violation if it was used before.
pub fn insert_used_confirmation(
    tx: &WriteTx<'_>,
    hash: &Sha256Hash,
    expires: Timestamp,
) -> Result<()> {
    tx.execute(
        "insert into used_confirmation (hash, expires) values (:hash, :expires)",
        named_params! { ":hash": hash, ":expires": expires },
    )?;
    Ok(())
}

/// Deletes the used confirmations that have expired.
pub fn delete_expired_confirmations(tx: &WriteTx<'_>) -> Result<()> {
    tx.execute(
        "delete from used_confirmation where expires <= :now",
        named_params! { ":now": tx.now },
    )?;
    Ok(())
}
