//! Credentials of long responses, such as event streams, which must end when their credential ends.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hyper::header::AUTHORIZATION;

use super::User;
use super::credentials;
use super::second_factor;
use super::secrets;
use super::store;
use super::store::CredentialOwner;
use crate::app::RequestContext;
use chartroom_platform::crypto;
use chartroom_platform::crypto::Sha256Hash;
use chartroom_platform::db::Tx;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;

/// The credential of a request that stays open, without its secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OpenCredential {
    /// SHA-256 of the cookie of a session.
    Session(Sha256Hash),
    /// SHA-256 of an API token.
    Token(Sha256Hash),
    /// SHA-256 of the stored password hash, so that a new password ends the credential.
    Password(Sha256Hash),
}

impl OpenCredential {
    /// Returns the credential with which [`authenticate`](super::authenticate) has authenticated the
    /// request as `user`. None if it ended meanwhile.
    ///
    /// # Errors
    /// If the user cannot be read.
    pub fn of_request(
        tx: &Tx<'_>,
        request: &RequestContext,
        user: &AccountId,
    ) -> Result<Option<Self>> {
        let Some(value) = request.headers.get(AUTHORIZATION) else {
            return Ok(credentials::session_hash(request).map(Self::Session));
        };
        let parts = value.to_str().ok().and_then(|value| value.split_once(' '));
        if let Some((scheme, token)) = parts
            && scheme.eq_ignore_ascii_case("bearer")
        {
            return Ok(secrets::api_token_hash(token.trim()).map(Self::Token));
        }
        let basic = parts.and_then(|(_, encoded)| credentials::decode_basic(encoded.trim()));
        let password = basic.as_deref().and_then(|text| text.split_once(':'));
        if let Some(hash) = password.and_then(|(_, password)| secrets::api_token_hash(password)) {
            return Ok(Some(Self::Token(hash)));
        }
        let profile = store::find_user(tx, user.as_str())?;
        let password_hash = profile.and_then(|profile| profile.password_hash);
        Ok(password_hash.map(|hash| Self::Password(crypto::sha256(hash.as_bytes()))))
    }

    /// Returns the user `account` if the credential still authenticates them: it exists, has not
    /// expired, the user is not disabled, and neither lacks a required second factor nor has one that a
    /// password alone does not satisfy. A password does not authenticate users who must use single
    /// sign-on.
    ///
    /// # Errors
    /// If the database cannot be read.
    pub fn find_user(&self, tx: &Tx<'_>, account: &AccountId) -> Result<Option<User>> {
        let (owner, used_password) = match self {
            Self::Session(hash) => match store::sessions::find_session(tx, hash)? {
                Some(found) => (Some(found.owner), found.method.uses_password()),
                None => (None, false),
            },
            Self::Token(hash) => (store::find_token(tx, hash)?.map(|found| found.owner), false),
            Self::Password(hash) => (find_password_owner(tx, account, hash)?, true),
        };
        let is_valid = |owner: &CredentialOwner| {
            !owner.disabled
                && owner.expires.is_none_or(|expires| expires > tx.now)
                && owner.user.id == *account
        };
        let Some(owner) = owner.filter(is_valid) else { return Ok(None) };
        if used_password && second_factor::must_set_up(tx, account)? {
            return Ok(None);
        }
        Ok(Some(owner.user))
    }

    /// Returns the credential as text without white space, for [`OpenCredential::from_text`].
    pub fn to_text(&self) -> String {
        let (letter, hash) = match self {
            Self::Session(hash) => ('s', hash),
            Self::Token(hash) => ('t', hash),
            Self::Password(hash) => ('p', hash),
        };
        format!("{letter}{}", URL_SAFE_NO_PAD.encode(hash))
    }

    /// Parses the result of [`OpenCredential::to_text`]. Returns None for any other text.
    pub fn from_text(text: &str) -> Option<Self> {
        let (letter, rest) = text.split_at_checked(1)?;
        let hash = Sha256Hash::try_from(URL_SAFE_NO_PAD.decode(rest).ok()?).ok()?;
        match letter {
            "s" => Some(Self::Session(hash)),
            "t" => Some(Self::Token(hash)),
            "p" => Some(Self::Password(hash)),
            _ => None,
        }
    }
}

/// Returns the user with the password hash that has this SHA-256. None if the password was changed, or
/// the user has a second factor or must use single sign-on.
fn find_password_owner(
    tx: &Tx<'_>,
    account: &AccountId,
    hash: &Sha256Hash,
) -> Result<Option<CredentialOwner>> {
    if second_factor::has_second_factor(tx, account)?
        || store::organizations::must_use_sso(tx, account)?
    {
        return Ok(None);
    }
    let profile = store::find_user(tx, account.as_str())?.filter(|profile| {
        let stored = profile.password_hash.as_deref();
        stored.is_some_and(|stored| crypto::sha256(stored.as_bytes()) == *hash)
    });
    Ok(profile.map(|profile| CredentialOwner {
        user: profile.user(),
        disabled: profile.disabled,
        expires: None,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_form_keeps_kind_and_hash() {
        for credential in [
            OpenCredential::Session([1; 32]),
            OpenCredential::Token([2; 32]),
            OpenCredential::Password([255; 32]),
        ] {
            assert_eq!(OpenCredential::from_text(&credential.to_text()), Some(credential));
        }
        for text in ["", "s", "x", "é", "sAAAA"] {
            assert_eq!(OpenCredential::from_text(text), None, "{text}");
        }
    }
}
