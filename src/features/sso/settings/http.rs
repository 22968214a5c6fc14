//! Bodies and handlers of `/orgs/{org}/sso`.

use schemars::JsonSchema;
use serde::Serialize;

use super::SsoSettings;
use super::actions;
use super::rules::SettingsInput;
use crate::app::RequestContext;
use crate::features::accounts::User;
use crate::features::orgs;
use crate::features::orgs::Org;
use crate::features::orgs::Role;
use crate::features::sso::protocol;
use crate::features::sso::protocol::IdpCertificate;
use crate::features::sso::request::ACS_PATH;
use chartroom_platform::db::Tx;
use chartroom_platform::error::OrNotFound;
use chartroom_platform::error::Result;
use chartroom_platform::http::Json;
use chartroom_platform::http::NoContent;
use chartroom_platform::id::AccountId;
use chartroom_platform::time::Timestamp;

/// The identity provider of an organization, and the values that the identity provider needs.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "SsoSettings")]
pub struct SettingsView {
    /// Entity id of the identity provider: the issuer of its responses.
    entity_id: String,
    /// One or two certificates as PEM blocks.
    certificate: String,
    /// URL of the identity provider to which browsers are sent.
    sign_in_url: String,
    /// Whether a sign-in may begin at the identity provider.
    allow_idp_initiated: bool,
    /// Whether an account with another identifier is linked to the identifier of a sign-in with its
    /// address.
    allow_relink: bool,
    /// Contents of the certificates.
    certificates: Vec<IdpCertificate>,
    /// Entity id of this server, which responses must name as their only audience.
    audience: String,
    /// Address to which the identity provider sends its responses.
    acs_url: String,
    /// Address of the metadata of this server.
    metadata_url: String,
    /// Time of the last successful sign-in or test, or null.
    last_sign_in: Option<Timestamp>,
    /// Last rejected sign-in of the past 90 days, or null.
    last_rejection: Option<RejectionView>,
}

/// A rejected sign-in.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "SsoRejection")]
pub struct RejectionView {
    /// Time of the sign-in.
    at: Timestamp,
    /// Reason, for administrators.
    reason: String,
}

impl SettingsView {
    /// Reads the last rejection and builds the view.
    fn load(tx: &Tx<'_>, settings: SsoSettings, base_url: &str) -> Result<Self> {
        let rejections = actions::list_rejections(tx, &settings.org, 1)?;
        Ok(Self {
            certificates: protocol::parse_certificates(&settings.certificate)?,
            entity_id: settings.entity_id,
            certificate: settings.certificate,
            sign_in_url: settings.sign_in_url,
            allow_idp_initiated: settings.allow_idp_initiated,
            allow_relink: settings.allow_relink,
            audience: base_url.to_owned(),
            acs_url: format!("{base_url}{ACS_PATH}"),
            metadata_url: format!("{base_url}{ACS_PATH}"),
            last_sign_in: settings.last_sign_in,
            last_rejection: rejections.into_iter().next().map(|event| RejectionView {
                at: event.created,
                reason: event.details["reason"].as_str().unwrap_or_default().to_owned(),
            }),
        })
    }

    /// Loads the identity provider of an organization.
    ///
    /// # Errors
    /// `NotFound` if there is none.
    fn find(tx: &Tx<'_>, org: &AccountId, base_url: &str) -> Result<Self> {
        Self::load(tx, actions::find(tx, org)?.or_not_found("identity provider")?, base_url)
    }
}

/// Returns the organization with this id or slug if the user may change its identity provider.
///
/// # Errors
/// As [`orgs::require_role`] for admins. `Forbidden` if the plan has no single sign-on.
pub fn require_sso_admin(tx: &Tx<'_>, org: &str, user: &AccountId) -> Result<Org> {
    let org = orgs::require_role(tx, org, user, Role::Admin)?;
    actions::check_plan(&org)?;
    Ok(org)
}

/// Checks that the caller may change the identity provider of the organization in the path.
///
/// # Errors
/// As [`require_sso_admin`].
pub fn check_may_change(request: &RequestContext, caller: &User) -> Result<()> {
    let org: String = request.param("org")?;
    request.app.db.read(|tx| require_sso_admin(tx, &org, &caller.id).map(drop))
}

/// Handles `GET /orgs/{org}/sso`, for admins, also of a suspended organization.
pub fn get(request: &RequestContext, caller: &User, (): ()) -> Result<Json<SettingsView>> {
    let org: String = request.param("org")?;
    request.app.db.read(|tx| {
        let org = orgs::require_role_even_if_suspended(tx, &org, &caller.id, Role::Admin)?;
        actions::check_plan(&org)?;
        Ok(Json(SettingsView::find(tx, &org.id, &request.app.config.base_url)?))
    })
}

/// Handles `PUT /orgs/{org}/sso`, for admins: sets the identity provider, or replaces it.
pub fn put(
    request: &RequestContext,
    caller: &User,
    Json(body): Json<SettingsInput>,
) -> Result<Json<SettingsView>> {
    let (org, caller) = (request.param::<String>("org")?, caller.id.clone());
    let base_url = request.app.config.base_url.clone();
    request.app.db.write(move |tx| {
        let org = require_sso_admin(tx, &org, &caller)?;
        actions::put(tx, &org, &body, &base_url)?;
        Ok(Json(SettingsView::find(tx, &org.id, &base_url)?))
    })
}

/// Handles `DELETE /orgs/{org}/sso`, for admins: removes the identity provider.
pub fn delete(request: &RequestContext, caller: &User, (): ()) -> Result<NoContent> {
    let (org, caller) = (request.param::<String>("org")?, caller.id.clone());
    request.app.db.write_with_reserve(move |tx| {
        actions::delete(tx, &require_sso_admin(tx, &org, &caller)?)?;
        Ok(NoContent)
    })
}
