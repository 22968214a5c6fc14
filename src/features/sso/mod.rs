//! Single sign-on of organizations with SAML 2.0. The server is the service provider.
//!
//! Routes: `/sso/saml2`, `/sso/saml2/certificate`, `/sso/saml2/signin`, `/sso/saml2/finish`, the page
//! `/sign-in`, and `/orgs/{org}/sso`. Tables: `sso`, `sso_request`, `sso_seen`, `sso_code`, `sso_key`.
//!
//! [`protocol`] verifies responses and knows neither users nor the database. A sign-in has three
//! steps: a signed request, the response, which is verified and stored under a
//! one-time code, and the session, which only the browser of the request gets. Deliberately absent:
//! encrypted assertions, single logout, and other bindings.

pub mod http;
pub mod pages;
pub mod protocol;
pub mod settings;
mod browser;
mod key;
mod metadata;
mod rejections;
mod request;
mod sign_in;
mod store;
mod target;
mod tasks;

pub use key::load_certificate_pem;
pub use request::ACS_PATH;
pub use tasks::PURGE_TASK;
pub use tasks::purge_expired;
