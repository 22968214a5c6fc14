//! Creating, changing and deleting teams. The caller of these functions has already checked access.

use serde_json::Value;
use serde_json::json;

use super::rules;
use super::store;
use super::store::Team;
use super::store::TeamMember;
use crate::features::accounts;
use crate::features::accounts::User;
use crate::features::audit;
use crate::features::audit::EventTarget;
use crate::features::orgs::Org;
use crate::features::orgs::events;
use crate::features::orgs::store as people;
use crate::features::tree;
use crate::features::tree::NodePlacement;
use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::db::map_unique_violation;
use chartroom_platform::error::Error;
use chartroom_platform::error::FieldError;
use chartroom_platform::error::OrNotFound;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;
use chartroom_platform::id::NodeId;
use chartroom_platform::id::TeamId;

/// Requested properties of a team.
#[derive(Clone)]
pub struct TeamRequest {
    /// New name. None keeps the stored name.
    pub name: Option<String>,
    /// Complete list of members, as account ids, usernames or e-mail addresses. None keeps the
    /// stored members.
    pub members: Option<Vec<String>>,
}

/// Creates a team with a new folder in the root of the organization, and adds the members of the
/// request.
///
/// # Errors
/// `InvalidFields` for `name`, or for a member who is not in the organization. `Conflict` if the
/// name is in use or the organization has too many teams. `QuotaExceeded` if the organization may
/// not store the folder.
pub fn create_team(
    tx: &WriteTx<'_>,
    caller: &User,
    org: &Org,
    request: TeamRequest,
) -> Result<Team> {
    let name = request.name.ok_or_else(|| Error::invalid_field("name", "is required"))?;
    let name = rules::parse_team_name(&name)?;
    if store::count_teams(tx, &org.id)? >= rules::MAX_TEAMS {
        let text = format!("{} already has {} teams, the maximum", org.name, rules::MAX_TEAMS);
        return Err(Error::Conflict(text));
    }
    let team = insert_team(tx, &caller.id, org, name)?;
    let members = resolve_members(tx, caller, org, &request.members.unwrap_or_default())?;
    for user in &members {
        store::add_member(tx, &team.id, user)?;
    }
    let details = json!({ "members": members, "folder": team.folder });
    record_team_event(tx, org, "team.create", &team, &details)?;
    find_team(tx, org, &team.id)
}

/// Creates a team without members and its folder, which only admins can open until members are
/// added. If a team has the name, the new one gets the first free number from 2. Ignores the
/// maximum number of teams.
///
/// # Errors
/// As `create_team` for the folder.
pub fn create_closed_team(
    tx: &WriteTx<'_>,
    author: &AccountId,
    org: &Org,
    name: &str,
) -> Result<Team> {
    let name = rules::parse_team_name(&name.replace('/', "-"))
        .or_else(|_| rules::parse_team_name("Documents"))?;
    let taken: Vec<String> =
        store::list_teams(tx, &org.id)?.into_iter().map(|team| team.name).collect();
    let mut number = 1;
    let name = loop {
        let candidate = rules::numbered_folder_path(&name, number)?.name().to_owned();
        if !taken.contains(&candidate) {
            break candidate;
        }
        number += 1;
    };
    let team = insert_team(tx, author, org, name)?;
    let details = json!({ "members": [], "folder": team.folder });
    record_team_event(tx, org, "team.create", &team, &details)?;
    Ok(team)
}

/// Inserts a team without members and creates its folder. Records no event.
///
/// # Errors
/// `Conflict` if the name is in use. The errors of `create_team_folder`.
fn insert_team(tx: &WriteTx<'_>, author: &AccountId, org: &Org, name: String) -> Result<Team> {
    let folder = create_team_folder(tx, author, &org.id, &name)?;
    let team = Team { id: TeamId::new(), name, folder, created: tx.now, member_count: 0 };
    map_unique_violation(store::insert_team(tx, &org.id, &team), || name_in_use_error(&team.name))?;
    Ok(team)
}

