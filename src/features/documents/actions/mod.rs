//! Actions on documents: load, check access, apply the rules, store.

pub mod append;
mod content;
pub mod copy;
pub mod create;
pub mod download_tokens;
mod first_data;
pub mod history;
pub mod images;
mod layout;
pub mod precompression;
pub mod sample;
pub mod save;
pub mod thumbnails;
pub mod trash;
pub mod view;

pub use first_data::ReadChunks;

use super::history::Channel;
use super::store;
use super::store::Document;
use crate::features::access;
use crate::features::access::AccessLevel;
use crate::features::access::Caller;
use crate::features::access::Resource;
use crate::features::tree::EventNode;
use chartroom_platform::db::Tx;
use chartroom_platform::error::Error;
use chartroom_platform::error::OrNotFound;
use chartroom_platform::error::Result;
use chartroom_platform::http::conditional::IfMatch;
use chartroom_platform::id::AccountId;
use chartroom_platform::id::NodeId;

/// Address of a document in a request, with the conditions of the request.
#[derive(Debug, Clone)]
pub struct DocumentTarget {
    /// `{user_id}` of the path: id, user name or email address of the owner or the caller, or `me`.
    pub user: String,
    /// `{doc}` of the path.
    pub id: NodeId,
    /// Precondition from the header `If-Match`.
    pub if_match: IfMatch,
    /// Channel that the request came through.
    pub channel: Channel,
}

/// Returns a document that the caller may read, and the caller's access level. `target.user` names
/// its owner or the caller.
///
/// The document may be in the trash if the caller has write access. Its `is_public` is false if the
/// owner forbids public documents, even if true is stored.
///
/// # Errors
/// `NotFound` if it does not exist, has another owner, or the caller may not read it. In these
/// cases `SignInRequired` for a caller who is not signed in and has no share link.
pub fn find_readable(
    tx: &Tx<'_>,
    caller: &Caller,
    target: &DocumentTarget,
) -> Result<(Document, AccessLevel)> {
    find_with_level(tx, caller, target, AccessLevel::Read)
}

/// Returns the owner of a document, for addresses without an owner. None if it does not exist. Does not
/// check access, so that a response must not depend on the result before [`find_readable`].
pub fn find_owner(tx: &Tx<'_>, id: &NodeId) -> Result<Option<AccountId>> {
    Ok(store::find_document(tx, id)?.map(|document| document.owner))
}

/// Checks that the caller has at least `needed` access to a document. Ignores `If-Match`.
///
/// # Errors
/// The errors of [`find_readable`]. For write access also `Forbidden` if the caller may only read,
/// and `PaymentRequired` while the owning organization is suspended.
pub fn check_access(
    tx: &Tx<'_>,
    caller: &Caller,
    target: &DocumentTarget,
    needed: AccessLevel,
) -> Result<()> {
    find_with_level(tx, caller, target, needed).map(|_| ())
}

/// Returns the document if the caller has at least `needed` access, and the caller's level.
///
/// # Errors
/// The errors of [`find_readable`]. For write access also `Forbidden` if the caller may only read,
/// and `PaymentRequired` while the owning organization is suspended.
fn find_with_level(
    tx: &Tx<'_>,
    caller: &Caller,
    target: &DocumentTarget,
    needed: AccessLevel,
) -> Result<(Document, AccessLevel)> {
    find_by_path(tx, caller, target)
        .and_then(|document| {
            let level = require_level(tx, caller, &document, needed)?;
            Ok((document, level))
        })
        .map_err(|error| caller.require_sign_in_if_anonymous(error))
}

/// Returns a document that the caller may change. It may be in the trash.
///
/// # Errors
/// The errors of [`find_readable`], `Forbidden` if the caller may only read, `PaymentRequired`
/// while the owning organization is suspended, `PreconditionFailed` if `If-Match` does not match.
pub fn find_changeable(tx: &Tx<'_>, caller: &Caller, target: &DocumentTarget) -> Result<Document> {
    let (document, _) = find_with_level(tx, caller, target, AccessLevel::Write)?;
    check_if_match(tx, caller, target, &document)?;
    Ok(document)
}

/// Returns a document that the caller may change and that is not in the trash.
///
/// # Errors
/// The errors of [`find_changeable`], `Conflict` if it is in the trash.
pub fn find_writable(tx: &Tx<'_>, caller: &Caller, target: &DocumentTarget) -> Result<Document> {
    let (document, _) = find_with_level(tx, caller, target, AccessLevel::Write)?;
    check_writable(tx, caller, target, &document)?;
    Ok(document)
}

/// Checks that `If-Match` matches the document and that the document is not in the trash. A request
/// without `If-Match` passes the first check. Does not check access.
///
/// # Errors
/// `PreconditionFailed` for the first check, then `Conflict` for the second.
fn check_writable(
    tx: &Tx<'_>,
    caller: &Caller,
    target: &DocumentTarget,
    document: &Document,
) -> Result<()> {
    check_if_match(tx, caller, target, document)?;
    document.check_not_in_trash()
}

