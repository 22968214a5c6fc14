//! The access decision, as a function of plain values.

use chartroom_platform::id::AccountId;
use chartroom_platform::id::NodeId;

/// Rights of a caller on a resource. Each level includes the previous ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum AccessLevel {
    /// The caller must not learn that the resource exists.
    None,
    /// Read.
    Read,
    /// Read and change.
    Write,
}

impl AccessLevel {
    /// Returns the letter of the API: `r`, `w`, or an empty string for no access.
    pub fn letter(self) -> &'static str {
        match self {
            Self::None => "",
            Self::Read => "r",
            Self::Write => "w",
        }
    }

    /// Returns the level for a letter of the API. Any other text is no access.
    pub fn from_letter(letter: &str) -> Self {
        match letter {
            "r" => Self::Read,
            "w" => Self::Write,
            _ => Self::None,
        }
    }
}

/// The object of an access decision.
#[derive(Debug, Clone, Copy)]
pub struct Resource<'a> {
    /// Node in the tree. None is the root of the owner.
    pub node: Option<&'a NodeId>,
    /// User or organization that owns the resource.
    pub owner: &'a AccountId,
    /// Whether the document is marked as public.
    pub is_public: bool,
    /// Whether the node is in the trash. Then only callers with write access see it, because only
    /// they can restore it.
    pub in_trash: bool,
}

/// Facts about a caller and a resource that decide the access level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AccessFacts {
    /// Whether the caller is the owner, or a member of the owning organization and no team closes
    /// the resource to them.
    pub is_insider: bool,
    /// Highest level granted by access entries for the user, their teams or the share link, on the
    /// node or a folder above.
    pub granted: AccessLevel,
    /// Whether the owner allows public documents.
    pub allows_public: bool,
}

/// Returns the highest level that any of the facts gives. In the trash, a level below write access
/// becomes no access.
pub fn decide_level(facts: AccessFacts, resource: &Resource<'_>) -> AccessLevel {
    let own = if facts.is_insider { AccessLevel::Write } else { facts.granted };
    if resource.in_trash {
        return if own == AccessLevel::Write { own } else { AccessLevel::None };
    }
    let public = resource.is_public && facts.allows_public;
    own.max(if public { AccessLevel::Read } else { AccessLevel::None })
}

/// Returns whether an account id belongs to an organization. Ids of users are numbers and ids of
/// organizations start with a letter, so no query is needed.
pub fn is_org_id(account: &AccountId) -> bool {
    account.is_org()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn highest_level_wins_and_trash_requires_write_access() {
        let owner = AccountId::from_text("11");
        let check = |is_insider, granted, public, allows_public, in_trash, want| {
            let facts = AccessFacts { is_insider, granted, allows_public };
            let resource = Resource { node: None, owner: &owner, is_public: public, in_trash };
            assert_eq!(decide_level(facts, &resource), want, "{facts:?} {resource:?}");
        };
        check(true, AccessLevel::None, false, true, false, AccessLevel::Write);
        check(true, AccessLevel::None, false, true, true, AccessLevel::Write);
        check(false, AccessLevel::None, false, true, false, AccessLevel::None);
        check(false, AccessLevel::None, true, true, false, AccessLevel::Read);
        check(false, AccessLevel::None, true, true, true, AccessLevel::None);
        check(false, AccessLevel::None, true, false, false, AccessLevel::None);
        check(false, AccessLevel::Read, false, true, false, AccessLevel::Read);
        check(false, AccessLevel::Read, false, true, true, AccessLevel::None);
        check(false, AccessLevel::Write, false, true, false, AccessLevel::Write);
        check(false, AccessLevel::Write, false, true, true, AccessLevel::Write);
        check(true, AccessLevel::Read, true, true, false, AccessLevel::Write);
    }

    #[test]
    fn organization_ids_start_with_a_letter() {
        assert!(is_org_id(&AccountId::from_text("Orchard1234")));
        assert!(!is_org_id(&AccountId::from_text("12")));
    }
}
