//! Moves the documents of a removed account to its organization, in steps, so that others can write
//! meanwhile.
//!
//! They go to the folder of a new team with the name of the user and without members. Only admins
//! can open it, and they can hand it over by adding members.

use serde::Deserialize;
use serde::Serialize;

use crate::app::App;
use crate::features::accounts;
use crate::features::orgs;
use crate::features::orgs::teams;
use crate::features::people::store;
use crate::features::tree;
use crate::features::tree::Node;
use crate::features::tree::NodePlacement;
use chartroom_platform::db::OriginScope;
use chartroom_platform::db::WriteActor;
use chartroom_platform::db::WriteOrigin;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;
use chartroom_platform::id::NodeId;
use chartroom_platform::tasks;
use chartroom_platform::tasks::Task;

/// Name of the task that moves the documents. Its subject is the account id.
pub const ADOPT_TASK: &str = "people.adopt-documents";

/// Payload of the task.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct AdoptionPayload {
    /// Organization that takes over the documents.
    org: AccountId,
    /// Folder of the organization.
    folder: NodeId,
    /// Account that removed the user. The organization for the command line.
    author: AccountId,
}

/// Creates the folder for the documents of a removed account and enqueues [`ADOPT_TASK`]. Does
/// nothing if the account has no documents outside the trash. `author` removed the account.
pub fn enqueue_adoption(
    tx: &WriteTx<'_>,
    org: &AccountId,
    user: &AccountId,
    author: &AccountId,
) -> Result<()> {
    if tree::find_root_node(tx, user)?.is_none() {
        return Ok(());
    }
    let folder = create_folder(tx, org, user, author)?;
    let payload = AdoptionPayload { org: org.clone(), folder, author: author.clone() };
    let payload = serde_json::to_string(&payload)?;
    tasks::enqueue(tx, ADOPT_TASK, user.as_str(), &payload, tx.now)
}

/// Creates the folder for the documents of a removed account. It belongs to a new team without
/// members.
fn create_folder(
    tx: &WriteTx<'_>,
    org: &AccountId,
    user: &AccountId,
    author: &AccountId,
) -> Result<NodeId> {
    let org = orgs::find_org(tx, org.as_str())?;
    let name = accounts::load_profile(tx, user)?.name;
    // An organization that has used up its storage must still be able to remove people.
    let team = teams::create_closed_team(&tx.without_quota(), author, &org, &name)?;
    team.folder.ok_or_else(|| Error::internal("a new team has no folder"))
}

/// Runs the task [`ADOPT_TASK`]: moves one document or folder after the other, also on a full disk.
/// Stops if the account was restored. If the folder is not in the root of the organization any more,
/// for example because an admin put it in the trash, the rest goes to another new folder.
///
/// The audit log shows the account that removed the user as the actor.
pub fn adopt_documents(app: &App, task: &Task) -> Result<()> {
    let user = AccountId::from_text(task.subject.as_str());
    let mut payload: AdoptionPayload = serde_json::from_str(&task.payload)?;
    let actor = match payload.author.is_org() {
        // The command line removes a user in the name of the organization.
        true => WriteActor::Operator,
        false => WriteActor::User(payload.author.clone()),
    };
    let _origin = OriginScope::begin(WriteOrigin { actor, ..WriteOrigin::default() });
    loop {
        let (user, present) = (user.clone(), payload.clone());
        match app.db.write_with_reserve(move |tx| adopt_next(tx, &user, &present))? {
            Some(folder) => payload.folder = folder,
            None => return Ok(()),
        }
    }
}

/// Moves a document or folder from the root of the account to the folder. Returns the folder, or None
/// if nothing is left to do.
fn adopt_next(
    tx: &WriteTx<'_>,
    user: &AccountId,
    payload: &AdoptionPayload,
) -> Result<Option<NodeId>> {
    let is_removed =
        store::managed::find_managed(tx, user)?.is_some_and(|managed| managed.removed.is_some());
    let Some(node) = tree::find_root_node(tx, user)?.filter(|_| is_removed) else {
        return Ok(None);
    };
    let is_usable = |folder: &Node| {
        folder.owner == payload.org && folder.parent.is_none() && folder.deleted.is_none()
    };
    let Some(folder) = tree::find_node(tx, &payload.folder)?.filter(is_usable) else {
        return create_folder(tx, &payload.org, user, &payload.author).map(Some);
    };
    let tx = &tx.without_quota();
    match move_into(tx, &node, &folder, &payload.author) {
        // The folder has subfolders down to the maximum depth and would be one level deeper, so its
        // subfolders become its siblings.
        Err(Error::InvalidFields(_)) => {
            for subfolder in tree::list_child_folders(tx, user, Some(&node.id))? {
                move_into(tx, &subfolder, &folder, &payload.author)?;
            }
        }
        moved => moved?,
    }
    Ok(Some(folder.id))
}

/// Moves a node into a folder.
fn move_into(tx: &WriteTx<'_>, node: &Node, folder: &Node, author: &AccountId) -> Result<()> {
    let mut title = node.title.clone();
    if node.is_folder {
        title = tree::find_unused_folder_name(tx, &folder.owner, Some(&folder.id), &title)?;
    }
    let to = NodePlacement { owner: folder.owner.clone(), parent: Some(folder.id.clone()), title };
    match node.is_folder {
        true => tree::move_folder(tx, node, author, &to),
        false => {
            tree::move_node(tx, &node.id, &node.owner, author, &to, 0)?;
            tree::record_placement(tx, &node.id, false, &node.placement(), &to)
        }
    }
}