/// Returns a document and the caller's access level, if the caller has `needed` access to its
/// history.
///
/// Only the caller's own account counts. Access through a share link, or because the document is
/// public, does not include the history, which may contain text that was removed on purpose.
///
/// # Errors
/// As `find_with_level`: `NotFound` also if only a link or public access gives access.
fn find_for_history(
    tx: &Tx<'_>,
    caller: &Caller,
    target: &DocumentTarget,
    needed: AccessLevel,
) -> Result<(Document, AccessLevel)> {
    let account_only = Caller { share_token_hash: None, ..caller.clone() };
    find_ignoring_public(tx, caller, &account_only, target, needed)
}

/// Returns a document if the caller may read its comments, and the caller's access level.
///
/// Signed-in callers need read access, which may be public access. Guests need a share link,
/// because publishing a document does not publish its comments.
///
/// # Errors
/// As `find_readable`.
pub fn find_shared(
    tx: &Tx<'_>,
    caller: &Caller,
    target: &DocumentTarget,
) -> Result<(Document, AccessLevel)> {
    match caller.user {
        Some(_) => find_readable(tx, caller, target),
        None => find_ignoring_public(tx, caller, caller, target, AccessLevel::Read),
    }
}

/// Returns the document if `effective_caller` has `needed` access even if the document were
/// private, and their level.
///
/// `caller` is the real caller, who resolves the path and receives the errors.
fn find_ignoring_public(
    tx: &Tx<'_>,
    caller: &Caller,
    effective_caller: &Caller,
    target: &DocumentTarget,
    needed: AccessLevel,
) -> Result<(Document, AccessLevel)> {
    find_by_path(tx, caller, target)
        .and_then(|document| {
            let level = access::require_access(
                tx,
                effective_caller,
                &Resource { is_public: false, ..access_resource(&document) },
                needed,
            )?;
            Ok((document, level))
        })
        .map_err(|error| caller.require_sign_in_if_anonymous(error))
}

/// Returns the caller's access level on a document, which must be at least `needed`.
///
/// # Errors
/// `NotFound` if the caller may not read the document. `Forbidden` if they may read but not change
/// it. `PaymentRequired` for write access while the owning organization is suspended.
pub fn require_level(
    tx: &Tx<'_>,
    caller: &Caller,
    document: &Document,
    needed: AccessLevel,
) -> Result<AccessLevel> {
    access::require_access(tx, caller, &access_resource(document), needed)
}

/// Returns whether the caller's account alone, without a share link, has write access to a
/// document.
fn can_write_without_link(tx: &Tx<'_>, caller: &Caller, document: &Document) -> Result<bool> {
    let account_only = Caller { share_token_hash: None, ..caller.clone() };
    let level = access::access_level(tx, &account_only, &access_resource(document))?;
    Ok(level == AccessLevel::Write)
}

/// Returns a document as the target of an event of the audit log.
fn event_node(document: &Document) -> EventNode<'_> {
    let Document { id, owner, title, .. } = document;
    EventNode { id, is_folder: false, owner, title }
}

/// Returns the facts about a document that decide about access: id, owner, `is_public`, and whether
/// it is in the trash.
fn access_resource(document: &Document) -> Resource<'_> {
    Resource {
        node: Some(&document.id),
        owner: &document.owner,
        is_public: document.is_public,
        in_trash: document.deleted.is_some(),
    }
}

/// Returns the document of the path, if `{user_id}` names its owner or the caller. Does not check
/// access.
///
/// `is_public` is false if the owner forbids public documents, even if true is stored.
///
/// # Errors
/// `NotFound` otherwise, with the same text whether the document or the account is missing.
fn find_by_path(tx: &Tx<'_>, caller: &Caller, target: &DocumentTarget) -> Result<Document> {
    let mut found = store::find_document(tx, &target.id)?;
    let user = target.user.as_str();
    let is_caller = caller.user.as_ref().is_some_and(|caller| {
        user == "me"
            || user == caller.id.as_str()
            || user == caller.username
            || user.eq_ignore_ascii_case(&caller.email)
    });
    let names_owner = found.as_ref().is_some_and(|document| user == document.owner.as_str());
    if !is_caller && !names_owner {
        // The account is also looked up if there is no document, so that neither the response nor
        // its time tells whether the document or the account is missing.
        let account = match access::resolve_owner(tx, caller.user.as_ref(), user) {
            Ok(account) => Some(account),
            Err(Error::NotFound(_)) => None,
            Err(other) => return Err(other),
        };
        found = found.filter(|document| account.as_ref() == Some(&document.owner));
    }
    let mut document = found.or_not_found("document")?;
    // The organization may have forbidden public documents after the document was saved.
    document.is_public = document.is_public && access::allows_public_access(tx, &document.owner)?;
    Ok(document)
}

/// Checks the header `If-Match` against the stored document.
///
/// # Errors
/// `PreconditionFailed` if it does not match.
fn check_if_match(
    tx: &Tx<'_>,
    caller: &Caller,
    target: &DocumentTarget,
    document: &Document,
) -> Result<()> {
    let Document { id, revision, updated, updated_by, .. } = document;
    let state = access::NodeState { id, revision: *revision, updated: *updated, updated_by };
    access::check_if_match(tx, caller, &target.if_match, &state)
}
