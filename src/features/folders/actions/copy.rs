//! Copies a folder with its content.
//!
//! One transaction copies a small folder. A large one is copied in several transactions, so that
//! other writers wait only for one of them: each stages some nodes, hidden from all users, and the
//! last one checks access again and publishes them.

use std::collections::HashMap;
use std::collections::HashSet;
use std::time::Duration;

use serde_json::json;

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
use crate::features::documents::CopiedDocument;
use crate::features::documents::CopyAuthor;
use crate::features::folders::store;
use crate::features::tree;
use crate::features::tree::EventNode;
use crate::features::tree::FolderPath;
use crate::features::tree::Node;
use crate::features::tree::NodeAction;
use crate::features::tree::NodePlacement;
use crate::features::tree::StepSize;
use chartroom_platform::db::Db;
use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Error;
use chartroom_platform::error::OrNotFound;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;
use chartroom_platform::id::NodeId;
use chartroom_platform::tasks as queue;

/// Maximum number of nodes in a copied folder.
const MAX_NODES: usize = 10_000;
/// Maximum size in bytes of the document data in a copied folder. The copies share the data, but
/// each later change of a copy stores its data again.
const MAX_DATA_BYTES: u64 = 1 << 30;
/// Maximum number of nodes that one transaction of a large copy looks at. Other writers wait for it.
const MAX_STEP_NODES: usize = 100;

/// Name of the task that removes the staged nodes of an interrupted copy or deletion. Its subject is
/// the id of the node at the top.
pub const REMOVE_STAGED_TASK: &str = "folders.staged";
/// Time after which a copy counts as interrupted, for example by the end of the process.
const MAX_STAGING_TIME: Duration = Duration::from_secs(600);

/// Copies a folder with its content, except team folders in it, in one transaction. Returns the
/// copy and its path. Use [`stage_copy`] and [`publish_copy`] for a large folder.
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
/// [`access::check_storage_allowed`], and `QuotaExceeded` if the owner may not store so much.
/// `SignInRequired` without credentials, and for a guest with a share link that opens the folder.
pub fn duplicate_folder(
    tx: &WriteTx<'_>,
    caller: &Caller,
    target: &FolderRequest,
    channel: Channel,
) -> Result<(Node, FolderPath)> {
    let plan = plan_copy(tx, caller, target)?;
    let nodes = list_copied_nodes(tx, &plan.top)?;
    let author = CopyAuthor { account: &plan.user, channel };
    let copy = tree::create_folder(tx, author.account, &plan.place)?;
    let mut copies = FolderCopies::from([(plan.top.id.clone(), copy.clone())]);
    let mut data_bytes = 0;
    for node in &nodes {
        if let Some(copied) = copy_node(tx, author, &plan.place.owner, node, &mut copies)? {
            data_bytes += copied.data_bytes;
        }
    }
    check_data_size(data_bytes)?;
    finish_copy(tx, &copy, &plan)
}

/// Source and target of a copy, after the check of the caller's access.
struct CopyPlan {
    /// Folder to copy.
    top: Node,
    /// Place of the copy, with an unused name.
    place: NodePlacement,
    /// Account that makes the copy.
    user: AccountId,
}

/// Copies of the folders of the source, by the id of the source.
type FolderCopies = HashMap<NodeId, NodeId>;

/// Checks access and returns the source and the target of a copy.
///
/// # Errors
/// The errors of [`duplicate_folder`] except `TooLarge`.
fn plan_copy(tx: &Tx<'_>, caller: &Caller, target: &FolderRequest) -> Result<CopyPlan> {
    find_plan(tx, caller, target).map_err(|error| caller.require_sign_in_if_anonymous(error))
}

/// Does the work of [`plan_copy`]. Never gives `SignInRequired` instead of `NotFound` or
/// `Forbidden`: the caller replaces these if nobody is signed in.
fn find_plan(tx: &Tx<'_>, caller: &Caller, target: &FolderRequest) -> Result<CopyPlan> {
    let owner = resolve_owner(tx, caller, target)?;
    let top = match look_up_path(tx, &owner, &target.path)? {
        PathLookup::Root => return Err(root_folder_error()),
        PathLookup::Folder(node) => node,
        PathLookup::Missing(_) => return Err(Error::NotFound("folder")),
    };
    require_access(tx, caller, &owner, Some(&top), AccessLevel::Read)?;
    check_if_match(tx, caller, target, &top)?;
    let Some(user) = caller.account_id() else {
        return Err(Error::SignInRequired("sign-in required"));
    };
    let is_sibling =
        access::can_add(tx, caller, &owner, top.parent.as_ref())? && !is_team_folder(tx, &top)?;
    let (owner, parent) = match is_sibling {
        true => (owner, top.parent.clone()),
        false => (user.clone(), None),
    };
    access::check_storage_allowed(tx, &owner)?;
    let title = tree::find_unused_folder_name(tx, &owner, parent.as_ref(), &top.title)?;
    Ok(CopyPlan { top, place: NodePlacement { owner, parent, title }, user: user.clone() })
}

