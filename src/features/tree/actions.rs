//! Placing and moving nodes. Who may do so is decided before.

use super::rules::FolderPath;
use super::rules::MAX_DEPTH;
use super::rules::Node;
use super::rules::Place;
use super::store;
use super::store::subtree;
use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;
use chartroom_platform::id::NodeId;

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

/// Moves or renames a folder, with everything in it, in a few statements however much that is. What
/// was put into the trash out of it stays with the owner.
///
/// # Errors
/// `Conflict` when there is a folder of that name, `Fields` about `name` when it would be in itself
/// or too deep.
pub fn move_folder(tx: &WriteTx<'_>, node: &Node, by: &AccountId, to: &Place) -> Result<()> {
    if let Some(parent) = &to.parent
        && subtree::is_within(tx, parent, &node.id)?
    {
        return Err(Error::field("name", "a folder cannot be moved into itself"));
    }
    let there = store::child_folder(tx, &to.owner, to.parent.as_ref(), &to.title)?;
    if there.is_some_and(|it| it != node.id) {
        return Err(Error::Conflict(format!("there is a folder named {:?} already", to.title)));
    }
    if to.parent != node.parent || to.owner != node.owner {
        check_depth(tx, to.parent.as_ref(), &node.id)?.map_err(|it| Error::field("name", it))?;
    }
    if to.owner == node.owner {
        subtree::note_below(tx, &node.id)?;
    } else {
        subtree::part_from_trash(tx, &node.id)?;
        subtree::set_owner_below(tx, &node.id, &to.owner)?;
    }
    store::place(tx, &node.id, by, to)
}

/// Whether a folder, with those below it, may be in a folder (none is the root).
///
/// # Errors
/// A text, when there would be too many within each other.
pub(super) fn check_depth(
    tx: &Tx<'_>,
    parent: Option<&NodeId>,
    folder: &NodeId,
) -> Result<std::result::Result<(), String>> {
    let above = folder_path(tx, parent)?.segments().len();
    Ok(match above + 1 + subtree::height(tx, folder)? {
        depth if depth > MAX_DEPTH => {
            Err(format!("there would be more than {MAX_DEPTH} folders within each other"))
        }
        _ => Ok(()),
    })
}

/// A node and what is below it: folders before what is in them, the trash apart unless the node is
/// there itself.
pub fn subtree(tx: &Tx<'_>, id: &NodeId) -> Result<Vec<Node>> {
    subtree::all(tx, id)
}

/// Makes a folder where there is none of its name.
pub fn add_folder(tx: &WriteTx<'_>, by: &AccountId, place: &Place) -> Result<NodeId> {
    let id = NodeId::new();
    store::insert(tx, &id, "folder", by, place)?;
    Ok(id)
}

/// The path of a folder; none is the root. In the trash it is the path that it had.
pub fn folder_path(tx: &Tx<'_>, folder: Option<&NodeId>) -> Result<FolderPath> {
    let Some(id) = folder else { return Ok(FolderPath::default()) };
    let path = tx.once("folder path", id.as_str().as_bytes(), || {
        let (above, names) = store::names_down_to(tx, id)?;
        FolderPath::stored(above.as_deref(), names)
    })?;
    Ok(path.as_ref().clone())
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
                let place = Place { owner: owner.clone(), parent, title: name.clone() };
                add_folder(tx, by, &place)?
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
