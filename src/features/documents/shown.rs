//! What the built-in pages show of documents.

use super::actions;
use super::actions::Target;
use super::history::Channel;
use super::picture;
use super::picture::Inline;
use super::picture::Options;
use super::picture::Source;
use super::store;
use super::store::Head;
use crate::features::access;
use crate::features::access::Caller;
use crate::features::access::Level;
use crate::features::access::Resource;
use crate::features::orgs;
use crate::features::portfolio;
use crate::features::tree;
use chartroom_platform::db::Tx;
use chartroom_platform::error::Result;
use chartroom_platform::http::conditional::IfMatch;
use chartroom_platform::id::AccountId;
use chartroom_platform::id::NodeId;
use chartroom_platform::time::Timestamp;

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
    /// Whether everybody may read it.
    pub is_public: bool,
}

/// A document as a page of its own shows it.
pub struct Whole {
    /// What is said of it.
    pub shown: Shown,
    /// Whether the caller may change it.
    pub may_change: bool,
    /// Whether it lies in the trash.
    pub in_trash: bool,
    /// Whether he may look into the folder that it is in.
    pub sees_folder: bool,
    source: Source,
}

impl Whole {
    /// Its picture and its data. Nothing of this should happen while a transaction is open.
    pub fn draw(&self) -> Result<Inline> {
        picture::inline(&self.source)
    }
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
    let (head, _) = read(tx, caller, owner, id)?;
    shown(tx, head)
}

/// One document with what is drawn of it, if the caller may read it.
///
/// # Errors
/// As [`show`].
pub fn show_whole(tx: &Tx<'_>, caller: &Caller, owner: &str, id: &NodeId) -> Result<Whole> {
    let (head, level) = read(tx, caller, owner, id)?;
    let folder = Resource {
        node: head.parent.as_ref(),
        owner: &head.owner,
        is_public: false,
        in_trash: false,
    };
    Ok(Whole {
        may_change: level == Level::Write,
        in_trash: head.deleted.is_some(),
        sees_folder: access::level(tx, caller, &folder)? != Level::None,
        source: picture::load(tx, head.clone())?,
        shown: shown(tx, head)?,
    })
}

fn read(tx: &Tx<'_>, caller: &Caller, owner: &str, id: &NodeId) -> Result<(Head, Level)> {
    let target = Target {
        user: owner.to_owned(),
        id: id.clone(),
        if_match: IfMatch::default(),
        channel: Channel::Web,
    };
    actions::readable(tx, caller, &target)
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
        is_public: head.is_public,
    })
}
