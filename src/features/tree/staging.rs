//! Staged nodes: a large copy is written in several transactions, hidden from all users, and
//! published by the last one. A large folder that is deleted is hidden by the first of several
//! transactions.
//!
//! Staged nodes count for the storage limit of their owner. The caller of these functions has
//! already checked access.

use super::rules::NodePlacement;
use super::storage;
use super::store::staging;
use super::store::subtree;
use super::store::usage;
use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::id::NodeId;

/// Maximum number of nodes that one transaction copies or deletes, because other writers wait for
/// it.
const MAX_STEP_NODES: u32 = 100;
/// Number of bytes of nodes after which a transaction copies or deletes no further node. SQLite visits
/// each page of them.
const MAX_STEP_BYTES: i64 = 32 << 20;

/// Nodes that one transaction copies or deletes.
#[derive(Debug, Clone, Copy, Default)]
pub struct StepSize {
    nodes: u32,
    bytes: i64,
}

impl StepSize {
    /// Returns the step of one node with a size of `bytes` bytes.
    pub fn of_node(bytes: i64) -> Self {
        Self { nodes: 1, bytes }
    }

    /// Returns the number of nodes.
    pub fn nodes(self) -> u32 {
        self.nodes
    }

    /// Adds the nodes and bytes of another step to this one.
    pub fn add(&mut self, other: Self) {
        self.nodes = self.nodes.saturating_add(other.nodes);
        self.bytes = self.bytes.saturating_add(other.bytes);
    }

    /// Returns whether the transaction should copy or delete no further node, because it has reached
    /// `MAX_STEP_NODES` or `MAX_STEP_BYTES`.
    pub fn is_full(self) -> bool {
        self.nodes >= MAX_STEP_NODES || self.bytes >= MAX_STEP_BYTES
    }
}

/// Returns the number and the size of a node and its descendants. Descendants that were put in the
/// trash separately count in the size, but not in the number.
pub fn subtree_size(tx: &Tx<'_>, id: &NodeId) -> Result<StepSize> {
    let usage = usage::list_subtree_usage(tx, id)?;
    Ok(StepSize {
        nodes: subtree::count_nodes(tx, id)?,
        bytes: usage.iter().map(|(_, bytes)| bytes).sum(),
    })
}

/// Hides nodes until [`publish_staged`] publishes them. The same transaction must have inserted
/// them. `copy` is the node at the top of the copy. It must be in the root of its owner, and is the
/// first node that is staged.
pub fn stage_nodes(tx: &WriteTx<'_>, copy: &NodeId, ids: &[NodeId]) -> Result<()> {
    staging::stage_nodes(tx, copy, ids)
}

/// Checks that a staged copy still exists.
///
/// # Errors
/// `Conflict` if it was removed.
pub fn check_staged(tx: &Tx<'_>, copy: &NodeId) -> Result<()> {
    match staging::find_staged_owner(tx, copy)? {
        Some(_) => Ok(()),
        None => Err(removed_error()),
    }
}

/// Returns the error for a staged copy that was removed before its publication.
fn removed_error() -> Error {
    Error::Conflict("the copy took too long; try again".to_owned())
}

/// Publishes a staged copy of `node_count` nodes at `place`. The caller of this function has
/// checked that the name is valid and not used by another folder there.
///
/// # Errors
/// `Conflict` if nodes of the copy were removed, or it was staged for another owner.
pub fn publish_staged(
    tx: &WriteTx<'_>,
    copy: &NodeId,
    place: &NodePlacement,
    node_count: usize,
) -> Result<()> {
    match staging::find_staged_owner(tx, copy)? {
        Some(owner) if owner == place.owner => {
            // A removal in several transactions may have begun.
            match staging::publish_nodes(tx, copy, place)? == node_count {
                true => Ok(()),
                false => Err(removed_error()),
            }
        }
        Some(_) => {
            let text = "your access to the folder changed while it was copied; try again";
            Err(Error::Conflict(text.to_owned()))
        }
        None => Err(removed_error()),
    }
}

/// Returns whether the copy with the node `copy` at the top still has staged nodes, which are hidden.
/// False after its publication.
pub fn has_staged(tx: &Tx<'_>, copy: &NodeId) -> Result<bool> {
    Ok(!staging::list_staged_leaves(tx, copy, 1)?.is_empty())
}

/// Deletes some staged nodes permanently, at most those of one step, and subtracts them from the totals
/// of their owners. `copy` is the node at the top. Deletes nodes before the folders that contain them.
/// Returns whether it deleted any. Does nothing after the publication of a copy.
pub fn remove_staged_batch(tx: &WriteTx<'_>, copy: &NodeId) -> Result<bool> {
    let mut step = StepSize::default();
    let mut ids = Vec::new();
    for (id, bytes) in staging::list_staged_leaves(tx, copy, MAX_STEP_NODES)? {
        if step.is_full() {
            break;
        }
        step.add(StepSize::of_node(bytes));
        ids.push(id);
    }
    for (owner, bytes) in staging::list_usage(tx, &ids)? {
        storage::add_usage(tx, &owner, None, -bytes)?;
    }
    staging::delete_nodes(tx, &ids)?;
    Ok(!ids.is_empty())
}
