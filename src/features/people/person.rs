//! A member of an organization with the account.

use std::time::Duration;

use crate::features::orgs::Role;
use chartroom_platform::id::AccountId;
use chartroom_platform::time::Timestamp;

/// Time for which a member counts as the client of the user provisioning after its last request.
/// Identity providers send requests at every change, and most of them each hour or day.
const PROVISIONING_PERIOD: Duration = Duration::from_hours(7 * 24);

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
    /// Time at which an API token of the member last provisioned users of the organization.
    pub scim_used: Option<Timestamp>,
    /// Time at which the account was created.
    pub created: Timestamp,
}

impl Person {
    /// Returns whether user provisioning probably ends when the member stops to be an administrator: an
    /// API token of the member provisioned users within `PROVISIONING_PERIOD`.
    pub fn provisions_users(&self, now: Timestamp) -> bool {
        let is_recent = |time: Timestamp| time.saturating_add(PROVISIONING_PERIOD) > now;
        self.role == Role::Admin && self.scim_used.is_some_and(is_recent)
    }
}
