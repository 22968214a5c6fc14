//! Placing, moving and trashing nodes. Who may do so is decided before.

use super::rules::FolderPath;
use super::store;
use crate::platform::db::Tx;
use crate::platform::db::WriteTx;
use crate::platform::error::Result;
use crate::platform::id::AccountId;
use crate::platform::id::NodeId;

/// Where a node is and what it is called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Whose it is.
    pub owner: AccountId,
    /// The folder it is in; none is the owner's root.
    pub parent: Option<NodeId>,
    /// A document's title or a folder's name.
    pub title: String,
}

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

/// The path of a folder; none is the root.
pub fn folder_path(tx: &Tx<'_>, folder: Option<&NodeId>) -> Result<FolderPath> {
    match folder {
        None => Ok(FolderPath::default()),
        Some(id) => Ok(FolderPath::stored(store::names_down_to(tx, id)?)),
    }
}
