//! Users, passwords, sessions and API tokens: authentication of requests.
//!
//! Routes: `DELETE /session`, `/user/tokens`, `/user/sessions`, `/user/second-factor`,
//! `/user/notifications`, and the pages `/sign-out`, `/setup/{token}`,
//! `/forgot-password`, `/set-password/{token}`. Tables: `account`, `user`, `account_activity`,
//! `api_token`, `session`, `second_factor`, `recovery_code`, `muted_notification`, `setup_link`,
//! `password_link`.
//!
//! This module does not know organizations, except that sign-ins and tokens of an account that an
//! organization manages are in the audit log of the organization. The current user as one object,
//! including organizations, is in [`me`](crate::features::me).

pub mod field_errors;
pub mod form;
pub mod http;
pub mod page_parts;
pub mod pages;
pub mod reset_pages;
pub mod second_factor;
pub mod setup;
mod actions;
mod activity;
mod attempts;
mod common_passwords;
mod credentials;
mod events;
mod notifications;
mod open_credential;
mod page_user;
mod password_check;
mod password_link;
mod password_reset;
mod password_sign_in;
mod rules;
mod secrets;
mod security_mail;
mod sessions;
mod store;
mod token_scope;

pub use actions::CheckedPasswordChange;
pub use actions::EMAIL_ASSIGNED_TASK;
pub use actions::NewApiToken;
pub use actions::NewUser;
pub use actions::UserChanges;
pub use actions::create_token;
pub use actions::create_user;
pub use actions::delete_token;
pub use actions::delete_user;
pub use actions::display_name;
pub use actions::end_access;
pub use actions::end_credentials;
pub use actions::find_user;
pub use actions::hash_new_password;
pub use actions::list_users;
pub use actions::load_profile;
pub use actions::register_org_account;
pub use actions::replace_cookies;
pub use actions::resolve_account;
pub use actions::set_disabled;
pub use actions::set_password;
pub use actions::update_own_account;
pub use actions::update_user;
pub use activity::start_activity_writer;
pub use credentials::NewSession;
pub use credentials::authenticate;
pub use credentials::authenticate_for_setup;
pub use credentials::begin_session;
pub use credentials::begin_sso_session;
pub use credentials::client_network;
pub use credentials::reject_cross_site;
pub use credentials::session_hash;
pub use events::record_user_change;
pub use events::record_user_deletion;
pub use events::record_user_event;
pub use notifications::NotificationKind;
pub use notifications::NotificationPatch;
pub use notifications::change_choices as change_notifications;
pub use notifications::find_choices as find_notifications;
pub use notifications::wants_mail;
pub use open_credential::OpenCredential;
pub use password_check::check_password_change;
pub use password_check::has_password;
pub use password_link::PasswordLink;
pub use password_link::must_use_sso;
pub use password_reset::MAIL_TASK as RESET_MAIL_TASK;
pub use password_reset::REQUEST_TASK as RESET_REQUEST_TASK;
pub use password_reset::create_link as create_reset_link;
pub use password_reset::mail_recipient as reset_mail_recipient;
pub use password_reset::send_mail as send_reset_mail;
pub use password_sign_in::sign_in;
pub use rules::Email;
pub use rules::avatar_url;
pub use rules::email_key;
pub use rules::parse_email;
pub use rules::parse_language;
pub use rules::parse_name;
pub use secrets::Secret;
pub use secrets::is_local_path;
pub use secrets::secret_hash;
pub use security_mail::MAIL_TASK as SECURITY_MAIL_TASK;
pub use security_mail::enqueue_password_mail;
pub use security_mail::mail_recipient as security_mail_recipient;
pub use security_mail::send_mail as send_security_mail;
pub use sessions::end_session;
pub use sessions::end_sessions;
pub use sessions::end_sessions_without_sso;
pub use sessions::list_sessions;
pub use sessions::list_tokens;
pub use store::ApiToken;
pub use store::Profile;
pub use store::sessions::Session;
pub use store::sessions::SessionMethod;
pub use token_scope::TokenScope;

use crate::app::RequestContext;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;
use chartroom_platform::language::Language;

/// A user who is authenticated and not disabled.
#[derive(Debug, Clone)]
pub struct User {
    /// Account id.
    pub id: AccountId,
    /// Full name.
    pub name: String,
    /// E-mail address.
    pub email: String,
    /// Unique slug that names the account in paths and at sign-in.
    pub username: String,
    /// Whether the user operates the server.
    pub operator: bool,
    /// Language of the pages. None if the browser decides.
    pub language: Option<Language>,
}

/// Returns the authenticated user of the request.
///
/// # Errors
/// `SignInRequired` if the request has no credentials or invalid ones. `Forbidden`,
/// `TooManyRequests` and `SecondFactor` as `credentials::authenticate`.
pub fn require_user(request: &RequestContext) -> Result<User> {
    credentials::authenticate(request)?.ok_or(Error::SignInRequired("sign-in required"))
}

/// Returns the authenticated user of the request, also one who must set up a second factor first.
///
/// # Errors
/// As [`require_user`], except `SecondFactor`.
pub fn require_user_for_setup(request: &RequestContext) -> Result<User> {
    credentials::authenticate_for_setup(request)?.ok_or(Error::SignInRequired("sign-in required"))
}

/// Returns the owner of the API token of the request. No other credentials count, not even beside a
/// token.
///
/// # Errors
/// `SignInRequired` if the request has no API token or an invalid one.
pub fn require_token_owner(request: &RequestContext) -> Result<User> {
    credentials::authenticate_token(request)
}
