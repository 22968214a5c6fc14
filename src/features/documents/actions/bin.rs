//! The trash: into it, out of it, and gone for good.

use super::Target;
use super::changeable;
use crate::features::access;
use crate::features::access::Caller;
use crate::features::documents::tasks;
use crate::features::tree;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Found;
use chartroom_platform::error::Result;

/// Puts a document into the trash; one that is there stays as it is. Gives its new entity tag.
pub fn delete(tx: &WriteTx<'_>, caller: &Caller, target: &Target) -> Result<String> {
    let head = changeable(tx, caller, target)?;
    tree::trash(tx, &head.id, &caller.author())?;
    tree::tag_of(tx, &head.id)
}

/// Removes a document for good, from wherever it is: only those to whom it belongs may.
pub fn expunge(tx: &WriteTx<'_>, caller: &Caller, target: &Target) -> Result<()> {
    let head = changeable(tx, caller, target)?;
    access::require_own(tx, caller, &head.owner, &head.id)?;
    let gone = tree::expunge(tx, &head.id)?;
    tasks::forget(tx, &gone)
}

/// Takes a document out of the trash, alone when it went there with its folder; one that is not
/// there stays as it is. Gives its new entity tag.
///
/// # Errors
/// `Forbidden` when its folder is gone and the caller may not make it again.
pub fn restore(tx: &WriteTx<'_>, caller: &Caller, target: &Target) -> Result<String> {
    let head = changeable(tx, caller, target)?;
    if head.deleted.is_none() {
        return tree::tag_of(tx, &head.id);
    }
    let node = tree::find(tx, &head.id)?.found("document")?;
    let home = tree::home(tx, &node)?;
    access::check_may_return(tx, caller, &node, &home)?;
    tree::restore(tx, &node, &home, &caller.author())?;
    tree::tag_of(tx, &head.id)
}
