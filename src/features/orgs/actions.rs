//! What may be done with organizations and their members.

use super::rules;
use super::rules::Plan;
use super::rules::Role;
use super::rules::Seats;
use super::store;
use super::store::Membership;
use super::store::Org;
use super::teams;
use crate::features::accounts;
use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::db::on_unique;
use chartroom_platform::error::Error;
use chartroom_platform::error::Found;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;

/// The theme of a new organization's documents.
const DEFAULT_THEME: &str = "light";

/// An organization to be made.
#[derive(Debug, Clone)]
pub struct NewOrg {
    /// The full name.
    pub name: String,
    /// The word that names it in addresses.
    pub slug: String,
    /// What it is granted.
    pub plan: Plan,
    /// How many members it may have.
    pub seats: Seats,
}

/// Makes an organization, without members yet.
///
/// # Errors
/// `Fields` for a value that breaks a rule, `Conflict` for a slug that is taken.
pub fn create(tx: &WriteTx<'_>, new: &NewOrg) -> Result<Org> {
    let org = Org {
        id: AccountId::new_org()?,
        slug: rules::slug(&new.slug)?,
        name: accounts::name_rule(&new.name)?,
        plan: new.plan,
        seats: new.seats,
        suspended: false,
        default_theme: DEFAULT_THEME.to_owned(),
        created: tx.now,
    };
    accounts::register(tx, &org.id)?;
    on_unique(store::insert(tx, &org), || Error::Conflict(format!("slug: {} is taken", org.slug)))?;
    Ok(org)
}

/// The organization that an id or a slug names.
///
/// # Errors
/// `NotFound` when there is none.
pub fn find(tx: &Tx<'_>, text: &str) -> Result<Org> {
    match store::find(tx, text)? {
        Some(org) => Ok(org),
        None => store::find_by_slug(tx, text)?.found("organization"),
    }
}

/// A user's membership in the organization that an id or a slug names.
///
/// # Errors
/// `NotFound` when there is none, in the same words for one that he does not belong to.
pub fn membership(tx: &Tx<'_>, text: &str, user: &AccountId) -> Result<Membership> {
    let org = find(tx, text)?;
    let role = store::role(tx, &org.id, user)?.found("organization")?;
    Ok(Membership { org, role })
}

/// The organization that an id or a slug names, of which a user may change something.
///
/// # Errors
/// As of [`membership`]; `Forbidden` for a member of a lesser role than `needed`; `Payment` while
/// the organization is suspended.
pub fn changeable(tx: &Tx<'_>, text: &str, user: &AccountId, needed: Role) -> Result<Org> {
    let Membership { org, role } = membership(tx, text, user)?;
    if role < needed {
        return Err(Error::Forbidden(format!("this needs the role {needed}")));
    }
    if org.suspended {
        return Err(rules::suspended());
    }
    Ok(org)
}

/// Gives an organization another name or theme; `None` leaves what is there.
///
/// # Errors
/// `Fields` for a value that breaks a rule.
pub fn rename(
    tx: &WriteTx<'_>,
    mut org: Org,
    name: Option<&str>,
    theme: Option<String>,
) -> Result<()> {
    if let Some(name) = name {
        org.name = accounts::name_rule(name)?;
    }
    if let Some(theme) = theme {
        rules::check_theme(&theme)?;
        org.default_theme = theme;
    }
    store::update(tx, &org)
}

/// Grants a plan and seats; `None` leaves what is there.
///
/// # Errors
/// `Conflict` when the members would not fit.
pub fn set_plan(
    tx: &WriteTx<'_>,
    org: &AccountId,
    plan: Option<Plan>,
    seats: Option<Seats>,
) -> Result<Org> {
    let mut org = find(tx, org.as_str())?;
    org.plan = plan.unwrap_or(org.plan);
    org.seats = seats.unwrap_or(org.seats);
    let members = store::member_count(tx, &org.id)?;
    if !org.seats.hold(members) {
        let text = format!("seats: {} has {members} members, more than {}", org.name, org.seats);
        return Err(Error::Conflict(text));
    }
    store::update(tx, &org)?;
    Ok(org)
}

/// Stops an organization from changing anything, or lets it again.
pub fn set_suspended(tx: &WriteTx<'_>, org: &AccountId, suspended: bool) -> Result<Org> {
    let mut org = find(tx, org.as_str())?;
    org.suspended = suspended;
    store::update(tx, &org)?;
    Ok(org)
}

/// Adds a user to an organization, or gives a member another role.
///
/// # Errors
/// `Payment` when no seat is free, `Conflict` when that would demote the last admin.
pub fn add_member(tx: &WriteTx<'_>, org: &Org, user: &AccountId, role: Role) -> Result<()> {
    match store::role(tx, &org.id, user)? {
        Some(present) if role < present => keep_an_admin(tx, org, present)?,
        Some(_) => {}
        None if org.seats.hold(store::member_count(tx, &org.id)? + 1) => {}
        None => {
            let text = format!("all {} seats of {} are taken", org.seats, org.name);
            return Err(Error::Payment(text));
        }
    }
    store::put_member(tx, &org.id, user, role)
}

/// Takes a user out of an organization and of its teams.
///
/// # Errors
/// `NotFound` when he is no member, `Conflict` when he is its last admin.
pub fn remove_member(tx: &WriteTx<'_>, org: &Org, user: &AccountId) -> Result<()> {
    let present = store::role(tx, &org.id, user)?.found("member")?;
    keep_an_admin(tx, org, present)?;
    teams::leave_all(tx, &org.id, user)?;
    store::delete_member(tx, &org.id, user)
}

/// Whether a user may leave all of his organizations, as he does when his account is removed.
///
/// # Errors
/// `Conflict` naming an organization whose last admin he is.
pub fn check_may_leave(tx: &Tx<'_>, user: &AccountId) -> Result<()> {
    for membership in store::memberships(tx, user)? {
        keep_an_admin(tx, &membership.org, membership.role)?;
    }
    Ok(())
}

/// Whether an organization can do without one member of this role: somebody must keep its people.
fn keep_an_admin(tx: &Tx<'_>, org: &Org, role: Role) -> Result<()> {
    if role == Role::Admin && store::admin_count(tx, &org.id)? <= 1 {
        let text = format!("{} would have no admin: make somebody else one first", org.name);
        return Err(Error::Conflict(text));
    }
    Ok(())
}
