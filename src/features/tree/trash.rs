//! The trash: moving nodes into it, restoring them, and deleting them permanently.
//!
//! A node that is put in the trash becomes a trash root and takes its descendants along. A
//! descendant that was in the trash before stays a separate trash root. It also stays in the trash
//! when the folder above it is deleted permanently.

use serde_json::json;

use super::actions;
use super::events;
use super::events::EventNode;
use super::events::NodeAction;
use super::paths;
use super::rules;
use super::rules::FolderPath;
use super::rules::Node;
use super::rules::NodePlacement;
use super::staging;
use super::staging::StepSize;
use super::storage;
use super::store;
use super::store::subtree;
use super::store::usage;
use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Error;
use chartroom_platform::error::OrNotFound;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;
use chartroom_platform::id::NodeId;
use chartroom_platform::time::Timestamp;

/// The folder to which a node in the trash can be restored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RestoreTarget {
    /// Target folder, or the deepest existing folder on the way to it. None is the root.
    pub folder: Option<NodeId>,
    /// Whole path from the root that must be created first, because a folder on it is deleted or in
    /// the trash. None if the target folder exists.
    pub missing_path: Option<FolderPath>,
}

/// Moves a node with its descendants to the trash. Does nothing if it is already there.
///
/// Descendants that are in the trash already stay separate trash roots.
///
/// # Errors
/// `NotFound` if there is no such node.
pub fn move_to_trash(tx: &WriteTx<'_>, id: &NodeId, author: &AccountId) -> Result<()> {
    let node = store::find_node(tx, id)?.or_not_found("document")?;
    if node.deleted.is_some() {
        return Ok(());
    }
    let path = paths::folder_path(tx, node.parent.as_ref())?;
    subtree::move_to_trash(tx, id, &path.to_string(), author)?;
    let details = json!({ "folder": path.to_string() });
    events::record_event(tx, EventNode::from(&node), NodeAction::Delete, &details)
}

/// Returns the current entity tag of a node, as formatted by [`rules::entity_tag`].
///
/// # Errors
/// `NotFound` if there is no such node.
pub fn current_entity_tag(tx: &Tx<'_>, id: &NodeId) -> Result<String> {
    let node = store::find_node(tx, id)?.or_not_found("document")?;
    Ok(rules::entity_tag(tx.restore_epoch, id, node.revision))
}

/// Returns the folder to which a node in the trash can be restored. Creates nothing.
///
/// This is the parent of the node if the parent is not in the trash, even if the parent was moved.
/// Otherwise it is the folder at the former path. If folders of that path are missing, the target
/// has the deepest existing folder, and `missing_path` is the whole former path.
pub fn find_restore_target(tx: &Tx<'_>, node: &Node) -> Result<RestoreTarget> {
    let path = paths::parent_path(tx, node)?;
    let parent = match &node.parent {
        Some(id) => store::find_node(tx, id)?.filter(|parent| parent.deleted.is_none()),
        None => None,
    };
    if let Some(parent) = parent {
        return Ok(RestoreTarget { folder: Some(parent.id), missing_path: None });
    }
    let (folder, is_all) = actions::find_deepest_folder(tx, &node.owner, &path)?;
    Ok(RestoreTarget { folder, missing_path: (!is_all).then_some(path) })
}

/// Restores a node in the trash and the descendants that were trashed with it, also if it was trashed
/// with a folder above it, which stays there. Creates the missing folders of the target. A number is
/// appended to the name of a folder if it is in use in the target. Documents may have equal titles.
///
/// # Errors
/// `Conflict` if the node is a folder and folders would be nested too deeply in the target.
/// `QuotaExceeded` if the owner may not store the missing folders.
pub fn restore(
    tx: &WriteTx<'_>,
    node: &Node,
    target: &RestoreTarget,
    author: &AccountId,
) -> Result<()> {
    let parent = match &target.missing_path {
        Some(path) => actions::create_folders(tx, author, &node.owner, path)?,
        None => target.folder.clone(),
    };
    let mut title = node.title.clone();
    if node.is_folder {
        actions::check_depth(tx, parent.as_ref(), &node.id)?.map_err(Error::Conflict)?;
        title = find_unused_folder_name(tx, &node.owner, parent.as_ref(), &title)?;
    }
    store::update_placement(
        tx,
        &node.id,
        author,
        &NodePlacement { owner: node.owner.clone(), parent: parent.clone(), title: title.clone() },
        0,
    )?;
    subtree::restore(tx, &node.id)?;
    let restored = EventNode { title: &title, ..EventNode::from(node) };
    events::record_in_folder(tx, restored, NodeAction::Restore, parent.as_ref(), json!({}))
}

