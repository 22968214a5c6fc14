//! Creating, placing and moving nodes. The caller of these functions has already checked access.

use serde_json::json;

use super::events;
use super::events::EventNode;
use super::events::NodeAction;
use super::paths;
use super::rules::FolderPath;
use super::rules::MAX_FOLDER_DEPTH;
use super::rules::Node;
use super::rules::NodePlacement;
use super::storage;
use super::storage::NODE_BYTES;
use super::store;
use super::store::subtree;
use super::store::usage;
use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;
use chartroom_platform::id::NodeId;

/// Adds the tree node of a document with `content_bytes` of content, at revision 1. Does not check
/// access or the placement.
///
/// # Errors
/// `QuotaExceeded` if the owner may not store so much.
pub fn add_document(
    tx: &WriteTx<'_>,
    id: &NodeId,
    author: &AccountId,
    placement: &NodePlacement,
    content_bytes: i64,
) -> Result<()> {
    let bytes = NODE_BYTES + content_bytes;
    store::insert_node(tx, id, "document", author, placement, bytes)?;
    storage::add_usage(tx, &placement.owner, Some(author), bytes)
}

/// Sets owner, parent folder and title of a node, which belongs to `old_owner`. Adds `added_bytes`,
/// which may be negative, to its size and to the total of its owner. A new owner takes over the
/// size of the node in its total.
///
/// Increments the revision and sets time and author of the change, even if all three stay the same.
/// Records no event. Does not update descendants. For folders use `move_folder`. Does not check
/// access or the placement.
///
/// # Errors
/// `QuotaExceeded` if the owner, or a new owner, may not store so much.
pub fn move_node(
    tx: &WriteTx<'_>,
    id: &NodeId,
    old_owner: &AccountId,
    author: &AccountId,
    placement: &NodePlacement,
    added_bytes: i64,
) -> Result<()> {
    if *old_owner != placement.owner {
        let bytes = usage::find_owner_and_size(tx, id)?.map_or(0, |(_, bytes)| bytes);
        storage::transfer_usage(tx, old_owner, &placement.owner, author, bytes)?;
    }
    store::update_placement(tx, id, author, placement, added_bytes)?;
    storage::add_usage(tx, &placement.owner, Some(author), added_bytes)
}

/// Records a change to data that belongs to a node of `owner`: increments the revision, sets time
/// and author, and adds `added_bytes` to the size.
///
/// # Errors
/// `QuotaExceeded` if the owner may not store so much.
pub fn touch(
    tx: &WriteTx<'_>,
    id: &NodeId,
    owner: &AccountId,
    author: &AccountId,
    added_bytes: i64,
) -> Result<()> {
    store::touch(tx, id, author, added_bytes)?;
    storage::add_usage(tx, owner, Some(author), added_bytes)
}

/// Moves or renames a folder with everything in it. `node` is the folder as it is stored, and `to` its
/// new place and name. Descendants get a new revision only if the owner changes.
///
/// The number of statements does not depend on the number of items. If the owner changes, items that
/// were trashed out of the folder stay with the old owner.
///
/// # Errors
/// `Conflict` if the target already has another folder of that name. `InvalidFields` for `name` if
/// the folder would be inside itself or too deep. `QuotaExceeded` if a new owner may not store so
/// much.
pub fn move_folder(
    tx: &WriteTx<'_>,
    node: &Node,
    author: &AccountId,
    to: &NodePlacement,
) -> Result<()> {
    if let Some(parent) = &to.parent
        && subtree::is_same_or_descendant(tx, parent, &node.id)?
    {
        return Err(Error::invalid_field("name", "a folder cannot be moved into itself"));
    }
    let existing = store::find_child_folder(tx, &to.owner, to.parent.as_ref(), &to.title)?;
    if existing.is_some_and(|id| id != node.id) {
        return Err(Error::Conflict(format!("a folder named {:?} already exists", to.title)));
    }
    if to.parent != node.parent || to.owner != node.owner {
        check_depth(tx, to.parent.as_ref(), &node.id)?
            .map_err(|message| Error::invalid_field("name", message))?;
    }
    if to.owner == node.owner {
        subtree::mark_descendants_changed(tx, &node.id)?;
    } else {
        subtree::detach_trashed(tx, &node.id)?;
        for (owner, bytes) in usage::list_subtree_usage(tx, &node.id)? {
            storage::transfer_usage(tx, &owner, &to.owner, author, bytes)?;
        }
        subtree::set_owner_of_descendants(tx, &node.id, &to.owner)?;
    }
    store::update_placement(tx, &node.id, author, to, 0)?;
    events::record_placement(tx, &node.id, true, &node.placement(), to)
}

