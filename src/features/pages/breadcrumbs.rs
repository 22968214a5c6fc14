//! Breadcrumbs of a folder, limited to the folders that the caller may read.

use super::templates::Link;
use crate::features::access;
use crate::features::access::AccessLevel;
use crate::features::access::Caller;
use crate::features::access::Resource;
use crate::features::accounts::User;
use crate::features::orgs;
use crate::features::tree;
use crate::features::tree::FolderPath;
use chartroom_platform::db::Tx;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;
use chartroom_platform::language;

/// Returns the breadcrumbs to a folder, from the root to the folder itself. Each links to its page.
///
/// They begin with "My charts" or the name of the organization. If the caller may not read one of
/// the folders above, they begin with "Shared with me" and the folders below that one. Does not
/// check access to the folder itself.
pub fn build_breadcrumbs(
    tx: &Tx<'_>,
    caller: &User,
    owner: &AccountId,
    path: &FolderPath,
) -> Result<Vec<Link>> {
    let link_to = |path: &FolderPath, label: &str| Link {
        label: label.to_owned(),
        href: tree::folder_page_url("", owner, path),
    };
    let mut crumbs = Vec::new();
    let mut next = Some(path.clone());
    while let Some(path) = next {
        if !crumbs.is_empty() && !may_read_folder(tx, caller, owner, &path)? {
            let label = language::text("common.sharedWithMe").to_owned();
            crumbs.push(Link { label, href: "/shared".to_owned() });
            break;
        }
        next = path.parent();
        crumbs.push(match path.name() {
            "" => link_to(&path, &root_name(tx, caller, owner)?),
            name => link_to(&path, name),
        });
    }
    crumbs.reverse();
    Ok(crumbs)
}

/// Returns whether the caller may read the folder at `path` of `owner`. False if it does not exist.
fn may_read_folder(
    tx: &Tx<'_>,
    caller: &User,
    owner: &AccountId,
    path: &FolderPath,
) -> Result<bool> {
    let (node, exists) = tree::find_deepest_folder(tx, owner, path)?;
    let resource = Resource { node: node.as_ref(), owner, is_public: false, in_trash: false };
    let level = access::access_level(tx, &Caller::from(caller), &resource)?;
    Ok(exists && level != AccessLevel::None)
}

/// Returns the name of an account's root folder: "My charts", or the name of the caller's
/// organization. Empty for other accounts.
fn root_name(tx: &Tx<'_>, caller: &User, owner: &AccountId) -> Result<String> {
    if *owner == caller.id {
        return Ok(language::text("common.myCharts").to_owned());
    }
    let mut memberships = orgs::list_memberships(tx, &caller.id)?.into_iter();
    let own = memberships.find(|membership| membership.org.id == *owner);
    Ok(own.map(|membership| membership.org.name).unwrap_or_default())
}
