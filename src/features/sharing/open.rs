//! What a link leads to: a chart, a folder, or an invitation.
//!
//! A link made for sharing opens what it was made for, for whoever has it. The link of an invitation
//! opens nothing by itself: it makes the entry one of the signed-in user who opens it first, which
//! need not be the one with the invited address, since people have several.
//!
//! Such a link may also sign its receiver in, when the invited address is that of an account. It
//! then stands for a password, so all of this must hold: its token went to that address and to
//! nobody else (where no mail server is set, the sharer gets the link, so it signs nobody in); it
//! was sent within the last seven days; it has signed nobody in before; its owner pressed a button,
//! since programs that look through mail open every link; the account is not disabled, does not
//! run the server, and no organization of its wants its own way of signing in. Otherwise the link
//! leads to the sign-in page and from there on.

use std::time::Duration;

use super::actions;
use super::store;
use crate::app::App;
use crate::app::RequestContext;
use crate::features::access;
use crate::features::access::Caller;
use crate::features::access::Entry;
use crate::features::access::EntryKind;
use crate::features::access::Level;
use crate::features::access::Resource;
use crate::features::accounts;
use crate::features::accounts::SignedIn;
use crate::features::accounts::User;
use crate::features::documents;
use crate::features::tree;
use crate::features::tree::FolderPath;
use crate::features::tree::Node;
use chartroom_platform::crypto;
use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Error;
use chartroom_platform::error::Found;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;
use chartroom_platform::id::NodeId;
use chartroom_platform::tasks::Task;
use chartroom_platform::time::Timestamp;

/// How long an invitation's link may sign its receiver in.
const SIGNS_IN_FOR: Duration = Duration::from_secs(7 * 86_400);

/// What is not there, in the words of the error.
const ABSENT: &str = "page";

/// What a link leads to.
pub enum Opening {
    /// What it was made for, or something below that, to be shown to this caller.
    Shown(Caller, Box<Node>),
    /// An invitation that nobody took yet, or that is for somebody else.
    Invitation(Invitation),
    /// An invitation to a chart that is the caller's already: the address of the chart.
    Go(String),
}

/// An invitation as its page shows it.
pub struct Invitation {
    /// Name of who shared it.
    pub inviter: String,
    /// Of what is shared.
    pub title: String,
    pub is_folder: bool,
    /// Name of the account that the link may sign in.
    pub signs_in: Option<String>,
    /// Somebody else is signed in than whom it is for.
    pub is_for_another: bool,
}

/// What a token leads to, for a user or nobody: what it was made for, or the `item` below that.
/// Nothing is changed.
///
/// # Errors
/// `NotFound` alike for a token that never was, was revoked or has expired, and for what lies in the
/// trash or is of somebody who is disabled.
pub fn open(
    tx: &Tx<'_>,
    app: &App,
    user: Option<&User>,
    token: &str,
    item: Option<&NodeId>,
) -> Result<Opening> {
    let (entry, node) = find(tx, token)?;
    if entry.kind == EntryKind::Link {
        // The page shows what the link opens, whoever looks at it.
        let guest = Caller { user: None, share: entry.token_hash };
        let node = below(tx, &guest, node, item)?;
        return Ok(Opening::Shown(guest, Box::new(node)));
    }
    let mut invitation = Invitation {
        inviter: accounts::name_of(tx, &entry.created_by)?,
        title: node.title.clone(),
        is_folder: node.is_folder,
        signs_in: None,
        is_for_another: false,
    };
    match (user, &entry.user) {
        (Some(user), Some(its)) if user.id == *its && node.is_folder => {
            let caller = Caller::from(user);
            let node = below(tx, &caller, node, item)?;
            return Ok(Opening::Shown(caller, Box::new(node)));
        }
        (Some(user), Some(its)) if user.id == *its => {
            return Ok(Opening::Go(documents::view("", &node.owner, &node.id)));
        }
        (Some(_), Some(_)) => invitation.is_for_another = true,
        (Some(_), None) => {}
        (None, _) => invitation.signs_in = may_sign_in(tx, app, &entry)?.map(|it| it.name),
    }
    Ok(Opening::Invitation(invitation))
}

/// A node itself, or the item that a caller may read of what is below it.
fn below(tx: &Tx<'_>, caller: &Caller, node: Node, item: Option<&NodeId>) -> Result<Node> {
    let Some(item) = item else { return Ok(node) };
    let found = tree::find(tx, item)?.filter(|it| it.deleted.is_none()).found(ABSENT)?;
    let resource =
        Resource { node: Some(item), owner: &found.owner, is_public: false, in_trash: false };
    match access::level(tx, caller, &resource)? {
        Level::None => Err(Error::NotFound(ABSENT)),
        _ => Ok(found),
    }
}

