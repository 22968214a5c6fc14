//! SQL of tables `second_factor` and `recovery_code`.

use rusqlite::named_params;

use chartroom_platform::crypto::Sha256Hash;
use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;
use chartroom_platform::time::Timestamp;

/// A row of table `second_factor`.
pub struct SecondFactor {
    /// Encrypted secret.
    pub secret: Vec<u8>,
    /// Time from which sign-ins need a code. None until the user has entered the first code.
    pub confirmed: Option<Timestamp>,
    /// Step of the last accepted code.
    pub last_step: i64,
    /// Time at which the secret was created.
    pub created: Timestamp,
}

/// Returns the second factor of a user, confirmed or not.
pub fn find(tx: &Tx<'_>, user: &AccountId) -> Result<Option<SecondFactor>> {
    tx.find(
        "select secret, confirmed, last_step, created from second_factor where user_id = :user",
        named_params! { ":user": user },
        |row| {
            Ok(SecondFactor {
                secret: row.get("secret")?,
                confirmed: row.get("confirmed")?,
                last_step: row.get("last_step")?,
                created: row.get("created")?,
            })
        },
    )
}

/// Returns whether a user has a confirmed second factor.
pub fn is_confirmed(tx: &Tx<'_>, user: &AccountId) -> Result<bool> {
    tx.one(
        "select exists (
             select 1 from second_factor where user_id = :user and confirmed is not null)",
        named_params! { ":user": user },
        |row| row.get(0),
    )
}

/// Stores the secret of a second factor that is not confirmed yet, instead of any other secret.
pub fn put_unconfirmed(tx: &WriteTx<'_>, user: &AccountId, secret: &[u8]) -> Result<()> {
    tx.execute(
        "insert into second_factor (user_id, secret, confirmed, last_step, created)
         values (:user, :secret, null, 0, :now)
         on conflict (user_id) do update
         set secret = excluded.secret, confirmed = null, last_step = 0, created = excluded.created",
        named_params! { ":user": user, ":secret": secret, ":now": tx.now },
    )?;
    Ok(())
}

/// Sets the time from which sign-ins of a user need a code.
pub fn confirm(tx: &WriteTx<'_>, user: &AccountId) -> Result<()> {
    tx.execute(
        "update second_factor set confirmed = :now where user_id = :user",
        named_params! { ":user": user, ":now": tx.now },
    )?;
    Ok(())
}

/// Marks a step and all earlier ones as used. Returns false if it was used before.
pub fn use_step(tx: &WriteTx<'_>, user: &AccountId, step: i64) -> Result<bool> {
    let updated = tx.execute(
        "update second_factor
         set last_step = :step
         where user_id = :user and last_step < :step",
        named_params! { ":user": user, ":step": step },
    )?;
    Ok(updated > 0)
}

/// Deletes the second factor of a user with its recovery codes. Returns false if the user has none.
pub fn delete(tx: &WriteTx<'_>, user: &AccountId) -> Result<bool> {
    let deleted = tx.execute(
        "delete from second_factor where user_id = :user",
        named_params! { ":user": user },
    )?;
    Ok(deleted > 0)
}

/// Returns the hashes of the unused recovery codes of a user.
pub fn list_recovery_codes(tx: &Tx<'_>, user: &AccountId) -> Result<Vec<Sha256Hash>> {
    tx.all(
        "select hash from recovery_code where user_id = :user order by hash",
        named_params! { ":user": user },
        |row| row.get("hash"),
    )
}

/// Replaces the recovery codes of a user. `hashes` are those of the new ones.
pub fn replace_recovery_codes(
    tx: &WriteTx<'_>,
    user: &AccountId,
    hashes: &[Sha256Hash],
) -> Result<()> {
    tx.execute("delete from recovery_code where user_id = :user", named_params! { ":user": user })?;
    for hash in hashes {
        tx.execute(
            "insert into recovery_code (user_id, hash) values (:user, :hash)",
            named_params! { ":user": user, ":hash": hash },
        )?;
    }
    Ok(())
}

/// Deletes a recovery code of a user. Returns false if there is no such code.
pub fn use_recovery_code(tx: &WriteTx<'_>, user: &AccountId, hash: &Sha256Hash) -> Result<bool> {
    let deleted = tx.execute(
        "delete from recovery_code where user_id = :user and hash = :hash",
        named_params! { ":user": user, ":hash": hash },
    )?;
    Ok(deleted > 0)
}
