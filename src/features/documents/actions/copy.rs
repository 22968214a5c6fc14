//! Copies of a document: fork and duplicate.

use super::Target;
use super::readable;
use crate::features::access;
use crate::features::accounts::User;
use crate::features::documents::store;
use crate::features::documents::store::Head;
use crate::features::documents::tasks;
use crate::features::tree;
use crate::features::tree::Place;
use crate::platform::db::WriteTx;
use crate::platform::error::Error;
use crate::platform::error::Found;
use crate::platform::error::Result;
use crate::platform::id::NodeId;

/// Copies a document into its own folder when the caller may write there, else into his root. A
/// copy is private, whatever the original is.
pub fn fork(
    tx: &WriteTx<'_>,
    caller: &User,
    target: &Target,
    history_version: Option<i64>,
) -> Result<Head> {
    let (original, _) = readable(tx, Some(caller), target)?;
    if history_version.is_some_and(|it| it != original.history_version) {
        return Err(Error::field("history_version", "there is no such version"));
    }
    let stays = access::may_add(tx, &caller.id, &original.owner)?;
    let place = Place {
        owner: if stays { original.owner.clone() } else { caller.id.clone() },
        parent: original.parent.clone().filter(|_| stays),
        title: original.title.clone(),
    };
    let copy = Head { id: NodeId::new(), is_public: false, history_version: 1, ..original.clone() };
    tree::add_document(tx, &copy.id, &caller.id, &place)?;
    store::insert(tx, &copy)?;
    store::copy_chunks(tx, &original.id, &copy.id)?;
    tasks::enqueue_thumbnail(tx, &copy.id)?;
    store::find(tx, &copy.id)?.found("document")
}
