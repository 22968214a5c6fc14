//! What the built-in pages show of documents.

use super::actions;
use super::actions::Target;
use super::history::Channel;
use super::picture;
use super::picture::Options;
use super::store;
use super::store::Head;
use crate::features::access;
use crate::features::access::Caller;
use crate::features::orgs;
use crate::features::portfolio;
use crate::features::tree;
use crate::platform::db::Tx;
use crate::platform::error::Result;
use crate::platform::http::conditional::IfMatch;
use crate::platform::id::AccountId;
use crate::platform::id::NodeId;
use crate::platform::time::Timestamp;

/// A document as a page shows it.
pub struct Shown {
    /// The document.
    pub id: NodeId,
    /// Whose it is.
    pub owner: AccountId,
    /// The owner's name.
    pub owner_name: String,
    /// The title; it may be empty.
    pub title: String,
    /// The title of its kind.
    pub kind: &'static str,
    /// Absolute path of its folder.
    pub folder: String,
    /// When it was last changed.
    pub updated: Timestamp,
    /// Counts its changes.
    pub revision: i64,
    /// Its size in points.
    pub size: (f64, f64),
}

/// The documents of a user and of his organizations that changed last, and how many there are. What
/// a team closes to him is neither shown nor counted.
pub fn newest(
    tx: &Tx<'_>,
    user: &AccountId,
    offset: u64,
    limit: u64,
) -> Result<(u64, Vec<NodeId>)> {
    let mut owners = vec![user.clone()];
    let mut closed = Vec::new();
    for membership in orgs::memberships(tx, user)? {
        closed.extend(access::closed_folders(tx, user, &membership)?);
        owners.push(membership.org.id);
    }
    let count = store::count_owned(tx, &owners, &closed)?;
    Ok((count, store::newest_owned(tx, &owners, &closed, offset, limit)?))
}

/// One document, if the caller may read it.
///
/// # Errors
/// `NotFound` when it is not there or not for him, `SignIn` then when nobody is signed in.
pub fn show(tx: &Tx<'_>, caller: &Caller, owner: &str, id: &NodeId) -> Result<Shown> {
    let target = Target {
        user: owner.to_owned(),
        id: id.clone(),
        if_match: IfMatch::default(),
        channel: Channel::Web,
    };
    let (head, _) = actions::readable(tx, caller, &target)?;
    shown(tx, head)
}

fn shown(tx: &Tx<'_>, head: Head) -> Result<Shown> {
    Ok(Shown {
        folder: tree::folder_path(tx, head.parent.as_ref())?.to_string(),
        size: picture::size(&head, &Options::default())?,
        kind: portfolio::find(&head.kind).map_or("Chart", |it| it.title.as_str()),
        id: head.id,
        owner: head.owner,
        owner_name: head.owner_name,
        title: head.title,
        updated: head.updated,
        revision: head.revision,
    })
}
