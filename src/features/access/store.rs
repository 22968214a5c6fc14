//! What the decision about access looks up; changes nothing.

use rusqlite::named_params;

use crate::platform::db::Tx;
use crate::platform::error::Result;
use crate::platform::id::AccountId;

/// The role of a user in an organization (table `member`), if he is in it.
pub fn role(tx: &Tx<'_>, org: &AccountId, user: &AccountId) -> Result<Option<String>> {
    tx.find(
        "select role from member where org_id = :org and user_id = :user",
        named_params! { ":org": org, ":user": user },
        |row| row.get("role"),
    )
}

/// The organization of a slug (table `org`).
pub fn org_of_slug(tx: &Tx<'_>, slug: &str) -> Result<Option<AccountId>> {
    tx.find("select id from org where slug = :slug", named_params! { ":slug": slug }, |row| {
        row.get("id")
    })
}
