//! Paths of folders and nodes.

use super::rules::FolderPath;
use super::rules::Node;
use super::store;
use chartroom_platform::db::Tx;
use chartroom_platform::error::Result;
use chartroom_platform::id::NodeId;

/// Returns the path of a folder (None is the root). For a folder in the trash, returns its former
/// path. For a folder that does not exist, returns the root.
pub fn folder_path(tx: &Tx<'_>, folder: Option<&NodeId>) -> Result<FolderPath> {
    let Some(id) = folder else { return Ok(FolderPath::default()) };
    let path = tx.memoize("folder path", id.as_str().as_bytes(), || {
        let (above, names) = store::find_ancestor_names(tx, id)?;
        FolderPath::from_stored(above.as_deref(), names)
    })?;
    Ok(path.as_ref().clone())
}

/// Returns the path of the folder that contains a node. For a trash root, returns the path that this
/// folder had when the node was trashed.
pub fn parent_path(tx: &Tx<'_>, node: &Node) -> Result<FolderPath> {
    match &node.trash_path {
        Some(path) => FolderPath::from_stored(Some(path), Vec::new()),
        None => folder_path(tx, node.parent.as_ref()),
    }
}
