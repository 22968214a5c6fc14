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
use super::security_mail;
use super::store;
use super::store::Profile;
use super::store::password_links;
use super::store::password_links::LinkPurpose;
use super::store::sessions::SessionMethod;
use crate::app::RequestContext;
use chartroom_platform::crypto;
use chartroom_platform::crypto::ServerKey;
use chartroom_platform::crypto::Sha256Hash;
use chartroom_platform::db;
use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteActor;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Error;
use chartroom_platform::error::OrNotFound;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;
use chartroom_platform::time::Timestamp;

/// Name of the missing object in errors.
const NOT_FOUND_LABEL: &str = "password link";

/// Maximum number of valid links of a user for a forgotten password. Anybody can ask for such a link,
/// so that a new one must not make the link invalid that the user is about to open.
const MAX_RESET_LINKS: u32 = 5;

/// A password link. Anyone who knows the secret can take over the account.
#[derive(Debug, Clone)]
pub struct PasswordLink {
    /// Random text from which the server key derives the token of the link.
    pub nonce: String,
}

impl PasswordLink {
    /// Creates a link for the user of a managed account that is valid for `lifetime`, and makes earlier
    /// links of the user invalid.
    pub fn create(
        tx: &WriteTx<'_>,
        key: &ServerKey,
        user: &AccountId,
        lifetime: Duration,
    ) -> Result<Self> {
        let link = Self { nonce: crypto::random_base62(22)? };
        password_links::delete_all(tx, user)?;
        let expires = tx.now.saturating_add(lifetime);
        password_links::insert(tx, &link.hash(key), user, LinkPurpose::Account, expires)?;
        Ok(link)
    }

    /// Creates a link for a user with a forgotten password. Earlier links stay valid, except the
    /// oldest of this kind beyond `MAX_RESET_LINKS`.
    pub fn create_for_reset(
        tx: &WriteTx<'_>,
        key: &ServerKey,
        user: &AccountId,
        expires: Timestamp,
    ) -> Result<Self> {
        let link = Self { nonce: crypto::random_base62(22)? };
        password_links::insert(tx, &link.hash(key), user, LinkPurpose::Reset, expires)?;
        password_links::delete_oldest(tx, user, LinkPurpose::Reset, MAX_RESET_LINKS)?;
        Ok(link)
    }

    /// Returns the absolute URL of the page of the link.
    pub fn url(&self, key: &ServerKey, base_url: &str) -> String {
        format!("{base_url}/set-password/{}", self.token(key))
    }

    /// Returns whether the link still works.
    pub fn is_valid(&self, tx: &Tx<'_>, key: &ServerKey) -> Result<bool> {
        Ok(password_links::find_user(tx, &self.hash(key))?.is_some())
    }

    /// Returns the SHA-256 of the token.
    fn hash(&self, key: &ServerKey) -> Sha256Hash {
        crypto::sha256(self.token(key).as_bytes())
    }

    /// Returns the token of the link.
    fn token(&self, key: &ServerKey) -> String {
        key.derive_token("password link", &self.nonce)
    }
}

/// Returns the user of the link with this token.
///
/// # Errors
/// `NotFound` if the link does not exist, was used or replaced, has expired, or [`may_use_link`]
/// returns false for its user.
pub fn find_link_user(tx: &Tx<'_>, token: &str) -> Result<Profile> {
    let hash = crypto::sha256(token.as_bytes());
    let user = password_links::find_user(tx, &hash)?.or_not_found(NOT_FOUND_LABEL)?;
    let user = actions::load_profile(tx, &user)?;
    may_use_link(tx, &user)?.then_some(user).or_not_found(NOT_FOUND_LABEL)
}

/// Returns whether a user may set a password with a link, and therefore ask for one.
///
/// A disabled user may not, and an account that must use single sign-on has no use for a password. An
/// operator of the server must not depend on an organization, which can change the address of an
/// account that it manages.
pub fn may_use_link(tx: &Tx<'_>, user: &Profile) -> Result<bool> {
    if user.disabled || must_use_sso(tx, user)? {
        return Ok(false);
    }
    Ok(!user.operator || store::organizations::find_managing_org(tx, &user.id)?.is_none())
}

/// Returns whether a user may sign in with single sign-on only, because the organization that manages
/// the account requires it. A password from before that requirement stays, but it does not work. API
/// tokens work. Always false for an operator of the server.
pub fn must_use_sso(tx: &Tx<'_>, user: &Profile) -> Result<bool> {
    store::organizations::must_use_sso(tx, &user.id)
}

/// Sets the password of the user of a link, ends their other sessions and begins one. The link
/// stops working. Returns None if the user has a second factor: a mailbox is no replacement for it, so
/// that the user must sign in with a code.
///
/// # Errors
/// `NotFound` as [`find_link_user`], `InvalidFields` for `password`, `Forbidden` for a request from
/// another site.
pub fn set_password_by_link(
    request: &RequestContext,
    token: &str,
    password: &str,
) -> Result<Option<NewSession>> {
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
        security_mail::enqueue_password_mail(tx, &user)?;
        Ok(user.user())
    })?;
    match credentials::begin_session(request, user, SessionMethod::PasswordLink) {
        Err(Error::SecondFactor(_)) => Ok(None),
        other => other.map(Some),
    }
}
