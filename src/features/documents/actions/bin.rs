//! The trash: into it, out of it, and gone for good.

use super::Target;
use super::changeable;
use crate::features::access::Caller;
use crate::features::documents::tasks;
use crate::features::tree;
use crate::platform::db::WriteTx;
use crate::platform::error::Result;

/// Puts a document into the trash; one that is there stays as it is. `expunge` removes it for good,
/// from wherever it is.
pub fn delete(tx: &WriteTx<'_>, caller: &Caller, target: &Target, expunge: bool) -> Result<()> {
    let head = changeable(tx, caller, target)?;
    if !expunge {
        return tree::trash(tx, &head.id, &caller.author());
    }
    tree::expunge(tx, &head.id)?;
    // With the document gone, the task removes its thumbnail.
    tasks::enqueue_thumbnail(tx, &head.id)
}

/// Takes a document out of the trash; one that is not there stays as it is.
pub fn restore(tx: &WriteTx<'_>, caller: &Caller, target: &Target) -> Result<()> {
    let head = changeable(tx, caller, target)?;
    tree::restore(tx, &head.id, &caller.author())
}
