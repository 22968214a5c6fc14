//! PUT: makes a folder, or moves, renames and gives away one that is there.

use super::Place as Present;
use super::Target;
use super::check_if_match;
use super::is_root;
use super::keep_team_folders;
use super::owner;
use super::present;
use super::require;
use crate::features::access;
use crate::features::access::Caller;
use crate::features::access::Level;
use crate::features::access::Resource;
use crate::features::tree;
use crate::features::tree::FolderPath;
use crate::features::tree::Node;
use crate::features::tree::Place;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Error;
use chartroom_platform::error::Found;
use chartroom_platform::error::Result;
use chartroom_platform::http::IfMatch;
use chartroom_platform::id::AccountId;
use chartroom_platform::id::NodeId;

/// What a folder shall be; what is absent stays.
pub struct Wish {
    /// Another last name.
    pub title: Option<String>,
    /// Another path. With a new owner and no path: directly in the owner's root.
    pub path: Option<FolderPath>,
    /// Another owner, in any spelling.
    pub owner: Option<String>,
}

/// Makes a folder with those above it, or changes it. Says what it is then, and where.
pub fn put(
    tx: &WriteTx<'_>,
    caller: &Caller,
    target: &Target,
    wish: &Wish,
) -> Result<(Node, FolderPath)> {
    make_or_change(tx, caller, target, wish).map_err(|error| caller.hide(error))
}

fn make_or_change(
    tx: &WriteTx<'_>,
    caller: &Caller,
    target: &Target,
    wish: &Wish,
) -> Result<(Node, FolderPath)> {
    let owner = owner(tx, caller, target)?;
    let id = match present(tx, &owner, &target.path)? {
        Present::Root => return Err(is_root()),
        Present::Missing(deepest) => make(tx, caller, target, &owner, deepest.as_ref(), wish)?,
        Present::Folder(node) => change(tx, caller, target, node, wish)?,
    };
    let node = tree::find(tx, &id)?.found("folder")?;
    let path = tree::path(tx, &node)?.child(&node.title);
    Ok((node, path))
}

fn make(
    tx: &WriteTx<'_>,
    caller: &Caller,
    target: &Target,
    owner: &AccountId,
    deepest: Option<&NodeId>,
    wish: &Wish,
) -> Result<NodeId> {
    let deepest = match deepest {
        Some(id) => Some(tree::find(tx, id)?.found("folder")?),
        None => None,
    };
    require(tx, caller, owner, deepest.as_ref(), Level::Write)?;
    access::check_may_add(tx, owner)?;
    // To move, rename or give away, or to change what was read, there must be something.
    let is_other = wish.title.as_deref().is_some_and(|it| it != target.path.title())
        || wish.path.as_ref().is_some_and(|it| *it != target.path)
        || named_owner(tx, caller, owner, wish)?.is_some()
        || target.if_match != IfMatch::default();
    if is_other {
        return Err(Error::NotFound("folder"));
    }
    tree::make_folders(tx, &caller.author(), owner, &target.path)?.found("folder")
}

/// The owner that the wish names, as it names him, unless it is the present one.
fn named_owner<'a>(
    tx: &WriteTx<'_>,
    caller: &Caller,
    present: &AccountId,
    wish: &'a Wish,
) -> Result<Option<&'a str>> {
    let Some(text) = wish.owner.as_deref().filter(|it| *it != present.as_str()) else {
        return Ok(None);
    };
    match access::account(tx, caller.user.as_ref(), text) {
        Ok(named) if named == *present => Ok(None),
        Ok(_) | Err(Error::NotFound(_)) => Ok(Some(text)),
        Err(other) => Err(other),
    }
}

fn change(
    tx: &WriteTx<'_>,
    caller: &Caller,
    target: &Target,
    node: Node,
    wish: &Wish,
) -> Result<NodeId> {
    require(tx, caller, &node.owner, Some(&node), Level::Write)?;
    check_if_match(tx, caller, target, &node)?;
    let new_owner = named_owner(tx, caller, &node.owner, wish)?;
    let path = new_path(target, wish, new_owner.is_some())?;
    if new_owner.is_none() && path == target.path {
        return Ok(node.id);
    }
    let above = path.parent().ok_or_else(|| Error::field("name", "must not be the root"))?;
    let owner = match new_owner {
        Some(text) => give_to(tx, caller, &node, text, &above)?,
        None => {
            let stays = target.path.parent().as_ref() == Some(&above);
            if !stays {
                check_may_move_to(tx, caller, &node.owner, &above)?;
            }
            node.owner.clone()
        }
    };
    let by = caller.author();
    let parent = tree::make_folders(tx, &by, &owner, &above)?;
    let to = Place { owner, parent, title: path.title().to_owned() };
    tree::move_folder(tx, &node, &by, &to)?;
    Ok(node.id)
}

/// The path that a folder shall have. An answer sent back with one of `name` and `title` changed
/// means that one.
fn new_path(target: &Target, wish: &Wish, is_given_away: bool) -> Result<FolderPath> {
    let old = target.path.title();
    let moved = match &wish.path {
        Some(path) => path.clone(),
        None if is_given_away => FolderPath::default().child(old),
        None => target.path.clone(),
    };
    let Some(title) = wish.title.as_deref().filter(|it| *it != old) else { return Ok(moved) };
    match moved.parent() {
        Some(above) if moved.title() == old || moved.title() == title => Ok(above.child(title)),
        _ => Err(Error::field("title", "must be the last name in `name` when both change")),
    }
}

/// The new owner, to whom a folder may be given at a path.
fn give_to(
    tx: &WriteTx<'_>,
    caller: &Caller,
    node: &Node,
    text: &str,
    above: &FolderPath,
) -> Result<AccountId> {
    let Some(user) = &caller.user else { return Err(Error::SignIn("sign-in required")) };
    let owner = access::new_owner(tx, user, Some(text), above)?;
    access::require_own(tx, caller, &node.owner, &node.id)?;
    keep_team_folders(tx, node)?;
    Ok(owner)
}

fn check_may_move_to(
    tx: &WriteTx<'_>,
    caller: &Caller,
    owner: &AccountId,
    above: &FolderPath,
) -> Result<()> {
    let (folder, _) = tree::deepest_folder(tx, owner, above)?;
    let resource = Resource { node: folder.as_ref(), owner, is_public: false, in_trash: false };
    if access::level(tx, caller, &resource)? != Level::Write {
        return Err(Error::field("name", "is not in a folder where you may put things"));
    }
    access::check_may_add(tx, owner)
}
