//! The page about user provisioning: the address of the service, its credentials, and the steps for
//! three identity providers.

use askama::Template;

use super::frame;
use super::frame::Frame;
use super::frame::Section;
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
    /// Path of the page of the domains.
    domains_path: String,
    /// Path of the page of single sign-on.
    sso_path: String,
    onelogin_external_id: &'static str,
}

/// Handles `GET /orgs/{org}/scim`, for admins.
pub fn page(request: &RequestContext, caller: &User, (): ()) -> Result<Response> {
    frame::show(request, caller, Section::Provisioning, &Problem::default(), |_, view| {
        if view.org.plan == Plan::Team {
            return Err(Error::Forbidden(language::text("org-scim.planNeeded").to_owned()));
        }
        let base_url = &request.app.config.base_url;
        Ok(ScimPage {
            title: language::text("org-scim.title"),
            base_url: format!("{base_url}/sso/scim/v2/orgs/{}", view.org.slug),
            domains_path: format!("{}/domains", view.frame.home),
            sso_path: format!("{}/sso", view.frame.home),
            onelogin_external_id: ONELOGIN_EXTERNAL_ID,
            frame: view.frame,
        })
    })
}
