//! Access to the audit log of an organization.

use crate::features::accounts::User;
use crate::features::orgs::Org;
use crate::features::orgs::Plan;
use crate::features::orgs::Role;
use crate::features::orgs::actions;
use chartroom_platform::db::Tx;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;

/// Returns the organization with this id or slug if the user may read its audit log: an operator of
/// the server, or an admin of an organization with the plan `enterprise`. A suspended organization
/// keeps its audit log.
///
/// # Errors
/// `NotFound` if the organization does not exist, or the user is neither a member nor an operator.
/// `Forbidden` for a member with a lower role, and for another plan.
pub fn find_readable_org(tx: &Tx<'_>, org: &str, user: &User) -> Result<Org> {
    if user.operator {
        return actions::find_org(tx, org);
    }
    let org = actions::require_role_even_if_suspended(tx, org, &user.id, Role::Admin)?;
    if org.plan != Plan::Enterprise {
        let text = format!("the audit log needs the plan {}", Plan::Enterprise);
        return Err(Error::Forbidden(text));
    }
    Ok(org)
}
