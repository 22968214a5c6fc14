//! SQL of table `managed_user`.

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
}

/// Returns the organization that manages an account, also for a removed account. None for other
/// accounts.
pub fn find_managed(tx: &Tx<'_>, user: &AccountId) -> Result<Option<ManagedAccount>> {
    tx.find(
        "select org_id, removed from managed_user where user_id = :user",
        named_params! { ":user": user },
        |row| Ok(ManagedAccount { org: row.get("org_id")?, removed: row.get("removed")? }),
    )
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

/// Marks a managed account as removed now.
pub fn mark_removed(tx: &WriteTx<'_>, user: &AccountId) -> Result<()> {
    tx.execute(
        "update managed_user set removed = :now where user_id = :user",
        named_params! { ":user": user, ":now": tx.now },
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