/// Records one event for a complete copy, and returns the copy at the top and its path. Fails with
/// `NotFound` if the copy does not exist.
fn finish_copy(tx: &WriteTx<'_>, copy: &NodeId, plan: &CopyPlan) -> Result<(Node, FolderPath)> {
    let copy = tree::find_node(tx, copy)?.or_not_found("folder")?;
    let path = tree::parent_path(tx, &copy)?.child(&copy.title);
    let (node, parent) = (EventNode::from(&copy), copy.parent.as_ref());
    let details = json!({ "copy_of": plan.top.id });
    tree::record_in_folder(tx, node, NodeAction::Create, parent, details)?;
    Ok((copy, path))
}

/// Returns the nodes below a folder that a copy contains, parents before their children: all except
/// the folder itself, team folders with their content, and nodes that were put in the trash
/// separately.
///
/// # Errors
/// `TooLarge` for more than `MAX_NODES` nodes, counting the folder and its team folders.
fn list_copied_nodes(tx: &Tx<'_>, top: &Node) -> Result<Vec<Node>> {
    let nodes = tree::list_subtree(tx, &top.id)?;
    if nodes.len() > MAX_NODES {
        return Err(too_large_error(&format!("{MAX_NODES} nodes")));
    }
    remove_team_folders(tx, nodes)
}

/// Returns the nodes in their order without the first one, which is the folder itself, and without
/// the team folders in it with their content, because everyone with access to the copy could read
/// them. Keeps the content of a first node that is a team folder. Parents must come before their
/// children.
fn remove_team_folders(tx: &Tx<'_>, nodes: Vec<Node>) -> Result<Vec<Node>> {
    let mut folders = HashSet::new();
    let mut copied = Vec::with_capacity(nodes.len());
    for (index, node) in nodes.into_iter().enumerate() {
        let is_top = index == 0;
        let is_inside = node.parent.as_ref().is_some_and(|parent| folders.contains(parent));
        if !is_top && (!is_inside || node.is_folder && is_team_folder(tx, &node)?) {
            continue;
        }
        if node.is_folder {
            folders.insert(node.id.clone());
        }
        if !is_top {
            copied.push(node);
        }
    }
    Ok(copied)
}

/// Copies a node into the copy of its parent folder. Adds the copy of a folder to `copies`. Returns
/// None if the parent folder has no copy. The result has 0 bytes for a folder.
fn copy_node(
    tx: &WriteTx<'_>,
    author: CopyAuthor<'_>,
    owner: &AccountId,
    node: &Node,
    copies: &mut FolderCopies,
) -> Result<Option<CopiedDocument>> {
    let Some(parent) = node.parent.as_ref().and_then(|id| copies.get(id)) else {
        return Ok(None);
    };
    let place = NodePlacement {
        owner: owner.clone(),
        parent: Some(parent.clone()),
        title: node.title.clone(),
    };
    if !node.is_folder {
        return documents::copy_document_to(tx, author, &node.id, &place).map(Some);
    }
    let id = tree::create_folder(tx, author.account, &place)?;
    copies.insert(node.id.clone(), id.clone());
    Ok(Some(CopiedDocument { id, data_bytes: 0, written_bytes: 0 }))
}

/// Checks the size of the copied data in bytes.
///
/// # Errors
/// `TooLarge` if it is more than `MAX_DATA_BYTES`.
fn check_data_size(bytes: u64) -> Result<()> {
    if bytes > MAX_DATA_BYTES { Err(too_large_error("1 GiB of data")) } else { Ok(()) }
}

/// A copy of a large folder that is staged completely but not published.
pub struct StagedCopy {
    /// Node at the top of the copy.
    pub id: NodeId,
    /// Folder that was copied.
    source: NodeId,
    /// Folders below the source, see [`list_places`].
    source_folders: Vec<(NodeId, Option<NodeId>)>,
    /// Number of staged nodes.
    node_count: usize,
}

