//! SQL that reads the members of an organization with their accounts.

use rusqlite::Row;
use rusqlite::named_params;

use crate::features::people::person::Person;
use chartroom_platform::db::Tx;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;

/// The columns that `person_from_row` reads, and their tables.
const SELECT_PERSON: &str = "select user.id, user.name, user.email, member.role,
        account_activity.last_seen, managed_user.user_id is not null as is_managed,
        managed_user.sso_id, managed_user.avatar_url as picture_url,
        avatar.user_id is not null as has_avatar, user.created, member.scim_used,
        second_factor.confirmed is not null as has_second_factor
 from member
 join user on user.id = member.user_id
 left join account_activity on account_activity.account = user.id
 left join avatar on avatar.user_id = user.id
 left join second_factor on second_factor.user_id = user.id
 left join managed_user on managed_user.user_id = user.id
                       and managed_user.org_id = member.org_id and managed_user.removed is null";

/// Reads a row of `SELECT_PERSON`.
fn person_from_row(row: &Row<'_>) -> rusqlite::Result<Person> {
    Ok(Person {
        id: row.get("id")?,
        name: row.get("name")?,
        email: row.get("email")?,
        role: row.get("role")?,
        last_seen: row.get("last_seen")?,
        is_managed: row.get("is_managed")?,
        sso_id: row.get("sso_id")?,
        picture_url: row.get("picture_url")?,
        has_avatar: row.get("has_avatar")?,
        has_second_factor: row.get("has_second_factor")?,
        scim_used: row.get("scim_used")?,
        created: row.get("created")?,
    })
}

/// Returns the members of an organization, in the order in which they joined (reads `member`,
/// `user`, `account_activity`, `avatar`, `second_factor`).
pub fn list_people(tx: &Tx<'_>, org: &AccountId) -> Result<Vec<Person>> {
    tx.all(
        &format!("{SELECT_PERSON} where member.org_id = :org order by member.created, user.id"),
        named_params! { ":org": org },
        person_from_row,
    )
}

/// Returns a member of an organization, or None (reads `member`, `user`, `account_activity`, `avatar`,
/// `second_factor`).
pub fn find_person(tx: &Tx<'_>, org: &AccountId, user: &AccountId) -> Result<Option<Person>> {
    tx.find(
        &format!("{SELECT_PERSON} where member.org_id = :org and member.user_id = :user"),
        named_params! { ":org": org, ":user": user },
        person_from_row,
    )
}
