//! Lists folders, the trash and recent documents, limited to nodes that the caller may read.

use super::Listing;
use super::load_entries;
use super::store;
use super::store::FolderFilter;
use super::team_folders;
use crate::features::access;
use crate::features::access::AccessLevel;
use crate::features::access::Caller;
use crate::features::access::Resource;
use crate::features::accounts::User;
use crate::features::documents;
use crate::features::documents::DocumentOrder;
use crate::features::tree;
use crate::features::tree::FolderPath;
use chartroom_platform::db::Tx;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::http::Page;
use chartroom_platform::id::AccountId;
use chartroom_platform::id::NodeId;
use chartroom_platform::text;

/// A request for one page of a folder's content.
pub struct ListRequest {
    /// Owner from `{user_id}`: an account id, `me`, or another spelling that `access` accepts.
    pub user: String,
    /// Path of the folder.
    pub path: FolderPath,
    /// Text that titles must contain, ignoring case and accents. Empty matches all.
    pub matching: String,
    /// Order and filter of the documents. With a filter, no folders are listed.
    pub order: DocumentOrder,
    pub page: Page,
}

/// Lists a page of the content of a folder: folders by title, then documents in the order of the request.
/// Leaves out titles that do not contain `matching`, and team folders that the caller may
/// not read.
///
/// # Errors
/// `NotFound` if the folder does not exist, is in the trash, or the caller may not read it. Without
/// credentials, `SignInRequired` in the same cases.
pub fn list_folder(
    tx: &Tx<'_>,
    base_url: &str,
    caller: &Caller,
    request: &ListRequest,
) -> Result<Listing> {
    let found = find_folder(tx, caller, request)
        .map_err(|error| caller.require_sign_in_if_anonymous(error))?;
    let folder = found.folder.as_ref();
    let teams = team_folders::list_for_non_member(tx, caller, &found.owner)?;
    let teams_here = || teams.iter().filter(|(team, _)| team.parent.as_ref() == folder);
    let closed = teams_here().filter(|(_, level)| *level == AccessLevel::None);
    let filter = FolderFilter {
        owner: &found.owner,
        folder,
        needle: text::fold(&request.matching),
        hidden: closed.map(|(team, _)| team.id.clone()).collect(),
        order: request.order.clone(),
    };
    let (folders, documents) = store::count_children(tx, &filter)?;
    let mut nodes = Vec::new();
    for id in list_page_ids(tx, &filter, folders, request.page)? {
        let team = teams_here().find(|(team, _)| team.id == id).map(|(_, level)| *level);
        let level = match team {
            Some(level) => level,
            // An access entry on the folder or on the node may grant write access.
            None if found.level == AccessLevel::Read => {
                access_level(tx, caller, &found.owner, Some(&id))?
            }
            None => found.level,
        };
        nodes.push((id, level));
    }
    let entries = load_entries(tx, base_url, caller, &nodes)?;
    let listing = Listing::new(request.page, folders + documents, entries);
    Ok(Listing { matching: Some(request.matching.clone()), ..listing })
}

/// A folder and the caller's access to it.
struct ListedFolder {
    owner: AccountId,
    /// Id of the folder; None for the root.
    folder: Option<NodeId>,
    level: AccessLevel,
}

/// Finds the requested folder and the caller's access to it.
///
/// # Errors
/// `NotFound` if the folder does not exist, is in the trash, or the caller may not read it.
fn find_folder(tx: &Tx<'_>, caller: &Caller, request: &ListRequest) -> Result<ListedFolder> {
    let absent = || Error::NotFound("folder");
    let owner = resolve_owner(tx, caller, &request.user)?;
    let (folder, exists) = tree::find_deepest_folder(tx, &owner, &request.path)?;
    let level = match exists {
        true => access_level(tx, caller, &owner, folder.as_ref())?,
        false => AccessLevel::None,
    };
    match level {
        AccessLevel::None => Err(absent()),
        _ => Ok(ListedFolder { owner, folder, level }),
    }
}

/// Returns the account that `{user_id}` names.
///
/// # Errors
/// `NotFound` with the text for a missing folder, so that the response does not tell a missing
/// account from hidden content.
fn resolve_owner(tx: &Tx<'_>, caller: &Caller, text: &str) -> Result<AccountId> {
    access::resolve_owner(tx, caller.user.as_ref(), text).map_err(|error| match error {
        Error::NotFound(_) => Error::NotFound("folder"),
        other => other,
    })
}

