//! The link with which a user sets a password: once, without the present password.
//!
//! Only the mail to the user contains the link. The database keeps the hash of its token, and the
//! task of the mail a number from which the server key derives the token.

use std::time::Duration;

use serde_json::json;

use super::actions;
use super::credentials;
use super::credentials::NewSession;
use super::events;
use super::store;
use super::store::Profile;
use super::store::sessions::SessionMethod;
use crate::app::RequestContext;
use chartroom_platform::crypto;
use chartroom_platform::crypto::ServerKey;
use chartroom_platform::db;
use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteActor;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::OrNotFound;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;

/// Name of the missing object in errors.
const NOT_FOUND_LABEL: &str = "password link";

/// A password link. Anyone who knows the secret can take over the account.
#[derive(Debug, Clone)]
pub struct PasswordLink {
    /// Random text from which the server key derives the token of the link.
    pub nonce: String,
}

impl PasswordLink {
    /// Creates a link for a user that is valid for `lifetime`, and makes earlier links of the user
    /// invalid.
    pub fn create(
        tx: &WriteTx<'_>,
        key: &ServerKey,
        user: &AccountId,
        lifetime: Duration,
    ) -> Result<Self> {
        let link = Self { nonce: crypto::random_base62(22)? };
        store::delete_password_links(tx, user)?;
        let hash = crypto::sha256(link.token(key).as_bytes());
        store::insert_password_link(tx, &hash, user, tx.now.saturating_add(lifetime))?;
        Ok(link)
    }

    /// Makes all links of a user invalid.
    pub fn delete_all(tx: &WriteTx<'_>, user: &AccountId) -> Result<()> {
        store::delete_password_links(tx, user)
    }

    /// Returns the absolute URL of the page of the link.
    pub fn url(&self, key: &ServerKey, base_url: &str) -> String {
        format!("{base_url}/set-password/{}", self.token(key))
    }

    /// Returns whether the link still works.
    pub fn is_valid(&self, tx: &Tx<'_>, key: &ServerKey) -> Result<bool> {
        let hash = crypto::sha256(self.token(key).as_bytes());
        Ok(store::find_password_link(tx, &hash)?.is_some())
    }

    /// Returns the token of the link.
    fn token(&self, key: &ServerKey) -> String {
        key.derive_token("password link", &self.nonce)
    }
}

/// Returns the user of the link with this token.
///
/// # Errors
/// `NotFound` if the link does not exist, was used or replaced, has expired, or its user is disabled,
/// or an operator with an account that an organization manages.
pub fn find_link_user(tx: &Tx<'_>, token: &str) -> Result<Profile> {
    let hash = crypto::sha256(token.as_bytes());
    let user = store::find_password_link(tx, &hash)?.or_not_found(NOT_FOUND_LABEL)?;
    let user = actions::load_profile(tx, &user)?;
    may_use_link(tx, &user)?.then_some(user).or_not_found(NOT_FOUND_LABEL)
}

/// Returns whether a user may set a password with a link.
///
/// An operator of the server must not depend on an organization, which can change the address of an
/// account that it manages.
pub fn may_use_link(tx: &Tx<'_>, user: &Profile) -> Result<bool> {
    if user.disabled {
        return Ok(false);
    }
    Ok(!user.operator || store::organizations::find_managing_org(tx, &user.id)?.is_none())
}

/// Sets the password of the user of a link, ends their other sessions and begins one. The link
/// stops working.
///
/// # Errors
/// `NotFound` as [`find_link_user`], `InvalidFields` for `password`, `Forbidden` for a request from
/// another site.
pub fn set_password_by_link(
    request: &RequestContext,
    token: &str,
    password: &str,
) -> Result<NewSession> {
    credentials::reject_cross_site(request)?;
    let user = request.app.db.read(|tx| find_link_user(tx, token))?;
    let client = Some(credentials::client_network(request));
    let hash = actions::hash_new_password(request.app, client, password)?;
    let token = token.to_owned();
    // The link is a credential of the user.
    db::set_actor(WriteActor::User(user.id));
    let user = request.app.db.write_with_reserve(move |tx| {
        let user = find_link_user(tx, &token)?;
        actions::set_password(tx, &user.id, &hash)?;
        events::record_user_event(tx, &user, "user.change_password", &json!({ "by": "link" }))?;
        Ok(user.user())
    })?;
    credentials::begin_session(request, user, SessionMethod::PasswordLink)
}
