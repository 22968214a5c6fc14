//! Roles, plans and seats of organizations, and what their slugs may be.

use std::fmt;
use std::str::FromStr;

use rusqlite::types::{FromSql, FromSqlError, FromSqlResult};
use rusqlite::types::{ToSql, ToSqlOutput, Value, ValueRef};

use chartroom_platform::assets;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;

/// What a member may do in an organization; later ones may do all that earlier ones may.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// Works with its documents.
    Member,
    /// Also keeps its themes, layouts and name.
    BrandManager,
    /// Also keeps its people.
    Admin,
}

/// What an organization has been granted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Plan {
    /// Members are people with accounts of their own.
    Team,
    /// As enterprise, for schools.
    Education,
    /// Also manages accounts, verifies domains and signs its people in.
    Enterprise,
}

/// How many members an organization may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Seats {
    /// At most so many.
    Limited(u32),
    /// As many as it likes.
    Unlimited,
}

/// Writes and reads a small vocabulary as the words of the interface.
macro_rules! words {
    ($type:ident, $field:literal, $($variant:ident = $word:literal),+) => {
        impl $type {
            /// The word of the interface.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl FromStr for $type {
            type Err = Error;

            fn from_str(text: &str) -> Result<Self> {
                match text {
                    $($word => Ok(Self::$variant),)+
                    _ => Err(Error::field($field, concat!("must be one of", $(" ", $word),+))),
                }
            }
        }

        impl ToSql for $type {
            fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
                Ok(ToSqlOutput::from(self.as_str()))
            }
        }

        impl FromSql for $type {
            fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
                value.as_str()?.parse().map_err(|_| FromSqlError::InvalidType)
            }
        }
    };
}

words!(Role, "role", Member = "member", BrandManager = "brand_manager", Admin = "admin");
words!(Plan, "plan", Team = "team", Education = "education", Enterprise = "enterprise");

impl Seats {
    /// Whether so many members fit.
    pub fn hold(self, members: u32) -> bool {
        match self {
            Self::Limited(seats) => members <= seats,
            Self::Unlimited => true,
        }
    }

    /// The number; `None` when unlimited.
    pub fn limit(self) -> Option<u32> {
        match self {
            Self::Limited(seats) => Some(seats),
            Self::Unlimited => None,
        }
    }
}

impl fmt::Display for Seats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Limited(seats) => seats.fmt(f),
            Self::Unlimited => f.write_str("unlimited"),
        }
    }
}

impl FromStr for Seats {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        match text {
            "unlimited" => Ok(Self::Unlimited),
            _ => text
                .parse()
                .map(Self::Limited)
                .map_err(|_| Error::field("seats", "must be a number from 0 on, or unlimited")),
        }
    }
}

impl ToSql for Seats {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(self.limit().map_or(ToSqlOutput::Owned(Value::Null), ToSqlOutput::from))
    }
}

impl FromSql for Seats {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        Ok(Option::<u32>::column_result(value)?.map_or(Self::Unlimited, Self::Limited))
    }
}

/// Reads an organization's slug, which names it in addresses. It begins with a letter and is
/// lower case, as usernames are.
///
/// # Errors
/// `Fields` naming `slug`.
pub fn slug(text: &str) -> Result<String> {
    let refuse = |message: &str| Err(Error::field("slug", message));
    if !(2..=63).contains(&text.len()) {
        return refuse("must have 2 to 63 characters");
    }
    let inside = |it: u8| it.is_ascii_lowercase() || it.is_ascii_digit() || it == b'-';
    if !text.bytes().all(inside) {
        return refuse("may only have letters from a to z, digits and hyphens");
    }
    if !text.starts_with(|first: char| first.is_ascii_lowercase()) || text.ends_with('-') {
        return refuse("must begin with a letter and not end with a hyphen");
    }
    Ok(text.to_owned())
}

/// Refuses a theme that is not built in: there are no others yet.
///
/// # Errors
/// `Fields` naming `default_theme`.
pub fn check_theme(theme: &str) -> Result<()> {
    match assets::file(&format!("themes/{theme}.json")) {
        Some(_) => Ok(()),
        None => Err(Error::field("default_theme", format!("there is no theme named {theme:?}"))),
    }
}

/// The answer to any change of a suspended organization's things.
pub fn suspended() -> Error {
    Error::Payment("the organization is suspended because of a payment issue".to_owned())
}

/// What an organization forbids and whether it is suspended, as far as documents are concerned.
#[derive(Debug, Clone, Copy, Default)]
pub struct Policy {
    /// Members read and export, but change nothing.
    pub suspended: bool,
    /// Nothing of the organization is public.
    pub disable_public_documents: bool,
    /// Nothing new is stored.
    pub disable_document_storage: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slug_is_a_word_for_addresses() {
        let check = |text: &str, fine: bool| assert_eq!(slug(text).is_ok(), fine, "{text}");
        check("acme", true);
        check("acme-2", true);
        check("a", false);
        check("Acme", false);
        check("2acme", false);
        check("acme-", false);
        check("ac me", false);
        check("ac/me", false);
        check(&"a".repeat(64), false);
    }

    #[test]
    fn words_are_read_as_they_are_written() {
        for role in [Role::Member, Role::BrandManager, Role::Admin] {
            assert_eq!(role.as_str().parse::<Role>().unwrap(), role);
        }
        for plan in [Plan::Team, Plan::Education, Plan::Enterprise] {
            assert_eq!(plan.as_str().parse::<Plan>().unwrap(), plan);
        }
        let error = "boss".parse::<Role>().unwrap_err().to_string();
        assert_eq!(error, "role: must be one of member brand_manager admin");
        assert!(Role::Member < Role::BrandManager && Role::BrandManager < Role::Admin);
    }

    #[test]
    fn seats_are_a_number_or_unlimited() {
        let check = |text: &str, want| assert_eq!(text.parse::<Seats>().ok(), want, "{text}");
        check("0", Some(Seats::Limited(0)));
        check("12", Some(Seats::Limited(12)));
        check("unlimited", Some(Seats::Unlimited));
        check("-1", None);
        check("many", None);
        assert!(Seats::Limited(2).hold(2) && !Seats::Limited(2).hold(3));
        assert!(Seats::Unlimited.hold(u32::MAX));
    }
}
