//! The routes of user provisioning.

use super::definition::AppRoute;
use super::definition::route;
use super::definition::undocumented;
use super::guards::scim_client;
use crate::features::scim;

/// Returns the routes of user provisioning with SCIM.
#[rustfmt::skip]
pub(super) fn scim_routes() -> Vec<AppRoute> {
    vec![
        route("GET", "/sso/scim/v2/orgs/{org}", scim_client(scim::http::check), "Check address and token of user provisioning"),
        route("GET", "/sso/scim/v2/orgs/{org}/ServiceProviderConfig", scim_client(scim::http::service_provider_config), "Read the features of user provisioning"),
        route("GET", "/sso/scim/v2/orgs/{org}/ResourceTypes", scim_client(scim::http::list_resource_types), "List the types of provisioned resources"),
        route("GET", "/sso/scim/v2/orgs/{org}/ResourceTypes/{id}", scim_client(scim::http::get_resource_type), "Read a type of provisioned resources"),
        route("GET", "/sso/scim/v2/orgs/{org}/Schemas", scim_client(scim::http::list_schemas), "List the schemas of provisioned resources"),
        route("GET", "/sso/scim/v2/orgs/{org}/Schemas/{id}", scim_client(scim::http::get_schema), "Read a schema of provisioned resources"),
        route("GET", "/sso/scim/v2/orgs/{org}/Groups", scim_client(scim::http::list_groups), "List the provisioned groups, which do not exist"),
        undocumented("POST", "/sso/scim/v2/orgs/{org}/Groups", scim_client(scim::http::refuse_groups)),
        undocumented("PUT", "/sso/scim/v2/orgs/{org}/Groups", scim_client(scim::http::refuse_groups)),
        undocumented("PATCH", "/sso/scim/v2/orgs/{org}/Groups", scim_client(scim::http::refuse_groups)),
        undocumented("DELETE", "/sso/scim/v2/orgs/{org}/Groups", scim_client(scim::http::refuse_groups)),
        route("GET", "/sso/scim/v2/orgs/{org}/Users", scim_client(scim::http::list), "List or find provisioned users"),
        route("POST", "/sso/scim/v2/orgs/{org}/Users", scim_client(scim::http::create), "Provision a user, or restore a removed one"),
        route("GET", "/sso/scim/v2/orgs/{org}/Users/{id}", scim_client(scim::http::get), "Read a provisioned user"),
        route("PUT", "/sso/scim/v2/orgs/{org}/Users/{id}", scim_client(scim::http::replace), "Replace attributes of a provisioned user"),
        route("PATCH", "/sso/scim/v2/orgs/{org}/Users/{id}", scim_client(scim::http::patch), "Change attributes of a provisioned user"),
        route("DELETE", "/sso/scim/v2/orgs/{org}/Users/{id}", scim_client(scim::http::delete), "Remove a provisioned user and end all access"),
    ]
}
