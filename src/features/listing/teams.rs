//! Team folders that are closed to a caller: lists leave them out, and numbers do not count them.

use super::store;
use super::store::Row;
use super::store::TeamFolder;
use crate::features::access;
use crate::features::access::Caller;
use crate::features::access::Level;
use crate::features::access::Resource;
use crate::features::orgs;
use crate::features::orgs::Role;
use chartroom_platform::db::Tx;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;
use chartroom_platform::id::NodeId;

/// The folders of an account's teams to which the caller does not belong, with what he may do there
/// all the same. None for users, who have no teams, and for admins, to whom no team is closed.
pub fn foreign(
    tx: &Tx<'_>,
    caller: &Caller,
    owner: &AccountId,
) -> Result<Vec<(TeamFolder, Level)>> {
    let user = caller.id().cloned().unwrap_or_else(|| AccountId::from_text(""));
    if owner == &user {
        return Ok(Vec::new());
    }
    let folders = store::team_folders(tx, owner, &user)?;
    if folders.is_empty() || orgs::role(tx, owner, &user)? == Some(Role::Admin) {
        return Ok(Vec::new());
    }
    let mut all = Vec::with_capacity(folders.len());
    for folder in folders {
        let level = match folder.is_shared {
            false => Level::None,
            true => {
                let node = Some(&folder.id);
                let resource = Resource { node, owner, is_public: false, in_trash: false };
                access::level(tx, caller, &resource)?
            }
        };
        all.push((folder, level));
    }
    Ok(all)
}

/// Takes the folders that are closed to the caller out of the numbers of folders.
pub fn leave_out(tx: &Tx<'_>, caller: &Caller, rows: &mut [Row]) -> Result<()> {
    let mut known: Vec<(AccountId, Vec<NodeId>)> = Vec::new();
    for row in rows.iter_mut().filter(|it| it.folders > 0) {
        let at = match known.iter().position(|(owner, _)| *owner == row.owner) {
            Some(at) => at,
            None => {
                let folders = foreign(tx, caller, &row.owner)?;
                let closed = folders.into_iter().filter(|(_, level)| *level == Level::None);
                let parents = closed.filter_map(|(folder, _)| folder.parent).collect();
                known.push((row.owner.clone(), parents));
                known.len() - 1
            }
        };
        let closed = known[at].1.iter().filter(|parent| **parent == row.id).count();
        row.folders -= i64::try_from(closed).unwrap_or(0);
    }
    Ok(())
}
