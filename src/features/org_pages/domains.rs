//! The page of the domains, with their TXT records and lookups.

use askama::Template;

use super::confirm::ConfirmPage;
use super::frame;
use super::frame::Frame;
use super::frame::OrgView;
use super::frame::Section;
use crate::app::RequestContext;
use crate::features::accounts::User;
use crate::features::accounts::form::FieldLabels;
use crate::features::accounts::form::Form;
use crate::features::accounts::form::Problem;
use crate::features::orgs;
use crate::features::orgs::Org;
use crate::features::orgs::Role;
use crate::features::orgs::domains;
use crate::features::orgs::domains::Domain;
use crate::features::orgs::domains::DomainStatus;
use crate::features::people::members;
use crate::features::people::members::MemberFilter;
use chartroom_platform::db::Tx;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::http::Response;
use chartroom_platform::language;

/// Names and labels of the fields of the form.
const FIELDS: &FieldLabels = &[("domain", "domains.domain")];

/// The page of the domains.
#[derive(Template)]
#[template(path = "org-domains.html")]
struct DomainsPage<'a> {
    frame: Frame,
    title: &'static str,
    /// Whether the plan has domains.
    has_plan: bool,
    domains: Vec<DomainCard>,
    domain: &'a str,
    problem: &'a Problem,
}

/// A domain in the list.
struct DomainCard {
    domain: Domain,
    /// Status for people.
    status: &'static str,
    /// CSS class of the status.
    class: &'static str,
    /// Name of the icon of the status.
    icon: &'static str,
    /// Sentence about the status.
    explanation: &'static str,
}

impl DomainCard {
    /// Describes a domain.
    fn new(domain: Domain) -> Self {
        let (status, explanation, class, icon) = match domain.status {
            DomainStatus::Verified if domain.missing_since.is_some() => {
                ("domains.verified", "domains.missingHint", "bad", "warn")
            }
            DomainStatus::Verified => ("domains.verified", "domains.verifiedHint", "good", "check"),
            DomainStatus::Pending => ("domains.pending", "domains.pendingHint", "open", "recent"),
            DomainStatus::Failed => ("domains.failed", "domains.failedHint", "bad", "warn"),
        };
        let (status, explanation) = (language::text(status), language::text(explanation));
        Self { domain, status, class, icon, explanation }
    }
}

/// Handles `GET /orgs/{org}/domains`, for admins.
pub fn page(request: &RequestContext, caller: &User, (): ()) -> Result<Response> {
    show_page(request, caller, "", &Problem::default())
}

/// Handles `POST /orgs/{org}/domains`, for admins: registers a domain.
pub fn submit(request: &RequestContext, caller: &User, (): ()) -> Result<Response> {
    let form = Form::from_request(request)?;
    let (org, caller_id) = (request.param::<String>("org")?, caller.id.clone());
    let domain = form.value("domain").to_owned();
    let added = request.app.db.write(move |tx| {
        let org = orgs::require_role(tx, &org, &caller_id, Role::Admin)?;
        domains::check_plan(&org)?;
        domains::register_domain(tx, &org, &domain).map(drop)
    });
    match added {
        Ok(()) => frame::redirect(request, "/domains", "domain-added"),
        Err(error) => {
            let problem = Problem::from_error(error, FIELDS)?;
            show_page(request, caller, form.value("domain"), &problem)
        }
    }
}

/// Handles `POST /orgs/{org}/domains/{domain}/check`, for admins: looks up the TXT record and waits
/// for the name servers.
pub fn check(request: &RequestContext, caller: &User, (): ()) -> Result<Response> {
    match look_up(request, caller) {
        Ok(DomainStatus::Verified) => frame::redirect(request, "/domains", "domain-verified"),
        Ok(_) => frame::redirect(request, "/domains", "domain-failed"),
        Err(error) => show_page(request, caller, "", &Problem::from_error(error, &[])?),
    }
}

