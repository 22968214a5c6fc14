//! SQL of table `managed_user`.

use rusqlite::Row;
use rusqlite::named_params;

use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;
use chartroom_platform::time::Timestamp;

/// A managed account.
#[derive(Debug, Clone)]
pub struct ManagedAccount {
    /// Organization that manages the account.
    pub org: AccountId,
    /// Time of the removal. None while the account is active.
    pub removed: Option<Timestamp>,
    /// Whether the operator had disabled the account before the removal.
    pub was_disabled: bool,
}

/// Returns the organization that manages an account, also for a removed account. None for other
/// accounts.
pub fn find_managed(tx: &Tx<'_>, user: &AccountId) -> Result<Option<ManagedAccount>> {
    tx.find(
        "select org_id, removed, was_disabled from managed_user where user_id = :user",
        named_params! { ":user": user },
        managed_from_row,
    )
}

/// Reads the organization, the removal and the state before it.
fn managed_from_row(row: &Row<'_>) -> rusqlite::Result<ManagedAccount> {
    Ok(ManagedAccount {
        org: row.get("org_id")?,
        removed: row.get("removed")?,
        was_disabled: row.get("was_disabled")?,
    })
}

/// Returns the organization that manages an account. None for other accounts, and for removed ones.
pub fn managing_org(tx: &Tx<'_>, user: &AccountId) -> Result<Option<AccountId>> {
    let found = find_managed(tx, user)?;
    Ok(found.filter(|managed| managed.removed.is_none()).map(|managed| managed.org))
}

/// Makes an account managed by an organization, or restores a removed one.
pub fn put_managed(tx: &WriteTx<'_>, org: &AccountId, user: &AccountId) -> Result<()> {
    tx.execute(
        "insert into managed_user (user_id, org_id, created)
         values (:user, :org, :now)
         on conflict (user_id) do update set removed = null",
        named_params! { ":user": user, ":org": org, ":now": tx.now },
    )?;
    Ok(())
}

/// Marks a managed account as removed now, and remembers whether it is disabled (reads `user`).
pub fn mark_removed(tx: &WriteTx<'_>, user: &AccountId) -> Result<()> {
    tx.execute(
        "update managed_user
         set removed = :now,
             was_disabled = (select disabled from user where id = :user)
         where user_id = :user",
        named_params! { ":user": user, ":now": tx.now },
    )?;
    Ok(())
}

/// Removes the identifier at the identity provider from a removed account of an organization. Does
/// nothing if no removed account has it.
pub fn release_sso_id(tx: &WriteTx<'_>, org: &AccountId, sso_id: &str) -> Result<()> {
    tx.execute(
        "update managed_user set sso_id = null
         where org_id = :org and sso_id = :sso_id and removed is not null",
        named_params! { ":org": org, ":sso_id": sso_id },
    )?;
    Ok(())
}

/// Sets the identifier of a managed account at the identity provider. Fails with a unique violation
/// if another account of the organization has it.
pub fn set_sso_id(tx: &WriteTx<'_>, user: &AccountId, sso_id: Option<&str>) -> Result<()> {
    tx.execute(
        "update managed_user set sso_id = :sso_id where user_id = :user",
        named_params! { ":user": user, ":sso_id": sso_id },
    )?;
    Ok(())
}

/// Returns the account of an organization with this identifier at the identity provider, removed or
/// not, or None.
pub fn find_by_sso_id(
    tx: &Tx<'_>,
    org: &AccountId,
    sso_id: &str,
) -> Result<Option<(AccountId, ManagedAccount)>> {
    tx.find(
        "select user_id, org_id, removed, was_disabled
         from managed_user
         where org_id = :org and sso_id = :sso_id",
        named_params! { ":org": org, ":sso_id": sso_id },
        |row| Ok((row.get("user_id")?, managed_from_row(row)?)),
    )
}

/// Returns the given name and the family name of a managed account. Both are None for other accounts.
pub fn find_names(tx: &Tx<'_>, user: &AccountId) -> Result<(Option<String>, Option<String>)> {
    let found = tx.find(
        "select given_name, family_name from managed_user where user_id = :user",
        named_params! { ":user": user },
        |row| Ok((row.get("given_name")?, row.get("family_name")?)),
    )?;
    Ok(found.unwrap_or_default())
}

/// Sets the address of the picture of a managed account at the identity provider.
pub fn set_avatar_url(tx: &WriteTx<'_>, user: &AccountId, url: Option<&str>) -> Result<()> {
    tx.execute(
        "update managed_user set avatar_url = :url where user_id = :user",
        named_params! { ":user": user, ":url": url },
    )?;
    Ok(())
}

/// Returns the address of the picture at the identity provider, if an organization manages the account
/// and its user has uploaded no avatar (reads `avatar`).
pub fn find_picture_url(tx: &Tx<'_>, user: &AccountId) -> Result<Option<String>> {
    let found = tx.find(
        "select avatar_url from managed_user
         where user_id = :user and removed is null
             and not exists (select 1 from avatar where avatar.user_id = :user)",
        named_params! { ":user": user },
        |row| row.get("avatar_url"),
    )?;
    Ok(found.flatten())
}

/// Sets the given name and the family name of a managed account.
pub fn set_names(
    tx: &WriteTx<'_>,
    user: &AccountId,
    given: Option<&str>,
    family: Option<&str>,
) -> Result<()> {
    tx.execute(
        "update managed_user set given_name = :given, family_name = :family where user_id = :user",
        named_params! { ":user": user, ":given": given, ":family": family },
    )?;
    Ok(())
}
