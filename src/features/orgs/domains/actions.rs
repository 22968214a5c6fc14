//! Registering, looking up and deleting domains. The caller of these functions has already checked
//! access.

use std::time::Duration;

use serde_json::json;

use super::mail;
use super::rules;
use super::store;
use super::verification::Domain;
use super::verification::DomainStatus;
use crate::app::App;
use crate::features::audit;
use crate::features::audit::EventTarget;
use crate::features::orgs::Org;
use crate::features::orgs::Plan;
use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::db::map_unique_violation;
use chartroom_platform::error::Error;
use chartroom_platform::error::OrNotFound;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;
use chartroom_platform::remote::names;

/// Time between two checks of a verified domain.
const CHECK_INTERVAL: Duration = Duration::from_hours(24);

/// Checks that the plan of an organization includes verified domains.
///
/// # Errors
/// `Forbidden` for the plan `team`.
pub fn check_plan(org: &Org) -> Result<()> {
    match org.plan {
        Plan::Enterprise | Plan::Education => Ok(()),
        Plan::Team => {
            Err(Error::Forbidden("domains need the plan enterprise or education".to_owned()))
        }
    }
}

/// Returns the domains of an organization, by name.
pub fn list_domains(tx: &Tx<'_>, org: &Org) -> Result<Vec<Domain>> {
    store::list_domains(tx, &org.id)
}

/// Returns a domain of an organization. `name` can be in Unicode or ASCII.
///
/// # Errors
/// `NotFound` without such a domain.
pub fn find_domain(tx: &Tx<'_>, org: &Org, name: &str) -> Result<Domain> {
    let name = rules::to_ascii(name.trim()).or_not_found("domain")?;
    store::find_domain(tx, &org.id, &name)?.or_not_found("domain")
}

/// Registers a domain of an organization. Returns the existing domain, unchanged, if the organization
/// has registered it before.
///
/// # Errors
/// `InvalidFields` for `domain`. `Conflict` if another organization has verified the domain, or the
/// organization has too many domains.
pub fn register_domain(tx: &WriteTx<'_>, org: &Org, name: &str) -> Result<Domain> {
    let name = rules::parse_domain(name)?;
    match store::find_verified_org(tx, &name)? {
        Some(owner) if owner != org.id => return Err(verified_elsewhere_error(&name)),
        _ => {}
    }
    if let Some(existing) = store::find_domain(tx, &org.id, &name)? {
        return Ok(existing);
    }
    if store::count_domains(tx, &org.id)? >= rules::MAX_DOMAINS {
        let text = format!("{} already has {} domains, the maximum", org.name, rules::MAX_DOMAINS);
        return Err(Error::Conflict(text));
    }
    let domain = Domain::new(name, rules::generate_record_value()?, tx.now);
    store::insert_domain(tx, &org.id, &domain)?;
    audit::record(tx, &org.id, "domain.create", &event_target(&domain), &json!({}))?;
    Ok(domain)
}

/// Looks up the TXT records of a domain. Waits for name servers, so call it outside a transaction.
///
/// # Errors
/// `RemoteTimeout` or `NameServerFailed` if the name servers do not say which records exist.
pub fn look_up_records(app: &App, domain: &Domain) -> Result<Vec<String>> {
    names::lookup_txt(&app.config.dns, &domain.name)
}

/// Stores the result of a lookup that an admin requested: the domain becomes verified if one of
/// `records` matches, otherwise failed. `domain` is the domain before the lookup. Returns the new
/// state.
///
/// # Errors
/// `NotFound` if the domain was deleted meanwhile. `Conflict` if another organization has verified
/// it, or it was deleted and registered again meanwhile.
pub fn record_lookup(
    tx: &WriteTx<'_>,
    org: &Org,
    domain: &Domain,
    records: &[String],
) -> Result<Domain> {
    let present = store::find_domain(tx, &org.id, &domain.name)?.or_not_found("domain")?;
    if present.record_value != domain.record_value {
        let text = format!("{} was registered again during the lookup", domain.name);
        return Err(Error::field_conflict("domain", text));
    }
    let previous_status = present.status;
    let updated = present.after_requested_lookup(records, tx.now);
    map_unique_violation(store::update_domain(tx, &org.id, &updated), || {
        verified_elsewhere_error(&updated.name)
    })?;
    if updated.status != previous_status {
        let action = match updated.status {
            DomainStatus::Verified => "domain.verify",
            _ => "domain.fail",
        };
        let details = json!({ "previous_status": previous_status.as_str() });
        audit::record(tx, &org.id, action, &event_target(&updated), &details)?;
    }
    Ok(updated)
}