/// Looks up the domain in the path and stores the result. No transaction is open during the lookup.
fn look_up(request: &RequestContext, caller: &User) -> Result<DomainStatus> {
    let (org, name) = (request.param::<String>("org")?, request.param::<String>("domain")?);
    let domain = request.app.db.read(|tx| {
        let org = orgs::require_role(tx, &org, &caller.id, Role::Admin)?;
        domains::check_plan(&org)?;
        domains::find_domain(tx, &org, &name)
    })?;
    let records = domains::look_up_records(request.app, &domain)?;
    let caller = caller.id.clone();
    request.app.db.write(move |tx| {
        let org = orgs::require_role(tx, &org, &caller, Role::Admin)?;
        domains::check_plan(&org)?;
        Ok(domains::record_lookup(tx, &org, &domain, &records)?.status)
    })
}

/// Handles `GET /orgs/{org}/domains/{domain}/delete`, for admins: asks before the domain is deleted.
pub fn delete_page(request: &RequestContext, caller: &User, (): ()) -> Result<Response> {
    let name: String = request.param("domain")?;
    let problem = Problem::default();
    let build = |tx: &Tx<'_>, view: OrgView| {
        let domain = domains::find_domain(tx, &view.org, &name)?;
        Ok(ConfirmPage {
            title: language::fill("domains.deleteTitle").with("domain", &domain.name).into(),
            consequences: describe_deletion(tx, &view.org, &domain)?,
            fields: Vec::new(),
            action: language::text("domains.deleteAction"),
            cancel: format!("{}/domains", view.frame.home),
            is_possible: !view.frame.is_suspended,
            frame: view.frame,
            problem: &problem,
        })
    };
    frame::show(request, caller, Section::Domains, &problem, build)
}

/// Handles `POST /orgs/{org}/domains/{domain}/delete`, for admins.
pub fn delete(request: &RequestContext, caller: &User, (): ()) -> Result<Response> {
    let (org, name) = (request.param::<String>("org")?, request.param::<String>("domain")?);
    let caller = caller.id.clone();
    request.app.db.write_with_reserve(move |tx| {
        let org = orgs::require_role(tx, &org, &caller, Role::Admin)?;
        domains::delete_domain(tx, &org, &name).map(drop)
    })?;
    frame::redirect(request, "/domains", "domain-deleted")
}

/// Describes the consequences of deleting a domain, one sentence each.
fn describe_deletion(tx: &Tx<'_>, org: &Org, domain: &Domain) -> Result<Vec<String>> {
    let mut sentences = vec![language::text("domains.deleteRecord").to_owned()];
    if domain.status != DomainStatus::Verified {
        sentences.push(language::text("domains.deleteUnverified").to_owned());
        return Ok(sentences);
    }
    let managed = members::list_people(tx, &org.id, &MemberFilter::new(None, "", true))?;
    let uses_domain = |email: &str| {
        domains::domain_of_address(email).is_some_and(|present| present == domain.name)
    };
    let accounts = managed.iter().filter(|person| uses_domain(&person.email)).count();
    sentences.push(language::fill("domains.deleteAccounts").with("count", accounts).into());
    sentences.push(language::text("domains.deleteRights").to_owned());
    Ok(sentences)
}

/// Checks that the plan of an organization includes verified domains.
///
/// # Errors
/// `Forbidden` with a sentence for the page.
fn check_plan(org: &Org) -> Result<()> {
    domains::check_plan(org)
        .map_err(|_| Error::Forbidden(language::text("domains.planNeeded").to_owned()))
}

/// Shows the domains and the form with its value.
fn show_page(
    request: &RequestContext,
    caller: &User,
    domain: &str,
    problem: &Problem,
) -> Result<Response> {
    frame::show(request, caller, Section::Domains, problem, |tx, view| {
        let all = domains::list_domains(tx, &view.org)?;
        let plan = check_plan(&view.org);
        // After a change of the plan, the domains can still be deleted.
        let has_plan = if all.is_empty() { plan.map(|()| true)? } else { plan.is_ok() };
        Ok(DomainsPage {
            title: language::text("domains.title"),
            has_plan,
            domains: all.into_iter().map(DomainCard::new).collect(),
            domain,
            problem,
            frame: view.frame,
        })
    })
}
