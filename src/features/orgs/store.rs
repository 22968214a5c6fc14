//! Tables `org`, `member`.

use rusqlite::Row;
use rusqlite::named_params;

use super::rules::Plan;
use super::rules::Policy;
use super::rules::Role;
use super::rules::Seats;
use super::settings::Settings;
use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;
use chartroom_platform::time::Timestamp;

/// An organization.
#[derive(Debug, Clone)]
pub struct Org {
    /// The account id: an organization can own things.
    pub id: AccountId,
    /// The word that names it in addresses.
    pub slug: String,
    /// The full name.
    pub name: String,
    /// What it has been granted.
    pub plan: Plan,
    /// How many members it may have.
    pub seats: Seats,
    /// Members read and export, but change nothing.
    pub suspended: bool,
    /// Theme of new documents.
    pub default_theme: String,
    /// When it was made.
    pub created: Timestamp,
}

/// An organization and the role of one of its members.
#[derive(Debug, Clone)]
pub struct Membership {
    /// The organization.
    pub org: Org,
    /// The member's role.
    pub role: Role,
}

/// A member of an organization.
#[derive(Debug, Clone)]
pub struct Member {
    /// The user's account id.
    pub user: AccountId,
    /// His role.
    pub role: Role,
    /// When he was added.
    pub created: Timestamp,
}

const ORG: &str = "select org.id, org.slug, org.name, org.plan, org.seats, org.suspended,
        org.default_theme, org.created
 from org";

fn org(row: &Row<'_>) -> rusqlite::Result<Org> {
    Ok(Org {
        id: row.get("id")?,
        slug: row.get("slug")?,
        name: row.get("name")?,
        plan: row.get("plan")?,
        seats: row.get("seats")?,
        suspended: row.get("suspended")?,
        default_theme: row.get("default_theme")?,
        created: row.get("created")?,
    })
}

/// The organization of this id.
pub fn find(tx: &Tx<'_>, id: &str) -> Result<Option<Org>> {
    tx.find(&format!("{ORG} where id = :id"), named_params! { ":id": id }, org)
}

/// The organization of this slug.
pub fn find_by_slug(tx: &Tx<'_>, slug: &str) -> Result<Option<Org>> {
    tx.find(&format!("{ORG} where slug = :slug"), named_params! { ":slug": slug }, org)
}

/// All organizations, oldest first.
pub fn all(tx: &Tx<'_>) -> Result<Vec<Org>> {
    tx.all(&format!("{ORG} order by created, id"), [], org)
}

/// Adds an organization; its account must exist.
pub fn insert(tx: &WriteTx<'_>, org: &Org) -> Result<()> {
    tx.execute(
        "insert into org (id, slug, name, plan, seats, suspended, default_theme, created)
         values (:id, :slug, :name, :plan, :seats, :suspended, :default_theme, :created)",
        named_params! {
            ":id": org.id,
            ":slug": org.slug,
            ":name": org.name,
            ":plan": org.plan,
            ":seats": org.seats,
            ":suspended": org.suspended,
            ":default_theme": org.default_theme,
            ":created": org.created,
        },
    )?;
    Ok(())
}

/// Stores what of an organization may change, its settings apart.
pub fn update(tx: &WriteTx<'_>, org: &Org) -> Result<()> {
    tx.execute(
        "update org
         set name = :name, default_theme = :default_theme, plan = :plan, seats = :seats,
             suspended = :suspended
         where id = :id",
        named_params! {
            ":id": org.id,
            ":name": org.name,
            ":default_theme": org.default_theme,
            ":plan": org.plan,
            ":seats": org.seats,
            ":suspended": org.suspended,
        },
    )?;
    Ok(())
}

/// What a user belongs to, by name.
pub fn memberships(tx: &Tx<'_>, user: &AccountId) -> Result<Vec<Membership>> {
    tx.all(
        "select org.id, org.slug, org.name, org.plan, org.seats, org.suspended,
                org.default_theme, org.created, member.role
         from member
         join org on org.id = member.org_id
         where member.user_id = :user
         order by org.name, org.id",
        named_params! { ":user": user },
        |row| Ok(Membership { org: org(row)?, role: row.get("role")? }),
    )
}