/// Makes an invitation the user's own, and gives the path of the page to go on to. Of two entries
/// for him the stronger one stays.
///
/// # Errors
/// `NotFound` as [`open`], and when it is for somebody else.
pub fn accept(tx: &WriteTx<'_>, user: &AccountId, token: &str) -> Result<String> {
    let (entry, node) = find(tx, token)?;
    let is_his = entry.kind == EntryKind::User && entry.user.as_ref() == Some(user);
    match entry.kind {
        _ if is_his => {}
        EntryKind::Email => give(tx, entry, &node, user, Some(tx.now))?,
        _ => return Err(Error::NotFound(ABSENT)),
    }
    Ok(match node.is_folder {
        true => format!("/s/{token}"),
        false => documents::view("", &node.owner, &node.id),
    })
}

/// Makes an invitation an entry for a user, with this last use.
fn give(
    tx: &WriteTx<'_>,
    mut entry: Entry,
    node: &Node,
    user: &AccountId,
    used: Option<Timestamp>,
) -> Result<()> {
    let present = access::direct(tx, &node.id)?;
    match present.into_iter().find(|it| it.user.as_ref() == Some(user)) {
        // The owner needs no entry; the invitation stays for somebody else.
        None if node.owner == *user => Ok(()),
        None => {
            (entry.kind, entry.user, entry.email) = (EntryKind::User, Some(user.clone()), None);
            entry.last_used = used.or(entry.last_used);
            access::update(tx, &entry)
        }
        Some(mut present) => {
            access::delete(tx, &entry.id)?;
            if present.has_expired(tx.now) || present.mode < entry.mode {
                (present.mode, present.expires) = (entry.mode, entry.expires);
            }
            // The link still leads him here.
            present.token_hash = entry.token_hash;
            access::update(tx, &present)
        }
    }
}

/// Task: gives a user who is new here, or has a new address, what was shared with that address.
///
/// # Errors
/// When it cannot be stored; trying again does no harm.
pub fn claim(app: &App, task: &Task) -> Result<()> {
    let id = AccountId::from_text(&task.subject);
    app.db.write(move |tx| {
        let user = match accounts::profile(tx, &id) {
            Err(Error::NotFound(_)) => return Ok(()),
            other => other?,
        };
        for entry in access::by_address(tx, &accounts::email_key(&user.email))? {
            if let Some(node) = tree::find(tx, &entry.node)? {
                give(tx, entry, &node, &id, None)?;
            }
        }
        Ok(())
    })
}

/// Signs in by the link of an invitation, once, and accepts it: the session and where to go on.
///
/// # Errors
/// `NotFound` when the link does not sign in; `Forbidden` from another site's page.
pub fn sign_in(request: &RequestContext, token: &str) -> Result<(SignedIn, String)> {
    accounts::refuse_other_sites(request)?;
    let (app, token) = (request.app.clone(), token.to_owned());
    let (user, to) = request.app.db.write(move |tx| {
        let (mut entry, _) = find(tx, &token)?;
        let user = may_sign_in(tx, &app, &entry)?.found(ABSENT)?;
        entry.last_used = Some(tx.now);
        access::update(tx, &entry)?;
        let to = accept(tx, &user.id, &token)?;
        Ok((user, to))
    })?;
    Ok((accounts::begin_session(request, user)?, to))
}

/// Whom the link of an invitation signs in: see the head of this file.
fn may_sign_in(tx: &Tx<'_>, app: &App, entry: &Entry) -> Result<Option<User>> {
    let mailed = crypto::sha256(actions::links(app).mail_token(entry).as_bytes());
    let is_fresh = entry.created.after(SIGNS_IN_FOR) > tx.now && entry.last_used.is_none();
    if entry.token_hash != Some(mailed) || !is_fresh {
        return Ok(None);
    }
    let text = entry.user.as_ref().map(AccountId::as_str).or(entry.email.as_deref());
    let user = match accounts::find(tx, text.unwrap_or_default()) {
        Ok(user) => user,
        Err(Error::NotFound(_)) => return Ok(None),
        Err(other) => return Err(other),
    };
    if user.disabled || user.operator || store::must_use_sso(tx, &user.id)? {
        return Ok(None);
    }
    Ok(Some(user.user()))
}

/// The entry of a token and what it is on.
fn find(tx: &Tx<'_>, token: &str) -> Result<(Entry, Node)> {
    let token = crypto::sha256(token.as_bytes());
    let entry = access::by_token(tx, &token)?.found(ABSENT)?;
    let node = tree::find(tx, &entry.node)?.found(ABSENT)?;
    let is_over = entry.has_expired(tx.now) || node.deleted.is_some();
    let is_closed = entry.kind == EntryKind::Link && !access::may_be_public(tx, &node.owner)?;
    if is_over || is_closed || store::is_disabled(tx, &node.owner)? {
        return Err(Error::NotFound(ABSENT));
    }
    Ok((entry, node))
}

/// The page of a node.
pub fn address(tx: &Tx<'_>, base_url: &str, node: &Node) -> Result<String> {
    match node.is_folder {
        true => {
            let path: FolderPath = tree::folder_path(tx, Some(&node.id))?;
            Ok(tree::folder_view(base_url, &node.owner, &path))
        }
        false => Ok(documents::view(base_url, &node.owner, &node.id)),
    }
}
