//! Parts of the representation of a document that can change without a new revision: folder, access entries
//! and sync job.

use crate::features::access;
use crate::features::access::AccessLevel;
use crate::features::access::Caller;
use crate::features::access::ShareLinks;
use crate::features::documents::store::Document;
use crate::features::sync_jobs;
use crate::features::tree;
use crate::features::tree::FolderPath;
use chartroom_platform::crypto;
use chartroom_platform::db::Tx;
use chartroom_platform::error::OrNotFound;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;

/// The folder of a document and its access entries.
pub(super) struct FolderAndAccess {
    /// Path of the folder that contains the document, or contained it before the trash.
    pub(super) folder: FolderPath,
    /// Access entries that the caller may see, as JSON array. `None` if there are none.
    pub(super) acl: Option<String>,
    /// Checksum of both. `None` for a document in the root without access entries.
    pub(super) checksum: Option<String>,
}

/// Returns a key for the result of `load_folder_and_access` within one database snapshot: document,
/// account, access level and share link of the caller.
pub(super) fn context_key(document: &Document, caller: &Caller, level: AccessLevel) -> Vec<u8> {
    let user = caller.account_id().map_or("", AccountId::as_str);
    let link = caller.share_token_hash.as_ref().map_or(&[][..], |hash| &hash[..]);
    let texts = [document.id.as_str(), " ", user, " ", level.letter(), " "].concat();
    [texts.as_bytes(), link].concat()
}

/// Reads the folder path of a document and the access entries that the caller may see, and computes
/// their checksum.
pub(super) fn load_folder_and_access(
    tx: &Tx<'_>,
    links: ShareLinks<'_>,
    document: &Document,
    (caller, level): (&Caller, AccessLevel),
) -> Result<FolderAndAccess> {
    let folder = document_folder(tx, document)?;
    let acl = match document.is_shared || access::has_entries(tx, document.parent.as_ref())? {
        true => access::build_acl(tx, links, caller, level, &document.id)?,
        false => Vec::new(),
    };
    let acl = match acl.is_empty() {
        true => None,
        false => Some(serde_json::to_string(&acl)?),
    };
    let checksum = (acl.is_some() || document.parent.is_some()).then(|| {
        let text = format!("{folder}{}", acl.as_deref().unwrap_or_default());
        crypto::base62_checksum(&text, 11)
    });
    Ok(FolderAndAccess { folder, acl, checksum })
}

/// The sync job in the representation of a document.
pub(super) struct SyncPart {
    pub(super) json: String,
    pub(super) checksum: String,
}

/// Reads the state of the sync job of a document, as callers with this access see it. None if it has no job.
pub(super) fn load_sync(
    tx: &Tx<'_>,
    document: &Document,
    level: AccessLevel,
) -> Result<Option<SyncPart>> {
    let Some(sync) = sync_jobs::find_document_sync(tx, &document.id)? else { return Ok(None) };
    let json = serde_json::to_string(&sync.visible_to(level))?;
    Ok(Some(SyncPart { checksum: crypto::base62_checksum(&json, 11), json }))
}

/// Returns the path of the folder that contains the document, or contained it before the trash.
pub(super) fn document_folder(tx: &Tx<'_>, document: &Document) -> Result<FolderPath> {
    match document.deleted {
        None => tree::folder_path(tx, document.parent.as_ref()),
        Some(_) => {
            tree::parent_path(tx, &tree::find_node(tx, &document.id)?.or_not_found("document")?)
        }
    }
}
