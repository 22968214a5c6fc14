//! Team folders that are closed to a caller. Lists exclude them, and counts do not include them.

use super::store;
use super::store::NodeRow;
use super::store::TeamFolder;
use crate::features::access;
use crate::features::access::AccessLevel;
use crate::features::access::Caller;
use crate::features::access::Resource;
use crate::features::orgs;
use crate::features::orgs::Role;
use chartroom_platform::db::Tx;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;
use chartroom_platform::id::NodeId;

/// Returns the folders of an organization's teams that the caller is not a member of, each with the
/// caller's access, which is `None` unless an access entry gives more. Leaves out folders in the
/// trash.
///
/// Returns an empty list if `owner` is a user, because users have no teams, and for admins, who may
/// open all team folders.
pub fn list_for_non_member(
    tx: &Tx<'_>,
    caller: &Caller,
    owner: &AccountId,
) -> Result<Vec<(TeamFolder, AccessLevel)>> {
    let user = caller.account_id().cloned().unwrap_or_else(|| AccountId::from_text(""));
    if owner == &user {
        return Ok(Vec::new());
    }
    let folders = store::list_team_folders_of_non_member(tx, owner, &user)?;
    if folders.is_empty() || orgs::find_role(tx, owner, &user)? == Some(Role::Admin) {
        return Ok(Vec::new());
    }
    let mut all = Vec::with_capacity(folders.len());
    for folder in folders {
        let level = match folder.may_have_access_entry {
            false => AccessLevel::None,
            true => {
                let node = Some(&folder.id);
                let resource = Resource { node, owner, is_public: false, in_trash: false };
                access::access_level(tx, caller, &resource)?
            }
        };
        all.push((folder, level));
    }
    Ok(all)
}

/// Subtracts team folders without access for the caller from the folder counts of `rows`. Removes
/// no rows and changes no counts of documents.
pub fn exclude_closed_from_counts<'a>(
    tx: &Tx<'_>,
    caller: &Caller,
    rows: impl Iterator<Item = &'a mut NodeRow>,
) -> Result<()> {
    let mut known: Vec<(AccountId, Vec<NodeId>)> = Vec::new();
    for row in rows.filter(|row| row.folders > 0) {
        let index = match known.iter().position(|(owner, _)| *owner == row.owner) {
            Some(index) => index,
            None => {
                let folders = list_for_non_member(tx, caller, &row.owner)?;
                let closed = folders.into_iter().filter(|(_, level)| *level == AccessLevel::None);
                let parents = closed.filter_map(|(folder, _)| folder.parent).collect();
                known.push((row.owner.clone(), parents));
                known.len() - 1
            }
        };
        let closed = known[index].1.iter().filter(|parent| **parent == row.id).count();
        row.folders -= i64::try_from(closed).unwrap_or(0);
    }
    Ok(())
}
