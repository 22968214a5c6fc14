//! The decision about access, over plain values.

use chartroom_platform::id::AccountId;
use chartroom_platform::id::NodeId;

/// What somebody may do; each includes the ones before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Not even know that it is there.
    None,
    /// Read.
    Read,
    /// Read and change.
    Write,
}

impl Level {
    /// The interface's letter: `r` or `w`; nothing for none.
    pub fn letter(self) -> &'static str {
        match self {
            Self::None => "",
            Self::Read => "r",
            Self::Write => "w",
        }
    }

    /// The level of the interface's letter; none for any other text.
    pub fn of_letter(letter: &str) -> Self {
        match letter {
            "r" => Self::Read,
            "w" => Self::Write,
            _ => Self::None,
        }
    }
}

/// What is asked about.
#[derive(Debug, Clone, Copy)]
pub struct Resource<'a> {
    /// Its place in the tree; none is the owner's root.
    pub node: Option<&'a NodeId>,
    /// The user or organization whose it is.
    pub owner: &'a AccountId,
    /// Whether anybody may read it.
    pub is_public: bool,
    /// What is in the trash is there for those only who can take it out again.
    pub in_trash: bool,
}

/// What is known of a caller's standing with a resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Standing {
    /// By being the owner, or a member of the owning organization to whom no team closes it.
    pub inside: bool,
    /// By entries for the user, his teams or the link he came with, here or on a folder above.
    pub granted: Level,
    /// Whether the owner lets things of his be public.
    pub may_be_public: bool,
}

/// The level that follows: the strongest of all ways.
pub fn level(standing: Standing, resource: &Resource<'_>) -> Level {
    let own = if standing.inside { Level::Write } else { standing.granted };
    if resource.in_trash {
        return if own == Level::Write { own } else { Level::None };
    }
    let public = resource.is_public && standing.may_be_public;
    own.max(if public { Level::Read } else { Level::None })
}

/// Whether an account id is an organization's: users' ids are numbers, organizations' begin with a
/// letter, so there is no need to look up which it is.
pub fn is_org(account: &AccountId) -> bool {
    account.as_str().starts_with(|first: char| first.is_ascii_alphabetic())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_strongest_way_counts_and_the_trash_is_for_writers() {
        let owner = AccountId::from_text("11");
        let check = |inside, granted, public, may_be_public, in_trash, want| {
            let standing = Standing { inside, granted, may_be_public };
            let resource = Resource { node: None, owner: &owner, is_public: public, in_trash };
            assert_eq!(level(standing, &resource), want, "{standing:?} {resource:?}");
        };
        check(true, Level::None, false, true, false, Level::Write);
        check(true, Level::None, false, true, true, Level::Write);
        check(false, Level::None, false, true, false, Level::None);
        check(false, Level::None, true, true, false, Level::Read);
        check(false, Level::None, true, true, true, Level::None);
        check(false, Level::None, true, false, false, Level::None);
        check(false, Level::Read, false, true, false, Level::Read);
        check(false, Level::Read, false, true, true, Level::None);
        check(false, Level::Write, false, true, false, Level::Write);
        check(false, Level::Write, false, true, true, Level::Write);
        check(true, Level::Read, true, true, false, Level::Write);
    }

    #[test]
    fn organizations_are_known_by_their_ids() {
        assert!(is_org(&AccountId::from_text("Orchard1234")));
        assert!(!is_org(&AccountId::from_text("12")));
    }
}
