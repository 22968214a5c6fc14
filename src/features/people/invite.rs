//! An invite to an organization.

use crate::features::orgs::Role;
use chartroom_platform::crypto::Sha256Hash;
use chartroom_platform::id::AccountId;
use chartroom_platform::id::InviteId;
use chartroom_platform::time::Timestamp;

/// An invite to an organization.
#[derive(Debug, Clone)]
pub struct Invite {
    /// UUID.
    pub id: InviteId,
    /// Organization.
    pub org: AccountId,
    /// Address as given.
    pub email: String,
    /// Role after the acceptance.
    pub role: Role,
    /// Text that the mail contains. May be empty.
    pub message: String,
    /// SHA-256 of the token.
    pub token_hash: Sha256Hash,
    /// Number of tokens before the present one.
    pub rotation: i64,
    /// Account that invited; it may be gone. Empty for the command line and for automatic invites.
    pub invited_by: AccountId,
    /// Time of creation.
    pub created: Timestamp,
    /// Time at which the mail was last requested.
    pub last_sent: Timestamp,
    /// Time at which the invite expires.
    pub expires: Timestamp,
}
