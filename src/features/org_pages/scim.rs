//! The page about user provisioning: the address of the service, its credentials, and the steps for
//! identity providers.

use askama::Template;

use super::frame;
use super::frame::Frame;
use super::frame::Section;
use super::identity_provider::Provider;
use super::identity_provider::ProviderLink;
use crate::app::RequestContext;
use crate::features::accounts::User;
use crate::features::accounts::form::Problem;
use crate::features::orgs::Plan;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::http::Response;
use chartroom_platform::language;

/// Line of the template of OneLogin that adds the identifier.
const ONELOGIN_EXTERNAL_ID: &str = "\"externalId\": \"{$user.id}\"";

/// The page about user provisioning.
#[derive(Template)]
#[template(path = "org-scim.html")]
struct ScimPage {
    frame: Frame,
    title: &'static str,
    /// Address of the service.
    base_url: String,
    /// Paths of the pages of the domains, of single sign-on and of its steps, and of the members.
    domains_path: String,
    sso_path: String,
    sso_steps_path: String,
    members_path: String,
    /// Selected identity provider, for the steps.
    provider: Option<Provider>,
    providers: Vec<ProviderLink>,
    onelogin_external_id: &'static str,
}

/// Handles `GET /orgs/{org}/scim`, for admins.
pub fn page(request: &RequestContext, caller: &User, (): ()) -> Result<Response> {
    frame::show(request, caller, Section::Provisioning, &Problem::default(), |_, view| {
        if view.org.plan == Plan::Team {
            return Err(Error::Forbidden(language::text("org-scim.planNeeded").to_owned()));
        }
        let base_url = &request.app.config.base_url;
        let provider = Provider::from_query(request);
        let sso_path = format!("{}/sso", view.frame.home);
        Ok(ScimPage {
            title: language::text("org-scim.title"),
            base_url: format!("{base_url}/sso/scim/v2/orgs/{}", view.org.slug),
            domains_path: format!("{}/domains", view.frame.home),
            sso_steps_path: provider
                .map_or_else(|| sso_path.clone(), |provider| provider.steps_path(&sso_path)),
            sso_path,
            members_path: view.frame.home.clone(),
            provider,
            providers: Provider::list_links(&format!("{}/scim", view.frame.home), provider),
            onelogin_external_id: ONELOGIN_EXTERNAL_ID,
            frame: view.frame,
        })
    })
}
