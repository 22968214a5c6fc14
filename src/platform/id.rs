//! Identifiers: types of their own, so that two cannot be swapped.
//!
//! Users and organizations share one id space (either can own things); documents and the like are
//! version 7 UUIDs, which sort by the time they were made.

use std::fmt;

use rusqlite::types::{FromSql, FromSqlResult, ToSql, ToSqlOutput, ValueRef};

use crate::crypto;
use crate::error::Result;

/// Declares an id type around a text.
macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        #[serde(transparent)]
        #[schemars(inline)]
        pub struct $name(String);

        impl $name {
            /// Takes a text as an id; whether such a thing exists is another question.
            pub fn from_text(text: impl Into<String>) -> Self {
                Self(text.into())
            }

            /// The id as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl std::str::FromStr for $name {
            type Err = std::convert::Infallible;

            fn from_str(text: &str) -> std::result::Result<Self, Self::Err> {
                Ok(Self(text.to_owned()))
            }
        }

        impl ToSql for $name {
            fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
                Ok(ToSqlOutput::from(self.0.as_str()))
            }
        }

        impl FromSql for $name {
            fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
                value.as_str().map(|text| Self(text.to_owned()))
            }
        }
    };
}

id!(
    /// A user's or an organization's id: who can own things.
    AccountId
);
id!(
    /// A document's or folder's place in the tree (a version 7 UUID).
    NodeId
);
id!(
    /// An API token's id, not the token itself (a version 7 UUID).
    TokenId
);

id!(
    /// A team's id (a version 7 UUID).
    TeamId
);
id!(
    /// A comment thread's id (a version 7 UUID).
    ThreadId
);
id!(
    /// A comment's id (a version 7 UUID).
    CommentId
);

id!(
    /// A cast session's id: of a screen that shows a document (a version 7 UUID).
    CastId
);

impl AccountId {
    /// A new user's id: a random integer below 2^53 in decimal, so that JSON numbers hold it too.
    pub fn new_user() -> Result<Self> {
        let random = u64::from_le_bytes(crypto::random::<8>()?);
        Ok(Self((random >> 11).max(1).to_string()))
    }

    /// A new organization's id: 11 base62 characters (65 bits). It begins with a letter, so it is
    /// never taken for a user's.
    pub fn new_org() -> Result<Self> {
        loop {
            let text = crypto::random_base62(11)?;
            if text.starts_with(|first: char| first.is_ascii_alphabetic()) {
                return Ok(Self(text));
            }
        }
    }
}

/// How ids that are version 7 UUIDs are made.
macro_rules! made {
    ($($name:ident)+) => {$(
        impl $name {
            /// A new id.
            pub fn new() -> Self {
                Self(uuid::Uuid::now_v7().to_string())
            }
        }

        impl Default for $name {
            fn default() -> Self {
                Self::new()
            }
        }
    )+};
}

made!(NodeId TokenId TeamId ThreadId CommentId CastId);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn user_ids_are_numbers_that_json_holds_and_org_ids_are_not() {
        for _ in 0..200 {
            let user = AccountId::new_user().unwrap();
            assert!(user.as_str().parse::<u64>().unwrap() < 1 << 53);
            let org = AccountId::new_org().unwrap();
            assert_eq!(org.as_str().len(), 11);
            assert!(org.as_str().parse::<u64>().is_err());
        }
    }
}