/// Deletes a domain of an organization, verified or not.
///
/// # Errors
/// `NotFound` without such a domain.
pub fn delete_domain(tx: &WriteTx<'_>, org: &Org, name: &str) -> Result<Domain> {
    let domain = find_domain(tx, org, name)?;
    store::delete_domain(tx, &org.id, &domain.name)?;
    let details = json!({ "previous_status": domain.status.as_str() });
    audit::record(tx, &org.id, "domain.delete", &event_target(&domain), &details)?;
    Ok(domain)
}

/// Returns whether an e-mail address is on a domain that the organization has verified. A subdomain
/// of a verified domain is another domain.
pub fn is_address_verified(tx: &Tx<'_>, org: &AccountId, email: &str) -> Result<bool> {
    Ok(find_verified_org(tx, email)?.is_some_and(|owner| owner == *org))
}

/// Returns the organization that has verified the domain of an e-mail address. None if there is
/// none, or if the address has no valid domain.
pub fn find_verified_org(tx: &Tx<'_>, email: &str) -> Result<Option<AccountId>> {
    match rules::domain_of_address(email) {
        Some(domain) => store::find_verified_org(tx, &domain),
        None => Ok(None),
    }
}

/// Returns the verified domains that the daily check has to look up, with their organizations, those
/// that wait longest first.
pub fn list_due_domains(tx: &Tx<'_>) -> Result<Vec<(AccountId, String)>> {
    store::list_due_domains(tx, tx.now.saturating_sub(CHECK_INTERVAL))
}

/// Returns the domain for its daily check. None if it was deleted or is no longer verified.
pub fn find_domain_to_check(tx: &Tx<'_>, org: &AccountId, name: &str) -> Result<Option<Domain>> {
    let domain = store::find_domain(tx, org, name)?;
    Ok(domain.filter(|domain| domain.status == DomainStatus::Verified))
}

/// Stores the result of a daily check without changing the status. If the record has been missing
/// for three days, enqueues a mail to each admin if `sends_mail`, once until the record is there
/// again. `domain` is the domain before the lookup. Does nothing if it was deleted or is no longer
/// verified.
pub fn record_daily_lookup(
    tx: &WriteTx<'_>,
    org: &AccountId,
    domain: &Domain,
    records: &[String],
    sends_mail: bool,
) -> Result<()> {
    let Some(present) = find_domain_to_check(tx, org, &domain.name)? else { return Ok(()) };
    if present.record_value != domain.record_value {
        return Ok(());
    }
    let updated = present.after_daily_lookup(records, tx.now);
    store::update_domain(tx, org, &updated)?;
    if updated.reported != Some(tx.now) {
        return Ok(());
    }
    let details = json!({ "missing_since": updated.missing_since });
    audit::record(tx, org, "domain.missing", &event_target(&updated), &details)?;
    if sends_mail {
        return mail::enqueue_mails(tx, org, &updated.name);
    }
    tracing::warn!(
        domain = updated.name,
        "smtp_host is not set: nobody is told of a missing record"
    );
    Ok(())
}

/// Returns the target of the audit events of a domain.
fn event_target(domain: &Domain) -> EventTarget {
    EventTarget::new("domain", &domain.name, &domain.name)
}

/// Returns the `Conflict` for a domain that another organization has verified.
fn verified_elsewhere_error(name: &str) -> Error {
    Error::field_conflict("domain", format!("{name} is verified by another organization"))
}