/// Changes name and members of a team. The folder keeps its name, because people know it by that
/// name. A list of members replaces the stored one.
///
/// # Errors
/// `NotFound` without such a team. `InvalidFields` for `name`, or for a member who is not in the
/// organization. `Conflict` if the name is in use.
pub fn update_team(
    tx: &WriteTx<'_>,
    caller: &User,
    org: &Org,
    id: &TeamId,
    request: TeamRequest,
) -> Result<Team> {
    let team = find_team(tx, org, id)?;
    if let Some(name) = request.name {
        let name = rules::parse_team_name(&name)?;
        map_unique_violation(store::rename_team(tx, &team.id, &name), || name_in_use_error(&name))?;
        if name != team.name {
            let details = json!({ "from": team.name, "to": name });
            record_team_event(tx, org, "team.rename", &team, &details)?;
        }
    }
    if let Some(wanted) = request.members {
        let wanted = resolve_members(tx, caller, org, &wanted)?;
        for present in store::list_members(tx, &team.id)? {
            if !wanted.contains(&present.user) {
                remove_and_record(tx, org, &team, &present.user)?;
            }
        }
        for user in &wanted {
            add_and_record(tx, org, &team, user)?;
        }
    }
    find_team(tx, org, id)
}

/// Deletes a team. Its folder becomes an ordinary folder in the root of the organization. A folder
/// that moves there gets a number if its name is in use. A folder in the trash or in another
/// account stays in its place.
///
/// # Errors
/// `NotFound` without such a team.
pub fn delete_team(tx: &WriteTx<'_>, caller: &User, org: &Org, id: &TeamId) -> Result<()> {
    let team = find_team(tx, org, id)?;
    let details = json!({ "folder": team.folder, "shares": store::count_shares(tx, &team.id)? });
    store::delete_team(tx, &team.id)?;
    record_team_event(tx, org, "team.delete", &team, &details)?;
    let Some(folder) = team.folder else { return Ok(()) };
    let Some(node) = tree::find_node(tx, &folder)? else { return Ok(()) };
    if node.parent.is_none() || node.deleted.is_some() || node.owner != org.id {
        return Ok(());
    }
    let path = find_unused_folder_path(tx, &org.id, &node.title)?;
    let title = path.name().to_owned();
    let place = NodePlacement { owner: org.id.clone(), parent: None, title };
    tree::move_folder(tx, &node, &caller.id, &place)
}

/// Adds a member of the organization to a team. Does nothing if they are already in it. `user` is
/// an account id, username or e-mail address.
///
/// # Errors
/// `NotFound` without such a team, or if the user is not a member of the organization.
pub fn add_member(
    tx: &WriteTx<'_>,
    caller: &User,
    org: &Org,
    id: &TeamId,
    user: &str,
) -> Result<()> {
    let team = find_team(tx, org, id)?;
    let user = resolve_member(tx, caller, org, user)?.or_not_found("member")?;
    add_and_record(tx, org, &team, &user)
}

/// Removes a user from a team. Does nothing if the user is not in the team. `user` is an account
/// id, username or e-mail address.
///
/// # Errors
/// `NotFound` without such a team.
pub fn remove_member(
    tx: &WriteTx<'_>,
    caller: &User,
    org: &Org,
    id: &TeamId,
    user: &str,
) -> Result<()> {
    let team = find_team(tx, org, id)?;
    match resolve_member(tx, caller, org, user)? {
        Some(user) => remove_and_record(tx, org, &team, &user),
        None => Ok(()),
    }
}

/// Adds a member to a team and records it. Does nothing if they are already in it.
fn add_and_record(tx: &WriteTx<'_>, org: &Org, team: &Team, user: &AccountId) -> Result<()> {
    match store::add_member(tx, &team.id, user)? {
        true => record_team_event(tx, org, "team.add_member", team, &member_details(tx, user)?),
        false => Ok(()),
    }
}

/// Removes a user from a team and records it. Does nothing if the user is not in it.
fn remove_and_record(tx: &WriteTx<'_>, org: &Org, team: &Team, user: &AccountId) -> Result<()> {
    match store::remove_member(tx, &team.id, user)? {
        true => record_team_event(tx, org, "team.remove_member", team, &member_details(tx, user)?),
        false => Ok(()),
    }
}

/// Returns the details of an event about a member of a team.
fn member_details(tx: &Tx<'_>, user: &AccountId) -> Result<Value> {
    Ok(json!({ "user_id": user, "name": events::user_target(tx, user)?.name }))
}