/// A user's role in an organization; `None` for strangers.
pub fn role(tx: &Tx<'_>, org: &AccountId, user: &AccountId) -> Result<Option<Role>> {
    tx.find(
        "select role from member where org_id = :org and user_id = :user",
        named_params! { ":org": org, ":user": user },
        |row| row.get("role"),
    )
}

/// The members of an organization, oldest first.
pub fn members(tx: &Tx<'_>, org: &AccountId) -> Result<Vec<Member>> {
    tx.all(
        "select user_id, role, created
         from member
         where org_id = :org
         order by created, user_id",
        named_params! { ":org": org },
        |row| {
            Ok(Member {
                user: row.get("user_id")?,
                role: row.get("role")?,
                created: row.get("created")?,
            })
        },
    )
}

/// How many members an organization has.
pub fn member_count(tx: &Tx<'_>, org: &AccountId) -> Result<u32> {
    tx.one(
        "select count(*) as members from member where org_id = :org",
        named_params! { ":org": org },
        |row| row.get("members"),
    )
}

/// How many admins an organization has.
pub fn admin_count(tx: &Tx<'_>, org: &AccountId) -> Result<u32> {
    tx.one(
        "select count(*) as admins from member where org_id = :org and role = 'admin'",
        named_params! { ":org": org },
        |row| row.get("admins"),
    )
}

/// What an organization forbids; nothing for an account that is none.
pub fn policy(tx: &Tx<'_>, org: &AccountId) -> Result<Policy> {
    let found = tx.find(
        "select suspended, ifnull(settings ->> 'disable_public_documents', 0) as private,
                ifnull(settings ->> 'disable_document_storage', 0) as offline
         from org
         where id = :org",
        named_params! { ":org": org },
        |row| {
            Ok(Policy {
                suspended: row.get("suspended")?,
                disable_public_documents: row.get("private")?,
                disable_document_storage: row.get("offline")?,
            })
        },
    )?;
    Ok(found.unwrap_or_default())
}

/// Whether an organization that a user belongs to has its members store nothing.
pub fn forbids_storage(tx: &Tx<'_>, user: &AccountId) -> Result<bool> {
    tx.one(
        "select exists (select 1
                        from member
                        join org on org.id = member.org_id
                        where member.user_id = :user
                          and org.settings ->> 'disable_document_storage')",
        named_params! { ":user": user },
        |row| row.get(0),
    )
}

/// The settings of an organization.
pub fn settings(tx: &Tx<'_>, org: &AccountId) -> Result<Settings> {
    let found: Option<String> = tx.find(
        "select settings from org where id = :org",
        named_params! { ":org": org },
        |row| row.get("settings"),
    )?;
    Ok(serde_json::from_str(found.as_deref().unwrap_or("{}"))?)
}

/// Replaces the settings of an organization.
pub fn set_settings(tx: &WriteTx<'_>, org: &AccountId, settings: &Settings) -> Result<()> {
    tx.execute(
        "update org set settings = :settings where id = :org",
        named_params! { ":org": org, ":settings": settings.text()? },
    )?;
    Ok(())
}

/// The layout, as JSON text, with which new documents of an account begin: the first preset of the
/// organization, or of the first one by name of those that a user belongs to.
pub fn default_layout(tx: &Tx<'_>, owner: &AccountId) -> Result<Option<String>> {
    tx.find(
        "select org.settings -> '$.layouts[0]' as layout
         from org
         left join member on member.org_id = org.id and member.user_id = :owner
         where (org.id = :owner or member.user_id = :owner)
           and org.settings -> '$.layouts[0]' is not null
         order by org.name, org.id
         limit 1",
        named_params! { ":owner": owner },
        |row| row.get("layout"),
    )
}

/// Adds a member, or gives him another role.
pub fn put_member(tx: &WriteTx<'_>, org: &AccountId, user: &AccountId, role: Role) -> Result<()> {
    tx.execute(
        "insert into member (org_id, user_id, role, created)
         values (:org, :user, :role, :created)
         on conflict (org_id, user_id) do update set role = excluded.role",
        named_params! { ":org": org, ":user": user, ":role": role, ":created": tx.now },
    )?;
    Ok(())
}

/// Removes a member.
pub fn delete_member(tx: &WriteTx<'_>, org: &AccountId, user: &AccountId) -> Result<()> {
    tx.execute(
        "delete from member where org_id = :org and user_id = :user",
        named_params! { ":org": org, ":user": user },
    )?;
    Ok(())
}
