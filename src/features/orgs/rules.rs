//! Roles, plans and seats of organizations, and the syntax of slugs.

use std::fmt;
use std::str::FromStr;

use rusqlite::types::{FromSql, FromSqlError, FromSqlResult};
use rusqlite::types::{ToSql, ToSqlOutput, Value, ValueRef};

use chartroom_platform::error::Error;
use chartroom_platform::error::Result;

/// Role of a member. Each role includes the rights of the previous ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// Works with the documents of the organization.
    Member,
    /// Also manages themes, layouts and the name.
    BrandManager,
    /// Also manages members and teams.
    Admin,
}

/// Plan granted to an organization.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Plan {
    /// Members keep their individual accounts.
    Team,
    /// Same as Enterprise, for schools.
    Education,
    /// Also manages accounts, verifies domains and uses single sign-on.
    Enterprise,
}

/// Maximum number of members of an organization.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Seats {
    /// At most this many.
    Limited(u32),
    /// No limit.
    Unlimited,
}

/// Implements conversion between an enum and its names in the API and in SQL.
macro_rules! text_enum {
    ($type:ident, $field:literal, $($variant:ident = $word:literal),+) => {
        impl $type {
            /// Returns the name in the API.
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

            /// Parses the name in the API, in exactly this spelling.
            ///
            /// # Errors
            /// `InvalidFields` about the field of the enum, with all names.
            fn from_str(text: &str) -> Result<Self> {
                match text {
                    $($word => Ok(Self::$variant),)+
                    _ => Err(Error::invalid_field($field, concat!("must be one of", $(" ", $word),+))),
                }
            }
        }

        impl ToSql for $type {
            fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
                Ok(ToSqlOutput::from(self.as_str()))
            }
        }

        impl FromSql for $type {
            /// Reads the stored name. Another text is an `InvalidType`.
            fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
                value.as_str()?.parse().map_err(|_| FromSqlError::InvalidType)
            }
        }
    };
}

text_enum!(Role, "role", Member = "member", BrandManager = "brand_manager", Admin = "admin");
text_enum!(Plan, "plan", Team = "team", Education = "education", Enterprise = "enterprise");

impl Seats {
    /// Returns whether an organization with these seats may have `members` members in total.
    pub fn can_hold(self, members: u32) -> bool {
        match self {
            Self::Limited(seats) => members <= seats,
            Self::Unlimited => true,
        }
    }

    /// Returns the number of seats, or None if unlimited.
    pub fn limit(self) -> Option<u32> {
        match self {
            Self::Limited(seats) => Some(seats),
            Self::Unlimited => None,
        }
    }
}

impl fmt::Display for Seats {
    /// Writes the number of seats, or `unlimited`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Limited(seats) => seats.fmt(f),
            Self::Unlimited => f.write_str("unlimited"),
        }
    }
}

impl FromStr for Seats {
    type Err = Error;

    /// Parses `unlimited` or a whole number of seats; 0 is allowed.
    ///
    /// # Errors
    /// `InvalidFields` about `seats`.
    fn from_str(text: &str) -> Result<Self> {
        match text {
            "unlimited" => Ok(Self::Unlimited),
            _ => text.parse().map(Self::Limited).map_err(|_| {
                Error::invalid_field(
                    "seats",
                    "must be a whole number that is not negative, or unlimited",
                )
            }),
        }
    }
}

impl ToSql for Seats {
    /// Stores the number of seats, or NULL if unlimited.
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(self.limit().map_or(ToSqlOutput::Owned(Value::Null), ToSqlOutput::from))
    }
}

impl FromSql for Seats {
    /// Reads the number of seats. NULL means unlimited.
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        Ok(Option::<u32>::column_result(value)?.map_or(Self::Unlimited, Self::Limited))
    }
}

/// Checks the slug of an organization and returns it unchanged.
///
/// It has 2 to 63 letters from a to z, digits and hyphens, starts with a letter like usernames, and
/// does not end with a hyphen. Capital letters are an error.
///
/// # Errors
/// `InvalidFields` for `slug`.
pub fn parse_slug(text: &str) -> Result<String> {
    let invalid = |message: &str| Err(Error::invalid_field("slug", message));
    if !(2..=63).contains(&text.len()) {
        return invalid("must have 2 to 63 characters");
    }
    let is_slug_byte =
        |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    if !text.bytes().all(is_slug_byte) {
        return invalid("must contain only letters from a to z, digits and hyphens");
    }
    if !text.starts_with(|first: char| first.is_ascii_lowercase()) || text.ends_with('-') {
        return invalid("must start with a letter and must not end with a hyphen");
    }
    Ok(text.to_owned())
}

/// Returns the error for changes to data of a suspended organization.
pub fn suspended_error() -> Error {
    Error::PaymentRequired("the organization is suspended because of a payment issue".to_owned())
}

/// The restrictions of an organization that apply to documents.
#[derive(Debug, Clone, Copy, Default)]
pub struct OrgPolicy {
    /// Whether members may only read and export.
    pub suspended: bool,
    /// Whether documents of the organization cannot be public.
    pub disable_public_documents: bool,
    /// Whether the organization cannot store new documents.
    pub disable_document_storage: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slug_is_valid_in_urls() {
        let check = |text: &str, want: bool| assert_eq!(parse_slug(text).is_ok(), want, "{text}");
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
    fn roles_and_plans_round_trip() {
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
    fn seats_parse_a_number_or_unlimited() {
        let check = |text: &str, want| assert_eq!(text.parse::<Seats>().ok(), want, "{text}");
        check("0", Some(Seats::Limited(0)));
        check("12", Some(Seats::Limited(12)));
        check("unlimited", Some(Seats::Unlimited));
        check("-1", None);
        check("many", None);
        assert!(Seats::Limited(2).can_hold(2) && !Seats::Limited(2).can_hold(3));
        assert!(Seats::Unlimited.can_hold(u32::MAX));
    }
}
