//! What is in a folder and in the trash, as far as the caller may know.

use super::Listing;
use super::entries;
use super::store;
use super::store::Content;
use super::teams;
use crate::features::access;
use crate::features::access::Caller;
use crate::features::access::Level;
use crate::features::access::Resource;
use crate::features::accounts::User;
use crate::features::documents;
use crate::features::tree;
use crate::features::tree::FolderPath;
use chartroom_platform::db::Tx;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::http::Page;
use chartroom_platform::id::AccountId;
use chartroom_platform::id::NodeId;
use chartroom_platform::text;

/// A wish to see what is in a folder.
pub struct Wish {
    /// `{user_id}` of the path: the owner in any spelling.
    pub user: String,
    /// The folder.
    pub path: FolderPath,
    /// Text that the titles contain; empty for all.
    pub matching: String,
    pub page: Page,
}

/// What is in a folder: folders by title, then documents, last changed first.
///
/// # Errors
/// `NotFound` when there is no such folder or not for him, `SignIn` in the same cases when nobody
/// is signed in.
pub fn list(tx: &Tx<'_>, base_url: &str, caller: &Caller, wish: &Wish) -> Result<Listing> {
    let place = reach(tx, caller, wish).map_err(|error| caller.hide(error))?;
    let folder = place.folder.as_ref();
    let teams = teams::foreign(tx, caller, &place.owner)?;
    let here = || teams.iter().filter(|(team, _)| team.parent.as_ref() == folder);
    let closed = here().filter(|(_, level)| *level == Level::None);
    let content = Content {
        owner: &place.owner,
        folder,
        needle: text::fold(&wish.matching),
        hidden: closed.map(|(team, _)| team.id.clone()).collect(),
    };
    let (folders, documents) = store::count(tx, &content)?;
    let mut nodes = Vec::new();
    for id in page(tx, &content, folders, wish.page)? {
        let team = here().find(|(team, _)| team.id == id).map(|(_, level)| *level);
        let level = match team {
            Some(level) => level,
            // Here or on the thing itself there may be an entry that lets him change it.
            None if place.level == Level::Read => level(tx, caller, &place.owner, Some(&id))?,
            None => place.level,
        };
        nodes.push((id, level));
    }
    let entries = entries(tx, base_url, caller, &nodes)?;
    let listing = Listing::new(wish.page, folders + documents, entries);
    Ok(Listing { matching: Some(wish.matching.clone()), ..listing })
}

/// A folder, and what the caller may do there.
struct Place {
    owner: AccountId,
    /// None is the root.
    folder: Option<NodeId>,
    level: Level,
}

fn reach(tx: &Tx<'_>, caller: &Caller, wish: &Wish) -> Result<Place> {
    let absent = || Error::NotFound("folder");
    let owner = owner(tx, caller, &wish.user)?;
    let (folder, is_there) = tree::deepest_folder(tx, &owner, &wish.path)?;
    let level = match is_there {
        true => level(tx, caller, &owner, folder.as_ref())?,
        false => Level::None,
    };
    match level {
        Level::None => Err(absent()),
        _ => Ok(Place { owner, folder, level }),
    }
}

/// The account that a path names; one that is not there looks like one whose things are hidden.
fn owner(tx: &Tx<'_>, caller: &Caller, text: &str) -> Result<AccountId> {
    access::account(tx, caller.user.as_ref(), text).map_err(|error| match error {
        Error::NotFound(_) => Error::NotFound("folder"),
        other => other,
    })
}

fn level(tx: &Tx<'_>, caller: &Caller, owner: &AccountId, node: Option<&NodeId>) -> Result<Level> {
    let resource = Resource { node, owner, is_public: false, in_trash: false };
    access::level(tx, caller, &resource)
}

/// The ids of a page: folders as far as they go, then documents.
fn page(tx: &Tx<'_>, content: &Content<'_>, folders: u64, page: Page) -> Result<Vec<NodeId>> {
    let (offset, limit) = (u64::from(page.offset), u64::from(page.limit));
    let mut ids = match offset < folders {
        true => store::folders(tx, content, offset, limit)?,
        false => Vec::new(),
    };
    let left = limit - ids.len() as u64;
    if left > 0 {
        ids.extend(store::documents(tx, content, offset.saturating_sub(folders), left)?);
    }
    Ok(ids)
}

/// The documents of a user and of his organizations, last changed first.
///
/// # Errors
/// `NotFound` when `user` is not the caller.
pub fn recent(
    tx: &Tx<'_>,
    base_url: &str,
    caller: &User,
    user: &str,
    page: Page,
) -> Result<Listing> {
    let who = Caller::from(caller);
    if owner(tx, &who, user)? != caller.id {
        return Err(Error::NotFound("folder"));
    }
    let (offset, limit) = (page.offset.into(), page.limit.into());
    let (count, ids) = documents::newest(tx, &caller.id, offset, limit)?;
    // Who owns something, or belongs to the organization that does, may do everything with it.
    let nodes: Vec<_> = ids.into_iter().map(|id| (id, Level::Write)).collect();
    Ok(Listing::new(page, count, entries(tx, base_url, &who, &nodes)?))
}

/// What an account has in its trash, last thrown away first: what went along with a folder is
/// there as that folder.
///
/// # Errors
/// `NotFound` when the account is neither the caller's own nor an organization of his.
pub fn trash(
    tx: &Tx<'_>,
    base_url: &str,
    caller: &Caller,
    user: &str,
    page: Page,
) -> Result<Listing> {
    let owner = owner(tx, caller, user)?;
    if level(tx, caller, &owner, None)? != Level::Write {
        return Err(Error::NotFound("folder"));
    }
    let teams = teams::foreign(tx, caller, &owner)?;
    let closed: Vec<NodeId> = teams.into_iter().map(|(team, _)| team.id).collect();
    let count = store::count_trashed(tx, &owner, &closed)?;
    let ids = store::trashed(tx, &owner, &closed, page.offset.into(), page.limit.into())?;
    let nodes: Vec<_> = ids.into_iter().map(|id| (id, Level::Write)).collect();
    let entries = entries(tx, base_url, caller, &nodes)?;
    let listing = Listing::new(page, count, entries);
    Ok(Listing { matching: Some(String::new()), ..listing })
}
