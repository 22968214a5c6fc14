//! SQL of tables `org`, `member`.

use rusqlite::Row;
use rusqlite::named_params;

use super::rules::OrgPolicy;
use super::rules::Plan;
use super::rules::Role;
use super::rules::Seats;
use super::settings::Settings;
use super::subscription::SubscriptionTerms;
use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;
use chartroom_platform::time::Timestamp;

/// An organization.
#[derive(Debug, Clone)]
pub struct Org {
    /// Account id. An organization can own documents and folders.
    pub id: AccountId,
    /// Slug that names the organization in URLs.
    pub slug: String,
    /// Full name.
    pub name: String,
    /// Granted plan.
    pub plan: Plan,
    /// Maximum number of members.
    pub seats: Seats,
    /// Whether members may only read and export.
    pub suspended: bool,
    /// Theme of new documents.
    pub default_theme: String,
    /// Time of creation.
    pub created: Timestamp,
    /// Whether addresses outside the verified domains may be invited.
    pub external_invites: bool,
    /// Prices and dates of the subscription. None without one.
    pub terms: Option<SubscriptionTerms>,
}

/// An organization and the role of one of its members.
#[derive(Debug, Clone)]
pub struct Membership {
    /// Organization.
    pub org: Org,
    /// Role of the member.
    pub role: Role,
}

/// A member of an organization.
#[derive(Debug, Clone)]
pub struct Member {
    /// Account id of the user.
    pub user: AccountId,
    /// Role of the member.
    pub role: Role,
    /// Time at which the user became a member.
    pub created: Timestamp,
}

/// The columns that `org_from_row` reads.
const ORG_COLUMNS: &str = "org.id, org.slug, org.name, org.plan, org.seats, org.suspended,
        org.default_theme, org.created, org.external_invites, org.subscription";

/// Reads the columns of `ORG_COLUMNS`.
fn org_from_row(row: &Row<'_>) -> rusqlite::Result<Org> {
    Ok(Org {
        id: row.get("id")?,
        slug: row.get("slug")?,
        name: row.get("name")?,
        plan: row.get("plan")?,
        seats: row.get("seats")?,
        suspended: row.get("suspended")?,
        default_theme: row.get("default_theme")?,
        created: row.get("created")?,
        external_invites: row.get("external_invites")?,
        terms: row.get("subscription")?,
    })
}

/// Returns the organization with this id, or None.
pub fn find_org(tx: &Tx<'_>, id: &str) -> Result<Option<Org>> {
    tx.find(
        &format!("select {ORG_COLUMNS} from org where id = :id"),
        named_params! { ":id": id },
        org_from_row,
    )
}

/// Returns the organization with this slug in exactly this spelling, or None.
pub fn find_org_by_slug(tx: &Tx<'_>, slug: &str) -> Result<Option<Org>> {
    tx.find(
        &format!("select {ORG_COLUMNS} from org where slug = :slug"),
        named_params! { ":slug": slug },
        org_from_row,
    )
}

/// Returns all organizations, oldest first.
pub fn list_orgs(tx: &Tx<'_>) -> Result<Vec<Org>> {
    tx.all(&format!("select {ORG_COLUMNS} from org order by created, id"), [], org_from_row)
}

