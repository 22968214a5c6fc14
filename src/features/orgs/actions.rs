//! Operations on organizations and their members.

use serde_json::Value;
use serde_json::json;

use super::events;
use super::rules;
use super::rules::Plan;
use super::rules::Role;
use super::rules::Seats;
use super::store;
use super::store::Membership;
use super::store::Org;
use super::subscription::SubscriptionTerms;
use super::teams;
use super::themes;
use crate::features::accounts;
use crate::features::audit;
use crate::features::portfolio;
use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::db::map_unique_violation;
use chartroom_platform::error::Error;
use chartroom_platform::error::OrNotFound;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;

/// An organization to create.
#[derive(Debug, Clone)]
pub struct NewOrg {
    /// Full name.
    pub name: String,
    /// Slug that names the organization in URLs.
    pub slug: String,
    /// Granted plan.
    pub plan: Plan,
    /// Maximum number of members.
    pub seats: Seats,
}

/// Creates an organization without members. It has the default theme and is not suspended.
///
/// # Errors
/// `InvalidFields` for a value that breaks a rule, `Conflict` if the slug is in use.
pub fn create_org(tx: &WriteTx<'_>, new: &NewOrg) -> Result<Org> {
    let org = Org {
        id: AccountId::new_org()?,
        slug: rules::parse_slug(&new.slug)?,
        name: accounts::parse_name(&new.name)?,
        plan: new.plan,
        seats: new.seats,
        suspended: false,
        default_theme: portfolio::DEFAULT_THEME.to_owned(),
        created: tx.now,
        external_invites: true,
        terms: None,
    };
    accounts::register_org_account(tx, &org.id)?;
    map_unique_violation(store::insert_org(tx, &org), || {
        Error::field_conflict("slug", format!("{} is taken", org.slug))
    })?;
    let details =
        json!({ "slug": org.slug, "plan": org.plan.as_str(), "seats": org.seats.limit() });
    events::record_org_event(tx, &org, "org.create", &details)?;
    Ok(org)
}

/// Finds an organization by id or slug. The id takes precedence.
///
/// # Errors
/// `NotFound` if there is none.
pub fn find_org(tx: &Tx<'_>, text: &str) -> Result<Org> {
    match store::find_org(tx, text)? {
        Some(org) => Ok(org),
        None => store::find_org_by_slug(tx, text)?.or_not_found("organization"),
    }
}

/// Returns the membership of a user in the organization with this id or slug.
///
/// # Errors
/// `NotFound` if the organization does not exist or the user is not a member. Both give the same
/// message.
pub fn find_membership(tx: &Tx<'_>, text: &str, user: &AccountId) -> Result<Membership> {
    let org = find_org(tx, text)?;
    let role = store::find_role(tx, &org.id, user)?.or_not_found("organization")?;
    Ok(Membership { org, role })
}

/// Returns the organization with this id or slug if the user has at least the role `needed` in it
/// and may change it.
///
/// # Errors
/// As [`require_role_even_if_suspended`]. `PaymentRequired` while the organization is suspended.
pub fn require_role(tx: &Tx<'_>, text: &str, user: &AccountId, needed: Role) -> Result<Org> {
    let org = require_role_even_if_suspended(tx, text, user, needed)?;
    if org.suspended { Err(rules::suspended_error()) } else { Ok(org) }
}

/// Returns the organization with this id or slug if the user has at least the role `needed` in it.
/// For reading, and for changes that are possible while the organization is suspended.
///
/// # Errors
/// `NotFound` as [`find_membership`]. `Forbidden` for a lower role than `needed`.
pub fn require_role_even_if_suspended(
    tx: &Tx<'_>,
    text: &str,
    user: &AccountId,
    needed: Role,
) -> Result<Org> {
    let Membership { org, role } = find_membership(tx, text, user)?;
    match role < needed {
        true => Err(Error::Forbidden(format!("this needs the role {needed}"))),
        false => Ok(org),
    }
}

/// Changes name and default theme of an organization. None keeps the stored value. `org` has the
/// stored values.
///
/// # Errors
/// `InvalidFields` for a value that breaks a rule.
pub fn update_org(
    tx: &WriteTx<'_>,
    mut org: Org,
    name: Option<&str>,
    theme: Option<String>,
) -> Result<()> {
    let old = org.clone();
    if let Some(name) = name {
        org.name = accounts::parse_name(name)?;
    }
    if let Some(theme) = theme {
        check_default_theme(tx, &org, &theme)?;
        org.default_theme = theme;
    }
    save_org(tx, &old, &org, "org.change")
}

/// Stores a changed organization. Records an event with the fields that differ from `old`, if there are
/// any.
pub fn save_org(tx: &WriteTx<'_>, old: &Org, org: &Org, action: &'static str) -> Result<()> {
    store::update_org(tx, org)?;
    let changed = audit::changed_fields(&events::org_fields(old), &events::org_fields(org));
    if changed.is_empty() {
        return Ok(());
    }
    events::record_org_event(tx, org, action, &Value::Object(changed))
}

/// Checks that a theme is built in or a theme of the organization.
///
/// # Errors
/// `InvalidFields` for `default_theme`.
fn check_default_theme(tx: &Tx<'_>, org: &Org, theme: &str) -> Result<()> {
    let is_built_in = !theme.is_empty() && portfolio::find_theme(theme).is_some();
    if is_built_in || themes::find_usable_theme(tx, &org.id, theme)?.is_some() {
        return Ok(());
    }
    Err(Error::invalid_field("default_theme", themes::missing_theme_message(theme)))
}

