//! What a caller may ask of folders: find by path, check access, have it done.

pub mod bin;
pub mod change;
pub mod copy;

use super::store;
use super::view::FolderView;
use super::view::Viewer;
use crate::features::access;
use crate::features::access::Caller;
use crate::features::access::Level;
use crate::features::access::Resource;
use crate::features::tree;
use crate::features::tree::FolderPath;
use crate::features::tree::Node;
use chartroom_platform::db::Tx;
use chartroom_platform::error::Error;
use chartroom_platform::error::Found;
use chartroom_platform::error::Result;
use chartroom_platform::http::IfMatch;
use chartroom_platform::id::AccountId;
use chartroom_platform::id::NodeId;

/// The folder that a request is about.
#[derive(Debug, Clone)]
pub struct Target {
    /// `{user_id}` of the path: the owner, in any spelling.
    pub user: String,
    /// `{path}` of the path.
    pub path: FolderPath,
    /// The header `If-Match`.
    pub if_match: IfMatch,
}

/// A folder (no node is the root's), as it is shown, and the folders in it.
type Seen = (Option<Node>, FolderView, Vec<FolderView>);

/// A folder with its access entries, and the folders in it that the caller may read.
///
/// # Errors
/// `NotFound` when there is none or not for him, `SignIn` in the same cases when nobody is signed in.
pub fn get(tx: &Tx<'_>, viewer: Viewer<'_>, target: &Target) -> Result<Seen> {
    read(tx, viewer, target).map_err(|error| viewer.caller.hide(error))
}

fn read(tx: &Tx<'_>, viewer: Viewer<'_>, target: &Target) -> Result<Seen> {
    let (caller, owner) = (viewer.caller, owner(tx, viewer.caller, target)?);
    let node = match present(tx, &owner, &target.path)? {
        Place::Root => {
            let level = require(tx, caller, &owner, None, Level::Read)?;
            let folder = FolderView::root(tx, viewer, &owner, level)?;
            return Ok((None, folder, folders_in(tx, viewer, &owner, None, level)?));
        }
        Place::Folder(node) => node,
        Place::Missing(_) => trashed(tx, caller, &owner, &target.path)?.found("folder")?,
    };
    let level = require(tx, caller, &owner, Some(&node), Level::Read)?;
    let folder = FolderView::whole(tx, viewer, &node, level)?;
    let folders = folders_in(tx, viewer, &owner, Some(&node), level)?;
    Ok((Some(node), folder, folders))
}

/// The folders directly in a folder (none is the root) that the caller may use at `level`.
fn folders_in(
    tx: &Tx<'_>,
    viewer: Viewer<'_>,
    owner: &AccountId,
    folder: Option<&Node>,
    level: Level,
) -> Result<Vec<FolderView>> {
    let mut path = FolderPath::default();
    if let Some(folder) = folder {
        path = tree::path(tx, folder)?.child(&folder.title);
    }
    let mut all = Vec::new();
    // Where he may write, nothing can be closed to him but the folders of teams.
    let is_same = level == Level::Write && !access::is_org(owner);
    let nodes = match folder.filter(|it| it.deleted.is_some()) {
        Some(trashed) => tree::trashed_folders_in(tx, &trashed.id)?,
        None => tree::folders_in(tx, owner, folder.map(|it| &it.id))?,
    };
    for node in nodes {
        let level = match is_same {
            true => level,
            false => access::level(tx, viewer.caller, &resource(owner, Some(&node)))?,
        };
        if level != Level::None {
            all.push(FolderView::listed(tx, viewer, &node, &path, level)?);
        }
    }
    Ok(all)
}

/// The owner whom a path names; one that is not there looks like one whose things are hidden.
fn owner(tx: &Tx<'_>, caller: &Caller, target: &Target) -> Result<AccountId> {
    access::account(tx, caller.user.as_ref(), &target.user).map_err(|error| match error {
        Error::NotFound(_) => Error::NotFound("folder"),
        other => other,
    })
}

/// What is at a path, the trash apart.
enum Place {
    Root,
    Folder(Node),
    /// Nothing; the deepest folder on the way, none is the root.
    Missing(Option<NodeId>),
}

fn present(tx: &Tx<'_>, owner: &AccountId, path: &FolderPath) -> Result<Place> {
    match tree::deepest_folder(tx, owner, path)? {
        (deepest, false) => Ok(Place::Missing(deepest)),
        (None, true) => Ok(Place::Root),
        (Some(id), true) => Ok(Place::Folder(tree::find(tx, &id)?.found("folder")?)),
    }
}

/// The folder at a path in the trash, when the caller may put it back.
fn trashed(
    tx: &Tx<'_>,
    caller: &Caller,
    owner: &AccountId,
    path: &FolderPath,
) -> Result<Option<Node>> {
    let Some(node) = tree::trashed_folder(tx, owner, path)? else { return Ok(None) };
    match access::level(tx, caller, &resource(owner, Some(&node)))? {
        Level::None => Ok(None),
        _ => Ok(Some(node)),
    }
}

/// [`access::require`] of a folder; none is the root.
fn require(
    tx: &Tx<'_>,
    caller: &Caller,
    owner: &AccountId,
    folder: Option<&Node>,
    needed: Level,
) -> Result<Level> {
    access::require(tx, caller, &resource(owner, folder), needed).map_err(|error| match error {
        Error::NotFound(_) => Error::NotFound("folder"),
        other => other,
    })
}

fn resource<'a>(owner: &'a AccountId, folder: Option<&'a Node>) -> Resource<'a> {
    let in_trash = folder.is_some_and(|it| it.deleted.is_some());
    Resource { node: folder.map(|it| &it.id), owner, is_public: false, in_trash }
}

/// The entity tag of a folder's own state, without quotes: not of what is in it.
pub fn tag(node: &Node) -> String {
    tree::tag(&node.id, node.revision)
}

/// Checks the header `If-Match` against what is stored.
fn check_if_match(tx: &Tx<'_>, caller: &Caller, target: &Target, node: &Node) -> Result<()> {
    let Node { id, revision, updated, updated_by, .. } = node;
    let state = access::State { id, revision: *revision, updated: *updated, updated_by };
    access::check_unchanged(tx, caller, &target.if_match, &state)
}

/// The folder of a team stays where its organization has it as long as there is the team.
///
/// # Errors
/// `Conflict` when the folder is that of a team or has such a one in it.
fn keep_team_folders(tx: &Tx<'_>, node: &Node) -> Result<()> {
    if !access::is_org(&node.owner) || !store::has_team_folder(tx, &node.id)? {
        return Ok(());
    }
    let text = "this is or has in it the folder of a team, which stays as long as the team";
    Err(Error::Conflict(text.to_owned()))
}

fn is_root() -> Error {
    Error::field("path", "is the root folder, which is always there and stays as it is")
}
