//! Moves documents into the trash and out of it, and deletes them permanently.

use std::slice;

use super::DocumentTarget;
use super::find_changeable;
use crate::features::access;
use crate::features::access::Caller;
use crate::features::documents::thumbnail_queue;
use crate::features::sync_jobs;
use crate::features::tree;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::OrNotFound;
use chartroom_platform::error::Result;

/// Moves a document into the trash. Does nothing if it is there already. Returns its entity tag
/// after the move, without quotes.
///
/// # Errors
/// The errors of [`find_changeable`].
pub fn trash_document(
    tx: &WriteTx<'_>,
    caller: &Caller,
    target: &DocumentTarget,
) -> Result<String> {
    let document = find_changeable(tx, caller, target)?;
    tree::move_to_trash(tx, &document.id, &caller.author())?;
    tree::current_entity_tag(tx, &document.id)
}

/// Deletes a document permanently, in the trash or not, and enqueues the removal of its thumbnails.
///
/// # Errors
/// The errors of [`find_changeable`], `Forbidden` if the caller does not own the document.
pub fn expunge_document(tx: &WriteTx<'_>, caller: &Caller, target: &DocumentTarget) -> Result<()> {
    let document = find_changeable(tx, caller, target)?;
    access::require_ownership(tx, caller, &document.owner, &document.id)?;
    // A document alone is never staged.
    let expunged = tree::expunge(tx, &document.id)?;
    thumbnail_queue::enqueue_thumbnail_removal(tx, &expunged.documents)
}

/// Restores a document from the trash. Does nothing if it is not there. Returns its entity tag
/// after the restoration, without quotes. Its source is due at once if the trash has stopped it.
///
/// If its folder no longer exists or is in the trash, the folder at the former path is used, and
/// created if necessary. Other items in a trashed folder stay in the trash.
///
/// # Errors
/// The errors of [`find_changeable`]. `Forbidden` or `PaymentRequired` if the folder is not the
/// former one and the caller may not add documents there. `QuotaExceeded` if the owner may not
/// store a missing folder.
pub fn restore_document(
    tx: &WriteTx<'_>,
    caller: &Caller,
    target: &DocumentTarget,
) -> Result<String> {
    let document = find_changeable(tx, caller, target)?;
    if document.deleted.is_none() {
        return tree::current_entity_tag(tx, &document.id);
    }
    let node = tree::find_node(tx, &document.id)?.or_not_found("document")?;
    let restore_target = tree::find_restore_target(tx, &node)?;
    access::check_can_restore(tx, caller, &node, &restore_target)?;
    tree::restore(tx, &node, &restore_target, &caller.author())?;
    sync_jobs::resume_stopped_jobs(tx, slice::from_ref(&document.id))?;
    tree::current_entity_tag(tx, &document.id)
}