/// Grants a plan and a number of seats. None keeps the stored value.
///
/// # Errors
/// `NotFound` without such an organization, `Conflict` if it has more members than seats.
pub fn set_plan(
    tx: &WriteTx<'_>,
    org: &AccountId,
    plan: Option<Plan>,
    seats: Option<Seats>,
) -> Result<Org> {
    let old = find_org(tx, org.as_str())?;
    let mut org = old.clone();
    org.plan = plan.unwrap_or(org.plan);
    org.seats = seats.unwrap_or(org.seats);
    let members = store::count_members(tx, &org.id)?;
    if !org.seats.can_hold(members) {
        let text = format!("seats: {} has {members} members, more than {}", org.name, org.seats);
        return Err(Error::Conflict(text));
    }
    save_org(tx, &old, &org, "subscription.change")?;
    Ok(org)
}

/// Grants or withdraws external invites, and replaces or removes the subscription. None keeps the
/// stored value.
///
/// # Errors
/// `NotFound` without such an organization, `InvalidFields` for invalid terms.
pub fn set_grants(
    tx: &WriteTx<'_>,
    org: &AccountId,
    external_invites: Option<bool>,
    terms: Option<Option<SubscriptionTerms>>,
) -> Result<Org> {
    let old = find_org(tx, org.as_str())?;
    let mut org = old.clone();
    org.external_invites = external_invites.unwrap_or(org.external_invites);
    if let Some(terms) = terms {
        terms.iter().try_for_each(SubscriptionTerms::check)?;
        org.terms = terms;
    }
    save_org(tx, &old, &org, "subscription.change")?;
    Ok(org)
}

/// Suspends an organization, or ends the suspension. While suspended, its data cannot be changed.
///
/// # Errors
/// `NotFound` without such an organization.
pub fn set_suspended(tx: &WriteTx<'_>, org: &AccountId, suspended: bool) -> Result<Org> {
    let mut org = find_org(tx, org.as_str())?;
    if org.suspended != suspended {
        org.suspended = suspended;
        store::update_org(tx, &org)?;
        let action = if suspended { "org.suspend" } else { "org.resume" };
        events::record_org_event(tx, &org, action, &json!({}))?;
    }
    Ok(org)
}

/// Returns the number of members of an organization.
pub fn count_members(tx: &Tx<'_>, org: &AccountId) -> Result<u32> {
    store::count_members(tx, org)
}

/// Adds a user to an organization, or changes the role of a member.
///
/// # Errors
/// `PaymentRequired` if no seat is free, `Conflict` if the change would demote the last admin.
pub fn put_member(tx: &WriteTx<'_>, org: &Org, user: &AccountId, role: Role) -> Result<()> {
    let old_role = store::find_role(tx, &org.id, user)?;
    match old_role {
        Some(present) if role < present => check_admin_remains(tx, org, present)?,
        Some(_) => {}
        None if org.seats.can_hold(store::count_members(tx, &org.id)? + 1) => {}
        None => {
            let text = format!("all {} seats of {} are taken", org.seats, org.name);
            return Err(Error::PaymentRequired(text));
        }
    }
    store::put_member(tx, &org.id, user, role)?;
    let target = events::user_target(tx, user)?;
    match old_role {
        None => {
            audit::record(tx, &org.id, "member.add", &target, &json!({ "role": role.as_str() }))
        }
        Some(old) if old != role => {
            accounts::replace_cookies(tx, user)?;
            let details = json!({ "role": { "from": old.as_str(), "to": role.as_str() } });
            audit::record(tx, &org.id, "member.change", &target, &details)
        }
        Some(_) => Ok(()),
    }
}

/// Removes a member from an organization and from its teams.
///
/// # Errors
/// `NotFound` if the user is not a member, `Conflict` if they are the last admin.
pub fn remove_member(tx: &WriteTx<'_>, org: &Org, user: &AccountId) -> Result<()> {
    let present = store::find_role(tx, &org.id, user)?.or_not_found("member")?;
    check_admin_remains(tx, org, present)?;
    let teams = teams::list_teams_of_member(tx, &org.id, user)?;
    teams::remove_from_all_teams(tx, &org.id, user)?;
    store::delete_member(tx, &org.id, user)?;
    let listed = teams.iter().take(audit::MAX_LIST_ITEMS);
    let listed: Vec<Value> =
        listed.map(|team| json!({ "id": team.id, "name": team.name })).collect();
    let details = json!({ "role": present.as_str(), "team_count": teams.len(), "teams": listed });
    audit::record(tx, &org.id, "member.remove", &events::user_target(tx, user)?, &details)
}

/// Checks that the user is not the last admin of any organization, so that their account can be
/// deleted.
///
/// # Errors
/// `Conflict` with the name of the organization.
pub fn check_not_last_admin(tx: &Tx<'_>, user: &AccountId) -> Result<()> {
    for membership in store::list_memberships(tx, user)? {
        check_admin_remains(tx, &membership.org, membership.role)?;
    }
    Ok(())
}

/// Checks that an organization still has an admin if it loses one member with this role. Always
/// succeeds for a lower role than admin.
///
/// # Errors
/// `Conflict`.
fn check_admin_remains(tx: &Tx<'_>, org: &Org, role: Role) -> Result<()> {
    if role == Role::Admin && store::count_admins(tx, &org.id)? <= 1 {
        let text = format!("{} must keep an admin; appoint another admin first", org.name);
        return Err(Error::Conflict(text));
    }
    Ok(())
}
