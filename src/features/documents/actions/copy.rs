//! Copies of a document: fork and duplicate.

use super::Target;
use super::readable;
use crate::features::access;
use crate::features::access::Caller;
use crate::features::documents::history::Channel;
use crate::features::documents::history::Version;
use crate::features::documents::history::keep;
use crate::features::documents::records::Records;
use crate::features::documents::store;
use crate::features::documents::store::Head;
use crate::features::documents::tasks;
use crate::features::tree;
use crate::features::tree::Place;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Error;
use chartroom_platform::error::Found;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;
use chartroom_platform::id::NodeId;

/// Copies a document, or an older version of it, into its own folder when the caller may write
/// there, else into his root. A copy is private, whatever the original is.
pub fn fork(
    tx: &WriteTx<'_>,
    caller: &Caller,
    target: &Target,
    version: Option<&Version>,
) -> Result<Head> {
    let (mut original, _) = readable(tx, caller, target)?;
    if let Some(version) = version {
        original = Head { parent: original.parent, ..version.head.clone() };
    }
    // Its folder may be in the trash too, and take the copy along when it goes for good.
    original.check_present()?;
    let stays = access::may_add(tx, caller, &original.owner, original.parent.as_ref())?;
    let Some(user) = caller.id() else { return Err(Error::SignIn("sign-in required")) };
    let place = Place {
        owner: if stays { original.owner.clone() } else { user.clone() },
        parent: original.parent.clone().filter(|_| stays),
        title: original.title.clone(),
    };
    access::check_may_add(tx, &place.owner)?;
    let copy = put(tx, (user, target.channel), &original, version, &place)?;
    tasks::enqueue_thumbnail(tx, &copy)?;
    store::find(tx, &copy)?.found("document")
}

/// Copies a document into a place; who may do so was decided before. The copy is private; its
/// thumbnail is drawn when somebody wants to see it. Gives how many bytes of data it
/// has.
pub fn copy_into(
    tx: &WriteTx<'_>,
    by: (&AccountId, Channel),
    original: &NodeId,
    place: &Place,
) -> Result<u64> {
    let original = store::find(tx, original)?.found("document")?;
    put(tx, by, &original, None, place)?;
    Ok(original.data_bytes.unsigned_abs())
}

fn put(
    tx: &WriteTx<'_>,
    (by, channel): (&AccountId, Channel),
    original: &Head,
    version: Option<&Version>,
    place: &Place,
) -> Result<NodeId> {
    let copy = Head { id: NodeId::new(), is_public: false, history_version: 1, ..original.clone() };
    tree::add_document(tx, &copy.id, by, place)?;
    store::insert(tx, &copy)?;
    match version {
        None => store::copy_chunks(tx, &original.id, &copy.id)?,
        Some(version) => {
            for chunk in &Records::stored(&version.records).chunks {
                store::insert_chunk(tx, &copy.id, chunk)?;
            }
        }
    }
    keep::begin(tx, &copy, by, channel)?;
    Ok(copy.id)
}