/// Checks that a folder with its subfolders fits below `parent` (None is the root). The inner result is
/// the answer, and the outer error is one of the database.
///
/// # Errors
/// The inner error is a message: the result would exceed [`MAX_FOLDER_DEPTH`].
pub(super) fn check_depth(
    tx: &Tx<'_>,
    parent: Option<&NodeId>,
    folder: &NodeId,
) -> Result<std::result::Result<(), String>> {
    let above = paths::folder_path(tx, parent)?.segments().len();
    Ok(match above + 1 + subtree::folder_height(tx, folder)? {
        depth if depth > MAX_FOLDER_DEPTH => {
            Err(format!("the result would have more than {MAX_FOLDER_DEPTH} nested folders"))
        }
        _ => Ok(()),
    })
}

/// Returns a node and its descendants by depth and then title, so that folders come before their
/// contents. Skips descendants that were put in the trash separately.
pub fn list_subtree(tx: &Tx<'_>, id: &NodeId) -> Result<Vec<Node>> {
    subtree::list_nodes(tx, id, false)
}

/// Returns a folder and all folders below it, in the order of `list_subtree` and with the same
/// exceptions.
pub fn list_subtree_folders(tx: &Tx<'_>, id: &NodeId) -> Result<Vec<Node>> {
    subtree::list_nodes(tx, id, true)
}

/// Creates a folder and returns its id. The caller has checked that the name is valid and not used
/// by another folder in the parent folder. Records no event, because the folder can be part of a copy.
///
/// # Errors
/// `QuotaExceeded` if the owner may not store more.
pub fn create_folder(
    tx: &WriteTx<'_>,
    author: &AccountId,
    placement: &NodePlacement,
) -> Result<NodeId> {
    let id = NodeId::new();
    store::insert_node(tx, &id, "folder", author, placement, NODE_BYTES)?;
    storage::add_usage(tx, &placement.owner, Some(author), NODE_BYTES)?;
    Ok(id)
}

/// Returns the folder at `path` after creating all missing folders on the way. None is the root.
/// Compares names exactly, and does not use folders in the trash.
///
/// # Errors
/// As [`create_folder`].
pub fn create_folders(
    tx: &WriteTx<'_>,
    author: &AccountId,
    owner: &AccountId,
    path: &FolderPath,
) -> Result<Option<NodeId>> {
    let mut parent: Option<NodeId> = None;
    for name in path.segments() {
        let found = store::find_child_folder(tx, owner, parent.as_ref(), name)?;
        let id = match found {
            Some(id) => id,
            None => {
                let place = NodePlacement { owner: owner.clone(), parent, title: name.clone() };
                let id = create_folder(tx, author, &place)?;
                let node = EventNode { id: &id, is_folder: true, owner, title: name };
                let parent = place.parent.as_ref();
                events::record_in_folder(tx, node, NodeAction::Create, parent, json!({}))?;
                id
            }
        };
        parent = Some(id);
    }
    Ok(parent)
}

/// Returns the deepest existing folder on the way to `path`, and whether it is the folder at `path`
/// itself. None is the root. Folders in the trash do not count.
pub fn find_deepest_folder(
    tx: &Tx<'_>,
    owner: &AccountId,
    path: &FolderPath,
) -> Result<(Option<NodeId>, bool)> {
    let mut deepest: Option<NodeId> = None;
    for name in path.segments() {
        match store::find_child_folder(tx, owner, deepest.as_ref(), name)? {
            Some(id) => deepest = Some(id),
            None => return Ok((deepest, false)),
        }
    }
    Ok((deepest, true))
}
