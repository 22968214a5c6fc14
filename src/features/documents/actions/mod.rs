//! What a caller may ask of documents: load, check access, apply the rules, store.

pub mod bin;
pub mod copy;
pub mod create;
pub mod history;
mod layout;
pub mod lend;
mod sample;
pub mod save;

use super::history::Channel;
use super::store;
use super::store::Head;
use crate::features::access;
use crate::features::access::Caller;
use crate::features::access::Level;
use crate::features::access::Resource;
use chartroom_platform::db::Tx;
use chartroom_platform::error::Error;
use chartroom_platform::error::Found;
use chartroom_platform::error::Result;
use chartroom_platform::http::conditional::IfMatch;
use chartroom_platform::id::NodeId;

/// The document that a request is about.
#[derive(Debug, Clone)]
pub struct Target {
    /// `{user_id}` of the path: the owner or the caller, in any spelling.
    pub user: String,
    /// `{doc}` of the path.
    pub id: NodeId,
    /// The header `If-Match`.
    pub if_match: IfMatch,
    /// Which way the request came.
    pub channel: Channel,
}

/// The document, and what the caller may do with it.
///
/// # Errors
/// `NotFound` when it is not there or not for him, `SignIn` in the same cases when nobody is signed
/// in.
pub fn readable(tx: &Tx<'_>, caller: &Caller, target: &Target) -> Result<(Head, Level)> {
    reach(tx, caller, target, Level::Read)
}

fn reach(tx: &Tx<'_>, caller: &Caller, target: &Target, needed: Level) -> Result<(Head, Level)> {
    find(tx, caller, target)
        .and_then(|head| {
            let level = require(tx, caller, &head, needed)?;
            Ok((head, level))
        })
        .map_err(|error| caller.hide(error))
}

/// The document, which the caller may change and based his change on. It may be in the trash.
pub fn changeable(tx: &Tx<'_>, caller: &Caller, target: &Target) -> Result<Head> {
    let (head, _) = reach(tx, caller, target, Level::Write)?;
    check_if_match(tx, caller, target, &head)?;
    Ok(head)
}

/// [`changeable`], and not in the trash.
pub fn writable(tx: &Tx<'_>, caller: &Caller, target: &Target) -> Result<Head> {
    let (head, _) = reach(tx, caller, target, Level::Write)?;
    check_writable(tx, caller, target, &head)?;
    Ok(head)
}

/// Refuses to change a document that is not what the caller based his change on, or in the trash.
fn check_writable(tx: &Tx<'_>, caller: &Caller, target: &Target, head: &Head) -> Result<()> {
    check_if_match(tx, caller, target, head)?;
    head.check_present()
}

/// The document, if the caller reaches it by an account of his own: whatever a link or its being
/// public opens does not count. Only then may he read what it was before.
fn insider(tx: &Tx<'_>, caller: &Caller, target: &Target, needed: Level) -> Result<(Head, Level)> {
    let person = Caller { share: None, ..caller.clone() };
    privately(tx, caller, &person, target, needed)
}

/// [`readable`], but to a guest it must have been shared: that it is public opens nothing to him.
/// What is said about a document is not published with it.
pub fn entrusted(tx: &Tx<'_>, caller: &Caller, target: &Target) -> Result<(Head, Level)> {
    match caller.user {
        Some(_) => readable(tx, caller, target),
        None => privately(tx, caller, caller, target, Level::Read),
    }
}

/// The document, if `person`, as whom the caller is seen, reaches it although it is not public.
fn privately(
    tx: &Tx<'_>,
    caller: &Caller,
    person: &Caller,
    target: &Target,
    needed: Level,
) -> Result<(Head, Level)> {
    find(tx, caller, target)
        .and_then(|head| {
            let level =
                access::require(tx, person, &Resource { is_public: false, ..of(&head) }, needed)?;
            Ok((head, level))
        })
        .map_err(|error| caller.hide(error))
}

/// Checks what somebody may do with a document.
pub fn require(tx: &Tx<'_>, caller: &Caller, head: &Head, needed: Level) -> Result<Level> {
    access::require(tx, caller, &of(head), needed)
}

fn of(head: &Head) -> Resource<'_> {
    Resource {
        node: Some(&head.id),
        owner: &head.owner,
        is_public: head.is_public,
        in_trash: head.deleted.is_some(),
    }
}

/// The document, when `{user_id}` names its owner or the caller.
fn find(tx: &Tx<'_>, caller: &Caller, target: &Target) -> Result<Head> {
    let mut head = store::find(tx, &target.id)?.found("document")?;
    // Shown as it is treated: the owner may have forbidden it after the document was saved.
    head.is_public = head.is_public && access::may_be_public(tx, &head.owner)?;
    let user = target.user.as_str();
    let is_caller = caller.user.as_ref().is_some_and(|it| {
        user == "me"
            || user == it.id.as_str()
            || user == it.username
            || user.eq_ignore_ascii_case(&it.email)
    });
    if user == head.owner.as_str() || is_caller {
        return Ok(head);
    }
    match access::account(tx, caller.user.as_ref(), user) {
        Ok(account) if account == head.owner => Ok(head),
        Ok(_) => Err(Error::NotFound("document")),
        Err(error) => Err(error),
    }
}

/// Checks the header `If-Match` against what is stored.
fn check_if_match(tx: &Tx<'_>, caller: &Caller, target: &Target, head: &Head) -> Result<()> {
    let Head { id, revision, updated, updated_by, .. } = head;
    let state = access::State { id, revision: *revision, updated: *updated, updated_by };
    access::check_unchanged(tx, caller, &target.if_match, &state)
}