/// Returns the caller's access to a node of `owner`. `node` is None for the root.
fn access_level(
    tx: &Tx<'_>,
    caller: &Caller,
    owner: &AccountId,
    node: Option<&NodeId>,
) -> Result<AccessLevel> {
    let resource = Resource { node, owner, is_public: false, in_trash: false };
    access::access_level(tx, caller, &resource)
}

/// Returns the node ids of a page: folders first, then documents. `folders` is the number of
/// folders that match the filter. Offset and limit of the page count both together.
fn list_page_ids(
    tx: &Tx<'_>,
    filter: &FolderFilter<'_>,
    folders: u64,
    page: Page,
) -> Result<Vec<NodeId>> {
    let (offset, limit) = (u64::from(page.offset), u64::from(page.limit));
    let mut ids = match offset < folders {
        true => store::list_folders(tx, filter, offset, limit)?,
        false => Vec::new(),
    };
    let remaining = limit - ids.len() as u64;
    if remaining > 0 {
        ids.extend(store::list_documents(tx, filter, offset.saturating_sub(folders), remaining)?);
    }
    Ok(ids)
}

/// A request for one page of the documents of a user and of their organizations.
pub struct RecentRequest {
    /// The user from `{user_id}`, who must be the caller.
    pub user: String,
    /// Account id of the user or of one of their organizations. None lists the documents of all.
    pub owner: Option<String>,
    pub order: DocumentOrder,
    pub page: Page,
}

/// Lists a page of the documents of a user and of their organizations, in the order of the request.
///
/// Excludes the trash and, unless the user is an admin of the organization, the folders of teams
/// without the user.
///
/// # Errors
/// `NotFound` if `user` is not the caller. `InvalidFields` about `owner` if it is neither the user nor one
/// of their organizations.
pub fn list_recent(
    tx: &Tx<'_>,
    base_url: &str,
    caller: &User,
    request: &RecentRequest,
) -> Result<Listing> {
    let caller_access = Caller::from(caller);
    if resolve_owner(tx, &caller_access, &request.user)? != caller.id {
        return Err(Error::NotFound("folder"));
    }
    let page = request.page;
    let owner = request.owner.as_deref();
    let range = (page.offset.into(), page.limit.into());
    let (count, ids) = documents::list_owned(tx, &caller.id, owner, &request.order, range)?;
    // Owners and members of the owning organization always have write access.
    let nodes: Vec<_> = ids.into_iter().map(|id| (id, AccessLevel::Write)).collect();
    Ok(Listing::new(page, count, load_entries(tx, base_url, &caller_access, &nodes)?))
}

/// Lists a page of the trash of an account, last trashed first. Nodes that were trashed with their
/// folder are represented by that folder.
///
/// For a member of an organization who is not an admin, leaves out nodes in the folders of teams
/// without the member.
///
/// # Errors
/// `NotFound` unless the account is the caller's own or one of their organizations.
pub fn list_trash(
    tx: &Tx<'_>,
    base_url: &str,
    caller: &Caller,
    user: &str,
    page: Page,
) -> Result<Listing> {
    let (owner, closed) = open_trash(tx, caller, user)?;
    let count = store::count_trashed(tx, &owner, &closed)?;
    let ids = store::list_trashed(tx, &owner, &closed, page.offset.into(), page.limit.into())?;
    let nodes: Vec<_> = ids.into_iter().map(|id| (id, AccessLevel::Write)).collect();
    let entries = load_entries(tx, base_url, caller, &nodes)?;
    let listing = Listing::new(page, count, entries);
    Ok(Listing { matching: Some(String::new()), ..listing })
}

/// Returns the number of nodes that [`list_trash`] lists for an account, on all pages.
///
/// # Errors
/// `NotFound` unless the account is the caller's own or one of their organizations.
pub fn count_trash(tx: &Tx<'_>, caller: &Caller, user: &str) -> Result<u64> {
    let (owner, closed) = open_trash(tx, caller, user)?;
    store::count_trashed(tx, &owner, &closed)
}

/// Returns the account that `user` names, and the folders that the caller may not read, because they
/// belong to teams without the caller.
///
/// # Errors
/// `NotFound` unless the caller may restore nodes of the account.
fn open_trash(tx: &Tx<'_>, caller: &Caller, user: &str) -> Result<(AccountId, Vec<NodeId>)> {
    let owner = resolve_owner(tx, caller, user)?;
    if access_level(tx, caller, &owner, None)? != AccessLevel::Write {
        return Err(Error::NotFound("folder"));
    }
    let teams = team_folders::list_for_non_member(tx, caller, &owner)?;
    Ok((owner, teams.into_iter().map(|(team, _)| team.id).collect()))
}