/// Records a change of a team in the audit log.
fn record_team_event(
    tx: &WriteTx<'_>,
    org: &Org,
    action: &'static str,
    team: &Team,
    details: &Value,
) -> Result<()> {
    audit::record(tx, &org.id, action, &EventTarget::new("team", &team.id, &team.name), details)
}

/// Returns a team of an organization.
///
/// # Errors
/// `NotFound` without such a team.
pub fn find_team(tx: &Tx<'_>, org: &Org, id: &TeamId) -> Result<Team> {
    store::find_team(tx, &org.id, id)?.or_not_found("team")
}

/// Creates the folder of a team in the root of the organization. Returns its id.
///
/// An existing folder of the same name is open to all members, so it is not used. The new folder
/// gets a number instead.
///
/// # Errors
/// `InvalidFields` for `name` if it is not valid as a folder name.
fn create_team_folder(
    tx: &WriteTx<'_>,
    author: &AccountId,
    org: &AccountId,
    name: &str,
) -> Result<Option<NodeId>> {
    let path = find_unused_folder_path(tx, org, name)?;
    tree::create_folders(tx, author, org, &path)
}

/// Returns the path for a folder of this name in the root of the organization. If it is in use, the
/// name gets the first free number from 2.
///
/// # Errors
/// `InvalidFields` for `name` if it is not valid as a folder name.
fn find_unused_folder_path(tx: &Tx<'_>, org: &AccountId, name: &str) -> Result<tree::FolderPath> {
    let mut number = 1;
    loop {
        let path = rules::numbered_folder_path(name, number)?;
        match tree::find_deepest_folder(tx, org, &path)? {
            (_, true) => number += 1,
            (_, false) => return Ok(path),
        }
    }
}

/// Resolves a list of members of the organization, without duplicates. They have the order of
/// `names`, each an account id, username or e-mail address.
///
/// # Errors
/// `InvalidFields` with an error for each item that is not a member.
fn resolve_members(
    tx: &Tx<'_>,
    caller: &User,
    org: &Org,
    names: &[String],
) -> Result<Vec<AccountId>> {
    let (mut found, mut errors): (Vec<AccountId>, _) = (Vec::new(), Vec::new());
    for (index, name) in names.iter().enumerate() {
        match resolve_member(tx, caller, org, name)? {
            Some(user) if found.contains(&user) => {}
            Some(user) => found.push(user),
            None => errors.push(FieldError {
                field: format!("members[{index}]"),
                message: "is not a member of the organization".to_owned(),
            }),
        }
    }
    if errors.is_empty() { Ok(found) } else { Err(Error::InvalidFields(errors)) }
}

/// Resolves a member of the organization by account id, username or e-mail address. Returns None if
/// there is no such member.
fn resolve_member(tx: &Tx<'_>, caller: &User, org: &Org, name: &str) -> Result<Option<AccountId>> {
    match accounts::resolve_account(tx, Some(caller), name) {
        Ok(user) => Ok(people::find_role(tx, &org.id, &user)?.map(|_| user)),
        Err(Error::NotFound(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Returns the teams of an organization, by name.
pub fn list_teams(tx: &Tx<'_>, org: &Org) -> Result<Vec<Team>> {
    store::list_teams(tx, &org.id)
}

/// Returns the path of the folder of a team, or None if the folder is in the trash, moved to
/// another owner or deleted.
pub fn find_folder_path(tx: &Tx<'_>, org: &Org, team: &Team) -> Result<Option<tree::FolderPath>> {
    let Some(id) = &team.folder else { return Ok(None) };
    match tree::find_node(tx, id)? {
        Some(node) if node.deleted.is_none() && node.owner == org.id => {
            tree::folder_path(tx, Some(id)).map(Some)
        }
        _ => Ok(None),
    }
}

/// Returns the teams of an organization that a user is in, by name.
pub fn list_teams_of_user(tx: &Tx<'_>, org: &AccountId, user: &AccountId) -> Result<Vec<Team>> {
    store::list_teams_of_user(tx, org, user)
}

/// Returns the members of a team, by name.
pub fn list_members(tx: &Tx<'_>, team: &TeamId) -> Result<Vec<TeamMember>> {
    store::list_members(tx, team)
}

/// Returns the `Conflict` for a team name that another team of the organization has.
fn name_in_use_error(name: &str) -> Error {
    Error::field_conflict("name", format!("a team named {name:?} already exists"))
}
