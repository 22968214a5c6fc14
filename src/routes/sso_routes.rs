//! The routes of single sign-on.

use super::definition::AppRoute;
use super::definition::accepts_bytes;
use super::definition::accepts_public_form;
use super::definition::route;
use super::definition::undocumented;
use super::definition::uses_write_pool;
use super::guards::optional_auth;
use super::guards::optional_auth_for_setup;
use super::guards::public;
use crate::features::sso;

/// Returns the routes of single sign-on with SAML, and the sign-in page, which leads to them.
#[rustfmt::skip]
pub(super) fn sso_routes() -> Vec<AppRoute> {
    vec![
        undocumented("GET", "/sign-in", optional_auth_for_setup(sso::pages::sign_in_page)),
        accepts_public_form(undocumented("POST", "/sign-in", public(sso::pages::sign_in))),
        uses_write_pool(route("GET", "/sso/saml2", public(sso::http::metadata), "Read the metadata of this server as a SAML 2.0 service provider")),
        accepts_bytes(sso::pages::MAX_RESPONSE_FORM_BYTES, undocumented("POST", "/sso/saml2", public(sso::pages::consume))),
        uses_write_pool(undocumented("GET", "/sso/saml2/certificate", public(sso::http::certificate))),
        uses_write_pool(undocumented("GET", "/sso/saml2/signin", optional_auth(sso::pages::address_page))),
        accepts_public_form(undocumented("POST", "/sso/saml2/signin", public(sso::pages::submit_address))),
        uses_write_pool(undocumented("GET", "/sso/saml2/finish", public(sso::pages::finish))),
    ]
}
