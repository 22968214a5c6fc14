//! The pages of an organization: members, invites, teams, themes, assets, domains, user
//! provisioning, single sign-on, settings, subscription and audit log.
//!
//! Routes: `/orgs/{org}` and the paths below it. No tables.
//!
//! The pages work without scripts. A form is sent to the path of its page. After a success the
//! server redirects to a page with a notice; otherwise it shows the form again with the errors. To
//! add a page, add a `frame::Section`, a file and its routes.

pub mod assets;
pub mod audit_log;
pub mod domains;
pub mod invites;
pub mod layout_form;
pub mod layouts;
pub mod member;
pub mod members;
pub mod new_member;
pub mod removal;
pub mod scim;
pub mod settings;
pub mod sso;
pub mod subscription;
pub mod team;
pub mod teams;
pub mod theme;
pub mod themes;
mod audit_details;
mod audit_labels;
mod confirm;
mod frame;
mod identity_provider;
mod labels;
mod notices;
mod theme_form;
mod theme_preview;
