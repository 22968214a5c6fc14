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
use super::mail;
use super::store;
use crate::features::access;
use crate::features::access::Entry;
use crate::features::access::EntryKind;
use crate::features::accounts;
use crate::features::accounts::SignedIn;
use crate::features::accounts::User;
use crate::features::documents;
use crate::features::tree;
use crate::features::tree::FolderPath;
use crate::features::tree::Node;
use crate::platform::App;
use crate::platform::crypto;
use crate::platform::db::Tx;
use crate::platform::db::WriteTx;
use crate::platform::error::Error;
use crate::platform::error::Found;
use crate::platform::error::Result;
use crate::platform::http::Call;
use crate::platform::id::AccountId;

/// How long an invitation's link may sign its receiver in.
const SIGNS_IN_FOR: Duration = Duration::from_secs(7 * 86_400);

/// What a link leads to.
pub enum Opening {
    /// A chart that the link opens.
    Document(Node),
    /// A folder that the link opens.
    Folder(Node),
    /// An invitation that somebody must sign in for.
    Invitation(Invitation),
    /// An invitation of the caller's: the address of what it is for.
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

/// What a token leads to, for a caller. Nothing is changed.
///
/// # Errors
/// `NotFound` alike for a token that never was, was revoked or has expired, and for what lies in the
/// trash or is of somebody who is disabled.
pub fn open(tx: &Tx<'_>, app: &App, user: Option<&User>, token: &str) -> Result<Opening> {
    let (entry, node) = find(tx, token)?;
    if entry.kind == EntryKind::Link {
        return Ok(if node.is_folder { Opening::Folder(node) } else { Opening::Document(node) });
    }
    let mut invitation = Invitation {
        inviter: mail::inviter(tx, &entry)?,
        title: node.title.clone(),
        is_folder: node.is_folder,
        signs_in: None,
        is_for_another: false,
    };
    match (user, &entry.user) {
        (Some(user), Some(its)) if user.id == *its => {
            return Ok(Opening::Go(address(tx, &app.config.base_url, &node)?));
        }
        (Some(_), Some(_)) => invitation.is_for_another = true,
        (Some(_), None) => {}
        (None, _) => invitation.signs_in = may_sign_in(tx, app, &entry)?.map(|it| it.name),
    }
    Ok(Opening::Invitation(invitation))
}

/// Makes an invitation the user's own, and gives the address of what it is for. Of two entries for
/// him the stronger one stays.
///
/// # Errors
/// `NotFound` as [`open`], and when it is for somebody else.
pub fn accept(tx: &WriteTx<'_>, base_url: &str, user: &AccountId, token: &str) -> Result<String> {
    let (mut entry, node) = find(tx, token)?;
    let present = access::direct(tx, &node.id)?;
    let present = present.into_iter().find(|it| it.user.as_ref() == Some(user));
    match (entry.kind, present) {
        (EntryKind::User, _) if entry.user.as_ref() == Some(user) => {}
        (EntryKind::Email, _) if node.owner == *user => {}
        (EntryKind::Email, Some(mut present)) => {
            access::delete(tx, &entry.id)?;
            if present.has_expired(tx.now) || present.mode < entry.mode {
                (present.mode, present.expires) = (entry.mode, entry.expires);
            }
            // The link still leads him here.
            present.token_hash = entry.token_hash;
            access::update(tx, &present)?;
        }
        (EntryKind::Email, None) => {
            (entry.kind, entry.user, entry.email) = (EntryKind::User, Some(user.clone()), None);
            entry.last_used = Some(tx.now);
            access::update(tx, &entry)?;
        }
        _ => return Err(Error::NotFound("page")),
    }
    address(tx, base_url, &node)
}

/// Signs in by the link of an invitation, once, and accepts it: the session and where to go on.
///
/// # Errors
/// `NotFound` when the link does not sign in; `Forbidden` from another site's page.
pub fn sign_in(call: &Call, token: &str) -> Result<(SignedIn, String)> {
    accounts::refuse_other_sites(call)?;
    let (app, token) = (call.app.clone(), token.to_owned());
    let (user, to) = call.app.db.write(move |tx| {
        let (mut entry, _) = find(tx, &token)?;
        let user = may_sign_in(tx, &app, &entry)?.found("page")?;
        entry.last_used = Some(tx.now);
        access::update(tx, &entry)?;
        let to = accept(tx, &app.config.base_url, &user.id, &token)?;
        Ok((user, to))
    })?;
    Ok((accounts::begin_session(call, user)?, to))
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
    const ABSENT: &str = "page";
    let token = crypto::sha256(token.as_bytes());
    let entry = access::by_token(tx, &token)?.found(ABSENT)?;
    let node = tree::find(tx, &entry.node)?.found(ABSENT)?;
    let is_over = entry.has_expired(tx.now) || node.deleted.is_some();
    if is_over || store::is_disabled(tx, &node.owner)? {
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
