//! Bodies and handlers of `/orgs/{org}/domains`.

use schemars::JsonSchema;
use serde::Deserialize;
use serde::Serialize;

use super::Domain;
use super::actions;
use crate::app::RequestContext;
use crate::features::accounts::User;
use crate::features::orgs::Org;
use crate::features::orgs::Role;
use crate::features::orgs::actions as orgs;
use chartroom_platform::db::Tx;
use chartroom_platform::error::Result;
use chartroom_platform::http::IdempotencyKey;
use chartroom_platform::http::Json;
use chartroom_platform::http::NoContent;
use chartroom_platform::http::Response;
use chartroom_platform::http::endpoint::RawJson;
use chartroom_platform::id::AccountId;
use chartroom_platform::time::Timestamp;

/// A domain of an organization.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Domain")]
pub struct DomainView {
    /// Name in ASCII (punycode), in lower case.
    #[schemars(extend("x-placeholder" = "domain"))]
    domain: String,
    /// `pending`, `verified` or `failed`.
    status: &'static str,
    /// Text to publish as a TXT record on the domain itself.
    record_value: String,
    /// Time of the last lookup that had a result.
    #[serde(skip_serializing_if = "Option::is_none")]
    last_checked: Option<Timestamp>,
    /// Time from which the domain is verified.
    #[serde(skip_serializing_if = "Option::is_none")]
    verified_at: Option<Timestamp>,
    /// TXT records that the last lookup found, at most 10, each shortened to 255 characters.
    found: Vec<String>,
}

/// The domains of an organization.
#[derive(Serialize, JsonSchema)]
pub struct Domains {
    /// Domains by name.
    verifications: Vec<DomainView>,
}

/// Body of `POST …/domains`. Unknown fields are ignored.
#[derive(Deserialize, JsonSchema)]
pub struct DomainBody {
    /// Name of the domain, in Unicode or ASCII.
    domain: String,
}

impl DomainView {
    /// Converts a domain to its JSON view.
    pub fn from_domain(domain: Domain) -> Self {
        Self {
            domain: domain.name,
            status: domain.status.as_str(),
            record_value: domain.record_value,
            last_checked: domain.last_checked,
            verified_at: domain.verified_at,
            found: domain.found,
        }
    }
}

/// Returns the organization with this id or slug if the user may change its domains.
///
/// # Errors
/// The errors of [`require_role`](orgs::require_role) for admins. `Forbidden` if the plan has no
/// domains.
fn require_domain_admin(tx: &Tx<'_>, org: &str, user: &AccountId) -> Result<Org> {
    let org = orgs::require_role(tx, org, user, Role::Admin)?;
    actions::check_plan(&org)?;
    Ok(org)
}

/// Checks that the caller may change the domains of the organization in the path.
///
/// # Errors
/// `NotFound`, `Forbidden` or `PaymentRequired`.
pub fn check_may_change(request: &RequestContext, caller: &User) -> Result<()> {
    let org: String = request.param("org")?;
    request.app.db.read(|tx| require_domain_admin(tx, &org, &caller.id).map(drop))
}

/// Handles `GET /orgs/{org}/domains`, for admins, also of a suspended organization.
pub fn list(request: &RequestContext, caller: &User, (): ()) -> Result<Json<Domains>> {
    let org: String = request.param("org")?;
    request.app.db.read(|tx| {
        let org = orgs::require_role_even_if_suspended(tx, &org, &caller.id, Role::Admin)?;
        actions::check_plan(&org)?;
        let domains = actions::list_domains(tx, &org)?;
        Ok(Json(Domains {
            verifications: domains.into_iter().map(DomainView::from_domain).collect(),
        }))
    })
}

/// Handles `POST /orgs/{org}/domains`, for admins. Returns the new domain, or the existing one if
/// the organization has registered it before.
pub fn register(
    request: &RequestContext,
    caller: &User,
    (key, Json(body)): (IdempotencyKey, Json<DomainBody>),
) -> Result<RawJson<DomainView>> {
    let (org, caller) = (request.param::<String>("org")?, caller.id.clone());
    let caller_id = caller.to_string();
    let check_access = {
        let (org, caller) = (org.clone(), caller.clone());
        move |tx: &Tx<'_>| require_domain_admin(tx, &org, &caller).map(drop)
    };
    let response = request.write_idempotent(&key, &caller_id, check_access, move |tx| {
        let org = require_domain_admin(tx, &org, &caller)?;
        let domain = actions::register_domain(tx, &org, &body.domain)?;
        Response::json(&DomainView::from_domain(domain))
    });
    response.map(RawJson::new)
}

/// Handles `POST /orgs/{org}/domains/{domain}/verify`, for admins: looks up the domain and returns
/// its new state. No transaction is open during the lookup. If the name servers fail, nothing
/// changes.
pub fn verify(request: &RequestContext, caller: &User, (): ()) -> Result<Json<DomainView>> {
    let (org, name) = (request.param::<String>("org")?, request.param::<String>("domain")?);
    let domain = request.app.db.read(|tx| {
        let org = require_domain_admin(tx, &org, &caller.id)?;
        actions::find_domain(tx, &org, &name)
    })?;
    let records = actions::look_up_records(request.app, &domain)?;
    let caller = caller.id.clone();
    request.app.db.write(move |tx| {
        let org = require_domain_admin(tx, &org, &caller)?;
        let updated = actions::record_lookup(tx, &org, &domain, &records)?;
        Ok(Json(DomainView::from_domain(updated)))
    })
}

/// Handles `DELETE /orgs/{org}/domains/{domain}`, for admins, also on a full disk, and also if the
/// plan has no domains any more.
pub fn delete(request: &RequestContext, caller: &User, (): ()) -> Result<NoContent> {
    let (org, name) = (request.param::<String>("org")?, request.param::<String>("domain")?);
    let caller = caller.id.clone();
    request.app.db.write_with_reserve(move |tx| {
        let org = orgs::require_role(tx, &org, &caller, Role::Admin)?;
        actions::delete_domain(tx, &org, &name)?;
        Ok(NoContent)
    })
}
