//! The folders that a user sees: those of his own, of his organizations, and shared ones with all
//! that is below them.

use std::collections::HashSet;

use schemars::JsonSchema;
use serde::Serialize;

use super::foreign;
use super::store;
use super::store::Folder;
use super::store::Foreign;
use crate::features::access;
use crate::features::access::Caller;
use crate::features::access::Level;
use crate::features::access::Resource;
use crate::features::accounts::User;
use crate::features::orgs;
use crate::features::orgs::Role;
use crate::features::tree;
use chartroom_platform::db::Tx;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;

/// The folders of one account that the caller sees.
#[derive(Debug, Serialize, JsonSchema)]
pub struct VisibleFolders {
    owner: VisibleOwner,
    /// By path. Of the caller's own account and of his organizations with the root, `/`.
    folders: Vec<VisibleFolder>,
}

/// Whose they are.
#[derive(Debug, Serialize, JsonSchema)]
pub struct VisibleOwner {
    id: AccountId,
    name: String,
    /// `user` or `org`.
    #[serde(rename = "type")]
    kind: &'static str,
}

/// A folder that the caller sees.
#[derive(Debug, Serialize, JsonSchema)]
pub struct VisibleFolder {
    /// Absolute path.
    name: String,
    /// The last segment of the path; empty for the root.
    title: String,
    /// What the caller may do: `r` or `w`.
    mode: &'static str,
}

/// Most folders that are looked for below those which others share.
const MOST_FOREIGN: u32 = 10_000;

/// All folders that the caller sees: his own first, then his organizations', then those of others.
///
/// # Errors
/// `NotFound` when `user` is not the caller.
pub fn visible(tx: &Tx<'_>, caller: &User, user: &str) -> Result<Vec<VisibleFolders>> {
    foreign::check_own(tx, caller, user)?;
    let mut all = vec![whole(tx, &caller.id, &caller.name, None)?];
    for membership in orgs::memberships(tx, &caller.id)? {
        let outsider = (membership.role != Role::Admin).then_some(&caller.id);
        all.push(whole(tx, &membership.org.id, &membership.org.name, outsider)?);
    }
    for shared in store::foreign(tx, &caller.id, true, 0, MOST_FOREIGN)? {
        let folders = shared_folders(tx, &Caller::from(caller), &shared)?;
        let place = match all.iter().position(|it| it.owner.id == shared.owner) {
            Some(place) => place,
            None => {
                let owner = owner(&shared.owner, &shared.owner_name);
                all.push(VisibleFolders { owner, folders: Vec::new() });
                all.len() - 1
            }
        };
        all[place].folders.extend(folders);
    }
    for account in &mut all {
        let mut known = HashSet::new();
        account.folders.retain(|it| known.insert(it.name.clone()));
        account.folders.sort_by(|one, other| one.name.cmp(&other.name));
    }
    Ok(all)
}

/// The folders of the caller's own account or organization, which he may all change; those of teams
/// that are closed to an `outsider` are left out.
fn whole(
    tx: &Tx<'_>,
    id: &AccountId,
    name: &str,
    outsider: Option<&AccountId>,
) -> Result<VisibleFolders> {
    let mode = Level::Write.letter();
    let root = VisibleFolder { name: "/".to_owned(), title: String::new(), mode };
    let below = store::folders_below(tx, id, None, outsider)?;
    let below = below.into_iter().map(|it| VisibleFolder { name: it.path, title: it.title, mode });
    let folders = std::iter::once(root).chain(below).collect();
    Ok(VisibleFolders { owner: owner(id, name), folders })
}

/// A shared folder and those below it, where he may be able to do more.
fn shared_folders(tx: &Tx<'_>, who: &Caller, shared: &Foreign) -> Result<Vec<VisibleFolder>> {
    let top = tree::folder_path(tx, Some(&shared.node))?;
    let mode = foreign::level(tx, who, shared)?;
    let mut folders = vec![VisibleFolder {
        name: top.to_string(),
        title: top.title().to_owned(),
        mode: mode.letter(),
    }];
    for Folder { id, path, title } in
        store::folders_below(tx, &shared.owner, Some(&shared.node), None)?
    {
        let resource =
            Resource { node: Some(&id), owner: &shared.owner, is_public: false, in_trash: false };
        let mode = match mode {
            Level::Write => mode,
            _ => access::level(tx, who, &resource)?,
        };
        folders.push(VisibleFolder { name: format!("{top}{path}"), title, mode: mode.letter() });
    }
    Ok(folders)
}

fn owner(id: &AccountId, name: &str) -> VisibleOwner {
    let kind = if access::is_org(id) { "org" } else { "user" };
    VisibleOwner { id: id.clone(), name: name.to_owned(), kind }
}
