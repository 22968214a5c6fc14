//! The team members of a document, and which of them a caller may see.

use super::store;
use crate::features::access;
use crate::features::access::AccessLevel;
use crate::features::access::PersonWithAccess;
use crate::features::documents::Document;
use chartroom_platform::db::Tx;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;

/// The data of a team member that a caller may see.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Visibility {
    /// Nothing.
    Hidden,
    /// The name.
    NameOnly,
    /// The name and the e-mail address.
    NameAndEmail,
}

/// The team members of a document with their visibility for one caller.
///
/// A team member is any account that may read the document: the owner, the members of the owning
/// organization (except members that a team folder excludes), the recipients of access entries on
/// the document or a parent folder, and the members of teams with an entry. Links and public access
/// create no team members, because their users are unknown.
///
/// The owner and members of the owning organization see all team members. Other callers must not
/// learn who else has access, nor the addresses of an organization. They see themselves, the owner,
/// and the names of comment authors, which they read anyway. With write access they also see the
/// recipients of access entries with their addresses, because the document's `acl` shows the same.
/// Guests without an account see no team members. A caller can only mention visible team members.
pub struct TeamMembers(Vec<(PersonWithAccess, Visibility)>);

impl TeamMembers {
    /// Loads the team members of a document with their visibility for a caller with access `level`.
    /// `caller` is None for a guest, for which all are hidden. Does not check access.
    pub fn load(
        tx: &Tx<'_>,
        caller: Option<&AccountId>,
        head: &Document,
        level: AccessLevel,
    ) -> Result<Self> {
        let all = access::list_people_with_access(tx, &head.id)?;
        let Some(caller) = caller else {
            return Ok(Self(all.into_iter().map(|person| (person, Visibility::Hidden)).collect()));
        };
        if all.iter().any(|person| person.id == *caller && person.is_insider) {
            return Ok(Self(
                all.into_iter().map(|person| (person, Visibility::NameAndEmail)).collect(),
            ));
        }
        let authors = store::list_authors(tx, &head.id)?;
        let visibility = |person: &PersonWithAccess| match person {
            _ if person.id == *caller || person.has_own_entry && level == AccessLevel::Write => {
                Visibility::NameAndEmail
            }
            _ if person.id == head.owner || authors.contains(&person.id) => Visibility::NameOnly,
            _ => Visibility::Hidden,
        };
        let with_visibility = |person: PersonWithAccess| {
            let visibility = visibility(&person);
            (person, visibility)
        };
        Ok(Self(all.into_iter().map(with_visibility).collect()))
    }

    /// Returns the name of a team member, visible to the caller or not. None for other users.
    pub fn name(&self, id: &AccountId) -> Option<&str> {
        self.0.iter().find(|(person, _)| person.id == *id).map(|(person, _)| person.name.as_str())
    }

    /// Returns the name of a team member if the caller may see it. None for a hidden team member
    /// and for other users.
    pub fn visible_name(&self, id: &AccountId) -> Option<&str> {
        let found = self.0.iter().find(|(person, _)| person.id == *id);
        found
            .filter(|(_, visibility)| *visibility > Visibility::Hidden)
            .map(|(person, _)| person.name.as_str())
    }

    /// Iterates over the team members that the caller may see, sorted by name, with the data that
    /// the caller may see. It is never `Hidden`.
    pub fn visible(&self) -> impl Iterator<Item = (&PersonWithAccess, Visibility)> {
        let visible = self.0.iter().filter(|(_, visibility)| *visibility > Visibility::Hidden);
        visible.map(|(person, visibility)| (person, *visibility))
    }
}
