//! Copies of a document: fork and duplicate.

use serde_json::json;

use super::DocumentTarget;
use super::event_node;
use super::find_readable;
use crate::features::access;
use crate::features::access::Caller;
use crate::features::documents::history::Channel;
use crate::features::documents::history::Version;
use crate::features::documents::history::writer;
use crate::features::documents::records::Records;
use crate::features::documents::store;
use crate::features::documents::store::Document;
use crate::features::documents::thumbnail_queue;
use crate::features::tree;
use crate::features::tree::NodeAction;
use crate::features::tree::NodePlacement;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Error;
use chartroom_platform::error::OrNotFound;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;
use chartroom_platform::id::ContentId;
use chartroom_platform::id::NodeId;

/// Copies a document, or an older version of it, enqueues the thumbnail of the copy, and returns
/// the copy. Does not copy comments, access entries and share links.
///
/// The copy is in the folder of the original if the caller may write there, else in the caller's
/// root folder. It is private even if the original is public, and has no older versions. `action`
/// is `fork` or `duplicate`, and is recorded with the copy.
///
/// `version` is a version of this document. The caller of this function must have checked access to
/// the history.
///
/// # Errors
/// The errors of [`find_readable`]. `Conflict` if the document is in the trash. `SignInRequired`
/// for a guest. `Forbidden` or `PaymentRequired` if the account may not store new documents,
/// `QuotaExceeded` if it may not store so much.
pub fn fork_document(
    tx: &WriteTx<'_>,
    caller: &Caller,
    target: &DocumentTarget,
    version: Option<&Version>,
    action: &str,
) -> Result<Document> {
    let (original, _) = find_readable(tx, caller, target)?;
    let original = with_content_of(original, version);
    // The folder of the original may be in the trash too. Deleting it would also delete the copy.
    original.check_not_in_trash()?;
    let is_sibling = access::can_add(tx, caller, &original.owner, original.parent.as_ref())?;
    let Some(user) = caller.account_id() else {
        return Err(Error::SignInRequired("sign-in required"));
    };
    let author = CopyAuthor { account: user, channel: target.channel };
    let place = NodePlacement {
        owner: if is_sibling { original.owner.clone() } else { user.clone() },
        parent: original.parent.clone().filter(|_| is_sibling),
        title: original.title.clone(),
    };
    access::check_storage_allowed(tx, &place.owner)?;
    let copy = create_copy(tx, author, &original, version, &place)?;
    store::insert_copy(tx, &copy, &target.id, action)?;
    thumbnail_queue::enqueue_thumbnail(tx, &copy)?;
    let copy = store::find_document(tx, &copy)?.or_not_found("document")?;
    let (parent, details) = (copy.parent.as_ref(), json!({ "copy_of": target.id }));
    tree::record_in_folder(tx, event_node(&copy), NodeAction::Create, parent, details)?;
    Ok(copy)
}

/// Returns the document with the content of `version`, or unchanged if None. Owner, folder and trash
/// stay those of `current`, because they may have changed since the version was read.
fn with_content_of(current: Document, version: Option<&Version>) -> Document {
    let Some(version) = version else { return current };
    let Document { owner, owner_name, parent, deleted, .. } = current;
    Document { owner, owner_name, parent, deleted, ..version.document.clone() }
}

/// Account and channel that are recorded as the author of a copy.
#[derive(Debug, Clone, Copy)]
pub struct CopyAuthor<'a> {
    pub account: &'a AccountId,
    pub channel: Channel,
}

/// A document that was copied, with the sizes that limit a copy of many documents.
pub struct CopiedDocument {
    /// Id of the copy.
    pub id: NodeId,
    /// Size of the records in bytes, which the copy shares with the original.
    pub data_bytes: u64,
    /// Size of the content in bytes that was written for the copy: settings, style, theme and SVG
    /// image.
    pub written_bytes: i64,
}

/// Copies the current content of a document to `place`.
///
/// The caller of this function must have checked access. The copy is private and has no older
/// versions. Its thumbnail is rendered on the first request.
///
/// # Errors
/// `NotFound` if the original does not exist, `QuotaExceeded` if the owner of `place` may not store
/// so much.
pub fn copy_document_to(
    tx: &WriteTx<'_>,
    author: CopyAuthor<'_>,
    original: &NodeId,
    place: &NodePlacement,
) -> Result<CopiedDocument> {
    let original = store::find_document(tx, original)?.or_not_found("document")?;
    let id = create_copy(tx, author, &original, None, place)?;
    Ok(CopiedDocument {
        id,
        data_bytes: original.data_bytes.unsigned_abs(),
        written_bytes: original.content_bytes() - original.data_bytes,
    })
}

/// Creates a private copy of `original` at `place` with its first version, and returns its id. Does
/// not check access, and enqueues no thumbnail. The owner, folder and title are those of `place`.
///
/// Records come from `version` if given. Otherwise the copy shares those of the original until one
/// of both changes. All other content comes from `original`.
fn create_copy(
    tx: &WriteTx<'_>,
    author: CopyAuthor<'_>,
    original: &Document,
    version: Option<&Version>,
    place: &NodePlacement,
) -> Result<NodeId> {
    let mut copy =
        Document { id: NodeId::new(), is_public: false, history_version: 1, ..original.clone() };
    if version.is_some() {
        copy.content = ContentId::of_new_document(&copy.id);
    }
    let content_bytes = copy.content_bytes() + writer::FIRST_VERSION_BYTES;
    tree::add_document(tx, &copy.id, author.account, place, content_bytes)?;
    store::insert_document(tx, &copy)?;
    if let Some(version) = version {
        for chunk in &Records::from_joined(&version.records).chunks {
            store::insert_chunk(tx, &copy.content, chunk)?;
        }
    }
    writer::insert_first_version(tx, &copy, author.account, author.channel)?;
    Ok(copy.id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use chartroom_platform::time::Timestamp;

    #[test]
    fn an_older_version_keeps_the_current_owner_folder_and_trash() {
        let read_before = Document { title: "Old".to_owned(), ..Document::empty(Timestamp(5)) };
        let version = Version { document: read_before.clone(), records: String::new() };
        let current = Document {
            owner: AccountId::from_text("team"),
            owner_name: "Team".to_owned(),
            parent: Some(NodeId::new()),
            deleted: Some(Timestamp(6)),
            title: "New".to_owned(),
            ..read_before
        };
        let copied = with_content_of(current.clone(), Some(&version));
        assert!(copied.check_not_in_trash().is_err());
        assert_eq!(copied, Document { title: "Old".to_owned(), ..current.clone() });
        assert_eq!(with_content_of(current.clone(), None), current);
    }
}
