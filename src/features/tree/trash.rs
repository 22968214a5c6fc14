//! The trash: into it, out of it, and gone for good.
//!
//! What is put into the trash is a root there and takes along what is below it. What was there
//! already stays a root of its own, and is there still when the folder is removed for good.

use super::actions;
use super::rules;
use super::rules::FolderPath;
use super::rules::Node;
use super::rules::Place;
use super::store;
use super::store::subtree;
use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Error;
use chartroom_platform::error::Found;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;
use chartroom_platform::id::NodeId;
use chartroom_platform::time::Timestamp;

/// Where something in the trash goes back to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Home {
    /// The folder, or the deepest one on the way to it; none is the root.
    pub folder: Option<NodeId>,
    /// The path that must be made again, when the folder is gone or in the trash itself.
    pub missing: Option<FolderPath>,
}

/// Puts a node into the trash, with what is below it. One that is there already stays as it is.
pub fn trash(tx: &WriteTx<'_>, id: &NodeId, by: &AccountId) -> Result<()> {
    let node = store::find(tx, id)?.found("document")?;
    if node.deleted.is_some() {
        return Ok(());
    }
    let path = actions::folder_path(tx, node.parent.as_ref())?;
    subtree::trash(tx, id, &path.to_string(), by)
}

/// The entity tag that a node has now, as [`rules::tag`] makes it.
pub fn tag_of(tx: &Tx<'_>, id: &NodeId) -> Result<String> {
    let node = store::find(tx, id)?.found("document")?;
    Ok(rules::tag(id, node.revision))
}

/// Where a node in the trash goes back to: its folder, wherever that is by now, else the path that
/// the folder had.
pub fn home(tx: &Tx<'_>, node: &Node) -> Result<Home> {
    let path = actions::path(tx, node)?;
    let parent = match &node.parent {
        Some(id) => store::find(tx, id)?.filter(|it| it.deleted.is_none()),
        None => None,
    };
    if let Some(parent) = parent {
        return Ok(Home { folder: Some(parent.id), missing: None });
    }
    let (folder, is_all) = actions::deepest_folder(tx, &node.owner, &path)?;
    Ok(Home { folder, missing: (!is_all).then_some(path) })
}

/// Takes a node out of the trash, with what it took along. A folder whose name is taken meanwhile
/// gets a number.
///
/// # Errors
/// `Conflict` when folders would be too deep within each other where it was.
pub fn restore(tx: &WriteTx<'_>, node: &Node, home: &Home, by: &AccountId) -> Result<()> {
    let parent = match &home.missing {
        Some(path) => actions::make_folders(tx, by, &node.owner, path)?,
        None => home.folder.clone(),
    };
    let mut title = node.title.clone();
    if node.is_folder {
        actions::check_depth(tx, parent.as_ref(), &node.id)?.map_err(Error::Conflict)?;
        title = free_title(tx, &node.owner, parent.as_ref(), &title)?;
    }
    store::place(tx, &node.id, by, &Place { owner: node.owner.clone(), parent, title })?;
    subtree::restore(tx, &node.id)
}

/// A name that no folder in this one has: `title` itself, or with the first number that is free.
pub fn free_title(
    tx: &Tx<'_>,
    owner: &AccountId,
    parent: Option<&NodeId>,
    title: &str,
) -> Result<String> {
    let mut free = title.to_owned();
    for number in 2.. {
        if store::child_folder(tx, owner, parent, &free)?.is_none() {
            break;
        }
        free = rules::numbered(title, number);
    }
    Ok(free)
}

/// Removes a node and what is below it, for good, in the trash or not. Gives the documents among
/// them. What was put into the trash by itself stays there.
pub fn expunge(tx: &WriteTx<'_>, id: &NodeId) -> Result<Vec<NodeId>> {
    let documents = subtree::documents(tx, id)?;
    subtree::part_from_trash(tx, id)?;
    subtree::delete(tx, id)?;
    Ok(documents)
}

/// What an account put into the trash, behind the id `after`, at most `most`, by their ids: without
/// what went along.
pub fn trashed(
    tx: &Tx<'_>,
    owner: &AccountId,
    after: Option<&NodeId>,
    most: u32,
) -> Result<Vec<NodeId>> {
    subtree::trash_roots(tx, owner, after, most)
}

/// Removes what is in the trash since before `time`, at most `most` things with what they took along.
/// Gives the documents among it; none when there was nothing.
pub fn purge(tx: &WriteTx<'_>, time: Timestamp, most: u32) -> Result<Option<Vec<NodeId>>> {
    let roots = subtree::trash_roots_before(tx, time, most)?;
    if roots.is_empty() {
        return Ok(None);
    }
    let mut documents = Vec::new();
    for id in &roots {
        documents.extend(expunge(tx, id)?);
    }
    Ok(Some(documents))
}

/// The folder at a path in the trash, by itself or with a folder above: of several the one that went
/// there last.
pub fn trashed_folder(tx: &Tx<'_>, owner: &AccountId, path: &FolderPath) -> Result<Option<Node>> {
    let names = path.segments();
    for depth in (1..=names.len()).rev() {
        let root = path.upper(depth);
        let Some(above) = root.parent() else { continue };
        let mut found = subtree::trashed_folder(tx, owner, &above.to_string(), root.title())?;
        for name in &names[depth..] {
            found = match found {
                Some(folder) => subtree::trashed_child(tx, &folder.id, name)?,
                None => None,
            };
        }
        if found.is_some() {
            return Ok(found);
        }
    }
    Ok(None)
}
