//! Managed accounts: users that an organization creates, changes and removes.
//!
//! A managed account belongs to one organization and has an address on one of its verified domains.
//! Removal disables it. Its documents move to the organization.

pub mod http;
mod actions;
mod adoption;
mod mail;
mod provisioning;
mod relink_mail;
mod sso_sign_in;

pub use crate::features::people::store::managed::find_picture_url;
pub use crate::features::people::store::managed::managing_org;
pub use actions::ManagedUserChanges;
pub use actions::NewManagedUser;
pub use actions::check_new_user;
pub use actions::count_unlinked;
pub use actions::create_password_link;
pub use actions::create_user;
pub use actions::deprovision_user;
pub use actions::remove_user;
pub use actions::reset_second_factor;
pub use actions::update_user;
pub use adoption::ADOPT_TASK;
pub use adoption::adopt_documents;
pub use mail::MAIL_TASK;
pub use mail::mail_recipient;
pub use mail::send_mail;
pub use provisioning::ProvisionedChanges;
pub use provisioning::ProvisionedUser;
pub use provisioning::change_provisioned_user;
pub use provisioning::provision_user;
pub use relink_mail::RELINK_MAIL_TASK;
pub use relink_mail::relink_mail_recipient;
pub use relink_mail::send_relink_mail;
pub use sso_sign_in::SsoAccount;
pub use sso_sign_in::SsoIdentity;
pub use sso_sign_in::SsoOutcome;
pub use sso_sign_in::SsoRefusal;
pub use sso_sign_in::sign_in_with_sso;
