//! Handler of `GET /orgs/{org}/subscription`.

use super::store;
use crate::app::RequestContext;
use crate::features::accounts::User;
use crate::features::orgs;
use crate::features::orgs::Org;
use crate::features::orgs::Role;
use crate::features::orgs::Subscription;
use crate::features::orgs::SubscriptionDetails;
use chartroom_platform::db::Tx;
use chartroom_platform::error::Result;
use chartroom_platform::http::Response;
use chartroom_platform::http::endpoint::OptionalJson;

/// Handles `GET /orgs/{org}/subscription`, for admins. 204 without a subscription.
pub fn get(
    request: &RequestContext,
    caller: &User,
    (): (),
) -> Result<OptionalJson<SubscriptionDetails>> {
    let (name, base_url) = (request.param::<String>("org")?, &request.app.config.base_url);
    let details = request.app.db.read(|tx| {
        let org = orgs::require_role_even_if_suspended(tx, &name, &caller.id, Role::Admin)?;
        find_details(tx, &org, base_url)
    })?;
    let response = match details {
        Some(details) => Response::json(&details)?,
        None => Response::no_content(),
    };
    Ok(OptionalJson::new(response))
}

/// Returns the subscription of an organization with all its fields, or None without one.
pub fn find_details(tx: &Tx<'_>, org: &Org, base_url: &str) -> Result<Option<SubscriptionDetails>> {
    let pending = store::invites::count_open(tx, &org.id)?;
    let summary = summarize(tx, org, base_url)?;
    Ok(SubscriptionDetails::new(org, summary, pending, tx.now))
}

/// Returns the subscription summary of an organization.
pub fn summarize(tx: &Tx<'_>, org: &Org, base_url: &str) -> Result<Subscription> {
    Ok(Subscription::new(org, orgs::count_members(tx, &org.id)?, base_url))
}
