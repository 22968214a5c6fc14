//! All folders that a user may read: their own, those of their organizations, and shared folders
//! with their descendants.

use std::collections::HashSet;

use schemars::JsonSchema;
use serde::Serialize;

use super::foreign;
use super::store;
use super::store::DescendantFolder;
use super::store::ForeignNode;
use crate::features::access;
use crate::features::access::AccessLevel;
use crate::features::access::Caller;
use crate::features::access::Resource;
use crate::features::accounts::User;
use crate::features::orgs;
use crate::features::orgs::Role;
use crate::features::tree;
use chartroom_platform::db::Tx;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;

/// The folders of one account that the caller may read.
#[derive(Debug, Serialize, JsonSchema)]
pub struct VisibleFolders {
    owner: VisibleOwner,
    /// Folders sorted by path. Includes the root `/` for the caller's own account and
    /// organizations.
    folders: Vec<VisibleFolder>,
}

/// The owner of a group of folders.
#[derive(Debug, Serialize, JsonSchema)]
pub struct VisibleOwner {
    id: AccountId,
    name: String,
    /// `user` or `org`.
    #[serde(rename = "type")]
    kind: &'static str,
}

/// A folder that the caller may read.
#[derive(Debug, Serialize, JsonSchema)]
pub struct VisibleFolder {
    /// Absolute path.
    name: String,
    /// The last segment of the path; empty for the root.
    title: String,
    /// Access of the caller: `r` (read) or `w` (read and write).
    mode: &'static str,
}

/// Maximum number of shared folders that are listed with their descendants.
const MAX_FOREIGN_FOLDERS: u32 = 10_000;

/// Lists the folders that the caller may read by owner: the caller first, then their organizations,
/// then other owners who share a folder. The folders of an owner are sorted by path, each path
/// once.
///
/// Excludes the trash. Of the folders of other accounts, only the `MAX_FOREIGN_FOLDERS` most
/// recently shared ones are listed, with their descendants.
///
/// # Errors
/// `NotFound` if `user` is not the caller.
pub fn list_visible_folders(tx: &Tx<'_>, caller: &User, user: &str) -> Result<Vec<VisibleFolders>> {
    foreign::require_own_account(tx, caller, user)?;
    let mut all = vec![list_account_folders(tx, &caller.id, &caller.name, None)?];
    for membership in orgs::list_memberships(tx, &caller.id)? {
        let outsider = (membership.role != Role::Admin).then_some(&caller.id);
        all.push(list_account_folders(tx, &membership.org.id, &membership.org.name, outsider)?);
    }
    for shared in store::list_foreign(tx, &caller.id, true, 0, MAX_FOREIGN_FOLDERS)? {
        let folders = list_shared_folders(tx, &Caller::from(caller), &shared)?;
        let place = match all.iter().position(|account| account.owner.id == shared.owner) {
            Some(place) => place,
            None => {
                let owner = build_owner(&shared.owner, &shared.owner_name);
                all.push(VisibleFolders { owner, folders: Vec::new() });
                all.len() - 1
            }
        };
        all[place].folders.extend(folders);
    }
    for account in &mut all {
        let mut known = HashSet::new();
        account.folders.retain(|folder| known.insert(folder.name.clone()));
        account.folders.sort_by(|left, right| left.name.cmp(&right.name));
    }
    Ok(all)
}

/// Returns the root and the folders of the caller's own account or organization, all with write
/// access. Folders of teams that `outsider` is not a member of are excluded, with their content.
/// With None, no team folder is excluded.
fn list_account_folders(
    tx: &Tx<'_>,
    id: &AccountId,
    name: &str,
    outsider: Option<&AccountId>,
) -> Result<VisibleFolders> {
    let mode = AccessLevel::Write.letter();
    let root = VisibleFolder { name: "/".to_owned(), title: String::new(), mode };
    let below = store::list_descendant_folders(tx, id, None, outsider)?;
    let below = below.into_iter().map(|folder| VisibleFolder {
        name: folder.path,
        title: folder.title,
        mode,
    });
    let folders = std::iter::once(root).chain(below).collect();
    Ok(VisibleFolders { owner: build_owner(id, name), folders })
}

/// Returns a shared folder and its descendants, each with the access of the caller to it. An entry
/// on a descendant may grant more access.
fn list_shared_folders(
    tx: &Tx<'_>,
    caller: &Caller,
    shared: &ForeignNode,
) -> Result<Vec<VisibleFolder>> {
    let top = tree::folder_path(tx, Some(&shared.node))?;
    let mode = foreign::access_level(tx, caller, shared)?;
    let mut folders = vec![VisibleFolder {
        name: top.to_string(),
        title: top.name().to_owned(),
        mode: mode.letter(),
    }];
    for DescendantFolder { id, path, title } in
        store::list_descendant_folders(tx, &shared.owner, Some(&shared.node), None)?
    {
        let resource =
            Resource { node: Some(&id), owner: &shared.owner, is_public: false, in_trash: false };
        let mode = match mode {
            AccessLevel::Write => mode,
            _ => access::access_level(tx, caller, &resource)?,
        };
        folders.push(VisibleFolder { name: format!("{top}{path}"), title, mode: mode.letter() });
    }
    Ok(folders)
}

/// Returns the owner object of an account. `name` is the display name. The kind follows from the
/// id.
fn build_owner(id: &AccountId, name: &str) -> VisibleOwner {
    let kind = if access::is_org_id(id) { "org" } else { "user" };
    VisibleOwner { id: id.clone(), name: name.to_owned(), kind }
}