/// Returns the id of each folder with the id of its parent folder, sorted, so that two lists can be
/// compared.
fn list_places(folders: &[Node]) -> Vec<(NodeId, Option<NodeId>)> {
    let mut places: Vec<_> =
        folders.iter().map(|node| (node.id.clone(), node.parent.clone())).collect();
    places.sort();
    places
}

/// Copies a large folder in several transactions. Returns None for a folder that one transaction
/// can copy because it has few nodes and bytes. Publish the copy with [`publish_copy`], and then
/// call [`discard_staged`] in any case.
///
/// Documents that change, appear or disappear meanwhile are copied in one of their states. A task
/// removes the copy if this process ends before the publication.
///
/// # Errors
/// The errors of [`duplicate_folder`]. `Conflict` if a folder changed its place meanwhile. Removes
/// the staged nodes after an error.
pub fn stage_copy(
    db: &Db,
    caller: &Caller,
    target: &FolderRequest,
    channel: Channel,
) -> Result<Option<StagedCopy>> {
    let (plan, nodes, size) = db.read(|tx| {
        let plan = plan_copy(tx, caller, target)?;
        let nodes = list_copied_nodes(tx, &plan.top)?;
        let size = tree::subtree_size(tx, &plan.top.id)?;
        Ok((plan, nodes, size))
    })?;
    if !size.is_full() {
        return Ok(None);
    }
    let (folders, documents): (Vec<Node>, Vec<Node>) =
        nodes.into_iter().partition(|node| node.is_folder);
    let (source, source_folders) = (plan.top.id.clone(), list_places(&folders));
    let stager = Stager::begin(db, plan, channel)?;
    let id = stager.copy.clone();
    // All folders come first, because a document may move to another folder meanwhile.
    match stager.stage_all(db, &folders, &documents) {
        Ok(node_count) => Ok(Some(StagedCopy { id, source, source_folders, node_count })),
        Err(error) => {
            discard_staged(db, &id);
            Err(error)
        }
    }
}

/// Checks access again, as of now, and publishes a staged copy. Returns the copy and its path.
///
/// # Errors
/// The errors of [`duplicate_folder`]. `Conflict` if the folder or one below it changed its place
/// since the copy began, or the copy was removed.
pub fn publish_copy(
    tx: &WriteTx<'_>,
    caller: &Caller,
    target: &FolderRequest,
    staged: &StagedCopy,
) -> Result<(Node, FolderPath)> {
    let plan = plan_copy(tx, caller, target)?;
    let folders = remove_team_folders(tx, tree::list_subtree_folders(tx, &plan.top.id)?)?;
    if plan.top.id != staged.source || list_places(&folders) != staged.source_folders {
        return Err(changed_error());
    }
    tree::publish_staged(tx, &staged.id, &plan.place, staged.node_count)?;
    finish_copy(tx, &staged.id, &plan)
}

/// Removes staged nodes in several transactions. `copy` is the node at the top. Does nothing after the
/// publication of a copy. Logs a failure, because the task `REMOVE_STAGED_TASK` repeats the removal
/// later.
pub fn discard_staged(db: &Db, copy: &NodeId) {
    if let Err(error) = remove_staged(db, copy) {
        tracing::warn!(%error, %copy, "staged nodes are not removed yet");
    }
}

/// Removes staged nodes in several transactions. `copy` is the node at the top. Does nothing after the
/// publication of a copy.
///
/// # Errors
/// If the database fails. A retry is safe.
pub fn remove_staged(db: &Db, copy: &NodeId) -> Result<()> {
    while db.read(|tx| tree::has_staged(tx, copy))? {
        let copy = copy.clone();
        db.write_with_reserve(move |tx| tree::remove_staged_batch(tx, &copy))?;
    }
    Ok(())
}

/// The state of a copy between the transactions that stage it.
#[derive(Clone)]
struct Stager {
    /// Node at the top of the copy.
    copy: NodeId,
    /// Account that makes the copy.
    user: AccountId,
    /// Account that owns the copy.
    owner: AccountId,
    /// Account that owns the source.
    source_owner: AccountId,
    channel: Channel,
    /// Copies of folders so far.
    folders: FolderCopies,
}

