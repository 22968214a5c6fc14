//! One type per kind of identifier, so that two kinds of id cannot be swapped.
//!
//! Users and organizations share the id space of [`AccountId`], because both can own nodes. All
//! other ids are version 7 UUIDs, which sort by their creation time.

use std::fmt;

use rusqlite::types::{FromSql, FromSqlResult, ToSql, ToSqlOutput, ValueRef};

use crate::crypto;
use crate::error::Result;

/// Declares an id type that wraps a `String`.
macro_rules! id_type {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        #[serde(transparent)]
        #[schemars(inline)]
        pub struct $name(String);

        impl $name {
            /// Wraps a text as an id without a check: the object may not exist.
            pub fn from_text(text: impl Into<String>) -> Self {
                Self(text.into())
            }

            /// Returns the id as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            /// Writes the id without additions.
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl std::str::FromStr for $name {
            type Err = std::convert::Infallible;

            /// Wraps the text as an id without a check. Never fails.
            fn from_str(text: &str) -> std::result::Result<Self, Self::Err> {
                Ok(Self(text.to_owned()))
            }
        }

        impl ToSql for $name {
            /// Returns the id as an SQL text.
            fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
                Ok(ToSqlOutput::from(self.0.as_str()))
            }
        }

        impl FromSql for $name {
            /// Reads an SQL text as an id without a check. Fails for values of other types.
            fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
                value.as_str().map(|text| Self(text.to_owned()))
            }
        }
    };
}

id_type!(
    /// The id of a user or an organization, which can own nodes.
    AccountId
);
id_type!(
    /// The id of a document or folder (a version 7 UUID).
    NodeId
);
id_type!(
    /// The id of the records of a document, which its unchanged copies share. A new document uses
    /// its own id, later contents use version 7 UUIDs.
    ContentId
);
id_type!(
    /// The id of an API token, not the secret token itself (a version 7 UUID).
    TokenId
);
id_type!(
    /// The id of a browser session, not the value of its cookie (a UUID).
    SessionId
);

id_type!(
    /// The id of a team (a version 7 UUID).
    TeamId
);
id_type!(
    /// The id of an invite to an organization (a version 7 UUID).
    InviteId
);
id_type!(
    /// The id of a comment thread (a version 7 UUID).
    ThreadId
);
id_type!(
    /// The id of a comment (a version 7 UUID).
    CommentId
);

id_type!(
    /// The id of a cast session, in which a screen shows a document (a version 7 UUID).
    CastId
);

id_type!(
    /// The id of a connection to cloud storage (a version 7 UUID).
    ConnectionId
);

impl ContentId {
    /// Returns the id of the first content of a new document that is not a copy.
    ///
    /// Do not use it for existing documents: copies share the content of their source, and a
    /// document gets another content when it changes while copies share the old one.
    pub fn of_new_document(id: &NodeId) -> Self {
        Self(id.0.clone())
    }
}

impl AccountId {
    /// Generates a user id: a random decimal integer from 1 to below 2^53, which a JSON number
    /// holds exactly. Does not check that it is unused.
    pub fn new_user() -> Result<Self> {
        let random = u64::from_le_bytes(crypto::random_bytes::<8>()?);
        Ok(Self((random >> 11).max(1).to_string()))
    }

    /// Returns whether this is the id of an organization, which starts with a letter. Does not
    /// check that it exists.
    pub fn is_org(&self) -> bool {
        self.0.starts_with(|first: char| first.is_ascii_alphabetic())
    }

    /// Generates an organization id: 11 base62 characters (65 bits). The first one is a letter, so
    /// that it cannot equal a user id.
    pub fn new_org() -> Result<Self> {
        loop {
            let text = crypto::random_base62(11)?;
            if text.starts_with(|first: char| first.is_ascii_alphabetic()) {
                return Ok(Self(text));
            }
        }
    }
}

/// Implements `new` for the id types that are version 7 UUIDs.
macro_rules! generate_as_uuid_v7 {
    ($($name:ident)+) => {$(
        impl $name {
            /// Generates a new version 7 UUID as text.
            pub fn new() -> Self {
                Self(uuid::Uuid::now_v7().to_string())
            }
        }

        impl Default for $name {
            /// Generates a new id, like `new`.
            fn default() -> Self {
                Self::new()
            }
        }
    )+};
}

generate_as_uuid_v7!(NodeId ContentId TokenId SessionId TeamId InviteId ThreadId CommentId CastId ConnectionId);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn user_ids_fit_json_numbers_and_organization_ids_are_not_numeric() {
        for _ in 0..200 {
            let user = AccountId::new_user().unwrap();
            assert!(user.as_str().parse::<u64>().unwrap() < 1 << 53);
            let org = AccountId::new_org().unwrap();
            assert_eq!(org.as_str().len(), 11);
            assert!(org.as_str().parse::<u64>().is_err());
        }
    }
}
