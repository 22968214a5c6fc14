//! The decision about access, over plain values.

use crate::platform::error::Result;
use crate::platform::id::AccountId;

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
}

/// What is asked about.
#[derive(Debug, Clone, Copy)]
pub struct Resource<'a> {
    /// The user or organization whose it is.
    pub owner: &'a AccountId,
    /// Whether anybody may read it.
    pub is_public: bool,
    /// What is in the trash is there for those only who can take it out again.
    pub in_trash: bool,
}

/// A caller's standing with an owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// The owner himself, or a member of the owning organization, whatever his role.
    Inside,
    /// Anybody else.
    Outside,
}

/// The standing of `caller` with `owner`; `role` is asked only when an organization owns.
pub fn standing(
    caller: Option<&AccountId>,
    owner: &AccountId,
    role: impl FnOnce(&AccountId, &AccountId) -> Result<Option<String>>,
) -> Result<Standing> {
    let Some(caller) = caller else { return Ok(Standing::Outside) };
    if caller == owner {
        return Ok(Standing::Inside);
    }
    // Users' ids are numbers, organizations' begin with a letter: no need to look up which it is.
    let is_org = owner.as_str().starts_with(|first: char| first.is_ascii_alphabetic());
    let inside = is_org && role(owner, caller)?.is_some();
    Ok(if inside { Standing::Inside } else { Standing::Outside })
}

/// The level that follows.
pub fn level(standing: Standing, resource: &Resource<'_>) -> Level {
    match standing {
        Standing::Inside => Level::Write,
        Standing::Outside if resource.is_public && !resource.in_trash => Level::Read,
        Standing::Outside => Level::None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn owners_and_members_write_and_others_read_what_is_public() {
        let (ann, ben) = (AccountId::from_text("11"), AccountId::from_text("12"));
        let org = AccountId::from_text("Orchard1234");
        let check = |caller: Option<&AccountId>, owner: &AccountId, public, trash, want| {
            let resource = Resource { owner, is_public: public, in_trash: trash };
            let member = |_: &AccountId, user: &AccountId| {
                Ok((user.as_str() == "11").then(|| "member".to_owned()))
            };
            let found = level(standing(caller, owner, member).unwrap(), &resource);
            assert_eq!(found, want, "{caller:?} {resource:?}");
        };
        check(Some(&ann), &ann, false, false, Level::Write);
        check(Some(&ann), &ann, false, true, Level::Write);
        check(Some(&ben), &ann, false, false, Level::None);
        check(Some(&ann), &ben, false, false, Level::None);
        check(Some(&ben), &ann, true, false, Level::Read);
        check(Some(&ben), &ann, true, true, Level::None);
        check(None, &ann, true, false, Level::Read);
        check(None, &ann, false, false, Level::None);
        check(Some(&ann), &org, false, false, Level::Write);
        check(Some(&ben), &org, false, false, Level::None);
        check(Some(&ben), &org, true, false, Level::Read);
    }
}
