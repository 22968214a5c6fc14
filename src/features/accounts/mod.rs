//! People, passwords, sessions, API tokens: whose request is this?

use crate::platform::error::Error;
use crate::platform::error::Result;
use crate::platform::http::Call;
use crate::platform::id::AccountId;

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

/// Who calls, by bearer token, basic credentials or session cookie; `None` without credentials.
///
/// # Errors
/// `SignIn` when credentials are given but are bad; `Forbidden` when a cookie comes with an unsafe
/// request from another origin.
pub fn caller(call: &Call) -> Result<Option<User>> {
    let _ = call;
    Ok(None)
}

/// Who calls; without credentials that is `SignIn`.
pub fn require(call: &Call) -> Result<User> {
    caller(call)?.ok_or(Error::SignIn("sign-in required"))
}
