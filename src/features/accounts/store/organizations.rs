//! The organizations of an account, for events in their audit logs. Their tables belong to other
//! features.

use rusqlite::named_params;

use chartroom_platform::db::Tx;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;

/// Returns the organization that manages an account (reads `managed_user`). None for other accounts,
/// and for those that the organization has removed.
pub fn find_managing_org(tx: &Tx<'_>, user: &AccountId) -> Result<Option<AccountId>> {
    tx.find(
        "select org_id from managed_user where user_id = :user and removed is null",
        named_params! { ":user": user },
        |row| row.get("org_id"),
    )
}

/// Returns whether the organization that manages an account requires single sign-on and has it (reads
/// `managed_user`, `org`, `sso` and `user`). False for an operator of the server.
///
/// Single sign-on needs an identity provider and a plan. Without them, the requirement has no effect,
/// because it would lock everybody out.
pub fn must_use_sso(tx: &Tx<'_>, user: &AccountId) -> Result<bool> {
    tx.one(
        "select exists (
             select 1
             from managed_user
             join org on org.id = managed_user.org_id
             join sso on sso.org_id = org.id
             join user on user.id = managed_user.user_id
             where managed_user.user_id = :user and managed_user.removed is null
                 and user.operator = 0 and org.plan <> 'team'
                 and org.settings ->> 'enforce_sso' = 1)",
        named_params! { ":user": user },
        |row| row.get(0),
    )
}

/// Returns whether an organization of a user with a password requires a second factor (reads `member`
/// and `org`).
pub fn requires_second_factor(tx: &Tx<'_>, user: &AccountId) -> Result<bool> {
    tx.one(
        "select exists (
             select 1
             from member
             join org on org.id = member.org_id
             join user on user.id = member.user_id
             where member.user_id = :user and user.password_hash is not null
                 and org.settings ->> 'require_second_factor' = 1)",
        named_params! { ":user": user },
        |row| row.get(0),
    )
}

/// Returns the organizations that an account is a member of, and the one that manages it (reads
/// `member` and `managed_user`). If `includes_removed`, also the one that has removed it.
pub fn list_orgs(tx: &Tx<'_>, user: &AccountId, includes_removed: bool) -> Result<Vec<AccountId>> {
    tx.all(
        "select org_id from member where user_id = :user
         union
         select org_id
         from managed_user
         where user_id = :user and (removed is null or :includes_removed)
         order by org_id",
        named_params! { ":user": user, ":includes_removed": includes_removed },
        |row| row.get("org_id"),
    )
}
