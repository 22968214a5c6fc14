//! The team members of a document: who takes part in what is said about it, and whom a caller may
//! know of.

use super::store;
use super::view::TeamMember;
use super::view::number;
use crate::features::access;
use crate::features::access::Level;
use crate::features::access::Person;
use crate::features::accounts;
use crate::features::documents::Head;
use chartroom_platform::db::Tx;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;

/// What a caller may know of a team member.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Known {
    Nothing,
    Name,
    Address,
}

/// The team members of a document, and what one caller may know of each.
///
/// A team member is whoever sees the document by an account: its owner, the members of the owning
/// organization to whom no team closes it, those whom an entry on it or on a folder above names, and
/// the members of teams that an entry names. A link or its being public makes nobody a team member:
/// nobody knows who comes that way.
///
/// To whom the document belongs, himself or as one of the organization, knows all of them. Who was
/// let in from outside would learn from the list who else was, and the addresses of a whole
/// organization: he knows himself, and the names of the owner and of those who wrote comments, which
/// he reads anyway. May he change the document, he also knows whom its entries name, with their
/// addresses: its `acl` shows him the same. A guest without an account is told of nobody. Whom one does
/// not know one cannot mention.
pub struct People(Vec<(Person, Known)>);

impl People {
    /// The team members of a document as a caller, who may do `level` with it, knows them.
    pub fn of(tx: &Tx<'_>, caller: Option<&AccountId>, head: &Head, level: Level) -> Result<Self> {
        let all = access::people(tx, &head.id)?;
        let Some(caller) = caller else {
            return Ok(Self(all.into_iter().map(|it| (it, Known::Nothing)).collect()));
        };
        if all.iter().any(|it| it.id == *caller && it.is_inside) {
            return Ok(Self(all.into_iter().map(|it| (it, Known::Address)).collect()));
        }
        let authors = store::authors(tx, &head.id)?;
        let known = |it: &Person| match it {
            _ if it.id == *caller || it.is_named && level == Level::Write => Known::Address,
            _ if it.id == head.owner || authors.contains(&it.id) => Known::Name,
            _ => Known::Nothing,
        };
        Ok(Self(
            all.into_iter().map(|it| (known(&it), it)).map(|(known, it)| (it, known)).collect(),
        ))
    }

    /// The name of a team member, whether or not the caller knows him.
    pub fn name(&self, id: &AccountId) -> Option<&str> {
        self.0.iter().find(|(it, _)| it.id == *id).map(|(it, _)| it.name.as_str())
    }

    /// The name of a team member whom the caller knows.
    pub fn known_name(&self, id: &AccountId) -> Option<&str> {
        let found = self.0.iter().find(|(it, _)| it.id == *id);
        found.filter(|(_, known)| *known > Known::Nothing).map(|(it, _)| it.name.as_str())
    }

    /// The team members whom the caller knows, by name.
    pub fn members(&self, base_url: &str) -> Vec<TeamMember> {
        let known = self.0.iter().filter(|(_, known)| *known > Known::Nothing);
        known
            .map(|(it, known)| TeamMember {
                id: number(&it.id),
                name: it.name.clone(),
                email: if *known == Known::Address { it.email.clone() } else { String::new() },
                avatar_url: accounts::avatar_url(base_url, &it.id),
            })
            .collect()
    }
}
