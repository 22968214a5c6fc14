//! A member of an organization with the account.

use crate::features::orgs::Role;
use chartroom_platform::id::AccountId;
use chartroom_platform::time::Timestamp;

/// A member of an organization with the account.
#[derive(Debug, Clone)]
pub struct Person {
    /// Account id.
    pub id: AccountId,
    /// Full name.
    pub name: String,
    /// E-mail address.
    pub email: String,
    /// Role in the organization.
    pub role: Role,
    /// Time of the last request, precise to a few minutes. None before the first one.
    pub last_seen: Option<Timestamp>,
    /// Whether this organization manages the account.
    pub is_managed: bool,
    /// Identifier at the identity provider; only for managed accounts.
    pub sso_id: Option<String>,
    /// Address of a picture at the identity provider; only for managed accounts.
    pub picture_url: Option<String>,
    /// Whether the user has uploaded an avatar.
    pub has_avatar: bool,
    /// Whether the account has a second factor.
    pub has_second_factor: bool,
    /// Time at which the account was created.
    pub created: Timestamp,
}
