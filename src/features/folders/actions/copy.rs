//! Copies a folder with its content.

use std::collections::HashMap;

use super::FolderRequest;
use super::PathLookup;
use super::check_if_match;
use super::look_up_path;
use super::require_access;
use super::resolve_owner;
use super::root_folder_error;
use crate::features::access;
use crate::features::access::AccessLevel;
use crate::features::access::Caller;
use crate::features::documents;
use crate::features::documents::Channel;
use crate::features::documents::CopyAuthor;
use crate::features::folders::store;
use crate::features::tree;
use crate::features::tree::FolderPath;
use crate::features::tree::Node;
use crate::features::tree::NodePlacement;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Error;
use chartroom_platform::error::OrNotFound;
use chartroom_platform::error::Result;
use chartroom_platform::id::NodeId;

/// Maximum number of nodes in a copied folder.
const MAX_NODES: usize = 10_000;
/// Maximum size in bytes of the document data in a copied folder. The copies share the data, but
/// each later change of a copy stores its data again.
const MAX_DATA_BYTES: u64 = 1 << 30;

/// Copies a folder with its content, except team folders in it. Returns the copy and its path.
///
/// The copy is a sibling of the original if the caller may write there, otherwise it is in the
/// caller's root. The copy of a team folder is always in the caller's root, because a sibling would
/// be readable by all members of the organization. A folder name that is taken gets a number. All
/// copied documents are private, and access entries are not copied.
///
/// # Errors
/// `NotFound` if the folder does not exist, is in the trash, or the caller may not read it.
/// `InvalidFields` for the root. `TooLarge` if the folder has too many nodes or too much data.
/// `PreconditionFailed` if `If-Match` does not match. Also the errors of
/// [`access::check_storage_allowed`]. `SignInRequired` without
/// credentials, and for a guest with a share link that opens the folder.
pub fn duplicate_folder(
    tx: &WriteTx<'_>,
    caller: &Caller,
    target: &FolderRequest,
    channel: Channel,
) -> Result<(Node, FolderPath)> {
    find_and_copy(tx, caller, target, channel)
        .map_err(|error| caller.require_sign_in_if_anonymous(error))
}

/// Does the work of [`duplicate_folder`]. Never gives `SignInRequired`: the caller replaces
/// `NotFound` and `Forbidden` by it if nobody is signed in.
fn find_and_copy(
    tx: &WriteTx<'_>,
    caller: &Caller,
    target: &FolderRequest,
    channel: Channel,
) -> Result<(Node, FolderPath)> {
    let owner = resolve_owner(tx, caller, target)?;
    let node = match look_up_path(tx, &owner, &target.path)? {
        PathLookup::Root => return Err(root_folder_error()),
        PathLookup::Folder(node) => node,
        PathLookup::Missing(_) => return Err(Error::NotFound("folder")),
    };
    require_access(tx, caller, &owner, Some(&node), AccessLevel::Read)?;
    check_if_match(tx, caller, target, &node)?;
    let Some(user) = caller.account_id() else {
        return Err(Error::SignInRequired("sign-in required"));
    };
    let is_sibling =
        access::can_add(tx, caller, &owner, node.parent.as_ref())? && !is_team_folder(tx, &node)?;
    let (owner, parent) = match is_sibling {
        true => (owner, node.parent.clone()),
        false => (user.clone(), None),
    };
    access::check_storage_allowed(tx, &owner)?;
    let title = tree::find_unused_folder_name(tx, &owner, parent.as_ref(), &node.title)?;
    let author = CopyAuthor { account: user, channel };
    let id = copy_subtree(tx, author, &node, NodePlacement { owner, parent, title })?;
    let copy = tree::find_node(tx, &id)?.or_not_found("folder")?;
    let path = tree::parent_path(tx, &copy)?.child(&copy.title);
    Ok((copy, path))
}

/// Copies a folder with its descendants to `place` and returns the id of the copy. Skips team
/// folders in it with their content, and nodes that were put in the trash separately.
///
/// # Errors
/// `TooLarge` for more than `MAX_NODES` nodes or `MAX_DATA_BYTES` of data.
fn copy_subtree(
    tx: &WriteTx<'_>,
    author: CopyAuthor<'_>,
    top: &Node,
    place: NodePlacement,
) -> Result<NodeId> {
    let nodes = tree::list_subtree(tx, &top.id)?;
    if nodes.len() > MAX_NODES {
        return Err(too_large_error(&format!("{MAX_NODES} nodes")));
    }
    let owner = place.owner.clone();
    let copy = tree::create_folder(tx, author.account, &place)?;
    let mut folders = HashMap::from([(top.id.clone(), copy.clone())]);
    let mut bytes = 0;
    // The first node is the folder itself. Parents come before their children.
    for node in nodes.iter().skip(1) {
        // Team folders and their content are not copied, because everyone with access to the copy
        // could read them.
        let Some(parent) = node.parent.as_ref().and_then(|id| folders.get(id)) else { continue };
        let place = NodePlacement {
            owner: owner.clone(),
            parent: Some(parent.clone()),
            title: node.title.clone(),
        };
        if node.is_folder {
            if !is_team_folder(tx, node)? {
                folders.insert(node.id.clone(), tree::create_folder(tx, author.account, &place)?);
            }
            continue;
        }
        bytes += documents::copy_document_to(tx, author, &node.id, &place)?;
        if bytes > MAX_DATA_BYTES {
            return Err(too_large_error("1 GiB of data"));
        }
    }
    Ok(copy)
}

/// Returns whether the node is the folder of a team.
fn is_team_folder(tx: &WriteTx<'_>, node: &Node) -> Result<bool> {
    Ok(access::is_org_id(&node.owner) && store::is_team_folder(tx, &node.id)?)
}

/// Returns the error for a folder above the limit that `limit` describes.
fn too_large_error(limit: &str) -> Error {
    Error::TooLarge(format!("the folder has more than {limit}; copy its parts separately"))
}
