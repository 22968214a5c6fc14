//! An access entry as it is stored.

use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSql, ToSqlOutput, ValueRef};

use super::rules::Level;
use chartroom_platform::crypto::Hash;
use chartroom_platform::id::AccountId;
use chartroom_platform::id::NodeId;
use chartroom_platform::time::Timestamp;

/// Whom an entry is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryKind {
    /// A user.
    User,
    /// Whoever opens the link that was sent to an address.
    Email,
    /// Whoever has the link.
    Link,
    /// The members of a team.
    Team,
}

impl EntryKind {
    const ALL: [Self; 4] = [Self::User, Self::Email, Self::Link, Self::Team];

    /// The interface's word.
    pub fn word(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Email => "email",
            Self::Link => "link",
            Self::Team => "team",
        }
    }
}

impl ToSql for EntryKind {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::from(self.word()))
    }
}

impl FromSql for EntryKind {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        let word = value.as_str()?;
        Self::ALL.into_iter().find(|it| it.word() == word).ok_or(FromSqlError::InvalidType)
    }
}

/// Who else may read or change a node and what is below it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// A UUID.
    pub id: String,
    /// What is shared.
    pub node: NodeId,
    pub kind: EntryKind,
    /// Read or write.
    pub mode: Level,
    /// Of kind user.
    pub user: Option<AccountId>,
    /// Of kind team: its id.
    pub team: Option<String>,
    /// Of kind email: the address as it was given.
    pub email: Option<String>,
    /// SHA-256 of the token of a link or of a mail.
    pub token_hash: Option<Hash>,
    /// Counts the tokens that it had before.
    pub rotation: i64,
    pub created: Timestamp,
    /// Who shared it; empty for nobody who is known.
    pub created_by: AccountId,
    /// From when on it opens nothing.
    pub expires: Option<Timestamp>,
    /// When its link was last used, to the minute.
    pub last_used: Option<Timestamp>,
}

impl Entry {
    /// A new entry for nobody yet.
    pub fn new(node: &NodeId, kind: EntryKind, by: &AccountId, now: Timestamp) -> Self {
        Self {
            id: NodeId::new().to_string(),
            node: node.clone(),
            kind,
            mode: Level::Read,
            user: None,
            team: None,
            email: None,
            token_hash: None,
            rotation: 0,
            created: now,
            created_by: by.clone(),
            expires: None,
            last_used: None,
        }
    }

    /// Whether its time is over.
    pub fn has_expired(&self, now: Timestamp) -> bool {
        self.expires.is_some_and(|it| it <= now)
    }
}