/// Inserts an organization. Its account row must exist.
pub fn insert_org(tx: &WriteTx<'_>, org: &Org) -> Result<()> {
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

/// Updates all changeable columns of an organization except the settings. These are name, default
/// theme, plan, seats, suspension, external invites and subscription. Does nothing if the id does not exist.
pub fn update_org(tx: &WriteTx<'_>, org: &Org) -> Result<()> {
    tx.execute(
        "update org
         set name = :name, default_theme = :default_theme, plan = :plan, seats = :seats,
             suspended = :suspended, external_invites = :external_invites,
             subscription = :subscription
         where id = :id",
        named_params! {
            ":id": org.id,
            ":name": org.name,
            ":default_theme": org.default_theme,
            ":plan": org.plan,
            ":seats": org.seats,
            ":suspended": org.suspended,
            ":external_invites": org.external_invites,
            ":subscription": org.terms,
        },
    )?;
    Ok(())
}

/// Returns the organizations of a user, by name, with the role of the user. Includes suspended
/// organizations.
pub fn list_memberships(tx: &Tx<'_>, user: &AccountId) -> Result<Vec<Membership>> {
    tx.all(
        &format!(
            "select {ORG_COLUMNS}, member.role
             from member
             join org on org.id = member.org_id
             where member.user_id = :user
             order by org.name, org.id"
        ),
        named_params! { ":user": user },
        |row| Ok(Membership { org: org_from_row(row)?, role: row.get("role")? }),
    )
}

/// Returns the role of a user in an organization, or None if they are not a member.
pub fn find_role(tx: &Tx<'_>, org: &AccountId, user: &AccountId) -> Result<Option<Role>> {
    tx.find(
        "select role from member where org_id = :org and user_id = :user",
        named_params! { ":org": org, ":user": user },
        |row| row.get("role"),
    )
}

/// Returns the members of an organization, in the order in which they joined.
pub fn list_members(tx: &Tx<'_>, org: &AccountId) -> Result<Vec<Member>> {
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

/// Counts the members of an organization.
pub fn count_members(tx: &Tx<'_>, org: &AccountId) -> Result<u32> {
    tx.one(
        "select count(*) as members from member where org_id = :org",
        named_params! { ":org": org },
        |row| row.get("members"),
    )
}

/// Counts the admins of an organization.
pub fn count_admins(tx: &Tx<'_>, org: &AccountId) -> Result<u32> {
    tx.one(
        "select count(*) as admins from member where org_id = :org and role = 'admin'",
        named_params! { ":org": org },
        |row| row.get("admins"),
    )
}

/// Returns the policy of an organization. An account that is not an organization has no
/// restrictions.
pub fn find_policy(tx: &Tx<'_>, org: &AccountId) -> Result<OrgPolicy> {
    let found = tx.find(
        "select suspended, ifnull(settings ->> 'disable_public_documents', 0) as private,
                ifnull(settings ->> 'disable_document_storage', 0) as offline
         from org
         where id = :org",
        named_params! { ":org": org },
        |row| {
            Ok(OrgPolicy {
                suspended: row.get("suspended")?,
                disable_public_documents: row.get("private")?,
                disable_document_storage: row.get("offline")?,
            })
        },
    )?;
    Ok(found.unwrap_or_default())
}

/// Returns whether an organization of this user has disabled document storage for its members.
pub fn is_storage_forbidden(tx: &Tx<'_>, user: &AccountId) -> Result<bool> {
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

/// Returns whether an organization has an identity provider for single sign-on (reads `sso`).
pub fn has_identity_provider(tx: &Tx<'_>, org: &AccountId) -> Result<bool> {
    tx.one(
        "select exists (select 1 from sso where org_id = :org)",
        named_params! { ":org": org },
        |row| row.get(0),
    )
}

/// Returns the settings of an organization, or the defaults if there is no such organization.
pub fn find_settings(tx: &Tx<'_>, org: &AccountId) -> Result<Settings> {
    let found: Option<String> = tx.find(
        "select settings from org where id = :org",
        named_params! { ":org": org },
        |row| row.get("settings"),
    )?;
    Ok(serde_json::from_str(found.as_deref().unwrap_or("{}"))?)
}

/// Replaces the settings of an organization. Stores only values that differ from the defaults.
pub fn update_settings(tx: &WriteTx<'_>, org: &AccountId, settings: &Settings) -> Result<()> {
    tx.execute(
        "update org set settings = :settings where id = :org",
        named_params! { ":org": org, ":settings": settings.to_stored_json()? },
    )?;
    Ok(())
}

/// Inserts a member, or updates the role of an existing one. Does not check the number of seats.
pub fn put_member(tx: &WriteTx<'_>, org: &AccountId, user: &AccountId, role: Role) -> Result<()> {
    tx.execute(
        "insert into member (org_id, user_id, role, created)
         values (:org, :user, :role, :created)
         on conflict (org_id, user_id) do update set role = excluded.role",
        named_params! { ":org": org, ":user": user, ":role": role, ":created": tx.now },
    )?;
    Ok(())
}

/// Returns the time at which an API token of a member last provisioned users of the organization. None
/// before the first time and for a user who is not a member.
pub fn find_scim_use(tx: &Tx<'_>, org: &AccountId, user: &AccountId) -> Result<Option<Timestamp>> {
    let found = tx.find(
        "select scim_used from member where org_id = :org and user_id = :user",
        named_params! { ":org": org, ":user": user },
        |row| row.get("scim_used"),
    )?;
    Ok(found.flatten())
}

/// Stores that an API token of a member provisions users of the organization now. Does nothing if the
/// user is not a member.
pub fn put_scim_use(tx: &WriteTx<'_>, org: &AccountId, user: &AccountId) -> Result<()> {
    tx.execute(
        "update member set scim_used = :now where org_id = :org and user_id = :user",
        named_params! { ":org": org, ":user": user, ":now": tx.now },
    )?;
    Ok(())
}

/// Removes a member from an organization, but not from its teams. Does nothing if the user is not a
/// member.
pub fn delete_member(tx: &WriteTx<'_>, org: &AccountId, user: &AccountId) -> Result<()> {
    tx.execute(
        "delete from member where org_id = :org and user_id = :user",
        named_params! { ":org": org, ":user": user },
    )?;
    Ok(())
}
