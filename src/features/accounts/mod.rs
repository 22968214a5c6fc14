//! People, passwords, sessions, API tokens: whose request is this?
//!
//! Routes: `/session` (ending one), `/user/tokens`; the pages `/sign-in`, `/sign-out`, `/setup/{token}`.
//! Tables: `account`, `user`, `api_token`, `session`, `setup_link`. What a user belongs to is not
//! known here: the current user as one object is [`me`](crate::features::me).

pub mod http;
pub mod pages;
pub mod setup;
mod actions;
mod credentials;
mod rules;
mod secrets;
mod store;

pub use actions::ARRIVED;
pub use actions::Change;
pub use actions::NewUser;
pub use actions::PasswordChange;
pub use actions::change_own;
pub use actions::create;
pub use actions::delete;
pub use actions::edit;
pub use actions::find;
pub use actions::list;
pub use actions::make_token;
pub use actions::name_of;
pub use actions::new_password_hash;
pub use actions::profile;
pub use actions::register;
pub use actions::resolve;
pub use actions::set_disabled;
pub use actions::set_password;
pub use credentials::SignedIn;
pub use credentials::begin_session;
pub use credentials::caller;
pub use credentials::check_password_change;
pub use credentials::may_try;
pub use credentials::note_failure;
pub use credentials::refuse_other_sites;
pub use credentials::session_of;
pub use credentials::sign_in;
pub use rules::Email;
pub use rules::avatar_url;
pub use rules::email as email_rule;
pub use rules::email_key;
pub use rules::name as name_rule;
pub use store::Profile;
pub use store::Token;

use crate::app::RequestContext;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;

/// Who calls: a signed-in, enabled user.
#[derive(Debug, Clone)]
pub struct User {
    /// The account id.
    pub id: AccountId,
    /// The full name.
    pub name: String,
    /// The e-mail address.
    pub email: String,
    /// The slug under which the account can be named.
    pub username: String,
    /// Whether the user runs the server.
    pub operator: bool,
}

/// Who calls; without credentials that is `SignIn`.
pub fn require(request: &RequestContext) -> Result<User> {
    caller(request)?.ok_or(Error::SignIn("sign-in required"))
}
