//! Making, changing and removing teams. Whether the caller may is decided before.

use super::rules;
use super::store;
use super::store::Team;
use crate::features::accounts;
use crate::features::accounts::User;
use crate::features::orgs::Org;
use crate::features::orgs::store as people;
use crate::features::tree;
use crate::features::tree::Place;
use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::db::on_unique;
use chartroom_platform::error::Error;
use chartroom_platform::error::FieldError;
use chartroom_platform::error::Found;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;
use chartroom_platform::id::NodeId;
use chartroom_platform::id::TeamId;

/// What a caller wants of a team.
#[derive(Clone)]
pub struct Wish {
    /// None keeps the name.
    pub name: Option<String>,
    /// All members, as ids, usernames or addresses; none keeps who is there.
    pub members: Option<Vec<String>>,
}

/// Makes a team and its folder.
///
/// # Errors
/// `Fields` naming `name` or a member; `Conflict` for a name that another team has.
pub fn create(tx: &WriteTx<'_>, caller: &User, org: &Org, wish: Wish) -> Result<Team> {
    let name = wish.name.ok_or_else(|| Error::field("name", "is required"))?;
    let name = rules::name(&name)?;
    if store::count(tx, &org.id)? >= rules::MAX_TEAMS {
        let text = format!("{} has {} teams, the most there may be", org.name, rules::MAX_TEAMS);
        return Err(Error::Conflict(text));
    }
    let id = TeamId::new();
    let folder = make_folder(tx, &caller.id, &org.id, &name)?;
    let team = Team { id: id.clone(), name, folder, created: tx.now, member_count: 0 };
    on_unique(store::insert(tx, &org.id, &team), || is_taken(&team.name))?;
    for user in members(tx, caller, org, &wish.members.unwrap_or_default())? {
        store::add_member(tx, &id, &user)?;
    }
    find(tx, org, &id)
}

/// Changes the name, or who is in it. Its folder keeps its name: people know it under that.
///
/// # Errors
/// As of [`create`], and `NotFound`.
pub fn change(tx: &WriteTx<'_>, caller: &User, org: &Org, id: &TeamId, wish: Wish) -> Result<Team> {
    let team = find(tx, org, id)?;
    if let Some(name) = wish.name {
        let name = rules::name(&name)?;
        on_unique(store::rename(tx, &team.id, &name), || is_taken(&name))?;
    }
    if let Some(wanted) = wish.members {
        let wanted = members(tx, caller, org, &wanted)?;
        for present in store::members(tx, &team.id)? {
            if !wanted.contains(&present.user) {
                store::remove_member(tx, &team.id, &present.user)?;
            }
        }
        for user in &wanted {
            store::add_member(tx, &team.id, user)?;
        }
    }
    find(tx, org, id)
}

/// Removes a team. Its folder becomes an ordinary one in the organization's root.
///
/// # Errors
/// `NotFound`.
pub fn delete(tx: &WriteTx<'_>, caller: &User, org: &Org, id: &TeamId) -> Result<()> {
    let team = find(tx, org, id)?;
    store::delete(tx, &team.id)?;
    let Some(folder) = team.folder else { return Ok(()) };
    let Some(node) = tree::find(tx, &folder)? else { return Ok(()) };
    if node.parent.is_none() || node.deleted.is_some() || node.owner != org.id {
        return Ok(());
    }
    let path = free_path(tx, &org.id, &node.title)?;
    let title = path.title().to_owned();
    let place = Place { owner: org.id.clone(), parent: None, title };
    tree::move_folder(tx, &node, &caller.id, &place)
}

/// Adds a member of the organization to a team.
///
/// # Errors
/// `NotFound`, also for somebody who is not in the organization.
pub fn add_member(
    tx: &WriteTx<'_>,
    caller: &User,
    org: &Org,
    id: &TeamId,
    user: &str,
) -> Result<()> {
    let team = find(tx, org, id)?;
    let user = member(tx, caller, org, user)?.found("member")?;
    store::add_member(tx, &team.id, &user)
}

/// Takes somebody out of a team, if he is in it.
///
/// # Errors
/// `NotFound` when there is no such team.
pub fn remove_member(
    tx: &WriteTx<'_>,
    caller: &User,
    org: &Org,
    id: &TeamId,
    user: &str,
) -> Result<()> {
    let team = find(tx, org, id)?;
    match member(tx, caller, org, user)? {
        Some(user) => store::remove_member(tx, &team.id, &user),
        None => Ok(()),
    }
}

/// A team of an organization.
///
/// # Errors
/// `NotFound`.
pub fn find(tx: &Tx<'_>, org: &Org, id: &TeamId) -> Result<Team> {
    store::find(tx, &org.id, id)?.found("team")
}

/// A team's folder in the organization's root. A folder of that name that is there already belongs
/// to everybody and is left alone: the new one gets a number.
fn make_folder(
    tx: &WriteTx<'_>,
    by: &AccountId,
    org: &AccountId,
    name: &str,
) -> Result<Option<NodeId>> {
    let path = free_path(tx, org, name)?;
    tree::make_folders(tx, by, org, &path)
}

/// The first path of a folder in the organization's root, by this name, that is not there.
fn free_path(tx: &Tx<'_>, org: &AccountId, name: &str) -> Result<tree::FolderPath> {
    let mut number = 1;
    loop {
        let path = rules::folder(name, number)?;
        match tree::deepest_folder(tx, org, &path)? {
            (_, true) => number += 1,
            (_, false) => return Ok(path),
        }
    }
}

/// The members of the organization whom a list names, each once.
fn members(tx: &Tx<'_>, caller: &User, org: &Org, names: &[String]) -> Result<Vec<AccountId>> {
    let (mut found, mut wrong): (Vec<AccountId>, _) = (Vec::new(), Vec::new());
    for (index, name) in names.iter().enumerate() {
        match member(tx, caller, org, name)? {
            Some(user) if found.contains(&user) => {}
            Some(user) => found.push(user),
            None => wrong.push(FieldError {
                field: format!("members[{index}]"),
                message: "is not a member of the organization".to_owned(),
            }),
        }
    }
    if wrong.is_empty() { Ok(found) } else { Err(Error::Fields(wrong)) }
}

/// The member of the organization whom a text names.
fn member(tx: &Tx<'_>, caller: &User, org: &Org, name: &str) -> Result<Option<AccountId>> {
    match accounts::resolve(tx, Some(caller), name) {
        Ok(user) => Ok(people::role(tx, &org.id, &user)?.map(|_| user)),
        Err(Error::NotFound(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

fn is_taken(name: &str) -> Error {
    Error::Conflict(format!("name: there is a team named {name:?} already"))
}
