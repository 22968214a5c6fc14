//! SQL of table `invite`.

use rusqlite::Row;
use rusqlite::named_params;

use crate::features::people::invite::Invite;
use chartroom_platform::crypto::Sha256Hash;
use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;
use chartroom_platform::id::InviteId;

/// The columns that `invite_from_row` reads.
const SELECT_INVITE: &str =
    "select id, org_id, email, role, message, token_hash, rotation, invited_by,
        created, last_sent, expires
 from invite";

/// Reads a row of `SELECT_INVITE`.
fn invite_from_row(row: &Row<'_>) -> rusqlite::Result<Invite> {
    Ok(Invite {
        id: row.get("id")?,
        org: row.get("org_id")?,
        email: row.get("email")?,
        role: row.get("role")?,
        message: row.get("message")?,
        token_hash: row.get("token_hash")?,
        rotation: row.get("rotation")?,
        invited_by: row.get("invited_by")?,
        created: row.get("created")?,
        last_sent: row.get("last_sent")?,
        expires: row.get("expires")?,
    })
}

/// Returns the open invites of an organization, oldest first.
pub fn list_open(tx: &Tx<'_>, org: &AccountId) -> Result<Vec<Invite>> {
    tx.all(
        &format!("{SELECT_INVITE} where org_id = :org and expires > :now order by created, id"),
        named_params! { ":org": org, ":now": tx.now },
        invite_from_row,
    )
}

/// Counts the open invites of an organization. Each holds a seat.
pub fn count_open(tx: &Tx<'_>, org: &AccountId) -> Result<u32> {
    tx.one(
        "select count(*) from invite where org_id = :org and expires > :now",
        named_params! { ":org": org, ":now": tx.now },
        |row| row.get(0),
    )
}

/// Returns the open invite with this id. None if it does not exist or has expired.
pub fn find_open(tx: &Tx<'_>, id: &InviteId) -> Result<Option<Invite>> {
    tx.find(
        &format!("{SELECT_INVITE} where id = :id and expires > :now"),
        named_params! { ":id": id, ":now": tx.now },
        invite_from_row,
    )
}

/// Returns the open invite with this SHA-256 of its token. None if it does not exist or has expired.
pub fn find_by_token(tx: &Tx<'_>, hash: &Sha256Hash) -> Result<Option<Invite>> {
    tx.find(
        &format!("{SELECT_INVITE} where token_hash = :hash and expires > :now"),
        named_params! { ":hash": hash, ":now": tx.now },
        invite_from_row,
    )
}

/// Returns whether an organization has an open invite for a normalized address.
pub fn is_invited(tx: &Tx<'_>, org: &AccountId, email_key: &str) -> Result<bool> {
    tx.one(
        "select exists (select 1 from invite
                        where org_id = :org and email_key = :email and expires > :now)",
        named_params! { ":org": org, ":email": email_key, ":now": tx.now },
        |row| row.get(0),
    )
}

/// Returns the id of the open invite of an organization for a normalized address.
pub fn find_id_for_address(
    tx: &Tx<'_>,
    org: &AccountId,
    email_key: &str,
) -> Result<Option<InviteId>> {
    tx.find(
        "select id from invite where org_id = :org and email_key = :email and expires > :now",
        named_params! { ":org": org, ":email": email_key, ":now": tx.now },
        |row| row.get("id"),
    )
}

/// Inserts an invite for the normalized address `email_key`. Replaces an expired invite of the
/// address.
pub fn insert_invite(tx: &WriteTx<'_>, invite: &Invite, email_key: &str) -> Result<()> {
    delete_for_address(tx, &invite.org, email_key)?;
    tx.execute(
        "insert into invite (id, org_id, email, email_key, role, message, token_hash, rotation,
                             invited_by, created, last_sent, expires)
         values (:id, :org, :email, :email_key, :role, :message, :token_hash, :rotation,
                 :invited_by, :created, :last_sent, :expires)",
        named_params! {
            ":id": invite.id,
            ":org": invite.org,
            ":email": invite.email,
            ":email_key": email_key,
            ":role": invite.role,
            ":message": invite.message,
            ":token_hash": invite.token_hash,
            ":rotation": invite.rotation,
            ":invited_by": invite.invited_by,
            ":created": invite.created,
            ":last_sent": invite.last_sent,
            ":expires": invite.expires,
        },
    )?;
    Ok(())
}

/// Stores the new token, time and expiry of an invite that is sent again.
pub fn update_token(tx: &WriteTx<'_>, invite: &Invite) -> Result<()> {
    tx.execute(
        "update invite
         set token_hash = :token_hash, rotation = :rotation, last_sent = :last_sent,
             expires = :expires
         where id = :id",
        named_params! {
            ":id": invite.id,
            ":token_hash": invite.token_hash,
            ":rotation": invite.rotation,
            ":last_sent": invite.last_sent,
            ":expires": invite.expires,
        },
    )?;
    Ok(())
}

/// Deletes an invite. Does nothing if it does not exist.
pub fn delete_invite(tx: &WriteTx<'_>, id: &InviteId) -> Result<()> {
    tx.execute("delete from invite where id = :id", named_params! { ":id": id })?;
    Ok(())
}

/// Deletes the invite of a normalized address. Does nothing if there is none.
pub fn delete_for_address(tx: &WriteTx<'_>, org: &AccountId, email_key: &str) -> Result<()> {
    tx.execute(
        "delete from invite where org_id = :org and email_key = :email",
        named_params! { ":org": org, ":email": email_key },
    )?;
    Ok(())
}

/// Deletes all invites that have expired.
pub fn delete_expired(tx: &WriteTx<'_>) -> Result<()> {
    tx.execute("delete from invite where expires <= :now", named_params! { ":now": tx.now })?;
    Ok(())
}
