//! Copies of a folder with everything in it.

use std::collections::HashMap;

use super::Place as Present;
use super::Target;
use super::check_if_match;
use super::is_root;
use super::owner;
use super::present;
use super::require;
use crate::features::access;
use crate::features::access::Caller;
use crate::features::access::Level;
use crate::features::documents;
use crate::features::documents::Channel;
use crate::features::folders::store;
use crate::features::tree;
use crate::features::tree::FolderPath;
use crate::features::tree::Node;
use crate::features::tree::Place;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Error;
use chartroom_platform::error::Found;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;
use chartroom_platform::id::NodeId;

/// Most things in a folder that is copied.
const MAX_NODES: usize = 10_000;
/// Most bytes of data in the documents of a folder that is copied: others wait meanwhile.
const MAX_BYTES: u64 = 1 << 30;

/// Copies a folder, with everything in it but the folders of teams, beside itself when the caller
/// may write there, else into his root; there too the folder of a team, which beside itself would be
/// open to everybody. A name that is taken gets a number. The documents are private, and nothing of
/// it is shared. Says what the copy is, and where.
///
/// # Errors
/// `TooLarge` when there is too much in it.
pub fn duplicate(
    tx: &WriteTx<'_>,
    caller: &Caller,
    target: &Target,
    channel: Channel,
) -> Result<(Node, FolderPath)> {
    copy(tx, caller, target, channel).map_err(|error| caller.hide(error))
}

fn copy(
    tx: &WriteTx<'_>,
    caller: &Caller,
    target: &Target,
    channel: Channel,
) -> Result<(Node, FolderPath)> {
    let owner = owner(tx, caller, target)?;
    let node = match present(tx, &owner, &target.path)? {
        Present::Root => return Err(is_root()),
        Present::Folder(node) => node,
        Present::Missing(_) => return Err(Error::NotFound("folder")),
    };
    require(tx, caller, &owner, Some(&node), Level::Read)?;
    check_if_match(tx, caller, target, &node)?;
    let Some(user) = caller.id() else { return Err(Error::SignIn("sign-in required")) };
    let stays = access::may_add(tx, caller, &owner, node.parent.as_ref())? && !is_teams(tx, &node)?;
    let (owner, parent) = match stays {
        true => (owner, node.parent.clone()),
        false => (user.clone(), None),
    };
    access::check_may_add(tx, &owner)?;
    let title = tree::free_title(tx, &owner, parent.as_ref(), &node.title)?;
    let id = copy_all(tx, (user, channel), &node, Place { owner, parent, title })?;
    let copy = tree::find(tx, &id)?.found("folder")?;
    let path = tree::path(tx, &copy)?.child(&copy.title);
    Ok((copy, path))
}

fn copy_all(
    tx: &WriteTx<'_>,
    by: (&AccountId, Channel),
    top: &Node,
    place: Place,
) -> Result<NodeId> {
    let nodes = tree::subtree(tx, &top.id)?;
    if nodes.len() > MAX_NODES {
        return Err(too_large(&format!("{MAX_NODES} things")));
    }
    let owner = place.owner.clone();
    let copy = tree::add_folder(tx, by.0, &place)?;
    let mut folders = HashMap::from([(top.id.clone(), copy.clone())]);
    let mut bytes = 0;
    // The first is the folder itself; each comes after the one that it is in.
    for node in nodes.iter().skip(1) {
        // The folder of a team has no copy, nor has what is in it: that would be open to everybody.
        let Some(parent) = node.parent.as_ref().and_then(|it| folders.get(it)) else { continue };
        let place =
            Place { owner: owner.clone(), parent: Some(parent.clone()), title: node.title.clone() };
        if node.is_folder {
            if !is_teams(tx, node)? {
                folders.insert(node.id.clone(), tree::add_folder(tx, by.0, &place)?);
            }
            continue;
        }
        bytes += documents::copy_into(tx, by, &node.id, &place)?;
        if bytes > MAX_BYTES {
            return Err(too_large("1 GiB of data"));
        }
    }
    Ok(copy)
}

fn is_teams(tx: &WriteTx<'_>, node: &Node) -> Result<bool> {
    Ok(access::is_org(&node.owner) && store::is_team_folder(tx, &node.id)?)
}

fn too_large(most: &str) -> Error {
    Error::TooLarge(format!("the folder has more than {most} in it; copy parts of it"))
}
