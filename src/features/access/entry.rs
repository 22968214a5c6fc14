//! The access entry: one grant of access to a node.

use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSql, ToSqlOutput, ValueRef};

use super::rules::AccessLevel;
use chartroom_platform::crypto::Sha256Hash;
use chartroom_platform::id::AccountId;
use chartroom_platform::id::NodeId;
use chartroom_platform::time::Timestamp;

/// Recipient type of an access entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AccessEntryKind {
    /// A user.
    User,
    /// An e-mail invitation that has not been accepted. The mailed link gives no access, but anyone
    /// with the link can accept the invitation.
    Email,
    /// A share link. Anyone with the link has access.
    Link,
    /// The members of a team.
    Team,
}

impl AccessEntryKind {
    const ALL: [Self; 4] = [Self::User, Self::Email, Self::Link, Self::Team];

    /// Returns the name in the API and in the database.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Email => "email",
            Self::Link => "link",
            Self::Team => "team",
        }
    }
}

impl ToSql for AccessEntryKind {
    /// Stores the name as text.
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::from(self.as_str()))
    }
}

impl FromSql for AccessEntryKind {
    /// Reads the name. Any other text is an error.
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        let word = value.as_str()?;
        Self::ALL.into_iter().find(|kind| kind.as_str() == word).ok_or(FromSqlError::InvalidType)
    }
}

/// A grant of read or write access to a node and its descendants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccessEntry {
    /// UUID.
    pub id: String,
    /// Node that is shared.
    pub node: NodeId,
    /// Recipient type.
    pub kind: AccessEntryKind,
    /// Granted level: read or write.
    pub mode: AccessLevel,
    /// Account id of the recipient, for kind `user`.
    pub user: Option<AccountId>,
    /// Team id, for kind `team`.
    pub team: Option<String>,
    /// Invited address as entered, for kind `email`.
    pub email: Option<String>,
    /// SHA-256 of the token of the share link or the mailed link.
    pub token_hash: Option<Sha256Hash>,
    /// Number of times that the token was replaced.
    pub rotation: i64,
    /// Time of creation.
    pub created: Timestamp,
    /// Account id of the creator. Empty if unknown.
    pub created_by: AccountId,
    /// Time from which the entry grants nothing.
    pub expires: Option<Timestamp>,
    /// Time of the last use of the link, accurate to one minute.
    pub last_used: Option<Timestamp>,
}

impl AccessEntry {
    /// Creates a read entry with a new id and without recipient, token and expiry.
    pub fn new(node: &NodeId, kind: AccessEntryKind, author: &AccountId, now: Timestamp) -> Self {
        Self {
            id: NodeId::new().to_string(),
            node: node.clone(),
            kind,
            mode: AccessLevel::Read,
            user: None,
            team: None,
            email: None,
            token_hash: None,
            rotation: 0,
            created: now,
            created_by: author.clone(),
            expires: None,
            last_used: None,
        }
    }

    /// Returns whether the entry has expired at `now`. An entry without an expiry never does.
    pub fn has_expired(&self, now: Timestamp) -> bool {
        self.expires.is_some_and(|time| time <= now)
    }
}