/// Returns a folder name that is not in use in `parent` (None is the root): `title`, or `title`
/// with the first free number from 2. Folders in the trash do not count.
pub fn find_unused_folder_name(
    tx: &Tx<'_>,
    owner: &AccountId,
    parent: Option<&NodeId>,
    title: &str,
) -> Result<String> {
    let mut name = title.to_owned();
    for number in 2.. {
        if store::find_child_folder(tx, owner, parent, &name)?.is_none() {
            break;
        }
        name = rules::append_number(title, number);
    }
    Ok(name)
}

/// Nodes that were deleted permanently.
#[derive(Debug, Default)]
pub struct Expunged {
    /// Ids of the documents. The caller must remove their thumbnails.
    pub documents: Vec<NodeId>,
    /// Tops of large subtrees that are staged, so that nobody finds them. The caller must delete them in
    /// further transactions, with [`super::remove_staged_batch`].
    pub staged: Vec<NodeId>,
    /// Size of the nodes that are deleted already.
    step: StepSize,
}

/// Deletes an existing node and its descendants permanently, whether in the trash or not.
/// Descendants that were put in the trash separately stay there.
///
/// If the subtree is too large for one transaction, stages it instead, which hides it, and the
/// caller must delete it with `remove_staged_batch`. The result has all documents, even staged
/// ones, so that the caller removes their thumbnails.
pub fn expunge(tx: &WriteTx<'_>, id: &NodeId) -> Result<Expunged> {
    let mut expunged = Expunged::default();
    expunged.add(tx, id)?;
    Ok(expunged)
}

impl Expunged {
    /// Deletes or stages a node and its descendants as `expunge` does, and adds them to this result.
    pub fn add(&mut self, tx: &WriteTx<'_>, id: &NodeId) -> Result<()> {
        let documents = subtree::list_documents(tx, id)?;
        if let Some(node) = store::find_node(tx, id)? {
            let details = json!({ "documents": documents.len() });
            events::record_event(tx, EventNode::from(&node), NodeAction::Expunge, &details)?;
        }
        self.documents.extend(documents);
        subtree::detach_trashed(tx, id)?;
        let size = staging::subtree_size(tx, id)?;
        if size.nodes() > 1 && size.is_full() {
            self.staged.push(id.clone());
            return subtree::stage_subtree(tx, id);
        }
        self.step.add(size);
        for (owner, bytes) in usage::list_subtree_usage(tx, id)? {
            storage::add_usage(tx, &owner, None, -bytes)?;
        }
        subtree::delete_subtree(tx, id)
    }

    /// Returns whether the transaction should delete no further node, because the deleted ones
    /// reach the limits of `StepSize` in number or bytes, or because a subtree is staged. The
    /// caller deletes the other nodes in another transaction.
    pub fn is_full(&self) -> bool {
        self.step.is_full() || !self.staged.is_empty()
    }
}

/// Returns the ids of up to `limit` trash roots of an account, in the order of the ids. Returns
/// only ids after `after`.
pub fn list_trash_roots(
    tx: &Tx<'_>,
    owner: &AccountId,
    after: Option<&NodeId>,
    limit: u32,
) -> Result<Vec<NodeId>> {
    subtree::list_trash_roots(tx, owner, after, limit)
}

/// Deletes permanently up to `limit` trash roots of all accounts that were put in the trash before
/// `time`, oldest first, as [`expunge`] does. Deletes fewer if they are large. None if nothing was
/// due.
pub fn purge_trash(tx: &WriteTx<'_>, time: Timestamp, limit: u32) -> Result<Option<Expunged>> {
    let roots = subtree::list_trash_roots_before(tx, time, limit)?;
    if roots.is_empty() {
        return Ok(None);
    }
    let mut expunged = Expunged::default();
    for id in &roots {
        expunged.add(tx, id)?;
        if expunged.is_full() {
            break;
        }
    }
    Ok(Some(expunged))
}

/// Returns the folder that had this path before it was trashed, by itself or with a folder above.
///
/// Prefers a folder that was trashed by itself, then one that was trashed with the nearest folder
/// above. Of several trash roots with the same former path, considers only the one trashed last.
pub fn find_trashed_folder(
    tx: &Tx<'_>,
    owner: &AccountId,
    path: &FolderPath,
) -> Result<Option<Node>> {
    let names = path.segments();
    for depth in (1..=names.len()).rev() {
        let root = path.ancestor_at_depth(depth);
        let Some(above) = root.parent() else { continue };
        let mut found = subtree::find_trashed_folder(tx, owner, &above.to_string(), root.name())?;
        for name in &names[depth..] {
            found = match found {
                Some(folder) => subtree::find_trashed_child(tx, &folder.id, name)?,
                None => None,
            };
        }
        if found.is_some() {
            return Ok(found);
        }
    }
    Ok(None)
}