impl Stager {
    /// Stages an empty top folder of a copy in the root of its owner, under a temporary name.
    /// Enqueues the task that removes the staged nodes after `MAX_STAGING_TIME` unless they are
    /// published.
    fn begin(db: &Db, plan: CopyPlan, channel: Channel) -> Result<Self> {
        let CopyPlan { top, place, user } = plan;
        let (owner, author) = (place.owner.clone(), user.clone());
        let copy = db.write(move |tx| {
            // The name is unused, and the publication replaces it.
            let title = NodeId::new().to_string();
            let place = NodePlacement { owner: owner.clone(), parent: None, title };
            let copy = tree::create_folder(tx, &author, &place)?;
            tree::stage_nodes(tx, &copy, std::slice::from_ref(&copy))?;
            let deadline = tx.now.saturating_add(MAX_STAGING_TIME);
            queue::enqueue(tx, REMOVE_STAGED_TASK, copy.as_str(), "{}", deadline)?;
            Ok(copy)
        })?;
        let folders = FolderCopies::from([(top.id, copy.clone())]);
        let (owner, source_owner) = (place.owner, top.owner);
        Ok(Self { copy, user, owner, source_owner, channel, folders })
    }

    /// Stages copies of all nodes below the top folder, folders before documents, in several
    /// transactions. Returns the number of staged nodes including the top. Publishes nothing.
    ///
    /// # Errors
    /// `TooLarge` if the data has too many bytes. `Conflict` if the staged copy was removed.
    fn stage_all(mut self, db: &Db, folders: &[Node], documents: &[Node]) -> Result<usize> {
        let (mut node_count, mut data_bytes) = (1, 0);
        for nodes in [folders, documents] {
            let mut rest = nodes;
            while !rest.is_empty() {
                let ids: Vec<NodeId> =
                    rest.iter().take(MAX_STEP_NODES).map(|node| node.id.clone()).collect();
                let stager = self.clone();
                let step = db.write(move |tx| stager.stage_step(tx, &ids))?;
                self.folders = step.folders;
                node_count += step.staged;
                data_bytes += step.data_bytes;
                check_data_size(data_bytes)?;
                rest = rest.get(step.handled..).unwrap_or_default();
            }
        }
        Ok(node_count)
    }

    /// Stages copies of the first of `ids`, at least one, until the transaction has written as much
    /// as one step may write. Skips nodes that were trashed, deleted or moved out of the folder
    /// meanwhile. The result tells how many of `ids` it handled.
    ///
    /// # Errors
    /// `Conflict` if the staged copy was removed.
    fn stage_step(&self, tx: &WriteTx<'_>, ids: &[NodeId]) -> Result<StagedStep> {
        tree::check_staged(tx, &self.copy)?;
        let author = CopyAuthor { account: &self.user, channel: self.channel };
        let mut step = StagedStep { folders: self.folders.clone(), ..StagedStep::default() };
        let mut written = StepSize::default();
        let mut copies = Vec::with_capacity(ids.len());
        for id in ids {
            if written.is_full() {
                break;
            }
            step.handled += 1;
            // A node that was deleted or moved elsewhere meanwhile is not copied. The publication
            // fails if it is a folder.
            let node = tree::find_node(tx, id)?
                .filter(|node| node.deleted.is_none() && node.owner == self.source_owner);
            let Some(node) = node else { continue };
            let Some(copy) = copy_node(tx, author, &self.owner, &node, &mut step.folders)? else {
                continue;
            };
            written.add(StepSize::of_node(copy.written_bytes));
            step.data_bytes += copy.data_bytes;
            copies.push(copy.id);
        }
        step.staged = copies.len();
        tree::stage_nodes(tx, &self.copy, &copies)?;
        Ok(step)
    }
}

/// Result of one transaction that stages nodes.
#[derive(Default)]
struct StagedStep {
    /// Copies of folders so far.
    folders: FolderCopies,
    /// Number of nodes of the source that the transaction copied or skipped.
    handled: usize,
    /// Number of staged nodes.
    staged: usize,
    /// Size of the records of the copied documents in bytes.
    data_bytes: u64,
}

/// Returns whether the node is the folder of a team. Always false for the folder of a user.
fn is_team_folder(tx: &Tx<'_>, node: &Node) -> Result<bool> {
    Ok(access::is_org_id(&node.owner) && store::is_team_folder(tx, &node.id)?)
}

/// Returns the error for a folder that changed during the copy.
fn changed_error() -> Error {
    Error::Conflict("the folder changed while it was copied; try again".to_owned())
}

/// Returns the error for a folder above a limit. `limit` completes the sentence `the folder has
/// more than`.
fn too_large_error(limit: &str) -> Error {
    Error::TooLarge(format!("the folder has more than {limit}; copy its parts separately"))
}
