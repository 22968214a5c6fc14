//! Placing, moving and trashing nodes. Who may do so is decided before.

use super::rules::FolderPath;
use super::rules::Node;
use super::rules::Place;
use super::store;
use crate::platform::db::Tx;
use crate::platform::db::WriteTx;
use crate::platform::error::Result;
use crate::platform::id::AccountId;
use crate::platform::id::NodeId;

/// Adds a document's node.
pub fn add_document(tx: &WriteTx<'_>, id: &NodeId, by: &AccountId, place: &Place) -> Result<()> {
    store::insert(tx, id, "document", by, place)
}

/// Moves or renames a node; counts as a change even when it stays where it is.
pub fn place(tx: &WriteTx<'_>, id: &NodeId, by: &AccountId, place: &Place) -> Result<()> {
    store::place(tx, id, by, place)
}

/// Notes that what belongs to a node was changed.
pub fn touch(tx: &WriteTx<'_>, id: &NodeId, by: &AccountId) -> Result<()> {
    store::touch(tx, id, by)
}

/// Puts a node into the trash. One that is there already stays as it is.
pub fn trash(tx: &WriteTx<'_>, id: &NodeId, by: &AccountId) -> Result<()> {
    store::set_deleted(tx, id, by, true)
}

/// Takes a node out of the trash, to where it was.
pub fn restore(tx: &WriteTx<'_>, id: &NodeId, by: &AccountId) -> Result<()> {
    store::set_deleted(tx, id, by, false)
}

/// Removes a node and what belongs to it, for good.
pub fn expunge(tx: &WriteTx<'_>, id: &NodeId) -> Result<()> {
    store::delete(tx, id)
}

/// The path of a folder; none is the root. In the trash it is the path that it had.
pub fn folder_path(tx: &Tx<'_>, folder: Option<&NodeId>) -> Result<FolderPath> {
    let Some(id) = folder else { return Ok(FolderPath::default()) };
    let (above, names) = store::names_down_to(tx, id)?;
    FolderPath::stored(above.as_deref(), names)
}

/// The path of the folder that a node is in, or was in before it went into the trash.
pub fn path(tx: &Tx<'_>, node: &Node) -> Result<FolderPath> {
    match &node.trash_path {
        Some(path) => FolderPath::stored(Some(path), Vec::new()),
        None => folder_path(tx, node.parent.as_ref()),
    }
}

/// The folder at `path`, made with those above it where they are missing; none is the root.
pub fn make_folders(
    tx: &WriteTx<'_>,
    by: &AccountId,
    owner: &AccountId,
    path: &FolderPath,
) -> Result<Option<NodeId>> {
    let mut parent: Option<NodeId> = None;
    for name in path.segments() {
        let found = store::child_folder(tx, owner, parent.as_ref(), name)?;
        let id = match found {
            Some(id) => id,
            None => {
                let id = NodeId::new();
                let place = Place { owner: owner.clone(), parent, title: name.clone() };
                store::insert(tx, &id, "folder", by, &place)?;
                id
            }
        };
        parent = Some(id);
    }
    Ok(parent)
}

/// The folder at `path`, or the deepest that there is on the way to it, and whether it is all of
/// the path. None is the root.
pub fn deepest_folder(
    tx: &Tx<'_>,
    owner: &AccountId,
    path: &FolderPath,
) -> Result<(Option<NodeId>, bool)> {
    let mut deepest: Option<NodeId> = None;
    for name in path.segments() {
        match store::child_folder(tx, owner, deepest.as_ref(), name)? {
            Some(id) => deepest = Some(id),
            None => return Ok((deepest, false)),
        }
    }
    Ok((deepest, true))
}
